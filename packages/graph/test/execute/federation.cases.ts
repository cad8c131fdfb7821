// A subgraph of Apollo Federation 2: what it tells a gateway, and the objects that a gateway asks for by their keys.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { applyMigration, createGraph, readSchema, type Graph, type GraphOptions, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@tag"])
  scalar DateTime
  "What shops sell."
  type Product @key(fields: "sku") @key(fields: "shop { id } number") @unique(fields: ["shop", "number"]) @entity @auth(read: "open or hasRole('ADMIN')") {
    id: ID!
    sku: String! @unique
    number: Int!
    name: String! @search @shareable
    cost: Int @auth(read: "hasRole('ADMIN')")
    open: Boolean!
    maker: Maker @provides(fields: "name")
    shop: Shop!
  }
  "Of another subgraph."
  type Maker @key(fields: "id", resolvable: false) { id: ID! name: String @external }
  type Shop @entity { id: ID! city: String @tag(name: "public") products(where: ProductFilter, orderBy: [ProductOrder!]): [Product!]! }
  type Secret @entity @auth(read: "denyAll") { id: ID! text: String @inaccessible }
  type Badge @entity @key(fields: "code") { id: ID! code: String! @unique @auth(read: "hasRole('ADMIN')") label: String }
  type Unused { x: Int }
  input MakerInput { id: ID! name: String }
  input ProductInput { sku: String! number: Int! name: String! cost: Int open: Boolean! maker: MakerInput shop: ID! }
  type Query { products(first: Int, after: String): ProductConnection! shops: [Shop!]! }
  type Mutation { createProduct(input: ProductInput!): Product! createShop(city: String): Shop! createSecret(text: String): Secret createBadge(code: String!, label: String): Badge! }`;

const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);

async function open(store: Store, options: Partial<GraphOptions> = {}): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }], { federation: true });
  await applyMigration(model, store);
  return createGraph({ model, store, ...options });
}

async function ask(graph: Graph, query: string, variables = {}, principal?: Principal): Promise<unknown> {
  const { body } = await graph.execute({ query, variables }, principal === undefined ? {} : { principal });
  return JSON.parse(body);
}

async function fill(graph: Graph): Promise<void> {
  const create = (sku: string, number: number, shop: string, isOpen = true): string =>
    `${sku}: createProduct(input: { sku: "${sku}", number: ${number}, name: "${sku}!", cost: 7, open: ${isOpen}, shop: "${shop}", maker: { id: "m1", name: "Acme" } }) { id }`;
  const query = `mutation { x: createShop(city: "Oslo") { id } y: createShop(city: "Bergen") { id }
    ${create('a', 1, '1')} ${create('b', 2, '1', false)} ${create('c', 1, '2')} createSecret(text: "s") { id } createBadge(code: "x", label: "X") { id } }`;
  const { body } = await graph.execute({ query }, { principal: ADMIN });
  ok(!body.includes('"errors"'), body);
}

const ENTITIES = `query ($of: [_Any!]!) { _entities(representations: $of) {
  __typename ... on Product { id name maker { id name } } ... on Shop { city } ... on Secret { text } } }`;

const product = (id: string, name: string): unknown => ({
  __typename: 'Product',
  id,
  name,
  maker: { id: 'm1', name: 'Acme' },
});

testOnStores(
  '_entities answers objects of all types by any of their keys, in the order asked, by one statement',
  async (store) => {
    const graph = await open(store, { explain: true });
    await fill(graph);
    const of = [
      { __typename: 'Shop', id: '2' },
      { __typename: 'Product', sku: 'c' },
      { __typename: 'Product', shop: { id: 1 }, number: 1 },
      { __typename: 'Shop', id: 2, more: 'is ignored' },
      { __typename: 'Product', sku: 'nowhere' },
      { __typename: 'Product', sku: null, shop: { id: '2' }, number: 1 },
    ];
    const answer = {
      data: {
        _entities: [
          { __typename: 'Shop', city: 'Bergen' },
          product('3', 'c!'),
          product('1', 'a!'),
          { __typename: 'Shop', city: 'Bergen' },
          null,
          product('3', 'c!'),
        ],
      },
    };
    deepEqual(await ask(graph, ENTITIES, { of }), answer);
    const { body } = await graph.execute({ query: ENTITIES, variables: { of }, extensions: { explain: true } });
    type Explained = { readonly extensions: { readonly explain: { readonly statements: readonly unknown[] } } };
    equal((JSON.parse(body) as Explained).extensions.explain.statements.length, 1);
    const literal =
      '{ _entities(representations: [{ __typename: "Shop", id: "1" }]) { ... on Shop { city products { sku } } } }';
    deepEqual(await ask(graph, literal), { data: { _entities: [{ city: 'Oslo', products: [{ sku: 'a' }] }] } });
    deepEqual(await ask(graph, ENTITIES, { of: [] }), { data: { _entities: [] } });
    graph.feed.close();
  },
);

testOnStores(
  'an object that the caller may not read is null like one that is missing, and rules of fields hold',
  async (store) => {
    const graph = await open(store);
    await fill(graph);
    const of = [
      { __typename: 'Product', sku: 'b' },
      { __typename: 'Product', sku: 'nowhere' },
      { __typename: 'Secret', id: '1' },
    ];
    deepEqual(await ask(graph, ENTITIES, { of }), { data: { _entities: [null, null, null] } });
    deepEqual(await ask(graph, ENTITIES, { of }, ADMIN), { data: { _entities: [product('2', 'b!'), null, null] } });
    // What the caller may not read finds nothing.
    const badge = '{ _entities(representations: [{ __typename: "Badge", code: "x" }]) { ... on Badge { label } } }';
    deepEqual(await ask(graph, badge), { data: { _entities: [null] } });
    deepEqual(await ask(graph, badge, {}, ADMIN), { data: { _entities: [{ label: 'X' }] } });
    const cost = 'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Product { cost } } }';
    const withheld = JSON.stringify(await ask(graph, cost, { of: [{ __typename: 'Product', sku: 'a' }] }));
    match(withheld, /"_entities":\[\{"cost":null\}\].*"path":\["_entities",0,"cost"\].*GRAPH_FIELD_FORBIDDEN/);
    deepEqual(await ask(graph, cost, { of: [{ __typename: 'Product', sku: 'a' }] }, ADMIN), {
      data: { _entities: [{ cost: 7 }] },
    });
    graph.feed.close();
  },
);

testOnStores('a representation that names no object says what is wrong with it', async (store) => {
  const graph = await open(store, { limits: { pageSize: 3 } });
  const wrong: readonly (readonly [readonly unknown[], RegExp])[] = [
    [[{ id: '1' }], /representations\[0\]\\" has no __typename.*GRAPH_REPRESENTATION_INVALID/],
    [['x'], /representations\[0\]\\" has no __typename/],
    [
      [
        { __typename: 'Shop', id: '1' },
        { __typename: 'Maker', id: '1' },
      ],
      /representations\[1\]\\" names no type with a key here: Maker/,
    ],
    [[{ __typename: 'Product', shop: { id: '1' } }], /has no whole key of Product/],
    [[{ __typename: 'Product', sku: { x: 1 } }], /representations\[0\]\.sku\\" is no String/],
    [[{ __typename: 'constructor', id: '1' }], /names no type/],
    [Array.from({ length: 4 }, () => ({ __typename: 'Shop', id: '1' })), /GRAPH_PAGE_TOO_LARGE/],
  ];
  for (const [of, message] of wrong) match(JSON.stringify(await ask(graph, ENTITIES, { of })), message);
  deepEqual(
    await ask(graph, ENTITIES, {
      of: [
        { __typename: 'Shop', id: '\0' },
        { __typename: 'Shop', id: 'x' },
      ],
    }),
    {
      data: { _entities: [null, null] },
    },
  );
  graph.feed.close();
});

const SERVICE = '{ _service { sdl } }';

async function sdlOf(text: string): Promise<string> {
  return readSchema([{ file: 'schema.graphql', text }], { federation: true }).subgraph!.sdl;
}

test('_service tells the schema with the directives of Federation alone, and without what no client reaches', async () => {
  const sdl = await sdlOf(SCHEMA);
  match(
    sdl,
    /^extend schema @link\(url: "https:\/\/specs\.apollo\.dev\/federation\/v2\.7", import: \["@external", "@inaccessible", "@key", "@provides", "@shareable", "@tag"\]\)/,
  );
  match(sdl, /type Product @key\(fields: "sku"\) @key\(fields: "shop \{ id \} number"\) \{/);
  match(sdl, /type Shop @key\(fields: "id"\) \{/);
  match(sdl, /type Maker @key\(fields: "id", resolvable: false\) \{/);
  for (const derived of ['PageInfo', 'ProductConnection', 'ProductEdge'])
    match(sdl, new RegExp(`type ${derived} @shareable \\{`));
  match(sdl, /city: String @tag\(name: "public"\)/);
  for (const own of [
    '@entity',
    '@auth',
    '@search',
    '@unique',
    '@oneOf',
    'Unused',
    '_Entity',
    '_Any',
    '_service',
    'directive ',
    'ADMIN',
  ])
    ok(!sdl.includes(own), `${own} in ${sdl}`);
  match(
    await sdlOf('type A @entity { id: ID! } type Query { a(id: ID!): A }'),
    /^extend schema @link\(url: "https:\/\/specs\.apollo\.dev\/federation\/v2\.5", import: \["@key"\]\)/,
  );
});

testOnStores('_entities finds objects by keys of every scalar', async (store) => {
  const keys = {
    decimal: ['Decimal', '1.50', '1.5', 1.5, '-0.250', '1e30'],
    bigInt: ['BigInt', '9007199254740993', 5],
    float: ['Float', 0.5, 2],
    isOpen: ['Boolean', true],
    time: ['DateTime', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00'],
    local: ['LocalDateTime', '2026-01-01T00:00:00'],
    clock: ['LocalTime', '10:00:00'],
    span: ['Duration', 'PT1H'],
    bytes: ['Bytes', 'AAEC'],
    mood: ['Mood', 'GLAD'],
  } as const;
  const names = Object.keys(keys) as readonly (keyof typeof keys)[];
  const text = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key"])
    scalar DateTime scalar Decimal scalar BigInt scalar LocalDateTime scalar LocalTime scalar Duration scalar Bytes enum Mood { GLAD SAD }
    type Thing @entity ${names.map((name) => `@key(fields: "${name}")`).join(' ')} {
      id: ID! ${names.map((name) => `${name}: ${keys[name][0]} @unique`).join(' ')}
    }
    type Query { things: [Thing!]! }
    type Mutation { createThing(${names.map((name) => `${name}: ${keys[name][0]}`).join(' ')}): Thing! }`;
  const model = readSchema([{ file: 'schema.graphql', text }], { federation: true });
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  for (const name of names) {
    const [type, ...values] = keys[name];
    for (const value of values) {
      const variables = { value, of: [{ __typename: 'Thing', [name]: value }] };
      await ask(graph, `mutation ($value: ${type}) { createThing(${name}: $value) { id } }`, variables);
      const found: any = await ask(
        graph,
        `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Thing { ${name} } } }`,
        variables,
      );
      notEqual(found.data?._entities[0]?.[name] ?? null, null, `${name} ${value}: ${JSON.stringify(found)}`);
    }
  }
});

