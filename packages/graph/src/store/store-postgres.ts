// How the engine talks to PostgreSQL, through `pg` (loaded nowhere else in this package): opening it, transactions and closing.
// Not here: single statements (postgres-statement.ts) and who gets which connection (postgres-lender.ts).
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { graphErrors } from '../errors.ts';
import { createCanceller } from './postgres-cancel.ts';
import { CHANNEL, createCommitWatch } from './postgres-commits.ts';
import { isLostRace, isOutOfDate, translateLostCommit, translateOutage, translateRefusal } from './postgres-error.ts';
import { borrowConnection, createLender, onlyConnection, withConnection } from './postgres-lender.ts';
import { createNames } from './postgres-names.ts';
import { createPulse } from './postgres-pulse.ts';
import { createStatement } from './postgres-statement.ts';
import { postgresTypes } from './postgres-values.ts';
import type { MaybePromise, Session, Store } from './store.ts';

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

/** Unless told otherwise. */
const CONNECTIONS = 10;
/** How often a transaction that lost a deadlock is run again. */
const ATTEMPTS = 4;
/** How long a connection may take to open, or to become free, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;
/** How long the canceller's connection stays open without use, in milliseconds. */
const CANCELLER_IDLE = 5000;
// Measured: with the server's default costs, subplans become hash joins (1.07 ms against 0.235); custom plans cost more
// than they save on look-ups by key; compiling expressions (jit) costs more than these queries run.
const SETTINGS = [
  'random_page_cost=1.1',
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'TimeZone=UTC',
  'DateStyle=ISO',
  // A backslash in a text is one.
  'standard_conforming_strings=on',
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
  const config = {
    connectionString: options.url,
    max: options.connections ?? CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    options: settings.map((setting) => `-c ${setting.replaceAll(/[\\ ]/g, String.raw`\$&`)}`).join(' '),
    types: postgresTypes,
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

function createStore(config: pg.PoolConfig & { readonly max: number }, pool: pg.Pool, description: string): Store {
  const names = createNames();
  const createClient = (): pg.Client => new driver.Client(config);
  const watch = createCommitWatch(createClient);
  const pulse = createPulse(createClient);
  pulse.watch(pool);
  const canceller = createCanceller(() => {
    const own = createPool({ ...config, max: 1, idleTimeoutMillis: CANCELLER_IDLE, allowExitOnIdle: true });
    pulse.watch(own);
    return own;
  });
  const parts = { names, canceller };
  const lender = createLender({ pool, connections: config.max, timeout: CONNECT_TIMEOUT, names, pulse });
  let closing: Promise<void> | undefined;

  async function attemptTransaction<T>(work: (session: Session) => MaybePromise<T>): Promise<T> {
    const client = await borrowConnection(lender);
    const connection = onlyConnection(client);
    let unusable: unknown;
    try {
      await client.query('BEGIN');
      const result = await work({ prepare: (sql) => createStatement(sql, connection, parts) });
      // In one round trip; the word is delivered only if the commit succeeds.
      await client.query(`NOTIFY ${CHANNEL}; COMMIT`).catch((error: unknown) => {
        throw translateLostCommit(translateRefusal(error));
      });
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: unknown) => {
        unusable = failure;
      });
      throw error;
    } finally {
      lender.giveBack(client, unusable);
    }
  }

  return {
    dialect: 'postgres',
    description,
    prepare: (sql) => createStatement(sql, lender, parts),
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
      await withConnection(lender, async (client) => {
        try {
          await client.query(`BEGIN;\n${sql};\nNOTIFY ${CHANNEL}; COMMIT`);
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
