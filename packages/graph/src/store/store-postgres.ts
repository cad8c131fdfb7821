// How the engine talks to PostgreSQL, through `pg` (imported nowhere else in this package). Statements are prepared by
// name on each connection; values come back as JavaScript's own kinds, timestamps as ISO text in UTC, JSON as text.
import { setTimeout } from 'node:timers/promises';
import { isProductError } from '@lockstitch/kernel';
import type pg from 'pg';
import { graphErrors } from '../errors.ts';
import {
  isLostRace,
  isOutOfDate,
  isRefusal,
  translateLostCommit,
  translateOutage,
  translateRefusal,
} from './postgres-error.ts';
import { CHANNEL, createCommitWatch } from './postgres-commits.ts';
import { createPulse, type Pulse } from './postgres-pulse.ts';
import {
  ConstraintViolation,
  type MaybePromise,
  type Row,
  type Session,
  type SqlValue,
  type Statement,
  type Stop,
  type Store,
} from './store.ts';
import { isLongerThan, TextTooLong } from './text-limit.ts';

/** Loaded with the first store of this kind: over SQLite, `pg` would only cost 4 MB and 30 ms. */
let driver: typeof pg;

/** Which PostgreSQL, and how much of it. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`; TLS by `?sslmode=`. */
  readonly url: string;
  /** The schema the tables live in, created when absent; default: the first of the server's search path. */
  readonly schema?: string;
  /** Connections at most; default 10. */
  readonly connections?: number;
}

/** Statements prepared by name before connections are renewed: one server-side plan each, on every connection. */
const STATEMENT_LIMIT = 1000;
/** How often a transaction that lost a deadlock is run again. */
const ATTEMPTS = 4;
/** How long a connection may take to open, or to become free, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;
// Measured: with the server's default costs, subplans become hash joins (1.07 ms against 0.235); custom plans cost more
// than they save on look-ups by key; compiling expressions (jit) costs more than these queries run.
const SETTINGS = [
  'random_page_cost=1.1',
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'TimeZone=UTC',
  'DateStyle=ISO',
  // Rows are locked where it matters; a stricter level set in the database would only have writes fail that could wait.
  'default_transaction_isolation=read committed',
];

/**
 * Connects to PostgreSQL.
 *
 * @throws the driver's error when the server cannot be reached or refuses; ProductError GRAPH_STORE_ENCODING
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const settings = options.schema === undefined ? SETTINGS : [...SETTINGS, `search_path=${options.schema}`];
  driver ??= (await import('pg')).default;
  const config: pg.PoolConfig = {
    connectionString: options.url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    options: settings.map((setting) => `-c ${setting.replaceAll(/[\\ ]/g, String.raw`\$&`)}`).join(' '),
    types: { getTypeParser },
  };
  const pool = createPool(config);
  try {
    if (options.schema !== undefined)
      await pool.query(`CREATE SCHEMA IF NOT EXISTS "${options.schema.replaceAll('"', '""')}"`);
    const asked = await pool.query<{ readonly encoding: string }>(
      `SELECT current_setting('server_encoding') AS encoding`,
    );
    const { encoding } = asked.rows[0]!;
    if (encoding !== 'UTF8')
      throw graphErrors.create('GRAPH_STORE_ENCODING', { store: describe(options.url), encoding });
  } catch (error) {
    await pool.end();
    throw error;
  }
  return createStore(config, pool, describe(options.url));
}

/** Connections that may break at any time: whoever waits for an answer is told, and without a listener the process would end. */
function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new driver.Pool(config);
  // While idle, it is replaced by the pool; the next query tells if the server is gone.
  pool.on('error', () => undefined);
  // While lent out, the pool does not listen; its query rejects.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function describe(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.href;
}

function createStore(config: pg.PoolConfig, pool: pg.Pool, description: string): Store {
  const names = createNames();
  const createClient = (): pg.Client => new driver.Client(config);
  const watch = createCommitWatch(createClient);
  const pulse = createPulse(createClient);
  pulse.watch(pool);
  const canceller = createCanceller(config, pulse);
  let closing: Promise<void> | undefined;

  const connect = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      throw translateOutage(error);
    }
  };

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await connect();
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = !(isRefusal(error) || isProductError(error) || error instanceof ConstraintViolation);
      throw translateOutage(error);
    } finally {
      client.release(broken || names.isStale(client));
    }
  }

  async function attemptTransaction<T>(work: (session: Session) => MaybePromise<T>): Promise<T> {
    const client = await connect();
    let unusable = false;
    try {
      await client.query('BEGIN');
      const result = await work({ prepare: (sql) => createStatement(sql, names, canceller, (run) => run(client)) });
      // In one round trip; the word is delivered only if the commit succeeds.
      await query(client, { text: `NOTIFY ${CHANNEL}; COMMIT` }).catch((error: unknown) => {
        throw translateLostCommit(error);
      });
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {
        unusable = true;
      });
      throw error;
    } finally {
      client.release(unusable || names.isStale(client));
    }
  }

  return {
    dialect: 'postgres',
    description,
    prepare: (sql) =>
      createStatement(sql, names, canceller, async (work) => {
        try {
          return await withClient(work);
        } catch (error) {
          if (!isOutOfDate(error)) throw error;
          names.renew();
          return withClient(work);
        }
      }),
    attempt: undefined,
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          const result = await attemptTransaction(work);
          watch.announce();
          return result;
        } catch (error) {
          if (isOutOfDate(error)) names.renew();
          else if (!isLostRace(error)) throw translateOutage(error);
          if (attempt >= ATTEMPTS) throw translateOutage(error);
          // Let the one who won finish; at random, so that two losers do not meet again.
          await setTimeout(attempt * (5 + Math.random() * 20));
        }
      }
    },
    async script(sql) {
      await withClient(async (client) => {
        try {
          await query(client, { text: `BEGIN;\n${sql};\nNOTIFY ${CHANNEL}; COMMIT` });
        } catch (error) {
          await client.query('ROLLBACK').catch(() => undefined);
          throw error;
        }
      });
      watch.announce();
    },
    onCommit: watch.listen,
    async close() {
      closing ??= Promise.all([watch.stop(), canceller.stop(), pool.end()]).then(() => pulse.stop());
      await closing;
    },
  };
}

