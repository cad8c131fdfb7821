import { deepEqual, equal, match } from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { NOTES_SCHEMA, startApp, type TestApp, testBothWays } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Waits until every change so far is searchable, and answers the sources of all documents, by id. */
async function documents({ app, call }: TestApp, index: string): Promise<Record<string, any>> {
  const head = await app.graph.feed.head();
  const headers = { 'lockstitch-min-position': String(head) };
  const { status, json } = await call(`/${index}/_search?size=1000`, { headers });
  equal(status, 200);
  return Object.fromEntries(json.hits.hits.map((hit: any) => [hit._id, hit._source]));
}

async function withNotes(context: TestContext, options: Parameters<typeof startApp>[1] = {}): Promise<TestApp> {
  const started = await startApp(context, options);
  await started.graph(`mutation {
    ada: createAuthor(input: { login: "ada", name: "Ada" }) { login }
    bob: createAuthor(input: { login: "bob", name: "Bob" }) { login }
    a: createNote(input: { title: "Harbour at dusk", likes: 3, author: "ada" }) { id }
    b: createNote(input: { title: "A river", author: "bob" }) { id }
  }`);
  return started;
}

testBothWays('what is written is found, with the fields of related objects', async (context, transport) => {
  const started = await withNotes(context, { transport });
  const notes = await documents(started, 'notes');
  deepEqual(Object.keys(notes), ['1', '2']);
  equal(notes['1'].title, 'Harbour at dusk');
  equal(notes['1'].likes, 3);
  equal(notes['2'].likes, null);
  deepEqual(notes['1'].author, { login: 'ada', name: 'Ada' });
  const { json } = await started.call('/notes/note/_search', {
    json: { query: { match: { title: 'HARBOUR' } }, aggs: { by: { terms: { field: 'author.login' } } } },
  });
  equal(json.hits.total.value, 1);
  deepEqual(json.aggregations.by.buckets, [{ key: 'ada', doc_count: 1 }]);
});

testBothWays(
  'a typed path finds documents by the type of the schema or _doc, and none by another',
  async (context, transport) => {
    const started = await withNotes(context, { transport });
    await documents(started, 'notes');
    const { call } = started;
    for (const [type, expected] of [
      ['note', 2],
      ['_doc', 2],
      ['nonsense', 0],
      ['Note', 0],
      ['author', 0],
      ['nonsense,note', 2],
    ] as const) {
      equal((await call(`/notes/${type}/_search?q=title:river`)).json.hits.total.value, expected === 0 ? 0 : 1, type);
      equal((await call(`/notes/${type}/_count`)).json.count, expected, type);
      const terms = { size: 0, aggs: { by: { terms: { field: 'author.login' } } } };
      const { json } = await call(`/notes/${type}/_search`, { json: terms });
      equal(json.aggregations.by.buckets.length, expected, type);
    }
    equal((await call('/notes/note/1')).status, 200);
    equal((await call('/notes/nonsense/1')).status, 404);
  },
);

test('updates and deletes follow, also those of the objects that documents embed', async (context) => {
  const started = await withNotes(context);
  await started.graph('mutation { updateAuthor(login: "ada", input: { name: "Countess" }) { login } }');
  equal((await documents(started, 'notes'))['1'].author.name, 'Countess');
  await started.graph('mutation { updateNote(id: 2, input: { title: "A lake", author: "ada" }) { id } }');
  const moved = (await documents(started, 'notes'))['2'];
  deepEqual([moved.title, moved.author.name], ['A lake', 'Countess']);
  await started.graph('mutation { deleteNote(id: 1) { id } }');
  deepEqual(Object.keys(await documents(started, 'notes')), ['2']);
});

test('a renamed object reaches all of the many documents that embed it', async (context) => {
  const started = await withNotes(context);
  const rows = Array.from({ length: 1234 }, (_, index) => ({ title: `note ${index}`, author: 'ada' }));
  await started.app.graph.importRows('Note', [rows]);
  await started.graph('mutation { updateAuthor(login: "ada", input: { name: "Countess" }) { login } }');
  await documents(started, 'notes');
  const { json } = await started.call('/notes/_count', { json: { query: { match: { 'author.name': 'countess' } } } });
  equal(json.count, 1235);
});

