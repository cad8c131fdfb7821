// Plans the migration of a database to a model: readable steps with SQL, and the data each could lose. Not here:
// applying them. Tables of other applications are left alone.
import type { CapturePlan } from '../capture/capture-plan.ts';
import { planCapture } from '../capture/plan-capture.ts';
import { FEED_TABLE } from '../feed/feed-tables.ts';
import type { Entity, Model } from '../schema/model.ts';
import type { Store } from '../store/store.ts';
import {
  type Change,
  count,
  type MigrationStep,
  rolling,
  rowsText,
  safe,
  type TableFacts,
  valuesText,
} from './change.ts';
import { formerNames, renameColumns, type Renaming, withRenamedColumns } from './rename-columns.ts';
import { findTableRenamings, renameTables, withFormerTables } from './rename-tables.ts';
import { checkUnmanaged, withUnmanaged } from './check-unmanaged.ts';
import { compareValues, type ValueCheck } from './check-values.ts';
import { addColumn, compareColumn, dropColumn } from './compare-columns.ts';
import { columnCompatibility } from './column-compatibility.ts';
import { addForeignKey, compareForeignKeys, compareIndexes, isOurIndex, namesOf, sameIndex } from './compare-keys.ts';
import { createTableSql } from './create-sql.ts';
import { introspect, otherRelations, withoutOthers } from './introspect.ts';
import { checkSchemaRights } from './missing-rights.ts';
import { copySql, rebuildSql, standingOn } from './rebuild-sql.ts';
import { compareSoftDelete, softDeletesOf } from './soft-deletes.ts';
import {
  meaningOf,
  meaningOfLeft,
  readStoredSchema,
  SCHEMA_TABLE,
  type Stored,
  storeSchemaSql,
  type TableMeaning,
} from './stored-schema.ts';
import { type ColumnShape, composeName, type IndexShape, quoteName, type TableShape } from './table-shape.ts';
import { tablesOfModel } from './tables-of-model.ts';
import { lookUp } from '../present.ts';

/** All changes, in order. `sql` applies all of them; applying a part is not supported. */
export interface MigrationPlan {
  readonly steps: readonly MigrationStep[];
  readonly sql: readonly string[];
  /** Harmless differences from the schema; left unchanged unless named. */
  readonly optional: readonly MigrationStep[];
}

/** Options of planning. */
export interface PlanOptions {
  /** Optional steps to apply, by name; default none. */
  readonly allow?: readonly string[];
  /** Whether optional steps count the values they would lose, which reads whole tables; default true. */
  readonly counts?: boolean;
}

/** Compares a database with a model. Reads only. */
export async function planMigration(model: Model, store: Store, options: PlanOptions = {}): Promise<MigrationPlan> {
  const renamings = await findTableRenamings(model, store);
  const renamed = new Map([...renamings].map(([name, former]) => [former, name]));
  const plan = await planTables(withFormerTables(model, renamings), store, options, renamed);
  const { steps, sql } = renamings.size === 0 ? { steps: [], sql: [] } : await renameTables(model, store, renamings);
  return {
    steps: [...steps, ...plan.steps],
    sql: [...plan.sql, ...sql, ...plan.afterRenaming],
    optional: plan.optional,
  };
}

