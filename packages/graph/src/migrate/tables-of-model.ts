// Lists the tables that a model needs: one per entity, one per join table, the feed's, and the stored schema. Not here:
// existing tables.
import { type GraphQLEnumType, isEnumType } from 'graphql';
import { capturedTables } from '../capture/captured-tables.ts';
import { outboxTable } from '../capture/outbox.ts';
import { FEED_TABLES } from '../feed/feed-tables.ts';
import {
  entityOf,
  storedColumnsOf,
  type ColumnField,
  type Entity,
  type Model,
  type RelationField,
} from '../schema/model.ts';
import { fromSortable } from '../schema/decimal.ts';
import { directiveValues } from '../schema/directive-values.ts';
import { KEY_END } from '../schema/column-names.ts';
import { fitName, shortHash, snakeCase } from '../schema/names.ts';
import { notDeletedOf } from './soft-deletes.ts';
import { schemaTable } from './stored-schema.ts';
import {
  columnType,
  composeName,
  type ColumnShape,
  type Dialect,
  type ForeignKeyShape,
  type HeldValues,
  type IndexShape,
  type NotDeleted,
  type OnDelete,
  type TableShape,
} from './table-shape.ts';
import { quoteText } from '../schema/table-name.ts';

const ON_DELETE = { cascade: 'CASCADE', restrict: 'RESTRICT', setNull: 'SET NULL' } as const;

/** Lists the tables of a model, entities first, in schema order; unmanaged ones included. */
export function tablesOfModel(model: Model, dialect: Dialect): readonly TableShape[] {
  const tables: TableShape[] = [];
  const joinTables = new Map<string, TableShape>();
  for (const entity of model.entities.values()) {
    tables.push(entityTable(entity, model, dialect));
    for (const field of entity.fields.values()) {
      if (field.kind !== 'relation') continue;
      const table = joinTableEnds(entity, field, model, dialect);
      // Both ends of a many-to-many relation name the same table.
      if (table !== undefined && !joinTables.has(table.name)) joinTables.set(table.name, table);
    }
  }
  const outbox = capturedTables(model).length === 0 ? [] : [outboxTable(dialect)];
  const own = [...FEED_TABLES[dialect], ...outbox, schemaTable(columnType(dialect, 'text'))];
  const all = [...tables, ...joinTables.values(), ...own];
  return withNamesApart(all);
}

/** Tables and indexes share one namespace: `a_b` over `c` and `a` over `b_c` would both be `a_b_c_idx`. */
function withNamesApart(tables: readonly TableShape[]): readonly TableShape[] {
  // Unmanaged tables keep the names of their indexes.
  const uses = new Map<string, number>();
  const count = ({ name }: { readonly name: string }): unknown => uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const table of tables) [table, ...(table.unmanaged === true ? [] : table.indexes)].forEach(count);
  // All indexes with a shared name are renamed, whichever comes first. One of them may exist already and keeps its
  // name.
  const apart = (table: TableShape, index: IndexShape): IndexShape =>
    uses.get(index.name) === 1 || table.unmanaged === true
      ? index
      : {
          ...index,
          name: composeName(table.name, ...index.columns, shortHash([table.name, ...index.columns].join(' '))),
        };
  return tables.map((table) => ({ ...table, indexes: table.indexes.map((index) => apart(table, index)) }));
}