testOnStores('_service obeys the rule of introspection', async (store) => {
  const graph = await open(store, { introspection: (principal) => principal.name === 'root' });
  match(JSON.stringify(await ask(graph, SERVICE)), /GRAPH_INTROSPECTION_OFF/);
  match(JSON.stringify(await ask(graph, SERVICE, {}, ADMIN)), /"sdl":"extend schema @link/);
  graph.feed.close();
});

test('mistakes in keys are told with what to write', () => {
  const problemsOf = (types: string): string => {
    try {
      readSchema([{ file: 's', text: `${types} type Query { as: [A!]! }` }], { federation: true });
      return '';
    } catch (error) {
      return `${String(error)} ${JSON.stringify(error)}`;
    }
  };
  match(
    problemsOf('type A @entity @key(fields: "name") { id: ID! name: String }'),
    /A: @key\(fields: .*may name several objects.*@unique/s,
  );
  match(problemsOf('type A @entity @key(fields: "nme") { id: ID! name: String }'), /names .*nme.*no part of a key/s);
  match(problemsOf('type A @entity @key(fields: "id {") { id: ID! }'), /is no list of fields/);
  match(
    problemsOf('type A @entity @key(fields: "b { name }") { id: ID! b: B } type B @entity { id: ID! name: String }'),
    /no part of a key/,
  );
  match(
    problemsOf('interface I @key(fields: "id") { id: ID! } type A implements I @entity { id: ID! }'),
    /interface objects are not supported/,
  );
  match(problemsOf('type A @entity { id: ID! x: Int @requires(fields: "y") }'), /@requires.*Federation/s);
  equal(problemsOf('type A @entity @key(fields: "name id") { id: ID! name: String }'), '');
});

test('directives of Federation say how to switch it on where it is off', () => {
  try {
    readSchema([{ file: 's', text: 'type A @entity @key(fields: "id") { id: ID! } type Query { as: [A!]! }' }]);
  } catch (error) {
    match(`${String(error)} ${JSON.stringify(error)}`, /graph: \{ federation: true \}/);
  }
});
