// Values of every kind, sent where they do not belong, to queries, pages, filters and mutations, on both databases: the answer is
// data or coded errors, the database's own words never show, and the graph goes on answering.
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import fc from 'fast-check';
import {
  getNamedType,
  GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  parse,
  typeFromAST,
  type GraphQLInputType,
} from 'graphql';
import { codePoint } from '../../../kernel/test/code-point.ts';
import { createGraph, readSchema, type Model, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  scalar DateTime scalar Date scalar Time scalar BigInt scalar JSON scalar UUID scalar URL scalar EmailAddress scalar Own
  enum Hue { RED GREEN }
  type Thing @entity {
    id: ID! name: String code: String @unique size: Int weight: Float on: Boolean hue: Hue at: DateTime day: Date time: Time count: BigInt
    any: JSON uuid: UUID url: URL mail: EmailAddress own: Own tags: [String!] spot: Spot owner: Person kept: Item
  }
  type Spot { x: Int label: String }
  type Person @entity { login: ID! @id things(first: Int, start: Int, where: ThingFilter, orderBy: [ThingOrder!]): [Thing!]! }
  union Item = Thing | Person
  input SpotInput { x: Int label: String }
  input ItemKey { Thing: ID Person: ID }
  input ThingInput {
    id: ID name: String code: String size: Int weight: Float on: Boolean hue: Hue at: DateTime day: Date time: Time count: BigInt
    any: JSON uuid: UUID url: URL mail: EmailAddress own: Own tags: [String!] spot: SpotInput owner: ID kept: ItemKey
  }
  input ThingChange {
    name: String code: String size: Int weight: Float on: Boolean hue: Hue at: DateTime day: Date time: Time count: BigInt
    any: JSON uuid: UUID url: URL mail: EmailAddress own: Own tags: [String!] spot: SpotInput owner: ID kept: ItemKey
  }
  type Query {
    thing(id: ID!): Thing person(login: ID!): Person
    byName(name: String, names: [String], at: DateTime, count: BigInt, uuid: UUID, url: URL, owner: ID): [Thing!]
    things(first: Int = 5, start: Int, where: ThingFilter, orderBy: [ThingOrder!]): [Thing!]!
    pages(first: Int = 2, last: Int, after: String, before: String, where: ThingFilter, orderBy: [ThingOrder!]): ThingConnection
    items(first: Int, where: ItemFilter): [Item!]! item(where: ItemFilter): Item
  }
  type Mutation {
    createThing(input: ThingInput!): Thing createPerson(login: ID!): Person
    saveThing(input: ThingInput!): Thing updateThing(id: ID!, input: ThingChange!): Thing
    updateThings(where: ThingFilter!, input: ThingChange!): Int deleteThings(where: ThingFilter!): Int deleteThing(id: ID!): Boolean
  }`;

/** Own accepts every value. */
function readModel(): Model {
  return readSchema([{ file: 's.graphql', text: SCHEMA }], {
    resolvers: { Own: new GraphQLScalarType({ name: 'Own' }) },
  });
}

const SELECTION =
  '{ id name size weight on hue at day time count any uuid url mail own tags spot { x label } owner { login } kept { __typename } }';

const OPERATIONS: readonly string[] = [
  `query ($a: ID!, $b: ID!) { thing(id: $a) ${SELECTION} person(login: $b) { things { id } } }`,
  'query ($a: String, $b: [String], $c: DateTime, $d: BigInt, $e: UUID, $f: URL, $g: ID) { byName(name: $a, names: $b, at: $c, count: $d, uuid: $e, url: $f, owner: $g) { id } }',
  'query ($a: Int, $b: Int, $c: ThingFilter, $d: [ThingOrder!]) { things(first: $a, start: $b, where: $c, orderBy: $d) { id } }',
  'query ($a: Int, $c: String, $d: String, $e: [ThingOrder!]) { pages(first: $a, after: $c, before: $d, orderBy: $e) { totalCount edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } } }',
  'query ($b: Int, $c: String, $w: ThingFilter) { pages(last: $b, before: $c, where: $w) { nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor } } }',
  'query ($a: ItemFilter, $b: Int) { items(where: $a, first: $b) { __typename } item(where: $a) { __typename } }',
  `mutation ($a: ThingInput!) { createThing(input: $a) ${SELECTION} }`,
  'mutation ($a: ThingInput!, $b: ID!, $c: ThingChange!) { saveThing(input: $a) { id } updateThing(id: $b, input: $c) { id } }',
  'mutation ($a: ThingFilter!, $b: ThingChange!) { updateThings(where: $a, input: $b) }',
  'mutation ($a: ThingFilter!, $b: ID!, $c: ID!) { deleteThings(where: $a) deleteThing(id: $b) createPerson(login: $c) { login } }',
];

const TEXTS = [
  '',
  ' ',
  '1',
  '-0',
  'NaN',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'é',
  '日本',
  '𝒜',
  "'; DROP TABLE things; --",
  '%',
  '_',
  '\\',
  '"',
  '{}',
  'null',
  '__proto__',
  'constructor',
  'one',
  'x'.repeat(3000),
];
/** An object that JavaScript cannot convert to a text. */
const NO_TEXT = { toString: 1, valueOf: null };
/** Values that coercion lets through, as strange as they may be. */
const FITTING: Readonly<Record<string, readonly unknown[]>> = {
  String: TEXTS,
  ID: [
    ...TEXTS,
    0,
    1,
    -1,
    2 ** 53 - 2,
    '01',
    '1e5',
    '0x10',
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775808',
    '99999999999999999999',
    'ann',
  ],
  Int: [0, 1, -1, 2, 1000, 1001, 2 ** 31 - 1, -(2 ** 31)],
  Float: [0, -0, 1, 0.1, 1e21, 1e308, -1e308, 5e-324, Number.MAX_SAFE_INTEGER],
  Boolean: [true, false],
  DateTime: [
    '2020-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '2020-01-01T00:00:00.123456789Z',
    '2020-02-29T23:59:59-14:00',
    '9999-12-31T23:59:59-14:00',
    '0000-01-01T00:00:00+14:00',
  ],
  Date: ['2020-01-01', '0000-01-01', '9999-12-31', '2020-02-29'],
  Time: ['00:00:00Z', '23:59:59.999Z', '10:11:12+02:00'],
  BigInt: [0, 1, -1, '9223372036854775807', '-9223372036854775808', 2 ** 53 - 1],
  JSON: [
    null,
    1e308,
    '\u0000',
    '\ud800',
    [],
    {},
    { '\u0000': 1 },
    { a: '\u0000' },
    [[[[1]]]],
    'x',
    JSON.parse('{"__proto__":{"a":1}}'),
    NO_TEXT,
  ],
  Own: ['x', 1, true, [], {}, NO_TEXT, [NO_TEXT]],
  UUID: ['8a3c1f0e-0d4b-4c8e-9f53-0b6a2c1d3e4f', '8A3C1F0E-0D4B-4C8E-9F53-0B6A2C1D3E4F'],
  URL: ['http://x.y', 'http://ä.de/é?\u0000', 'data:,x', `http://x.y/${'z'.repeat(3000)}`],
  EmailAddress: ['a@b.co', 'ä@b.co'],
};
const STRANGE: readonly unknown[] = [
  true,
  1.5,
  2 ** 31,
  '9223372036854775808',
  'RED',
  'red',
  '2020-02-30T00:00:00Z',
  '10000-01-01T00:00:00Z',
  '24:00:00Z',
  {},
  [],
  [null],
  { a: 1 },
  NO_TEXT,
  'javascript:1',
];
/** Cursors that are malformed, of another list, or with impossible values. */
const CURSORS = [
  '',
  'ff',
  'zz',
  '5B5D',
  '[1]',
  '[null]',
  '["\\u0000",1]',
  '["\\ud800",1]',
  '[1e308,1]',
  '[1,"\\u0000"]',
  '[null,1]',
  '["2020-01-01",1]',
  '[true,1]',
  '["99999999999999999999"]',
].map((text) => (text.startsWith('[') ? Buffer.from(text).toString('hex').toUpperCase() : text));

