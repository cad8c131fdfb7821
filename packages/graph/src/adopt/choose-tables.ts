// Decides which tables become types, which ones join two others, and which are left out: a type needs a key that the
// database itself keeps unique and not null.
import type { LeftOut } from './adoption.ts';
import { postgresScalar, sqliteScalar } from './column-types.ts';
import {
  nameKey,
  shownName,
  sqlName,
  type ColumnDescription,
  type DatabaseDescription,
  type ForeignKeyDescription,
  type TableDescription,
} from './database-description.ts';
import type { Sayable } from './sayable.ts';
import { looksSecret } from './secrets.ts';
import { isKeptName, quoteTable } from '../schema/table-name.ts';
import { required } from '../present.ts';

/** A table that becomes a type. */
export interface ChosenTable {
  readonly table: TableDescription;
  readonly key: readonly string[];
}

/** A join table: it becomes a list on both of its ends. */
export interface JoinTable {
  readonly table: TableDescription;
  readonly ends: readonly [ForeignKeyDescription, ForeignKeyDescription];
}

export interface ChosenTables {
  /** By nameKey, in the order of the description. */
  readonly types: ReadonlyMap<string, ChosenTable>;
  readonly joins: readonly JoinTable[];
  /** Readable views without a key. */
  readonly keyless: readonly TableDescription[];
  readonly leftOut: readonly LeftOut[];
}

/** Chooses by keys, rights and kinds. */
export function chooseTables(database: DatabaseDescription, sayable: Sayable): ChosenTables {
  const types = new Map<string, ChosenTable>();
  const leftOut: LeftOut[] = [];
  const possible: JoinTable[] = [];
  const addType = (table: TableDescription): void => {
    const chosen = choose(table, database, sayable);
    if ('key' in chosen) types.set(nameKey(table), { table, key: chosen.key });
    else leftOut.push({ table, column: undefined, ...chosen });
  };
  for (const table of database.tables) {
    const join = sayable.joinTables ? joinTableOf(table) : undefined;
    if (join !== undefined) {
      possible.push(join);
      continue;
    }
    addType(table);
  }
  const joins = possible.filter(({ table, ends }) => {
    const gone = ends.find((end) => {
      const target = types.get(nameKey(end.target));
      return target === undefined || !refersToKey(end, target.key) || isLoose(target);
    });
    if (gone === undefined) return true;
    if (types.has(nameKey(gone.target))) {
      addType(table);
      return false;
    }
    const reason = `it joins ${shownName(gone.target)}, which is left out`;
    leftOut.push({ table, column: undefined, kind: 'not expressible', reason, remedy: undefined });
    return false;
  });
  const isKeyless = (table: TableDescription): boolean =>
    table.kind !== 'table' && leftOut.some((each) => each.table === table && each.kind === 'no key');
  return { types, joins, keyless: database.tables.filter(isKeyless), leftOut };
}

type Refusal = Pick<LeftOut, 'kind' | 'reason' | 'remedy'>;

