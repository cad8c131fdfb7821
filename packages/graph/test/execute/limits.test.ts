// What one operation may cost: the estimate, the size of an answer, nesting and repetition; each refusal by its code.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openGraph, type Answer, type TestGraph } from './open-graph.ts';

const SDL = /* GraphQL */ `
  enum Category {
    PORTRAIT
    LANDSCAPE
  }
  type Photo @entity {
    id: ID!
    name: String!
    url: String
    category: Category!
    postedBy: User!
    taggedUsers: [User!]!
    related: Photo
  }
  type User @entity {
    login: ID! @id
    name: String
    postedPhotos: [Photo!]!
    inPhotos: [Photo!]!
  }
  type Query {
    allPhotos(first: Int = 25): [Photo!]!
    allUsers(first: Int = 50): [User!]!
    totalPhotos(category: Category): Int!
    pages(filter: PhotoFilter, first: Int): PhotoConnection!
    long(size: Int!): String
    echo: [Photo!]
    everyPhoto: [Photo!]!
    maybePaged(first: Int): [Photo!]!
    fewPhotos: [Photo!]! @listSize(assumedSize: 5)
  }
  type Mutation {
    updatePhoto(id: ID!, name: String): Photo
  }
  type Subscription {
    photoChanged: Photo
  }
`;
const ROWS = `
  INSERT INTO users (login, name) VALUES ('ann', 'Ann'), ('bob', 'Bob');
  INSERT INTO photos (id, name, category, posted_by)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200)
    SELECT n, 'Photo ' || n, 'PORTRAIT', 'ann' FROM numbers`;
const resolvers = {
  Photo: { related: (parent: Record<string, unknown>) => ({ id: parent['id'] }) },
  Query: {
    long: (_parent: unknown, args: Record<string, unknown>) => 'é'.repeat(args['size'] as number),
    echo: () => Array.from({ length: 100 }, () => '7'),
  },
};
const t: TestGraph = await openGraph(SDL, ROWS, resolvers);
const small: TestGraph = await openGraph(SDL, ROWS, resolvers, { limits: { answerSize: 5000 } });
after(async () => {
  await t.close();
  await small.close();
});

const repeat = (count: number, piece: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => piece(index)).join(' ');
const codes = (answer: Answer): unknown[] => (answer.errors ?? []).map((error) => error.extensions['code']);

const TOO_COSTLY = [
  '{ allUsers(first: 50) { postedPhotos { postedBy { postedPhotos { postedBy { postedPhotos { id name url } } } } } } }',
  `{ allUsers(first: 1000) { ${repeat(40, (index) => `a${index}: postedPhotos { id name url category }`)} } }`,
  '{ allUsers(first: 1000) { a: postedPhotos { postedBy { postedPhotos { id } } } } }',
];
for (const query of TOO_COSTLY) {
  test(`too deeply nested lists are rejected before execution: ${query.slice(0, 60)}`, async () => {
    t.taken();
    assert.deepEqual(codes(await t.ask(query)), ['GRAPH_TOO_COSTLY']);
    assert.equal(t.taken().length, 0);
  });
}

test('pages of 1,000, and lists in ordinary pages, cost less than the limit', async () => {
  for (const query of [
    '{ allPhotos(first: 1000) { id name url category a: id b: id c: id d: id e: name f: name } }',
    '{ allPhotos(first: 25) { id name url category postedBy { login name } taggedUsers { login name } } }',
    '{ allUsers(first: 1000) { login name postedPhotos { id name url } } }',
    '{ allUsers { login postedPhotos { id taggedUsers { name } } } }',
  ]) {
    assert.deepEqual(codes(await t.ask(query)), []);
  }
});