/** Values for an input type: most of them fitting. */
function valueFor(type: GraphQLInputType, depth: number, name = ''): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return valueFor(type.ofType, depth, name);
  const odd = { weight: 1, arbitrary: fc.constantFrom(...STRANGE, null) };
  const often = (arbitrary: fc.Arbitrary<unknown>) => fc.oneof({ weight: 60, arbitrary }, odd);
  if (isListType(type)) return often(fc.array(valueFor(type.ofType, depth), { maxLength: 3 }));
  if (isEnumType(type)) return often(fc.constantFrom(...type.getValues().map((each) => each.name)));
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(
      (field) => depth > 0 || !isInputObjectType(getNamedType(field.type)),
    );
    if (fields.length === 0) return fc.constant({});
    const one = fc
      .constantFrom(...fields)
      .chain((field) => valueFor(field.type, depth - 1).map((value) => [field.name, value] as const));
    const single = type.isOneOf || type.name.endsWith('Key');
    return often(
      fc.array(one, { minLength: 1, maxLength: single ? 1 : 3 }).map((members) => Object.fromEntries(members)),
    );
  }
  return often(fc.constantFrom(...(name === 'cursor' ? CURSORS : (FITTING[type.name] ?? ['x']))));
}

/** An operation with values for its variables. */
function requestFor(model: Model, query: string): fc.Arbitrary<readonly [string, Record<string, unknown>]> {
  const [definition] = parse(query).definitions;
  const variables = definition?.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [];
  const values = variables.map(({ variable, type }) => {
    const name = variable.name.value;
    const isCursor = new RegExp(`(?:after|before): \\$${name}\\b`).test(query);
    return valueFor(typeFromAST(model.schema, type) as GraphQLInputType, 2, isCursor ? 'cursor' : '').map(
      (value) => [name, value] as const,
    );
  });
  return fc.tuple(...values).map((given) => [query, Object.fromEntries(given)] as const);
}

