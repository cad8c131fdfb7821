// Loads stored rows in the form that an import takes: relations by key, one statement for any number of rows. No rules
// are applied; the exporter owns the database.
import {
  type ColumnField,
  entityOf,
  type Entity,
  isStoredField,
  type Model,
  type RelationField,
} from '../schema/model.ts';
import { formatOf } from '../plan/json-format.ts';
import { keyOrderOf, linkedRows, allRows, Aliases, type RowScope } from '../plan/rows.ts';
import { listOf } from '../plan/selection.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Json, JsonMember } from '../sql/sql.ts';
import type { Store } from '../store/store.ts';
import type { ImportRow } from '../write/read-import-row.ts';
import { runSelect, whereOf } from './load-documents.ts';

/** Rows in key order, after a key (default: from the first), at most `limit`. */
export interface RowRange {
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface LoadedRow {
  readonly key: string;
  readonly row: ImportRow;
}

/**
 * Loads rows of a type, deleted ones too.
 *
 * @param isIncluded which many-to-many relations are part of the rows; the others are part of the rows at their other end
 */
export async function loadRows(
  context: { readonly model: Model; readonly store: Store; readonly dialect: Dialect },
  entity: Entity,
  range: RowRange,
  isIncluded: (field: RelationField) => boolean,
): Promise<readonly LoadedRow[]> {
  const aliases = new Aliases();
  const rows = allRows(entity, aliases);
  const parts = [...entity.fields.values()]
    .filter((field) => isStoredField(field))
    .filter((field) => !field.readOnly)
    .flatMap((field) => partsOf(context.model, rows.scope, field, aliases, isIncluded));
  const found = await runSelect(context, {
    columns: [
      { expr: { kind: 'cast', to: 'text', operand: rows.scope.key }, as: 'row_key' },
      { expr: { kind: 'json', json: { kind: 'object', members: parts.flatMap(({ members }) => members) } }, as: 'row' },
    ],
    from: rows.from,
    where: whereOf(context.model, rows.scope, range),
    orderBy: [keyOrderOf(rows.scope)],
    limit: { kind: 'literal', value: range.limit },
  });
  return found.map(([key, text]) => {
    const read: Readonly<Record<string, unknown>> = JSON.parse(String(text));
    const entries = parts.map(({ name, value }) => [name, value(read)] as const);
    return { key: String(key), row: Object.fromEntries(entries.filter(([, value]) => value !== undefined)) };
  });
}

/** How one field is read by the statement and becomes a value of the row; undefined: the row has none. */
interface RowPart {
  readonly name: string;
  readonly members: readonly JsonMember[];
  readonly value: (read: Readonly<Record<string, unknown>>) => unknown;
}

function partsOf(
  model: Model,
  scope: RowScope,
  field: ColumnField | RelationField,
  aliases: Aliases,
  isIncluded: (field: RelationField) => boolean,
): readonly RowPart[] {
  const { name } = field;
  const plain = (json: Json): readonly RowPart[] => [
    { name, members: [{ key: name, value: json }], value: (read) => read[name] },
  ];
  if (field.kind === 'column') return plain(columnValue(scope, field));
  const { storage } = field;
  switch (storage.kind) {
    case 'foreignKey': {
      const rows = linkedRows(scope, field, entityOf(model, field.target), aliases, true);
      const select = { columns: [], from: rows.from, joins: rows.joins, where: rows.link };
      return plain({ kind: 'one', rows: select, element: keyValue(rows.scope), missing: 'null' });
    }
    case 'joinTable':
      return isIncluded(field) ? plain(keysOf(model, scope, field, field.target, aliases)) : [];
    case 'polymorphic': {
      const [type, key] = [`${name} type`, `${name} key`];
      const text = (column: string): Json => ({
        kind: 'value',
        expr: scope.column(column),
        format: 'id',
        nullable: true,
      });
      const members = [
        { key: type, value: text(storage.typeColumn) },
        { key, value: text(storage.keyColumn) },
      ];
      return [{ name, members, value: (read) => (read[type] === null ? null : { type: read[type], key: read[key] }) }];
    }
    case 'polymorphicJoinTable': {
      const types = model.abstractTypes.get(field.target) ?? [];
      const members = types.map((type) => ({
        key: `${name} ${type}`,
        value: keysOf(model, scope, field, type, aliases),
      }));
      const value: RowPart['value'] = (read) =>
        types.flatMap((type) => (read[`${name} ${type}`] as readonly unknown[]).map((key) => ({ type, key })));
      return [{ name, members, value }];
    }
    case 'inverse':
      return [];
  }
}

function keysOf(model: Model, scope: RowScope, field: RelationField, target: string, aliases: Aliases): Json {
  const rows = linkedRows(scope, field, entityOf(model, target), aliases, true);
  return listOf(rows, rows.link, { orderBy: [rows.keyOrder], limit: undefined, offset: undefined }, keyValue);
}

function keyValue(scope: RowScope): Json {
  return columnValue(scope, scope.entity.key);
}

function columnValue(scope: RowScope, field: ColumnField): Json {
  return { kind: 'value', expr: scope.column(field.column), format: formatOf(field), nullable: field.nullable };
}
