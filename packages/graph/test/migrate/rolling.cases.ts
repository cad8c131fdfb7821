// Two versions of an application on one database, started by turns and writing side by side: which changes may be rolled out and
// back while the other version serves. The table in docs/guide/schema-changes.md says the same.
import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { Graph } from '../../src/execute/graph.ts';
import { applyMigration } from '../../src/migrate/apply-migration.ts';
import { schemaFingerprint } from '../../src/migrate/schema-fingerprint.ts';
import { planMigration } from '../../src/migrate/plan-migration.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import type { Store } from '../../src/store/store.ts';
import { testOnStores } from '../stores.ts';

interface Rollout {
  readonly title: string;
  readonly old: string;
  readonly now: string;
  /** What the old version writes, again and again, with the answer to the last. */
  readonly writesOld: string;
  readonly writesNow: string;
  readonly readsOld: string;
  readonly readsNow: string;
  /** Steps that the old version leaves alone when it starts again. */
  readonly left: readonly string[];
  /** What the new version leaves alone. */
  readonly leftNow?: readonly string[];
  /** Steps that wait until no server of the old version is left. */
  readonly waits?: readonly string[];
}

const ROOTS = `type Query { items: [Item!]! } type Mutation { addItem(name: String!): Item! setName(id: ID!, name: String!): Item! }`;
const OLD = `type Item @entity { id: ID! name: String! } ${ROOTS}`;
const ROLLOUTS: readonly Rollout[] = [
  {
    title: 'a nullable field is added',
    old: OLD,
    now: `type Item @entity { id: ID! name: String! note: String @search } ${ROOTS.replace('addItem(name: String!)', 'addItem(name: String!, note: String)')}`,
    writesOld: 'mutation { addItem(name: "o") { name } setName(id: 1, name: "p") { name } }',
    writesNow: 'mutation { addItem(name: "n", note: "x") { name } }',
    readsOld: '{ items { id name } }',
    readsNow: '{ items { id name note } }',
    left: ['drop items.note'],
  },
  {
    title: 'a required field with a literal default is added',
    old: OLD,
    now: `scalar DateTime type Item @entity { id: ID! name: String! level: Int! @default(value: "3") mood: String! @default(value: "it's") made: DateTime! @default(value: "now") rev: Int! @default(value: "version") } ${ROOTS.replace('addItem(name: String!)', 'addItem(name: String!, level: Int)')}`,
    writesOld: 'mutation { addItem(name: "o") { name } setName(id: 1, name: "p") { name } }',
    writesNow: 'mutation { addItem(name: "n", level: 9) { name } }',
    readsOld: '{ items { id name } }',
    readsNow: '{ items { id name level mood } }',
    left: ['drop items.level', 'drop items.mood', 'drop items.made', 'drop items.rev'],
  },
  {
    title: 'types, a relation and a many-to-many list are added',
    old: OLD,
    now: `type Item @entity { id: ID! name: String! box: Box tags: [Tag!]! } type Box @entity { id: ID! items: [Item!]! } type Tag @entity { name: ID! @id items: [Item!]! }
      input NewItem { name: String! box: NewBox tags: [NewTag!] } input NewBox { id: ID } input NewTag { name: ID! } type Query { items: [Item!]! }
      type Mutation { addItem(input: NewItem!): Item! addTag(name: ID!): Tag! deleteItem(id: ID!): Boolean! }`,
    writesOld: 'mutation { addItem(name: "o") { name } setName(id: 1, name: "p") { name } }',
    writesNow: 'mutation { addItem(input: { name: "n" }) { name } }',
    readsOld: '{ items { id name } }',
    readsNow: '{ items { id name box { id } tags { name } } }',
    left: ['drop items.box', 'drop boxes', 'drop tags', 'drop items_tags'],
  },
  {
    title: 'an index is added',
    old: OLD,
    now: `type Item @entity { id: ID! name: String! @index } ${ROOTS}`,
    writesOld: 'mutation { addItem(name: "o") { name } }',
    writesNow: 'mutation { addItem(name: "n") { name } }',
    readsOld: '{ items { id name } }',
    readsNow: '{ items { id name } }',
    left: ['unindex items_name_idx'],
  },
  {
    title: 'a nullable field is removed',
    old: `type Item @entity { id: ID! name: String! note: String } ${ROOTS.replace('addItem(name: String!)', 'addItem(name: String!, note: String)')}`,
    now: OLD,
    writesOld: 'mutation { addItem(name: "o", note: "x") { name } }',
    writesNow: 'mutation { addItem(name: "n") { name } setName(id: 1, name: "q") { name } }',
    readsOld: '{ items { id name note } }',
    readsNow: '{ items { id name } }',
    left: [],
    leftNow: ['drop items.note'],
  },
  {
    title: 'a nullable field of an embedded type is added',
    old: `type Item @entity { id: ID! name: String! look: Look } type Look { color: String } input NewLook { color: String } ${ROOTS.replace('addItem(name: String!)', 'addItem(name: String!, look: NewLook)')}`,
    now: `type Item @entity { id: ID! name: String! look: Look } type Look { color: String size: Int } input NewLook { color: String size: Int } ${ROOTS.replace('addItem(name: String!)', 'addItem(name: String!, look: NewLook)')}`,
    writesOld: 'mutation { addItem(name: "o", look: { color: "red" }) { name } }',
    writesNow: 'mutation { addItem(name: "n", look: { color: "blue", size: 7 }) { name } }',
    readsOld: '{ items { id name look { color } } }',
    readsNow: '{ items { id name look { color size } } }',
    left: ['drop items.look.size'],
  },
  {
    title: 'a value of an enum that nobody uses yet is added',
    old: `enum Color { RED } type Item @entity { id: ID! name: String! color: Color } ${ROOTS.replace('addItem(name: String!)', 'addItem(name: String!, color: Color)')}`,
    now: `enum Color { RED GREEN } type Item @entity { id: ID! name: String! color: Color } ${ROOTS.replace('addItem(name: String!)', 'addItem(name: String!, color: Color)')}`,
    writesOld: 'mutation { addItem(name: "o", color: RED) { name } }',
    writesNow: 'mutation { addItem(name: "n", color: RED) { name } }',
    readsOld: '{ items { id name color } }',
    readsNow: '{ items { id name color } }',
    left: [],
    waits: ['values items.color'],
  },
];

