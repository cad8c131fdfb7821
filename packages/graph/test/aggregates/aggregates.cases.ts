// Aggregates of rows and of groups: exact numbers, keys, conditions, orders and pages, the same on both databases.
import { deepEqual, equal } from 'node:assert/strict';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  scalar DateTime scalar Date scalar LocalDateTime scalar Decimal
  enum Kind { SALE GIFT }
  type Order @entity {
    id: ID!
    kind: Kind
    title: String
    amount: Int
    bytes: BigInt
    price: Decimal
    weight: Float
    paid: Boolean
    placed: DateTime
    day: Date
    local: LocalDateTime
    customer: Customer
    shop: Shop!
  }
  scalar BigInt
  type Customer @entity { name: ID! @id city: String boss: Customer @relation(inverse: "staff") staff: [Customer!]! orders: [Order!]! }
  type Shop @entity { id: ID! @id name: String! orders: [Order!]! }
  type Query {
    orderTotals(where: OrderFilter, kind: Kind): OrderAggregates!
    orderGroups(
      groupBy: OrderGroupBy, where: OrderFilter, having: OrderHaving, orderBy: [OrderGroupOrder!],
      first: Int, start: Int = 0, timeZone: String = "UTC"
    ): [OrderGroup!]!
  }
  input OrderInput {
    kind: Kind title: String amount: Int bytes: BigInt price: Decimal weight: Float paid: Boolean
    placed: DateTime day: Date local: LocalDateTime customer: ID shop: ID!
  }
  type Mutation {
    createOrders(input: [OrderInput!]!): [Order!]!
    createCustomer(name: ID!, city: String, boss: ID): Customer!
    createShop(id: ID!, name: String!): Shop!
  }`;

async function open(store: Store, orders: readonly object[], text = SCHEMA): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  await ask(
    graph,
    `mutation { a: createCustomer(name: "ann", city: "Oslo") { name } b: createCustomer(name: "bob", city: "Rome", boss: "ann") { name }
      c: createCustomer(name: "cid", boss: "ann") { name } s: createShop(id: "s", name: "South") { id } n: createShop(id: "n", name: "North") { id } }`,
  );
  const input = orders.map((order) => ({ shop: 's', ...order }));
  await ask(graph, 'mutation ($input: [OrderInput!]!) { createOrders(input: $input) { id } }', { input });
  return graph;
}

// eslint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
async function ask(
  graph: Graph,
  query: string,
  variables?: Record<string, unknown>,
  principal?: Principal,
): Promise<any> {
  const { body } = await graph.execute({ query, variables }, principal === undefined ? {} : { principal });
  const { data, errors } = JSON.parse(body) as {
    data: unknown;
    errors?: readonly { message: string; extensions: { code: string } }[];
  };
  return errors === undefined ? data : errors.map(({ extensions, message }) => `${extensions.code} ${message}`);
}

testOnStores('19.2 sums of integers and decimals are exact beyond 2^53 and 64 bits', async (store) => {
  const graph = await open(store, [
    {
      amount: 2147483647,
      bytes: '9223372036854775807',
      price: '12345678901234567890.123456789012345678901',
      weight: 0.1,
    },
    { amount: 2147483647, bytes: '9223372036854775807', price: '0.000000000000000000099', weight: 0.2 },
    { amount: -1, bytes: '-3', price: '-1e3', weight: 0.3 },
    {},
  ]);
  const fields = 'amount bytes price weight';
  deepEqual(
    await ask(
      graph,
      `{ orderTotals { count sum { ${fields} } avg { ${fields} } min { ${fields} } max { ${fields} } countDistinct { ${fields} } } }`,
    ),
    {
      orderTotals: {
        count: 4,
        sum: {
          amount: 4294967293,
          bytes: '18446744073709551611',
          price: '12345678901234566890.123456789012345679',
          weight: 0.6,
        },
        avg: {
          amount: 4294967293 / 3,
          bytes: Number(18446744073709551611n) / 3,
          price: '4115226300411522296.707818929670781893',
          weight: 0.6 / 3,
        },
        min: { amount: -1, bytes: -3, price: '-1000', weight: 0.1 },
        max: {
          amount: 2147483647,
          bytes: '9223372036854775807',
          price: '12345678901234567890.123456789012345678901',
          weight: 0.3,
        },
        countDistinct: { amount: 2, bytes: 2, price: 3, weight: 3 },
      },
    },
  );
});

testOnStores('19.2 infinite values that others wrote are in no sum and no average', async (store) => {
  const graph = await open(store, [{ weight: 1 }, { weight: 3 }, { weight: 2, kind: 'GIFT' }]);
  const infinite = store.dialect === 'postgres' ? "'infinity'" : '9e999';
  await store.prepare(`UPDATE orders SET weight = ${infinite} WHERE weight >= 2`).run([]);
  deepEqual(
    await ask(
      graph,
      '{ orderTotals { sum { weight } avg { weight } } gifts: orderTotals(kind: GIFT) { avg { weight } } }',
    ),
    { orderTotals: { sum: { weight: 1 }, avg: { weight: 1 } }, gifts: { avg: { weight: null } } },
  );
});

testOnStores('19.2 aggregates of no values are null, and their counts 0', async (store) => {
  const graph = await open(store, [{ title: 'x' }]);
  const fields =
    'sum { amount bytes price weight } avg { amount bytes price weight } min { title placed kind } max { day local }';
  const nothing = { amount: null, bytes: null, price: null, weight: null };
  deepEqual(
    await ask(
      graph,
      `{ orderTotals(where: { title: { eq: "none" } }) { count countDistinct { id title } ${fields} } }`,
    ),
    {
      orderTotals: {
        count: 0,
        countDistinct: { id: 0, title: 0 },
        sum: nothing,
        avg: nothing,
        min: { title: null, placed: null, kind: null },
        max: { day: null, local: null },
      },
    },
  );
  deepEqual(await ask(graph, '{ orderGroups(groupBy: { title: true }, where: { title: { eq: "none" } }) { count } }'), {
    orderGroups: [],
  });
});

const TIMES = [
  { placed: '2025-12-28T23:30:00Z', day: '2025-12-29', local: '2025-12-29T00:30:00', amount: 1, kind: 'SALE' },
  {
    placed: '2026-01-01T00:30:00Z',
    day: '2026-01-01',
    local: '2026-01-01T01:30:00',
    amount: 2,
    kind: 'GIFT',
    shop: 'n',
  },
  {
    placed: '2026-07-09T17:05:06.789Z',
    day: '2026-07-09',
    local: '2026-07-09T19:05:06.789',
    amount: 3,
    kind: 'SALE',
    customer: 'ann',
  },
  {
    placed: '2026-07-09T17:45:00Z',
    day: '2026-07-09',
    local: '2026-07-09T19:45:00',
    amount: 4,
    customer: 'bob',
    shop: 'n',
  },
  { amount: 5, customer: 'cid' },
];

testOnStores(
  '19.2 groups have the values of columns, of related objects and the parts of times in common',
  async (store) => {
    const graph = await open(store, TIMES);
    const groups = async (by: string, keys: string, more = ''): Promise<unknown> => {
      const answer = await ask(graph, `{ orderGroups(groupBy: { ${by} } ${more}) { keys { ${keys} } count } }`);
      return (
        answer.orderGroups?.map((each: { keys: object; count: number }) => [...Object.values(each.keys), each.count]) ??
        answer
      );
    };
    deepEqual(await groups('kind: true', 'kind'), [
      [null, 2],
      ['GIFT', 1],
      ['SALE', 2],
    ]);
    deepEqual(await groups('kind: true, paid: false, shop: null', 'kind'), [
      [null, 2],
      ['GIFT', 1],
      ['SALE', 2],
    ]);
    deepEqual(await groups('customer: { name: true }', 'customer { name }'), [
      [{ name: null }, 2],
      [{ name: 'ann' }, 1],
      [{ name: 'bob' }, 1],
      [{ name: 'cid' }, 1],
    ]);
    deepEqual(await groups('customer: { boss: { city: true } }', 'customer { boss { city } }'), [
      [{ boss: { city: null } }, 3],
      [{ boss: { city: 'Oslo' } }, 2],
    ]);
    deepEqual(await groups('shop: { name: true }, kind: true', 'shop { name } kind'), [
      // The keys come in the order of the type.
      [{ name: 'North' }, null, 1],
      [{ name: 'South' }, null, 1],
      [{ name: 'North' }, 'GIFT', 1],
      [{ name: 'South' }, 'SALE', 2],
    ]);
    deepEqual(await groups('placed: YEAR', 'placed'), [
      [null, 1],
      ['2025', 1],
      ['2026', 3],
    ]);
    deepEqual(
      await groups('placed: [MONTH, HOUR_OF_DAY]', 'placed: placed(part: MONTH) hour: placed(part: HOUR_OF_DAY)'),
      [
        [null, null, 1],
        ['2025-12', '23', 1],
        ['2026-01', '00', 1],
        ['2026-07', '17', 2],
      ],
    );
    const part = async (name: string, field = 'placed', more = ''): Promise<readonly unknown[]> =>
      ((await groups(`${field}: ${name}`, field, `where: { ${field}: { isNull: false } } ${more}`)) as unknown[][]).map(
        ([key]) => key,
      );
    const parts = {
      QUARTER: ['2025-Q4', '2026-Q1', '2026-Q3'],
      WEEK: ['2025-W52', '2026-W01', '2026-W28'],
      DAY: ['2025-12-28', '2026-01-01', '2026-07-09'],
      MONTH_OF_YEAR: ['01', '07', '12'],
      DAY_OF_MONTH: ['01', '09', '28'],
      DAY_OF_WEEK: ['4', '7'],
      HOUR: ['2025-12-28T23', '2026-01-01T00', '2026-07-09T17'],
      MINUTE: ['2025-12-28T23:30', '2026-01-01T00:30', '2026-07-09T17:05', '2026-07-09T17:45'],
      EXACT: [
        '2025-12-28T23:30:00.000Z',
        '2026-01-01T00:30:00.000Z',
        '2026-07-09T17:05:06.789Z',
        '2026-07-09T17:45:00.000Z',
      ],
    };
    for (const [name, expected] of Object.entries(parts)) deepEqual(await part(name), expected, name);
    deepEqual(await part('DAY', 'placed', 'timeZone: "Europe/Berlin"'), ['2025-12-29', '2026-01-01', '2026-07-09']);
    deepEqual(await part('HOUR', 'placed', 'timeZone: "America/New_York"'), [
      '2025-12-28T18',
      '2025-12-31T19',
      '2026-07-09T13',
    ]);
    deepEqual(await part('WEEK', 'placed', 'timeZone: "Europe/Berlin"'), ['2026-W01', '2026-W28']);
    deepEqual(await part('WEEK', 'day'), ['2026-W01', '2026-W28']);
    deepEqual(await part('QUARTER', 'day'), ['2025-Q4', '2026-Q1', '2026-Q3']);
    deepEqual(await part('DAY_OF_WEEK', 'local'), ['1', '4']);
    deepEqual(await part('HOUR', 'local', 'timeZone: "Asia/Tokyo"'), [
      '2025-12-29T00',
      '2026-01-01T01',
      '2026-07-09T19',
    ]);
    const zoned =
      'query ($zone: String) { orderGroups(groupBy: { placed: DAY }, timeZone: $zone, where: { amount: { eq: 1 } }) { keys { placed } } }';
    for (const [zone, day] of [
      [undefined, '2025-12-28'],
      [null, '2025-12-28'],
      ['Europe/Oslo', '2025-12-29'],
      ['utc', '2025-12-28'],
    ])
      deepEqual(await ask(graph, zoned, { zone }), { orderGroups: [{ keys: { placed: day } }] });
  },
);

testOnStores('19.2 groups are chosen by having, ordered by keys and aggregates, and paged', async (store) => {
  const graph = await open(store, TIMES);
  const groups = async (args: string, variables?: Record<string, unknown>): Promise<unknown> => {
    const head =
      variables === undefined
        ? ''
        : 'query ($having: OrderHaving, $by: OrderGroupBy, $orderBy: [OrderGroupOrder!], $first: Int) ';
    const answer = await ask(graph, `${head}{ orderGroups(${args}) { keys { kind } sum { amount } } }`, variables);
    return (
      answer.orderGroups?.map(
        (each: { keys: { kind: string }; sum: { amount: number } }) => `${each.keys.kind} ${each.sum.amount}`,
      ) ?? answer
    );
  };
  const by = 'groupBy: { kind: true }';
  deepEqual(await groups(by), ['null 9', 'GIFT 2', 'SALE 4']);
  deepEqual(await groups(`${by} orderBy: [{ sum: { amount: DESC } }]`), ['null 9', 'SALE 4', 'GIFT 2']);
  deepEqual(await groups(`${by} orderBy: [{ keys: { kind: DESC } }]`), ['SALE 4', 'GIFT 2', 'null 9']);
  deepEqual(await groups(`${by} orderBy: [{ count: ASC }, { max: { amount: DESC } }] first: 2 start: 1`), [
    'null 9',
    'SALE 4',
  ]);
  deepEqual(await groups(`${by} orderBy: [{ countDistinct: { amount: ASC } }, { keys: { kind: DESC } }]`), [
    'GIFT 2',
    'SALE 4',
    'null 9',
  ]);
  deepEqual(await groups(`${by} having: { count: { gt: 1 }, sum: { amount: { lt: 9 } } }`), ['SALE 4']);
  deepEqual(
    await groups(
      `${by} having: { or: [{ avg: { amount: { eq: 2 } } }, { min: { placed: { gt: "2026-07-01T00:00:00Z" } } }] }`,
    ),
    ['null 9', 'GIFT 2', 'SALE 4'],
  );
  deepEqual(await groups(`${by} having: { not: { max: { amount: { in: [2, 3] } } } }`), ['null 9']);
  deepEqual(await groups(`${by} having: { max: { title: { isNull: true } }, sum: { bytes: { eq: null } } } first: 1`), [
    'null 9',
  ]);
  const variables = {
    having: { count: { gte: 1 } },
    by: { kind: true },
    orderBy: [{ avg: { amount: 'ASC' } }],
    first: 2,
  };
  const args = 'groupBy: $by, having: $having, orderBy: $orderBy, first: $first';
  deepEqual(await groups(args, variables), ['GIFT 2', 'SALE 4']);
  deepEqual(await groups(args, { ...variables, having: { count: { gte: 2 } }, first: null }), ['SALE 4', 'null 9']);
  deepEqual(await ask(graph, '{ orderGroups(having: { count: { gt: 4 } }) { count } }'), {
    orderGroups: [{ count: 5 }],
  });
  deepEqual(await ask(graph, '{ orderTotals(kind: SALE) { count __typename } }'), {
    orderTotals: { count: 2, __typename: 'OrderAggregates' },
  });
});

testOnStores(
  '19.2 keys that groupBy does not name, unknown time zones and pages are errors of the client',
  async (store) => {
    const graph = await open(store, TIMES);
    const refused = async (field: string): Promise<string> => (await ask(graph, `{ ${field} }`))[0];
    equal(
      await refused('orderGroups(groupBy: { kind: true }) { keys { title } }'),
      'GRAPH_GROUP_KEY_MISSING "title" is no key of these groups: groupBy does not name it.',
    );
    equal(
      await refused('orderGroups(groupBy: { placed: DAY }) { keys { placed(part: WEEK) } }'),
      'GRAPH_GROUP_KEY_MISSING "placed(part: WEEK)" is no key of these groups: groupBy does not name it.',
    );
    equal(
      await refused('orderGroups(groupBy: { placed: [DAY, WEEK] }) { keys { placed } }'),
      'GRAPH_GROUP_KEY_AMBIGUOUS groupBy names several parts of "placed": DAY, WEEK.',
    );
    equal(
      await refused('orderGroups(groupBy: { kind: true }, orderBy: [{ keys: { customer: { name: ASC } } }]) { count }'),
      'GRAPH_GROUP_KEY_MISSING "customer.name" is no key of these groups: groupBy does not name it.',
    );
    equal(
      await refused('orderGroups(groupBy: { placed: DAY }, timeZone: "Mars/Olympus") { count }'),
      'GRAPH_TIME_ZONE_UNKNOWN Argument "timeZone" names no time zone: Mars/Olympus.',
    );
    equal(
      (await refused('orderGroups(groupBy: { placed: DAY }, timeZone: "+01:00") { count }')).split(' ')[0],
      'GRAPH_TIME_ZONE_UNKNOWN',
    );
    equal(
      (await refused('orderGroups(groupBy: { kind: true }, first: -1) { count }')).split(' ')[0],
      'GRAPH_PAGE_NEGATIVE',
    );
  },
);

const RULED = `
  scalar Decimal scalar DateTime
  type Bill @entity @auth(read: "owner == authentication.name or hasRole('ADMIN')") {
    id: ID!
    owner: String!
    tag: String @auth(read: "open or hasRole('ADMIN')")
    sum: Decimal @auth(read: "open or hasRole('ADMIN')")
    number: Int @auth(read: "hasRole('ADMIN')")
    open: Boolean!
    payer: Payer @auth(read: "open or hasRole('ADMIN')")
  }
  type Payer @entity @auth(read: "!blocked or hasRole('ADMIN')") { name: ID! @id blocked: Boolean! city: String @auth(read: "hasRole('ADMIN')") bills: [Bill!]! }
  type Query {
    totals(where: BillFilter): BillAggregates!
    groups(groupBy: BillGroupBy!, having: BillHaving, orderBy: [BillGroupOrder!]): [BillGroup!]!
  }
  input BillInput { owner: String! tag: String sum: Decimal number: Int open: Boolean! payer: ID }
  type Mutation { createBills(input: [BillInput!]!): [Bill!]!  createPayer(name: ID!, blocked: Boolean!, city: String): Payer! }`;

testOnStores('19.2 a hidden row or withheld value changes no aggregate, group, order or condition', async (store) => {
  const model = readSchema([{ file: 'schema.graphql', text: RULED }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  const admin = createPrincipal('root', ['ROLE_ADMIN']);
  const create = 'mutation ($input: [BillInput!]!) { createBills(input: $input) { id } }';
  await ask(
    graph,
    'mutation { a: createPayer(name: "p", blocked: false, city: "Oslo") { name } b: createPayer(name: "q", blocked: true) { name } }',
    {},
    admin,
  );
  const input = [
    { owner: 'ann', tag: 'a', sum: '1.5', number: 7, open: true, payer: 'p' },
    { owner: 'ann', tag: 'a', sum: '2.25', number: 8, open: true, payer: 'q' },
    { owner: 'ann', tag: 'secret', sum: '1000', number: 9, open: false, payer: 'p' },
    { owner: 'bob', tag: 'hidden', sum: '5000', number: 10, open: true, payer: 'p' },
  ];
  deepEqual((await ask(graph, create, { input }, admin)).createBills.length, 4);
  const ann = createPrincipal('ann');
  const totals =
    '{ totals { count countDistinct { tag sum number } sum { sum number } avg { sum number } min { tag number } max { tag sum } } }';
  deepEqual(await ask(graph, totals, {}, ann), {
    totals: {
      count: 3,
      countDistinct: { tag: 1, sum: 2, number: 0 },
      sum: { sum: '3.75', number: null },
      avg: { sum: '1.875', number: null },
      min: { tag: 'a', number: null },
      max: { tag: 'a', sum: '2.25' },
    },
  });
  equal((await ask(graph, totals, {}, admin)).totals.sum.number, 34);
  const groups = async (by: string, keys: string, principal: Principal, more = ''): Promise<unknown> =>
    (
      await ask(graph, `{ groups(groupBy: { ${by} } ${more}) { keys { ${keys} } count sum { sum } } }`, {}, principal)
    ).groups.map((each: { keys: object; count: number; sum: { sum: string } }) => [
      ...Object.values(each.keys),
      each.count,
      each.sum.sum,
    ]);
  deepEqual(await groups('tag: true', 'tag', ann), [
    [null, 1, null],
    ['a', 2, '3.75'],
  ]);
  deepEqual(await groups('number: true', 'number', ann), [[null, 3, '3.75']]);
  // The third payer is withheld, the second one hidden.
  deepEqual(await groups('payer: { name: true }', 'payer { name }', ann), [
    [{ name: null }, 2, '2.25'],
    [{ name: 'p' }, 1, '1.5'],
  ]);
  deepEqual(await groups('payer: { city: true }', 'payer { city }', ann), [[{ city: null }, 3, '3.75']]);
  deepEqual(await groups('payer: { city: true, name: true }', 'payer { name }', admin), [
    [{ name: 'p' }, 3, '6001.5'],
    [{ name: 'q' }, 1, '2.25'],
  ]);
  deepEqual(await groups('tag: true', 'tag', ann, 'having: { max: { sum: { gt: "100" } } }'), []);
  deepEqual(await groups('tag: true', 'tag', ann, 'having: { min: { number: { isNull: false } } }'), []);
  deepEqual(await groups('open: true', 'open', ann, 'orderBy: [{ max: { sum: DESC } }]'), [
    [true, 2, '3.75'],
    [false, 1, null],
  ]);
  deepEqual(await ask(graph, '{ totals { count sum { sum } } }'), { totals: { count: 0, sum: { sum: null } } });
});

testOnStores('19.2 too many sort terms or keys are refused by the same code on both databases', async (store) => {
  const graph = await open(store, [{ kind: 'SALE' }]);
  const byCount = async (terms: number): Promise<unknown> =>
    ask(graph, 'query ($o: [OrderGroupOrder!]) { orderGroups(groupBy: { kind: true }, orderBy: $o) { count } }', {
      o: Array.from({ length: terms }, (_, index) =>
        index % 2 === 0 ? { count: 'ASC' } : { sum: { amount: 'DESC' } },
      ),
    });
  deepEqual(await byCount(900), { orderGroups: [{ count: 1 }] });
  for (const terms of [1700, 3000]) equal(String(await byCount(terms)).split(' ')[0], 'GRAPH_TOO_INVOLVED');
});

testOnStores('19.2 times whose local year is not one of 1 to 9999 have no parts', async (store) => {
  const graph = await open(store, [
    { placed: '9999-12-31T23:59:59.999Z' },
    { placed: '9999-12-31T09:00:00.000Z' },
    { placed: '0001-01-01T00:00:00.000Z' },
  ]);
  const parts = ['YEAR', 'QUARTER', 'MONTH', 'WEEK', 'DAY', 'HOUR', 'MINUTE', 'MONTH_OF_YEAR', 'DAY_OF_WEEK'];
  for (const [timeZone, first, last] of [
    ['Etc/GMT-14', '0001-Q1', '9999-Q4'],
    ['Etc/GMT+12', '9999-Q4', '9999-Q4'],
  ] as const) {
    const { orderGroups } = await ask(
      graph,
      `{ orderGroups(groupBy: { placed: QUARTER }, timeZone: "${timeZone}") { count keys { placed } } }`,
    );
    const keys = (orderGroups as { count: number; keys: { placed: string | null } }[])
      .flatMap(({ count, keys: { placed } }) => Array.from({ length: count }, () => String(placed)))
      .sort();
    deepEqual(keys, [first, last, 'null'].sort(), timeZone);
    for (const part of parts) {
      const answer = await ask(
        graph,
        `{ orderGroups(groupBy: { placed: ${part} }, timeZone: "${timeZone}", having: { count: { gt: 0 } }) { count keys { placed } } }`,
      );
      const without = (answer.orderGroups as { count: number; keys: { placed: string | null } }[]).filter(
        ({ keys: { placed } }) => placed === null,
      );
      deepEqual(
        without.map(({ count }) => count),
        [1],
        `${timeZone} ${part}`,
      );
    }
  }
});
