// A plain create or update takes a short way through the writer; whichever way a mutation takes, the answer, the tables and
// the feed are the same.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import fc from 'fast-check';
import { createGraph, openSqliteStore, readSchema, type Graph } from '../../src/index.ts';

const SDL = /* GraphQL */ `
  scalar DateTime
  scalar JSON
  enum Kind {
    BIG
    SMALL
  }
  type Item @entity @auth(create: "name != 'forbidden'", update: "locked != true or hasRole('ADMIN')") {
    id: ID!
    name: String!
    code: String @unique
    kind: Kind @default(value: "SMALL")
    size: Int
    weight: Float
    at: DateTime
    extra: JSON
    tags: [String!]
    locked: Boolean @auth(update: "hasRole('ADMIN')")
    changed: DateTime @default(value: "updatedAt")
    made: DateTime @default(value: "now")
    version: Int! @default(value: "version")
    box: Box
    shelf: Shelf
    friends: [Item!]!
  }
  type Box @entity {
    label: ID! @id
    note: String
    items: [Item!]!
  }
  type Shelf @entity @auth(read: "hidden != true", update: "items.any(i, i.name == 'key')") {
    name: ID! @id
    hidden: Boolean
    items: [Item!]!
  }
  type Query {
    items: [Item!]!
  }
  input ItemInput {
    name: String!
    code: String
    kind: Kind
    size: Int
    weight: Float
    at: DateTime
    extra: JSON
    tags: [String!]
    locked: Boolean
    box: ID
    shelf: ID
    friends: [ID!]
  }
  input ItemChange {
    id: ID!
    name: String
    code: String
    size: Int
    box: ID
  }
  type Mutation {
    createItem(input: ItemInput!): Item!
    addItem(id: ID, name: String!, weight: Float): Item
    updateItem(
      id: ID!
      version: Int
      name: String
      kind: Kind
      weight: Float
      at: DateTime
      extra: JSON
      tags: [String!]
      locked: Boolean
      box: ID
      shelf: ID
      friends: [ID!]
    ): Item
    changeItem(input: ItemChange!): Item!
    createBox(label: ID!, note: String): Box!
    updateBox(label: ID!, note: String): Box!
    createShelf(name: ID!, hidden: Boolean): Shelf
    updateShelf(name: ID!, hidden: Boolean): Shelf
  }
`;
const ITEM = '{ id name code kind size weight at extra tags locked changed version box { label note } shelf { name } }';
const OPERATIONS = {
  createItem: `mutation ($input: ItemInput!) { createItem(input: $input) ${ITEM} }`,
  addItem:
    'mutation ($id: ID, $name: String!, $weight: Float) { addItem(id: $id, name: $name, weight: $weight) { id name weight } }',
  updateItem: `mutation ($id: ID!, $version: Int, $name: String, $kind: Kind, $weight: Float, $at: DateTime, $extra: JSON, $tags: [String!], $locked: Boolean, $box: ID, $shelf: ID, $friends: [ID!]) {
    again: updateItem(id: $id, version: $version, name: $name, kind: $kind, weight: $weight, at: $at, extra: $extra, tags: $tags, locked: $locked, box: $box, shelf: $shelf, friends: $friends) ${ITEM} }`,
  changeItem: `mutation ($input: ItemChange!) { changeItem(input: $input) { ...on Item ${ITEM} } }`,
  createBox:
    'mutation ($label: ID!, $note: String) { createBox(label: $label, note: $note) { label note items { id } } }',
  updateBox: 'mutation ($label: ID!, $note: String) { updateBox(label: $label, note: $note) { label note } }',
  createShelf: 'mutation ($name: ID!, $hidden: Boolean) { createShelf(name: $name, hidden: $hidden) { name } }',
  updateShelf: 'mutation ($name: ID!, $hidden: Boolean) { updateShelf(name: $name, hidden: $hidden) { name hidden } }',
} as const;

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.oneof(
    { weight: 6, arbitrary: value },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 3, arbitrary: fc.constant(undefined) },
  );