async function planTables(
  model: Model,
  store: Store,
  { allow = [], counts = true }: PlanOptions,
  renamed: ReadonlyMap<string, string>,
): Promise<MigrationPlan & Pick<CapturePlan, 'afterRenaming'>> {
  const { dialect } = store;
  const all = tablesOfModel(model, dialect);
  const unmanaged = all.filter((table) => table.unmanaged === true);
  const wanted = all.filter((table) => table.unmanaged !== true);
  const database = await readDatabase(store, wanted, unmanaged);
  const { renamings, present, stored, before } = database;
  const softDeletes = softDeletesOf(model);
  // Without a stored schema, the feed shows that an earlier version of the engine created the database.
  const isAdopted = (table: string, column: string): boolean => {
    if (before === undefined) return !present.has(FEED_TABLE);
    const meant = before.get(table);
    return meant === undefined ? !table.startsWith('lockstitch_') : !Object.hasOwn(meant.columns, column);
  };
  const check: ValueCheck = { model, store, before, after: meaningOf(model), isAdopted };
  const draft = new Draft(allow);
  for (const renaming of renamings.values()) {
    draft.steps.push(...renaming.steps);
    draft.first.push(...renaming.sql);
  }
  draft.steps.push(...checkUnmanaged(unmanaged, present, dialect));
  for (const entity of model.entities.values()) await planSoftDelete(draft, entity, database, store);
  // Beside unmanaged tables, the engine's own have a schema of their own, unless they are already elsewhere.
  const own = await schemaOfOwnTables(store, unmanaged.length > 0);
  const ownSchema = own?.isCurrent === false ? own.name : undefined;
  const created = new Set(wanted.filter(({ name }) => !present.has(name)).map(({ name }) => placeOf(name, own)));
  for (const schema of dialect === 'postgres' ? created : []) {
    const { exists, refused } = await checkSchemaRights(store, schema);
    if (refused !== undefined) draft.steps.push(refused);
    // For a schema that exists, IF NOT EXISTS needs the right to create one, too.
    else if (!exists && schema === ownSchema) draft.first.push(`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`);
  }
  const names = new Set(wanted.map((table) => table.name));
  const changed = new Set<string>(renamings.keys());
  for (const asked of wanted) {
    const now = present.get(asked.name);
    if (renamings.get(asked.name)?.steps.some(({ blocked }) => blocked) === true) continue;
    if (now === undefined) {
      planTable(draft, asked, { dialect, ownSchema, stranger: database.strangers.get(asked.name) });
      continue;
    }
    const table = withUnmanaged(asked, now, draft.steps, { dialect, unmanaged });
    const formerName = formerNames(renamings.get(asked.name));
    const changes = await compareTable(now, table, check, { present, counts, wanted: names, formerName });
    if (changes.some((change) => draft.isChosen(change))) changed.add(table.name);
    await planChanges(draft, now, table, changes, check);
  }
  await planDrops(draft, database, store, counts);
  const capture = await planCapture(model, store, {
    wanted: new Map(all.map((table) => [table.name, table])),
    present,
    changed,
    schema: own?.name,
    renamed,
  });
  const meaning = new Map([...check.after, ...draft.kept]);
  const kept = [...stored.softDeletes].filter(([name]) => draft.kept.has(name) && !check.after.has(name));
  const tables = [...capture.first, ...draft.first, ...draft.sql, ...draft.last, ...capture.last];
  return {
    steps: [...draft.steps, ...capture.steps],
    sql: [...tables, ...storeSchemaSql(stored, { tables: meaning, softDeletes: new Map([...kept, ...softDeletes]) })],
    optional: [...draft.optional, ...capture.optional],
    afterRenaming: capture.afterRenaming,
  };
}

/** A plan while it is made. */
class Draft {
  readonly steps: MigrationStep[] = [];
  readonly optional: MigrationStep[] = [];
  readonly first: string[] = [];
  readonly sql: string[] = [];
  readonly last: string[] = [];
  /** What columns and tables mean that stay though the schema does not have them. */
  readonly kept = new Map<string, TableMeaning>();
  readonly #allow: readonly string[];

  constructor(allow: readonly string[]) {
    this.#allow = allow;
  }

  isChosen(step: MigrationStep): boolean {
    return step.optional !== true || this.#allow.includes(step.name);
  }

  note(step: MigrationStep): void {
    const { name, text, loses, blocked, isRolling = false } = step;
    const noted = { name, text, loses, blocked, ...(isRolling ? { isRolling } : {}) };
    if (step.optional !== true) this.steps.push(noted);
    else (this.isChosen(step) ? this.steps : this.optional).push({ ...noted, optional: true });
  }
}

/** What a database has of the tables of a model, and what it was made for. */
interface FoundDatabase {
  readonly renamings: ReadonlyMap<string, Renaming>;
  /** Tables of the model, with the new names of columns. */
  readonly present: ReadonlyMap<string, TableShape>;
  readonly stored: Stored;
  /** The stored schema with the new names; undefined if there is none. */
  readonly before: ReadonlyMap<string, TableMeaning> | undefined;
  /** Tables of the stored schema that the model does not have. */
  readonly gone: readonly string[];
  /** What else has the name of a table of the model. */
  readonly strangers: ReadonlyMap<string, string>;
}