function entityTable(entity: Entity, model: Model, dialect: Dialect): TableShape {
  const { parts } = entity.key;
  const { softDelete } = entity;
  const columns: ColumnShape[] = parts === undefined ? [keyColumn(entity.key, model, dialect)] : [];
  const indexes: IndexShape[] = [];
  const foreignKeys: ForeignKeyShape[] = [];
  const addIndex = (names: readonly string[], unique: boolean): void => {
    const known = indexes.some((index) => index.unique === unique && sameNames(index.columns, names));
    // A deleted row keeps its values, and others may take them.
    const where = unique && softDelete !== undefined ? notDeletedOf(softDelete) : undefined;
    if (!known) indexes.push(indexOf(entity.table, names, unique, where));
  };
  for (const field of entity.fields.values()) {
    if (field.kind === 'column' && field !== entity.key && !field.isKey) {
      columns.push(plainColumn(field, model, dialect));
      if (field.unique && !field.unmanaged) addIndex([field.column], true);
    } else if (field.kind === 'relation' && field.storage.kind === 'foreignKey' && field.storage.parts === undefined) {
      const target = entityOf(model, field.target);
      const { column } = field.storage;
      columns.push({
        name: column,
        type: columnType(dialect, target.key.storage),
        nullable: field.nullable,
        identity: false,
        former: field.formerColumns,
        ...unmanagedKey(target, model, field.unmanaged),
      });
      if (field.unmanaged) continue;
      foreignKeys.push(...reference(entity.table, column, target, ON_DELETE[field.onDelete]));
      addIndex([column], field.storage.unique);
    } else if (field.kind === 'relation' && field.storage.kind === 'polymorphic') {
      const { typeColumn, keyColumn: name } = field.storage;
      columns.push(
        ...[typeColumn, name].map((each) => ({
          name: each,
          type: columnType(dialect, 'text'),
          nullable: field.nullable,
          identity: false,
          unmanaged: field.unmanaged,
        })),
      );
      if (!field.unmanaged) addIndex([typeColumn, name], false);
    }
  }
  // A field of its own says more of a column than a reference by several.
  for (const field of entity.fields.values()) {
    if (field.kind !== 'relation' || field.storage.kind !== 'foreignKey') continue;
    const target = entityOf(model, field.target);
    for (const column of referenceColumns(field.storage.parts ?? [], target, model, field, dialect))
      if (!columns.some(({ name }) => name === column.name)) columns.push(column);
  }
  const isUnmanaged = (name: string): boolean => columns.find((column) => column.name === name)?.unmanaged === true;
  for (const index of entity.indexes) if (!index.columns.some(isUnmanaged)) addIndex(index.columns, index.unique);
  const { table: name, unmanaged, readOnly } = entity;
  return { name, columns, primaryKey: parts ?? [entity.key.column], indexes, foreignKeys, unmanaged, readOnly };
}

function joinTableEnds(entity: Entity, field: RelationField, model: Model, dialect: Dialect): TableShape | undefined {
  const { storage } = field;
  if (storage.kind === 'joinTable') {
    const target = entityOf(model, field.target);
    const { from, to, fromParts, toParts } = storage;
    const end = (column: string, parts: readonly string[] | undefined, other: Entity): readonly ColumnShape[] =>
      parts === undefined
        ? [
            {
              name: column,
              former: formerKeys(column, other, entity === target),
              ...joinKey(other, model, field, dialect),
            },
          ]
        : referenceColumns(parts, other, model, field, dialect);
    const [there, back] = [end(from, fromParts, entity), end(to, toParts, target)];
    const names = [...there, ...back].map(({ name }) => name);
    return {
      name: storage.table,
      unmanaged: field.unmanaged,
      // A column may belong to both ends.
      columns: [...there, ...back.filter(({ name }) => !there.some((each) => each.name === name))],
      primaryKey: [...new Set(names)],
      indexes: [indexOf(storage.table, [to, from], false)],
      foreignKeys: [
        ...reference(storage.table, storage.from, entity, 'CASCADE'),
        ...reference(storage.table, storage.to, target, 'CASCADE'),
      ],
    };
  }
  if (storage.kind === 'polymorphicJoinTable') {
    const text = columnType(dialect, 'text');
    return {
      name: storage.table,
      columns: [
        {
          name: storage.from,
          type: columnType(dialect, entity.key.storage),
          nullable: false,
          identity: false,
          former: (entity.formerNames ?? []).map((name) => fitName(`${snakeCase(name)}${KEY_END}`)),
        },
        { name: storage.typeColumn, type: text, nullable: false, identity: false },
        { name: storage.keyColumn, type: text, nullable: false, identity: false },
      ],
      primaryKey: [storage.from, storage.typeColumn, storage.keyColumn],
      indexes: [indexOf(storage.table, [storage.typeColumn, storage.keyColumn], false)],
      foreignKeys: reference(storage.table, storage.from, entity, 'CASCADE'),
    };
  }
  return undefined;
}

/** The names that a column of a join table may have had: it is named after its type. */
function formerKeys(column: string, { formerNames = [] }: Entity, isSelf: boolean): readonly string[] {
  const end = isSelf ? (column.startsWith('to_') ? 'to_' : 'from_') : '';
  return formerNames.map((name) => fitName(`${end}${snakeCase(name)}`));
}

/** The columns that refer to a key of several columns. */
function referenceColumns(
  parts: readonly string[],
  target: Entity,
  model: Model,
  field: RelationField,
  dialect: Dialect,
): readonly ColumnShape[] {
  return parts.map((name, index) => {
    const key = keyPartOf(target, target.key.parts?.[index] ?? '', model);
    const type = columnType(dialect, key.storage);
    const holds = { ...holdsOf(key, model), isKey: false };
    return { name, type, nullable: field.nullable, identity: false, unmanaged: true, holds };
  });
}

