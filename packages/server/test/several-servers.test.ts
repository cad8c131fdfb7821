// Several servers on one PostgreSQL: a caller may reach another one with each request.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { openPostgresStore } from '@lockstitch/graph';
import type { Log } from '@lockstitch/kernel';
import { signRequest } from '@lockstitch/security';

import { checkApp } from '../src/app/load-app.ts';
import { until } from '../../kernel/test/until.ts';
import { browser, cookies, NOBODY, ONE_TIME_SECRET, oneTimePassword } from './browser.ts';
import { runLine } from './cli/run-here.ts';
import { freshDatabase } from './fresh-database.ts';
import { startApp, type TestApp } from './start-app.ts';
import { temporaryFolder } from './temporary-folder.ts';

const PROBE = '/graphql?query=%7B__typename%7D';
const SECRET = 'a shared secret of more than 32 bytes';

/** Two servers that start at the same time on an empty database; undefined without PostgreSQL. */
async function startTwo(
  context: TestContext,
  config: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<readonly [TestApp, TestApp] | undefined> {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) {
    context.skip(url);
    return undefined;
  }
  const options = { config: { servers: 'several', ...config }, files, environment: { DATABASE_URL: url } };
  return Promise.all([startApp(context, options), startApp(context, options)]);
}

test('two servers prepare and fill an empty database once, and each searches what the other wrote', async (context) => {
  const seed = `export default async ({ write }) => {
    await write('Author', [{ login: 'ada', name: 'Ada' }]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await write('Note', [{ title: 'first', author: 'ada' }]);
  };`;
  const apps = await startTwo(context, { seed: './seed.mjs' }, { 'seed.mjs': seed });
  if (apps === undefined) return;
  const [one, other] = apps;
  deepEqual(await other.graph('{ notes { title } }'), { notes: [{ title: 'first' }] });
  await one.graph('mutation { createNote(input: { title: "second", author: "ada" }) { id } }');
  const headers = { 'lockstitch-min-position': String(await one.app.graph.feed.head()) };
  const found = await other.call('/notes/_search?q=title:second', { headers });
  equal(found.json.hits?.total.value, 1, found.text);
  const scroll = await one.call('/notes/_search?scroll=1m', { json: { size: 1 } });
  const next = { json: { scroll_id: scroll.json._scroll_id } };
  const answers = [await other.call('/_search/scroll', next), await one.call('/_search/scroll', next)];
  deepEqual([scroll.status, ...answers.map(({ status }) => status)], [200, 404, 200], 'a scroll is of one server');
  match(answers[0]!.text, /search_context_missing_exception/);
  equal((await other.call('/mine/_doc/1', { method: 'PUT', json: {} })).status, 403, 'no indexes of one server alone');
});

test('a session is known to every server, counted for all, and ended for all', async (context) => {
  const apps = await startTwo(context, { session: { maxPerUser: 1 } });
  if (apps === undefined) return;
  const [one, other] = apps;
  const first = browser(one);
  equal((await first.logIn()).status, 302);
  const asFirst = { headers: { ...NOBODY, cookie: cookies(first.jar) } };
  equal((await other.call(PROBE, asFirst)).status, 200);
  const second = browser(other);
  equal((await second.logIn()).status, 302);
  deepEqual([(await one.call(PROBE, asFirst)).status, (await other.call(PROBE, asFirst)).status], [401, 401]);
  const asSecond = { headers: { ...NOBODY, cookie: cookies(second.jar) } };
  equal((await one.call(PROBE, asSecond)).status, 200);
});

