// What clients get: data in one statement, errors with code and place, resolvers over prefetched columns, limits.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import type * as graphql from 'graphql';
import { GraphQLError, GraphQLScalarType } from 'graphql';
import type { ResolverContext } from '../../src/index.ts';
import { openGraph, type TestGraph } from './open-graph.ts';

const SDL = /* GraphQL */ `
  enum Category {
    PORTRAIT
    LANDSCAPE
  }
  type Photo @entity {
    id: ID!
    name: String!
    category: Category!
    postedBy: User!
    taggedUsers: [User!]!
    label: String
    shout: String!
    author: User
    broken: String
  }
  type User @entity {
    login: ID! @id
    name: String
    postedPhotos: [Photo!]!
    inPhotos: [Photo!]!
  }
  type Session {
    user: User!
    token: String!
  }
  type Query {
    user(login: ID!): User
    photo(id: ID!): Photo
    promised(login: ID!): User!
    fails(turns: Int!): Int
    Photo(category: Category): Photo
    photos(first: Int = 2, start: Int = 0): [Photo!]!
    totalPhotos: Int!
    photoCount(category: Category): Int!
    session: Session
  }
`;
const ROWS = `
  INSERT INTO users (login, name) VALUES ('ann', 'Ann'), ('bob', NULL), ('eve', 'Eve');
  INSERT INTO photos (id, name, category, posted_by) VALUES (1, 'One', 'PORTRAIT', 'ann'), (2, 'Two', 'LANDSCAPE', 'bob'), (3, 'Three', 'LANDSCAPE', 'bob');
  INSERT INTO photos_tagged_users (photo, user) VALUES (1, 'bob'), (1, 'eve'), (2, 'ann')`;
const lines: unknown[] = [];
const resolvers = {
  Photo: {
    label: {
      needs: ['name', 'category'],
      resolve: (parent: Record<string, unknown>) =>
        `${String(parent['id'])} ${String(parent['name'])} ${String(parent['category'])}`,
    },
    shout: (parent: Record<string, unknown>) => (parent['id'] === '2' ? null : 'HEY'),
    author: {
      needs: ['name'],
      resolve: (parent: Record<string, unknown>) => ({ login: parent['name'] === 'One' ? 'eve' : 'ann' }),
    },
    broken(parent: Record<string, unknown>) {
      if (parent['id'] === '1') throw new Error('password is hunter2');
      throw new GraphQLError('told on purpose', { extensions: { code: 'MY_CODE' } });
    },
  },
  Query: {
    session: () => ({ user: 'bob', token: 't' }),
    async fails(_: unknown, { turns }: Readonly<Record<string, unknown>>) {
      for (let turn = 0; turn < (turns as number); turn++) await new Promise(setImmediate);
      throw new GraphQLError('told on purpose', { extensions: { code: 'MY_CODE' } });
    },
  },
};
const t: TestGraph = await openGraph(SDL, ROWS, resolvers, {
  log: { write: (_level, message, facts) => void lines.push({ message, ...facts }) },
});
after(() => t.close());

test('an operation over relations costs one statement', async () => {
  t.taken();
  const answer = await t.ask(
    '{ photos(first: 3) { id postedBy { name } taggedUsers { login inPhotos { id } } } totalPhotos u: user(login: "ann") { name } }',
  );
  assert.equal(t.taken().length, 1);
  assert.deepEqual(answer.data?.['photos'], [
    {
      id: '1',
      postedBy: { name: 'Ann' },
      taggedUsers: [
        { login: 'bob', inPhotos: [{ id: '1' }] },
        { login: 'eve', inPhotos: [{ id: '1' }] },
      ],
    },
    { id: '2', postedBy: { name: null }, taggedUsers: [{ login: 'ann', inPhotos: [{ id: '2' }] }] },
    { id: '3', postedBy: { name: null }, taggedUsers: [] },
  ]);
  assert.equal(answer.data?.['totalPhotos'], 3);
});

test('a look-up by a non-unique column returns the first row by key', async () => {
  const answer = await t.ask(
    '{ Photo(category: LANDSCAPE) { id } any: Photo { id } count: photoCount(category: LANDSCAPE) }',
  );
  assert.deepEqual(answer.data, { Photo: { id: '2' }, any: { id: '1' }, count: 2 });
});

test('an impossible id finds nothing', async () => {
  for (const id of ['x', '01', '1.0', '1e0', '99999999999999999999', "1' OR '1'='1", '']) {
    assert.deepEqual(await t.ask('query ($id: ID!) { photo(id: $id) { id } }', { variables: { id } }), {
      data: { photo: null },
    });
  }
});

