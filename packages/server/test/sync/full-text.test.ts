import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { NOTES_SCHEMA, startApp } from '../start-app.ts';

const SCHEMA = NOTES_SCHEMA.replace(
  'type Query {',
  'type Query { searchNotes(query: String!, first: Int = 2, after: String, where: NoteFilter): NoteSearchConnection! ',
);

const TITLES = ['Morning light', 'The harbour at noon', 'Harbour lights', 'Light & shade in the harbour', 'Nothing'];

async function filled(context: Parameters<typeof startApp>[0]) {
  const started = await startApp(context, { schema: SCHEMA });
  await started.graph('mutation { createAuthor(input: { login: "ann", name: "Ann Light" }) { login } }');
  for (const [index, title] of TITLES.entries())
    await started.graph(
      `mutation { createNote(input: { title: ${JSON.stringify(title)}, likes: ${index}, author: "ann" }) { id } }`,
    );
  // An answer waits a moment for what was written before it.
  const position = String(await started.app.graph.feed.head());
  await started.call('/notes/_search', { headers: { 'lockstitch-min-position': position } });
  return started;
}

test('a full-text field answers from the index: scores as the search gives them, highlights as HTML', async (context) => {
  const { graph, call } = await filled(context);
  const { searchNotes } = await graph(
    '{ searchNotes(query: "harbour light", first: 10) { totalCount edges { score node { title author { name } } highlights { field fragments } } } }',
  );
  equal(searchNotes.totalCount, 5);
  const { json } = await call('/notes/_search', {
    json: {
      query: {
        simple_query_string: { query: 'harbour light', fields: ['id', 'title', 'author.login', 'author.name'] },
      },
    },
  });
  const scores = new Map(json.hits.hits.map((hit: any) => [hit._source.title, hit._score])); // eslint-disable-line typescript/no-explicit-any
  for (const { score, node } of searchNotes.edges) equal(score, scores.get(node.title), node.title);
  const [best] = searchNotes.edges;
  equal(best.node.title, 'Light & shade in the harbour');
  deepEqual(best.highlights.find((each: { field: string }) => each.field === 'title').fragments, [
    '<em>Light</em> &amp; shade in the <em>harbour</em>',
  ]);
});

test('pages of equally good hits follow each other without gap or repetition', async (context) => {
  const { graph } = await filled(context);
  const seen: string[] = [];
  let after = 'null';
  for (let page = 0; page < 5; page++) {
    const { searchNotes } = await graph(
      `{ searchNotes(query: "ann", after: ${after}) { nodes { id } pageInfo { hasNextPage endCursor } } }`,
    );
    seen.push(...searchNotes.nodes.map((node: { id: string }) => node.id));
    if (!searchNotes.pageInfo.hasNextPage) break;
    after = JSON.stringify(searchNotes.pageInfo.endCursor);
  }
  deepEqual(seen.toSorted(), ['1', '2', '3', '4', '5']);
});

test('phrases, exclusions and prefixes work, conditions narrow, and odd syntax is harmless', async (context) => {
  const { graph } = await filled(context);
  const titles = async (query: string, more = ''): Promise<readonly string[]> => {
    const { searchNotes } = await graph(
      `{ searchNotes(query: ${JSON.stringify(query)}, first: 10${more}) { nodes { title } totalCount } }`,
    );
    equal(searchNotes.totalCount, searchNotes.nodes.length);
    return searchNotes.nodes.map((node: { title: string }) => node.title).toSorted();
  };
  deepEqual(await titles('"morning light"'), ['Morning light']);
  deepEqual(await titles('+harb* -noon +title'), []);
  deepEqual(await titles('harbour', ', where: { likes: { gt: 1 } }'), [
    'Harbour lights',
    'Light & shade in the harbour',
  ]);
  deepEqual(await titles('nothing-at-all'), ['Nothing', 'The harbour at noon']);
  for (const odd of ['', '   ', '"', '((((', '*', '+', 'a\u0000b', '\\']) await titles(odd);
});

test('a deleted object is not shown, even if the index still has it', async (context) => {
  const { graph, app } = await filled(context);
  await app.graph.store.transaction(async (session) => {
    await session.prepare('DELETE FROM notes WHERE id = 3').run([]);
  });
  const { searchNotes } = await graph('{ searchNotes(query: "harbour", first: 10) { nodes { id } } }');
  deepEqual(searchNotes.nodes.map((node: { id: string }) => node.id).toSorted(), ['2', '4']);
});

test('a search that asks for too much is refused with a code', async (context) => {
  const { call } = await filled(context);
  const query = Array.from({ length: 3000 }, (_, index) => `w${index}`).join(' ');
  const { json } = await call('/graphql', {
    json: { query: 'query ($q: String!) { searchNotes(query: $q) { nodes { id } } }', variables: { q: query } },
  });
  equal(json.data, null);
  ok(json.errors[0].extensions.code === 'SERVER_SEARCH_REFUSED', JSON.stringify(json));
});

test('a caller who may not read a note finds nothing of it: no hit, no count, no score, no highlight', async (context) => {
  const ruled = SCHEMA.replace('type Note @entity {', 'type Note @entity @auth(read: "likes != 1") {')
    .replace(
      'title: String! @search',
      `title: String! @search body: String @search @auth(read: "author.login == authentication.name")`,
    )
    .replace('title: String!  likes', 'title: String! body: String likes');
  const { graph, app, call } = await startApp(context, { schema: ruled });
  await graph(
    'mutation { a: createAuthor(input: { login: "ann" }) { login } b: createAuthor(input: { login: "user" }) { login } }',
  );
  const note = (likes: number, author: string): Promise<unknown> =>
    graph(
      `mutation { createNote(input: { title: "red", body: "secret <b>", likes: ${likes}, author: "${author}" }) { id } }`,
    );
  for (const [likes, author] of [
    [0, 'ann'],
    [0, 'user'],
    [2, 'user'],
  ] as const)
    await note(likes, author);
  const position = async (): Promise<void> => {
    const head = String(await app.graph.feed.head());
    await call('/notes/_search', { headers: { 'lockstitch-min-position': head } });
  };
  await position();
  const ask = (): Promise<unknown> =>
    graph(
      '{ t: searchNotes(query: "red", first: 9) { totalCount edges { score node { id } } } b: searchNotes(query: "secret", first: 9) { totalCount edges { node { id } highlights { field fragments } } } }',
    );
  const before = (await ask()) as { t: { totalCount: number }; b: { edges: unknown[] } };
  equal(before.t.totalCount, 3);
  const highlights = [{ field: 'body', fragments: ['<em>secret</em> &lt;b&gt;'] }];
  deepEqual(before.b, {
    totalCount: 2,
    edges: [
      { node: { id: '2' }, highlights },
      { node: { id: '3' }, highlights },
    ],
  });
  // The author of a note that they may not read is not shown it; it is still written.
  for (const author of ['ann', 'user']) await note(1, author).catch(() => undefined);
  await position();
  equal(await app.graph.countDocuments('Note'), 5);
  deepEqual(await ask(), before);
});