test('cost counts the fields of each object', async () => {
  const tight = await openGraph(SDL, ROWS, resolvers, { limits: { cost: 100 } });
  try {
    assert.deepEqual(codes(await tight.ask('{ allPhotos(first: 25) { id name url } }')), []);
    assert.deepEqual(codes(await tight.ask('{ allPhotos(first: 25) { id name url category } }')), ['GRAPH_TOO_COSTLY']);
    const query = 'query ($n: Int) { allPhotos(first: $n) { id name url } }';
    assert.deepEqual(codes(await tight.ask(query, { variables: { n: 25 } })), []);
    assert.deepEqual(codes(await tight.ask(query, { variables: { n: 26 } })), ['GRAPH_TOO_COSTLY']);
    const subscription = 'subscription { photoChanged { taggedUsers { inPhotos { id name } } } }';
    const refused = await tight.graph.subscribe({ query: subscription });
    assert.ok(refused.kind === 'refused');
    assert.match(refused.response.body, /GRAPH_TOO_COSTLY/);
  } finally {
    await tight.close();
  }
});

test('a root list without a size costs the largest page', async () => {
  const below = '{ taggedUsers { inPhotos { id name url category a: id b: id c: id } } }';
  assert.deepEqual(codes(await t.ask(`{ everyPhoto ${below} }`)), ['GRAPH_TOO_COSTLY']);
  assert.deepEqual(codes(await t.ask(`{ maybePaged ${below} }`)), ['GRAPH_TOO_COSTLY']);
  for (const field of ['maybePaged(first: 20)', 'fewPhotos', 'allPhotos'])
    assert.deepEqual(codes(await t.ask(`{ ${field} ${below} }`)), []);
  assert.deepEqual(codes(await t.ask('{ everyPhoto { id name postedBy { name } taggedUsers { login name } } }')), []);
});

test('a response of one statement beyond the size limit is rejected', async () => {
  assert.deepEqual(codes(await small.ask('{ allPhotos(first: 20) { id name } }')), []);
  const { body, executed } = await small.graph.execute({ query: '{ allPhotos(first: 200) { id name } }' });
  const answer = JSON.parse(body) as Answer;
  assert.deepEqual([executed, answer.data, codes(answer)], [true, null, ['GRAPH_ANSWER_TOO_LARGE']]);
  // The limit was the statement's own, not one that stays with the connection.
  assert.equal((await small.ask('{ allPhotos(first: 20) { id } }')).errors, undefined);
  const count = await small.graph.loadDocuments('Photo', { limit: 200 });
  assert.equal(count.length, 200);
});

test('the size limit counts bytes, also in results of resolvers', async () => {
  assert.deepEqual(codes(await small.ask('{ long(size: 2400) }')), []);
  assert.deepEqual(codes(await small.ask('{ long(size: 2600) }')), ['GRAPH_ANSWER_TOO_LARGE']);
});

test('data read for resolvers is limited at its field, and repeated objects count each time', async () => {
  const read = await small.ask('{ totalPhotos allPhotos(first: 200) { id name related { id } } }');
  assert.deepEqual([codes(read), read.errors?.[0]?.path], [['GRAPH_ANSWER_TOO_LARGE'], ['allPhotos']]);
  assert.deepEqual(codes(await small.ask('{ echo { id } }')), []);
  const repeated = await small.ask('{ echo { id name url category postedBy { login name } } }');
  assert.deepEqual([repeated.data, codes(repeated)], [null, ['GRAPH_ANSWER_TOO_LARGE']]);
});

test('a mutation with a too large response writes nothing and fails at its field', async () => {
  const answer = await small.ask(
    'mutation { small: updatePhoto(id: 1, name: "A") { name } large: updatePhoto(id: 2, name: "B") { postedBy { postedPhotos { id name } } } }',
  );
  assert.deepEqual(answer.data, { small: { name: 'A' }, large: null });
  assert.deepEqual([codes(answer), answer.errors?.[0]?.path], [['GRAPH_ANSWER_TOO_LARGE'], ['large']]);
  const names = await small.ask('{ allPhotos(first: 2) { name } }');
  assert.deepEqual(names.data, { allPhotos: [{ name: 'A' }, { name: 'Photo 2' }] });
});