test('a change of a field that no document holds rewrites no document', async (context) => {
  const started = await withNotes(context);
  await documents(started, 'notes');
  const version = async (): Promise<number> => (await started.call('/notes/_doc/1')).json._version;
  const before = await version();
  await started.graph('mutation { updateAuthor(login: "ada", input: { age: 36 }) { login } }');
  await documents(started, 'authors');
  equal(await version(), before);
});

testBothWays(
  'a mutation answers its position, and a search that brings it sees the change',
  async (context, transport) => {
    const { call } = await withNotes(context, { transport });
    for (let round = 0; round < 5; round++) {
      const query = `mutation { createNote(input: { title: "round${round}", author: "ada" }) { id } }`;
      const { headers } = await call('/', { json: { query } });
      const position = headers['lockstitch-position']!;
      match(position, /^\d+$/);
      const found = await call(`/notes/_count?q=title:round${round}`, {
        headers: { 'lockstitch-min-position': position },
      });
      equal(found.json.count, 1);
    }
    const bad = await call('/_search', { headers: { 'lockstitch-min-position': '-1' } });
    equal(bad.json.code, 'SERVER_POSITION_INVALID');
    const ahead = await call('/_search', { headers: { 'lockstitch-min-position': '999999' } });
    deepEqual([ahead.status, ahead.json.code], [400, 'SERVER_POSITION_AHEAD']);
  },
);

test('a value that does not fit its field is left out of the index, and holds up nothing', async (context) => {
  const schema = `
    type Note @entity { id: ID!  day: String @search(type: "date")  tag: String @search(type: "keyword")  text: String @search(analyzer: "keyword") }
    type Query { notes: [Note!]! }
    input CreateNoteInput { day: String  tag: String  text: String }
    type Mutation { createNote(input: CreateNoteInput!): Note! }
  `;
  const started = await startApp(context, { schema });
  const long = 'x'.repeat(40_000);
  await started.graph(`mutation {
    a: createNote(input: { day: "someday", tag: "a", text: "fits" }) { id }
    b: createNote(input: { day: "2026-11-21", tag: "${long}", text: "${long}" }) { id }
    c: createNote(input: { day: "2026-11-22", tag: "c", text: "fits" }) { id }
  }`);
  const notes = await documents(started, 'notes');
  deepEqual([notes['1'].day, notes['2'].tag, notes['3'].tag], ['someday', long, 'c']);
  const found = async (query: object): Promise<string[]> =>
    (await started.call('/notes/_search', { json: { query } })).json.hits.hits.map((hit: any) => hit._id);
  deepEqual(await found({ range: { day: { gte: '2026-01-01' } } }), ['2', '3']);
  deepEqual(await found({ terms: { tag: ['a', 'c'] } }), ['1', '3']);
  deepEqual(await found({ match: { text: 'fits' } }), ['1', '3']);
  deepEqual(await found({ terms: { _ignored: ['day', 'tag'] } }), ['1', '2']);
});

test('with "search.syncWait" a mutation answers when its change can be found', async (context) => {
  const { call, graph } = await withNotes(context, { config: { search: { syncWait: 5000 } } });
  await graph('mutation { createNote(input: { title: "now", author: "ada" }) { id } }');
  equal((await call('/notes/_count?q=title:now')).json.count, 1);
});

testBothWays('a single mutation can ask to wait until its change can be found', async (context, transport) => {
  const { call } = await withNotes(context, { transport });
  const create = (title: string, wait: string) =>
    call('/graphql', {
      json: { query: `mutation { createNote(input: { title: "${title}", author: "ada" }) { id } }` },
      headers: { 'lockstitch-wait': wait },
    });
  const { headers } = await create('waited', '5000');
  equal(headers['lockstitch-searchable'], 'true');
  equal((await call('/notes/_count?q=title:waited')).json.count, 1);
  equal((await create('at once', '0')).headers['lockstitch-searchable'], undefined);
  for (const wait of ['soon', '-1', '60001', '1e3']) {
    const refused = await create('never', wait);
    deepEqual([refused.status, refused.json.code], [400, 'SERVER_WAIT_INVALID']);
  }
  const position = (await create('last', '5000')).headers['lockstitch-position']!;
  const found = await call('/notes/_count?q=title:never', { headers: { 'lockstitch-min-position': position } });
  equal(found.json.count, 0);
});

