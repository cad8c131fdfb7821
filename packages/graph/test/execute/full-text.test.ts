// Root fields of full-text searches: what the index proposes, and what the database and the read rules return.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import { readSchema, type FullText, type FullTextHit, type FullTextQuery } from '../../src/index.ts';
import { openGraph } from './open-graph.ts';

/** The simplest index there is: documents by key; the score is how many of the words a document has. */
function plainIndex(documents: ReadonlyMap<string, Readonly<Record<string, string>>>) {
  const asked: FullTextQuery[] = [];
  const matches = ({ query, paths }: FullTextQuery): readonly FullTextHit[] => {
    const words = query.toLowerCase().split(' ');
    const hits = [...documents].map(([key, document]) => {
      const text = paths
        .map((path) => document[path] ?? '')
        .join(' ')
        .toLowerCase();
      return { key, score: words.filter((word) => text.includes(word)).length / 3 };
    });
    return hits.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
  };
  const port: FullText = {
    search(query, { after: place, limit }) {
      asked.push(query);
      const behind = matches(query).filter(
        (hit) => place === undefined || hit.score < place.score || (hit.score === place.score && hit.key > place.key),
      );
      return Promise.resolve(behind.slice(0, limit));
    },
    count: (query) => Promise.resolve(matches(query).length),
    highlight(query, keys) {
      const parts = keys.map((key) => {
        const marked = query.paths
          .filter((path) => documents.get(key)?.[path]?.includes(query.query))
          .map((field) => ({ field, fragments: [`<em>${query.query}</em>`] }));
        return [key, marked] as const;
      });
      return Promise.resolve(new Map(parts));
    },
  };
  return { port, asked };
}

const SDL = `
  type Photo @entity @auth(read: "public or hasRole('ADMIN')") {
    id: ID! name: String! @search note: String @search @auth(read: "hasRole('ADMIN')") public: Boolean! likes: Int! postedBy: User!
  }
  type User @entity { login: ID! @id name: String @search @auth(read: "isAuthenticated()") photos: [Photo!]! }
  type Query {
    searchPhotos(query: String!, first: Int = 3, after: String, where: PhotoFilter, postedBy: ID): PhotoSearchConnection!
    photo(id: ID!): Photo
  }`;

const documents = new Map<string, Readonly<Record<string, string>>>();
const rows: string[] = ["INSERT INTO users VALUES ('ann', 'Ann'), ('bob', NULL)"];
for (let id = 1; id <= 40; id++) {
  const name = id % 4 === 0 ? 'red boat' : 'red';
  documents.set(String(id), { name, note: 'hidden', 'postedBy.name': id % 2 === 0 ? 'Ann' : 'Bob' });
  rows.push(
    `INSERT INTO photos (id, name, note, public, likes, posted_by) VALUES (${id}, '${name}', 'hidden', ${id % 5 === 0 ? 0 : 1}, ${id}, '${id % 2 === 0 ? 'ann' : 'bob'}')`,
  );
}
// The index has not heard of its end yet.
documents.set('99', { name: 'red red boat' });

const index = plainIndex(documents);
const t = await openGraph(SDL, rows.join(';'), {}, { fullText: index.port });
after(() => t.close());
const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);

test('search results come best first, with scores, without hidden or deleted rows', async () => {
  const answer = await t.ask(
    '{ searchPhotos(query: "red boat") { edges { score node { id name postedBy { login } } } nodes { __typename id } pageInfo { hasNextPage hasPreviousPage } totalCount __typename } }',
  );
  assert.deepEqual(answer, {
    data: {
      searchPhotos: {
        edges: [
          { score: 2 / 3, node: { id: '12', name: 'red boat', postedBy: { login: 'ann' } } },
          { score: 2 / 3, node: { id: '16', name: 'red boat', postedBy: { login: 'ann' } } },
          { score: 2 / 3, node: { id: '24', name: 'red boat', postedBy: { login: 'ann' } } },
        ],
        nodes: [
          { __typename: 'Photo', id: '12' },
          { __typename: 'Photo', id: '16' },
          { __typename: 'Photo', id: '24' },
        ],
        pageInfo: { hasNextPage: true, hasPreviousPage: false },
        totalCount: 32,
        __typename: 'PhotoSearchConnection',
      },
    },
  });
});

test('the pages of a search together are the whole result', async () => {
  const seen: string[] = [];
  let cursor: unknown = null;
  for (let page = 0; page < 30; page++) {
    const { data } = await t.ask(
      'query ($after: String) { searchPhotos(query: "red boat", after: $after, first: 5) { nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor } } }',
      { variables: { after: cursor } },
    );
    const { nodes, pageInfo } = (data as Readonly<Record<string, unknown>>)['searchPhotos'] as {
      nodes: { id: string }[];
      pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string };
    };
    assert.equal(pageInfo.hasPreviousPage, page > 0);
    seen.push(...nodes.map(({ id }) => id));
    if (!pageInfo.hasNextPage) break;
    cursor = pageInfo.endCursor;
  }
  assert.equal(seen.length, 32);
  assert.equal(new Set(seen).size, 32);
});

