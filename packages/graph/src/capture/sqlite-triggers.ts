// The triggers of captured tables on SQLite, in SQL that any writer of the file can run: the sqlite3 shell and other
// programs fire them in their own connections.
import { type MigrationStep, safe } from '../migrate/change.ts';
import { isOurIndex } from '../migrate/compare-keys.ts';
import { quoteText, type TableShape } from '../migrate/table-shape.ts';
import { bareTableName, quoteName, quoteTable } from '../schema/table-name.ts';
import type { Row, Store } from '../store/store.ts';
import type { CapturedTable } from './captured-tables.ts';
import { OUTBOX_TABLE, type OutboxOperation } from './outbox.ts';
import { type CapturePlan, type PlannedTables, renameTypesSql } from './capture-plan.ts';
import { imageSql, literalSql } from './sqlite-image.ts';

/** Names of the triggers begin with it. */
export const TRIGGER_PREFIX = 'lockstitch_capture_';

/** Columns that no two rows have in common, with the collation that compares them. */
type UniqueKey = readonly { readonly column: string; readonly collation?: string }[];

interface SqliteCapture {
  readonly store: Store;
  readonly tables: readonly CapturedTable[];
  /** Tables that the same migration creates. */
  readonly created: ReadonlySet<string>;
  readonly planned: PlannedTables;
}

interface FoundTrigger {
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

/** Compares the triggers of a database with the wanted ones. Reads only. */
export async function planSqliteCapture(capture: SqliteCapture): Promise<CapturePlan> {
  const { store, tables, created, planned } = capture;
  const { triggers: found, indexes, virtual } = await readDatabase(store, tables);
  const steps: MigrationStep[] = [];
  const [first, afterRenaming, missed]: [string[], string[], string[]] = [[], [], []];
  const types = new Map<string, string>();
  const kept = new Set<string>();
  for (const captured of tables) {
    const now = planned.present.get(captured.table);
    const shape = planned.wanted.get(captured.table);
    const bare = fold(bareTableName(captured.table));
    if (now?.isView === true || virtual.has(bare)) {
      steps.push(refuse(captured, now?.isView === true ? 'a view' : 'a virtual table'));
      continue;
    }
    const keys = uniqueKeys(captured, now, shape, indexes.get(bare) ?? []);
    // They are named after their table.
    const former = [...triggersOf(captured, keys).keys()];
    const wanted = triggersOf({ ...captured, table: planned.renamed.get(captured.table) ?? captured.table }, keys);
    const old = former.map((name) => found.find((each) => each.name === name));
    for (const name of former) kept.add(name);
    const type = old
      .map((each) => (each === undefined ? undefined : typeIn(each.sql)))
      .find((each) => each !== undefined);
    if (type !== undefined && type !== captured.name) types.set(type, captured.name);
    const isSame = [...wanted.values()].every((sql, index) => old[index]?.sql === sql);
    if (isSame && !planned.changed.has(captured.table)) continue;
    if (!isSame) steps.push(safe(`capture ${captured.table}`, stepText(captured)));
    // A change of the table would run into triggers that name its columns.
    first.push(...old.flatMap((each) => (each === undefined ? [] : [`DROP TRIGGER ${quoteName(each.name)}`])));
    afterRenaming.push(...wanted.values());
    // Whatever happened without the triggers is found by comparing every row once.
    if (old.includes(undefined) && !created.has(captured.table)) missed.push(insertSql(captured.name, 'all', 'NULL'));
  }
  const gone = found.filter(({ name }) => !kept.has(name));
  for (const [table, old] of Map.groupBy(gone, (each) => each.table)) {
    if (!tables.some((captured) => fold(bareTableName(captured.table)) === fold(table)))
      steps.push(safe(`uncapture ${table}`, `Stop capturing changes of table ${table}: drop its triggers`));
    first.push(...old.map(({ name }) => `DROP TRIGGER ${quoteName(name)}`));
  }
  afterRenaming.push(...renameTypesSql(OUTBOX_TABLE, types), ...missed);
  return { steps, optional: [], first, last: [], afterRenaming };
}

/** The type that a trigger records, as insertSql writes it. */
function typeIn(sql: string): string | undefined {
  return / SELECT '((?:[^']|'')*)', '/.exec(sql)?.[1]?.replaceAll("''", "'");
}

function stepText({ name, table, relation }: CapturedTable): string {
  const what = relation === undefined ? name : `relation ${name}`;
  return `Capture changes of table ${table} for ${what}: triggers put each row that others write into ${OUTBOX_TABLE}, which costs them as much as another insert`;
}

function refuse({ table }: CapturedTable, what: string): MigrationStep {
  const loses = `it is ${what}, whose rows no trigger sees change; put @captureChanges on the types of the tables behind it`;
  return { name: `capture ${table}`, text: `Capture changes of table ${table}`, loses, blocked: true };
}

