import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ANONYMOUS } from '@lockstitch/kernel';
import { type OperationDefinitionNode, parse } from 'graphql';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { Graph } from '../../src/execute/graph.ts';
import type { GraphContext, GraphResponse } from '../../src/execute/contracts.ts';
import type { Store } from '../../src/store/store.ts';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import { buildPlan, readParameters } from '../../src/plan/build-plan.ts';
import { DEFAULT_LIMITS } from '../../src/plan/limits.ts';
import { ReadPolicies } from '../../src/plan/policy.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import { dialectOf } from '../../src/sql/dialect-of.ts';
import { until } from '../../../kernel/test/until.ts';
import { withLongerTimes } from '../../../kernel/test/with-longer-times.ts';
import { freshSchema, postgresUrl } from '../stores.ts';

const SDL = `
  type Photo { id: ID! name: String! }
  type Query { allPhotos: [Photo!]! slow(ms: Int!): Int }
  type Mutation { addPhoto(name: String!): Photo! slow(ms: Int!): Int }
`;
const slow = async (_: unknown, { ms }: Readonly<Record<string, unknown>>): Promise<number> => {
  await new Promise((resolve) => setTimeout(resolve, ms as number));
  return ms as number;
};
const resolvers = { Query: { slow }, Mutation: { slow } };

function open(store: Store, time: number): Promise<Graph> {
  return createGraph({
    model: readSchema([{ file: 'schema.graphql', text: SDL }], { resolvers }),
    store,
    resolvers,
    limits: { time },
  });
}

function codeOf({ body }: GraphResponse): unknown {
  const { errors } = JSON.parse(body) as { errors?: { extensions: { code: string } }[] };
  return errors?.[0]?.extensions.code;
}

/** Whether somebody waits for a lock. */
async function waits(watcher: Store): Promise<boolean> {
  const sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  return (await watcher.prepare(sql).text([])) !== '0';
}

/** Runs an operation that waits for a lock; `whileWaiting` is called once it does. */
async function stopped(
  graph: Graph,
  query: string,
  watcher: Store,
  whileWaiting: () => void,
  context: GraphContext = {},
): Promise<GraphResponse> {
  const answer = Promise.resolve(graph.execute({ query }, context));
  await until(() => waits(watcher));
  whileWaiting();
  return answer;
}

test('PostgreSQL: a timeout or disconnect cancels the statement and rolls it back', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  const schema = freshSchema();
  const store = await openPostgresStore({ url, schema });
  const other = await openPostgresStore({ url, schema });
  let unlock = (): void => undefined;
  try {
    const graph = await open(store, 60_000);
    const hasty = await open(store, 60);
    const locked = new Promise<void>((resolve) => (unlock = resolve));
    let held!: () => void;
    const isHeld = new Promise<void>((resolve) => (held = resolve));
    const holding = other.transaction(async (session) => {
      await session.prepare('LOCK TABLE photos IN ACCESS EXCLUSIVE MODE').run([]);
      held();
      await locked;
    });
    await Promise.race([isHeld, holding]);
    const QUERY = '{ allPhotos { name } }';
    const MUTATION = 'mutation { addPhoto(name: "x") { name } }';
    const MIXED = '{ slow(ms: 1) allPhotos { name } }';
    for (const query of [QUERY, MUTATION, MIXED]) {
      assert.equal(codeOf(await hasty.execute({ query })), 'GRAPH_TOO_SLOW', query);
      const caller = new AbortController();
      const context = { signal: caller.signal };
      const left = await stopped(graph, query, other, () => caller.abort(), context);
      assert.match(String(codeOf(left)), /^GRAPH_(?:CANCELLED|TOO_SLOW)$/, query);
      await until(
        async () => !(await waits(other)),
        () => `${query} goes on`,
      );
    }
    unlock();
    await holding;
    assert.equal((await graph.execute({ query: QUERY })).body, '{"data":{"allPhotos":[]}}');
  } finally {
    unlock();
    await store.close();
    await other.close();
  }
});

/** The photos that were written, read without hurry: on a busy machine even reading may take longer than the time under test. */
const photosIn = async (store: Store): Promise<unknown> =>
  (await (await open(store, 60_000)).execute({ query: '{ allPhotos { name } }' })).body;

