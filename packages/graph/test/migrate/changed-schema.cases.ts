// Every kind of schema change over rows, on both databases: applied, rejected until named, or rejected until the data
// changes; the output of plan; and that kept data is unchanged.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { applyMigration } from '../../src/migrate/apply-migration.ts';
import { planMigration } from '../../src/migrate/plan-migration.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import type { Store } from '../../src/store/store.ts';
import { testOnStores } from '../stores.ts';

interface Change {
  readonly title: string;
  /** The types before; Query is added. */
  readonly before: string;
  /** Statements that write rows, as both databases understand them. */
  readonly rows: readonly string[];
  readonly after: string;
  /** Names of the steps; "!" before one that no permission helps, "?" before one that must be allowed, "~" before one that may be left. */
  readonly steps: readonly string[];
  /** Words that the plan must say. */
  readonly says?: readonly string[];
  /** A query and its response once all permitted steps are applied. */
  readonly answers?: readonly [string, readonly (readonly unknown[])[]];
}

const ITEM = (fields: string): string => `type Item @entity { id: ID! ${fields} }`;
const json = (value: unknown): string => `'${JSON.stringify(value)}'`;

const CHANGES: readonly Change[] = [
  {
    title: 'a value that rows hold leaves an enum',
    before: `enum Color { RED GREEN BLUE } ${ITEM('color: Color')}`,
    rows: ["INSERT INTO items (color) VALUES ('RED'), ('RED'), ('BLUE'), (NULL)"],
    after: `enum Color { GREEN BLUE } ${ITEM('color: Color')}`,
    steps: ['!values items.color'],
    says: ['hold Color without RED', '2 values in items.color would not be allowed: "RED"; change them first'],
  },
  {
    title: 'a value that no row holds leaves an enum, and another comes',
    before: `enum Color { RED GREEN BLUE } ${ITEM('color: Color!')}`,
    rows: ["INSERT INTO items (color) VALUES ('BLUE')"],
    after: `enum Color { BLUE GREY GREEN } ${ITEM('color: Color!')}`,
    steps: ['values items.color'],
    says: ['hold Color without RED and with GREY'],
    answers: ['SELECT color FROM items', [['BLUE']]],
  },
  {
    title: 'values of an enum change their order',
    before: `enum Color { RED GREEN } ${ITEM('color: Color!')}`,
    rows: ["INSERT INTO items (color) VALUES ('RED')"],
    after: `enum Color { GREEN RED } ${ITEM('color: Color!')}`,
    steps: [],
  },
  {
    title: 'a value leaves an enum of which there are lists',
    before: `enum Color { RED GREEN } ${ITEM('colors: [Color!]!')}`,
    rows: [`INSERT INTO items (colors) VALUES (${json(['RED', 'GREEN', 'RED'])}), ('[]')`],
    after: `enum Color { GREEN } ${ITEM('colors: [Color!]!')}`,
    steps: ['!values items.colors'],
    says: ['2 values in items.colors would not be allowed: "RED"'],
  },
  {
    title: 'a value leaves an enum inside an embedded object',
    before: `enum Color { RED GREEN } type Look { color: Color size: Int } ${ITEM('look: Look')}`,
    rows: [`INSERT INTO items (look) VALUES (${json({ color: 'RED', size: 1 })})`],
    after: `enum Color { GREEN } type Look { color: Color size: Int } ${ITEM('look: Look')}`,
    steps: ['!values items.look'],
    says: ['1 value in items.look.color would not be allowed: "RED"'],
  },
  {
    title: 'a field leaves an embedded object, and another comes',
    before: `type Look { color: String size: Int } ${ITEM('look: Look! looks: [Look!]')}`,
    rows: [
      `INSERT INTO items (look, looks) VALUES (${json({ color: 'red', size: 1 })}, ${json([{ color: 'blue' }, { size: 2 }])}), (${json({ color: null })}, NULL)`,
    ],
    after: `type Look { size: Int name: String } ${ITEM('look: Look! looks: [Look!]')}`,
    steps: ['~drop items.look.color', '~drop items.looks.color'],
    says: ['1 value in items.look.color', '1 value in items.looks.color'],
    answers: [
      "SELECT CAST(look AS TEXT) LIKE '%red%', CAST(looks AS TEXT) LIKE '%blue%', CAST(looks AS TEXT) LIKE '%size%' FROM items WHERE looks IS NOT NULL",
      [[false, false, true]],
    ],
  },
  {
    title: 'a field leaves an object inside lists inside an object',
    before: `type Part { a: Int b: String } type Whole { parts: [[Part]] name: String } ${ITEM('whole: Whole')}`,
    rows: [`INSERT INTO items (whole) VALUES (${json({ name: 'n', parts: [[{ a: 1, b: 'x' }, null], null] })})`],
    after: `type Part { a: Int } type Whole { parts: [[Part]] name: String } ${ITEM('whole: Whole')}`,
    steps: ['~drop items.whole.parts.b'],
    answers: [
      "SELECT replace(CAST(whole AS TEXT), ' ', '') FROM items",
      [['{"name":"n","parts":[[{"a":1},null],null]}']],
    ],
  },
  {
    title: 'an embedded field becomes required, and some lack it',
    before: `type Look { color: String } ${ITEM('look: Look')}`,
    rows: [`INSERT INTO items (look) VALUES (${json({ color: 'red' })}), ('{}')`],
    after: `type Look { color: String! } ${ITEM('look: Look')}`,
    steps: ['!values items.look'],
    says: ['1 value in items.look.color would not be allowed: null'],
  },
  {
    title: 'an embedded number becomes a text',
    before: `type Look { size: Int ratio: Int } ${ITEM('look: Look')}`,
    rows: [`INSERT INTO items (look) VALUES (${json({ size: 1, ratio: 2 })})`],
    after: `type Look { size: String ratio: Float } ${ITEM('look: Look')}`,
    steps: ['!values items.look'],
    says: ['Look with size: String instead of Int, ratio: Float instead of Int', '1 value in items.look.size'],
  },
  {
    title: 'the elements of a list become numbers',
    before: ITEM('tags: [String!]'),
    rows: [`INSERT INTO items (tags) VALUES (${json(['1'])}), (NULL)`],
    after: ITEM('tags: [Int!]'),
    steps: ['!values items.tags'],
    says: ['[Int!] instead of [String!]'],
  },
  {
    title: 'elements of a list must have a value, and all have',
    before: ITEM('tags: [String]'),
    rows: [`INSERT INTO items (tags) VALUES (${json(['1'])})`],
    after: ITEM('tags: [String!]'),
    steps: ['values items.tags'],
  },
  {
    title: 'a text becomes a list',
    before: ITEM('tag: String'),
    rows: [`INSERT INTO items (tag) VALUES ('a'), ('["b"]')`],
    after: ITEM('tag: [String!]'),
    steps: ['?retype items.tag'],
    says: ['2 values in items.tag'],
    answers: ['SELECT tag FROM items', [[null], [null]]],
  },
  {
    title: 'a list becomes a text',
    before: ITEM('tag: [String!]!'),
    rows: [`INSERT INTO items (tag) VALUES ('["a"]')`],
    after: ITEM('tag: String!'),
    steps: ['!retype items.tag'],
  },
  {
    title: 'a text becomes a date, and one of them is none',
    before: `scalar Date ${ITEM('day: String')}`,
    rows: ["INSERT INTO items (day) VALUES ('2020-02-29'), ('soon')"],
    after: `scalar Date ${ITEM('day: Date')}`,
    steps: ['!values items.day'],
    says: ['Date instead of String', '1 value in items.day would not be allowed: "soon"'],
  },
  {
    title: 'a text becomes an enum that has its value',
    before: ITEM('color: String!'),
    rows: ["INSERT INTO items (color) VALUES ('RED')"],
    after: `enum Color { RED } ${ITEM('color: Color!')}`,
    steps: ['values items.color'],
  },
  {
    title: 'an enum becomes a text',
    before: `enum Color { RED } ${ITEM('color: Color!')}`,
    rows: ["INSERT INTO items (color) VALUES ('RED')"],
    after: ITEM('color: String!'),
    steps: ['values items.color'],
  },
  {
    title: 'a large number becomes an Int',
    before: `scalar BigInt ${ITEM('n: BigInt m: String')}`,
    rows: ["INSERT INTO items (n, m) VALUES (3000000000, '3000000000'), (5, '5')"],
    after: `scalar BigInt ${ITEM('n: Int m: Int')}`,
    steps: ['!values items.n', 'retype items.m', '!values items.m'],
    says: ['1 value in items.n would not be allowed: 3000000000', '1 value in items.m would not be allowed'],
  },
  {
    title: 'a number becomes a text, and a whole number a decimal',
    before: ITEM('n: Int! m: Int'),
    rows: ['INSERT INTO items (n, m) VALUES (5, 6)'],
    after: ITEM('n: String! m: Float'),
    steps: ['retype items.n', 'retype items.m'],
    answers: ['SELECT n, m FROM items', [['5', 6]]],
  },
  {
    title: 'a field must have a value, and a row has none',
    before: ITEM('n: Int'),
    rows: ['INSERT INTO items (n) VALUES (NULL)'],
    after: ITEM('n: Int!'),
    steps: ['!require items.n'],
  },
  {
    title: 'a field becomes unique, and two rows are alike',
    before: ITEM('name: String'),
    rows: ["INSERT INTO items (name) VALUES ('a'), ('a')"],
    after: ITEM('name: String @unique'),
    steps: ['!index items_name_key'],
  },
  {
    title: 'a field becomes unique, and a text is too long for it',
    before: ITEM('name: String'),
    rows: [`INSERT INTO items (name) VALUES ('${'ab'.repeat(1400)}')`],
    after: ITEM('name: String @unique'),
    steps: ['!index items_name_key'],
    says: ['1 row has a text of more than 2600 bytes'],
  },
  {
    title: 'an index goes',
    before: ITEM('name: String @index'),
    rows: ["INSERT INTO items (name) VALUES ('a')"],
    after: ITEM('name: String'),
    steps: ['~unindex items_name_idx'],
  },
  {
    title: 'a default changes',
    before: ITEM('n: Int! @default(value: "1")'),
    rows: ['INSERT INTO items (n) VALUES (1)'],
    after: ITEM('n: Int! @default(value: "2")'),
    steps: [],
  },
  {
    title: 'many to many becomes one to many',
    before: 'type Item @entity { id: ID! tags: [Tag!]! } type Tag @entity { id: ID! items: [Item!]! }',
    rows: [
      'INSERT INTO items (id) VALUES (1), (2)',
      'INSERT INTO tags (id) VALUES (1)',
      'INSERT INTO items_tags (item, tag) VALUES (1, 1), (2, 1)',
    ],
    after: 'type Item @entity { id: ID! tags: [Tag!]! } type Tag @entity { id: ID! items: Item }',
    steps: ['add tags.items', 'index tags_items_idx', '~drop items_tags'],
    says: ['Drop table items_tags with the links of Item.tags', '2 links in items_tags'],
    answers: ['SELECT count(*) FROM tags', [[1]]],
  },
  {
    title: 'a many-to-many relation is renamed',
    before: 'type Item @entity { id: ID! tags: [Tag!]! } type Tag @entity { id: ID! }',
    rows: [
      'INSERT INTO items (id) VALUES (1)',
      'INSERT INTO tags (id) VALUES (1)',
      'INSERT INTO items_tags (item, tag) VALUES (1, 1)',
    ],
    after: 'type Item @entity { id: ID! labels: [Tag!]! } type Tag @entity { id: ID! }',
    steps: ['create items_labels', '~drop items_tags'],
    says: ['1 link in items_tags'],
  },
  {
    title: 'a many-to-many relation leads to another type',
    before: 'type Item @entity { id: ID! tags: [Tag!]! } type Tag @entity { id: ID! } type Mark @entity { id: ID! }',
    rows: [
      'INSERT INTO items (id) VALUES (1)',
      'INSERT INTO tags (id) VALUES (1)',
      'INSERT INTO items_tags (item, tag) VALUES (1, 1)',
    ],
    after: 'type Item @entity { id: ID! tags: [Mark!]! } type Tag @entity { id: ID! } type Mark @entity { id: ID! }',
    steps: ['!rekey items_tags'],
    says: ['1 link of the old relation'],
  },
  {
    title: 'a many-to-many relation without links leads to another type',
    before: 'type Item @entity { id: ID! tags: [Tag!]! } type Tag @entity { id: ID! } type Mark @entity { id: ID! }',
    rows: [],
    after: 'type Item @entity { id: ID! tags: [Mark!]! } type Tag @entity { id: ID! } type Mark @entity { id: ID! }',
    steps: ['rekey items_tags'],
    answers: ['SELECT item, mark FROM items_tags', []],
  },
  {
    title: 'a relation leads to another type',
    before: 'type Item @entity { id: ID! owner: Cat } type Cat @entity { id: ID! } type Dog @entity { id: ID! }',
    rows: [
      'INSERT INTO cats (id) VALUES (1)',
      'INSERT INTO dogs (id) VALUES (1)',
      'INSERT INTO items (owner) VALUES (1), (NULL)',
    ],
    after: 'type Item @entity { id: ID! owner: Dog } type Cat @entity { id: ID! } type Dog @entity { id: ID! }',
    steps: ['?refer items.owner'],
    says: ['1 value that is keys of cats'],
    answers: ['SELECT owner FROM items ORDER BY id', [[null], [null]]],
  },
  {
    title: 'a required relation leads to another type',
    before: 'type Item @entity { id: ID! owner: Cat! } type Cat @entity { id: ID! } type Dog @entity { id: ID! }',
    rows: ['INSERT INTO cats (id) VALUES (1)', 'INSERT INTO items (owner) VALUES (1)'],
    after: 'type Item @entity { id: ID! owner: Dog! } type Cat @entity { id: ID! } type Dog @entity { id: ID! }',
    steps: ['!refer items.owner'],
  },
  {
    title: 'a text becomes a relation, and some of it are keys',
    before: 'type Item @entity { id: ID! owner: ID } type Cat @entity { name: ID! @id }',
    rows: ["INSERT INTO cats (name) VALUES ('tom')", "INSERT INTO items (owner) VALUES ('tom'), ('jerry')"],
    after: 'type Item @entity { id: ID! owner: Cat } type Cat @entity { name: ID! @id }',
    steps: ['index items_owner_idx', '?refer items.owner'],
    says: ['1 value that is no key there'],
    answers: ['SELECT owner FROM items ORDER BY id', [['tom'], [null]]],
  },
  {
    title: 'a relation becomes a text',
    before: 'type Item @entity { id: ID! owner: Cat } type Cat @entity { name: ID! @id }',
    rows: ["INSERT INTO cats (name) VALUES ('tom')", "INSERT INTO items (owner) VALUES ('tom')"],
    after: 'type Item @entity { id: ID! owner: ID } type Cat @entity { name: ID! @id }',
    steps: ['~unindex items_owner_idx', 'unrefer items.owner'],
    answers: ['SELECT owner FROM items', [['tom']]],
  },
  {
    title: 'the foreign key moves to the other side',
    before: 'type Item @entity { id: ID! box: Box! } type Box @entity { id: ID! item: Item }',
    rows: ['INSERT INTO boxes (id) VALUES (1)', 'INSERT INTO items (box) VALUES (1)'],
    after: 'type Item @entity { id: ID! box: Box } type Box @entity { id: ID! item: Item! }',
    steps: ['?drop items.box', '!add boxes.item', 'index boxes_item_key'],
    says: ['1 value in items.box'],
  },
  {
    title: 'onDelete changes',
    before: 'type Item @entity { id: ID! box: Box } type Box @entity { id: ID! }',
    rows: ['INSERT INTO boxes (id) VALUES (1)', 'INSERT INTO items (box) VALUES (1)'],
    after: 'type Item @entity { id: ID! box: Box @relation(onDelete: CASCADE) } type Box @entity { id: ID! }',
    steps: ['refer items.box'],
    answers: ['SELECT box FROM items', [[1]]],
  },
  {
    title: 'the key of a type that others refer to becomes a text',
    before: 'type Item @entity { id: ID! box: Box } type Box @entity { id: ID! items: [Item!]! }',
    rows: ['INSERT INTO boxes (id) VALUES (7)', 'INSERT INTO items (box) VALUES (7)'],
    after:
      'type Item @entity { id: ID! box: Box } type Box @entity { id: ID! @id @default(value: "uuid") items: [Item!]! }',
    steps: ['retype items.box', 'retype boxes.id', 'identity boxes.id'],
    answers: ['SELECT box, boxes.id FROM items JOIN boxes ON boxes.id = box', [['7', '7']]],
  },
  {
    title: 'another field becomes the key',
    before: 'type Item @entity { id: ID! name: ID! @unique }',
    rows: ["INSERT INTO items (name) VALUES ('a')"],
    after: 'type Item @entity { name: ID! @id }',
    steps: ['!rekey items'],
  },
  {
    title: 'a type leaves a union that rows lead to it by',
    before:
      'union Thing = Cat | Dog type Item @entity { id: ID! thing: Thing things: [Thing!]! } type Cat @entity { id: ID! } type Dog @entity { id: ID! }',
    rows: [
      'INSERT INTO cats (id) VALUES (1)',
      "INSERT INTO items (id, thing_type, thing_key) VALUES (1, 'Cat', '1'), (2, 'Dog', '1')",
      "INSERT INTO items_things (item_key, target_type, target_key) VALUES (2, 'Cat', '1')",
    ],
    after:
      'union Thing = Dog type Item @entity { id: ID! thing: Thing things: [Thing!]! } type Cat @entity { id: ID! } type Dog @entity { id: ID! }',
    steps: ['!values items.thing_type', '!values items_things.target_type'],
    says: ['Thing without Cat', '1 value in items.thing_type would not be allowed: "Cat"'],
  },
  {
    title: 'a type comes to a union',
    before: 'union Thing = Cat type Item @entity { id: ID! thing: Thing } type Cat @entity { id: ID! }',
    rows: ["INSERT INTO items (thing_type, thing_key) VALUES ('Cat', '1')"],
    after:
      'union Thing = Cat | Dog type Item @entity { id: ID! thing: Thing } type Cat @entity { id: ID! } type Dog @entity { id: ID! }',
    steps: ['values items.thing_type', 'create dogs'],
  },
  {
    title: 'a type of a union is renamed and keeps its table',
    before:
      'union Thing = Cat | Dog type Item @entity { id: ID! thing: Thing } type Cat @entity { id: ID! } type Dog @entity { id: ID! }',
    rows: ["INSERT INTO items (thing_type, thing_key) VALUES ('Cat', '1'), ('Dog', '2')"],
    after:
      'union Thing = Lion | Dog type Item @entity { id: ID! thing: Thing } type Lion @entity(table: "cats") { id: ID! } type Dog @entity { id: ID! }',
    steps: ['values items.thing_type'],
    answers: ['SELECT thing_type FROM items ORDER BY id', [['Lion'], ['Dog']]],
  },
  {
    title: 'a type is renamed without its table',
    before: ITEM('name: String'),
    rows: ["INSERT INTO items (name) VALUES ('a')"],
    after: 'type Piece @entity { id: ID! name: String }',
    steps: ['create pieces', '~drop items'],
    says: ['Drop table items of type Item', '1 row of items'],
  },
  {
    title: 'types that refer to each other go',
    before:
      'type Keep @entity { id: ID! } type Item @entity { id: ID! box: Box! } type Box @entity { id: ID! item: Item }',
    rows: [
      'INSERT INTO keeps (id) VALUES (1)',
      'INSERT INTO boxes (id) VALUES (1)',
      'INSERT INTO items (box) VALUES (1)',
    ],
    after: 'type Keep @entity { id: ID! }',
    steps: ['~drop items', '~drop boxes'],
    answers: ['SELECT count(*) FROM keeps', [[1]]],
  },
];

