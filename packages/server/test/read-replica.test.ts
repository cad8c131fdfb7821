// A hot standby answers queries: it may be behind, or away.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { until } from '../../kernel/test/until.ts';
import { checkApp } from '../src/app/load-app.ts';
import { freshDatabase } from './fresh-database.ts';
import { startStandby } from './standby.ts';
import { AS_USER, startApp } from './start-app.ts';
import { temporaryFolder } from './temporary-folder.ts';

const SEED = `export default async ({ write }) => {
  await write('Team', [{ id: '1', name: 'a' }]);
  await write('Member', [{ id: '1', login: 'user', team: '1' }]);
};`;
const SCHEMA = `
  type Note @entity { id: ID! title: String! }
  type Team @entity @auth(read: "members.any(m, m.login == authentication.name)") { id: ID! name: String! members: [Member!]! }
  type Member @entity { id: ID! login: String! team: Team! }
  type Query { notes: [Note!]! teams: [Team!]! }
  type Mutation {
    createNote(title: String!): Note!
    deleteMember(id: ID!): Member
  }
`;

test('a standby answers queries, and only those that it may', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const standby = await startStandby(url);
  context.after(() => standby.kill());
  const lines: string[] = [];
  const start = (config: object): ReturnType<typeof startApp> =>
    startApp(context, {
      schema: SCHEMA,
      environment: { DATABASE_URL: url, DATABASE_REPLICA_URL: standby.url },
      files: { 'seed.mjs': SEED },
      config: { seed: './seed.mjs', metrics: { enabled: true }, ...config },
      log: { write: (_, message, facts) => void lines.push(`${message} ${JSON.stringify(facts)}`) },
    });
  const app = await start({});
  const bounded = await start({ database: { maxStaleness: 3_600_000 } });
  const metric = async (name: string): Promise<number> => {
    const { text } = await app.call('/metrics', { headers: AS_USER });
    return Number(new RegExp(`^lockstitch_database_replica_${name} (.*)$`, 'm').exec(text)?.[1]);
  };
  const titles = async (headers = {}): Promise<readonly string[]> => {
    const json = { query: '{ notes { title } }' };
    const answer = await app.call('/graphql', { method: 'POST', headers: { ...AS_USER, ...headers }, json });
    return answer.json.data.notes.map(({ title }: { readonly title: string }) => title);
  };
  const teams = async (of: typeof app): Promise<unknown> => (await of.graph('{ teams { name } }')).teams;

  await app.graph('mutation { createNote(title: "one") { id } }');
  await until(async () => (await metric('up')) === 1 && (await titles()).length === 1);
  await until(async () => (await metric('queries_total')) > 0);
  await until(async () => ((await teams(bounded)) as unknown[]).length === 1);
  ok((await metric('lag_seconds')) < 60);

  await standby.query('SELECT pg_wal_replay_pause()');
  const body = { query: 'mutation { createNote(title: "two") { id } }' };
  const written = await app.call('/graphql', { method: 'POST', headers: AS_USER, json: body });
  const position = written.headers['lockstitch-position']!;
  deepEqual(await titles(), ['one'], 'the standby answers, as the data was');
  deepEqual(await titles({ 'lockstitch-min-position': position }), ['one', 'two'], 'it has not seen the position');
  const invalid = { headers: { ...AS_USER, 'lockstitch-min-position': 'x' } };
  match((await app.call('/graphql?query=%7B__typename%7D', invalid)).text, /SERVER_POSITION_INVALID/);

  await app.graph('mutation { deleteMember(id: 1) { id } }');
  deepEqual(await teams(app), [], 'a rule that reads other rows is never late');
  deepEqual(await teams(bounded), [{ name: 'a' }], 'unless that is allowed');

  await standby.query('SELECT pg_wal_replay_resume()');
  await until(async () => (await titles()).length === 2);
  await standby.kill();
  deepEqual(await titles(), ['one', 'two'], 'the database answers where the standby is away');
  await until(async () => (await metric('up')) === 0);
  equal(await metric('lag_seconds'), NaN);
  match(lines.join('\n'), /The read replica of the database is not used; the primary answers instead/);
  ok(!lines.join('\n').includes('postgres:postgres@'), 'no password in the log');
});

test('what is no copy of the database answers nothing', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  for (const [replica, trouble] of [
    [url, /it takes writes of its own/],
    [await freshDatabase(), /it is a copy of another database/],
  ] as const) {
    const lines: string[] = [];
    const app = await startApp(context, {
      schema: SCHEMA,
      environment: { DATABASE_URL: url, DATABASE_REPLICA_URL: replica },
      log: { write: (_, message, facts) => void lines.push(`${message} ${JSON.stringify(facts)}`) },
    });
    await until(async () => lines.some((line) => line.startsWith('The read replica')));
    match(lines.join('\n'), trouble);
    await app.graph('{ notes { title } }');
    await app.close();
  }
});

test('a replica needs a PostgreSQL database, and a bound of staleness a replica', async (context) => {
  const problems = async (config: object, environment = {}): Promise<string> => {
    const files = {
      'schema.graphql': 'type Note @entity { id: ID! } type Query { note(id: ID!): Note }',
      'lockstitch.config.mjs': `export default ${JSON.stringify(config)};`,
    };
    const reading = await checkApp(temporaryFolder(context, files), environment);
    return reading.kind === 'bad' ? reading.problems.map(({ message }) => message).join('\n') : '';
  };
  match(await problems({ database: { replica: 'postgres://standby/a' } }), /Only a PostgreSQL database has a replica/);
  match(await problems({ database: { url: 'postgres://a/a', maxStaleness: 5 } }), /no replica that could be stale/);
  match(await problems({}, { DATABASE_REPLICA_URL: 'standby' }), /DATABASE_REPLICA_URL must start with postgres/);
  equal(await problems({ database: { url: 'env:A', replica: 'env:B', maxStaleness: 5 } }), '');
});