test('SQLite: nothing is written after the timeout', async () => {
  /** What was written in each attempt in which all timeouts were told: once is too often. */
  const written: unknown[] = [];
  // A timer that is set late in a long turn of the event loop counts from its beginning.
  await withLongerTimes(30, async (time) => {
    const store = await openSqliteStore({ file: ':memory:' });
    try {
      const graph = await open(store, time);
      const query = (ms: number): string => `mutation { slow(ms: ${ms}) addPhoto(name: "late") { name } }`;
      assert.equal(codeOf(await graph.execute({ query: query(3 * time) })), 'GRAPH_TOO_SLOW');
      // The event loop is busy until both the limit and what is waited for are over.
      const held = Promise.resolve(graph.execute({ query: query(3 * time) }));
      await nextTurn();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4 * time);
      assert.equal(codeOf(await held), 'GRAPH_TOO_SLOW');
      const caller = new AbortController();
      const patient = await open(store, 60_000);
      const answer = Promise.resolve(patient.execute({ query: query(2 * time) }, { signal: caller.signal }));
      caller.abort();
      await answer;
      await slow(undefined, { ms: 3 * time });
      written.push(await photosIn(store));
    } finally {
      await store.close();
    }
  });
  assert.deepEqual(written, ['{"data":{"allPhotos":[]}}']);
});