const modelOf = (text: string) => readSchema([{ file: 'test.graphql', text }], {});

async function start(store: Store, text: string, lines: string[] = []): Promise<Graph> {
  const log = { write: (level: string, message: string) => void lines.push(`${level}: ${message}`) };
  return createGraph({ model: modelOf(text), store, log });
}

async function ask(graph: Graph, query: string): Promise<unknown> {
  const { body } = await graph.execute({ query });
  const answer = JSON.parse(body) as { data: unknown; errors?: unknown };
  equal(answer.errors, undefined, JSON.stringify(answer.errors));
  return answer.data;
}

async function waitingSteps(text: string, store: Store): Promise<readonly string[]> {
  const { steps } = await planMigration(modelOf(text), store);
  return steps.filter(({ isRolling }) => isRolling !== true).map(({ name }) => name);
}

for (const rollout of ROLLOUTS) {
  testOnStores(`2.2 ${rollout.title}: old and new servers start by turns and write side by side`, async (store) => {
    const { old, now, writesOld, writesNow, readsOld, readsNow, left, leftNow = [], waits = [] } = rollout;
    let before = await start(store, old);
    await ask(before, writesOld);
    deepEqual(await waitingSteps(now, store), waits);
    let after = await start(store, now);
    for (let turn = 0; turn < 2; turn++) {
      await ask(before, writesOld);
      await ask(after, writesNow);
      const [seenOld, seenNow] = [await ask(before, readsOld), await ask(after, readsNow)];
      // The one that was there starts again: rolled back.
      const lines: string[] = [];
      before = await start(store, old, lines);
      deepEqual(
        (await planMigration(modelOf(old), store)).optional.map((step) => step.name).toSorted(),
        left.toSorted(),
      );
      equal(lines.length, left.length === 0 ? 0 : 1, lines.join('\n'));
      for (const name of left) ok(lines[0]!.startsWith('info: ') && lines[0]!.includes(name), lines.join('\n'));
      deepEqual([await ask(before, readsOld), await ask(after, readsNow)], [seenOld, seenNow]);
      await ask(before, writesOld);
      await ask(after, writesNow);
      const seen = await ask(after, readsNow);
      after = await start(store, now);
      deepEqual(await ask(after, readsNow), seen);
      const plan = await planMigration(modelOf(now), store);
      deepEqual([plan.steps, plan.optional.map((step) => step.name)], [[], leftNow]);
    }
    // Only when it is named is it lost.
    await applyMigration(modelOf(old), store, { allow: left });
    const plan = await planMigration(modelOf(old), store);
    deepEqual([plan.steps, plan.optional, plan.sql], [[], [], []]);
  });
}

