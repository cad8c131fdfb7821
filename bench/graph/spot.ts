// What operations cost beside the best known statement, in the process: processor time by hand ÷ ours, answers compared for
// equality, medians of rounds in turn. Ten operations are drawn by a seed, so that none is tuned for.
//   npm run bench -- spot [sqlite|postgres] [SEED] [ONLY]
// ONLY: a regular expression for the names of the rows to measure; nothing is written to the documents then.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DEFAULT_LIMITS, type Graph } from '@lockstitch/graph';
import { createRandom } from '@lockstitch/search/requests';
import { type OperationDefinitionNode, parse } from 'graphql';
import { Client } from 'pg';
import { buildPlan, readParameters } from '../../packages/graph/src/plan/build-plan.ts';
import { ReadPolicies } from '../../packages/graph/src/plan/policy.ts';
import { dialectOf } from '../../packages/graph/src/sql/dialect-of.ts';
import { registerCaseInsensitiveMatch } from '../../packages/graph/src/store/case-insensitive-match.ts';
import { registerAggregates } from '../../packages/graph/src/store/aggregate-functions.ts';
import { registerDecimals } from '../../packages/graph/src/store/decimal-text.ts';
import { limitStatements } from '../../packages/graph/src/store/statement-deadline.ts';
import { randomOperation } from '../../packages/server/src/noninterference/random-operations.ts';
import { startPostgres } from '../lib/postgres.ts';
import { describeRun, toMarkdown, writeSection } from '../lib/report.ts';
import { digits, printTable } from '../lib/table.ts';
import { CALLER, openSpotGraph } from './spot-data.ts';
import { SPOT_OPERATIONS } from './spot-operations.ts';
import { openOutbox, type Outbox } from './spot-outbox.ts';
import { createHand, type Hand } from './spot-statements.ts';
import { SPOT_WRITES } from './spot-writes.ts';

const ROUNDS = 9;
/** Milliseconds of processor time of one round of one side. */
const ROUND = 25;
/** What a side runs before it is measured, at least: calls, since code is compiled for those, and milliseconds of processor time. */
const WARM_CALLS = 200;
const WARM_UP = 250;
const [wanted, given = '1', only] = process.argv.slice(2);
const seed = Number(given);
const isAsked = (name: string): boolean => only === undefined || new RegExp(only).test(name);

/** Runs statements without the engine, and tells what a side has cost. */
interface Database {
  readonly name: Hand['name'];
  readonly graph: Graph;
  readonly outbox: Outbox;
  /** Prepares a statement of one text. */
  prepare(sql: string): (values: readonly unknown[]) => string | Promise<string>;
  /** Microseconds of processor time so far: of this process, and of the database's processes. */
  cpu(): Promise<number>;
}

interface Result {
  readonly name: string;
  readonly byHand: number;
  readonly ours: number;
}

function microseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
}

type Call = () => unknown;

async function repeat(call: Call, count: number): Promise<void> {
  for (let each = 0; each < count; each++) {
    const result = call();
    if (result instanceof Promise) await result;
  }
}

/** Runs all sides in turn until their code is compiled, and the engine has verified the columns that it reads. */
async function warmUp(database: Database, calls: readonly Call[]): Promise<void> {
  const used = calls.map(() => 0);
  for (let count = 0; count < WARM_CALLS || Math.min(...used) < WARM_UP; count += WARM_CALLS / 4) {
    for (const [index, call] of calls.entries()) {
      const before = await database.cpu();
      await repeat(call, WARM_CALLS / 4);
      used[index]! += ((await database.cpu()) - before) / 1000;
    }
  }
}

/** Median microseconds of processor time of one call of each side. */
async function measure(database: Database, calls: readonly Call[]): Promise<readonly number[]> {
  await warmUp(database, calls);
  const counts: number[] = [];
  for (const call of calls) {
    let count = 1;
    for (;;) {
      // By the clock, a busy machine would leave too few calls for what asking costs.
      const started = await database.cpu();
      await repeat(call, count);
      const took = ((await database.cpu()) - started) / 1000;
      if (took > ROUND / 2) {
        counts.push(Math.max(1, Math.round((count * ROUND) / took)));
        break;
      }
      count *= 2;
    }
  }
  const times: number[][] = calls.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, call] of calls.entries()) {
      const before = await database.cpu();
      await repeat(call, counts[index]!);
      times[index]!.push(((await database.cpu()) - before) / counts[index]!);
    }
  }
  return times.map(median);
}

