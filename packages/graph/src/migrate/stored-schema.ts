// Stores what columns do not say about their values: the values of enums, the fields of embedded objects, the types of
// unions, which tables are the engine's, and which rows are deleted. The next schema is compared with it. Not here: the comparison
// (value-types.ts, soft-deletes.ts, plan-migration.ts).
import { getNamedType, getNullableType, isEnumType, isObjectType } from 'graphql';
import { type Entity, type Model, type RelationField, isStoredField } from '../schema/model.ts';
import type { Store } from '../store/store.ts';
import type { NotDeleted, TableShape } from './table-shape.ts';
import { declaredField } from '../schema/declared-field.ts';
import { quoteText } from '../schema/table-name.ts';

/** One row per table of the schema. */
export const SCHEMA_TABLE = 'lockstitch_schema';

/** What a named type allows: the values of an enum (or types of a union), or the fields of an embedded object. */
export type ValueType = readonly string[] | Readonly<Record<string, string>>;

/** The meaning of a table's values. */
export interface TableMeaning {
  /** The entity of the table, or the relation of the join table: `Photo`, `Photo.taggedUsers`. */
  readonly of: string;
  /** Column → its GraphQL type, without the outer `!`, which the column itself declares: `[PhotoCategory!]`. */
  readonly columns: Readonly<Record<string, string>>;
  /** Enums, unions, interfaces and embedded types of the columns; scalars are not included. */
  readonly types: Readonly<Record<string, ValueType>>;
}

/** Table → the meaning of its values. */
export type StoredSchema = ReadonlyMap<string, TableMeaning>;

/** Table → the condition of rows that are not deleted; null: deletions remove rows. Of managed tables only those with a condition. */
export type SoftDeletes = ReadonlyMap<string, NotDeleted | null>;

/** The name of the row that stores the soft deletion of a table. */
export function softDeleteRow(table: string): string {
  return `${SOFT_DELETE}${table}`;
}

const SOFT_DELETE = '@softDelete ';

/** The table that stores it. */
export function schemaTable(text: string): TableShape {
  const column = (name: string) => ({ name, type: text, nullable: false, identity: false });
  return {
    name: SCHEMA_TABLE,
    columns: [column('name'), column('meaning')],
    primaryKey: ['name'],
    indexes: [],
    foreignKeys: [],
  };
}

/** The meaning of a model's tables, except unmanaged ones. */
export function meaningOf(model: Model): StoredSchema {
  const tables = new Map<string, TableMeaning>();
  for (const entity of model.entities.values()) {
    if (!entity.unmanaged) tables.set(entity.table, meaningOfEntity(entity, model));
    for (const field of entity.fields.values()) {
      if (field.kind !== 'relation' || field.unmanaged) continue;
      const { storage } = field;
      if (storage.kind !== 'joinTable' && storage.kind !== 'polymorphicJoinTable') continue;
      if (tables.has(storage.table)) continue;
      const members = storage.kind === 'polymorphicJoinTable' ? membersAt(storage.typeColumn, field, model) : NOTHING;
      tables.set(storage.table, { of: `${entity.name}.${field.name}`, ...members });
    }
  }
  return tables;
}

const NOTHING = { columns: {}, types: {} };

function meaningOfEntity(entity: Entity, model: Model): TableMeaning {
  const columns: Record<string, string> = {};
  const types: Record<string, ValueType> = {};
  for (const field of entity.fields.values()) {
    if (!isStoredField(field) || field.unmanaged) continue;
    if (field.kind === 'column') {
      const declared = declaredField(model.schema, entity.name, field.name).type;
      columns[field.column] = String(getNullableType(declared));
      addTypes(model, getNamedType(declared).name, types);
    } else if (field.storage.kind === 'polymorphic') {
      const members = membersAt(field.storage.typeColumn, field, model);
      Object.assign(columns, members.columns);
      Object.assign(types, members.types);
    }
  }
  return { of: entity.name, columns, types };
}