test('SQLite: a write that waits for another process times out and writes nothing later', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stop-'));
  const file = join(folder, 'data.sqlite');
  const store = await openSqliteStore({ file });
  const other = new DatabaseSync(file);
  try {
    const graph = await open(store, 50);
    other.exec('BEGIN IMMEDIATE');
    assert.equal(codeOf(await graph.execute({ query: 'mutation { addPhoto(name: "x") { name } }' })), 'GRAPH_TOO_SLOW');
    other.exec('COMMIT');
    await slow(undefined, { ms: 50 });
    assert.equal(await photosIn(store), '{"data":{"allPhotos":[]}}');
  } finally {
    other.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('SQLite: nested relation filters, several scans and many patterns end at the deadline; the next statement has its own', async () => {
  const model = readSchema([
    {
      file: 'schema.graphql',
      text: `type Photo { id: ID! name: String! tagged: [User!]! } type User { id: ID! name: String inPhotos: [Photo!]! }
             type Query { photos(where: PhotoFilter, first: Int = 5): [Photo!]! }
             type Mutation { addUser(name: String, inPhotos: [ID!]): User! updatePhotos(where: PhotoFilter!, name: String): Int! }`,
    },
  ]);
  // The second check is too late, however quick the machine is.
  const store = await openSqliteStore({ file: ':memory:', statementTime: 0 });
  try {
    const graph = await createGraph({ model, store });
    await store.script(
      `INSERT INTO photos (id, name) WITH RECURSIVE n (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 2000) SELECT v, 'p' || v FROM n`,
    );
    const keys = Array.from({ length: 2000 }, (_, index) => String(index + 1));
    const query = 'mutation ($keys: [ID!]) { addUser(name: "u", inPhotos: $keys) { id } }';
    await graph.execute({ query, variables: { keys } });
    // Every photo has the one user who is in every photo: 2000 times 2000 rows, and again.
    const deep = '{ tagged: { any: { inPhotos: { any: { tagged: { any: { name: { eq: "nobody" } } } } } } } }';
    assert.equal(codeOf(await graph.execute({ query: `{ photos(where: ${deep}) { id } }` })), 'GRAPH_TOO_SLOW');
    assert.equal(
      codeOf(await graph.execute({ query: `mutation { updatePhotos(where: ${deep}, name: "x") }` })),
      'GRAPH_TOO_SLOW',
    );
    const scans = Array.from(
      { length: 90 },
      (_, index) => `a${index}: photos(where: { name: { contains: "${index}x" } }) { id }`,
    );
    assert.equal(codeOf(await graph.execute({ query: `{ ${scans.join(' ')} }` })), 'GRAPH_TOO_SLOW');
    assert.equal(codeOf(await graph.execute({ query: `{ ${scans[0]} }` })), undefined);
    const many = Array.from({ length: 500 }, (_, index) => ({ name: { containsInsensitive: `${index}x` } }));
    assert.equal(
      codeOf(
        await graph.execute({
          query: 'query ($or: [PhotoFilter!]) { photos(where: { or: $or }) { id } }',
          variables: { or: many },
        }),
      ),
      'GRAPH_TOO_SLOW',
    );
    const shallow = '{ photos(first: 1, where: { tagged: { any: { name: { eq: "u" } } } }) { name } }';
    assert.equal((await graph.execute({ query: shallow })).body, '{"data":{"photos":[{"name":"p1"}]}}');
  } finally {
    await store.close();
  }
});

test('SQLite: the time check calls JavaScript for few of the rows that filters through relations test, however deep and however they are numbered', async () => {
  const text = `type Photo { id: ID! tagged: [User!]! } type User { id: ID! name: String! inPhotos: [Photo!]! friends: [Fan!]! }
    type Fan { login: ID! @id of: [User!]! @relation(inverse: "friends") }
    type Query { photoCount(where: PhotoFilter): Int! photo(id: ID!): Photo users(first: Int): [User!]! user(name: String!): User }`;
  const model = readSchema([{ file: 'schema.graphql', text }]);
  const store = await openSqliteStore({ file: ':memory:' });
  try {
    await createGraph({ model, store });
    const { document, view, dialect } = {
      document: (query: string) => parse(query).definitions[0] as OperationDefinitionNode,
      view: new ReadPolicies(model).viewOf(ANONYMOUS),
      dialect: dialectOf(model, store),
    };
    const schema = await store
      .prepare(
        "SELECT group_concat(sql, ';') FROM sqlite_schema WHERE sql LIKE 'CREATE TABLE%' AND name NOT LIKE 'sqlite%'",
      )
      .text([]);
    for (const step of [1, 2, 128, 4_194_304]) {
      const database = new DatabaseSync(':memory:');
      let calls = 0;
      database.function('lockstitch_in_time', { deterministic: false }, () => {
        calls++;
        return 1;
      });
      const numbers = (count: number): string =>
        `(WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < ${count}) SELECT v * ${step} AS v FROM n)`;
      database.exec(`${schema};
        INSERT INTO photos (id) SELECT v FROM ${numbers(60)};
        INSERT INTO users (id, name) SELECT v, 'u' FROM ${numbers(20)};
        INSERT INTO fans (login) SELECT 'f' || v FROM ${numbers(20)};
        INSERT INTO photos_tagged (photo, "user") SELECT photos.id, users.id FROM photos, users;
        INSERT INTO users_friends ("user", fan) SELECT users.id, fans.login FROM fans, users`);
      const run = (query: string): number => {
        const plan = buildPlan({
          model,
          dialect,
          limits: DEFAULT_LIMITS,
          view,
          fragments: new Map(),
          operation: document(query),
          variables: undefined,
        });
        calls = 0;
        database.prepare(plan.sql).get(...(readParameters(plan, undefined, view.value) as string[]));
        return calls;
      };
      // 60 photos, 20 users in each, and 60 photos or 20 fans of each of those.
      const nested = run('{ photoCount(where: { tagged: { any: { inPhotos: { any: { id: { eq: 0 } } } } } }) }');
      const texts = run('{ photoCount(where: { tagged: { any: { friends: { any: { login: { eq: "" } } } } } }) }');
      // Five photos, one user in all of them, and so on: too few keys for a sample of them.
      database.exec('DELETE FROM photos_tagged WHERE photo > (SELECT id FROM photos LIMIT 1 OFFSET 4)');
      const anyOf = (levels: number): string =>
        levels === 0
          ? '{ id: { eq: 0 } }'
          : `{ tagged: { any: { name: { eq: "u" }, inPhotos: { any: ${anyOf(levels - 1)} } } } }`;
      // 5 photos, 20 users, 5 photos, 20 users, and 5 photos.
      const deep = run(`{ photoCount(where: ${anyOf(2)}) }`);
      for (const [checks, rows] of [
        [nested, 1200 + 72_000],
        [texts, 1200 + 24_000],
        [deep, 500 + 10_000 + 50_000],
      ] as const)
        assert.ok(checks > 0 && checks < rows / 16, `${checks} calls for ${rows} rows at step ${step}`);
      assert.equal(
        run(`{ ${Array.from({ length: 20 }, (_, index) => `p${index}: photo(id: ${index}) { id }`).join(' ')} }`),
        0,
      );
      assert.equal(run('{ user(name: "u") { id } users { id } }'), 2);
      database.close();
    }
  } finally {
    await store.close();
  }
});

test('SQLite: aggregates and groups end at the deadline, in one root field too', async () => {
  const text = `scalar DateTime type Photo @entity { id: ID! at: DateTime owner: String weight: Float size: Int }
    type Query {
      groups(groupBy: PhotoGroupBy, timeZone: String, having: PhotoHaving, first: Int): [PhotoGroup!]!
      totals(where: PhotoFilter): PhotoAggregates!
    }`;
  const model = readSchema([{ file: 'schema.graphql', text }]);
  // The second check is too late, however quick the machine is.
  const store = await openSqliteStore({ file: ':memory:', statementTime: 0 });
  try {
    const graph = await createGraph({ model, store });
    await store.script(
      `INSERT INTO photos (id, at, owner, weight, size) WITH RECURSIVE n (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 30000)
       SELECT v, strftime('%Y-%m-%dT%H:%M:%S.000Z', v * 7919, 'unixepoch'), 'o' || v, v * 1.1, v FROM n`,
    );
    for (const field of [
      'groups(groupBy: { at: [YEAR, MONTH, DAY, HOUR] }, timeZone: "Asia/Tokyo", first: 1) { count }',
      'groups(groupBy: { at: [YEAR, MONTH, WEEK], owner: true }, first: 1) { count }',
      'groups(groupBy: { owner: true, size: true, weight: true }, first: 1) { count }',
      'totals { sum { weight } }',
      'totals { countDistinct { at owner } }',
    ])
      assert.equal(codeOf(await graph.execute({ query: `{ ${field} }` })), 'GRAPH_TOO_SLOW', field);
    assert.equal(codeOf(await graph.execute({ query: '{ totals { count } }' })), undefined);
  } finally {
    await store.close();
  }
});