async function readDatabase(
  store: Store,
  wanted: readonly TableShape[],
  unmanaged: readonly TableShape[],
): Promise<FoundDatabase> {
  const names = wanted.map((table) => table.name);
  const others = unmanaged.map((table) => table.name);
  const found = await introspect(store, names, others);
  const renamings = new Map<string, Renaming>();
  for (const table of wanted) {
    const now = found.get(table.name);
    const renaming = now === undefined ? undefined : renameColumns(table, now, store.dialect);
    if (renaming !== undefined) renamings.set(table.name, renaming);
  }
  const present = new Map([...found].map(([name, now]) => [name, renamings.get(name)?.now ?? now]));
  const stored: Stored = present.has(SCHEMA_TABLE)
    ? await readStoredSchema(store)
    : { tables: new Map(), softDeletes: new Map() };
  const known = new Set([...names, ...others]);
  const former = [...stored.tables.keys()].filter((name) => !known.has(name));
  return {
    renamings,
    present,
    stored,
    before: present.has(SCHEMA_TABLE) ? withRenamedColumns(stored.tables, renamings) : undefined,
    gone: await withoutOthers(store, [...(await introspect(store, former)).keys()], others),
    strangers: names.every((name) => present.has(name)) ? new Map() : await otherRelations(store, new Set(names)),
  };
}

/** Plans a table that the database does not have. */
function planTable(draft: Draft, table: TableShape, { dialect, ownSchema, stranger }: NewTable): void {
  if (stranger !== undefined) {
    const loses = `${/^[aeiou]/.test(stranger) ? 'an' : 'a'} ${stranger} of that name is there, and only tables can be written; give the type another table with @entity(table: …), or rename the ${stranger}`;
    draft.steps.push({ ...safe(`create ${table.name}`, `Create table ${table.name}`), loses, blocked: true });
    return;
  }
  const schema = table.name.startsWith('lockstitch_') ? ownSchema : undefined;
  const name = schema === undefined ? table.name : `${schema}.${table.name}`;
  draft.steps.push(rolling(`create ${table.name}`, `Create table ${name}`));
  draft.sql.push(...createTableSql({ ...table, name }, dialect));
  if (dialect === 'postgres') draft.last.push(...table.foreignKeys.map((key) => addForeignKey(table, key)));
}

interface NewTable {
  readonly dialect: Store['dialect'];
  /** The schema of the engine's own tables, where it is not the current one. */
  readonly ownSchema: string | undefined;
  readonly stranger: string | undefined;
}

/** Plans the changes of a table, in place or by rebuilding it. */
async function planChanges(
  draft: Draft,
  now: TableShape,
  table: TableShape,
  all: readonly Change[],
  { store, before, after }: ValueCheck,
): Promise<void> {
  for (const change of all) if (change.isPart !== true) draft.note(change);
  const changes = all.filter((change) => draft.isChosen(change));
  draft.first.push(...changes.flatMap((change) => change.first ?? []));
  draft.last.push(...changes.flatMap((change) => change.last ?? []));
  const dropped = new Set(changes.map(({ name }) => name));
  const left = now.columns.filter(
    (column) => isUnknown(column, table) && !dropped.has(`drop ${table.name}.${column.name}`),
  );
  const meant = before?.get(table.name);
  const waiting = all.flatMap((change) => (change.holds === undefined || draft.isChosen(change) ? [] : [change.holds]));
  if (meant !== undefined && left.length + waiting.length > 0) {
    const names = left.map((column) => column.name);
    draft.kept.set(table.name, meaningOfLeft(lookUp(after, table.name), meant, names, waiting));
  }
  if (!changes.some((change) => change.sql === undefined)) {
    draft.sql.push(...changes.flatMap((change) => change.sql ?? []));
    return;
  }
  const others = await standingOn(store, now);
  if (others.obstacle !== undefined) {
    const text = `Rebuild table ${table.name} for the changes of its columns`;
    draft.steps.push({ ...safe(`rebuild ${table.name}`, text), loses: others.obstacle, blocked: true });
  }
  const indexes = now.indexes.filter(
    (index) => isOurIndex(index.name, table.name) && !dropped.has(`unindex ${index.name}`),
  );
  draft.sql.push(...rebuildSql(now, withLeft(now, table, left, indexes), changes, others.sql, store.dialect));
}