test('an operation is compiled once for all variables of one shape', async () => {
  const query = 'query Q($login: ID!) { user(login: $login) { name } }';
  await t.ask(query, { variables: { login: 'ann' } });
  t.taken();
  assert.deepEqual((await t.ask(query, { variables: { login: 'eve' } })).data, { user: { name: 'Eve' } });
  assert.equal(t.taken().length, 1);
});

test('resolvers mix with columns; their needs are fetched by the same statement', async () => {
  t.taken();
  const answer = await t.ask('{ photos(first: 3) { name label taggedUsers { name } } }');
  assert.equal(t.taken().length, 1);
  assert.deepEqual(
    (answer.data!['photos'] as { label: string }[]).map((photo) => photo.label),
    ['1 One PORTRAIT', '2 Two LANDSCAPE', '3 Three LANDSCAPE'],
  );
});

test('objects returned by key are batched with their selections', async () => {
  t.taken();
  const answer = await t.ask('{ photos(first: 3) { id author { login name postedPhotos { id } } } }');
  assert.equal(t.taken().length, 2);
  assert.deepEqual(answer.data?.['photos'], [
    { id: '1', author: { login: 'eve', name: 'Eve', postedPhotos: [] } },
    { id: '2', author: { login: 'ann', name: 'Ann', postedPhotos: [{ id: '1' }] } },
    { id: '3', author: { login: 'ann', name: 'Ann', postedPhotos: [{ id: '1' }] } },
  ]);
});

test('a plain object of a resolver may contain stored objects by key', async () => {
  assert.deepEqual((await t.ask('{ session { token user { login inPhotos { name } } } }')).data, {
    session: { token: 't', user: { login: 'bob', inPhotos: [{ name: 'One' }] } },
  });
});

test('a null in a non-null field propagates to the nearest nullable one', async () => {
  const answer = await t.ask('{ photo(id: 2) { id shout } totalPhotos }');
  assert.deepEqual(answer.data, { photo: null, totalPhotos: 3 });
  assert.deepEqual(answer.errors?.[0]?.path, ['photo', 'shout']);
  assert.equal(answer.errors?.[0]?.extensions['code'], 'GRAPH_NULL_VALUE');
});

test('a non-null look-up without a row makes data null with an error', async () => {
  assert.deepEqual(await t.ask('{ promised(login: "ann") { name } }'), { data: { promised: { name: 'Ann' } } });
  const missing = await t.ask('{ totalPhotos promised(login: "nobody") { name } }');
  assert.equal(missing.data, null);
  assert.deepEqual(missing.errors?.[0]?.path, ['promised']);
  assert.equal(missing.errors?.[0]?.extensions['code'], 'GRAPH_NULL_VALUE');
});

test('an unknown error is masked by an id that is also logged', async () => {
  const answer = await t.ask('{ photos(first: 2) { id broken } }');
  const [masked, told] = answer.errors ?? [];
  assert.doesNotMatch(JSON.stringify(answer), /hunter2/);
  assert.equal(masked?.extensions['code'], 'GRAPH_INTERNAL');
  const id = masked?.extensions['id'];
  assert.ok(typeof id === 'string' && lines.some((line) => (line as { id?: string }).id === id));
  assert.deepEqual(
    [told?.message, told?.extensions['code'], told?.path],
    ['told on purpose', 'MY_CODE', ['photos', 1, 'broken']],
  );
  assert.deepEqual(answer.data?.['photos'], [
    { id: '1', broken: null },
    { id: '2', broken: null },
  ]);
});

test('errors are in the order of the root fields', async () => {
  const { data, errors } = await t.ask('{ b: fails(turns: 5) totalPhotos a: fails(turns: 0) c: fails(turns: 2) }');
  assert.deepEqual(data, { b: null, totalPhotos: 3, a: null, c: null });
  assert.deepEqual(
    errors?.map(({ path }) => path),
    [['b'], ['a'], ['c']],
  );
  const emptied = await t.ask('{ promised(login: "nobody") { name } photos(first: 1) { broken } }');
  assert.equal(emptied.data, null);
  assert.ok(emptied.errors?.some(({ path }) => path?.[0] === 'promised'));
});

