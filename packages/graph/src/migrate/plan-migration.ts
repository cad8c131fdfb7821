// What must change for a database to hold a model: readable steps with their SQL, and for each whether it could lose
// anything. Not here: running them. Tables that the engine did not make are left alone.
import type { Model } from '../schema/model.ts';
import type { Store } from '../store/store.ts';
import { type Change, count, type MigrationStep, rowsText, safe, type TableFacts } from './change.ts';
import { compareValues, type ValueCheck } from './check-values.ts';
import { addColumn, compareColumn, dropColumn } from './compare-columns.ts';
import { addForeignKey, compareForeignKeys, compareIndexes, isOurIndex } from './compare-keys.ts';
import { createTableSql } from './create-sql.ts';
import { introspect } from './introspect.ts';
import { copySql, rebuildSql } from './rebuild-sql.ts';
import { meaningOf, readStoredSchema, SCHEMA_TABLE, storeSchemaSql } from './stored-schema.ts';
import { quoteName, type TableShape } from './table-shape.ts';
import { tablesOfModel } from './tables-of-model.ts';

/** All changes, in order. `sql` does them all; running a part is not offered. */
export interface MigrationPlan {
  readonly steps: readonly MigrationStep[];
  readonly sql: readonly string[];
}

/** Compares a database with a model. Reads only. */
export async function planMigration(model: Model, store: Store): Promise<MigrationPlan> {
  const { dialect } = store;
  const wanted = tablesOfModel(model, dialect);
  const names = new Set(wanted.map((table) => table.name));
  const present = await introspect(store, [...names]);
  const before = present.has(SCHEMA_TABLE) ? await readStoredSchema(store) : undefined;
  const former = [...(before?.keys() ?? [])].filter((name) => !names.has(name));
  const gone = former.length === 0 ? [] : [...(await introspect(store, former)).keys()];
  const check: ValueCheck = { model, store, before, after: meaningOf(model) };
  const steps: MigrationStep[] = [];
  const first: string[] = [];
  const sql: string[] = [];
  const last: string[] = [];
  for (const table of wanted) {
    const now = present.get(table.name);
    if (now === undefined) {
      steps.push(safe(`create ${table.name}`, `Create table ${table.name}`));
      sql.push(...createTableSql(table, dialect));
      if (dialect === 'postgres') last.push(...table.foreignKeys.map((key) => addForeignKey(table, key)));
      continue;
    }
    const changes = await compareTable(now, table, check, present);
    const shown = changes.filter((change) => change.isPart !== true);
    steps.push(...shown.map(({ name, text, loses, blocked }) => ({ name, text, loses, blocked })));
    first.push(...changes.flatMap((change) => change.first ?? []));
    last.push(...changes.flatMap((change) => change.last ?? []));
    if (changes.some((change) => change.sql === undefined))
      sql.push(...rebuildSql(now, table, changes, await othersOn(store, now), dialect));
    else sql.push(...changes.flatMap((change) => change.sql ?? []));
  }
  for (const name of gone) steps.push(await dropTable(name, before!.get(name)!.of, store));
  if (dialect === 'sqlite') sql.push(...gone.map((name) => `DROP TABLE ${quoteName(name)}`));
  // Together, as they may refer to each other.
  else if (gone.length > 0) sql.push(`DROP TABLE ${gone.map(quoteName).join(', ')}`);
  return { steps, sql: [...first, ...sql, ...last, ...storeSchemaSql(before ?? new Map(), check.after)] };
}

async function dropTable(name: string, of: string, store: Store): Promise<MigrationStep> {
  const rows = await count(store, `SELECT count(*) FROM ${quoteName(name)}`);
  const isPairs = of.includes('.');
  const text = `Drop table ${name} ${isPairs ? `with the pairs of ${of}` : `of type ${of}`}, which the schema does not have`;
  const loses = isPairs
    ? `${rows === 1 ? '1 pair' : `${rows.toLocaleString('en')} pairs`} in ${name}`
    : `${rowsText(rows)} of ${name}`;
  return { name: `drop ${name}`, text, loses, blocked: false };
}

/** Indexes and triggers on a table that somebody else made: they would go with it when SQLite rebuilds it. */
async function othersOn(store: Store, table: TableShape): Promise<readonly string[]> {
  const rows = await store
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE tbl_name = ? AND type IN ('index', 'trigger') AND sql IS NOT NULL",
    )
    .rows([table.name]);
  return (rows as readonly (readonly [string, string])[])
    .filter(([name]) => !isOurIndex(name, table.name))
    .map(([, sql]) => sql);
}

async function compareTable(
  now: TableShape,
  wanted: TableShape,
  check: ValueCheck,
  present: ReadonlyMap<string, TableShape>,
): Promise<readonly Change[]> {
  const { store } = check;
  const facts: TableFacts = {
    store,
    table: quoteName(wanted.name),
    rows: hasSameColumns(now, wanted) ? 0 : await count(store, `SELECT count(*) FROM ${quoteName(wanted.name)}`),
  };
  if (now.primaryKey.join() !== wanted.primaryKey.join()) return [await changeKey(now, wanted, check)];
  const changes: Change[] = [];
  /** Columns that stay: the SQL of the values they will have. */
  const values = new Map<string, string>();
  const retyped = new Set<string>();
  for (const column of wanted.columns) {
    const old = now.columns.find((other) => other.name === column.name);
    if (old === undefined) changes.push(addColumn(column, facts, wanted));
    else {
      changes.push(...(await compareColumn(old, column, facts, wanted.name)));
      values.set(column.name, copySql(old, column, store.dialect));
      if (old.type.toLowerCase() !== column.type.toLowerCase()) retyped.add(`values ${wanted.name}.${column.name}`);
    }
  }
  for (const step of await compareValues(check, wanted.name, values)) {
    // That its type is another has been said.
    if (step.loses === undefined && retyped.has(step.name)) continue;
    changes.push({ ...step, sql: [], first: step.sql });
  }
  for (const old of now.columns) {
    if (!wanted.columns.some((column) => column.name === old.name)) changes.push(await dropColumn(old, facts, wanted));
  }
  changes.push(
    ...(await compareIndexes(now, wanted, facts)),
    ...(await compareForeignKeys(now, wanted, facts, present)),
  );
  return changes;
}

/** Other columns make the key. Only an empty table of pairs can simply be made anew. */
async function changeKey(now: TableShape, wanted: TableShape, { store, after }: ValueCheck): Promise<Change> {
  const step = safe(
    `rekey ${wanted.name}`,
    `Change the key of table ${wanted.name} from ${now.primaryKey.join(', ')} to ${wanted.primaryKey.join(', ')}`,
  );
  const isPairs = after.get(wanted.name)?.of.includes('.') ?? false;
  const table = quoteName(wanted.name);
  const rows = isPairs ? await count(store, `SELECT count(*) FROM ${table}`) : 0;
  if (isPairs && rows === 0) {
    const last = store.dialect === 'postgres' ? wanted.foreignKeys.map((key) => addForeignKey(wanted, key)) : [];
    return { ...step, sql: [`DROP TABLE ${table}`, ...createTableSql(wanted, store.dialect)], last };
  }
  const loses = isPairs
    ? `${rows === 1 ? '1 pair' : `${rows.toLocaleString('en')} pairs`} of the old relation; give the new one another name, or empty the old one first`
    : 'every relation and address by the old key; copy the objects into a new type instead';
  return { ...step, loses, blocked: true, sql: [] };
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
