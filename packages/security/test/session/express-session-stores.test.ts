// Stores that were written for express-session, as their users install them, against the real databases: connect-pg-simple on
// PostgreSQL and connect-redis on a Redis or Valkey. That one is taken from REDIS_URL or started from the machine's own
// program; no package of npm brings one along, so where there is none the test is skipped and says so.
import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { test, type TestContext } from 'node:test';
import connectPgSimple from 'connect-pg-simple';
import { RedisStore } from 'connect-redis';
import session from 'express-session';
import pg from 'pg';
import { createClient as connectRedis } from 'redis';
import { createPrincipal } from '@lockstitch/kernel';
import { freshSchema, postgresUrl } from '../../../graph/test/stores.ts';
import type { Filter } from '../../src/chain/filter.ts';
import type { SessionStore } from '../../src/session/session-store.ts';
import { createSessions } from '../../src/session/sessions.ts';
import { createMemoryUserStore } from '../../src/users/memory-user-store.ts';
import { userNamed } from '../../src/users/user.ts';
import { createClient, run } from '../support/run-filters.ts';

test('connect-pg-simple keeps sessions in PostgreSQL', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  const schema = freshSchema();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  t.after(() => pool.end());
  await pool.query(`CREATE SCHEMA ${schema}`);
  const Store = connectPgSimple(session);
  const store = new Store({ pool, schemaName: schema, createTableIfMissing: true, pruneSessionInterval: false });
  const rows = async (): Promise<readonly Row[]> =>
    (
      await pool.query<{ sid: string; sess: object; expire: Date }>(`SELECT sid, sess, expire FROM ${schema}.session`)
    ).rows.map(({ sid, sess, expire }) => ({
      key: sid,
      text: JSON.stringify(sess),
      seconds: (expire.getTime() - Date.now()) / 1000,
    }));
  await check(store, rows);
});

test('connect-redis keeps sessions in Redis', async (t) => {
  const url = await redisUrl(t);
  if (url === undefined) return t.skip('there is neither REDIS_URL nor a redis-server or valkey-server on the PATH');
  const client = connectRedis({ url });
  await client.connect();
  const prefix = `lockstitch-test-${process.pid}:`;
  t.after(async () => {
    for (const key of await client.keys(`${prefix}*`)) await client.del(key);
    await client.close();
  });
  const store = new RedisStore({ client, prefix });
  const rows = async (): Promise<readonly Row[]> =>
    Promise.all(
      (await client.keys(`${prefix}*`)).map(async (key) => ({
        key: key.slice(prefix.length),
        text: (await client.get(key)) ?? '',
        seconds: await client.ttl(key),
      })),
    );
  await check(store, rows);
});

interface Row {
  readonly key: string;
  readonly text: string;
  /** Until the store forgets it by itself. */
  readonly seconds: number;
}

/** What every store has to do for us, in the order of a visit. */
async function check(store: SessionStore, rows: () => Promise<readonly Row[]>): Promise<void> {
  let now = Date.now();
  const clock = { now: () => now };
  const users = createMemoryUserStore([userNamed('jürgen').password('stored').authorities('read').build()]);
  const sessions = createSessions({ store, clock, users, maxIdle: 60_000 });
  const actions: Filter = {
    name: 'actions',
    async handle(exchange, next) {
      const { path } = exchange;
      if (path === '/start') sessions.obtain(exchange).set('basket', ['\u{1f511} "key"']);
      if (path === '/login')
        await sessions.logIn(exchange, { principal: createPrincipal('jürgen', ['read']), login: 'full' });
      if (path === '/logout') await sessions.logOut(exchange);
      await next(exchange);
    },
  };
  const filters = [sessions.filter, actions];
  const browser = createClient(filters);

  await browser.send({ target: '/start' });
  const before = browser.jar.get('JSESSIONID')!;
  await browser.send({ target: '/login' });
  const after = browser.jar.get('JSESSIONID')!;
  notEqual(before, after);
  const [row, ...others] = await rows();
  deepEqual(others, [], 'the session of before the log-in is gone');
  match(row!.text, /jürgen/);
  equal(`${row!.key}${row!.text}`.includes(after), false, 'what is stored opens no session');
  equal(row!.seconds > 50 && row!.seconds <= 61, true, `it is forgotten after ${row!.seconds} s`);

  let basket: unknown;
  const back = await browser.send({}, (exchange) => void (basket = sessions.current(exchange)?.get('basket')));
  deepEqual([back.user, basket], ['jürgen', ['\u{1f511} "key"']]);
  equal((await run(filters, { headers: { cookie: `JSESSIONID=${before}` } })).user, 'anonymousUser');

  // Used within the idle time, three times; then not.
  for (let use = 0; use < 3; use++) {
    now += 40_000;
    equal((await browser.send()).user, 'jürgen');
  }
  now += 60_000;
  equal((await browser.send()).user, 'anonymousUser');
  deepEqual(await rows(), []);

  await browser.send({ target: '/login' });
  await users.updatePassword('jürgen', 'another', 'stored');
  equal((await browser.send()).user, 'anonymousUser');
  await browser.send({ target: '/login' });
  await browser.send({ target: '/logout' });
  deepEqual(await rows(), []);
}

async function redisUrl(t: TestContext): Promise<string | undefined> {
  const given = process.env['REDIS_URL'];
  if (given !== undefined && given !== '') return given;
  const program = ['valkey-server', 'redis-server'].find(isInstalled);
  if (program === undefined) return undefined;
  // Port 0 would mean "none" to it; one from the upper range is tried until it is free.
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = 49_152 + Math.floor(Math.random() * 16_000);
    const child = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']);
    t.after(() => child.kill());
    const isReady = await new Promise<boolean>((resolve) => {
      child.stdout.on('data', (text) => {
        if (/ready to accept connections/i.test(String(text))) resolve(true);
      });
      child.once('exit', () => resolve(false));
    });
    if (isReady) return `redis://127.0.0.1:${port}`;
  }
  return undefined;
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
