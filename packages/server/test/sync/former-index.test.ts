// The index of a former schema, while that of the present one is built.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { silentLog } from '@lockstitch/kernel';
import { createEngine, fileDirectory } from '@lockstitch/search';

import { until } from '../../../kernel/test/until.ts';
import { startApp, type TestApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const schema = (more: string): string => `
  type Note @entity @auth(read: "mood != null") { id: ID! title: String! @search mood: String ${more} }
  type Query { notes: [Note!]! }
  input NoteInput { title: String mood: String ${more.replace('@search', '')} }
  input NewNoteInput { title: String! mood: String ${more.replace('@search', '')} }
  type Mutation {
    createNote(input: NewNoteInput!): Note
    updateNote(id: ID!, input: NoteInput!): Note
    deleteNote(id: ID!): Note
  }`;
const FORMER = schema('');
const WIDER = schema('stars: Int @search');

interface Given {
  readonly data: string;
  /** Starts the application; no build gets beyond its beginning where they are held up. */
  readonly start: (text: string, builds?: 'held up') => Promise<TestApp>;
}

function given(context: TestContext): Given {
  const folder = temporaryFolder(context);
  const data = join(folder, 'data');
  const onBuild = (): void => {
    throw new Error('It is held up.');
  };
  const start: Given['start'] = (text, builds) =>
    startApp(context, { folder, data, schema: text, log: silentLog, ...(builds && { onBuild }) });
  return { data, start };
}

/** Starts with the former schema, and closes once three notes can be found. */
async function withThreeNotes({ start }: Given): Promise<void> {
  const app = await start(FORMER);
  for (const title of ['one', 'two', 'three'])
    await app.graph(`mutation { createNote(input: {title: "${title}", mood: "glad"}) { id } }`);
  await finds(app, ['one', 'three', 'two']);
  await app.close();
}

async function finds({ call }: TestApp, titles: readonly string[]): Promise<void> {
  let found: unknown;
  await until(
    async () => {
      const { json } = await call('/notes/_search');
      found = json.hits?.hits.map(({ _source: { title } }: { _source: { title: string } }) => title).toSorted() ?? json;
      return isDeepStrictEqual(found, titles);
    },
    () => `found: ${JSON.stringify(found)}; not: ${titles.join(', ')}`,
  );
}

const stateOf = async ({ app }: TestApp): Promise<unknown> => (await app.status()).indexes[0]?.state;

test('the index of a former schema follows the data while that of the present one is built', async (context) => {
  const made = given(context);
  await withThreeNotes(made);
  const stored = async (): Promise<number> => {
    const engine = await createEngine({ directory: fileDirectory(join(made.data, 'search')), log: silentLog });
    const { position } = engine.index('notes');
    await engine.close();
    return position;
  };
  const before = await stored();

  let app = await made.start(WIDER, 'held up');
  equal(await stateOf(app), 'stale');
  await finds(app, ['one', 'three', 'two']);
  await app.graph('mutation { deleteNote(id: 1) { id } }');
  await app.graph('mutation { updateNote(id: 2, input: {mood: null}) { id } }');
  await app.graph('mutation { createNote(input: {title: "four", mood: "glad", stars: 5}) { id } }');
  await finds(app, ['four', 'three']);
  // It lacks a field of the present schema: neither is that shown, nor does a read count as one of the latest writes.
  deepEqual((await app.call('/notes/_doc/4')).json._source, { id: '4', title: 'four' });
  const { head, position } = await app.app.status();
  ok(position < head);
  await app.close();

  // A return to the former schema applies the changes again.
  equal(await stored(), before);
  app = await made.start(WIDER, 'held up');
  await finds(app, ['four', 'three']);
  const readers = await app.app.graph.feed.readers();
  equal(Math.min(...readers.map((reader) => reader.position)), before);
  await app.graph('mutation { deleteNote(id: 3) { id } }');
  await finds(app, ['four']);
  await app.close();
  app = await made.start(FORMER);
  equal(await stateOf(app), 'current');
  await finds(app, ['four']);
});

test('the index of a former schema is not searched where the feed does not reach back to it', async (context) => {
  const made = given(context);
  await withThreeNotes(made);
  let app = await made.start(WIDER, 'held up');
  for (const id of [1, 2, 3]) await app.graph(`mutation { deleteNote(id: ${id}) { id } }`);
  const { feed } = app.app.graph;
  await feed.trim({ upTo: await feed.head(), keep: 0 });
  await app.close();

  app = await made.start(WIDER, 'held up');
  equal(await stateOf(app), 'missing');
  for (const path of ['/notes/_search', '/_search', '/notes/_count', '/notes/_doc/1', '/notes/_mapping']) {
    const { status, text } = await app.call(path);
    equal(status, 503, `${path}: ${text}`);
    match(text, /The index \[notes\] cannot be read: it is being built from the data/);
  }
  deepEqual(await app.graph('{ notes { id } }'), { notes: [] });
  await app.close();
  app = await made.start(WIDER);
  await finds(app, []);
});