function membersAt(column: string, field: RelationField, model: Model): Pick<TableMeaning, 'columns' | 'types'> {
  return {
    columns: { [column]: field.target },
    types: { [field.target]: model.abstractTypes.get(field.target) ?? [] },
  };
}

function addTypes(model: Model, name: string, types: Record<string, ValueType>): void {
  const type = model.schema.getType(name);
  if (Object.hasOwn(types, name)) return;
  if (isEnumType(type)) types[name] = type.getValues().map((value) => value.name);
  else if (isObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => !model.answered.has(`${name}.${field.name}`));
    types[name] = Object.fromEntries(fields.map((field) => [field.name, String(field.type)]));
    for (const field of fields) addTypes(model, getNamedType(field.type).name, types);
  }
}

/**
 * The meaning of a table, with columns that the schema no longer has or does not have yet.
 *
 * @param waiting columns with a pending optional step; they keep their old meaning
 */
export function meaningOfLeft(
  after: TableMeaning,
  before: TableMeaning,
  left: readonly string[],
  waiting: readonly string[],
): TableMeaning {
  const known = [...left, ...waiting].flatMap((name) =>
    Object.hasOwn(before.columns, name) ? [[name, before.columns[name]!] as const] : [],
  );
  if (known.length === 0) return after;
  const held: Record<string, ValueType> = {};
  const hold = (type: string): void => {
    const name = type.replaceAll(/[[\]!]/g, '');
    if (Object.hasOwn(held, name) || !Object.hasOwn(before.types, name)) return;
    const meaning = before.types[name]!;
    held[name] = meaning;
    if (!Array.isArray(meaning)) Object.values(meaning).forEach(hold);
  };
  for (const name of waiting) hold(before.columns[name] ?? '');
  return {
    of: after.of,
    columns: { ...after.columns, ...Object.fromEntries(known) },
    types: { ...before.types, ...after.types, ...held },
  };
}

/** All of the stored schema. */
export interface Stored {
  readonly tables: StoredSchema;
  readonly softDeletes: SoftDeletes;
}

/** Reads the stored schema. Empty for a database of an earlier version. */
export async function readStoredSchema(store: Store): Promise<Stored> {
  const tables = new Map<string, TableMeaning>();
  const softDeletes = new Map<string, NotDeleted | null>();
  for (const [name, text] of await store.prepare(`SELECT name, meaning FROM ${SCHEMA_TABLE}`).rows([])) {
    const [row, meaning] = [String(name), JSON.parse(String(text))];
    if (row.startsWith(SOFT_DELETE)) softDeletes.set(row.slice(SOFT_DELETE.length), meaning);
    else tables.set(row, meaning);
  }
  return { tables, softDeletes };
}

/** The SQL that replaces the stored schema. */
export function storeSchemaSql(stored: Stored, wanted: Stored): readonly string[] {
  const rowsOf = ({ tables, softDeletes }: Stored): ReadonlyMap<string, unknown> =>
    new Map<string, unknown>([
      ...tables,
      ...[...softDeletes].map(([table, condition]) => [softDeleteRow(table), condition] as const),
    ]);
  const [before, after] = [rowsOf(stored), rowsOf(wanted)];
  const sql: string[] = [];
  for (const [name, meaning] of after) {
    const text = JSON.stringify(meaning);
    if (JSON.stringify(before.get(name)) === text) continue;
    sql.push(
      `INSERT INTO ${SCHEMA_TABLE} (name, meaning) VALUES (${quoteText(name)}, ${quoteText(text)}) ` +
        'ON CONFLICT (name) DO UPDATE SET meaning = excluded.meaning',
    );
  }
  for (const name of before.keys())
    if (!after.has(name)) sql.push(`DELETE FROM ${SCHEMA_TABLE} WHERE name = ${quoteText(name)}`);
  return sql;
}
