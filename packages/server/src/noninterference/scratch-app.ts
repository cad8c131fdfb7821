// A copy of an application's data in memory with both APIs on it, for checks that must not touch the original.
import {
  createGraph,
  type Entity,
  type Graph,
  type Model,
  openSqliteStore,
  type Resolvers,
  sortableDecimal,
  type Store,
} from '@lockstitch/graph';
import { lookUp, type Principal, silentLog } from '@lockstitch/kernel';
import { askPages } from '@lockstitch/search/requests';

import type { ResolvedConfig } from '../config/config.ts';
import { createFullText } from '../sync/full-text.ts';
import { type OpenedSearch, openSearch } from '../sync/open-search.ts';
import type { Asked } from './random-requests.ts';

/** Rows of every table, as SQLite stores them. */
export type Tables = ReadonlyMap<
  string,
  { readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] }
>;

/** A value of a row. */
export type Cell = string | number | bigint | null | Uint8Array;

/** Both APIs over a copy. */
export interface ScratchApp {
  readonly graph: Graph;
  /** Returns status and text of the answer. */
  ask(asked: Asked, principal: Principal): Promise<string>;
  close(): Promise<void>;
}

const SEARCH: ResolvedConfig['search'] = {
  refreshInterval: 1,
  commitInterval: 3_600_000,
  syncWait: 1000,
  maxSearchTime: 10_000,
  maxBulkOperations: 300_000,
  memoryBudget: 4 * 2 ** 30,
  maxTurn: 5,
  ownIndexes: true,
};

/**
 * Reads a model's tables.
 *
 * @param limit most rows of one table
 * @param sources where the rows of a table come from, if not from the table itself
 */
export async function readTables(
  model: Model,
  store: Store,
  limit: number,
  sources: ReadonlyMap<string, string> = new Map(),
): Promise<Tables> {
  const tables = new Map<
    string,
    { readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] }
  >();
  for (const [table, columns] of columnsOf(model)) {
    const names = columns.map((column) => `"${column}"`).join(', ');
    const rows = await store
      .prepare(`SELECT ${names} FROM ${sources.get(table) ?? `"${table}"`} AS s LIMIT ${limit}`)
      .rows([]);
    const decimals = store.dialect === 'sqlite' ? NO_COLUMNS : decimalsOf(model, table);
    const cells = rows.map((row) =>
      row.map((value, at) =>
        decimals.has(columns[at]!) && typeof value === 'string' ? sortableDecimal(value) : toCell(value),
      ),
    );
    tables.set(table, { columns, rows: cells });
  }
  // Drops rows that refer to rows beyond the limit, until all references resolve.
  while (dropDangling(model, tables));
  return tables;
}

const NO_COLUMNS: ReadonlySet<string> = new Set();

/** Columns of a table that SQLite stores in a special form. */
export function decimalsOf(model: Model, table: string): ReadonlySet<string> {
  const entity = [...model.entities.values()].find((each) => each.table === table);
  const columns = [...(entity?.fields.values() ?? [])].filter((field) => field.kind === 'column');
  return new Set(columns.filter(({ storage }) => storage === 'decimal').map(({ column }) => column));
}

function dropDangling(
  model: Model,
  tables: Map<string, { columns: readonly string[]; rows: readonly (readonly Cell[])[] }>,
): boolean {
  let dropped = false;
  const keysOf = (target: Entity): ReadonlySet<string> => {
    const { columns, rows } = lookUp(tables, target.table);
    const at = columns.indexOf(target.key.column);
    return new Set(rows.map((row) => String(row[at])));
  };
  /** `type`: column with the type name of the target, where that differs between rows. */
  const keep = (table: string, column: string, targets: readonly Entity[], type?: string): void => {
    const { columns, rows } = lookUp(tables, table);
    const known = new Map(targets.map((target) => [target.name, keysOf(target)]));
    const at = columns.indexOf(column);
    const typeAt = type === undefined ? -1 : columns.indexOf(type);
    const kept = rows.filter((row) => {
      const name = typeAt === -1 ? targets[0]!.name : String(row[typeAt]);
      return row[at] === null || known.get(name)?.has(String(row[at])) === true;
    });
    if (kept.length === rows.length) return;
    tables.set(table, { columns, rows: kept });
    dropped = true;
  };
  for (const entity of model.entities.values()) {
    for (const field of entity.fields.values()) {
      if (field.kind !== 'relation') continue;
      const { storage } = field;
      const names = model.abstractTypes.get(field.target) ?? [field.target];
      const targets = names.flatMap((name) => model.entities.get(name) ?? []);
      if (targets.length === 0) continue;
      if (storage.kind === 'foreignKey') keep(entity.table, storage.column, targets);
      if (storage.kind === 'polymorphic') keep(entity.table, storage.keyColumn, targets, storage.typeColumn);
      if (storage.kind !== 'joinTable' && storage.kind !== 'polymorphicJoinTable') continue;
      keep(storage.table, storage.from, [entity]);
      if (storage.kind === 'joinTable') keep(storage.table, storage.to, targets);
      else keep(storage.table, storage.keyColumn, targets, storage.typeColumn);
    }
  }
  return dropped;
}

