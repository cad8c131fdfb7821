// Plans the migration of a database to a model: readable steps with SQL, and the data each could lose. Not here:
// applying them. Tables of other applications are left alone.
import type { CapturePlan } from '../capture/capture-plan.ts';
import { planCapture } from '../capture/plan-capture.ts';
import { FEED_TABLE } from '../feed/feed-tables.ts';
import type { Entity, Model } from '../schema/model.ts';
import type { Store } from '../store/store.ts';
import { type Change, count, type MigrationStep, rolling, rowsText, safe } from './change.ts';
import { formerNames } from './rename-columns.ts';
import { findTableRenamings, renameTables, withFormerTables } from './rename-tables.ts';
import { checkUnmanaged, withUnmanaged } from './check-unmanaged.ts';
import type { ValueCheck } from './check-values.ts';
import { addForeignKey, isOurIndex, namesOf, sameIndex } from './compare-keys.ts';
import { compareTable } from './compare-table.ts';
import { createTableSql } from './create-sql.ts';
import { checkSchemaRights } from './missing-rights.ts';
import { schemaOf, schemaOfOwnTables } from './own-schema.ts';
import { type FoundDatabase, readDatabase } from './read-database.ts';
import { rebuildSql, standingOn } from './rebuild-sql.ts';
import { compareSoftDelete, softDeletesOf } from './soft-deletes.ts';
import { meaningOf, meaningOfLeft, storeSchemaSql, type TableMeaning } from './stored-schema.ts';
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
  const created = new Set(wanted.filter(({ name }) => !present.has(name)).map(({ name }) => schemaOf(name, own)));
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
  const isJoinTable = of.includes('.');
  const text = `Drop table ${name} ${isJoinTable ? `with the links of ${of}` : `of type ${of}`}, which the schema does not have`;
  const loses =
    rows === undefined
      ? `the ${isJoinTable ? 'links' : 'rows'} of ${name}`
      : isJoinTable
        ? `${rows === 1 ? '1 link' : `${rows.toLocaleString('en')} links`} in ${name}`
        : `${rowsText(rows)} of ${name}`;
  return { name: `drop ${name}`, text, loses, blocked: false, optional: true };
}