testOnStores('2.2 a column that would block writes of the old version blocks its start', async (store) => {
  await start(store, OLD);
  const required = `type Item @entity { id: ID! name: String! note: String! } ${ROOTS}`.replace(
    'addItem(name: String!)',
    'addItem(name: String!, note: String!)',
  );
  await start(store, required);
  await rejects(start(store, OLD), (error: Error) => {
    match(error.message, /Drop column note of table items, which .* and which takes no row without a value/);
    return true;
  });
});

testOnStores('2.2 a stored enum value blocks the start of a version that lacks it', async (store) => {
  const types = (values: string): string =>
    `enum Color { ${values} } type Item @entity { id: ID! name: String! color: Color } ${ROOTS.replace('addItem(name: String!)', 'addItem(name: String!, color: Color)')}`;
  await start(store, types('RED'));
  const now = await start(store, types('RED GREEN'));
  await ask(now, 'mutation { addItem(name: "n", color: GREEN) { name } }');
  await rejects(start(store, types('RED')), /1 value in items\.color would not be allowed: "GREEN"/);
});

testOnStores('2.2 a rebuilt table keeps columns unknown to the schema', async (store) => {
  const types = (name: string, more: string): string =>
    `type Item @entity { id: ID! name: ${name} ${more} } type Box @entity { id: ID! items: [Item!]! } type Query { items: [Item!]! } type Mutation { addItem(name: String!): Item! }`;
  const full = 'note: String @index size: Int @unique box: Box level: Int! @default(value: "3")';
  await start(store, types('String!', ''));
  await start(store, types('String!', full));
  await store.transaction(async (session) => {
    await session.prepare('INSERT INTO boxes (id) VALUES (5)').run([]);
    await session
      .prepare("INSERT INTO items (name, note, size, box, level) VALUES ('a', 'x', 1, 5, 8), ('b', NULL, 2, NULL, 9)")
      .run([]);
  });
  const without = types('String', '').replace('items: [Item!]! }', 'name: String }');
  const graph = await start(store, without);
  await ask(graph, 'mutation { addItem(name: "c") { name } }');
  const rows = await store.prepare('SELECT name, note, size, box, level FROM items ORDER BY id').rows([]);
  deepEqual(rows, [
    ['a', 'x', 1, 5, 8],
    ['b', null, 2, null, 9],
    ['c', null, null, null, 3],
  ]);
  const insert = (column: string, value: number) =>
    store.transaction((session) =>
      session.prepare(`INSERT INTO items (name, ${column}) VALUES ('d', ${value})`).run([]),
    );
  await rejects(insert('size', 1), { kind: 'unique' });
  await rejects(insert('box', 77), { kind: 'foreignKey' });
  const back = types('String', full);
  const plan = await planMigration(modelOf(back), store);
  deepEqual(
    plan.steps.map((step) => step.name),
    [],
  );
});

const ITEM = (fields: string, on = ''): string =>
  `type Item @entity ${on} { id: ID! ${fields} } type Query { items: [Item!]! }`;
const BREAKING: readonly { readonly title: string; readonly now: string; readonly waits: readonly string[] }[] = [
  { title: 'a field is renamed', now: ITEM('title: String! @renamedFrom(name: "name")'), waits: ['rename items.name'] },
  {
    title: 'a type is renamed',
    now: 'type Thing @entity @renamedFrom(name: "Item") { id: ID! name: String! } type Query { things: [Thing!]! }',
    waits: ['rename items'],
  },
  { title: 'a field gets another type', now: ITEM('name: ID!'), waits: ['values items.name'] },
  { title: 'a field becomes unique', now: ITEM('name: String! @unique'), waits: ['index items_name_key'] },
  { title: 'a field becomes nullable', now: ITEM('name: String'), waits: ['loosen items.name'] },
  {
    title: 'a required field without a default is added',
    now: ITEM('name: String! level: Int!'),
    waits: ['add items.level'],
  },
  {
    title: 'soft deletion is added',
    now: `scalar DateTime ${ITEM('name: String! gone: DateTime', '(softDelete: "gone")')}`,
    waits: ['softDelete items'],
  },
];

