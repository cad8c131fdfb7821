// Rights that end while a search is open over several requests: a role is taken, an object changes hands, a session ends, an
// account is locked. What was opened before must not outlive them.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { freshDatabase } from '../fresh-database.ts';
import { type Got, startApp } from '../start-app.ts';

const SCHEMA = `
  type Memo @entity @auth(read: "owner == authentication.name or hasRole('AUDITOR')") {
    id: ID!
    owner: String! @search(type: "keyword")
    text: String! @search
    pay: Int @search @auth(read: "hasRole('AUDITOR')")
  }
  type Query { memos: [Memo!]! }
  input CreateMemoInput { owner: String! text: String! pay: Int }
  input UpdateMemoInput { owner: String text: String }
  type Mutation { createMemo(input: CreateMemoInput!): Memo!  updateMemo(id: ID!, input: UpdateMemoInput!): Memo }
`;

interface Office {
  /** Asks with headers of somebody; a text is sent as it is. */
  readonly ask: (who: Readonly<Record<string, string>>, target: string, json?: unknown) => Promise<Got>;
  /** Runs SQL on the accounts. */
  readonly sql: (text: string) => Promise<unknown>;
  /** Writes, and waits until search has it. */
  readonly write: (mutation: string) => Promise<void>;
}

const as = (name: string): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${name}:pw`).toString('base64')}`,
});

/** Three memos of ann, three of bob; ann is an auditor. */
async function open(context: TestContext, url: string | undefined): Promise<Office> {
  const config = {
    userStore: 'sql',
    passwordEncoder: 'noop',
    csrf: { enabled: false },
    search: { refreshInterval: 1 },
    ...(url === undefined ? {} : { database: { url } }),
  };
  const { app, call } = await startApp(context, { schema: SCHEMA, config, transport: 'socket' });
  const sql = (text: string): Promise<unknown> =>
    app.graph.store.transaction((session) => session.prepare(text).run([]));
  for (const name of ['ann', 'bob', 'cid']) {
    await sql(`INSERT INTO security_users VALUES ('${name}', '${name}', 'pw', 1, 1, 1, 1, '{}')`);
    await sql(`INSERT INTO security_authorities VALUES ('${name}', 'ROLE_USER')`);
  }
  await sql("INSERT INTO security_authorities VALUES ('ann', 'ROLE_AUDITOR')");
  const ask: Office['ask'] = (who, target, json) => {
    const [method, path] = target.split(' ') as [string, string];
    const sent = json === undefined ? {} : typeof json === 'string' ? { body: json } : { json };
    return call(path, { method, headers: { authorization: '', ...who }, ...sent });
  };
  const write = async (mutation: string): Promise<void> => {
    const { json } = await ask(as('ann'), 'POST /graphql', { query: `mutation { ${mutation} }` });
    assert.equal(json.errors, undefined, JSON.stringify(json));
    const position = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
    assert.equal((await ask({ ...as('ann'), ...position }, 'GET /memos/_count')).status, 200);
  };
  for (const owner of ['ann', 'bob'])
    for (const at of [1, 2, 3])
      await write(`createMemo(input: { owner: "${owner}", text: "memo ${at}", pay: ${at} }) { id }`);
  return { ask, sql, write };
}

function testBoth(name: string, body: (office: Office) => Promise<void>): void {
  test(`${name} (SQLite)`, async (context) => body(await open(context, undefined)));
  test(`${name} (PostgreSQL)`, async (context) => {
    const url = await freshDatabase();
    if (!url.startsWith('postgres:')) return context.skip(url);
    return body(await open(context, url));
  });
}

const owners = ({ json }: Got): readonly string[] => json.hits.hits.map((hit: any) => hit._source.owner);

/** Opens a scroll and a point in time, and answers how each goes on. */
async function openBoth(
  { ask }: Office,
  who: Readonly<Record<string, string>>,
  size: number,
): Promise<{ readonly scroll: () => Promise<Got>; readonly pit: () => Promise<Got> }> {
  const first = await ask(who, 'POST /memos/_search?scroll=1m', { size, sort: ['owner', '_id'] });
  const { json } = await ask(who, 'POST /memos/_pit?keep_alive=1m');
  assert.equal(first.status, 200, first.text);
  const [scroll_id, id] = [String(first.json._scroll_id), String(json.id)];
  const pit = () => ask(who, 'POST /_search', { pit: { id }, size: 10, sort: ['owner', '_id'] });
  assert.equal((await pit()).status, 200);
  return { scroll: () => ask(who, 'POST /_search/scroll', { scroll_id }), pit };
}