/** What a column of a composite key holds: a field, or the key to which it refers. */
export function keyPartOf(entity: Entity, column: string, model: Pick<Model, 'entities'>, depth = 0): ColumnField {
  const fields = [...entity.fields.values()].filter((field) => storedColumnsOf(field).includes(column));
  const own = fields.find((field) => field.kind === 'column');
  const [relation] = fields;
  if (own !== undefined) return own;
  if (relation?.kind !== 'relation' || depth > model.entities.size) return entity.key;
  const target = entityOf(model, relation.target);
  const at = storedColumnsOf(relation).indexOf(column);
  const part = target.key.parts?.[at];
  return part === undefined ? target.key : keyPartOf(target, part, model, depth + 1);
}

function joinKey(entity: Entity, model: Model, field: RelationField, dialect: Dialect): Omit<ColumnShape, 'name'> {
  const type = columnType(dialect, entity.key.storage);
  return { type, nullable: false, identity: false, ...unmanagedKey(entity, model, field.unmanaged) };
}

/** An existing column that holds keys of an entity can have any type that holds them. */
function unmanagedKey({ key }: Entity, model: Model, unmanaged: boolean): Pick<ColumnShape, 'unmanaged' | 'holds'> {
  return unmanaged ? { unmanaged, holds: { ...holdsOf(key, model), isKey: false } } : {};
}

/** None to an unmanaged table: it would forbid deletions there, and a view cannot have one. */
function reference(table: string, column: string, target: Entity, onDelete: OnDelete): readonly ForeignKeyShape[] {
  if (target.unmanaged) return [];
  const name = composeName(table, column, 'fkey');
  return [{ name, column, targetTable: target.table, targetColumn: target.key.column, onDelete }];
}

function keyColumn(key: ColumnField, model: Model, dialect: Dialect): ColumnShape {
  const identity = key.default?.kind === 'identity';
  const holds = holdsOf(key, model);
  const { unmanaged } = key;
  return { name: key.column, type: columnType(dialect, key.storage), nullable: false, identity, holds, unmanaged };
}

function holdsOf({ typeName, list, isKey, timeZone }: ColumnField, model: Model): HeldValues {
  const type = model.schema.getType(typeName);
  const isEnum = isEnumType(type);
  const longest = isEnum ? Math.max(...type.getValues().map(({ name }) => name.length)) : undefined;
  const labels = isEnum ? labelsOf(type, model) : undefined;
  return {
    type: typeName,
    list,
    isKey,
    isEnum,
    labels,
    timeZone,
    longest: longest ?? { UUID: 36, Date: 10 }[typeName],
  };
}

function labelsOf(type: GraphQLEnumType, { schema }: Model): ReadonlyMap<string, string> | undefined {
  const labels = type.getValues().map((value) => {
    const [label] = directiveValues(schema, 'column', value)?.name ?? [];
    return [value.name, label ?? value.name] as const;
  });
  return labels.some(([name, label]) => name !== label) ? new Map(labels) : undefined;
}

function plainColumn(field: ColumnField, model: Model, dialect: Dialect): ColumnShape {
  return {
    holds: holdsOf(field, model),
    name: field.column,
    type: columnType(dialect, field.storage),
    nullable: field.nullable,
    identity: false,
    fill: fillOf(field, dialect),
    unmanaged: field.unmanaged,
    using: field.using,
    former: field.formerColumns,
  };
}

function fillOf(field: ColumnField, dialect: Dialect): string | undefined {
  switch (field.default?.kind) {
    case 'now':
    case 'updatedAt':
      return dialect === 'sqlite' ? `(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))` : 'now()';
    case 'version':
      return '1';
    case 'literal':
      return literal(field, field.default.value, dialect);
    default:
      return undefined;
  }
}

function literal(field: ColumnField, value: unknown, dialect: Dialect): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (field.storage === 'json' || field.list) return quoteText(JSON.stringify(value));
  if (field.storage === 'decimal' && typeof value === 'string')
    return dialect === 'sqlite' ? quoteText(value) : fromSortable(value);
  if (typeof value === 'boolean') return dialect === 'sqlite' ? String(Number(value)) : String(value);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return quoteText(typeof value === 'string' ? value : JSON.stringify(value));
}

function indexOf(table: string, columns: readonly string[], unique: boolean, where?: NotDeleted): IndexShape {
  if (where === undefined) return { name: composeName(table, ...columns, unique ? 'key' : 'idx'), columns, unique };
  // An index of all rows may exist until this one does.
  return { name: composeName(table, ...columns, 'living', unique ? 'key' : 'idx'), columns, unique, where };
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}