async function measureFixed(database: Database): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [name, { query, variables, byHand, values = [] }] of Object.entries(SPOT_OPERATIONS)) {
    if (!isAsked(name)) continue;
    const roots = Object.entries(byHand(createHand(database.name)));
    const body = roots.map(([key, sql], index) => `'${index === 0 ? '' : ','}"${key}":', ${sql}`);
    // A function takes at most 100 arguments.
    const parts: string[] = [];
    for (let at = 0; at < body.length; at += 40) parts.push(`concat(${body.slice(at, at + 40).join(', ')})`);
    const run = database.prepare(`SELECT concat('{"data":{', ${parts.join(', ')}, '}}')`);
    const request = variables === undefined ? { query } : { query, variables };
    const ours = async (): Promise<string> => (await database.graph.execute(request, { principal: CALLER })).body;
    const [own, other] = [await ours(), await run(values)];
    if (own !== other) throw new Error(`${name}: the answers differ:\n${own.slice(0, 400)}\n${other.slice(0, 400)}`);
    const [hand, engine] = await measure(database, [
      () => run(values),
      () => database.graph.execute(request, { principal: CALLER }),
    ]);
    results.push({ name, byHand: hand!, ours: engine! });
  }
  return results;
}

/** How many operations are drawn, and how many are tried to find those that succeed. */
const DRAWN = 10;
const TRIED = 400;

/** Operations drawn from the generator of the noninterference check; the best of the planner's statement and the rewritten one. */
async function measureDrawn(database: Database): Promise<readonly Result[]> {
  if (!isAsked('drawn')) return [];
  const { graph, name } = database;
  const { model } = graph;
  const random = createRandom(seed);
  const keys = (prefix: string, count: number): readonly string[] =>
    Array.from({ length: 50 }, (_, index) => `${prefix}${(index * 37) % count}`);
  const surface = {
    model,
    words: ['User', 'Number 7', 'Photo 12', 'Album', 'day', 'Task 9', 'Project'],
    keys: new Map([
      ['User', keys('u', 1000)],
      ['Photo', keys('', 20_000)],
      ['Album', keys('', 2000)],
      ['Project', keys('', 2000)],
      ['Task', keys('', 40_000)],
    ]),
  };
  const view = new ReadPolicies(model).viewOf(CALLER);
  const dialect = dialectOf(model, { dialect: name });
  const results: Result[] = [];
  for (let tried = 0; tried < TRIED && results.length < DRAWN; tried++) {
    const query = randomOperation(random, surface, 1);
    const { body } = await graph.execute({ query }, { principal: CALLER });
    // An answer without any object compares nothing.
    if (body.includes('"errors"') || body.length < 200) continue;
    const document = parse(query);
    const [operation] = document.definitions as readonly [OperationDefinitionNode];
    const request = {
      model,
      dialect,
      limits: DEFAULT_LIMITS,
      view,
      fragments: new Map(),
      operation,
      variables: undefined,
    };
    const calls = [true, false].map((asPlanned) => {
      const plan = buildPlan({ ...request, asPlanned });
      const values = readParameters(plan, undefined, view.value);
      const run = database.prepare(plan.sql);
      return () => run(values);
    });
    for (const call of calls) {
      const text = await call();
      // Some numbers are printed again by the engine: 31.0 as 31.
      if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(JSON.parse(body)))
        throw new Error(`${query}: the answers differ:\n${body.slice(0, 400)}\n${text.slice(0, 400)}`);
    }
    const times = await measure(database, [...calls, () => graph.execute({ query }, { principal: CALLER })]);
    const ours = times.at(-1)!;
    results.push({ name: `drawn ${results.length + 1}`, byHand: Math.min(...times.slice(0, -1)), ours });
    if (process.env['SHOW_DRAWN'] !== undefined) process.stdout.write(`drawn ${results.length}: ${query}\n`);
  }
  return results;
}

/** Writes of which each call does the same work again; on the store's own transactions, so with the same durability. */
async function measureWrites(database: Database): Promise<readonly Result[]> {
  const { graph } = database;
  const { store } = graph;
  const results: Result[] = [];
  for (const [name, { query, variables, byHand }] of Object.entries(SPOT_WRITES)) {
    if (!isAsked(name)) continue;
    let number = 0;
    const ours = async (): Promise<string> =>
      (await graph.execute({ query, variables: variables(String(++number)) }, { principal: CALLER })).body;
    const hand = (): Promise<string> =>
      store.transaction((session) => byHand(session, store.dialect, String(++number)));
    const shape = (text: string): string => text.replaceAll(/\d+/g, '0');
    const [own, other] = [await ours(), await hand()];
    if (shape(own) !== shape(other)) throw new Error(`${name}: the answers differ:\n${own}\n${other}`);
    const [handTime, engine] = await measure(database, [hand, ours]);
    results.push({ name, byHand: handTime!, ours: engine! });
  }
  return results;
}