function columnsOf(model: Model): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const entity of model.entities.values()) {
    const columns: string[] = [];
    found.set(entity.table, columns);
    for (const field of entity.fields.values()) {
      if (field.kind === 'column') columns.push(field.column);
      if (field.kind !== 'relation') continue;
      const { storage } = field;
      if (storage.kind === 'foreignKey') columns.push(storage.column);
      else if (storage.kind === 'polymorphic') columns.push(storage.typeColumn, storage.keyColumn);
      else if (storage.kind === 'joinTable') found.set(storage.table, [storage.from, storage.to]);
      else if (storage.kind === 'polymorphicJoinTable')
        found.set(storage.table, [storage.from, storage.typeColumn, storage.keyColumn]);
    }
  }
  return found;
}

function toCell(value: unknown): Cell {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  return value === undefined ? null : JSON.stringify(value);
}

export interface ScratchOptions {
  readonly resolvers?: Resolvers;
  /** See `FullText.window`. */
  readonly window?: number;
}

/** Opens a copy. */
export type OpenScratchApp = (
  model: Model,
  tables: Tables,
  change?: (store: Store) => Promise<void>,
) => Promise<ScratchApp>;

/**
 * Opens a copy.
 *
 * @param change applied to the tables before anything is indexed
 * @param options.resolvers resolvers of the fields that the schema leaves to TypeScript
 */
export async function openScratch(
  model: Model,
  tables: Tables,
  change: (store: Store) => Promise<void> = () => Promise.resolve(),
  options: ScratchOptions = {},
): Promise<ScratchApp> {
  const store = await openSqliteStore({ file: ':memory:' });
  const fill = async (): Promise<void> => {
    await store.script(insertsOf(tables));
    await change(store);
  };
  return openApis(model, store, fill, options);
}

/**
 * Opens both APIs on a store, which is closed with them.
 *
 * @param fill called after the tables are created and before anything is indexed
 */
export async function openApis(
  model: Model,
  store: Store,
  fill: () => Promise<void>,
  { resolvers = {}, window }: ScratchOptions = {},
): Promise<ScratchApp> {
  const graph = await createGraph({
    model,
    store,
    resolvers,
    fullText: createFullText({ model, search: () => search, window }),
  });
  await fill();
  const search: OpenedSearch = await openSearch({
    graph,
    folder: ':memory:',
    config: { search: SEARCH },
    readerName: 'scratch',
    log: silentLog,
  });
  await search.sync.start(() => undefined);
  const encoder = new TextEncoder();
  const send = async (target: string, body: unknown, principal: Principal): Promise<string> => {
    const [method = '', path = ''] = target.split(' ');
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    const text = bodyText(body);
    const answer = await search.handle(
      {
        method,
        path: pathname,
        query: searchParams,
        headers: { 'content-type': 'application/json' },
        readOnly: (index) => search.sync.schemaIndex(index) !== undefined,
        ...(text === undefined ? {} : { body: encoder.encode(text) }),
      },
      principal,
    );
    return `${answer.status} ${answer.body}`;
  };
  return {
    graph,
    async ask(asked, principal) {
      if (asked.kind === 'graph') return (await graph.execute({ query: asked.query }, { principal })).body;
      if (asked.kind === 'pages') return askPages(asked, (target, body) => send(target, body, principal));
      return send(asked.target, asked.body, principal);
    },
    async close() {
      await search.close();
      graph.feed.close();
      await store.close();
    },
  };
}

/** The body on the wire: a list becomes lines of JSON. */
export function bodyText(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  return Array.isArray(body) ? body.map((line) => `${JSON.stringify(line)}\n`).join('') : JSON.stringify(body);
}

/**
 * SQL that inserts the rows.
 *
 * @param print prints a value as a literal; SQLite's syntax by default
 */
export function insertsOf(tables: Tables, print: (value: Cell) => string = literal): string {
  const statements: string[] = [];
  for (const [table, { columns, rows }] of tables) {
    const names = columns.map((column) => `"${column}"`).join(', ');
    for (const row of rows) statements.push(`INSERT INTO "${table}" (${names}) VALUES (${row.map(print).join(', ')});`);
  }
  return statements.join('\n');
}

function literal(value: Cell): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`;
  if (typeof value === 'string') return `'${value.replaceAll("'", "''").replaceAll('\u0000', '')}'`;
  return String(value);
}
