// Read rules at the graph's door: rows, counts, relations, fields, filters, orders; the same decisions as the evaluator's.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { compileExpression, createPrincipal, type Principal } from '@lockstitch/kernel';
import fc from 'fast-check';
import { readSchema } from '../../src/index.ts';
import { toSortable } from '../../src/schema/decimal.ts';
import { rowShapeOf } from '../../src/write/row-shape.ts';
import { openGraph, type TestGraph } from '../execute/open-graph.ts';

const SDL = /* GraphQL */ `
  type Photo
    @entity
    @auth(
      read: "published or owner.login == authentication.name or hasRole('ADMIN') or members.any(m, m.login == authentication.name)"
    ) {
    id: ID!
    name: String
    published: Boolean!
    owner: User! @relation(inverse: "photos")
    secret: String @auth(read: "owner.login == authentication.name")
    salary: Int @auth(read: "hasRole('ADMIN')")
    members: [User!]! @relation(inverse: "memberOf")
  }
  type User @entity @auth(read: "login != 'ghost' or hasRole('ADMIN')") {
    login: ID! @id
    photos(first: Int): [Photo!]!
    memberOf: [Photo!]!
  }
  type Query {
    photo(id: ID!): Photo
    photos(where: PhotoFilter, orderBy: [PhotoOrder!], owner: ID, secret: String): [Photo!]!
    total: Int!
    totalPhotos: Int!
    user(login: ID!): User
  }
`.replace('    total: Int!\n', '');
const ROWS = `
  INSERT INTO users (login) VALUES ('ann'), ('bob'), ('cid'), ('ghost');
  INSERT INTO photos (id, name, published, owner, secret, salary) VALUES
    (1, 'A', 1, 'ann', 's1', 10), (2, 'B', 0, 'ann', 's2', 20), (3, 'C', 0, 'bob', 's3', 30), (4, 'D', 1, 'ghost', 's4', 40);
  INSERT INTO photos_members (photo, user) VALUES (3, 'cid')`;
const t: TestGraph = await openGraph(SDL, ROWS);
after(() => t.close());
const ann = createPrincipal('ann');
const cid = createPrincipal('cid');
const admin = createPrincipal('root', ['ROLE_ADMIN']);

async function idsFor(principal: Principal | undefined, query = '{ photos { id } }'): Promise<readonly string[]> {
  const answer = await t.ask(query, principal === undefined ? {} : { principal });
  assert.equal(answer.errors, undefined);
  return (answer.data!['photos'] as { id: string }[]).map(({ id }) => id);
}

test('lists, counts and look-ups contain exactly what the caller may read', async () => {
  assert.deepEqual(await idsFor(undefined), ['1', '4']);
  assert.deepEqual(await idsFor(ann), ['1', '2', '4']);
  assert.deepEqual(await idsFor(cid), ['1', '3', '4']);
  assert.deepEqual(await idsFor(admin), ['1', '2', '3', '4']);
  assert.deepEqual((await t.ask('{ totalPhotos photo(id: 3) { id } }', { principal: ann })).data, {
    totalPhotos: 3,
    photo: null,
  });
});

test('hidden and missing rows are indistinguishable', async () => {
  const hidden = await t.ask('{ photo(id: 3) { id secret owner { login } } }', { principal: ann });
  const absent = await t.ask('{ photo(id: 9) { id secret owner { login } } }', { principal: ann });
  assert.deepEqual(hidden, absent);
});

test('relations contain only readable objects', async () => {
  const answer = await t.ask(
    '{ user(login: "bob") { photos { id } memberOf { id } } cid: user(login: "cid") { memberOf { id } } }',
    { principal: ann },
  );
  assert.deepEqual(answer.data, { user: { photos: [], memberOf: [] }, cid: { memberOf: [] } });
  const own = await t.ask('{ cid: user(login: "cid") { memberOf { id } } }', { principal: cid });
  assert.deepEqual(own.data, { cid: { memberOf: [{ id: '3' }] } });
});

test('a hidden object in a non-null field is an error, like a missing one', async () => {
  const answer = await t.ask('{ photo(id: 4) { id owner { login } } photos { id } }', { principal: ann });
  assert.equal(answer.data?.['photo'], null);
  assert.deepEqual(
    [answer.errors?.[0]?.path, answer.errors?.[0]?.extensions['code']],
    [['photo', 'owner'], 'GRAPH_NULL_VALUE'],
  );
  assert.doesNotMatch(JSON.stringify(answer), /ghost/);
});