test('wrong passwords count at all servers together; a nonce and a one-time password count once', async (context) => {
  const apps = await startTwo(context, {
    attempts: { perPair: 3, window: 60 },
    signatures: { signers: [{ keyId: 'k1', name: 'acme', secret: SECRET }] },
    login: { oneTime: { secrets: { user: ONE_TIME_SECRET } } },
  });
  if (apps === undefined) return;
  const [one, other] = apps;
  const key = { kind: 'shared', secret: Buffer.from(SECRET) } as const;
  const signed = { headers: { authorization: signRequest('k1', key, { method: 'GET', target: PROBE }) } };
  deepEqual([(await one.call(PROBE, signed)).status, (await other.call(PROBE, signed)).status], [200, 401]);

  const withCode = { headers: { 'x-one-time-password': oneTimePassword() } };
  deepEqual([(await one.call(PROBE, withCode)).status, (await other.call(PROBE, withCode)).status], [200, 401]);

  const wrong = { headers: { authorization: `Basic ${Buffer.from('eve:wrong').toString('base64')}` } };
  const statuses: number[] = [];
  for (const app of [one, other, one, other, one]) statuses.push((await app.call(PROBE, wrong)).status);
  deepEqual(statuses, [401, 401, 401, 429, 429]);
});

test('another server starts with a copy of the indexes, and reads what has changed since', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const environment = { DATABASE_URL: url, LOCKSTITCH_SERVERS: 'several', LOCKSTITCH_USER_PASSWORD: 'correct horse' };
  const home = temporaryFolder(context);
  const one = await startApp(context, { data: join(home, 'one'), environment });
  await one.graph('mutation { createAuthor(input: { login: "ada" }) { login } }');
  await one.graph('mutation { createNote(input: { title: "before", author: "ada" }) { id } }');
  const copy = (to: string): ReturnType<typeof runLine> =>
    runLine(['index', 'copy', one.folder, '--data', join(home, 'one'), '--to', join(home, to)], environment);
  const copied = await copy('other');
  deepEqual([copied.code, copied.out.startsWith('Copied: authors, notes.')], [0, true], copied.err);
  match((await copy('other')).err, /SERVER_FOLDER_NOT_EMPTY/);
  equal(existsSync(join(home, 'other/instance')), false, 'the other server reads the feed under a name of its own');
  await one.graph('mutation { createNote(input: { title: "after", author: "ada" }) { id } }');

  const built: string[] = [];
  const data = join(home, 'other');
  const other = await startApp(context, { data, environment, onBuild: ({ index }) => void built.push(index) });
  const headers = { 'lockstitch-min-position': String(await one.app.graph.feed.head()) };
  const found = await other.call('/notes/_search?q=*', { headers });
  deepEqual([found.json.hits?.total.value, built], [2, []], found.text);
});

test('what one server would keep to itself is refused', async (context) => {
  const files = {
    'schema.graphql': 'type Note @entity { id: ID! } type Query { note(id: ID!): Note }',
    'lockstitch.config.mjs': `export default {
      session: { store: 'memory' },
      search: { ownIndexes: true },
      chains: [{ path: '/a/**', csrf: { repository: 'client' } }],
    };`,
  };
  const folder = temporaryFolder(context, files);
  const reading = await checkApp(folder, { LOCKSTITCH_SERVERS: 'several' });
  const text =
    reading.kind === 'bad' ? reading.problems.map(({ where, message }) => `${where} ${message}`).join('\n') : '';
  match(text, /share their data in PostgreSQL/);
  match(text, /lockstitch\.config\.mjs:2 A session in memory is known to one/);
  match(text, /lockstitch\.config\.mjs:3 A document .* is found on one of several servers only/);
  match(text, /lockstitch\.config\.mjs:4 A CSRF token of a client is known to one/);
  match(text, /would generate a password of its own/);
  equal((await checkApp(folder, {})).kind, 'good');
  const misspelt = await checkApp(folder, { LOCKSTITCH_SERVERS: '2' });
  match(JSON.stringify(misspelt), /LOCKSTITCH_SERVERS must be one or several/);
});

const WITH_NOTES = (fields: string): string => `type Note @entity { id: ID! ${fields} }
  type Query { notes: [Note!]! } type Mutation { createNote(title: String!): Note! }`;

