// Compares the indexes and foreign keys of a table with those the schema needs: the changes, and what prevents them.
import { type Change, count, rowsText, safe, type TableFacts, valuesText } from './change.ts';
import { isKept } from './column-compatibility.ts';
import { createIndexSql, foreignKeySql } from './create-sql.ts';
import { quoteTable } from '../schema/table-name.ts';
import {
  type ColumnShape,
  type ForeignKeyShape,
  type IndexShape,
  notDeletedSql,
  quoteName,
  storageOfType,
  type TableShape,
} from './table-shape.ts';
import { LONGEST_UNIQUE } from '../write/entity-table.ts';
import { required } from '../present.ts';

/** Indexes: adds missing ones, and drops the engine's own that are no longer needed. */
export async function compareIndexes(
  now: TableShape,
  wanted: TableShape,
  facts: TableFacts,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const index of wanted.indexes) {
    if (now.indexes.some((old) => sameIndex(old, index))) continue;
    const text = `Create ${index.unique ? 'unique ' : ''}index on ${index.columns.join(', ')} of table ${wanted.name}${index.where === undefined ? '' : ` where ${index.where.column} ${index.where.test}`}`;
    const twice = index.unique && hasColumns(now, index) ? await countDuplicates(now, index, facts) : 0;
    const long = index.unique ? await countLong(now, index, facts) : 0;
    const loses =
      twice > 0
        ? `${rowsText(twice)} have a value that another has too; make them differ first`
        : long > 0
          ? `${rowsText(long)} ${long === 1 ? 'has' : 'have'} a text of more than ${LONGEST_UNIQUE} bytes, which a unique one may not have`
          : undefined;
    const sql = [createIndexSql(wanted.name, index)];
    const step = { name: `index ${index.name}`, text, loses, blocked: loses !== undefined, sql };
    changes.push(index.unique ? step : { ...step, isRolling: true });
  }
  for (const old of now.indexes) {
    if (!isOurIndex(old.name, wanted.name) || wanted.indexes.some((index) => sameIndex(old, index))) continue;
    // It belongs to a column that is left alone.
    if (!namesOf(old).every((name) => wanted.columns.some((column) => column.name === name))) continue;
    const text = `Drop ${old.unique ? 'unique ' : ''}index on ${old.columns.join(', ')} of table ${wanted.name}`;
    const sql = [`DROP INDEX ${quoteName(old.name)}`];
    // A non-unique index forbids nothing, and a newer version of the application may need it.
    changes.push({ ...safe(`unindex ${old.name}`, text), optional: !old.unique, sql });
  }
  return changes;
}

/** Whether the engine named the index; others belong to another application. */
export function isOurIndex(name: string, table: string): boolean {
  return name.startsWith(`${table}_`) && /_(?:key|idx|[0-9a-f]{8})$/.test(name);
}

/** Foreign keys. `present`: the existing tables. */
export async function compareForeignKeys(
  now: TableShape,
  wanted: TableShape,
  facts: TableFacts,
  present: ReadonlyMap<string, TableShape>,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const isLite = facts.store.dialect === 'sqlite';
  const drop = (key: ForeignKeyShape): string =>
    `ALTER TABLE ${quoteName(wanted.name)} DROP CONSTRAINT ${quoteName(key.name)}`;
  for (const key of wanted.foreignKeys) {
    const column = now.columns.find((each) => each.name === key.column);
    const wantedColumn = required(
      wanted.columns.find((each) => each.name === key.column),
      key.column,
    );
    const old = now.foreignKeys.find((other) => other.column === key.column);
    if (column === undefined) {
      // On SQLite, a new column includes its foreign key.
      if (!isLite)
        changes.push({ ...referStep(wanted, key), isPart: true, sql: [], last: [addForeignKey(wanted, key)] });
      continue;
    }
    const retyped = !isKept(facts.store.dialect, column, wantedColumn);
    const isSame = old !== undefined && old.targetTable === key.targetTable;
    if (isSame && old.onDelete === key.onDelete) {
      // PostgreSQL cannot change the type on one side of a foreign key.
      if (retyped && !isLite)
        changes.push({
          ...referStep(wanted, key),
          isPart: true,
          sql: [],
          first: [drop(old)],
          last: [addForeignKey(wanted, key)],
        });
      continue;
    }
    const lost = isSame ? NOTHING_LOST : await countLost(wantedColumn, key, old, facts, present);
    const quoted = quoteName(key.column);
    const emptied =
      lost.rows === 0
        ? []
        : [
            `UPDATE ${facts.table} SET ${quoted} = NULL${lost.keep === undefined ? '' : ` WHERE (${lost.keep}) IS NOT TRUE`}`,
          ];
    const foreign = facts.isForeign(key.column);
    changes.push({
      ...referStep(wanted, key),
      loses: lost.rows > 0 && foreign ? `${lost.loses}; change them first, or give the field another type` : lost.loses,
      blocked: lost.rows > 0 && (foreign || !wantedColumn.nullable),
      sql: isLite ? undefined : emptied,
      ...(lost.rows > 0 && { empties: { column: key.column, keep: lost.keep } }),
      ...(!isLite && { first: old === undefined ? [] : [drop(old)], last: [addForeignKey(wanted, key)] }),
    });
  }
  for (const old of now.foreignKeys) {
    if (!wanted.columns.some((column) => column.name === old.column)) continue;
    if (wanted.foreignKeys.some((key) => key.column === old.column)) continue;
    const text = `Let ${wanted.name}.${old.column} no longer refer to ${old.targetTable}`;
    const step = safe(`unrefer ${wanted.name}.${old.column}`, text);
    changes.push(isLite ? { ...step, sql: undefined } : { ...step, sql: [], first: [drop(old)] });
  }
  return changes;
}