function schemaOf(types: string): string {
  return `${types} type Query { ok: Int }`;
}

const RESOLVERS = { Query: { ok: () => 1 } };

const model = (types: string) =>
  readSchema([{ file: 'test.graphql', text: schemaOf(types) }], { resolvers: RESOLVERS });

async function write(store: Store, statements: readonly string[]): Promise<void> {
  await store.transaction(async (session) => {
    for (const sql of statements) await session.prepare(sql).run([]);
  });
}

for (const change of CHANGES) {
  testOnStores(`when ${change.title}`, async (store) => {
    await applyMigration(model(change.before), store);
    await write(store, change.rows);
    const plan = await planMigration(model(change.after), store);
    const all = [...plan.steps, ...plan.optional];
    const marked = all.map(
      (step) => `${step.optional ? '~' : step.blocked ? '!' : step.loses === undefined ? '' : '?'}${step.name}`,
    );
    deepEqual(marked.toSorted(), change.steps.toSorted());
    const said = all.map((step) => `${step.text}: ${step.loses ?? ''}`).join('\n');
    for (const words of change.says ?? []) ok(said.includes(words), `${words}\nis not in\n${said}`);
    const allow = all.map((step) => step.name);
    if (marked.some((name) => name.startsWith('!'))) {
      await rejects(applyMigration(model(change.after), store, { allow }), { code: 'GRAPH_MIGRATION_REFUSED' });
      deepEqual((await planMigration(model(change.before), store)).steps, []);
      return;
    }
    if (marked.some((name) => name.startsWith('?'))) {
      await rejects(applyMigration(model(change.after), store), { code: 'GRAPH_MIGRATION_REFUSED' });
      deepEqual((await planMigration(model(change.before), store)).steps, []);
    }
    await applyMigration(model(change.after), store, { allow });
    const left = await planMigration(model(change.after), store);
    deepEqual([left.steps, left.sql, left.optional], [[], [], []]);
    if (change.answers !== undefined) {
      const rows = await store.prepare(change.answers[0]).rows([]);
      deepEqual(
        rows.map((row) => row.map(asPlain)),
        change.answers[1].map((row) => row.map(asPlain)),
      );
    }
  });
}