/** Plans a change of which rows are deleted. */
async function planSoftDelete(
  draft: Draft,
  entity: Entity,
  { present, renamings, stored, before }: FoundDatabase,
  store: Store,
): Promise<void> {
  const now = present.get(entity.table);
  if (now === undefined) return;
  const renaming = renamings.get(entity.table);
  // Of a managed table without soft deletion, only its meaning is stored.
  const former =
    before?.has(entity.table) === true
      ? (stored.softDeletes.get(entity.table) ?? null)
      : stored.softDeletes.get(entity.table);
  const renamed = former && { ...former, column: renaming?.names.get(former.column) ?? former.column };
  const step = await compareSoftDelete(store, entity, { now, before: renamed, formerName: formerNames(renaming) });
  if (step !== undefined) draft.note(step);
}

/** Plans what becomes of tables that the model no longer has. */
async function planDrops(draft: Draft, { gone, stored }: FoundDatabase, store: Store, counts: boolean): Promise<void> {
  const dropped: string[] = [];
  for (const name of gone) {
    const meaning = lookUp(stored.tables, name);
    const step = await dropTable(name, meaning.of, store, counts);
    draft.note(step);
    if (draft.isChosen(step)) dropped.push(name);
    else draft.kept.set(name, meaning);
  }
  if (store.dialect === 'sqlite') draft.sql.push(...dropped.map((name) => `DROP TABLE ${quoteName(name)}`));
  // Together, since they may refer to each other.
  else if (dropped.length > 0) draft.sql.push(`DROP TABLE ${dropped.map(quoteName).join(', ')}`);
}

/** The schema of PostgreSQL that a new table goes to. */
function placeOf(table: string, own: OwnSchema | undefined): string {
  return (table.startsWith('lockstitch_') ? own?.name : own?.current) ?? '';
}

/** The schema of the engine's own tables, and the one that all others go to. */
interface OwnSchema {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly current: string;
}

/** Where the engine's own tables are or will be; undefined on SQLite, which has no schemas. */
async function schemaOfOwnTables(store: Store, isBesideOthers: boolean): Promise<OwnSchema | undefined> {
  if (store.dialect === 'sqlite') return undefined;
  const [[found, current] = []] = await store
    .prepare(
      `SELECT (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('${SCHEMA_TABLE}')), current_schema()`,
    )
    .rows([]);
  const fresh = isBesideOthers ? store.ownSchema : undefined;
  const name = String(found ?? fresh ?? current);
  return { name, isCurrent: name === current, current: String(current) };
}

function isUnknown(column: ColumnShape, wanted: TableShape): boolean {
  return !wanted.columns.some((other) => other.name === column.name);
}

/** A table as SQLite rebuilds it: with columns unknown to the schema, their keys, and the remaining indexes. */
function withLeft(
  now: TableShape,
  wanted: TableShape,
  left: readonly ColumnShape[],
  indexes: readonly IndexShape[],
): TableShape {
  const isThere = (name: string): boolean => [...wanted.columns, ...left].some((column) => column.name === name);
  const isNew = (index: IndexShape): boolean =>
    !wanted.indexes.some((other) => other.name === index.name || sameIndex(other, index));
  return {
    ...wanted,
    columns: [...wanted.columns, ...left],
    indexes: [...wanted.indexes, ...indexes.filter((index) => isNew(index) && namesOf(index).every(isThere))],
    foreignKeys: [
      ...wanted.foreignKeys,
      ...now.foreignKeys
        .filter((key) => left.some((column) => column.name === key.column))
        .map((key) => ({ ...key, name: composeName(wanted.name, key.column, 'fkey') })),
    ],
  };
}