test('conditions filter the search and its total', async () => {
  const answer = await t.ask(
    '{ searchPhotos(query: "red", where: { likes: { gt: 36 } }, first: 2) { nodes { id } totalCount pageInfo { hasNextPage } } b: searchPhotos(query: "red", postedBy: "bob", first: 1) { nodes { id } totalCount } }',
  );
  assert.deepEqual(answer, {
    data: {
      searchPhotos: { nodes: [{ id: '37' }, { id: '38' }], totalCount: 3, pageInfo: { hasNextPage: true } },
      b: { nodes: [{ id: '1' }], totalCount: 16 },
    },
  });
});

test('fields that a rule may hide are not searched', async () => {
  index.asked.length = 0;
  const hidden = await t.ask('{ searchPhotos(query: "hidden") { nodes { id } totalCount } }');
  assert.deepEqual(hidden, { data: { searchPhotos: { nodes: [], totalCount: 0 } } });
  assert.deepEqual(index.asked[0]!.paths, ['id', 'name', 'postedBy.login']);
  const { data } = await t.ask(
    '{ searchPhotos(query: "hidden", first: 1) { edges { node { note } highlights { field fragments } } totalCount } }',
    {
      principal: ADMIN,
    },
  );
  assert.deepEqual(data!['searchPhotos'], {
    edges: [{ node: { note: 'hidden' }, highlights: [{ field: 'note', fragments: ['<em>hidden</em>'] }] }],
    totalCount: 40,
  });
});

test('highlights of a page are not requested again; of later hits, only those shown', async () => {
  const highlighted: (readonly string[])[] = [];
  const port: FullText = {
    ...index.port,
    async search(query, page) {
      const hits = await index.port.search(query, page);
      const mark = (key: string) => [{ field: 'name', fragments: [`with ${key}`] }];
      return page.highlights ? hits.map((hit) => ({ ...hit, highlights: mark(hit.key) })) : hits;
    },
    highlight(_query, keys) {
      highlighted.push(keys);
      return Promise.resolve(new Map(keys.map((key) => [key, [{ field: 'name', fragments: [`later ${key}`] }]])));
    },
  };
  const graph = await openGraph(SDL, rows.join(';'), {}, { fullText: port });
  const asked = async (first: number): Promise<unknown> => {
    const { data } = await graph.ask(
      `{ searchPhotos(query: "red boat", first: ${first}) { edges { node { id } highlights { fragments } } } }`,
    );
    const { edges } = (data as Readonly<Record<string, { edges: { highlights: { fragments: string[] }[] }[] }>>)[
      'searchPhotos'
    ]!;
    return edges.map(({ highlights }) => highlights[0]!.fragments[0]);
  };
  // The first three that the index proposes are shown, and one more tells that there is a next page.
  assert.deepEqual(await asked(2), ['with 12', 'with 16']);
  assert.deepEqual(highlighted, []);
  // Of nine proposed, 20 and 40 are hidden: another look finds the last one.
  const shown = ['12', '16', '24', '28', '32', '36', '4'].map((key) => `with ${key}`);
  assert.deepEqual(await asked(8), [...shown, 'later 8']);
  assert.deepEqual(highlighted, [['8']]);
  await graph.close();
});

test('aliases, fragments and directives work in search selections', async () => {
  const answer = await t.ask(
    `query ($no: Boolean = false) {
       found: searchPhotos(query: "boat", first: 1) {
         a: edges { ...E node { likes } } b: edges { ...E cursor @include(if: $no) } nodes @skip(if: true) { id } c: nodes { n: name }
       }
     }
     fragment E on PhotoSearchEdge { node { id } }`,
  );
  assert.deepEqual(answer, {
    data: {
      found: {
        a: [{ node: { id: '12', likes: 12 } }],
        b: [{ node: { id: '12' } }],
        c: [{ n: 'red boat' }],
      },
    },
  });
});

test('a page of size 0 says whether there are results', async () => {
  assert.deepEqual(
    await t.ask(
      '{ searchPhotos(query: "red", first: 0) { nodes { id } pageInfo { hasNextPage startCursor endCursor } } }',
    ),
    {
      data: { searchPhotos: { nodes: [], pageInfo: { hasNextPage: true, startCursor: null, endCursor: null } } },
    },
  );
});

