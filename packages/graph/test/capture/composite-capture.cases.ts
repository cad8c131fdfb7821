// What others write to rows that refer to keys of several columns, by columns of their own or by join tables.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { Change } from '../../src/feed/change.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import { testWithOthers } from './others.ts';

const SCHEMA = `
  type Item @entity(table: "items") @unmanaged @captureChanges {
    id: ID! @id(fields: ["orderId", "line"]) orderId: Int! @column(name: "order_id") line: Int! name: String
    notes: [Note!]! @relation(inverse: "item")
    tags: [Tag!]! @relation(table: "item_tags", from: ["order_id", "line"], to: "tag", inverse: "items")
    like: [Item!]! @relation(table: "likes", from: ["order_id", "line"], to: ["order_id", "other"])
  }
  type Note @entity(table: "notes") @unmanaged @captureChanges {
    id: ID! text: String item: Item @column(name: ["order_id", "line"]) @relation(inverse: "notes")
  }
  type Tag @entity(table: "tags") @unmanaged { id: ID! items: [Item!]! @relation(inverse: "tags") }
  input NoteInput { id: ID text: String item: ID }
  input ItemInput { orderId: Int line: Int name: String tags: [ID!] }
  type Query { items: [Item!]! }
  type Mutation {
    createNote(input: NoteInput!): Note! updateNote(id: ID!, input: NoteInput!): Note deleteNote(id: ID!): ID
    createItem(input: ItemInput!): Item! updateItem(id: ID!, input: ItemInput!): Item deleteItem(id: ID!): ID
  }`;

const TABLES = `
  CREATE TABLE items (order_id integer, line integer, name text, PRIMARY KEY (order_id, line));
  CREATE TABLE tags (id integer PRIMARY KEY);
  CREATE TABLE notes (id integer PRIMARY KEY, text text, order_id integer, line integer, secret text, FOREIGN KEY (order_id, line) REFERENCES items);
  CREATE TABLE item_tags (order_id integer, line integer, tag integer, PRIMARY KEY (order_id, line, tag), FOREIGN KEY (order_id, line) REFERENCES items ON DELETE CASCADE);
  CREATE TABLE likes (order_id integer, line integer, other integer, PRIMARY KEY (order_id, line, other))`;

const short = ({ type, key, operation, before, after, links, principal }: Change): unknown =>
  [`${operation} ${type} ${key}`, ...(principal === 'database' ? [] : ['own']), before, after, links].filter(
    (each) => each !== undefined,
  );

testWithOthers('4 references to keys of several columns, and join rows of such keys', async (store, others) => {
  await others.write(TABLES);
  const graph = await createGraph({ model: readSchema([{ file: 'test.graphql', text: SCHEMA }]), store });
  await graph.sequencer!.catchUp();
  let seen = await graph.feed.head();
  const moved = async (): Promise<readonly unknown[]> => {
    await graph.sequencer!.catchUp();
    const changes = await graph.feed.read(seen, 5000);
    seen = changes.at(-1)?.position ?? seen;
    equal(await others.ask('SELECT count(*) FROM lockstitch_outbox'), 0);
    return changes.map(short);
  };
  const item = (line: number) => ({ id: `5,${line}`, orderId: 5, line, name: 'a' });
  await others.write(`INSERT INTO tags VALUES (1); INSERT INTO items VALUES (5, 1, 'a'), (5, 2, 'a')`);
  deepEqual(await moved(), [
    ['created Item 5,1', item(1)],
    ['created Item 5,2', item(2)],
  ]);
  await others.write(`INSERT INTO notes VALUES (1, 'x', 5, 1, 'secret')`);
  deepEqual(await moved(), [['created Note 1', { id: '1', text: 'x', item: '5,1' }]]);
  await others.write(`UPDATE notes SET line = 2`);
  deepEqual(await moved(), [['updated Note 1', { item: '5,1' }, { id: '1', text: 'x', item: '5,2' }]]);
  await others.write(`INSERT INTO item_tags VALUES (5, 1, 1)`);
  deepEqual(await moved(), [
    ['updated Item 5,1', {}, item(1), { tags: { added: ['1'], removed: [] } }],
    ['updated Tag 1', {}, { id: '1' }, { items: { added: ['5,1'], removed: [] } }],
  ]);
  await others.write(`UPDATE item_tags SET line = 2`);
  deepEqual(
    (await moved()).map((change) => (change as readonly unknown[]).at(-1)),
    [
      { tags: { added: [], removed: ['1'] } },
      { tags: { added: ['1'], removed: [] } },
      { items: { added: ['5,2'], removed: ['5,1'] } },
    ],
  );
  // A column of both ends.
  await others.write(`INSERT INTO likes VALUES (5, 1, 2)`);
  deepEqual(await moved(), [['updated Item 5,1', {}, item(1), { like: { added: ['5,2'], removed: [] } }]]);
  await others.write(`DELETE FROM likes; DELETE FROM item_tags; DELETE FROM notes`);
  deepEqual((await moved()).map((change) => String((change as readonly unknown[])[0])).toSorted(), [
    'deleted Note 1',
    'updated Item 5,1',
    'updated Item 5,2',
    'updated Tag 1',
  ]);

  // What the engine writes itself is there once.
  const run = async (mutation: string): Promise<readonly unknown[]> => {
    const { body } = await graph.execute({ query: `mutation { ${mutation} }` });
    ok(!body.includes('"errors"'), body);
    return (await moved()).map((change) => (change as readonly unknown[]).slice(0, 2).join(' '));
  };
  deepEqual(await run('createItem(input: { orderId: 7, line: 2, name: "x", tags: ["1"] }) { id }'), [
    'created Item 7,2 own',
    'updated Tag 1 own',
  ]);
  deepEqual(await run('createNote(input: { id: 2, item: "7,2" }) { id }'), ['created Note 2 own']);
  deepEqual(await run('updateNote(id: 2, input: { item: "5,2", text: "y" }) { id }'), ['updated Note 2 own']);
  deepEqual(await run('updateItem(id: "7,2", input: { tags: [] }) { id }'), [
    'updated Item 7,2 own',
    'updated Tag 1 own',
  ]);
  deepEqual(await run('deleteNote(id: 2)'), ['deleted Note 2 own']);
  deepEqual(await run('deleteItem(id: "7,2")'), ['deleted Item 7,2 own']);
});
