import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import type { Filter } from '../../src/chain/filter.ts';
import { promiseStore } from '../../src/session/session-store.ts';
import { createSessions, type Sessions } from '../../src/session/sessions.ts';
import { openSqlSessionStore } from '../../src/session/sql-session-store.ts';
import type { SqlDatabase } from '../../src/stores/sql-database.ts';
import { createClient } from '../support/run-filters.ts';
import { testOnDatabases } from '../support/databases.ts';

const login = (sessions: Sessions): Filter => ({
  name: 'login',
  async handle(exchange, next) {
    if (exchange.path === '/login')
      await sessions.logIn(exchange, { principal: createPrincipal('jürgen', ['read']), login: 'full' });
    if (exchange.path === '/logout') await sessions.logOut(exchange);
    await next(exchange);
  },
});

async function open(database: SqlDatabase, clock = { now: () => Date.now() }) {
  const sessions = createSessions({ store: await openSqlSessionStore({ database, clock }), clock });
  return { sessions, filters: [sessions.filter, login(sessions)] };
}

testOnDatabases('a session outlives the process that started it, and log-out ends it for all', async (database) => {
  const first = await open(database);
  const client = createClient(first.filters);
  await client.send({ target: '/login' }, (exchange) =>
    first.sessions.current(exchange)?.set('colour', 'blue "and" \u{1f511}'),
  );
  const second = await open(database);
  const elsewhere = createClient(second.filters);
  elsewhere.jar.set('JSESSIONID', client.jar.get('JSESSIONID')!);
  let colour: unknown;
  const answer = await elsewhere.send(
    {},
    (exchange) => void (colour = second.sessions.current(exchange)?.get('colour')),
  );
  deepEqual([answer.user, colour], ['jürgen', 'blue "and" \u{1f511}']);
  await client.send({ target: '/logout' });
  elsewhere.jar.set('JSESSIONID', client.jar.get('JSESSIONID') ?? 'gone');
  equal((await elsewhere.send()).user, 'anonymousUser');
});

testOnDatabases('use prolongs a session without undoing what another request wrote', async (database) => {
  let now = Date.now();
  const { sessions, filters } = await open(database, { now: () => now });
  const client = createClient(filters);
  await client.send({ target: '/login' });
  now += 20 * 60_000;
  await client.send({}, async (exchange) => {
    const other = createClient(filters);
    other.jar.set('JSESSIONID', client.jar.get('JSESSIONID')!);
    await other.send({}, (inner) => sessions.current(inner)?.set('n', 1));
    equal(exchange.principal.name, 'jürgen');
  });
  now += 20 * 60_000;
  let n: unknown;
  const answer = await client.send({}, (exchange) => void (n = sessions.current(exchange)?.get('n')));
  deepEqual([answer.user, n], ['jürgen', 1]);
});

testOnDatabases('sessions of a user are limited and ended whichever process started them', async (database) => {
  const start = async () => {
    const sessions = createSessions({ store: await openSqlSessionStore({ database }), maxPerUser: 2 });
    return { sessions, filters: [sessions.filter, login(sessions)] };
  };
  const [first, second] = [await start(), await start()];
  const clients = [first, second, first].map(({ filters }) => createClient(filters));
  for (const client of clients) await client.send({ target: '/login' });
  const users = async () => Promise.all(clients.map(async (client) => (await client.send()).user));
  deepEqual(await users(), ['anonymousUser', 'jürgen', 'jürgen'], 'the oldest of three has ended');
  await first.sessions.endAllOf('jürgen');
  deepEqual(await users(), ['anonymousUser', 'anonymousUser', 'anonymousUser']);
});

testOnDatabases('a table of an earlier version gets its column, and any name of a user is listed', async (database) => {
  await database.query(
    'CREATE TABLE security_sessions (id TEXT PRIMARY KEY, ends BIGINT NOT NULL, session TEXT NOT NULL)',
    [],
  );
  await Promise.all([openSqlSessionStore({ database }), openSqlSessionStore({ database })]);
  const store = promiseStore(await openSqlSessionStore({ database }));
  const name = 'a\u0000b \ud800';
  const principal = { name, authorities: [], attributes: {}, login: 'full' as const };
  const cookie = {
    originalMaxAge: 1,
    maxAge: 1,
    expires: new Date(Date.now() + 60_000),
    path: '/',
    httpOnly: true,
    secure: false,
    sameSite: 'lax',
  };
  await store.set('id', { cookie, createdAt: 0, usedAt: 0, principal, values: {} });
  deepEqual([await store.keysOf?.(name), await store.keysOf?.('a')], [['id'], []]);
});

test('the name of the table is checked', async () => {
  const database = { dialect: 'sqlite' } as SqlDatabase;
  const failed = await openSqlSessionStore({ database, prefix: 'x; DROP TABLE y; --' }).catch(
    (error: { code: string }) => error.code,
  );
  equal(failed, 'SECURITY_SETTING');
});