/** Name → SQL. */
function triggersOf(captured: CapturedTable, keys: readonly UniqueKey[]): ReadonlyMap<string, string> {
  const { name, table, key, columns } = captured;
  const made = new Map<string, string>();
  const add = (event: string, statements: readonly string[], when?: string, suffix = ''): void => {
    const trigger = TRIGGER_PREFIX + [bareTableName(table), ...event.toLowerCase().split(' ')].join('_') + suffix;
    const body = statements.map((each) => `  ${each};\n`).join('');
    const condition = when === undefined ? '' : ` WHEN ${when}`;
    const head = `CREATE TRIGGER ${quoteName(trigger)} ${event} ON ${quoteTable(table)} FOR EACH ROW${condition}`;
    made.set(trigger, `${head} BEGIN\n${body}END`);
  };
  const former = imageSql('old', columns);
  const isSameKey = key
    .map((column) => `${literalSql(`old.${quoteName(column)}`)} = ${literalSql(`new.${quoteName(column)}`)}`)
    .join(' AND ');
  const inserted = insertSql(name, 'insert', imageSql('new', key));
  const deleted = insertSql(name, 'delete', former);
  add('AFTER INSERT', [inserted]);
  add('AFTER DELETE', [deleted]);
  add('AFTER UPDATE', [insertSql(name, 'update', former)], isSameKey);
  add('AFTER UPDATE', [deleted, inserted], `NOT (${isSameKey})`, '_key');
  // REPLACE deletes the rows in its way, and fires no trigger for that unless the writer has set recursive_triggers.
  const image = imageSql('row', columns);
  const find = (unique: UniqueKey, when: string): string =>
    insertSql(name, 'conflict', image, `${when}${matching(unique)}`, `${quoteTable(table)} AS row`);
  const isUnchanged = keys.map(unchanged).join(' AND ');
  add(
    'BEFORE INSERT',
    keys.map((unique) => find(unique, '')),
  );
  add(
    'BEFORE UPDATE',
    keys.map((unique) => find(unique, `NOT (${unchanged(unique)}) AND `)),
    `NOT (${isUnchanged})`,
  );
  return made;
}

function matching(unique: UniqueKey): string {
  return unique
    .map(({ column, collation }) => {
      const quoted = quoteName(column);
      return `row.${quoted} = new.${quoted}${collation === undefined ? '' : ` COLLATE ${collation}`}`;
    })
    .join(' AND ');
}

function unchanged(unique: UniqueKey): string {
  return unique.map(({ column }) => `old.${quoteName(column)} IS new.${quoteName(column)}`).join(' AND ');
}

/** Inserts a row of the outbox for each row of `from` that satisfies `where`. */
function insertSql(type: string, operation: OutboxOperation, image: string, where?: string, from?: string): string {
  const values = `${quoteText(type)}, '${operation}', ${image}, CAST(strftime('%s', 'now') AS INTEGER)`;
  const source = `${from === undefined ? '' : ` FROM ${from}`}${where === undefined ? '' : ` WHERE ${where}`}`;
  return `INSERT INTO ${OUTBOX_TABLE} (type, operation, image, at) SELECT ${values}${source}`;
}

/** The unique keys that a row of the table can violate. */
function uniqueKeys(
  { key }: CapturedTable,
  now: TableShape | undefined,
  wanted: TableShape | undefined,
  found: readonly { readonly name: string; readonly key: UniqueKey }[],
): readonly UniqueKey[] {
  const plain = (columns: readonly string[]): UniqueKey => columns.map((column) => ({ column }));
  // A managed table will have the indexes of the schema, and has those of others.
  const others =
    wanted === undefined || wanted.unmanaged === true
      ? found.map((each) => each.key)
      : [
          ...wanted.indexes.filter(({ unique }) => unique).map(({ columns }) => plain(columns)),
          ...found
            .filter(({ name }) => !isOurIndex(name, wanted.name) && !name.startsWith('sqlite_'))
            .map((each) => each.key),
        ];
  const all = [...others, plain(wanted?.unmanaged === false ? wanted.primaryKey : (now?.primaryKey ?? key))];
  const names = (unique: UniqueKey): string => JSON.stringify(unique.map(({ column }) => column));
  const known = new Map(all.toReversed().map((unique) => [names(unique), unique]));
  return [...known.values()].filter((unique) => unique.length > 0).toSorted((a, b) => (names(a) < names(b) ? -1 : 1));
}

async function readDatabase(store: Store, tables: readonly CapturedTable[]) {
  const names = tables.map(({ table }) => quoteText(fold(bareTableName(table)))).join(', ');
  const [triggers, indexes, virtual] = await store.transaction(
    async (session) =>
      [
        await session
          .prepare(
            `SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, ${TRIGGER_PREFIX.length}) = '${TRIGGER_PREFIX}'`,
          )
          .rows([]),
        await session
          .prepare(
            `SELECT lower(t.name), i.name, c.name, c.coll FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) c
             WHERE t.type = 'table' AND lower(t.name) IN (${names}) AND i."unique" = 1 AND c.key = 1 ORDER BY 1, 2, c.seqno`,
          )
          .rows([]),
        await session
          .prepare(
            `SELECT lower(name) FROM sqlite_schema WHERE type = 'table' AND lower(name) IN (${names}) AND sql LIKE 'CREATE VIRTUAL %'`,
          )
          .rows([]),
      ] as const,
  );
  return {
    triggers: triggers.map(([name, table, sql]): FoundTrigger => ({
      name: String(name),
      table: String(table),
      sql: String(sql),
    })),
    indexes: toKeys(indexes),
    virtual: new Set(virtual.map(([name]) => String(name))),
  };
}

/** Unique indexes by table. One over an expression is left out: its values cannot be compared. */
function toKeys(
  rows: readonly Row[],
): ReadonlyMap<string, readonly { readonly name: string; readonly key: UniqueKey }[]> {
  const byTable = Map.groupBy(rows, ([table]) => String(table));
  return new Map(
    [...byTable].map(([table, own]) => [
      table,
      [...Map.groupBy(own, ([, index]) => String(index))]
        .filter(([, columns]) => columns.every((row) => row[2] !== null))
        .map(([name, columns]) => ({
          name,
          key: columns.map((row) => ({ column: String(row[2]), collation: String(row[3]) })),
        })),
    ]),
  );
}

/** SQLite compares names without the case of ASCII letters. */
function fold(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
