// The PostgreSQL store, through `pg` (loaded nowhere else in this package): connecting, transactions, closing. Not
// here: statements (postgres-statement.ts) and the checkout of connections (postgres-checkout.ts).
import type pg from 'pg';
import { graphErrors } from '../errors.ts';
import { createCanceller } from './postgres-canceller.ts';
import { CHANNEL, createCommitListener } from './postgres-notifications.ts';
import { isOutOfDate, translateLostCommit, translateOutage, translateRefusal } from './postgres-error.ts';
import { checkOutConnection, createCheckout, onlyConnection, withConnection } from './postgres-checkout.ts';
import { createStatementNames } from './postgres-statement-names.ts';
import { runExclusively } from './postgres-exclusive.ts';
import { createHealthCheck } from './postgres-health.ts';
import { createStatement } from './postgres-statement.ts';
import { retryLostRace } from './retry-lost-race.ts';
import { quoteName } from '../schema/table-name.ts';
import { postgresTypes } from './postgres-values.ts';
import type { MaybePromise, Session, Store } from './store.ts';
import { first } from '../present.ts';

/** Loaded with the first PostgreSQL store; for SQLite, `pg` would only cost 4 MB and 30 ms. */
let driver: typeof pg;

/** Options of the PostgreSQL store. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`; TLS by `?sslmode=`. */
  readonly url: string;
  /** The schema of the tables, created if absent; default: the first of the server's search path. */
  readonly schema?: string;
  /** Maximum number of connections; default 10. */
  readonly connections?: number;
  /** Milliseconds for which an open transaction may send nothing; default 15,000. The database then undoes it. */
  readonly longestIdle?: number;
}

/** Schema of the engine's own tables beside unmanaged ones; followed by the schema of the tables, if one is given. */
const OWN_SCHEMA = 'lockstitch';
/** Default number of connections. */
const CONNECTIONS = 10;
/**
 * Longer than any work between two statements. A process that is stopped, or cut off without a word, would else keep its locks for as long as
 * TCP waits for it, and appending to the feed is locked: nobody could write.
 */
const LONGEST_IDLE = 15_000;
/** Maximum time to open or wait for a connection, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;
/** Idle timeout of the canceller's connection, in milliseconds. */
const CANCELLER_IDLE = 5000;
// Measured: with default costs, subplans become hash joins (1.07 ms against 0.235). Custom plans cost more than they
// save on look-ups by key, and JIT compilation takes longer than these queries.
const SETTINGS = [
  'random_page_cost=1.1',
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'TimeZone=UTC',
  'DateStyle=ISO',
  'IntervalStyle=iso_8601',
  'bytea_output=hex',
  // A backslash in a text is a backslash.
  'standard_conforming_strings=on',
  // Rows are locked where needed. A stricter default of the database would make writes fail that could wait.
  'default_transaction_isolation=read committed',
];

/**
 * Connects to PostgreSQL.
 *
 * @throws the driver's error if the server cannot be reached or rejects the login; ProductError GRAPH_STORE_ENCODING
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  driver ??= (await import('pg')).default;
  const plain = {
    connectionString: options.url,
    max: options.connections ?? CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    types: postgresTypes,
  };
  const { encoding, path } = await askServer(plain, options.schema);
  if (encoding !== 'UTF8') throw graphErrors.create('GRAPH_STORE_ENCODING', { store: describe(options.url), encoding });
  const ownSchema = options.schema === undefined ? OWN_SCHEMA : `${OWN_SCHEMA}_${options.schema}`;
  // Triggers skip what this store writes itself (capture/postgres-triggers.ts).
  const own = `lockstitch.own=${ownSchema}`;
  const { longestIdle = LONGEST_IDLE } = options;
  const idle = `idle_in_transaction_session_timeout=${longestIdle}`;
  const settings = [...SETTINGS, idle, own, `search_path=${path === '' ? '' : `${path}, `}${quoteName(ownSchema)}`];
  const config = {
    ...plain,
    options: settings.map((setting) => `-c ${setting.replaceAll(/[\\ ]/g, String.raw`\$&`)}`).join(' '),
  };
  return createStore(config, createPool(config), { description: describe(options.url), ownSchema });
}

/** The server's encoding and search path; creates the schema, if one is given. */
async function askServer(
  config: pg.ClientConfig,
  schema: string | undefined,
): Promise<{ readonly encoding: string; readonly path: string }> {
  const client = new driver.Client(config);
  client.on('error', () => undefined);
  await client.connect();
  try {
    if (schema !== undefined) {
      await retryLostRace(async () => {
        const { rows } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
        // For a schema that exists, IF NOT EXISTS needs the right to create one, too.
        if (rows.length === 0) await client.query(`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`);
      });
    }
    const asked = await client.query<{ readonly encoding: string; readonly path: string }>(
      `SELECT current_setting('server_encoding') AS encoding, current_setting('search_path') AS path`,
    );
    return {
      encoding: first(asked.rows).encoding,
      path: schema === undefined ? first(asked.rows).path : quoteName(schema),
    };
  } finally {
    await client.end();
  }
}

