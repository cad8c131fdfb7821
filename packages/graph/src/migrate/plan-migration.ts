// What must change for a database to hold a model: readable steps with their SQL, and for each whether it could lose
// anything. Not here: running them. Tables the model does not know are left alone; they may be somebody else's.
import type { Model } from '../schema/model.ts';
import type { Store } from '../store/store.ts';
import { convertColumn } from './convert-column.ts';
import { columnSql, createBareTableSql, createIndexSql, createTableSql, foreignKeySql } from './create-sql.ts';
import { introspect } from './introspect.ts';
import { type ColumnShape, type Dialect, type IndexShape, quoteName, type TableShape } from './table-shape.ts';
import { tablesOfModel } from './tables-of-model.ts';

/** One change, as people read it. */
export interface MigrationStep {
  /** How the step is allowed by name: `drop photos.description`. */
  readonly name: string;
  /** `Drop column description of table photos`. */
  readonly text: string;
  /** What would be lost, or why it cannot be done to the data as it is; undefined when the step is safe. */
  readonly loses: string | undefined;
  /** True when no permission helps: the data must be changed first. */
  readonly blocked: boolean;
}

/** All changes, in order. `sql` does them all; running a part is not offered. */
export interface MigrationPlan {
  readonly steps: readonly MigrationStep[];
  readonly sql: readonly string[];
}

/** A step and what it takes on its table; undefined SQL means the table must be rebuilt. */
interface Change extends MigrationStep {
  readonly sql: readonly string[] | undefined;
  /** What must wait until every table and column exists (PostgreSQL's foreign keys). */
  readonly last?: readonly string[];
}

/** Compares a database with a model. Reads only. */
export async function planMigration(model: Model, store: Store): Promise<MigrationPlan> {
  const wanted = tablesOfModel(model, store.dialect);
  const present = await introspect(
    store,
    wanted.map((table) => table.name),
  );
  const steps: MigrationStep[] = [];
  const sql: string[] = [];
  const references: string[] = [];
  for (const table of wanted) {
    const now = present.get(table.name);
    if (now === undefined) {
      steps.push(safe(`create ${table.name}`, `Create table ${table.name}`));
      sql.push(...createTableSql(table, store.dialect));
      if (store.dialect === 'postgres') references.push(...table.foreignKeys.map((key) => addForeignKey(table, key)));
      continue;
    }
    const changes = await compareTable(now, table, store);
    references.push(...changes.flatMap((change) => change.last ?? []));
    steps.push(...changes.map(({ name, text, loses, blocked }) => ({ name, text, loses, blocked })));
    if (changes.some((change) => change.sql === undefined)) sql.push(...rebuildSql(now, table, store.dialect));
    else sql.push(...changes.flatMap((change) => change.sql ?? []));
  }
  return { steps, sql: [...sql, ...references] };
}

async function compareTable(now: TableShape, wanted: TableShape, store: Store): Promise<readonly Change[]> {
  const facts: TableFacts = {
    store,
    table: quoteName(wanted.name),
    rows: hasSameColumns(now, wanted) ? 0 : await count(store, `SELECT count(*) FROM ${quoteName(wanted.name)}`),
  };
  const changes: Change[] = [];
  if (now.primaryKey.join() !== wanted.primaryKey.join()) {
    changes.push({
      name: `rekey ${wanted.name}`,
      text: `Change the key of table ${wanted.name} from ${now.primaryKey.join(', ')} to ${wanted.primaryKey.join(', ')}`,
      loses: 'every relation and address by the old key',
      blocked: true,
      sql: [],
    });
    return changes;
  }
  for (const column of wanted.columns) {
    const old = now.columns.find((other) => other.name === column.name);
    if (old === undefined) changes.push(addColumn(column, facts, wanted));
    else changes.push(...(await compareColumn(old, column, facts, wanted.name)));
  }
  for (const old of now.columns) {
    if (!wanted.columns.some((column) => column.name === old.name)) changes.push(await dropColumn(old, facts, wanted));
  }
  changes.push(...(await compareIndexes(now, wanted, facts)), ...compareForeignKeys(now, wanted, store.dialect));
  return changes;
}

/** Counting reads a whole table, which a start of an unchanged schema need not do: only a change of columns asks for it. */
function hasSameColumns(now: TableShape, wanted: TableShape): boolean {
  return (
    now.columns.length === wanted.columns.length &&
    wanted.columns.every((column) =>
      now.columns.some((old) => old.name === column.name && old.type.toLowerCase() === column.type.toLowerCase()),
    )
  );
}

interface TableFacts {
  readonly store: Store;
  /** Quoted. */
  readonly table: string;
  /** Rows of the table; 0 when its columns stay as they are. */
  readonly rows: number;
}