/** Runs with a connection: one of the pool, or that of a transaction. */
type WithClient = <T>(work: (client: pg.PoolClient) => Promise<T>) => Promise<T>;

function createStatement(sql: string, names: Names, canceller: Canceller, withClient: WithClient): Statement {
  const run = (values: readonly SqlValue[], stop: Stop | undefined): Promise<pg.QueryArrayResult> =>
    withClient((client) => {
      const config = { name: names.of(sql, client), text: sql, values: values as unknown[], rowMode: 'array' as const };
      const result = stop === undefined ? query(client, config) : queryUntil(stop, canceller, client, config);
      return result as Promise<unknown> as Promise<pg.QueryArrayResult>;
    });
  return {
    async text(values, limit, stop) {
      const value = (await run(values, stop)).rows[0]?.[0] as string | number | bigint | boolean | null | undefined;
      if (value === undefined || value === null) return null;
      const text = String(value);
      if (limit !== undefined && isLongerThan(text, limit)) throw new TextTooLong(`The text has over ${limit} bytes.`);
      return text;
    },
    rows: async (values, stop) => (await run(values, stop)).rows as readonly Row[],
    run: async (values, stop) => (await run(values, stop)).rowCount ?? 0,
    insert: async (values, stop) => (await run(values, stop)).rows[0]![0] as number | bigint,
  };
}

async function query(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
  try {
    return await client.query(config);
  } catch (error) {
    throw translateRefusal(error);
  }
}

/** PostgreSQL's query_canceled. */
const CANCELLED = '57014';

/** A query that is cancelled when its time is over. The connection is not used again before that has been done. */
async function queryUntil(
  stop: Stop,
  canceller: Canceller,
  client: pg.PoolClient,
  config: pg.QueryConfig,
): Promise<pg.QueryResult> {
  if (stop.reason !== undefined) throw stop.reason;
  let cancelling: Promise<void> | undefined;
  const forget = stop.onStop(() => {
    cancelling = canceller.cancel(client);
  });
  try {
    return await client.query(config);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === CANCELLED && stop.reason !== undefined) throw stop.reason;
    throw translateRefusal(error);
  } finally {
    forget();
    await cancelling;
  }
}

/** Stops what goes on on other connections, over one of its own: those of the pool may all be at work. */
interface Canceller {
  /** Never rejects: what cannot be cancelled ends by itself. */
  cancel(client: pg.PoolClient): Promise<void>;
  stop(): Promise<void>;
}

/** How long the canceller's connection stays open without use, in milliseconds. */
const CANCELLER_IDLE = 5000;

function createCanceller(config: pg.PoolConfig, pulse: Pulse): Canceller {
  let pool: pg.Pool | undefined;
  return {
    async cancel(client) {
      if (pool === undefined) {
        pool = createPool({ ...config, max: 1, idleTimeoutMillis: CANCELLER_IDLE, allowExitOnIdle: true });
        pulse.watch(pool);
      }
      const { processID } = client as { readonly processID?: number };
      await pool.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => undefined);
    },
    async stop() {
      await pool?.end();
    },
  };
}

interface Names {
  of(sql: string, client: pg.PoolClient): string;
  /** The connection holds statements of a time gone by, and should be closed. */
  isStale(client: pg.PoolClient): boolean;
  /** Has every statement prepared anew. */
  renew(): void;
}

// The server keeps a plan for each name on each connection, and nobody but us forgets them: when the names run out, a
// new generation begins and each connection of an older one is closed when it is next given back.
function createNames(): Names {
  let generation = 1;
  let names = new Map<string, string>();
  const bornIn = new WeakMap<pg.PoolClient, number>();
  const renew = (): void => {
    generation++;
    names = new Map();
  };
  return {
    renew,
    of(sql, client) {
      if (!bornIn.has(client)) bornIn.set(client, generation);
      let name = names.get(sql);
      if (name === undefined) {
        if (names.size >= STATEMENT_LIMIT) renew();
        name = `s${generation}_${names.size}`;
        names.set(sql, name);
      }
      return name;
    },
    isStale: (client) => (bornIn.get(client) ?? generation) < generation,
  };
}

type Parse = (text: string) => unknown;

const asText: Parse = (text) => text;
const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [16, (text) => text === 't'],
  [20, toInteger],
  [21, Number],
  [23, Number],
  [26, Number],
  [700, Number],
  [701, Number],
  [1184, toIsoText],
]);

// Binary results are never asked for, so the parser is that of the text form.
function getTypeParser(oid: number): Parse {
  return PARSERS.get(oid) ?? asText;
}

function toInteger(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** `2026-11-21 05:00:00.5+00` → `2026-11-21T05:00:00.500Z`; what has another form (infinity, BC) stays as it is. */
function toIsoText(text: string): string {
  const parts = /^(\d{4,6}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/.exec(text);
  return parts === null ? text : `${parts[1]!}T${parts[2]!}.${(parts[3] ?? '').padEnd(3, '0')}Z`;
}
