// Answers to GET that shared caches may keep: those that are the same for everybody, and no others.
import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { test } from 'node:test';

import { AS_USER, type Got, startApp, type TestApp } from '../start-app.ts';

const SCHEMA = `
  type Note @entity {
    id: ID!  title: String! @search  author: Author!
    secret: String @auth(read: "hasRole('ADMIN')")
  }
  type Deed @entity(softDelete: "deletedAt") @auth(readDeleted: "hasRole('ADMIN')") {
    id: ID!  title: String!  place: Place  deletedAt: DateTime
  }
  type Place { town: String! }
  scalar DateTime
  enum Deleted { EXCLUDE INCLUDE ONLY }
  type Page @entity { id: ID!  title: String!  words: [Word!]!  topic: Topic  length: Int }
  type Word @entity { id: ID!  text: String!  page: Page! }
  type Topic @entity { id: ID!  name: String!  notes: [Note!]! @relation(inverse: "topic") }
  extend type Note { topic: Topic }
  type Mark @entity { id: ID!  author: Author }
  type Author @entity @auth(read: "authenticated") { id: ID!  name: String! }
  input WordFilterInput { text: String }
  type Query {
    pages(first: Int = 25, where: PageFilter, orderBy: [PageOrder!]): [Page!]!
    page(id: ID!): Page
    topics(first: Int = 25): [Topic!]!
    secretPages(where: PageFilter = { topic: { notes: { any: { secret: { eq: "x" } } } } }): [Page!]!
    marksOf(author: ID, first: Int = 5): [Mark!]!
    notes(first: Int = 25, where: NoteFilter, orderBy: [NoteOrder!]): [Note!]!
    notePages(first: Int = 25): NoteConnection!
    noteTotals: NoteAggregates!
    noteGroups(groupBy: NoteGroupBy!): [NoteGroup!]!
    deeds(first: Int = 5, deleted: Deleted = EXCLUDE): [Deed!]!
    searchNotes(query: String!, first: Int = 5): NoteSearchConnection!
    hello: String
  }
  input PageInput { title: String! }
  type Mutation { createPage(input: PageInput!): Page! }
`;