testBoth(
  'a role that is taken closes what was opened with it, and a role that is given opens nothing',
  async (office) => {
    const { ask, sql } = office;
    const { pit, scroll } = await openBoth(office, as('ann'), 2);
    assert.deepEqual(owners(await scroll()), ['ann', 'bob']);
    await sql("DELETE FROM security_authorities WHERE user_key = 'ann' AND authority = 'ROLE_AUDITOR'");
    for (const gone of [await scroll(), await pit()]) {
      assert.equal(gone.status, 404);
      assert.match(gone.text, /No search context found/);
      assert.doesNotMatch(gone.text, /memo \d|"pay"/);
    }
    assert.deepEqual(owners(await ask(as('ann'), 'GET /memos/_search')), ['ann', 'ann', 'ann']);
    const mapping = await ask(as('ann'), 'GET /memos/_mapping');
    assert.doesNotMatch(mapping.text, /pay/);
    const narrow = await openBoth(office, as('ann'), 1);
    await sql("INSERT INTO security_authorities VALUES ('ann', 'ROLE_AUDITOR')");
    // Neither is it continued with more rights than it was opened with.
    assert.equal((await narrow.scroll()).status, 404);
    assert.equal(owners(await ask(as('ann'), 'GET /memos/_search')).length, 6);
  },
);

testBoth('a role that says nothing of an index closes nothing', async (office) => {
  const { scroll, pit } = await openBoth(office, as('bob'), 1);
  await office.sql("INSERT INTO security_authorities VALUES ('bob', 'ROLE_PRINTER')");
  assert.deepEqual(owners(await scroll()), ['bob']);
  assert.equal((await pit()).status, 200);
});

testBoth(
  'an object that changes hands is gone from all that is asked anew; what is open shows it as it was',
  async (office) => {
    const { ask, write } = office;
    const { pit, scroll } = await openBoth(office, as('bob'), 1);
    await write('updateMemo(id: "5", input: { owner: "cid", text: "not for bob" }) { id }');
    const asked = await ask(as('bob'), 'POST /memos/_search', {
      query: { match_all: {} },
      aggs: { o: { terms: { field: 'owner' } } },
    });
    assert.deepEqual(
      [owners(asked).length, asked.json.hits.total.value, asked.json.aggregations.o.buckets[0].doc_count],
      [2, 2, 2],
    );
    assert.equal((await ask(as('bob'), 'GET /memos/_doc/5')).status, 404);
    assert.equal((await ask(as('bob'), 'POST /memos/_mget', { ids: ['5'] })).json.docs[0].found, false);
    const { json } = await ask(as('bob'), 'POST /graphql', { query: '{ memos { id owner } }' });
    assert.deepEqual(
      json.data.memos.map(({ id }: { readonly id: string }) => id),
      ['4', '6'],
    );
    // As of when it was opened, when they might read it: nothing of what it became.
    const second = await scroll();
    assert.deepEqual([owners(second), second.json.hits.hits[0]._source.text], [['bob'], 'memo 2']);
    const all = await pit();
    assert.doesNotMatch(all.text, /not for bob|cid/);
    assert.deepEqual(owners(all), ['bob', 'bob', 'bob']);
    assert.doesNotMatch(all.text, /pay/);
  },
);

testBoth(
  'a session that is over, an account that is locked and one that is gone read no further page',
  async (office) => {
    const { ask, sql } = office;
    const form = await ask({ 'content-type': 'application/x-www-form-urlencoded' }, 'GET /memos/_count');
    assert.equal(form.status, 401);
    const { scroll, pit } = await openBoth(office, as('bob'), 1);
    await sql("UPDATE security_users SET account_non_locked = 0 WHERE user_key = 'bob'");
    assert.deepEqual([(await scroll()).status, (await pit()).status], [401, 401]);
    await sql("UPDATE security_users SET account_non_locked = 1 WHERE user_key = 'bob'");
    assert.equal((await scroll()).status, 200);
    await sql("DELETE FROM security_users WHERE user_key = 'bob'");
    assert.deepEqual([(await scroll()).status, (await pit()).status], [401, 401]);
  },
);
