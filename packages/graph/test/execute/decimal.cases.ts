// Decimals in columns, lists and embedded objects: filters, orders, pages, defaults, unique look-ups, rules and imports, the same on both
// databases; and that the plain order of the column is that of the numbers.
import { deepEqual, equal, match } from 'node:assert/strict';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import {
  applyMigration,
  checkIntegrity,
  createGraph,
  planMigration,
  readSchema,
  type Graph,
  type Store,
} from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  scalar Decimal
  enum SortDirection { ASCENDING DESCENDING }
  enum SortableItem { price }
  type Deal { price: Decimal rebates: [Decimal!] }
  type Item @entity {
    id: ID! price: Decimal @index tax: Decimal! @default(value: "0.190") code: Decimal @unique prices: [Decimal!] deal: Deal deals: [Deal!] shop: Shop
  }
  type Shop @entity { name: ID! @id items: [Item!]! }
  interface Priced { price: Decimal }
  type Ruled implements Priced @entity @auth(read: "price < 10 or price <= principal.most", create: "price > 0.5") { id: ID! price: Decimal }
  type Other implements Priced @entity { id: ID! @id price: Decimal }
  type Query {
    items(where: ItemFilter, orderBy: [ItemOrder!], sortBy: SortableItem, sort: SortDirection, price: Decimal, prices: [Decimal!]): [Item!]!
    paged(first: Int, last: Int, after: String, before: String, orderBy: [ItemOrder!]): ItemConnection!
    item(code: Decimal!): Item
    shops(where: ShopFilter): [Shop!]!
    ruleds: [Ruled!]!
    priced(orderBy: [PricedOrder!], where: PricedFilter): [Priced!]!
  }
  input DealInput { price: Decimal rebates: [Decimal!] }
  input ItemInput { price: Decimal tax: Decimal code: Decimal prices: [Decimal!] deal: DealInput deals: [DealInput!] shop: ID }
  type Mutation {
    createItem(input: ItemInput!): Item!
    updateItem(id: ID!, input: ItemInput!): Item
    deleteItems(where: ItemFilter!): Int!
    createShop(name: ID!): Shop!
    createRuled(price: Decimal): Ruled!
    createOther(id: ID!, price: Decimal): Other!
  }`;

async function open(store: Store, text = SCHEMA): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text }]);
  await applyMigration(model, store);
  return createGraph({ model, store });
}

// eslint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
async function ask(
  graph: Graph,
  query: string,
  variables?: Record<string, unknown>,
  principal?: Principal,
): Promise<any> {
  const { body } = await graph.execute({ query, variables }, principal === undefined ? {} : { principal });
  const { data, errors } = JSON.parse(body) as { data: unknown; errors?: readonly { extensions: { code: string } }[] };
  return errors === undefined ? data : errors.map(({ extensions }) => extensions.code);
}

const PRICES = [
  '100',
  '9.5',
  '10.25',
  '-3',
  '-3.5',
  '0',
  '0.0499',
  '12345678901234567890.123456789',
  '1e3',
  '10.250000000000000001',
];
const SORTED = [
  '-3.5',
  '-3',
  '0',
  '0.0499',
  '9.5',
  '10.25',
  '10.250000000000000001',
  '100',
  '1000',
  '12345678901234567890.123456789',
];

async function fill(graph: Graph): Promise<void> {
  const create = 'mutation ($input: ItemInput!) { createItem(input: $input) { price } }';
  for (const price of PRICES)
    await ask(graph, create, { input: { price, deal: { price, rebates: [price] }, deals: [{ price }] } });
  deepEqual(await ask(graph, create, { input: {} }), { createItem: { price: null } });
}

async function prices(graph: Graph, args: string, variables?: Record<string, unknown>): Promise<readonly string[]> {
  const declared = variables === undefined ? '' : 'v' in variables ? 'query ($v: Decimal) ' : 'query ($l: [Decimal!]) ';
  const query = `${declared}{ items(${args}) { price } }`;
  const { items } = await ask(graph, query, variables);
  return (items as readonly { readonly price: string }[]).map(({ price }) => price);
}

testOnStores(
  'decimals are kept exactly and sorted as numbers, also by the plain order of their column',
  async (store) => {
    const graph = await open(store);
    await fill(graph);
    const [ascending, descending] = [
      [null, ...SORTED],
      [...SORTED.toReversed(), null],
    ];
    deepEqual(await prices(graph, 'orderBy: [{ price: ASC }]'), ascending);
    deepEqual(await prices(graph, 'orderBy: [{ price: DESC }]'), descending);
    deepEqual(await prices(graph, 'sortBy: price, sort: DESCENDING'), descending);
    const rows = await store.prepare('SELECT id FROM items WHERE price IS NOT NULL ORDER BY price').rows([]);
    deepEqual(
      rows.map(([id]) => Number(id)),
      SORTED.map((price) => PRICES.indexOf(price === '1000' ? '1e3' : price) + 1),
    );
  },
);

testOnStores(
  'decimals are filtered as numbers: in columns, embedded objects, lists and related objects',
  async (store) => {
    const graph = await open(store);
    await fill(graph);
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['{ eq: "10.250" }', ['10.25']],
      ['{ eq: 10.25 }', ['10.25']],
      ['{ in: ["1000.0", 9.50, "7"] }', ['9.5', '1000']],
      ['{ gt: "10.25", lte: 100 }', ['10.250000000000000001', '100']],
      ['{ gte: -3, lt: "0.05" }', ['-3', '0', '0.0499']],
      ['{ lt: "-3" }', ['-3.5']],
      ['{ gt: "1e18" }', ['12345678901234567890.123456789']],
      ['{ isNull: false, notIn: ["100", "0"] }', SORTED.filter((each) => each !== '100' && each !== '0')],
    ];
    for (const [filter, expected] of cases) {
      deepEqual(
        [filter, await prices(graph, `where: { price: ${filter} }, orderBy: [{ price: ASC }]`)],
        [filter, expected],
      );
      const held = filter.replace('isNull: false, ', '');
      const embedded = await prices(
        graph,
        `where: { price: { isNull: false }, deal: { price: ${held} } }, orderBy: [{ price: ASC }]`,
      );
      deepEqual([held, embedded], [held, expected]);
      const listed = await prices(
        graph,
        `where: { price: { isNull: false }, deals: { any: { price: ${held} } } }, orderBy: [{ price: ASC }]`,
      );
      deepEqual([held, listed], [held, expected]);
    }
    deepEqual(await prices(graph, 'where: { price: { ne: "9.50" } }, orderBy: [{ price: ASC }]'), [
      null,
      ...SORTED.filter((each) => each !== '9.5'),
    ]);
    deepEqual(await prices(graph, 'price: $v', { v: '10.2500' }), ['10.25']);
    deepEqual(await prices(graph, 'prices: $l', { l: ['1.0'] }), []);
    deepEqual(
      await prices(graph, 'where: { price: { in: $l } }, orderBy: [{ price: DESC }]', { l: ['100.0', '0e5'] }),
      ['100', '0'],
    );
    deepEqual(await prices(graph, 'where: { deal: { rebates: { has: "9.50" } } }'), ['9.5']);
    deepEqual(await prices(graph, 'where: { deal: { rebates: { eq: ["1000"] } } }'), ['1000']);
  },
);

testOnStores('cursors work over decimals', async (store) => {
  const graph = await open(store);
  await fill(graph);
  for (const [order, expected] of [
    ['ASC', [null, ...SORTED]],
    ['DESC', [...SORTED.toReversed(), null]],
  ] as const) {
    const seen: unknown[] = [];
    let after: string | null = null;
    do {
      const { paged } = await ask(
        graph,
        `query ($after: String) { paged(first: 3, after: $after, orderBy: [{ price: ${order} }]) { nodes { price } pageInfo { hasNextPage endCursor } } }`,
        { after },
      );
      seen.push(...paged.nodes.map(({ price }: { price: string }) => price));
      after = paged.pageInfo.hasNextPage ? paged.pageInfo.endCursor : null;
    } while (after !== null);
    deepEqual(seen, expected);
  }
  for (const forged of ['["abc","1"]', '["1.0","1"]', '[5,"1"]', '["pfabb 1","1"]'])
    deepEqual(
      await ask(
        graph,
        `{ paged(first: 1, after: "${Buffer.from(forged).toString('hex').toUpperCase()}", orderBy: [{ price: ASC }]) { totalCount } }`,
      ),
      ['GRAPH_CURSOR_INVALID'],
    );
});

testOnStores(
  'decimals have defaults, are unique by their value, change, and come back with mutations and in the feed',
  async (store) => {
    const graph = await open(store);
    const { createItem } = await ask(
      graph,
      'mutation { createItem(input: { code: "1.50", prices: ["2.50", 3], deal: { price: 1e2, rebates: [0.10] } }) { id tax code prices deal { price rebates } } }',
    );
    deepEqual(createItem, {
      id: '1',
      tax: '0.19',
      code: '1.5',
      prices: ['2.5', '3'],
      deal: { price: '100', rebates: ['0.1'] },
    });
    deepEqual(await ask(graph, 'mutation { createItem(input: { code: 1.5 }) { id } }'), ['GRAPH_NOT_UNIQUE']);
    deepEqual(await ask(graph, '{ item(code: "1.500") { id tax } none: item(code: "1.51") { id } }'), {
      item: { id: '1', tax: '0.19' },
      none: null,
    });
    deepEqual(await ask(graph, 'mutation { updateItem(id: 1, input: { tax: "7.0", price: "-0.00" }) { tax price } }'), {
      updateItem: { tax: '7', price: '0' },
    });
    const changes = await graph.feed.read(0, 10);
    deepEqual(
      changes.map(({ before, after }) => [
        before?.['tax'],
        after?.['tax'],
        after?.['code'],
        after?.['prices'],
        after?.['price'],
      ]),
      [
        [undefined, '0.19', '1.5', ['2.5', '3'], null],
        ['0.19', '7', '1.5', ['2.5', '3'], '0'],
      ],
    );
    // The same value, written otherwise, is no change.
    await ask(graph, 'mutation { updateItem(id: 1, input: { tax: "7.000" }) { id } }');
    equal((await graph.feed.read(0, 10)).length, 2);
    for (const wrong of ['"abc"', '"1e100"', 'true', `"${'9'.repeat(101)}"`])
      deepEqual(await ask(graph, `mutation { createItem(input: { price: ${wrong} }) { id } }`), ['GRAPH_VALIDATION']);
    deepEqual(
      await ask(graph, 'mutation ($input: ItemInput!) { createItem(input: $input) { id } }', {
        input: { price: 0.1 + 0.2 },
      }),
      ['GRAPH_VARIABLES_INVALID'],
    );
    deepEqual(await ask(graph, 'mutation { deleteItems(where: { tax: { gt: "6.99" } }) }'), { deleteItems: 1 });
  },
);

testOnStores('rules compare decimals numerically in reads and writes', async (store) => {
  const graph = await open(store);
  await store.script('INSERT INTO ruleds (price) VALUES (NULL)');
  const create = async (price: string): Promise<unknown> =>
    ask(graph, `mutation { createRuled(price: "${price}") { price } }`, undefined, reader('1000'));
  const reader = (most: unknown): Principal => ({ ...createPrincipal('ada', []), attributes: { most } });
  deepEqual(await create('0.50'), ['GRAPH_FORBIDDEN']);
  deepEqual(await create('0.500000000000000000001'), { createRuled: { price: '0.500000000000000000001' } });
  for (const price of ['9.5', '10.25', '100']) await create(price);
  const seen = async (most: unknown): Promise<unknown> =>
    (await ask(graph, '{ ruleds { price } }', undefined, reader(most))).ruleds.map(
      ({ price }: { price: string }) => price,
    );
  const small = ['0.500000000000000000001', '9.5'];
  deepEqual(await seen(undefined), small);
  deepEqual(await seen('abc'), small);
  deepEqual(await seen(10.25), [...small, '10.25']);
  deepEqual(await seen('99.999'), [...small, '10.25']);
  deepEqual(await seen('100.0'), [...small, '10.25', '100']);
});

testOnStores('decimals of several types share one order', async (store) => {
  const graph = await open(store);
  const reader: Principal = { ...createPrincipal('ada', []), attributes: { most: 1000 } };
  for (const price of ['100', '9.5'])
    await ask(graph, `mutation { createRuled(price: "${price}") { price } }`, undefined, reader);
  await ask(
    graph,
    'mutation { a: createOther(id: "x", price: "10.25") { id } b: createOther(id: "y", price: "-1") { id } }',
  );
  const all = await ask(
    graph,
    '{ priced(orderBy: [{ price: ASC }]) { price } some: priced(where: { price: { gt: 9.5 } }, orderBy: [{ price: DESC }]) { price } }',
    undefined,
    reader,
  );
  deepEqual(all, {
    priced: ['-1', '9.5', '10.25', '100'].map((price) => ({ price })),
    some: ['100', '10.25'].map((price) => ({ price })),
  });
});

testOnStores('decimals are imported from texts and numbers, and invalid ones are rejected', async (store) => {
  const graph = await open(store);
  const rejected: unknown[] = [];
  const rows = [
    { price: '10.250' },
    { price: 9.5 },
    { price: '' },
    { price: 'abc' },
    { price: 0.1 + 0.2 },
    { prices: ['1.0', 2] },
  ];
  const { written } = await graph.importRows('Item', [rows], {
    atomic: false,
    onReject: ({ index, reasons }) => rejected.push([index, reasons[0]]),
  });
  equal(written, 4);
  match(
    JSON.stringify(rejected),
    /^\[\[3,"\\"price\\": Decimal cannot represent \\"abc\\"; write a number.*\[4,"\\"price\\": Decimal cannot tell which number/,
  );
  deepEqual(await ask(graph, '{ items(orderBy: [{ price: DESC }, { id: ASC }]) { price tax prices } }'), {
    items: [
      { price: '10.25', tax: '0.19', prices: null },
      { price: '9.5', tax: '0.19', prices: null },
      { price: null, tax: '0.19', prices: null },
      { price: null, tax: '0.19', prices: ['1', '2'] },
    ],
  });
  deepEqual((await checkIntegrity(graph.model, store)).findings, []);
});

const NOTE = (fields: string): string =>
  `scalar Decimal type Note @entity { id: ID! ${fields} } type Query { notes(orderBy: [NoteOrder!]): [Note!]! }`;

testOnStores('text, integer and float columns convert to decimals and back', async (store) => {
  await applyMigration(readSchema([{ file: 's', text: NOTE('text: String whole: Int part: Float') }]), store);
  await store.script(
    "INSERT INTO notes (text, whole, part) VALUES ('100', 100, 100), ('9.50', 9, 9.5), ('1.025e1', 10, 10.25), (NULL, NULL, NULL)",
  );
  const decimals = readSchema([{ file: 's', text: NOTE('text: Decimal whole: Decimal part: Decimal') }]);
  deepEqual(
    (await planMigration(decimals, store)).steps.map(({ loses }) => loses),
    [undefined, undefined, undefined],
  );
  await applyMigration(decimals, store);
  const graph = await createGraph({ model: decimals, store });
  deepEqual(await ask(graph, '{ notes(orderBy: [{ text: ASC }]) { text whole part } }'), {
    notes: [
      { text: null, whole: null, part: null },
      { text: '9.5', whole: '9', part: '9.5' },
      { text: '10.25', whole: '10', part: '10.25' },
      { text: '100', whole: '100', part: '100' },
    ],
  });
  deepEqual((await checkIntegrity(decimals, store)).findings, []);
  const back = readSchema([{ file: 's', text: NOTE('text: String whole: Int part: Float') }]);
  await applyMigration(back, store);
  const rows = await store.prepare('SELECT text, whole, part FROM notes ORDER BY id').rows([]);
  deepEqual(
    rows.map((row) => row.map((value) => (typeof value === 'bigint' ? Number(value) : value))),
    [
      ['100', 100, 100],
      ['9.5', 9, 9.5],
      ['10.25', 10, 10.25],
      [null, null, null],
    ],
  );
});

testOnStores('texts that are not decimals are reported before a column changes', async (store) => {
  await applyMigration(readSchema([{ file: 's', text: NOTE('text: String') }]), store);
  await store.script("INSERT INTO notes (text) VALUES ('10.25'), ('ten'), ('1,5'), ('NaN'), ('')");
  const { steps } = await planMigration(readSchema([{ file: 's', text: NOTE('text: Decimal') }]), store);
  match(String(steps[0]?.loses), /4 values in notes\.text that Decimal cannot hold/);
});

testOnStores('required decimals and lists are added with their defaults', async (store) => {
  await applyMigration(readSchema([{ file: 's', text: NOTE('text: String') }]), store);
  await store.script("INSERT INTO notes (text) VALUES ('a')");
  const model = readSchema([
    {
      file: 's',
      text: NOTE(
        'text: String tax: Decimal! @default(value: "0.190") steps: [Decimal!]! @default(value: "[1.50, \\"2.0\\"]")',
      ),
    },
  ]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  await graph.importRows('Note', [[{ text: 'b' }]]);
  deepEqual(await ask(graph, '{ notes(orderBy: [{ tax: ASC }]) { tax steps } }'), {
    notes: [
      { tax: '0.19', steps: ['1.5', '2'] },
      { tax: '0.19', steps: ['1.5', '2'] },
    ],
  });
  deepEqual((await checkIntegrity(model, store)).findings, []);
});

testOnStores('numbers in lists that become decimals are reported', async (store) => {
  await applyMigration(readSchema([{ file: 's', text: NOTE('list: [Float!]') }]), store);
  await store.script("INSERT INTO notes (list) VALUES ('[0.5]'), ('[]')");
  const { steps } = await planMigration(readSchema([{ file: 's', text: NOTE('list: [Decimal!]') }]), store);
  match(String(steps[0]?.loses), /1 value in notes\.list would not be allowed: 0\.5/);
});