testBothWays(
  'indexes of the schema take no writes by REST and say where to write; others do',
  async (context, transport) => {
    const { call } = await withNotes(context, { transport });
    for (const [method, path] of [
      ['PUT', '/notes/_doc/9'],
      ['POST', '/notes/_doc'],
      ['POST', '/notes/_update/1'],
      ['PUT', '/notes/_mapping'],
    ] as const) {
      const json = path.includes('_update') ? { doc: { title: 'x' } } : { title: 'x' };
      const refused = await call(path, { method, json });
      equal(refused.status, 403, `${method} ${path}`);
      match(refused.text, /graph/, `${method} ${path}`);
    }
    const bulk = await call('/_bulk', {
      body: '{"index":{"_index":"notes","_id":"9"}}\n{"title":"x"}\n{"index":{"_index":"mine","_id":"1"}}\n{"a":1}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    });
    deepEqual(
      bulk.json.items.map((item: any) => item.index.status),
      [403, 201],
    );
    equal((await call('/mine/_doc/1')).json._source.a, 1);
  },
);

test('a restart continues from the committed position and catches up', async (context) => {
  const data = join(temporaryFolder(context), 'data');
  const first = await withNotes(context, { data });
  await documents(first, 'notes');
  const { uuid } = (await first.call('/notes/_settings')).json.notes.settings.index;
  await first.close();

  const second = await startApp(context, { data, folder: first.folder });
  deepEqual(Object.keys(await documents(second, 'notes')), ['1', '2']);
  equal((await second.call('/notes/_settings')).json.notes.settings.index.uuid, uuid);
  await second.graph('mutation { createNote(input: { title: "third", author: "bob" }) { id } }');
  equal((await documents(second, 'notes'))['3'].title, 'third');
});

test('a changed mapping rebuilds the index; a type that is no longer searchable loses its index', async (context) => {
  const data = join(temporaryFolder(context), 'data');
  const first = await withNotes(context, { data });
  await first.close();
  const schema = NOTES_SCHEMA.replace('title: String! @search', 'title: String! @search(analyzer: "english")').replace(
    'login: ID! @id @search  name: String @search',
    'login: ID! @id  name: String',
  );
  const second = await startApp(context, { data, folder: first.folder, schema });
  equal((await second.call('/notes/_count?q=title:harbours')).json.count, 1);
  equal((await second.call('/authors/_count')).status, 404);
  const [index, ...others] = (await second.app.status()).indexes;
  deepEqual([index!.name, index!.type, index!.documents, others.length], ['notes', 'Note', 2, 0]);
});

test('a damaged index is rebuilt from the data', async (context) => {
  const data = join(temporaryFolder(context), 'data');
  const first = await withNotes(context, { data });
  await first.close();
  const folder = readdirSync(join(data, 'search')).find((name) => name.startsWith('notes'))!;
  writeFileSync(join(data, 'search', folder, 's0.seg'), 'not a segment');
  const second = await startApp(context, { data, folder: first.folder });
  deepEqual(Object.keys(await documents(second, 'notes')), ['1', '2']);
});

test('_cat/indices shows how many changes an index is behind', async (context) => {
  const started = await withNotes(context);
  await documents(started, 'notes');
  await started.call('/mine', { method: 'PUT', json: {} });
  const { json } = await started.call('/_cat/indices?format=json&h=index,lag&s=index');
  deepEqual(json, [
    { index: 'authors', lag: '0' },
    { index: 'mine', lag: null },
    { index: 'notes', lag: '0' },
  ]);
});

test('with "search.ownIndexes" off no index can be made or written', async (context) => {
  const { call } = await startApp(context, { config: { search: { ownIndexes: false } } });
  equal((await call('/mine', { method: 'PUT', json: {} })).status, 403);
  equal((await call('/mine/_doc/1', { method: 'PUT', json: { a: 1 } })).status, 403);
  equal((await call('/mine')).status, 404);
});
