// What servers share: whatever one of them counted or took, the others know.
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createAttemptLimiter } from '../../src/limits/attempt-limiter.ts';
import { AuthenticationFailure } from '../../src/chain/authentication-failure.ts';
import { openSqlLoginState } from '../../src/login/sql-login-state.ts';
import type { SqlDatabase } from '../../src/stores/sql-database.ts';
import { testOnDatabases } from '../support/databases.ts';

const wrong = (): Promise<never> => Promise.reject(new AuthenticationFailure('SECURITY_BAD_CREDENTIALS'));
const isFailure = (error: unknown): boolean => error instanceof AuthenticationFailure;

/** Two servers on one database; none on SQLite, which refuses. */
async function twoServers(database: SqlDatabase) {
  if (database.dialect === 'postgres')
    return Promise.all([openSqlLoginState({ database }), openSqlLoginState({ database })]);
  await rejects(openSqlLoginState({ database }), { code: 'SECURITY_SETTING', message: /PostgreSQL/ });
  return undefined;
}

testOnDatabases('failed log-ins count in all servers together, and a success forgives in all', async (database) => {
  const states = await twoServers(database);
  if (states === undefined) return;
  const [one, other] = states.map(({ counter }) =>
    createAttemptLimiter({ counter, byPair: { failures: 3, seconds: 60 } }),
  );
  ok(one !== undefined && other !== undefined);
  const attempt = (limiter: typeof one, work: () => Promise<unknown>): Promise<string> =>
    limiter.run('ada', '10.0.0.1', work, isFailure).then(
      () => 'in',
      (error: { code: string }) => error.code,
    );
  equal(await attempt(one, wrong), 'SECURITY_BAD_CREDENTIALS');
  equal(await attempt(other, wrong), 'SECURITY_BAD_CREDENTIALS');
  equal(await attempt(one, async () => undefined), 'in');
  for (const limiter of [other, one, other]) equal(await attempt(limiter, wrong), 'SECURITY_BAD_CREDENTIALS');
  equal(await attempt(one, async () => undefined), 'SECURITY_TOO_MANY_ATTEMPTS');
  equal(await attempt(other, async () => undefined), 'SECURITY_TOO_MANY_ATTEMPTS');
  const [stored] = await database.query("SELECT string_agg(key, ' ') AS keys FROM security_attempts", []);
  match(String(stored?.['keys']), /^[\w-]{43}( [\w-]{43})*$/, 'names are hashed');
});

testOnDatabases('a nonce is taken once, and again when its time is over', async (database) => {
  const states = await twoServers(database);
  if (states === undefined) return;
  const taken = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => states[at % 2]!.nonces.use('key nonce', Date.now() + 60_000)),
  );
  equal(taken.filter(Boolean).length, 1);
  deepEqual([await states[0].nonces.use('old', Date.now() - 1), await states[1].nonces.use('old', 1)], [true, true]);
});

testOnDatabases('a one-time password counts once, and no earlier one after it', async (database) => {
  const states = await twoServers(database);
  if (states === undefined) return;
  const taken = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => states[at % 2]!.steps.advance('ada', 100)),
  );
  equal(taken.filter(Boolean).length, 1);
  const later = [await states[1].steps.advance('ada', 99), await states[0].steps.advance('ada', 101)];
  deepEqual([...later, await states[0].steps.advance('bo', 99)], [false, true, true]);
});

test('the name of the tables is checked', async () => {
  const database = { dialect: 'postgres' } as SqlDatabase;
  await rejects(openSqlLoginState({ database, prefix: 'x; DROP TABLE y; --' }), { code: 'SECURITY_SETTING' });
});