function addColumn(column: ColumnShape, facts: TableFacts, table: TableShape): Change {
  const { dialect } = facts.store;
  const name = `add ${table.name}.${column.name}`;
  const text = `Add column ${column.name} (${column.type}${column.nullable ? '' : ', required'}) to table ${table.name}`;
  const missing = !column.nullable && column.fill === undefined && facts.rows > 0;
  if (missing) {
    const loses = `${rowsText(facts.rows)} would have no value; make the field nullable or give it a literal @default`;
    return { name, text, loses, blocked: true, sql: [] };
  }
  const start = `ALTER TABLE ${facts.table} ADD COLUMN ${columnSql(column, dialect)}`;
  if (column.nullable || dialect === 'postgres') {
    const key = table.foreignKeys.find((other) => other.column === column.name);
    // SQLite takes the foreign key only together with the column.
    const reference =
      dialect === 'sqlite' && key !== undefined ? ` ${foreignKeySql(key).replace(/ FOREIGN KEY \([^)]*\)/, '')}` : '';
    const fill = column.fill === undefined ? '' : ` DEFAULT ${column.fill}`;
    const sql = [`${start}${reference}${dialect === 'postgres' ? fill : ''}`];
    if (dialect === 'postgres' && fill !== '') {
      sql.push(`ALTER TABLE ${facts.table} ALTER COLUMN ${quoteName(column.name)} DROP DEFAULT`);
    } else if (dialect === 'sqlite' && column.fill !== undefined) {
      sql.push(`UPDATE ${facts.table} SET ${quoteName(column.name)} = ${column.fill}`);
    }
    return { ...safe(name, text), sql };
  }
  return { ...safe(name, text), sql: undefined };
}

async function compareColumn(
  old: ColumnShape,
  column: ColumnShape,
  facts: TableFacts,
  table: string,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const quoted = quoteName(column.name);
  const alter = `ALTER TABLE ${facts.table} ALTER COLUMN ${quoted}`;
  const onPostgres = (sql: string): readonly string[] | undefined =>
    facts.store.dialect === 'postgres' ? [`${alter} ${sql}`] : undefined;
  if (old.type.toLowerCase() !== column.type.toLowerCase()) {
    const { fits, value } = convertColumn(facts.store.dialect, old.type, column.type, quoted);
    const misfits = await count(
      facts.store,
      `SELECT count(*) FROM ${facts.table} WHERE ${quoted} IS NOT NULL AND (${fits}) IS NOT TRUE`,
    );
    // Where a value is required, nothing can take the place of one that does not fit.
    const blocked = misfits > 0 && !column.nullable;
    const lost = `${valuesText(misfits)} in ${table}.${column.name} that ${misfits === 1 ? 'is' : 'are'} no ${column.type}`;
    changes.push({
      name: `retype ${table}.${column.name}`,
      text: `Change column ${column.name} of table ${table} from ${old.type} to ${column.type}`,
      loses: misfits === 0 ? undefined : blocked ? `${lost}; change them first, or make the field nullable` : lost,
      blocked,
      sql: onPostgres(`TYPE ${column.type} USING (CASE WHEN ${fits} THEN ${value} END)::${column.type}`),
    });
  }
  if (old.nullable && !column.nullable) {
    const empty = await count(facts.store, `SELECT count(*) FROM ${facts.table} WHERE ${quoted} IS NULL`);
    const text = `Require a value in column ${column.name} of table ${table}`;
    const loses =
      empty === 0
        ? undefined
        : `${rowsText(empty)} ${empty === 1 ? 'has' : 'have'} no value there; give ${empty === 1 ? 'it' : 'them'} one first`;
    changes.push({
      name: `require ${table}.${column.name}`,
      text,
      loses,
      blocked: loses !== undefined,
      sql: onPostgres('SET NOT NULL'),
    });
  }
  if (!old.nullable && column.nullable) {
    const text = `Allow no value in column ${column.name} of table ${table}`;
    changes.push({ ...safe(`loosen ${table}.${column.name}`, text), sql: onPostgres('DROP NOT NULL') });
  }
  return changes;
}

async function dropColumn(old: ColumnShape, facts: TableFacts, table: TableShape): Promise<Change> {
  const filled = await count(
    facts.store,
    `SELECT count(*) FROM ${facts.table} WHERE ${quoteName(old.name)} IS NOT NULL`,
  );
  return {
    name: `drop ${table.name}.${old.name}`,
    text: `Drop column ${old.name} of table ${table.name}, which the schema does not have`,
    loses: `${valuesText(filled)} in ${table.name}.${old.name}`,
    blocked: false,
    sql:
      facts.store.dialect === 'postgres'
        ? [`ALTER TABLE ${facts.table} DROP COLUMN ${quoteName(old.name)}`]
        : undefined,
  };
}