/** Counts come as texts, and SQLite's truth as numbers. */
function asPlain(value: unknown): unknown {
  return typeof value === 'boolean' ? String(Number(value)) : value === null ? null : String(value as string | number);
}

testOnStores(
  'a database that an earlier version made goes on, and is asked once what its enums hold',
  async (store) => {
    const types = (values: string): string => `enum Color { ${values} } ${ITEM('color: Color colors: [Color!]')}`;
    await applyMigration(model(types('RED GREEN')), store);
    await write(store, [`INSERT INTO items (color, colors) VALUES ('RED', '["RED"]')`]);
    await store.script('DROP TABLE lockstitch_schema');
    deepEqual(
      (await planMigration(model(types('RED GREEN')), store)).steps.map((step) => step.name),
      ['create lockstitch_schema'],
    );
    await rejects(applyMigration(model(types('GREEN')), store), /1 value in items\.color would not be allowed: "RED"/);
    await applyMigration(model(types('RED GREEN')), store);
    deepEqual((await planMigration(model(types('RED GREEN')), store)).sql, []);
  },
);

testOnStores('a rebuilt table reuses no key and keeps objects of others', async (store) => {
  await applyMigration(model(ITEM('n: Int!')), store);
  await write(store, ['INSERT INTO items (n) VALUES (1), (2)', 'DELETE FROM items WHERE n = 2']);
  await store.script('CREATE INDEX mine ON items (n) WHERE n > 5');
  await applyMigration(model(ITEM('n: Int')), store);
  await write(store, ['INSERT INTO items (n) VALUES (3)']);
  deepEqual((await store.prepare('SELECT id FROM items ORDER BY id').rows([])).flat().map(Number), [1, 3]);
  const indexes =
    store.dialect === 'sqlite'
      ? "SELECT count(*) FROM sqlite_schema WHERE name = 'mine'"
      : "SELECT count(*) FROM pg_indexes WHERE indexname = 'mine' AND schemaname = current_schema()";
  equal(Number(await store.prepare(indexes).text([])), 1);
});