function referStep(table: TableShape, key: ForeignKeyShape) {
  const text = `Let ${table.name}.${key.column} refer to ${key.targetTable}, ON DELETE ${key.onDelete}`;
  return safe(`refer ${table.name}.${key.column}`, text);
}

interface Lost {
  readonly rows: number;
  readonly loses: string | undefined;
  /** The condition on values to keep; undefined: none is kept. */
  readonly keep: string | undefined;
}

const NOTHING_LOST: Lost = { rows: 0, loses: undefined, keep: undefined };

/** Keys of another table would refer to unrelated objects. Other values are kept if they are keys. */
async function countLost(
  wanted: ColumnShape,
  key: ForeignKeyShape,
  old: ForeignKeyShape | undefined,
  { store, table, formerName }: TableFacts,
  present: ReadonlyMap<string, TableShape>,
): Promise<Lost> {
  const target = present.get(key.targetTable);
  const targetKey = target?.columns.find((each) => each.name === key.targetColumn);
  const keepOf = (column: string): string | undefined => {
    if (old !== undefined || targetKey === undefined) return undefined;
    // Compared as text, since the types may change to match.
    const same = `CAST(k.${quoteName(key.targetColumn)} AS TEXT) = CAST(${table}.${quoteName(column)} AS TEXT)`;
    return `EXISTS (SELECT 1 FROM ${quoteTable(key.targetTable)} k WHERE ${same})`;
  };
  const keep = keepOf(key.column);
  const column = formerName(key.column);
  const where = `${table}.${quoteName(column)} IS NOT NULL${keep === undefined ? '' : ` AND NOT ${keepOf(column)}`}`;
  const rows = await count(store, `SELECT count(*) FROM ${table} WHERE ${where}`);
  if (rows === 0) return NOTHING_LOST;
  const what = old === undefined ? `no ${rows === 1 ? 'key' : 'keys'} there` : `keys of ${old.targetTable}`;
  const lost = `${valuesText(rows)} that ${rows === 1 ? 'is' : 'are'} ${what}`;
  return { rows, keep, loses: wanted.nullable ? lost : `${lost}; change them first, or make the field nullable` };
}

/** The statement that adds one to an existing table. */
export function addForeignKey(table: TableShape, key: TableShape['foreignKeys'][number]): string {
  return `ALTER TABLE ${quoteName(table.name)} ADD ${foreignKeySql(key)}`;
}

/** Whether two indexes are equivalent. */
export function sameIndex(one: IndexShape, other: IndexShape): boolean {
  if (one.unique !== other.unique || one.columns.join() !== other.columns.join()) return false;
  return one.where?.column === other.where?.column && one.where?.test === other.where?.test;
}

/** The columns that an index depends on. */
export function namesOf({ columns, where }: IndexShape): readonly string[] {
  return where === undefined ? columns : [...columns, where.column];
}

function hasColumns(table: TableShape, index: IndexShape): boolean {
  return index.columns.every((name) => table.columns.some((column) => column.name === name));
}

function countDuplicates(now: TableShape, { columns: names, where }: IndexShape, facts: TableFacts): Promise<number> {
  const columns = names.map((name) => quoteName(facts.formerName(name)));
  const conditions = columns.map((column) => `${column} IS NOT NULL`);
  // Without the column of its condition, every row satisfies it.
  if (where !== undefined && now.columns.some(({ name }) => name === where.column))
    conditions.push(notDeletedSql({ ...where, column: facts.formerName(where.column) }));
  const filled = conditions.join(' AND ');
  return count(
    facts.store,
    `SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM ${facts.table} WHERE ${filled} ` +
      `GROUP BY ${columns.join(', ')} HAVING count(*) > 1) AS d`,
  );
}

async function countLong(
  now: TableShape,
  index: IndexShape,
  { store, table, formerName }: TableFacts,
): Promise<number> {
  const texts = now.columns.filter(
    ({ name, type }) => index.columns.includes(name) && storageOfType(store.dialect, type) === 'text',
  );
  if (texts.length === 0) return 0;
  const long = texts.map(({ name }) => `octet_length(${quoteName(formerName(name))}) > ${LONGEST_UNIQUE}`).join(' OR ');
  return count(store, `SELECT count(*) FROM ${table} WHERE ${long}`);
}
