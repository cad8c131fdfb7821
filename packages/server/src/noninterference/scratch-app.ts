// A copy of an application's data in memory with both APIs on it, for checks that must not touch the original.
import {
  createGraph,
  DEFAULT_LIMITS,
  type Entity,
  type Field,
  type Graph,
  type Model,
  openSqliteStore,
  type RawParameters,
  type Resolvers,
  sortableDecimal,
  type Store,
  storedColumnsOf,
} from '@lockstitch/graph';
import { lookUp, type Principal, silentLog } from '@lockstitch/kernel';
import { askPages } from '@lockstitch/search/requests';

import { checkConfig } from '../config/check-config.ts';
import type { ResolvedConfig } from '../config/config.ts';
import { createFullText } from '../sync/full-text.ts';
import type { OpenedSearch } from '../sync/opened-search.ts';
import { openSearch } from '../cluster/open-search.ts';
import { prefixOfCopy } from './left-copies.ts';
import { askGraph } from './random-graph-requests.ts';
import type { Asked } from './random-requests.ts';
import { keyColumns, keyOf, referringColumns } from './row-keys.ts';

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
  ...checkConfig({}).config.search,
  refreshInterval: 1,
  commitInterval: 3_600_000,
  syncWait: 1000,
  ownIndexes: true,
};

/** Indexes of a copy beside those of the application, under a name that nobody else has. */
function onCluster(search: ResolvedConfig['search']): ResolvedConfig['search'] {
  return { ...search, prefix: prefixOfCopy(search.prefix), replicas: 0, refreshInterval: 1, syncWait: SEARCH.syncWait };
}

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
    return new Set(keysIn(rows, columns, keyColumns(target)).filter((key) => key !== undefined));
  };
  /** `type`: column with the type name of the target, where that differs between rows. */
  const keep = (table: string, held: readonly string[], targets: readonly Entity[], type?: string): void => {
    const { columns, rows } = lookUp(tables, table);
    const known = new Map(targets.map((target) => [target.name, keysOf(target)]));
    const typeAt = type === undefined ? -1 : columns.indexOf(type);
    const keys = keysIn(rows, columns, held);
    const kept = rows.filter((row, at) => {
      const name = typeAt === -1 ? targets[0]!.name : String(row[typeAt]);
      const key = keys[at];
      return key === undefined || known.get(name)?.has(key) === true;
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
      if (storage.kind === 'foreignKey') keep(entity.table, referringColumns(storage), targets);
      if (storage.kind === 'polymorphic') keep(entity.table, [storage.keyColumn], targets, storage.typeColumn);
      if (storage.kind === 'joinTable') {
        keep(storage.table, storage.fromParts ?? [storage.from], [entity]);
        keep(storage.table, storage.toParts ?? [storage.to], targets);
      }
      if (storage.kind !== 'polymorphicJoinTable') continue;
      keep(storage.table, [storage.from], [entity]);
      keep(storage.table, [storage.keyColumn], targets, storage.typeColumn);
    }
  }
  return dropped;
}

/** The keys in some columns, row by row; undefined where a row has none. */
export function keysIn(
  rows: readonly (readonly Cell[])[],
  columns: readonly string[],
  held: readonly string[],
): readonly (string | undefined)[] {
  const places = held.map((column) => columns.indexOf(column));
  return rows.map((row) => keyOf(places.map((at) => row[at])));
}

function columnsOf(model: Model): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const entity of model.entities.values()) {
    // Two fields can share a column.
    const columns = new Set<string>();
    for (const field of entity.fields.values()) {
      for (const column of storedColumnsOf(field)) columns.add(column);
      if (field.kind !== 'relation') continue;
      const { storage } = field;
      if (storage.kind === 'joinTable') {
        const { from, fromParts = [from], table, to, toParts = [to] } = storage;
        found.set(table, [...new Set([...fromParts, ...toParts])]);
      } else if (storage.kind === 'polymorphicJoinTable')
        found.set(storage.table, [storage.from, storage.typeColumn, storage.keyColumn]);
    }
    found.set(entity.table, [...columns]);
  }
  return found;
}

/** A value that a statement returned. */
export function toCell(value: unknown): Cell {
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
  /** SQL that makes the tables which the schema does not manage. Default: none. */
  readonly unmanaged?: string | undefined;
  /** The configuration of an application whose search cluster takes the indexes of the copies; by default they are in memory. */
  readonly cluster?: ResolvedConfig['search'];
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

/** The time of the first mutation of every copy. */
const STARTED = Date.now();

/** A model whose drawn keys are counted, so that copies draw the same. */
function withCountedIds(model: Model): Model {
  let count = 0;
  const make = (): string => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`;
  const counted = (field: Field): Field =>
    field.kind === 'column' && field.default?.kind === 'uuid' ? { ...field, default: { kind: 'uuid', make } } : field;
  const entities = [...model.entities].map(([name, entity]): [string, Entity] => [
    name,
    {
      ...entity,
      key: counted(entity.key) as Entity['key'],
      fields: new Map([...entity.fields].map(([each, field]) => [each, counted(field)])),
    },
  ]);
  return { ...model, entities: new Map(entities) };
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
  { cluster, resolvers = {}, unmanaged, window }: ScratchOptions = {},
): Promise<ScratchApp> {
  let now = STARTED;
  if (unmanaged !== undefined) await store.script(unmanaged);
  const graph = await createGraph({
    model: withCountedIds(model),
    store,
    resolvers,
    clock: { now: () => now },
    explain: true,
    // An estimate tells nothing of the data, of which a copy has little: more operations are answered.
    limits: { ...DEFAULT_LIMITS, cost: 1e9 },
    fullText: createFullText({ model, search: () => search, window }),
  });
  await fill();
  const search: OpenedSearch = await openSearch({
    graph,
    folder: ':memory:',
    config: { search: cluster === undefined ? SEARCH : onCluster(cluster) },
    readerName: 'scratch',
    log: silentLog,
  });
  const close = async (): Promise<void> => {
    await (search.discard?.() ?? search.close());
    graph.feed.close();
    await store.close();
  };
  try {
    await search.sync.start(() => undefined);
  } catch (error) {
    // Of what a copy has made on a cluster nothing may stay there.
    await close();
    throw error;
  }
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
  const sendGraph = async (parameters: RawParameters, principal: Principal): Promise<string> => {
    const resolved = graph.resolveRequest(parameters);
    if (resolved.kind === 'answer') return resolved.body;
    const { body, position } = await graph.execute(resolved.request, { principal });
    // Searches find what is written.
    if (position !== undefined) {
      now += 1000;
      await search.sync.waitFor(position, 10_000);
    }
    return body;
  };
  return {
    graph,
    async ask(asked, principal) {
      if (asked.kind === 'graph') return askGraph(asked, (parameters) => sendGraph(parameters, principal));
      if (asked.kind === 'pages') return askPages(asked, (target, body) => send(target, body, principal));
      return send(asked.target, asked.body, principal);
    },
    close,
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
