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
import { first } from '../present.ts';
import { quoteTable } from '../schema/table-name.ts';

/** A table that becomes a type. */
export interface ChosenTable {
  readonly table: TableDescription;
  readonly key: readonly string[];
}

/** A table of pairs: it becomes a list on both of its ends. */
export interface JoinTable {
  readonly table: TableDescription;
  readonly ends: readonly [ForeignKeyDescription, ForeignKeyDescription];
}

export interface ChosenTables {
  /** By nameKey, in the order of the description. */
  readonly types: ReadonlyMap<string, ChosenTable>;
  readonly joins: readonly JoinTable[];
  readonly leftOut: readonly LeftOut[];
}

/** Chooses by keys, rights and kinds. */
export function chooseTables(database: DatabaseDescription, sayable: Sayable): ChosenTables {
  const types = new Map<string, ChosenTable>();
  const leftOut: LeftOut[] = [];
  const possible: JoinTable[] = [];
  for (const table of database.tables) {
    const join = sayable.joinTables ? joinTableOf(table) : undefined;
    if (join !== undefined) {
      possible.push(join);
      continue;
    }
    const chosen = choose(table, database, sayable);
    if ('key' in chosen) types.set(nameKey(table), { table, key: chosen.key });
    else leftOut.push({ table, column: undefined, ...chosen });
  }
  const joins = possible.filter(({ table, ends }) => {
    const gone = ends.find(({ target }) => !types.has(nameKey(target)));
    if (gone === undefined) return true;
    const reason = `it joins ${shownName(gone.target)}, which is left out`;
    leftOut.push({ table, column: undefined, kind: 'not expressible', reason, remedy: undefined });
    return false;
  });
  return { types, joins, leftOut };
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
      `If a column is unique and never null, add the type by hand: type … @entity(table: ${JSON.stringify(sqlName(table))}) @unmanaged @readOnly, with @id on that field.`,
      'no key',
    );
  if (key === undefined)
    return refuse(
      'it has no primary key, and no unique index over columns that are never null',
      `ALTER TABLE ${place} ADD PRIMARY KEY (…), and adopt again.`,
      'no key',
    );
  if (key.length > 1 && !sayable.compositeKeys) return refuse(`its key has ${key.length} columns (${key.join(', ')})`);
  for (const name of key) {
    const column = table.columns.find((each) => each.name === name)!;
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

/** A table of two foreign keys, one column each, that are its key together, and nothing else. */
function joinTableOf(table: TableDescription): JoinTable | undefined {
  const [one, other, ...rest] = table.foreignKeys;
  if (one === undefined || other === undefined || rest.length > 0 || table.columns.length !== 2) return undefined;
  if (one.columns.length !== 1 || other.columns.length !== 1 || first(one.columns) === first(other.columns))
    return undefined;
  if (table.kind !== 'table' || !table.readable || findKey(table)?.length !== 2) return undefined;
  return { table, ends: [one, other] };
}