test('a field that may not be read is null with a coded error, row by row', async () => {
  const answer = await t.ask('{ photos { id secret } }', { principal: ann });
  assert.deepEqual(answer.data!['photos'], [
    { id: '1', secret: 's1' },
    { id: '2', secret: 's2' },
    { id: '4', secret: null },
  ]);
  assert.deepEqual(
    answer.errors?.map((error) => [error.path, error.extensions['code']]),
    [[['photos', 2, 'secret'], 'GRAPH_FIELD_FORBIDDEN']],
  );
});

test('unreadable values can neither be filtered nor sorted by', async () => {
  assert.deepEqual(await idsFor(cid, '{ photos(where: { secret: { eq: "s1" } }) { id } }'), []);
  assert.deepEqual(await idsFor(cid, '{ photos(where: { secret: { startsWith: "s" } }) { id } }'), []);
  assert.deepEqual(await idsFor(cid, '{ photos(secret: "s1") { id } }'), []);
  assert.deepEqual(await idsFor(ann, '{ photos(secret: "s1") { id } }'), ['1']);
  assert.deepEqual(await idsFor(ann, '{ photos(where: { salary: { gt: 0 } }) { id } }'), []);
  // Sorting by hidden values is sorting by key.
  assert.deepEqual(await idsFor(ann, '{ photos(orderBy: [{ salary: DESC }]) { id } }'), ['4', '2', '1']);
  assert.deepEqual(await idsFor(admin, '{ photos(orderBy: [{ salary: DESC }]) { id } }'), ['4', '3', '2', '1']);
});

test('the key of a hidden object cannot be found by comparing with it', async () => {
  assert.deepEqual(await idsFor(ann, '{ photos(owner: "ghost") { id } }'), []);
  assert.deepEqual(await idsFor(ann, '{ photos(where: { owner: { login: { eq: "ghost" } } }) { id } }'), []);
  assert.deepEqual(await idsFor(admin, '{ photos(owner: "ghost") { id } }'), ['4']);
});

test('a look-up by key uses the index under a rule, and has no predicate for an administrator', async () => {
  t.taken();
  await t.ask('{ photo(id: 1) { name } }', { principal: ann });
  await t.ask('{ photo(id: 1) { name } }', { principal: admin });
  const [restricted, open] = t.taken();
  assert.match(restricted ?? '', /"published"/);
  assert.doesNotMatch(open ?? '', /"published"|EXISTS/);
  const plan = await t.graph.store.prepare(`EXPLAIN QUERY PLAN ${restricted ?? ''}`).rows([1, 'ann', 'ann']);
  const details = plan.map((row) => String(row[3]));
  assert.ok(
    details.some((detail) => detail.includes('SEARCH t0 USING INTEGER PRIMARY KEY')),
    details.join('\n'),
  );
  assert.ok(!details.some((detail) => /^SCAN t0\b/.test(detail)), details.join('\n'));
});

test('callers never share a plan across different views', async () => {
  const query = '{ photos { id name } }';
  for (const [principal, expected] of [
    [admin, 4],
    [ann, 3],
    [undefined, 2],
    [admin, 4],
    [cid, 3],
  ] as const) {
    const answer = await t.ask(query, principal === undefined ? {} : { principal });
    assert.equal((answer.data!['photos'] as unknown[]).length, expected);
  }
});

test('invalid rules, and rules without an exact SQL form, are reported with the other mistakes', () => {
  const sdl = `type P @entity @auth(read: "name.toLowerCase() == 'x'", update: "nmae == 1") {
  id: ID! name: String n: Int @auth(read: "n / n == 1") }
  type Query { p(id: ID!): P }`;
  assert.throws(
    () => readSchema([{ file: 'schema.graphql', text: sdl }]),
    (error: { readonly message: string }) => {
      assert.match(error.message, /3 mistakes/);
      assert.match(error.message, /schema\.graphql:1:1: @auth\(read:\) of P: .*toLowerCase/);
      assert.match(error.message, /schema\.graphql:1:1: @auth\(update:\) of P: .*nmae.*Did you mean "name"/);
      assert.match(error.message, /schema\.graphql:2:24: @auth\(read:\) of P\.n: .*n \/ n/);
      return true;
    },
  );
});