const id = fc.oneof(fc.integer({ min: 1, max: 8 }).map(String), fc.constantFrom('07', '', 'x', '99'));
const label = fc.constantFrom('a', 'b', 'c', '', 'd'.repeat(2601));
const text = fc.oneof(
  fc.constantFrom('forbidden', 'key', 'plain', 'a\u0000b', '\ud800', '"'),
  fc.string({ maxLength: 4 }),
);
const time = fc.constantFrom('2026-11-21T08:00:00Z', '2026-11-21T08:00:00.123+02:00', '2020-02-29T00:00:00.5Z');
const fields = {
  name: maybe(text),
  kind: maybe(fc.constantFrom('BIG', 'SMALL')),
  weight: maybe(fc.oneof(fc.constantFrom(5, -0, 1e300), fc.double({ noNaN: true, noDefaultInfinity: true }))),
  at: maybe(time),
  extra: maybe(fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<unknown>),
  tags: maybe(fc.array(text, { maxLength: 2 })),
  locked: maybe(fc.boolean()),
  box: maybe(label),
  shelf: maybe(label),
  friends: fc.option(fc.array(id, { maxLength: 2 }), { nil: undefined, freq: 1 }),
};
const code = maybe(fc.constantFrom('1', '2', '3', '4'.repeat(2600), '5'.repeat(2601)));
const size = maybe(fc.integer({ min: -3, max: 3 }));
const call = fc.oneof(
  fc.record({
    name: fc.constant('createItem' as const),
    variables: fc.record({ input: fc.record({ ...fields, name: text, code, size }) }),
  }),
  fc.record({
    name: fc.constant('addItem' as const),
    variables: fc.record({ id: maybe(id), name: text, weight: fields.weight }),
  }),
  fc.record({
    name: fc.constant('updateItem' as const),
    variables: fc.record({ ...fields, id, version: maybe(fc.integer({ min: 1, max: 3 })) }),
  }),
  fc.record({
    name: fc.constant('changeItem' as const),
    variables: fc.record({ input: fc.record({ id, name: fields.name, code, size, box: maybe(label) }) }),
  }),
  fc.record({
    name: fc.constantFrom('createBox' as const, 'updateBox' as const),
    variables: fc.record({ label, note: maybe(text) }),
  }),
  fc.record({
    name: fc.constantFrom('createShelf' as const, 'updateShelf' as const),
    variables: fc.record({ name: label, hidden: maybe(fc.boolean()) }),
  }),
);
const PRINCIPALS = [createPrincipal('ann', []), createPrincipal('root', ['ROLE_ADMIN'])];

async function open(
  short: boolean,
): Promise<{ readonly graph: Graph; readonly dump: () => Promise<string>; readonly time: { now: number } }> {
  const model = readSchema([{ file: 'schema.graphql', text: SDL }]);
  const opened = await openSqliteStore({ file: ':memory:' });
  // Where nothing can be attempted there is only the general way.
  const store = short ? opened : { ...opened, attempt: undefined };
  const time = { now: 1_780_000_000_000 };
  const graph = await createGraph({ model, store, clock: { now: () => time.now } });
  const tables = ['items', 'boxes', 'shelfs', 'items_friends', 'lockstitch_feed'];
  const known = (await store.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").rows([])).map(
    ([name]) => name,
  );
  return {
    graph,
    time,
    async dump() {
      const rows = tables
        .filter((name) => known.includes(name))
        .map(async (name) => [name, await store.prepare(`SELECT * FROM "${name}" ORDER BY 1, 2`).rows([])]);
      return JSON.stringify(await Promise.all(rows));
    },
  };
}