function choose(
  table: TableDescription,
  database: DatabaseDescription,
  sayable: Sayable,
): { readonly key: readonly string[] } | Refusal {
  const refuse = (reason: string, remedy?: string, kind: LeftOut['kind'] = 'not expressible'): Refusal => ({
    kind,
    reason,
    remedy,
  });
  // What its owner may copy into a terminal of SQL.
  const place = quoteTable(sqlName(table));
  if (isKeptName(table))
    return refuse('names that begin with lockstitch_, pg_ or sqlite_ are not for tables of applications');
  if (!table.readable) {
    const remedy = `GRANT SELECT ON ${place} TO the role, and adopt again.`;
    return refuse('this role may not read it', remedy, 'no right');
  }
  if (!table.populated)
    return refuse('it has not been filled yet', `REFRESH MATERIALIZED VIEW ${place}, and adopt again.`);
  if (table.refused !== undefined) return refuse(table.refused);
  if (table.kind === 'virtual table') return refuse('it is a virtual table, whose rows an extension makes');
  if (table.heirs.length > 0)
    return refuse(
      `other tables inherit from it (${table.heirs.join(', ')}), so its key is not unique over all of its rows`,
      'Adopt the tables that inherit; or make it partitioned.',
    );
  const key = findKey(table);
  if (table.kind !== 'table' && !(sayable.views && key !== undefined))
    return refuse(
      `it is a ${table.kind}, and nothing in the database says which column is its key`,
      'If a column is unique and never null, take its type out of the comments at the end of schema.graphql, and put @id on that field and "!" behind its type.',
      'no key',
    );
  if (key === undefined)
    return refuse(
      'it has no primary key, and no unique index over columns that are never null',
      database.dialect === 'postgres'
        ? `ALTER TABLE ${place} ADD PRIMARY KEY (…), and adopt again.`
        : `CREATE UNIQUE INDEX … ON ${place} (…) over columns that are NOT NULL, or create the table again with a primary key, as SQLite adds none; then adopt again.`,
      'no key',
    );
  if (key.length > 1 && !sayable.compositeKeys) return refuse(`its key has ${key.length} columns (${key.join(', ')})`);
  for (const name of key) {
    const column = required(
      table.columns.find((each) => each.name === name),
      name,
    );
    const reason = keyFault(column, table, database);
    if (reason !== undefined) return refuse(`its key ${name} ${reason}`);
  }
  return { key };
}

/** The primary key, else the shortest unique index over columns that are never null. */
function findKey(table: TableDescription): readonly string[] | undefined {
  if (table.primaryKey.length > 0) return table.primaryKey;
  // Columns of a materialized view have no NOT NULL; its unique index is what REFRESH CONCURRENTLY relies on.
  const solid = (name: string): boolean =>
    table.kind === 'materialized view' || table.columns.some((each) => each.name === name && !each.nullable);
  return table.uniques.filter((columns) => columns.every(solid)).toSorted((a, b) => a.length - b.length)[0];
}

/** Scalars that identify an object. */
const KEY_SCALARS = new Set(['String', 'Int', 'BigInt', 'UUID', 'Date', 'DateTime', 'LocalDateTime']);

function keyFault(
  column: ColumnDescription,
  table: TableDescription,
  { dialect }: DatabaseDescription,
): string | undefined {
  if (!column.readable) return 'may not be read by this role';
  const refers = table.foreignKeys.some(({ columns }) => columns.includes(column.name));
  if (!refers && looksSecret(column)) return 'looks like a secret';
  if (column.nullKey === true) return 'is null in some rows';
  if (column.enum !== undefined) return undefined;
  if (column.refused !== undefined) return `cannot be read: ${column.refused}`;
  const found = dialect === 'postgres' ? postgresScalar(column) : sqliteScalar(column);
  if ('reason' in found) return `cannot be read: ${found.reason}`;
  if (column.list || !KEY_SCALARS.has(found.scalar)) return `is of type ${column.type}, which is no key`;
  return undefined;
}

/** Whether the database takes different values for the same key. */
export function isLoose({ table, key }: ChosenTable): boolean {
  return table.columns.some(({ name, loose }) => loose === true && key.includes(name));
}

/** Whether a foreign key refers to the key of its target, in any order. */
export function refersToKey({ targetColumns }: ForeignKeyDescription, key: readonly string[]): boolean {
  return key.length === targetColumns.length && key.every((name) => targetColumns.includes(name));
}

/** A table of two foreign keys that are its key together, and nothing else. They may share a column, but not all of one. */
function joinTableOf(table: TableDescription): JoinTable | undefined {
  const [one, other, ...rest] = table.foreignKeys;
  if (one === undefined || other === undefined || rest.length > 0) return undefined;
  const has = ({ columns }: ForeignKeyDescription, name: string): boolean => columns.includes(name);
  if (!table.columns.every(({ name }) => has(one, name) || has(other, name))) return undefined;
  if (one.columns.every((name) => has(other, name)) || other.columns.every((name) => has(one, name))) return undefined;
  if (table.kind !== 'table' || !table.readable || findKey(table)?.length !== table.columns.length) return undefined;
  return { table, ends: [one, other] };
}