const NESTED = [
  `{ totalPhotos(category: ${'['.repeat(2400)}${']'.repeat(2400)}) }`,
  `{ totalPhotos @skip(if: ${'['.repeat(2000)}${']'.repeat(2000)}) }`,
  `{ ${'...{'.repeat(1600)} totalPhotos ${'}'.repeat(1600)} }`,
  '{a'.repeat(20_000),
  '(['.repeat(20_000),
];
for (const query of NESTED) {
  test(`too deeply nested brackets are rejected: ${query.slice(0, 30)}`, async () => {
    assert.deepEqual(codes(await t.ask(query)), ['GRAPH_TOO_NESTED']);
  });
}

test('brackets in strings, comments and closed ones do not count as nesting', async () => {
  const brackets = '['.repeat(500);
  const query = `query ($c: String = "${brackets}", $d: String = """${brackets}""") { ${'...{ totalPhotos } '.repeat(120)} } # ${brackets}`;
  assert.deepEqual(codes(await t.ask(query)), ['GRAPH_VALIDATION', 'GRAPH_VALIDATION']);
});

test('variables have the same nesting limit as documents', async () => {
  const query = 'query ($category: Category) { totalPhotos(category: $category) }';
  const nest = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  assert.deepEqual(codes(await t.ask(query, { variables: { category: nest(90) } })), ['GRAPH_VARIABLES_INVALID']);
  assert.deepEqual(codes(await t.ask(query, { variables: { category: nest(50_000) } })), ['GRAPH_TOO_NESTED']);
});

test('fragment cycles are validation errors', async () => {
  const cycles = `{ ...f0 } ${repeat(450, (index) => `fragment f${index} on Query { ...f${(index + 1) % 450} ...f${(index + 7) % 450} }`)}`;
  const answer = await t.ask(cycles);
  assert.match(answer.errors?.[0]?.message ?? '', /Cannot spread fragment "f0" within itself/);
  assert.deepEqual(new Set(codes(answer)), new Set(['GRAPH_VALIDATION']));
  const hidden = await t.ask('{ ...F } fragment F on Query { totalPhotos } fragment F on Query { echo { ...F } }');
  assert.match(hidden.errors?.[0]?.message ?? '', /only one fragment named "F"/);
});

test('a filter through too many relations is rejected', async () => {
  const through = (hops: number): string =>
    `{ pages(first: 1, filter: ${'{ postedBy: { postedPhotos: { any: '.repeat(hops)} { id: { eq: 3 } } ${'} } }'.repeat(hops)}) { nodes { id } } }`;
  assert.deepEqual((await t.ask(through(5))).data, { pages: { nodes: [{ id: '1' }] } });
  assert.deepEqual(codes(await t.ask(through(30))), ['GRAPH_TOO_INVOLVED']);
});

test('a long chain of fragments is followed', async () => {
  const chain = `{ ...f0 } ${repeat(200, (index) => `fragment f${index} on Query { ...f${index + 1} }`)} fragment f200 on Query { totalPhotos }`;
  assert.deepEqual((await t.ask(chain)).data, { totalPhotos: 200 });
});

test('a repetitive document is rejected with its own code; moderate repetition merges', async () => {
  assert.deepEqual(codes(await t.ask(`{ ${'allPhotos { id } '.repeat(1200)} }`)), ['GRAPH_TOO_REPETITIVE']);
  const spreads = `{ ${'...F '.repeat(400)} } fragment F on Query { totalPhotos }`;
  assert.deepEqual(codes(await t.ask(spreads)), ['GRAPH_TOO_REPETITIVE']);
  assert.deepEqual((await t.ask(`{ ${'allPhotos(first: 1) { id } '.repeat(50)} }`)).data, { allPhotos: [{ id: '1' }] });
});