test('a negative or too large page size is rejected at its field, never clipped', async () => {
  for (const [query, code] of [
    ['{ photos(first: -1) { id } }', 'GRAPH_PAGE_NEGATIVE'],
    ['{ photos(start: -1) { id } }', 'GRAPH_PAGE_NEGATIVE'],
    ['{ photos(first: 1001) { id } }', 'GRAPH_PAGE_TOO_LARGE'],
  ] as const) {
    const answer = await t.ask(query);
    assert.equal(answer.data, null);
    assert.deepEqual([answer.errors?.[0]?.extensions['code'], answer.errors?.[0]?.path], [code, ['photos']]);
  }
  const byVariable = await t.ask('query ($n: Int) { photos(first: $n) { id } }', { variables: { n: 1001 } });
  assert.equal(byVariable.errors?.[0]?.extensions['code'], 'GRAPH_PAGE_TOO_LARGE');
});

const nested = (levels: number): string =>
  `{ user(login: "ann") ${'{ postedPhotos { postedBy '.repeat(levels)} { login } ${'} }'.repeat(levels)} }`;
const LIMITS: readonly (readonly [string, string, string])[] = [
  ['depth', nested(20), 'GRAPH_TOO_DEEP'],
  [
    'aliases',
    `{ ${Array.from({ length: 101 }, (_, index) => `a${index}: totalPhotos`).join(' ')} }`,
    'GRAPH_TOO_MANY_ALIASES',
  ],
  ['directives', `{ ${'...@include(if: true) { totalPhotos }'.repeat(101)} }`, 'GRAPH_TOO_MANY_DIRECTIVES'],
  ['tokens', `{ ${'totalPhotos '.repeat(5001)} }`, 'GRAPH_TOO_MANY_TOKENS'],
  ['size', `{ totalPhotos } #${'x'.repeat(100_000)}`, 'GRAPH_DOCUMENT_TOO_LARGE'],
  ['cost', '{ photos(first: 1000) { taggedUsers { inPhotos { taggedUsers { login } } } } }', 'GRAPH_TOO_COSTLY'],
  [
    'fields by fragments that double each other',
    `{ ...F0 } ${Array.from({ length: 40 }, (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`).join(' ')} fragment F40 on Query { totalPhotos }`,
    'GRAPH_TOO_MANY_FIELDS',
  ],
];
for (const [name, query, code] of LIMITS) {
  test(`a document beyond the limit of ${name} is rejected before execution`, async () => {
    t.taken();
    const { body, executed } = await t.graph.execute({ query });
    assert.equal(executed, false);
    assert.equal((JSON.parse(body) as { errors: { extensions: { code: string } }[] }).errors[0]?.extensions.code, code);
    assert.equal(t.taken().length, 0);
  });
}

test('syntax, validation and variable errors have code and location', async () => {
  assert.equal((await t.ask('{')).errors?.[0]?.extensions['code'], 'GRAPH_SYNTAX');
  const unknown = await t.ask('{ totalPhoto }');
  assert.equal(unknown.errors?.[0]?.extensions['code'], 'GRAPH_VALIDATION');
  assert.match(unknown.errors?.[0]?.message ?? '', /Did you mean "totalPhotos"/);
  const variables = await t.ask('query ($id: ID!) { photo(id: $id) { id } }', { variables: {} });
  assert.deepEqual([variables.errors?.[0]?.extensions['code'], variables.data], ['GRAPH_VARIABLES_INVALID', undefined]);
});

test('operationName selects an operation, and an unknown name is an error', async () => {
  const query = 'query A { totalPhotos } query B { __typename }';
  assert.deepEqual(JSON.parse((await t.graph.execute({ query, operationName: 'B' })).body), {
    data: { __typename: 'Query' },
  });
  const { body, executed } = await t.graph.execute({ query, operationName: 'C' });
  assert.equal(executed, false);
  assert.match(body, /Unknown operation named \\"C\\"/);
});

test('introspection works and contains descriptions', async () => {
  const answer = await t.ask(
    '{ __schema { types { name description } } __type(name: "Photo") { name fields { name type { name } } } }',
  );
  const { types } = answer.data!['__schema'] as { types: { name: string }[] };
  for (const name of ['Photo', 'User', 'Category', 'Query', 'ID', 'String'])
    assert.ok(types.some((type) => type.name === name));
});

test('without introspection rights, neither introspection nor suggestions reveal the schema', async () => {
  const closed = await openGraph(SDL, '', resolvers, {
    introspection: (principal) => principal.authorities.has('ROLE_DEV'),
  });
  try {
    assert.equal(
      (await closed.ask('{ __schema { types { name } } }')).errors?.[0]?.extensions['code'],
      'GRAPH_INTROSPECTION_OFF',
    );
    assert.doesNotMatch(JSON.stringify(await closed.ask('{ totalPhoto }')), /Did you mean|totalPhotos"/);
    const dev = createPrincipal('dev', ['ROLE_DEV']);
    assert.ok((await closed.ask('{ __schema { types { name } } }', { principal: dev })).data);
    assert.match(JSON.stringify(await closed.ask('{ totalPhoto }', { principal: dev })), /Did you mean/);
  } finally {
    await closed.close();
  }
});

test('names of JavaScript properties are ordinary names', async () => {
  const answer = await t.ask(
    '{ __proto__: totalPhotos constructor: photo(id: 1) { toString: name hasOwnProperty: label __proto__: id } }',
  );
  assert.equal(
    JSON.stringify(answer),
    '{"data":{"__proto__":3,"constructor":{"toString":"One","hasOwnProperty":"1 One PORTRAIT","__proto__":"1"}}}',
  );
  const variables = JSON.parse('{"id": "1", "__proto__": {"id": "2"}}') as Record<string, unknown>;
  assert.deepEqual((await t.ask('query ($id: ID!) { photo(id: $id) { id } }', { variables })).data, {
    photo: { id: '1' },
  });
});

test('a custom scalar is serialized by its own function', async () => {
  const Shout = new GraphQLScalarType({ name: 'Shout', serialize: (value) => (value as string).toUpperCase() });
  const own = await openGraph(
    'scalar Shout type Note @entity { id: ID! text: Shout } type Query { note(id: ID!): Note }',
    `INSERT INTO notes (id, text) VALUES (1, 'quiet')`,
    { Shout },
  );
  try {
    assert.deepEqual((await own.ask('{ note(id: 1) { text } }')).data, { note: { text: 'QUIET' } });
  } finally {
    await own.close();
  }
});

test('scalars and errors of a second copy of graphql are recognised', async (context) => {
  // Modules are identified by their URL, so a copy under another URL has different classes.
  const folder = mkdtempSync(join(tmpdir(), 'lockstitch-graphql-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const from = dirname(createRequire(import.meta.url).resolve('graphql'));
  cpSync(from, join(folder, 'graphql'), { recursive: true, filter: (path) => !/\.(?:map|m?ts)$/.test(path) });
  const copy = createRequire(join(folder, 'index.js'))('./graphql') as Pick<
    typeof graphql,
    'GraphQLError' | 'GraphQLScalarType'
  >;
  assert.notEqual(copy.GraphQLScalarType, GraphQLScalarType);

  const Shade = new copy.GraphQLScalarType({
    name: 'Shade',
    serialize: (value) => `<${String(value)}>`,
    parseValue: (value) => {
      if (value !== 'red') throw new copy.GraphQLError('Only "red" is a shade.');
      return value;
    },
  });
  // As graphql 16 makes them: without the three newer functions.
  const older = Object.assign(Object.create(copy.GraphQLScalarType.prototype) as typeof Shade, Shade, {
    name: 'Older',
    coerceOutputValue: undefined,
    coerceInputValue: undefined,
    coerceInputLiteral: undefined,
  });
  const fails = (): never => {
    throw new copy.GraphQLError('Not your clinic.', { extensions: { code: 'NOT_YOURS' } });
  };
  const own = await openGraph(
    `scalar Shade scalar Older
     type Note @entity { id: ID! shade: Shade older: Older }
     input NoteInput { shade: Shade older: Older }
     type Query { note(id: ID!): Note fails: Int }
     type Mutation { createNote(input: NoteInput!): Note! }`,
    '',
    { Shade, Older: older, Query: { fails } },
  );
  try {
    assert.deepEqual(
      (await own.ask('mutation { createNote(input: { shade: "red", older: "red" }) { shade older } }')).data,
      {
        createNote: { shade: '<red>', older: '<red>' },
      },
    );
    for (const name of ['shade', 'older']) {
      const refused = await own.ask(`mutation { createNote(input: { ${name}: "mauve" }) { id } }`);
      assert.match(refused.errors![0]!.message, /Only "red" is a shade\./);
    }
    const { errors } = await own.ask('{ fails }');
    assert.deepEqual([errors?.[0]?.message, errors?.[0]?.extensions['code']], ['Not your clinic.', 'NOT_YOURS']);
  } finally {
    await own.close();
  }
});

test('context.load omits values that the caller may not read', async () => {
  const load = async (_: unknown, { login }: { login: string }, context: ResolverContext): Promise<string> =>
    JSON.stringify(await context.load('User', login));
  const own = await openGraph(
    `scalar JSON
     type User @entity @auth(read: "login != 'eve'") {
       login: ID! @id
       phone: String @auth(read: "login == authentication.name")
       mark: JSON
     }
     type Query { user(login: ID!): User show(login: ID!): String! }`,
    `INSERT INTO users VALUES ('ann', '1', '{":denied":true}'), ('bob', '2', NULL), ('eve', '3', NULL)`,
    { Query: { show: load } },
  );
  try {
    const { data, errors } = await own.ask('{ a: show(login: "ann") b: show(login: "bob") e: show(login: "eve") }', {
      principal: createPrincipal('bob'),
    });
    assert.equal(errors, undefined);
    assert.deepEqual(data, {
      a: '{"login":"ann","mark":{":denied":true}}',
      b: '{"login":"bob","phone":"2","mark":null}',
      e: 'null',
    });
  } finally {
    await own.close();
  }
});

test('a missing resolver is a start-up error', async () => {
  const { readSchema, createGraph } = await import('../../src/index.ts');
  const model = readSchema([{ file: 's', text: SDL }], { resolvers });
  await assert.rejects(
    createGraph({ model, store: t.graph.store }),
    (error: { code?: string }) => error.code === 'GRAPH_RESOLVER_MISSING',
  );
});

test('an operation that times out or loses its client is stopped', async () => {
  const never = await openGraph(
    'type Query { wait: Int }',
    '',
    { Query: { wait: () => new Promise(() => undefined) } },
    { limits: { time: 20 } },
  );
  try {
    const late = await never.ask('{ wait }');
    assert.deepEqual([late.data, late.errors?.[0]?.extensions['code']], [null, 'GRAPH_TOO_SLOW']);
    const gone = await never.graph.execute({ query: '{ wait }' }, { signal: AbortSignal.abort() });
    assert.match(gone.body, /GRAPH_CANCELLED/);
  } finally {
    await never.close();
  }
});

test('search documents contain searched fields, the key and one level of related objects', async () => {
  const s = await openGraph(
    `type Photo @entity { id: ID! name: String! @search hidden: String postedBy: User! taggedUsers: [User!]! }
     type User @entity { login: ID! @id @search name: String @search postedPhotos: [Photo!]! inPhotos: [Photo!]! }
     type Query { photo(id: ID!): Photo }`,
    `INSERT INTO users (login, name) VALUES ('ann', 'Ann'), ('bob', NULL);
     INSERT INTO photos (id, name, posted_by) VALUES (1, 'One', 'ann'), (2, 'Two', 'bob'), (10, 'Ten', 'bob');
     INSERT INTO photos_tagged_users (photo, user) VALUES (1, 'bob')`,
  );
  try {
    s.taken();
    const documents = await s.graph.loadDocuments('Photo', { keys: ['10', 1, 'nonsense'] });
    assert.deepEqual(
      documents.map(({ key, source }) => [key, JSON.parse(source)]),
      [
        [
          '1',
          {
            id: '1',
            name: 'One',
            postedBy: { login: 'ann', name: 'Ann' },
            taggedUsers: [{ login: 'bob', name: null }],
          },
        ],
        ['10', { id: '10', name: 'Ten', postedBy: { login: 'bob', name: null }, taggedUsers: [] }],
      ],
    );
    const page = await s.graph.loadDocuments('Photo', { after: '1', limit: 1 });
    assert.deepEqual(
      page.map(({ key }) => key),
      ['2'],
    );
    assert.equal(await s.graph.countDocuments('Photo'), 3);
    const users = await s.graph.loadDocuments('User', { limit: 1 });
    assert.deepEqual(JSON.parse(users[0]!.source), { login: 'ann', name: 'Ann' });
  } finally {
    await s.close();
  }
});

test('a stored JSON value is returned unchanged, whatever its keys', async () => {
  const room = await openGraph('scalar JSON type Thing @entity { id: ID! any: JSON } type Query { things: [Thing!]! }');
  const values = [
    { ':denied': true },
    { ':type': 'Thing' },
    [{ ':type': 'Thing', a: 1 }, { ':denied': 1 }],
    { __proto__: 1 },
  ];
  for (const value of values) {
    await room.graph.store.prepare('INSERT INTO things ("any") VALUES (?)').run([JSON.stringify(value)]);
  }
  const { data } = await room.ask('{ things { any } }');
  assert.deepEqual(
    data?.['things'],
    values.map((any) => ({ any })),
  );
  // The same by graphql-js.
  const answer = await room.ask('{ __typename __schema { queryType { name } } things { any } }');
  assert.deepEqual([answer.data?.['things'], answer.errors], [data?.['things'], undefined]);
  await room.close();
});
