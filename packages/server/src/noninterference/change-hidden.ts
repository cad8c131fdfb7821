// Changes only data that a caller may not see: hidden rows get other values or are deleted, withheld fields of visible
// rows get other values. Fields that rules read stay as they are, so that the same data remains hidden.
import {
  type ColumnField,
  type Entity,
  fieldsReadByRules,
  type Graph,
  type Model,
  type RelationField,
  sortableDecimal,
  type Store,
} from '@lockstitch/graph';
import { getNamedType, getNullableType, isEnumType, isListType, isObjectType } from 'graphql';
import { lookUp, type Principal } from '@lockstitch/kernel';

import type { Random } from '@lockstitch/search/requests';

import { isRowOf, keyColumns, keyOf, referringColumns, valuesOfKey } from './row-keys.ts';

/** What one caller may see of a type. */
export interface Visible {
  readonly rows: ReadonlySet<string>;
  /** For each field with a rule: the rows in which it may be read. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Asks the graph what a caller may see. */
export async function readVisible(graph: Graph, principal: Principal): Promise<ReadonlyMap<string, Visible>> {
  const found = new Map<string, Visible>();
  for (const entity of graph.model.entities.values()) {
    const rows = new Set(await graph.readableKeys(entity.name, principal, { includeDeleted: true }));
    const fields = new Map<string, ReadonlySet<string>>();
    for (const field of entity.fields.values()) {
      if (field.auth?.read === undefined || field.kind === 'resolver') continue;
      const options = { field: field.name, includeDeleted: true };
      fields.set(field.name, new Set(await graph.readableKeys(entity.name, principal, options)));
    }
    found.set(entity.name, { rows, fields });
  }
  return found;
}

/** Compares what two callers may see. */
export function isSameSight(a: ReadonlyMap<string, Visible>, b: ReadonlyMap<string, Visible>): boolean {
  const same = (x: ReadonlySet<string>, y: ReadonlySet<string>): boolean => x.size === y.size && x.isSubsetOf(y);
  return [...a].every(([type, { fields, rows }]) => {
    const other = lookUp(b, type);
    return same(rows, other.rows) && [...fields].every(([name, keys]) => same(keys, lookUp(other.fields, name)));
  });
}

/**
 * Changes the hidden part of a store.
 *
 * @param keys all keys by type
 * @returns the number of changed values and rows
 */
export async function changeHidden(
  model: Model,
  store: Store,
  visible: ReadonlyMap<string, Visible>,
  keys: ReadonlyMap<string, readonly string[]>,
  words: readonly string[],
  random: Random,
): Promise<number> {
  const read = fieldsReadByRules(model);
  const set = (
    entity: Entity,
    key: string,
    columns: readonly string[],
    values: readonly (string | number | null)[],
  ): Promise<number> => {
    const keyed = keyColumns(entity);
    const changes = columns.map((column) => `"${column}" = ?`).join(', ');
    const sql = `UPDATE "${entity.table}" SET ${changes} WHERE ${isRowOf(keyed)}`;
    return run(store, sql, [...values, ...valuesOfKey(key, keyed)]);
  };
  let changed = 0;
  /** Keys of deleted rows by type; no row may refer to them. */
  const gone = new Map<string, Set<string>>();
  for (const entity of model.entities.values()) {
    const sight = lookUp(visible, entity.name);
    const columns = [...entity.fields.values()].filter(
      (field): field is ColumnField =>
        field.kind === 'column' &&
        !field.isKey &&
        entity.key.parts?.includes(field.column) !== true &&
        !field.unique &&
        field.name !== entity.softDelete?.field &&
        !read.has(`${entity.name}.${field.name}`),
    );
    const references = [...entity.fields.values()].filter(
      (field): field is Reference =>
        field.kind === 'relation' &&
        field.storage.kind === 'foreignKey' &&
        !field.storage.unique &&
        !read.has(`${entity.name}.${field.name}`) &&
        !read.has(`${field.target}.${field.inverse}`),
    );
    const removal = removalOf(model, entity, read);
    for (const key of keys.get(entity.name) ?? []) {
      const hidden = !sight.rows.has(key);
      if (hidden && removal !== undefined && random.once(3) && !(await isReferred(store, removal, key))) {
        for (const { columns: held, table } of removal.pairs)
          await run(store, `DELETE FROM "${table}" WHERE ${isRowOf(held)}`, valuesOfKey(key, held));
        const keyed = keyColumns(entity);
        const sql = `DELETE FROM "${entity.table}" WHERE ${isRowOf(keyed)}`;
        changed += await run(store, sql, valuesOfKey(key, keyed));
        gone.set(entity.name, (gone.get(entity.name) ?? new Set()).add(key));
        continue;
      }
      for (const column of columns) {
        if (!hidden && sight.fields.get(column.name)?.has(key) !== false) continue;
        const value = otherValue(model, store, column, words, random);
        if (value === undefined) continue;
        changed += await set(entity, key, [column.column], [value]);
      }
      for (const { inverse, name, nullable, storage, target } of references) {
        const isThere = (other: string): boolean => gone.get(target)?.has(other) !== true;
        const seen = lookUp(visible, target).rows;
        // The inverse relation shows who refers to a visible object. So of a visible row, a relation with an inverse is
        // withheld only where it leads to a hidden object.
        const isWithheld = hidden || (inverse === undefined && sight.fields.get(name)?.has(key) === false);
        if (!isWithheld && (await leadsTo(store, entity, key, referringColumns(storage), seen))) continue;
        const others = (keys.get(target) ?? []).filter((other) => isThere(other) && (isWithheld || !seen.has(other)));
        const value = nullable && random.once(4) ? null : others.length === 0 ? undefined : random.pick(others);
        if (value === undefined) continue;
        const held = referringColumns(storage);
        changed += await set(entity, key, held, value === null ? held.map(() => null) : valuesOfKey(value, held));
      }
    }
  }
  return changed;
}

/** A relation stored as the key of its target. */
type Reference = RelationField & { readonly storage: { readonly kind: 'foreignKey' } };

/** How rows of a type can be deleted without any other change. */
interface Removal {
  /** Columns of remaining rows that could refer to one. */
  readonly references: readonly HeldKey[];
  /** Join rows that are deleted with it. */
  readonly pairs: readonly HeldKey[];
}

/** The columns of a table that hold a key. */
interface HeldKey {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Undefined if a rule reads rows of the type, or an interface could contain them. */
function removalOf(model: Model, entity: Entity, read: ReadonlySet<string>): Removal | undefined {
  const references: HeldKey[] = [];
  const pairs: HeldKey[] = [];
  for (const other of model.entities.values()) {
    for (const field of other.fields.values()) {
      if (field.kind !== 'relation') continue;
      const { storage } = field;
      if (other === entity && storage.kind === 'joinTable')
        pairs.push({ table: storage.table, columns: storage.fromParts ?? [storage.from] });
      if (storage.kind === 'polymorphic' || storage.kind === 'polymorphicJoinTable') return undefined;
      if (field.target !== entity.name) continue;
      if (read.has(`${other.name}.${field.name}`)) return undefined;
      if (storage.kind === 'foreignKey') references.push({ table: other.table, columns: referringColumns(storage) });
      if (storage.kind === 'joinTable') pairs.push({ table: storage.table, columns: storage.toParts ?? [storage.to] });
    }
  }
  return { references, pairs };
}

/** Whether a reference of a row leads to one of these keys, or nowhere. */
async function leadsTo(
  store: Store,
  entity: Entity,
  key: string,
  columns: readonly string[],
  keys: ReadonlySet<string>,
): Promise<boolean> {
  const keyed = keyColumns(entity);
  const selected = columns.map((column) => `"${column}"`).join(', ');
  const sql = `SELECT ${selected} FROM "${entity.table}" WHERE ${isRowOf(keyed)}`;
  const [row = []] = await store.prepare(placed(store, sql)).rows(valuesOfKey(key, keyed));
  const found = row.length === 0 ? undefined : keyOf(row);
  return found === undefined || keys.has(found);
}

async function isReferred(store: Store, { references }: Removal, key: string): Promise<boolean> {
  for (const { columns, table } of references) {
    const sql = `SELECT 1 FROM "${table}" WHERE ${isRowOf(columns)} LIMIT 1`;
    const rows = await store.prepare(placed(store, sql)).rows(valuesOfKey(key, columns));
    if (rows.length > 0) return true;
  }
  return false;
}

async function run(
  store: Store,
  sql: string,
  values: Parameters<ReturnType<Store['prepare']>['run']>[0],
): Promise<number> {
  return store.prepare(placed(store, sql)).run(values);
}

/** Replaces parameters by the database's placeholders. */
function placed({ dialect }: Store, sql: string): string {
  let at = 0;
  return dialect === 'sqlite' ? sql : sql.replaceAll('?', () => `$${++at}`);
}

/** JSON that is not a value of any type of a schema. */
const STRANGE: readonly string[] = [
  '{"x":"abc","w":"much","on":"perhaps","at":"2023-02-29T00:00:00.000Z","label":7,"inner":5}',
  '{"x":1.5,"on":2,"at":"infinity","label":{"a":1}}',
  '["a", 5, {"x":"y"}]',
  '"a text"',
  '7',
  '[1]',
  'null',
];

function otherValue(
  model: Model,
  { dialect }: Store,
  column: ColumnField,
  words: readonly string[],
  random: Random,
): string | number | undefined {
  if (column.storage === 'json') {
    // Values that another program might have written; no caller's condition may fail on them.
    if (column.search === undefined && random.once(2)) return random.pick(STRANGE);
    return JSON.stringify(otherJson(model, column, words, random));
  }
  const type = model.schema.getType(column.typeName);
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  switch (column.typeName) {
    case 'String':
      return `${random.pick([...words, 'changed'])} ${random.pick(['unseen', 'changed', ...words.slice(0, 3)])}`;
    case 'Int':
    case 'BigInt':
      return random.int(1000);
    case 'Float':
      return random.int(1000) / 8;
    case 'Decimal': {
      const text = String(random.int(1000) / 8);
      return dialect === 'sqlite' ? sortableDecimal(text) : text;
    }
    case 'Boolean':
      return random.int(2);
    case 'DateTime':
      return `20${20 + random.int(9)}-0${1 + random.int(9)}-01T00:00:00.000Z`;
    default:
      return undefined;
  }
}

/** A list or an embedded object. */
function otherJson(
  model: Model,
  { list, typeName }: Pick<ColumnField, 'list' | 'typeName'>,
  words: readonly string[],
  random: Random,
): unknown {
  if (list)
    return Array.from({ length: random.int(4) }, () => otherJson(model, { list: false, typeName }, words, random));
  const type = model.schema.getType(typeName);
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  if (isObjectType(type))
    return Object.fromEntries(
      Object.values(type.getFields()).map(({ name, type: inner }) => [
        name,
        isListType(getNullableType(inner))
          ? []
          : otherJson(model, { list: false, typeName: getNamedType(inner).name }, words, random),
      ]),
    );
  switch (typeName) {
    case 'Int':
    case 'BigInt':
      return random.int(1000);
    case 'Float':
      return random.int(1000) / 8;
    case 'Boolean':
      return random.once(2);
    case 'DateTime':
      return `20${20 + random.int(9)}-0${1 + random.int(9)}-01T00:00:00.000Z`;
    case 'Date':
      return `20${20 + random.int(9)}-0${1 + random.int(9)}-01`;
    default:
      return random.pick([...words, 'changed']);
  }
}