test('invalid sizes and cursors are rejected at their field, and other fields resolve', async () => {
  for (const [argument, code] of [
    ['first: -1', 'GRAPH_PAGE_NEGATIVE'],
    ['first: 1001', 'GRAPH_PAGE_TOO_LARGE'],
    ['after: "x"', 'GRAPH_CURSOR_INVALID'],
    ['after: "5B5D"', 'GRAPH_CURSOR_INVALID'],
  ]) {
    const answer = await t.ask(`{ searchPhotos(query: "red", ${argument}) { nodes { id } } }`);
    assert.equal(answer.data, null);
    assert.equal(answer.errors![0]!.extensions['code'], code);
    assert.deepEqual(answer.errors![0]!.path, ['searchPhotos']);
  }
  const { data } = await t.ask('{ searchPhotos(query: "red", first: null, after: null) { nodes { id } } }');
  assert.deepEqual(data, { searchPhotos: { nodes: [{ id: '1' }, { id: '11' }, { id: '12' }] } });
});

test('a search whose hits are mostly hidden fails with a code', async () => {
  const many = new Map(Array.from({ length: 20_001 }, (_, key) => [`x${key}`, { name: 'red' }]));
  const broad = await openGraph(
    'type Photo @entity { id: ID! @id name: String @search } type Query { find(query: String!, first: Int = 2, where: PhotoFilter): PhotoSearchConnection }',
    "INSERT INTO photos VALUES ('y', 'red')",
    {},
    { fullText: plainIndex(many).port },
  );
  const answer = await broad.ask('{ find(query: "red") { nodes { id } } }');
  assert.deepEqual(answer.data, { find: null });
  assert.equal(answer.errors![0]!.extensions['code'], 'GRAPH_SEARCH_TOO_BROAD');
  const counted = await broad.ask('{ find(query: "red", first: 0, where: { name: { eq: "red" } }) { totalCount } }');
  assert.equal(counted.errors![0]!.extensions['code'], 'GRAPH_SEARCH_TOO_BROAD');
  await broad.close();
});

test('without an index, a search field fails with a code', async () => {
  const none = await openGraph(
    'type Photo @entity { id: ID! name: String @search } type Query { find(query: String!, first: Int = 2): PhotoSearchConnection photo(id: ID!): Photo }',
  );
  const answer = await none.ask('{ find(query: "red") { nodes { id } } photo(id: 1) { id } }');
  assert.deepEqual(answer.data, { find: null, photo: null });
  assert.equal(answer.errors![0]!.extensions['code'], 'GRAPH_FULL_TEXT_MISSING');
  await none.close();
});

test('a search field without query or page size is a start-up error with a remedy', () => {
  const read = (photo: string, field: string): (() => unknown) => {
    const text = `type Photo @entity { id: ID! name: String ${photo} } enum S { ASC DESC } type Query { photo(id: ID!): Photo ${field}: PhotoSearchConnection }`;
    return () => readSchema([{ file: 's.graphql', text }]);
  };
  assert.throws(read('', 'find(query: String!, first: Int = 2)'), /which has no searched field.*Put @search/s);
  assert.throws(read('@search', 'find(first: Int = 2)'), /has no argument for the query text.*query: String!/s);
  assert.throws(read('@search', 'find(query: String, first: Int = 2)'), /has no argument for the query text/);
  assert.throws(read('@search', 'find(query: String!)'), /first: Int = 10/);
  assert.throws(
    read('@search', 'find(query: String!, first: Int, sort: S)'),
    /"sort" of Query\.find has no meaning here/,
  );
  assert.throws(read('@search', 'find(query: String!, first: Int, nmae: String)'), /Did you mean "name"/);
});

test('all failing root fields are reported, in their order', async () => {
  const delays = new Map<string, number>();
  const broken = (query: { readonly query: string }): Promise<never> =>
    new Promise((_, reject) => {
      setTimeout(() => reject(new Error(query.query)), delays.get(query.query));
    });
  const port: FullText = { search: broken, count: broken, highlight: () => Promise.resolve(new Map()) };
  const failing = await openGraph(SDL, rows[0]!, {}, { fullText: port });
  const query = `{
    a: searchPhotos(query: "first") { nodes { id } }
    b: searchPhotos(query: "second") { nodes { id } }
    photo(id: 404) { id }
    c: searchPhotos(query: "third", first: -1) { nodes { id } }
  }`;
  for (const [first, second] of [
    [1, 5],
    [5, 1],
  ]) {
    delays.set('first', first!).set('second', second!);
    const { data, errors } = await failing.ask(query);
    assert.equal(data, null);
    assert.deepEqual(
      errors!.map(({ path }) => path),
      [['a'], ['b'], ['c']],
    );
  }
  await failing.close();
});
