// Rows that others write to captured tables are found, hidden and told as the engine's own writes are.
import { deepEqual, equal, match } from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { openPostgresStore, openSqliteStore, readSchema } from '@lockstitch/graph';
import { createPrincipal } from '@lockstitch/kernel';

import { openOthers, type Others } from '../../../graph/test/capture/others.ts';
import { until } from '../../../kernel/test/until.ts';
import { adviseOnCapture } from '../../src/sync/advise-on-capture.ts';
import { freshDatabase } from '../fresh-database.ts';
import { startApp, type TestApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const SCHEMA = `
  type Project @entity(table: "projects") @unmanaged @captureChanges @auth(read: "members.any(m, m.login == authentication.name)") {
    id: ID! name: String @search tasks: [Task!]!
    members: [Member!]! @relation(table: "project_members", from: "project", to: "member", inverse: "projects") @search(embed: false)
  }
  type Member @entity(table: "members") @unmanaged @captureChanges { id: ID! login: String projects: [Project!]! @relation(inverse: "members") }
  type Task @entity(table: "tasks") @unmanaged @captureChanges @auth(read: "project.members.any(m, m.login == authentication.name)") {
    id: ID! title: String @search project: Project @column(name: "project") @search
  }
  type Query { projects: [Project!]! }
  type Subscription { taskChanged: Task! }`;
const TABLES = `
  CREATE TABLE projects (id integer PRIMARY KEY, name text);
  CREATE TABLE members (id integer PRIMARY KEY, login text);
  CREATE TABLE tasks (id integer PRIMARY KEY, title text, project integer REFERENCES projects ON DELETE CASCADE);
  CREATE TABLE project_members (project integer REFERENCES projects ON DELETE CASCADE, member integer REFERENCES members ON DELETE CASCADE, PRIMARY KEY (project, member));
  INSERT INTO members VALUES (1, 'user'), (2, 'eve');
  INSERT INTO projects VALUES (1, 'bridge'), (2, 'tunnel');
  INSERT INTO project_members VALUES (1, 1), (2, 2);
  INSERT INTO tasks VALUES (1, 'paint', 1), (2, 'dig', 2)`;

interface World extends TestApp {
  readonly others: Others;
  /** Titles of the tasks that a search shows, once they are these. */
  readonly finds: (...titles: string[]) => Promise<void>;
}

type Body = (world: World) => Promise<void>;

async function prepare(url: string): Promise<void> {
  const store = await (url.startsWith('sqlite:')
    ? openSqliteStore({ file: url.slice(7) })
    : openPostgresStore({ url }));
  await store.script(TABLES);
  await store.close();
}

async function runWorld(context: TestContext, url: string, body: Body): Promise<void> {
  const app = await startApp(context, {
    schema: SCHEMA,
    config: { database: { url }, search: { refreshInterval: 1 }, metrics: { enabled: true } },
  });
  const others = await openOthers(app.app.graph.store);
  context.after(() => others.close());
  const search = async (): Promise<string[]> => {
    const { json } = await app.call('/tasks/_search?sort=id:asc&size=100');
    return json.hits.hits.map((hit: { _source: { title: string; project: { name: string } } }) =>
      [hit._source.title, hit._source.project?.name].join(' '),
    );
  };
  const finds = async (...titles: string[]): Promise<void> => {
    let found: readonly string[] = [];
    await until(
      async () => isDeepStrictEqual((found = await search()), titles),
      () => `found: ${found.join(', ')}; not: ${titles.join(', ')}`,
    );
  };
  await body({ ...app, others, finds });
}

/** Runs a body on both databases. */
function testWorlds(name: string, body: Body): void {
  test(`SQLite: ${name}`, async (context) => {
    const url = `sqlite:${join(temporaryFolder(context), 'shop.db')}`;
    await prepare(url);
    await runWorld(context, url, body);
  });
  test(`PostgreSQL: ${name}`, async (context) => {
    const url = await freshDatabase();
    if (!url.startsWith('postgres:')) return context.skip(url);
    await prepare(url);
    await runWorld(context, url, body);
  });
}

testWorlds('4 a search finds what others write, under the rules as they stand', async ({ others, finds, app }) => {
  await finds('paint bridge');
  await others.write(`INSERT INTO tasks VALUES (3, 'weld', 1); UPDATE tasks SET title = 'draw' WHERE id = 1`);
  await finds('draw bridge', 'weld bridge');
  // Documents embed the project.
  await others.write(`UPDATE projects SET name = 'arch' WHERE id = 1`);
  await finds('draw arch', 'weld arch');
  // Rules read the members.
  await others.write('INSERT INTO project_members VALUES (2, 1)');
  await finds('draw arch', 'dig tunnel', 'weld arch');
  await others.write(`UPDATE members SET login = 'nobody' WHERE id = 1`);
  await finds();
  await others.write(`UPDATE members SET login = 'user' WHERE id = 2`);
  await finds('dig tunnel');
  await others.write('DELETE FROM projects WHERE id = 2');
  await finds();
  equal((await app.status()).outbox, 0);
});

test('PostgreSQL: 4 TRUNCATE empties the index, and the documents of owners', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  await prepare(url);
  await runWorld(context, url, async ({ others, finds }) => {
    await others.write('TRUNCATE project_members');
    await finds();
    await others.write('INSERT INTO project_members VALUES (1, 1), (2, 1); TRUNCATE tasks');
    await finds();
    await others.write(`INSERT INTO tasks VALUES (7, 'weld', 1)`);
    await finds('weld bridge');
  });
});

testWorlds('4 subscribers hear of what others write if they may see it', async ({ others, app }) => {
  const principal = createPrincipal('user');
  const stop = new AbortController();
  const subscribed = await app.graph.subscribe(
    { query: 'subscription { taskChanged { id title } }' },
    { principal, signal: stop.signal },
  );
  if (subscribed.kind !== 'events') throw new Error(subscribed.response.body);
  const next = async (): Promise<unknown> => JSON.parse((await subscribed.events.next()).value.body).data.taskChanged;
  await others.write(`UPDATE tasks SET title = 'bore' WHERE id = 2`);
  await others.write(`INSERT INTO tasks VALUES (3, 'weld', 1)`);
  deepEqual(await next(), { id: '3', title: 'weld' });
  await others.write(`UPDATE tasks SET project = 2 WHERE id = 3; DELETE FROM tasks WHERE id = 1`);
  deepEqual(await next(), { id: '1', title: 'paint' });
  stop.abort();
});

testWorlds('4 the backlog is a metric, part of the lag and of readiness', async ({ others, app, call }) => {
  const { sequencer } = app.graph;
  await sequencer?.close();
  await others.write(`UPDATE tasks SET title = 'bore'`);
  const { outbox, lag } = await app.status();
  deepEqual([outbox, lag], [2, 2]);
  match((await call('/metrics')).text, /^lockstitch_outbox_rows 2$/m);
});

test('4 check warns of a type without @captureChanges on which captured documents depend', () => {
  const adviceOn = (text: string) => adviseOnCapture(readSchema([{ file: 'test.graphql', text }]));
  deepEqual(adviceOn(SCHEMA), []);
  const [advice, ...more] = adviceOn(SCHEMA.replace('"members") @unmanaged @captureChanges', '"members") @unmanaged'));
  match(
    advice?.message ?? '',
    /^Project has @captureChanges, and what search shows of it depends on Member, which has none/,
  );
  equal(more.length, 1);
});