async function compareIndexes(now: TableShape, wanted: TableShape, facts: TableFacts): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const index of wanted.indexes) {
    if (now.indexes.some((old) => sameIndex(old, index))) continue;
    const text = `Create ${index.unique ? 'unique ' : ''}index on ${index.columns.join(', ')} of table ${wanted.name}`;
    const twice = index.unique && hasColumns(now, index) ? await countDuplicates(index, facts) : 0;
    const loses =
      twice === 0 ? undefined : `${rowsText(twice)} have a value that another has too; make them differ first`;
    const sql = [createIndexSql(wanted.name, index)];
    changes.push({ name: `index ${index.name}`, text, loses, blocked: twice > 0, sql });
  }
  for (const old of now.indexes) {
    // Only indexes this engine named: others belong to whoever made them.
    const ours = old.name.startsWith(`${wanted.name}_`) && /_(?:key|idx|[0-9a-f]{8})$/.test(old.name);
    if (!ours || wanted.indexes.some((index) => sameIndex(old, index))) continue;
    const text = `Drop ${old.unique ? 'unique ' : ''}index on ${old.columns.join(', ')} of table ${wanted.name}`;
    changes.push({ ...safe(`unindex ${old.name}`, text), sql: [`DROP INDEX ${quoteName(old.name)}`] });
  }
  return changes;
}

function compareForeignKeys(now: TableShape, wanted: TableShape, dialect: Dialect): readonly Change[] {
  const changes: Change[] = [];
  for (const key of wanted.foreignKeys) {
    // A column that is new brings its foreign key along on SQLite.
    const isNew = !now.columns.some((column) => column.name === key.column);
    const old = now.foreignKeys.find((other) => other.column === key.column);
    if (
      old === undefined
        ? isNew && dialect === 'sqlite'
        : old.targetTable === key.targetTable && old.onDelete === key.onDelete
    ) {
      continue;
    }
    const text = `Let ${wanted.name}.${key.column} refer to ${key.targetTable}, ON DELETE ${key.onDelete}`;
    const drop =
      old === undefined ? [] : [`ALTER TABLE ${quoteName(wanted.name)} DROP CONSTRAINT ${quoteName(old.name)}`];
    const step = safe(`refer ${wanted.name}.${key.column}`, text);
    if (dialect === 'sqlite') changes.push({ ...step, sql: undefined });
    else changes.push({ ...step, sql: drop, last: [addForeignKey(wanted, key)] });
  }
  return changes;
}

// SQLite, "Making Other Kinds Of Table Schema Changes": make the new table, copy, drop the old one, rename.
function rebuildSql(now: TableShape, wanted: TableShape, dialect: Dialect): string[] {
  const temporary = `lockstitch_new_${wanted.name}`;
  const columns: string[] = [];
  const values: string[] = [];
  for (const column of wanted.columns) {
    const old = now.columns.find((other) => other.name === column.name);
    if (old === undefined && column.fill === undefined) continue;
    columns.push(quoteName(column.name));
    values.push(old === undefined ? column.fill! : copySql(old, column, dialect));
  }
  return [
    createBareTableSql(wanted, temporary, dialect),
    `INSERT INTO ${quoteName(temporary)} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${quoteName(wanted.name)}`,
    `DROP TABLE ${quoteName(wanted.name)}`,
    `ALTER TABLE ${quoteName(temporary)} RENAME TO ${quoteName(wanted.name)}`,
    ...wanted.indexes.map((index) => createIndexSql(wanted.name, index)),
  ];
}

function copySql(old: ColumnShape, column: ColumnShape, dialect: Dialect): string {
  const quoted = quoteName(column.name);
  if (old.type.toLowerCase() === column.type.toLowerCase()) return quoted;
  const { fits, value } = convertColumn(dialect, old.type, column.type, quoted);
  return `CASE WHEN ${fits} THEN ${value} END`;
}

function addForeignKey(table: TableShape, key: TableShape['foreignKeys'][number]): string {
  return `ALTER TABLE ${quoteName(table.name)} ADD ${foreignKeySql(key)}`;
}

function safe(name: string, text: string): MigrationStep {
  return { name, text, loses: undefined, blocked: false };
}

function sameIndex(one: IndexShape, other: IndexShape): boolean {
  return one.unique === other.unique && one.columns.join() === other.columns.join();
}

function hasColumns(table: TableShape, index: IndexShape): boolean {
  return index.columns.every((name) => table.columns.some((column) => column.name === name));
}

function countDuplicates(index: IndexShape, facts: TableFacts): Promise<number> {
  const columns = index.columns.map(quoteName);
  const filled = columns.map((column) => `${column} IS NOT NULL`).join(' AND ');
  return count(
    facts.store,
    `SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM ${facts.table} WHERE ${filled} ` +
      `GROUP BY ${columns.join(', ')} HAVING count(*) > 1) AS d`,
  );
}

async function count(store: Store, sql: string): Promise<number> {
  return Number(await store.prepare(sql).text([]));
}

function valuesText(values: number): string {
  return values === 1 ? '1 value' : `${values} values`;
}

function rowsText(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}
