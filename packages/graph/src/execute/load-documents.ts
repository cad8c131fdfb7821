// Stored objects as search documents: the fields marked @search, the key, and one level of related objects. One statement
// whatever the number of documents. Read without a policy: who may find a document is for the search index's view.
import type { ColumnField, Entity, Model, RelationField } from '../schema/model.ts';
import type { Dialect } from '../sql/dialect.ts';
import { printSelect } from '../sql/print.ts';
import { and, type Expr, type Json, type JsonFormat, type Select } from '../sql/sql.ts';
import type { SqlValue, Store } from '../store/store.ts';
import { toBound } from '../plan/bound-value.ts';
import { Aliases, allRows, keyOrderOf, relatedRows, type RowScope } from '../plan/rows.ts';
import { formatOf, listOf } from '../plan/selection.ts';

/** A field of a search document. */
export interface DocumentField {
  /** Dotted: `postedBy.githubLogin`. */
  readonly path: string;
  /** The GraphQL named type: `String`, `ID`, `DateTime`, an enum. */
  readonly typeName: string;
  /** The path can hold several values: a list, or a field of the objects of a list. */
  readonly list: boolean;
  /** `@search(type:)`, when given. */
  readonly type: string | undefined;
  /** `@search(analyzer:)`, when given. */
  readonly analyzer: string | undefined;
}

/** A document, by key. */
export interface LoadedDocument {
  readonly key: string;
  /** JSON text. */
  readonly source: string;
}

/** Which documents. */
export type DocumentRange =
  | { readonly keys: readonly (string | number)[] }
  /** In key order, after a key (absent: from the first), at most `limit`. */
  | { readonly after?: string | undefined; readonly limit: number };

/** Describes the documents of a type: its key and @search fields, then those of embedded objects. */
export function searchDocumentShape(model: Model, entity: Entity): readonly DocumentField[] {
  const fields = searchedColumns(entity).map((field) => describe(field, field.name, field.list));
  for (const relation of embeddedRelations(model, entity)) {
    for (const field of searchedColumns(model.entities.get(relation.target)!)) {
      fields.push(describe(field, `${relation.name}.${field.name}`, relation.many || field.list));
    }
  }
  return fields;
}

function describe(field: ColumnField, path: string, list: boolean): DocumentField {
  return { path, typeName: field.typeName, list, type: field.search?.type, analyzer: field.search?.analyzer };
}

function searchedColumns(entity: Entity): ColumnField[] {
  return [...entity.fields.values()].filter(
    (field): field is ColumnField => field.kind === 'column' && (field.isKey || field.search !== undefined),
  );
}

/**
 * The relations whose objects are part of a document: those marked @search, every to-one relation, and a many-to-many
 * relation at the end whose type comes first in the schema. Otherwise each user would hold all the photos he is in, and
 * every change of a photo would write them again.
 */
function embeddedRelations(model: Model, entity: Entity): readonly RelationField[] {
  const order = [...model.entities.keys()];
  return [...entity.fields.values()].filter((field): field is RelationField => {
    if (field.kind !== 'relation') return false;
    const target = model.entities.get(field.target);
    if (target === undefined || target.searchIndex === undefined) return false;
    if (field.search !== undefined || (!field.many && field.storage.kind === 'foreignKey')) return true;
    if (field.storage.kind !== 'joinTable') return false;
    return field.inverse === undefined || order.indexOf(entity.name) < order.indexOf(target.name);
  });
}

/** Loads the documents of a type that exist. */
export async function loadDocuments(
  context: { readonly model: Model; readonly store: Store; readonly dialect: Dialect },
  entity: Entity,
  range: DocumentRange,
): Promise<readonly LoadedDocument[]> {
  const { model, store, dialect } = context;
  if ('keys' in range && range.keys.length === 0) return [];
  const aliases = new Aliases();
  const rows = allRows(entity, aliases);
  const members = columnMembers(rows.scope);
  for (const relation of embeddedRelations(model, entity)) {
    members.push({ key: relation.name, value: embed(model, rows.scope, relation, aliases) });
  }
  const select: Select = {
    columns: [
      { expr: { kind: 'cast', to: 'text', operand: rows.scope.key }, as: 'document_key' },
      { expr: { kind: 'json', json: { kind: 'object', members } }, as: 'source' },
    ],
    from: rows.from,
    where: whereOf(model, rows.scope, range),
    orderBy: [keyOrderOf(rows.scope)],
    limit: 'limit' in range ? constant(range.limit, 'integer') : undefined,
  };
  const { text, parameters } = printSelect(select, dialect);
  const values = parameters.map((parameter) => (parameter.kind === 'constant' ? parameter.value : null));
  const found = await store.prepare(text).rows(values);
  return found.map(([key, source]) => ({ key: String(key), source: String(source) }));
}

/** How many documents a type has. */
export async function countDocuments(store: Store, entity: Entity, dialect: Dialect): Promise<number> {
  const rows = allRows(entity, new Aliases());
  const count: Expr = {
    kind: 'count',
    select: { columns: [{ expr: { kind: 'literal', value: 1 }, as: 'one' }], from: rows.from },
  };
  const { text } = printSelect({ columns: [{ expr: count, as: 'count' }], from: { kind: 'nothing' } }, dialect);
  return Number(await store.prepare(text).text([]));
}

function whereOf(model: Model, scope: RowScope, range: DocumentRange): Expr | undefined {
  const { key } = scope.entity;
  if ('keys' in range) {
    const list = range.keys.map((each) => toBound(model.schema, key, String(each))).filter((each) => each !== null);
    const text = `[${list.map((each) => (typeof each === 'bigint' ? each.toString() : JSON.stringify(each))).join(',')}]`;
    return { kind: 'among', operand: scope.key, list: constant(text, 'json'), storage: key.storage };
  }
  if (range.after === undefined) return undefined;
  const after = constant(toBound(model.schema, key, range.after), key.storage);
  return { kind: 'compare', operator: '>', left: scope.key, right: after, storage: key.storage };
}

function constant(value: SqlValue, storage: ColumnField['storage']): Expr {
  return { kind: 'parameter', parameter: { kind: 'constant', value }, storage };
}

function columnMembers(scope: RowScope): { key: string; value: Json }[] {
  return searchedColumns(scope.entity).map((field) => {
    const format: JsonFormat = formatOf(field);
    return {
      key: field.name,
      value: { kind: 'value', expr: scope.column(field.column), format, nullable: field.nullable },
    };
  });
}

function embed(model: Model, parent: RowScope, relation: RelationField, aliases: Aliases): Json {
  const target = model.entities.get(relation.target)!;
  const rows = relatedRows(parent, relation, target, aliases, false);
  const object = (scope: RowScope): Json => ({ kind: 'object', members: columnMembers(scope) });
  if (relation.many) {
    return listOf(rows, rows.where, { orderBy: [rows.keyOrder], limit: undefined, offset: undefined }, object);
  }
  const select: Select = { columns: [], from: rows.from, joins: rows.joins, where: and(rows.where) };
  return { kind: 'one', rows: select, element: object(rows.scope), missing: 'null' };
}