const RUNS = 1200;

function checkBody(body: string, sent: string): void {
  const answer = JSON.parse(body) as { data?: unknown; errors?: { message: string; extensions: { code: string } }[] };
  ok('data' in answer || (answer.errors?.length ?? 0) > 0, `${sent} ${body}`);
  for (const { message, extensions } of answer.errors ?? []) {
    match(extensions.code, /^[A-Z_]+$/, sent);
    ok(extensions.code !== 'GRAPH_INTERNAL' && extensions.code !== 'GRAPH_CONSTRAINT', `${sent} ${body}`);
    doesNotMatch(message, /SQLITE|SELECT |syntax for type|out of range|UTF8|\/src\/|node:/i, sent);
  }
}

testOnStores(
  'no value makes the graph fail, and none reaches the database that it cannot hold',
  async (store: Store) => {
    const model = readModel();
    const graph = await createGraph({ model, store });
    await graph.execute({
      query:
        'mutation { createPerson(login: "ann") { login } createThing(input: { name: "one", owner: "ann" }) { id } }',
    });
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(...OPERATIONS.map((query) => requestFor(model, query))), async ([query, variables]) => {
        const { body } = await graph.execute({ query, variables });
        checkBody(body, `${query} ${JSON.stringify(variables)}`);
        if (!body.includes('"errors"')) answered++;
      }),
      { numRuns: store.dialect === 'sqlite' ? RUNS : RUNS / 2 },
    );
    ok(answered > RUNS / 8, `too few are answered: ${answered}`);
    const { body } = await graph.execute({ query: '{ person(login: "ann") { login } }' });
    equal(body, '{"data":{"person":{"login":"ann"}}}');
  },
);

testOnStores('a row is found by the value of a registered scalar that was written to it', async (store) => {
  const graph = await createGraph({ model: readModel(), store });
  const ask = async (query: string, own: unknown): Promise<unknown> =>
    JSON.parse((await graph.execute({ query, variables: { own } })).body);
  for (const own of ['x', 1, 1e21, true, [], [1], {}, { a: [true] }]) {
    await ask('mutation ($own: Own) { createThing(input: { name: "own", own: $own }) { id } }', own);
    for (const operator of ['eq: $own', 'in: [$own]']) {
      const found = await ask(`query ($own: Own!) { things(where: { own: { ${operator} } }) { name } }`, own);
      deepEqual(found, { data: { things: [{ name: 'own' }] } }, `${operator} ${JSON.stringify(own)}`);
    }
  }
});