for (const { title, now, waits } of BREAKING) {
  testOnStores(`when ${title}, its steps wait for old servers`, async (store) => {
    await start(store, ITEM('name: String!'));
    deepEqual(await waitingSteps(now, store), waits);
  });
}

/** What a plan does, with what it loses. */
async function planned(text: string, store: Store): Promise<readonly string[]> {
  const { steps } = await planMigration(modelOf(text), store);
  return steps.map((step) => `${step.text}${step.loses === undefined ? '' : `: loses ${step.loses}`}`);
}

testOnStores('soft deletion that is added to, moved on and taken from a table in use is a step', async (store) => {
  const item = (on: string, fields: string): string =>
    `scalar DateTime type Item @entity${on} { id: ID! name: String! @unique ${fields} } type Query { items: [Item!]! }`;
  const columns = 'gone: DateTime off: Boolean';
  const plain = item('', columns);
  await start(store, plain);
  await store
    .prepare(
      "INSERT INTO items (name, gone, off) VALUES ('a', '2024-01-01T00:00:00.000Z', true), ('b', NULL, true), ('c', NULL, NULL)",
    )
    .run([]);
  const byTime = item('(softDelete: "gone")', columns);
  const [hide] = await planned(byTime, store);
  equal(hide, 'Hide rows of table items where gone has a value, and let deletions set it instead of removing rows');
  deepEqual(await ask(await start(store, byTime), '{ items { name } }'), { items: [{ name: 'b' }, { name: 'c' }] });
  deepEqual(await planned(byTime, store), []);
  const byFlag = item('(softDelete: "off")', columns);
  const [move] = await planned(byFlag, store);
  equal(move, 'Hide rows of table items where off is true, no longer where gone has a value');
  const renamed = item('(softDelete: "until")', 'until: DateTime @renamedFrom(name: "gone") off: Boolean');
  deepEqual(await planned(renamed, store), ['Rename column gone of table items to until']);
  await start(store, renamed);
  deepEqual(await planned(renamed, store), []);
  const thing = renamed
    .replace('type Item @entity', 'type Thing @renamedFrom(name: "Item") @entity')
    .replace('[Item', '[Thing');
  await start(store, thing);
  deepEqual(await planned(thing, store), []);
  // What was deleted would exist again.
  const shown = thing.replace('(softDelete: "until")', '');
  const [show] = await planned(shown, store);
  match(
    show!,
    /^No longer hide rows of table things where until has a value, and let .*: loses the deletion of 1 row, whose/,
  );
  await rejects(start(store, shown), /whose objects would exist again/);
  await applyMigration(modelOf(shown), store, { allow: ['softDelete things'] });
  equal(((await ask(await start(store, shown), '{ items { name } }')) as { items: unknown[] }).items.length, 3);
  const [again] = await planned(thing, store);
  equal(again, 'Hide rows of table things where until has a value, and let deletions set it instead of removing rows');
  notEqual(schemaFingerprint(modelOf(shown)), schemaFingerprint(modelOf(thing)));
});

const OTHER = 'type Other @entity { id: ID! } type Query { others: [Other!]! }';

testOnStores('soft deletion of a table of others is a step, unless the type is new', async (store) => {
  await store.prepare('CREATE TABLE items (id INTEGER PRIMARY KEY, gone BOOLEAN)').run([]);
  await store.prepare('INSERT INTO items VALUES (1, TRUE), (2, NULL)').run([]);
  const item = (on: string): string =>
    `type Item @entity${on} @unmanaged { id: ID! gone: Boolean } type Query { items: [Item!]! }`;
  await start(store, OTHER);
  deepEqual(await planned(item('(softDelete: "gone")'), store), []);
  await start(store, item(''));
  deepEqual(await planned(item('(softDelete: "gone")'), store), [
    'Hide rows of table items where gone is true, and let deletions set it instead of removing rows',
  ]);
  deepEqual(await waitingSteps(item('(softDelete: "gone")'), store), ['softDelete items']);
  await start(store, item('(softDelete: "gone")'));
  match((await planned(item(''), store)).join(), /loses the deletion of 1 row/);
  // A table of others is never dropped.
  deepEqual((await planMigration(modelOf(OTHER), store)).optional, []);
});