const RULED = (rule: string): string => `
  scalar Decimal
  type Doc @entity @auth(read: ${JSON.stringify(rule)}) { id: ID! title: String size: Int price: Decimal cost: Decimal open: Boolean tags: [String!] owner: Person readers: [Person!]! @relation(inverse: "reads") }
  type Person @entity { login: ID! @id tenant: String docs: [Doc!]! @relation(inverse: "owner") reads: [Doc!]! }
  type Query { docs: [Doc!]! }`;

const atom = fc.constantFrom(
  'open',
  "title == 'a'",
  "title != 'a'",
  'title == null',
  'title != null',
  'size > 1',
  'size <= 2',
  'size == size',
  'price < 1.5',
  '9.5 >= price',
  "price == '1.50'",
  'price != 10',
  'price in {10, 1.5}',
  'price in principal.prices',
  'price <= cost',
  'price == cost',
  'price < principal.level',
  'price != principal.end',
  'owner.docs.any(d, d.price > 9.5)',
  'owner == null',
  'owner != null',
  'owner.login == authentication.name',
  'owner.tenant == principal.tenant',
  "owner.tenant != 'x'",
  "title in {'a', 'b'}",
  "title in {'a', null}",
  "'t' in tags",
  "tags.contains('u')",
  'readers.any(r, r.login == authentication.name)',
  'readers.all(r, r.tenant == principal.tenant)',
  'readers.none(r, r.tenant == null)',
  'readers.isEmpty()',
  'readers.size() > 1',
  "hasRole('ADMIN')",
  "hasAuthority('read')",
  'isAuthenticated()',
  "title.startsWith('a')",
  "authentication.name.startsWith('a')",
  'principal.tenant == null',
  'title == owner.tenant',
  'size + 1 > 2',
  "id == '2'",
  "id in {'1', '3'}",
  'readers.any(r, r.login == owner.login)',
  "owner.docs.any(d, d.title == 'x')",
  'owner.docs.all(d, d.size > 0)',
  'owner.reads.none(d, d.open)',
  'owner.reads.isEmpty()',
  'owner.docs.size() > 1',
);
const { rule } = fc.letrec<{ rule: string }>((tie) => ({
  rule: fc.oneof(
    { depthSize: 'small' },
    atom,
    fc.tuple(tie('rule'), tie('rule')).map(([a, b]) => `(${a} and ${b})`),
    fc.tuple(tie('rule'), tie('rule')).map(([a, b]) => `(${a} or ${b})`),
    tie('rule').map((a) => `!(${a})`),
    fc.tuple(tie('rule'), tie('rule'), tie('rule')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
  ),
}));

test('compiled rules agree with the evaluator on every row', async () => {
  const people = [
    ['ann', 'x'],
    ['bob', null],
    ['cid', 'y'],
  ] as const;
  const docs = [
    {
      id: '1',
      title: 'a',
      size: 1,
      price: '1.5',
      cost: '1.5',
      open: true,
      tags: ['t'],
      owner: 'ann',
      readers: ['bob', 'cid'],
    },
    { id: '2', title: null, size: null, price: null, cost: '1', open: null, tags: null, owner: null, readers: [] },
    { id: '3', title: 'b', size: 2, price: '10', cost: '9.5', open: false, tags: [], owner: 'bob', readers: ['ann'] },
    {
      id: '4',
      title: 'x',
      size: 3,
      price: '1.49999999999999999999',
      cost: null,
      open: false,
      tags: ['u', 't'],
      owner: 'ann',
      readers: ['cid'],
    },
  ];
  const rows = [
    ...people.map(
      ([login, tenant]) => `INSERT INTO people VALUES ('${login}', ${tenant === null ? 'NULL' : `'${tenant}'`})`,
    ),
    ...docs.map(
      (doc) =>
        `INSERT INTO docs (id, title, size, price, cost, open, tags, owner) VALUES (${doc.id}, ${text(doc.title)}, ${doc.size ?? 'NULL'}, ${sortable(doc.price)}, ${sortable(doc.cost)}, ${doc.open === null ? 'NULL' : Number(doc.open)}, ${doc.tags === null ? 'NULL' : text(JSON.stringify(doc.tags))}, ${text(doc.owner)})`,
    ),
    ...docs.flatMap((doc) =>
      doc.readers.map((login) => `INSERT INTO docs_readers (doc, person) VALUES (${doc.id}, '${login}')`),
    ),
  ]
    .join(';')
    .replaceAll('people', 'persons');
  const person = (login: string | null) =>
    login === null
      ? null
      : {
          login,
          tenant: people.find(([name]) => name === login)![1],
          docs: docs.filter((doc) => doc.owner === login),
          reads: docs.filter((doc) => (doc.readers as readonly string[]).includes(login)),
        };
  const plain = docs.map((doc) => ({ ...doc, owner: person(doc.owner), readers: doc.readers.map(person) }));
  const callers = [
    undefined,
    createPrincipal('ann', ['read'], { tenant: 'x', level: '1.50', prices: [10, null, 'x', '1.50'] }),
    createPrincipal('cid', ['ROLE_ADMIN'], { level: 5, prices: ['abc', true, 1.5] }),
    // Values of other kinds than the rules are about.
    createPrincipal('ann', [], { tenant: ['x'], level: 'two', friends: 'ann', end: 7 }),
    createPrincipal('bob', [], { tenant: 7, level: [1], friends: { ann: 1 }, end: true }),
  ];
  await fc.assert(
    fc.asyncProperty(rule, async (expression) => {
      const model = readSchema([{ file: 's', text: RULED(expression) }]);
      const access = compileExpression(expression, { row: rowShapeOf(model.entities.get('Doc')!, model) });
      const open = await openGraph(RULED(expression), rows);
      try {
        for (const principal of callers) {
          const answer = await open.ask('{ docs { id } }', principal === undefined ? {} : { principal });
          const { ANONYMOUS } = await import('@lockstitch/kernel');
          const expected = plain
            .filter((row) => access.decide({ principal: principal ?? ANONYMOUS, row }).granted)
            .map(({ id }) => ({ id }));
          assert.deepEqual(answer, { data: { docs: expected } }, expression);
        }
      } finally {
        await open.close();
      }
    }),
    { numRuns: 150 },
  );
});

function sortable(value: string | null): string {
  return text(value === null ? null : toSortable(value));
}

function text(value: string | null): string {
  return value === null ? 'NULL' : `'${value}'`;
}

test('lists with and without null do not share a plan', async () => {
  const own = await openGraph(
    'type Row @entity @auth(read: "!(name in principal.friends)") { id: ID! name: String } type Query { rows: [Row!]! }',
    "INSERT INTO rows (id, name) VALUES (1, 'ann')",
  );
  const ids = async (friends: unknown): Promise<unknown> =>
    (await own.ask('{ rows { id } }', { principal: createPrincipal('u', [], { friends }) })).data!['rows'];
  assert.deepEqual(await ids([]), [{ id: '1' }]);
  assert.deepEqual(await ids([null]), []);
  assert.deepEqual(await ids(['bob']), [{ id: '1' }]);
  // What is no list at all grants nothing, under "not" neither.
  for (const friends of ['bob', 'x', 7, true, { ann: 1 }, null, undefined]) assert.deepEqual(await ids(friends), []);
  await own.close();
});

test('endsWith is not true for null', async () => {
  const own = await openGraph(
    'type Row @entity @auth(read: "name.endsWith(principal.end)") { id: ID! name: String } type Query { rows: [Row!]! }',
    "INSERT INTO rows (id, name) VALUES (1, NULL), (2, 'ann'), (3, 'n')",
  );
  const ids = async (end: string): Promise<unknown> =>
    (await own.ask('{ rows { id } }', { principal: createPrincipal('u', [], { end }) })).data!['rows'];
  assert.deepEqual(await ids(''), [{ id: '2' }, { id: '3' }]);
  assert.deepEqual(await ids('nn'), [{ id: '2' }]);
  await own.close();
});

test('a non-numeric text differs from every numeric key, also under not and in conditionals', async () => {
  const rules = [
    '!(id == authentication.name)',
    "id == authentication.name ? text == 'x' : text != null",
    'id != authentication.name',
  ];
  for (const rule of rules) {
    const t = await openGraph(
      `type Note @entity @auth(read: "${rule}") { id: ID! text: String } type Query { notes: [Note!]! }`,
      "INSERT INTO notes (id, text) VALUES (1, 'a'), (2, 'b')",
    );
    const ids = async (name: string): Promise<unknown> =>
      (await t.ask('{ notes { id } }', { principal: createPrincipal(name) })).data!['notes'];
    assert.deepEqual(await ids('ann'), [{ id: '1' }, { id: '2' }], rule);
    assert.deepEqual(await ids('2'), [{ id: '1' }], rule);
    assert.deepEqual(await ids('7'), [{ id: '1' }, { id: '2' }], rule);
    await t.close();
  }
});
