// What log-ins count and remember, in tables of a PostgreSQL database, so that several servers behind a balancer share it:
// failed attempts, nonces of signed requests, used one-time passwords. One SQLite file belongs to one server.
import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '@lockstitch/kernel';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { authenticationErrors } from '../errors/authentication-errors.ts';
import type { AttemptBound } from '../limits/attempt-limiter.ts';
import type { AttemptKind } from '../limits/attempt-keys.ts';
import { loadRateLimiter } from '../limits/load-rate-limiter.ts';
import { SQL_LOGIN_STATE } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';
import type { NonceStore } from '../token/signature-filter.ts';
import type { UsedSteps } from '../token/totp.ts';
import { checkPrefix, createTables, type SqlDatabase, type SqlValue } from '../stores/sql-database.ts';

export interface SqlLoginStateOptions {
  readonly database: SqlDatabase;
  /** Prefix of the table names `attempts`, `nonces` and `one_time`. Default: `security_`. */
  readonly prefix?: string;
  readonly clock?: Clock;
}

export interface LoginState {
  /** For `attempts.counter`. */
  readonly counter: (kind: AttemptKind, bound: AttemptBound) => RateLimiterAbstract;
  /** For `signatures.nonces`. */
  readonly nonces: NonceStore;
  /** For `oneTime.verifier.steps`. */
  readonly steps: UsedSteps;
}

/** Expired rows are deleted once in this many writes. */
const SWEEP_EVERY = 500;

/**
 * Opens the tables and creates missing ones.
 *
 * @throws SECURITY_SETTING for a database that is not PostgreSQL
 */
export async function openSqlLoginState(options: SqlLoginStateOptions): Promise<LoginState> {
  requireOptions('openSqlLoginState', SQL_LOGIN_STATE, options);
  const { database, prefix = 'security_', clock = systemClock } = options;
  checkPrefix(prefix);
  if (database.dialect !== 'postgres') {
    const what = 'Servers share what log-ins count in a PostgreSQL database; one SQLite file belongs to one server.';
    throw authenticationErrors.create('SECURITY_SETTING', { what });
  }
  const [attempts, nonces, steps] = [`${prefix}attempts`, `${prefix}nonces`, `${prefix}one_time`];
  await createTables(database, [
    `CREATE TABLE IF NOT EXISTS ${attempts} (key TEXT PRIMARY KEY, points INTEGER NOT NULL, expire BIGINT)`,
    `CREATE TABLE IF NOT EXISTS ${nonces} (nonce TEXT PRIMARY KEY, ends BIGINT NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS ${nonces}_ends ON ${nonces} (ends)`,
    `CREATE TABLE IF NOT EXISTS ${steps} (username TEXT PRIMARY KEY, step BIGINT NOT NULL)`,
  ]);
  let writes = 0;
  return {
    counter: (kind, bound) => createCounter(database, attempts, kind, bound),
    nonces: {
      async use(nonce, ends) {
        writes += 1;
        if (writes % SWEEP_EVERY === 0) await database.query(`DELETE FROM ${nonces} WHERE ends <= $1`, [clock.now()]);
        const taken = await database.query(
          `INSERT INTO ${nonces} (nonce, ends) VALUES ($1, $2)
           ON CONFLICT (nonce) DO UPDATE SET ends = excluded.ends WHERE ${nonces}.ends <= $3 RETURNING nonce`,
          [nonce, ends, clock.now()],
        );
        return taken.length > 0;
      },
    },
    steps: {
      async advance(username, step) {
        const advanced = await database.query(
          `INSERT INTO ${steps} (username, step) VALUES ($1, $2)
           ON CONFLICT (username) DO UPDATE SET step = excluded.step WHERE ${steps}.step < excluded.step RETURNING username`,
          [username, step],
        );
        return advanced.length > 0;
      },
    },
  };
}

function createCounter(
  database: SqlDatabase,
  tableName: string,
  kind: AttemptKind,
  { failures, seconds }: AttemptBound,
): RateLimiterAbstract {
  const { RateLimiterPostgres } = loadRateLimiter();
  class HashedKeys extends RateLimiterPostgres {
    /** What clients type as a name may be a password, so names are not stored. */
    override getKey(key: string): string {
      return createHash('sha256').update(`${kind} ${key}`).digest('base64url');
    }
  }
  return new HashedKeys({
    storeClient: {
      async query({ text, values = [] }: { readonly text: string; readonly values?: readonly SqlValue[] }) {
        const rows = await database.query(text.trim().replace(/;$/, ''), values);
        return {
          rowCount: rows.length,
          rows: rows.map(({ points, expire }) => ({ points: Number(points), expire: Number(expire) })),
        };
      },
    },
    storeType: 'client',
    tableName,
    tableCreated: true,
    points: failures,
    duration: seconds,
  });
}