/** Creates a pool. Its connections may break at any time; without a listener, an error event would end the process. */
function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new driver.Pool(config);
  // The pool replaces a broken idle connection; the next query reports an unavailable server.
  pool.on('error', () => undefined);
  // The pool does not listen to checked-out connections; their query rejects.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function describe(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.href;
}

/** Milliseconds until a silent connection is probed. */
const KEEP_ALIVE = 10_000;

function createStore(
  config: pg.PoolConfig & { readonly max: number },
  pool: pg.Pool,
  told: Pick<Store, 'description' | 'ownSchema'>,
): Store {
  const names = createStatementNames();
  const createClient = (): pg.Client => new driver.Client(config);
  const watch = createCommitListener(createClient);
  const health = createHealthCheck(createClient);
  health.watch(pool);
  const canceller = createCanceller(() => {
    const own = createPool({ ...config, max: 1, idleTimeoutMillis: CANCELLER_IDLE, allowExitOnIdle: true });
    health.watch(own);
    return own;
  });
  const parts = { names, canceller };
  const checkout = createCheckout({ pool, connections: config.max, timeout: CONNECT_TIMEOUT, names, health });
  let closing: Promise<void> | undefined;

  async function attemptTransaction<T>(work: (session: Session) => MaybePromise<T>): Promise<T> {
    const client = await checkOutConnection(checkout);
    const connection = onlyConnection(client);
    let unusable: unknown;
    try {
      await client.query('BEGIN');
      const result = await work({ prepare: (sql) => createStatement(sql, connection, parts) });
      // In one round trip; the notification is sent only if the commit succeeds.
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
      checkout.giveBack(client, unusable);
    }
  }

  return {
    dialect: 'postgres',
    ...told,
    prepare: (sql) => createStatement(sql, checkout, parts),
    attempt: undefined,
    async transaction(work) {
      const isOutdated = (error: unknown): boolean => {
        if (!isOutOfDate(error)) return false;
        names.renew();
        return true;
      };
      try {
        const result = await retryLostRace(() => attemptTransaction(work), isOutdated);
        watch.announce();
        return result;
      } catch (error) {
        throw translateOutage(error);
      }
    },
    onConnection: (work) =>
      withConnection(checkout, (client) => {
        const connection = onlyConnection(client);
        return work({ prepare: (sql) => createStatement(sql, connection, parts) });
      }),
    exclusively(work, onWait) {
      const client = new driver.Client({ ...config, keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE });
      return runExclusively(client, `lockstitch ${told.ownSchema}`, work, onWait);
    },
    async script(sql) {
      await withConnection(checkout, (client) =>
        retryLostRace(async () => {
          try {
            await client.query(`BEGIN;\n${sql};\nNOTIFY ${CHANNEL}; COMMIT`);
          } catch (error) {
            // A lost connection has rolled back; the first error is the cause.
            await client.query('ROLLBACK').catch(() => undefined);
            throw error;
          }
        }),
      );
      watch.announce();
    },
    onCommit: watch.listen,
    pool: () => checkout.use(),
    async close() {
      closing ??= Promise.all([watch.stop(), canceller.stop(), pool.end()]).then(() => health.stop());
      await closing;
    },
  };
}