/** Changes that others made, moved into the feed; what they take to make is not measured. */
async function measureOutbox(database: Database): Promise<readonly Result[]> {
  const { outbox } = database;
  const name = 'outbox of 200 changed rows';
  if (!isAsked(name)) return [];
  const times: Record<'byHand' | 'ours', number[]> = { byHand: [], ours: [] };
  const told = new Set<string>();
  for (let round = -WARM_CALLS; round < 2 * ROUNDS; round++) {
    for (const side of ['byHand', 'ours'] as const) {
      await outbox.change();
      const before = await database.cpu();
      await outbox[side]();
      if (round >= 0) times[side].push((await database.cpu()) - before);
      told.add(await outbox.told());
    }
  }
  if (told.size > 1) throw new Error(`${name}: the feeds differ:\n${[...told].join('\n').slice(0, 2000)}`);
  return [{ name, byHand: median(times.byHand), ours: median(times.ours) }];
}

async function measureAll(database: Database): Promise<readonly Result[]> {
  return [
    ...(await measureFixed(database)),
    ...(await measureDrawn(database)),
    ...(await measureWrites(database)),
    ...(await measureOutbox(database)),
  ];
}

function report(database: Database, results: readonly Result[], version: string): void {
  const rows = results.map(({ name, byHand, ours }) => [
    name,
    digits(byHand),
    digits(ours),
    (byHand / ours).toFixed(2),
  ]);
  const head = ['', 'by hand', 'Lockstitch', 'ratio'];
  printTable(`Spot on ${database.name}: µs of processor an operation`, head, rows);
  if (only !== undefined) return;
  writeSection(`spot-${database.name}`, `${toMarkdown(head, rows)}\n\n${describeRun()}; ${version}.`);
}

async function onSqlite(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-spot-'));
  const file = join(folder, 'spot.db');
  const graph = await openSpotGraph({ file });
  const outbox = await openOutbox({ file: join(folder, 'outbox.db') });
  const connection = new DatabaseSync(file, { readOnly: true });
  // The planner's own statements call them.
  const checkTime = limitStatements(connection, 60_000);
  registerCaseInsensitiveMatch(connection, checkTime);
  registerDecimals(connection);
  registerAggregates(connection, checkTime);
  connection.exec('PRAGMA mmap_size = 268435456; PRAGMA cache_size = -65536');
  try {
    const database: Database = {
      name: 'sqlite',
      graph,
      outbox,
      prepare(sql) {
        const statement = connection.prepare(sql);
        statement.setReturnArrays(true);
        return (values) => (statement.get(...(values.map(toBound) as never[])) as unknown as [string])[0];
      },
      cpu: () => Promise.resolve(microseconds()),
    };
    report(database, await measureAll(database), `SQLite ${process.versions['sqlite'] ?? ''}`);
  } finally {
    connection.close();
    await outbox.close();
    await graph.store.close();
    await rm(folder, { recursive: true });
  }
}

/** A value as SQLite compares it fastest: integers as integers. */
function toBound(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value;
}

async function onPostgres(): Promise<void> {
  const postgres = await startPostgres({ autovacuum: 'off' });
  try {
    let graph: Graph | undefined;
    let outbox: Outbox | undefined;
    let client: Client | undefined;
    const side = (open: (url: string) => Promise<void>) =>
      postgres.startClient(async (url) => {
        await open(url);
        return { url, cpu: () => Promise.resolve(0), close: () => Promise.resolve() } as never;
      });
    const engine = await side(async (url) => {
      graph = await openSpotGraph({ url });
      outbox = await openOutbox({ url });
    });
    await postgres.settle();
    const byHand = await side(async (url) => {
      client = new Client({
        connectionString: url,
        options: '-c random_page_cost=1.1 -c plan_cache_mode=force_generic_plan -c jit=off -c TimeZone=UTC',
      });
      await client.connect();
    });
    const hand = client!;
    let statements = 0;
    const database: Database = {
      name: 'postgres',
      graph: graph!,
      outbox: outbox!,
      prepare(text) {
        const name = `s${++statements}`;
        return async (values) =>
          (await hand.query<[string]>({ name, text, values: [...values], rowMode: 'array' })).rows[0]![0];
      },
      async cpu() {
        const backends = (await engine.cpu()) + (await byHand.cpu());
        return backends + microseconds();
      },
    };
    report(database, await measureAll(database), `PostgreSQL ${postgres.version}`);
    await hand.end();
    await outbox!.close();
    await graph!.store.close();
  } finally {
    await postgres.close();
  }
}

if (wanted === undefined || wanted === 'sqlite') await onSqlite();
if (wanted === undefined || wanted === 'postgres') await onPostgres();
