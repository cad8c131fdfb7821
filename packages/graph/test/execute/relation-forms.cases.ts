// One relation in several forms: as list and connection, its number of objects, their aggregates and groups.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { applyMigration, createGraph, planMigration, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const TYPES = `
  type Shop @entity {
    id: ID! @id
    sales(first: Int, where: SaleFilter): [Sale!]! @auth(read: "open or hasRole('ADMIN')")
    salePages(first: Int = 2, after: String, where: SaleFilter, orderBy: [SaleOrder!]): SaleConnection! @relation(sameAs: "sales")
    saleCount(where: SaleFilter): Int! @relation(sameAs: "sales")
    saleTotals: SaleAggregates!
    saleGroups(groupBy: SaleGroupBy!, having: SaleHaving): [SaleGroup!]! @relation(sameAs: "sales")
    open: Boolean!
    tagConnection(first: Int = 5): TagConnection! @relation(inverse: "shops")
    tags: [Tag!]! @relation(sameAs: "tagConnection")
    tagCount: Int @relation(sameAs: "tagConnection")
  }
  type Sale @entity @auth(read: "amount < 100 or hasRole('ADMIN')") { id: ID! amount: Int! shop: Shop! kind: String }
  type Tag @entity { word: ID! @id shops: [Shop!]! }`;
const SCHEMA = `${TYPES}
  type Query { shops: [Shop!]! shop(id: ID!): Shop }
  input SaleInput { amount: Int! kind: String shop: ID! }
  type Mutation { createShop(id: ID!, open: Boolean!, tagConnection: [ID!]): Shop! createSales(input: [SaleInput!]!): [Sale!]! createTag(word: ID!): Tag! }`;

const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);

async function open(store: Store): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  const sales = [1, 2, 3, 200].map((amount) => ({ amount, kind: amount === 2 ? null : 'k', shop: 'a' }));
  await ask(
    graph,
    `mutation ($sales: [SaleInput!]!) { x: createTag(word: "x") { word } y: createTag(word: "y") { word }
      a: createShop(id: "a", open: true, tagConnection: ["x", "y"]) { id } b: createShop(id: "b", open: false) { id }
      createSales(input: $sales) { id } c: createSales(input: [{ amount: 5, shop: "b" }]) { id } }`,
    ADMIN,
    { sales },
  );
  return graph;
}

// eslint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
async function ask(graph: Graph, query: string, principal?: Principal, variables = {}): Promise<any> {
  const { body } = await graph.execute({ query, variables }, principal === undefined ? {} : { principal });
  const { data, errors } = JSON.parse(body) as {
    data: unknown;
    errors?: readonly { path?: unknown; extensions: { code: string } }[];
  };
  return errors === undefined ? data : errors.map(({ path, extensions }) => `${extensions.code} ${String(path)}`);
}

testOnStores('19.2 one relation is read as list, connection, number, aggregates and groups', async (store) => {
  const graph = await open(store);
  const all = `sales { amount } salePages { totalCount nodes { amount } pageInfo { hasNextPage } } saleCount saleTotals { count sum { amount } }
    saleGroups(groupBy: { kind: true }) { keys { kind } max { amount } } tags { word } tagConnection { nodes { word } } tagCount`;
  deepEqual(await ask(graph, `{ shop(id: "a") { ${all} } }`), {
    shop: {
      sales: [1, 2, 3].map((amount) => ({ amount })),
      salePages: { totalCount: 3, nodes: [{ amount: 1 }, { amount: 2 }], pageInfo: { hasNextPage: true } },
      saleCount: 3,
      saleTotals: { count: 3, sum: { amount: 6 } },
      saleGroups: [
        { keys: { kind: null }, max: { amount: 2 } },
        { keys: { kind: 'k' }, max: { amount: 3 } },
      ],
      tags: [{ word: 'x' }, { word: 'y' }],
      tagConnection: { nodes: [{ word: 'x' }, { word: 'y' }] },
      tagCount: 2,
    },
  });
  deepEqual(
    await ask(
      graph,
      `{ shops { saleCount(where: { amount: { gt: 1 } }) salePages(first: 1, orderBy: [{ amount: DESC }]) { nodes { amount } }
        saleGroups(groupBy: { kind: true }, having: { count: { gt: 1 } }) { count } } }`,
      ADMIN,
    ),
    {
      shops: [
        { saleCount: 3, salePages: { nodes: [{ amount: 200 }] }, saleGroups: [{ count: 3 }] },
        { saleCount: 1, salePages: { nodes: [{ amount: 5 }] }, saleGroups: [] },
      ],
    },
  );
  // A selected key that groupBy does not name is an error of that field.
  deepEqual(await ask(graph, '{ shop(id: "a") { id saleGroups(groupBy: { kind: true }) { keys { amount } } } }'), [
    'GRAPH_GROUP_KEY_MISSING shop,saleGroups',
  ]);
});

testOnStores('19.2 the read rule of a relation holds for its other forms', async (store) => {
  const graph = await open(store);
  for (const field of [
    'salePages { totalCount }',
    'saleCount',
    'saleTotals { count }',
    'saleGroups(groupBy: {}) { count }',
  ]) {
    const [name = ''] = field.split(/\W/);
    deepEqual(await ask(graph, `{ shop(id: "b") { ${field} } }`), [`GRAPH_FIELD_FORBIDDEN shop,${name}`]);
    equal(Array.isArray(await ask(graph, `{ shop(id: "b") { ${field} } }`, ADMIN)), false);
  }
});

testOnStores('19.2 other forms of a relation are stored nowhere', async (store) => {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  const bare = SCHEMA.replaceAll(/\n.*sameAs: "sales".*|\n.*saleTotals.*|\n.*sameAs: "tagConnection".*/g, '');
  deepEqual((await planMigration(readSchema([{ file: 'schema.graphql', text: bare }]), store)).steps, []);
});

test('19.2 mistakes in other forms of a relation are named with what to write', () => {
  const mistake = (field: string, message: RegExp, more = ''): void =>
    throws(
      () =>
        readSchema([
          {
            file: 'schema.graphql',
            text: `type Shop @entity { id: ID! name: String sales: [Sale!]! ${field} } type Sale @entity { id: ID! shop: Shop! } type Query { shops: [Shop!]! } ${more}`,
          },
        ]),
      message,
    );
  mistake(
    'pages: SaleConnection! @relation(sameAs: "sale")',
    /Shop has no list of objects "sale". Did you mean "sales"\?/,
  );
  mistake('pages: SaleConnection! @relation(sameAs: "name")', /Shop has no list of objects "name"/);
  mistake('pages: [Shop!]! @relation(sameAs: "sales")', /"sales" has objects of Sale, and the field is of Shop/);
  mistake('pages: String @relation(sameAs: "sales")', /String is no other form of the objects of "sales"/);
  mistake('pages: SaleConnection! @relation(sameAs: "sales", inverse: "shop")', /has sameAs and other arguments/);
  mistake('count(first: Int): Int! @relation(sameAs: "sales")', /Argument "first" of Shop.count has no meaning here/);
  mistake('totals: ShopAggregates!', /It is not clear of which objects Shop.totals tells: Shop has 0 lists of Shop/);
  mistake(
    'pages: SaleConnection! @relation(sameAs: "sales")',
    /"pages" cannot be written: Shop.pages is another form of Shop.sales.*Name it "sales"/s,
    'type Mutation { createShop(name: String, pages: [ID!]): Shop! }',
  );
});