test('a schema that old servers can live with is started beside them; one that breaks them waits', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const environment = { DATABASE_URL: url, LOCKSTITCH_SERVERS: 'several' };
  const old = await startApp(context, { schema: WITH_NOTES('title: String!'), environment });
  const beside = await startApp(context, { schema: WITH_NOTES('title: String! text: String'), environment });
  await old.graph('mutation { createNote(title: "one") { id } }');
  deepEqual(await beside.graph('{ notes { title text } }'), { notes: [{ title: 'one', text: null }] });

  const migrate = (folder: string): ReturnType<typeof runLine> =>
    runLine(['migrate', folder, '--allow-loss', 'drop notes.text'], { ...environment, LOCKSTITCH_USER_PASSWORD: 'x' });
  match((await migrate(old.folder)).err, /drop notes\.text[^]*SERVER_OTHERS_RUN/);
  const lines: string[] = [];
  const log: Log = { write: (_, message, facts) => void lines.push(`${message} ${JSON.stringify(facts)}`) };
  let isUp = false;
  const schema = WITH_NOTES('heading: String! @renamedFrom(name: "title") text: String').replace(
    '(title:',
    '(heading:',
  );
  const starting = startApp(context, { schema, environment, log }).then((app) => {
    isUp = true;
    return app;
  });
  await until(() => lines.length > 0);
  match(lines[0] ?? '', /^The schema waits for servers that its changes would break.*"steps":"rename notes.title"/);
  await beside.close();
  await old.graph('mutation { createNote(title: "two") { id } }');
  equal(isUp, false, 'one of the two is left');
  await old.close();
  const renamed = await starting;
  deepEqual(await renamed.graph('{ notes { heading } }'), { notes: [{ heading: 'one' }, { heading: 'two' }] });
});

test('of two versions that break each other and start at once, one waits for the other', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const environment = { DATABASE_URL: url, LOCKSTITCH_SERVERS: 'several' };
  const title = WITH_NOTES('title: String!');
  await (await startApp(context, { schema: title, environment })).close();
  const heading = WITH_NOTES('heading: String! @renamedFrom(name: "title")').replace('(title:', '(heading:');
  const lines: string[] = [];
  const log: Log = { write: (_, message) => void (message.startsWith('The schema waits') && lines.push(message)) };
  const store = await openPostgresStore({ url });
  // Both have looked and found nobody by the time that the lock is free.
  const starts = await store.exclusively!(async () => {
    const started = [title, heading].map((schema) => startApp(context, { schema, environment, log }));
    await until(async () => {
      const [[waiting] = []] = await store
        .prepare(
          `SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
        .rows([]);
      return Number(waiting) >= 2;
    });
    return started;
  });
  const settled = Promise.allSettled(starts);
  const first = await Promise.any(starts);
  await until(() => lines.length > 0);
  match(await first.graph('{ __typename }').then(JSON.stringify), /Query/);
  await first.close();
  // The newer one renames after the older one; the older one cannot after the newer one.
  ok((await settled).some(({ status }) => status === 'fulfilled'));
  await store.close();
});

test('servers keep what they share beside tables of others, where the usual schema takes no new ones', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const { default: pg } = await import('pg');
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const [role, database] = [`app_${process.pid}`, new URL(url).pathname.slice(1)];
  await owner.query(`CREATE TABLE notes (id integer PRIMARY KEY, title text); INSERT INTO notes VALUES (1, 'one');
    CREATE ROLE ${role} LOGIN PASSWORD 'x'; REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    GRANT CREATE ON DATABASE ${database} TO ${role}; GRANT ALL ON notes TO ${role}`);
  context.after(() => owner.end());
  const own = new URL(url);
  [own.username, own.password] = [role, 'x'];
  const schema = `type Note @entity(table: "notes") @unmanaged { id: Int! @id title: String } type Query { notes: [Note!]! }`;
  const environment = { DATABASE_URL: own.href, LOCKSTITCH_SERVERS: 'several' };
  for (let start = 0; start < 2; start++) {
    const app = await startApp(context, { schema, environment });
    deepEqual(await app.graph('{ notes { title } }'), { notes: [{ title: 'one' }] });
    equal((await browser(app).logIn()).status, 302);
    await app.close();
    // The right is needed once. And a backup is under way, as `pg_dump` reads: a start must not wait for it.
    await owner.query(`REVOKE CREATE ON DATABASE ${database} FROM ${role}`);
    await owner.query('BEGIN; LOCK TABLE lockstitch.lockstitch_servers IN ACCESS SHARE MODE');
  }
});