testOnStores('no body and no parameters crash the endpoint', async (store: Store) => {
  const graph = await createGraph({ model: readModel(), store });
  const key = fc.constantFrom('query', 'variables', 'operationName', 'extensions', '__proto__', 'constructor', 'query');
  const value = fc.oneof(
    fc.json({ maxDepth: 2 }),
    fc.constantFrom(
      '"{ things { id } }"',
      '"{ __typename }"',
      '{}',
      '1e999',
      '"\\ud800"',
      '{"__proto__":{"a":1}}',
      '[',
      '"query ($a: Int) { things(first: $a) { id } }"',
      '{"a":1,"a":2}',
    ),
  );
  const text = fc.oneof(
    // Members written out, so that one may come twice.
    fc
      .array(fc.tuple(key, value), { maxLength: 4 })
      .map((members) => `{${members.map(([name, each]) => `${JSON.stringify(name)}:${each}`).join(',')}}`),
    fc.string({ unit: codePoint, maxLength: 30 }),
    fc.constantFrom(
      '[]',
      'null',
      '"x"',
      '{',
      '['.repeat(5000),
      `{"query":"${'{a'.repeat(3000)}"}`,
      `{"query":"{ things { id } }","variables":${'['.repeat(500)}${']'.repeat(500)}}`,
    ),
  );
  await fc.assert(
    fc.asyncProperty(text, async (body) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const answer = await graph.handleHttp({
        method: 'POST',
        query: new URLSearchParams(),
        headers,
        body: Buffer.from(body),
      });
      ok(answer.status < 500, `${answer.status} ${body}`);
      checkBody(typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body).toString(), body);
    }),
    { numRuns: 300 },
  );
  deepEqual(JSON.parse((await graph.execute({ query: '{ things { id } }' })).body), { data: { things: [] } });
  equal(({} as Record<string, unknown>)['a'], undefined);
});

testOnStores('a cursor with an impossible value is rejected, whatever the order', async (store) => {
  const graph = await createGraph({ model: readModel(), store });
  const values = ['1', '"1"', '1.5', '1e30', '"9223372036854775808"', '"-0"', 'true', '"x"', '"\\u0000"', '"infinity"'];
  values.push('"2020-01-01"', '"2020-01-01T00:00:00.000Z"', '"-000001-01-01T00:00:00.000Z"', '{}', '[1]');
  const taken: Record<string, readonly string[]> = {
    size: ['1', '"1"'],
    count: ['1', '"1"'],
    weight: ['1', '1.5', '1e30'],
    on: ['true'],
    at: ['"2020-01-01T00:00:00.000Z"'],
  };
  for (const [column, fitting] of Object.entries(taken)) {
    for (const value of values) {
      const cursor = Buffer.from(`[${value},1]`).toString('hex').toUpperCase();
      const query = `{ pages(after: "${cursor}", orderBy: [{ ${column}: ASC }]) { nodes { id } } }`;
      const { body } = await graph.execute({ query });
      if (fitting.includes(value)) equal(body, '{"data":{"pages":{"nodes":[]}}}', `${column} ${value}`);
      else match(body, /GRAPH_CURSOR_INVALID/, `${column} ${value}`);
    }
  }
});

testOnStores(
  'thousands of alternatives are answered, and more than a statement can hold are refused',
  async (store) => {
    const graph = await createGraph({ model: readModel(), store });
    await graph.execute({ query: 'mutation { createThing(input: { name: "one", size: 1999 }) { id } }' });
    const ask = async (count: number): Promise<string> => {
      const alternatives = Array.from({ length: count }, (_, index) => ({ size: { eq: index } }));
      const query = 'query ($w: ThingFilter) { things(where: $w) { name } }';
      return (await graph.execute({ query, variables: { w: { or: alternatives } } })).body;
    };
    equal(await ask(2000), '{"data":{"things":[{"name":"one"}]}}');
    match(await ask(4001), /GRAPH_TOO_INVOLVED/);
    const { body } = await graph.execute({
      query: 'query ($w: [ThingFilter!]) { things(where: { or: $w }) { name } }',
      variables: { w: Array.from({ length: 20_000 }, () => ({ name: { isNull: true } })) },
    });
    match(body, /GRAPH_TOO_INVOLVED/);
    equal(await ask(1), '{"data":{"things":[]}}');
  },
);