test('the fast path and the general path have the same response and effect', async () => {
  const done = { plain: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ call, who: fc.nat({ max: 1 }) }), { minLength: 5, maxLength: 25 }),
      async (calls) => {
        const [one, other] = await Promise.all([open(true), open(false)]);
        for (const {
          call: { name, variables },
          who,
        } of calls) {
          const answers: string[] = [];
          for (const { graph, time: at } of [one, other]) {
            at.now += 1500;
            const { body, position } = await graph.execute(
              { query: OPERATIONS[name], variables },
              { principal: PRINCIPALS[who]! },
            );
            answers.push(`${position ?? 0} ${body}`);
          }
          assert.equal(answers[0], answers[1]);
          if (answers[0]!.includes('"errors"')) done.refused++;
          else done.plain++;
        }
        assert.equal(await one.dump(), await other.dump());
        await Promise.all([one.graph.store.close(), other.graph.store.close()]);
      },
    ),
    { numRuns: 40 },
  );
  assert.ok(done.plain > 40 && done.refused > 40, JSON.stringify(done));
});

test('writes of one commit succeed or fail individually', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'attempts-'));
  const model = readSchema([{ file: 'schema.graphql', text: SDL }]);
  const store = await openSqliteStore({ file: join(folder, 'data.db') });
  const graph = await createGraph({ model, store });
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 40 }), async (calls) => {
        const head = await graph.feed.head();
        const answers = await Promise.all(
          calls.map(async ({ name, variables }) => graph.execute({ query: OPERATIONS[name], variables })),
        );
        const positions = answers.map(({ position }) => position).filter((position) => position !== undefined);
        assert.equal(new Set(positions).size, positions.length);
        const entries = await graph.feed.read(head, 1000);
        // Relations kept as pairs change their other end as well: the answer tells the last.
        for (const position of positions) assert.ok(entries.some((entry) => entry.position === position));
        const created = answers
          .filter(({ body }) => body.startsWith('{"data":{"createItem":{"id"'))
          .map(({ body }) => /"id":"(\d+)"/.exec(body)![1]!);
        const known = new Set((await store.prepare('SELECT id FROM items').rows([])).map(([id]) => String(id)));
        for (const id of created) assert.ok(known.has(id), `item ${id} was answered and is not there`);
        const kept = entries
          .filter(({ type, operation }) => type === 'Item' && operation === 'created')
          .map(({ key }) => key);
        assert.deepEqual(
          kept.filter((key) => !known.has(key)),
          [],
        );
      }),
      { numRuns: 30 },
    );
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});

test('a response that fails does not affect other writes of the commit', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'attempts-'));
  const model = readSchema([
    {
      file: 'schema.graphql',
      text: /* GraphQL */ `
        type Note @entity {
          id: ID!
          text: String!
          secret: String! @auth(read: "hasRole('ADMIN')")
        }
        type Query {
          notes: [Note!]!
        }
        type Mutation {
          addNote(text: String!, secret: String!): Note
        }
      `,
    },
  ]);
  const store = await openSqliteStore({ file: join(folder, 'data.db') });
  const graph = await createGraph({ model, store });
  const add = async (text: string, fields: string) =>
    graph.execute({
      query: `mutation ($text: String!) { addNote(text: $text, secret: "x") { ${fields} } }`,
      variables: { text },
    });
  const texts = Array.from({ length: 20 }, (_, index) => `note ${index}`);
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(texts.map((text, index) => add(text, index % 7 === 5 ? 'text secret' : 'text')));
    for (const [index, { body }] of answers.entries()) {
      if (index % 7 === 5) assert.match(body, /^\{"data":\{"addNote":null\},"errors"/);
      else assert.equal(body, `{"data":{"addNote":{"text":"note ${index}"}}}`);
    }
  }
  const rows = await store.prepare('SELECT text, count(*) FROM notes GROUP BY text ORDER BY min(id)').rows([]);
  assert.deepEqual(rows.map(([text, count]) => [text, count]).toSorted(), texts.map((text) => [text, 3]).toSorted());
  assert.equal(await graph.feed.head(), (await graph.feed.read(0, 500)).at(-1)!.position);
  assert.equal((await graph.feed.read(0, 500)).length, 60);
  await store.close();
  await rm(folder, { recursive: true });
});