async function dropTable(name: string, of: string, store: Store, counts: boolean): Promise<MigrationStep> {
  const rows = counts ? await count(store, `SELECT count(*) FROM ${quoteName(name)}`) : undefined;
  const isPairs = of.includes('.');
  const text = `Drop table ${name} ${isPairs ? `with the pairs of ${of}` : `of type ${of}`}, which the schema does not have`;
  const loses =
    rows === undefined
      ? `the ${isPairs ? 'pairs' : 'rows'} of ${name}`
      : isPairs
        ? `${rows === 1 ? '1 pair' : `${rows.toLocaleString('en')} pairs`} in ${name}`
        : `${rowsText(rows)} of ${name}`;
  return { name: `drop ${name}`, text, loses, blocked: false, optional: true };
}

async function compareTable(
  now: TableShape,
  wanted: TableShape,
  check: ValueCheck,
  around: {
    readonly present: ReadonlyMap<string, TableShape>;
    readonly counts: boolean;
    readonly wanted: ReadonlySet<string>;
    readonly formerName: (column: string) => string;
  },
): Promise<readonly Change[]> {
  const { store } = check;
  const hasAll = wanted.columns.every((column) => now.columns.some(({ name }) => name === column.name));
  const facts: TableFacts = {
    store,
    table: quoteName(wanted.name),
    // Counting reads the whole table; a start with an unchanged schema does not need it.
    rows: hasAll ? 0 : await count(store, `SELECT count(*) FROM ${quoteName(wanted.name)}`),
    counts: around.counts,
    wanted: around.wanted,
    formerName: around.formerName,
    // A relation of the engine has a foreign key.
    isForeign: (column) =>
      check.isAdopted(wanted.name, column) &&
      (check.before?.has(wanted.name) !== true || !now.foreignKeys.some((key) => key.column === column)),
  };
  const changes: Change[] = [];
  if (now.primaryKey.length === 0 && hasAll) changes.push(await addKey(wanted, facts));
  else if (now.primaryKey.join() !== wanted.primaryKey.join()) return [await changeKey(now, wanted, check)];
  /** Columns that stay: the SQL of their future values. */
  const values = new Map<string, string>();
  const retyped = new Set<string>();
  for (const column of wanted.columns) {
    const old = now.columns.find((other) => other.name === column.name);
    if (old === undefined) changes.push(addColumn(column, facts, wanted));
    else {
      const ofColumn = await compareColumn(old, column, facts, wanted.name);
      changes.push(...ofColumn);
      // An expression that fails has no values to check.
      if (column.using !== undefined && ofColumn.some(({ blocked }) => blocked)) continue;
      const fate = columnCompatibility(store.dialect, old, column);
      if (fate.kind !== 'refused')
        values.set(column.name, copySql(old, { ...column, name: around.formerName(column.name) }, store.dialect));
      if (fate.kind !== 'kept') retyped.add(`values ${wanted.name}.${column.name}`);
    }
  }
  for (const step of await compareValues(check, wanted.name, values)) {
    // The different type has been reported.
    if (step.loses === undefined && retyped.has(step.name)) continue;
    changes.push({ ...step, sql: [], first: step.sql });
  }
  for (const old of now.columns) {
    if (!wanted.columns.some((column) => column.name === old.name)) changes.push(await dropColumn(old, facts, wanted));
  }
  changes.push(
    ...(await compareIndexes(now, wanted, facts)),
    ...(await compareForeignKeys(now, wanted, facts, around.present)),
  );
  return changes;
}

/** A different primary key. Only an empty join table can simply be recreated. */
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

/** A table of another application without a primary key. */
async function addKey(wanted: TableShape, { store, table }: TableFacts): Promise<Change> {
  const columns = wanted.primaryKey.map(quoteName).join(', ');
  const text = `Make ${wanted.primaryKey.join(', ')} the key of table ${wanted.name}`;
  const twice = await count(
    store,
    `SELECT count(*) FROM (SELECT 1 FROM ${table} GROUP BY ${columns} HAVING count(*) > 1) AS d`,
  );
  return {
    ...safe(`key ${wanted.name}`, text),
    loses:
      twice === 0
        ? undefined
        : `${valuesText(twice)} of ${wanted.primaryKey.join(', ')} stand in more than one row; make them differ first`,
    blocked: twice > 0,
    sql: store.dialect === 'sqlite' ? undefined : [],
    last: store.dialect === 'sqlite' ? [] : [`ALTER TABLE ${table} ADD PRIMARY KEY (${columns})`],
  };
}