const get = ({ call }: TestApp, query: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> =>
  call(`/graphql?query=${encodeURIComponent(query)}`, {
    headers: { authorization: '', accept: 'application/json', ...headers },
  });

const start = (context: Parameters<typeof startApp>[0], config: object = {}): Promise<TestApp> =>
  startApp(context, {
    schema: SCHEMA,
    files: { 'resolvers.mjs': "export default { Query: { hello: () => 'hello' } };" },
    config: {
      rules: [
        { ant: '/graphql', access: 'permitAll' },
        { any: true, access: 'authenticated' },
      ],
      ...config,
    },
  });

test('an answer without rules has an ETag and may be kept; 304 while it holds', async (context) => {
  const app = await start(context);
  await app.graph('mutation { createPage(input: { title: "one" }) { id } }');
  for (const query of [
    '{ pages { id title words { text } } }',
    '{ page(id: 1) { title __typename } }',
    '{ topics { name } }',
    '{ marksOf { id } }',
    // Rules of what is not read have no say.
    '{ notes { title } }',
    '{ topics { notes { id title } } }',
    '{ pages { ...P } } fragment P on Page { topic { notes { id } } }',
    '{ pages(where: { topic: { name: { eq: "x" } } }) { id } }',
    '{ pages(orderBy: [{ topic: { name: ASC } }]) { id } }',
    '{ notePages { nodes { title } totalCount } noteTotals { count max { title } } }',
    '{ noteGroups(groupBy: { title: true }) { count } }',
    '{ deeds { title } }',
    '{ deeds(deleted: EXCLUDE) { place { town } } }',
  ]) {
    const first = await get(app, query);
    deepEqual([first.status, first.headers['cache-control']], [200, 'public, no-cache'], query);
    for (const name of ['set-cookie', 'pragma', 'expires']) equal(first.headers[name], undefined, name);
    match(first.headers['etag'] ?? '', /^"[\w-]{22}"$/);
    for (const tag of [first.headers['etag']!, `W/${first.headers['etag']}`, `"x", ${first.headers['etag']}`, '*']) {
      const again = await get(app, query, { 'if-none-match': tag });
      deepEqual([again.status, again.text, again.headers['etag']], [304, '', first.headers['etag']], tag);
    }
  }
  const before = await get(app, '{ pages { title } }');
  await app.graph('mutation { createPage(input: { title: "two" }) { id } }');
  const after = await get(app, '{ pages { title } }', { 'if-none-match': before.headers['etag']! });
  equal(after.status, 200);
  notEqual(after.headers['etag'], before.headers['etag']);
});

test('an answer that a rule, resolver, search, role or error may shape is kept by nobody', async (context) => {
  const app = await start(context);
  const queries = [
    '{ notes { secret } }',
    '{ topics { notes { title secret } } }',
    '{ notes { author { name } } }',
    '{ notes { author { __typename } } }',
    '{ notePages { nodes { secret } } }',
    '{ noteTotals { countDistinct { secret } } }',
    '{ noteGroups(groupBy: { secret: true }) { count } }',
    '{ noteGroups(groupBy: { author: { name: true } }) { count } }',
    '{ deeds(deleted: INCLUDE) { title } }',
    '{ deeds(deleted: ONLY) { place { town } } }',
    '{ hello }',
    '{ searchNotes(query: "x") { edges { node { id } } } }',
    '{ __schema { queryType { name } } }',
    '{ pages { id } __type(name: "Page") { name } }',
    '{ pages { ...P } } fragment P on Page { topic { notes { ...N } } } fragment N on Note { secret }',
    // A filter or order asks about what is hidden; so does the one that the schema gives, and a reference to a hidden
    // object is null.
    '{ notes(where: { secret: { eq: "x" } }) { id } }',
    '{ notes(where: { not: { author: { name: { eq: "x" } } } }) { id } }',
    '{ notes(orderBy: [{ secret: ASC }]) { id } }',
    '{ pages(where: { topic: { notes: { any: { secret: { eq: "x" } } } } }) { id } }',
    '{ secretPages { id } }',
    '{ marksOf(author: 1) { id } }',
    '{ pages(first: 5000) { id } }',
    '{ nothing }',
  ];
  for (const query of queries) {
    const { headers } = await get(app, query, { 'if-none-match': '*' });
    deepEqual([headers['etag'], /no-store/.test(headers['cache-control'] ?? 'no-store')], [undefined, true], query);
  }
  const withCookie = await get(app, '{ pages { id } }', { cookie: 'remember-me=garbage' });
  deepEqual([withCookie.headers['etag'], withCookie.headers['cache-control']], [undefined, 'no-store']);
  const asUser = await get(app, '{ pages { id } }', AS_USER);
  deepEqual([asUser.headers['etag'], asUser.headers['cache-control']], [undefined, 'no-store']);
});

test('a path that not everybody may read is kept by nobody', async (context) => {
  for (const access of ["hasIpAddress('0.0.0.0/0') or permitAll", 'anonymous']) {
    const app = await start(context, {
      rules: [
        { ant: '/graphql', access },
        { any: true, access: 'authenticated' },
      ],
    });
    const { status, headers } = await get(app, '{ pages { id } }');
    deepEqual([status, headers['etag'], headers['cache-control']], [200, undefined, 'no-store'], access);
  }
});

for (const transport of ['in-process', 'socket'] as const) {
  test(`${transport}: what the chain varies by stays beside what the graph varies by`, async (context) => {
    const app = await startApp(context, {
      schema: SCHEMA,
      transport,
      files: { 'resolvers.mjs': "export default { Query: { hello: () => 'hello' } };" },
      config: {
        rules: [
          { ant: '/graphql', access: 'permitAll' },
          { any: true, access: 'authenticated' },
        ],
        cors: [{ allowedOrigins: ['https://a.example'] }],
      },
    });
    const { headers } = await get(app, '{ pages { id } }', { origin: 'https://a.example' });
    match(headers['vary'] ?? '', /Origin.*accept/);
  });
}

test('introspection shows no directives of the schema file and no type that nothing reaches', async (context) => {
  const app = await start(context);
  const { __schema, hidden } = await app.graph(
    '{ __schema { directives { name } types { name } } hidden: __type(name: "WordFilterInput") { name } }',
  );
  const names = (of: { name: string }[]): string[] => of.map(({ name }) => name);
  deepEqual(names(__schema.directives).toSorted(), [
    'deprecated',
    'include',
    'oneOf',
    'skip',
    'specifiedBy',
    'transaction',
  ]);
  deepEqual(
    [names(__schema.types).includes('WordFilterInput'), names(__schema.types).includes('Word'), hidden],
    [false, true, null],
  );
});

test('@defer and @stream are refused by name, with what to do', async (context) => {
  const app = await start(context);
  for (const query of ['{ pages { id ... @defer { title } } }', '{ pages @stream(initialCount: 1) { id } }']) {
    const { json } = await get(app, query);
    match(json.errors[0].message, /Unknown directive "@(defer|stream)"/);
    match(json.errors[0].extensions.hint, /Incremental delivery is not offered/);
  }
});
