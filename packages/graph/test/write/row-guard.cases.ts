import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal, type ProductError } from '@lockstitch/kernel';
import { modelOf } from '../photo-schema.ts';
import type { Store } from '../../src/store/store.ts';
import { testOnStores } from '../stores.ts';
import { openWriting, type Writing } from '../writing.ts';

const SCHEMA = /* GraphQL */ `
  type Team @auth(read: "members.any(m, m.name == authentication.name)") {
    id: ID! @id
    members: [Person!]!
    notes: [Note!]!
  }
  type Person {
    name: ID! @id
    teams: [Team!]!
  }
  type Note
    @auth(
      read: "team.members.any(m, m.name == authentication.name)"
      create: "author == authentication.name"
      update: "author == authentication.name or hasRole('EDITOR')"
      delete: "author == authentication.name"
    ) {
    id: ID!
    author: String!
    text: String
    pinned: Boolean! @default(value: "false") @auth(update: "hasRole('EDITOR')")
    team: Team!
  }
  input TeamInput {
    id: ID!
    members: [ID!]
  }
  type Query {
    Note(id: ID!): Note
    Team(id: ID!): Team
    Person(name: ID!): Person
  }
  type Mutation {
    addPerson(name: ID!): Person!
    createTeam(input: TeamInput!): Team!
    addNote(author: String!, text: String, team: ID!): Note!
    setNote(id: ID!, text: String, author: String, pinned: Boolean, team: ID): Note!
    deleteNote(id: ID!): Boolean!
  }
`;

const ann = createPrincipal('ann');
const bob = createPrincipal('bob');
const eve = createPrincipal('eve');
const editor = createPrincipal('bob', ['ROLE_EDITOR']);
const code = (wanted: string) => (error: unknown) => {
  equal((error as ProductError).code, wanted, (error as ProductError).message);
  return true;
};

testOnStores('create, update and delete rules are evaluated on the row before and after', async (store) => {
  const writing = await openWriting(store, SCHEMA);
  for (const name of ['ann', 'bob', 'eve']) await writing.run(`addPerson(name: "${name}")`);
  await writing.run('createTeam(input: { id: "t", members: ["ann", "bob"] })');
  await writing.run('createTeam(input: { id: "u", members: ["ann"] })');
  await writing.run('addNote(author: "ann", text: "x", team: "t")', { principal: ann });
  await rejects(writing.run('addNote(author: "ann", team: "t")', { principal: bob }), code('GRAPH_FORBIDDEN'));
  await writing.changes();

  await writing.run('setNote(id: 1, text: "y")', { principal: ann });
  await rejects(writing.run('setNote(id: 1, text: "z")', { principal: bob }), code('GRAPH_FORBIDDEN'));
  await writing.run('setNote(id: 1, text: "z")', { principal: editor });
  await rejects(writing.run('setNote(id: 1, author: "bob")', { principal: ann }), code('GRAPH_FORBIDDEN'));
  await rejects(writing.run('deleteNote(id: 1)', { principal: editor }), code('GRAPH_FORBIDDEN'));
  deepEqual(await writing.rows('SELECT author, text FROM notes'), [['ann', 'z']]);
  equal((await writing.changes()).length, 2);
});

testOnStores('writing a hidden row fails like writing a missing one', async (store) => {
  const writing = await openWriting(store, SCHEMA);
  for (const name of ['ann', 'eve']) await writing.run(`addPerson(name: "${name}")`);
  await writing.run('createTeam(input: { id: "t", members: ["ann"] })');
  await writing.run('addNote(author: "ann", team: "t")', { principal: ann });
  const messageOf = async (field: string): Promise<string> => {
    try {
      await writing.run(field, { principal: eve });
    } catch (error) {
      return `${(error as ProductError).code}: ${(error as ProductError).message.replaceAll(/"(?:1|99|t|no)"/g, '"?"')}`;
    }
    return 'done';
  };
  equal(await messageOf('setNote(id: 1, text: "y")'), await messageOf('setNote(id: 99, text: "y")'));
  equal(await messageOf('deleteNote(id: 1)'), await messageOf('deleteNote(id: 99)'));
  equal(await messageOf('addNote(author: "eve", team: "t")'), await messageOf('addNote(author: "eve", team: "no")'));
});

testOnStores('a field rule applies only if the field is written', async (store) => {
  const writing = await openWriting(store, SCHEMA);
  for (const name of ['ann', 'bob']) await writing.run(`addPerson(name: "${name}")`);
  await writing.run('createTeam(input: { id: "t", members: ["ann", "bob"] })');
  await writing.run('addNote(author: "ann", team: "t")', { principal: ann });
  await rejects(writing.run('setNote(id: 1, pinned: true)', { principal: ann }), code('GRAPH_FORBIDDEN'));
  await writing.run('setNote(id: 1, pinned: true)', { principal: editor });
  deepEqual(
    (await writing.rows('SELECT pinned FROM notes')).map((row) => Boolean(row[0])),
    [true],
  );
});

testOnStores('a hidden version cannot be compared', async (store) => {
  const writing = await openWriting(
    store,
    `type Box @auth(update: "owner == authentication.name", delete: "owner == authentication.name") {
      id: ID! owner: String! text: String secret: String @auth(read: "false")
      revision: Int! @default(value: "version") @auth(read: "owner == authentication.name and hasRole('EDITOR')")
    }
    type Query { Box(id: ID!): Box }
    input BoxInput { text: String }
    type Mutation {
      createBox(owner: String!): Box! updateBox(id: ID!, revision: Int, input: BoxInput!): Box! deleteBox(id: ID!, revision: Int): Box
    }`,
  );
  await writing.run('createBox(owner: "bob")');
  for (const guess of [1, 2]) {
    for (const field of [
      `updateBox(id: 1, revision: ${guess}, input: { text: "x" })`,
      `deleteBox(id: 1, revision: ${guess})`,
    ]) {
      await rejects(writing.run(field, { principal: bob }), code('GRAPH_FIELD_FORBIDDEN'));
      // Who may not write is told so first.
      await rejects(writing.run(field, { principal: ann }), code('GRAPH_FORBIDDEN'));
    }
  }
  await rejects(writing.run('deleteBox(id: 1, revision: 2)', { principal: editor }), code('GRAPH_CONFLICT'));
  await writing.run('updateBox(id: 1, revision: 1, input: { text: "x" })', { principal: editor });
  await writing.run('updateBox(id: 1, input: { text: "y" })', { principal: bob });
  deepEqual(await writing.rows('SELECT text FROM boxes'), [['y']]);
});

const BOXES = /* GraphQL */ `
  type Box {
    id: ID! @id
    things: [Thing!]!
    labels: [Label!]!
  }
  type Thing @auth(read: "not hidden", update: "owner == authentication.name", delete: "owner == authentication.name") {
    id: ID! @id
    owner: String!
    hidden: Boolean! @default(value: "false")
    price: Int @auth(create: "hasRole('EDITOR')")
    box: Box
  }
  type Label {
    id: ID! @id
    boxes: [Box!]! @auth(update: "hasRole('EDITOR')")
  }
  input ThingInput {
    id: ID!
    owner: String!
    price: Int
    hidden: Boolean
  }
  input Things {
    create: [ThingInput!]
    connect: [ID!]
    disconnect: [ID!]
    set: [ID!]
    delete: [ID!]
  }
  input BoxInput {
    things: Things
    labels: [ID!]
  }
  type Query {
    Box(id: ID!): Box
    Thing(id: ID!): Thing
    Label(id: ID!): Label
  }
  type Mutation {
    addBox(id: ID!): Box!
    addThing(input: ThingInput!): Thing!
    addLabel(id: ID!): Label!
    updateBox(id: ID!, input: BoxInput!): Box!
  }
`;

testOnStores('rules of an object apply to nested writes', async (store) => {
  const writing = await openWriting(store, BOXES);
  await writing.run('addBox(id: "b")');
  await writing.run('addLabel(id: "l")');
  await writing.run('addThing(input: { id: "anns", owner: "ann" })');
  await writing.run('addThing(input: { id: "bobs", owner: "bob" })');
  const things = (input: string, principal = ann): Promise<unknown> =>
    writing.run(`updateBox(id: "b", input: { ${input} })`, { principal });

  await things('things: { connect: ["anns"] }');
  await rejects(things('things: { connect: ["bobs"] }'), code('GRAPH_FORBIDDEN'));
  await things('things: { connect: ["bobs"] }', bob);
  await rejects(things('things: { disconnect: ["bobs"] }'), code('GRAPH_FORBIDDEN'));
  await rejects(things('things: { set: [] }'), code('GRAPH_FORBIDDEN'));
  await rejects(things('things: { delete: ["bobs"] }'), code('GRAPH_FORBIDDEN'));
  await rejects(things('things: { create: [{ id: "dear", owner: "ann", price: 5 }] }'), code('GRAPH_FORBIDDEN'));
  await things('things: { create: [{ id: "dear", owner: "bob", price: 5 }] }', editor);
  await rejects(things('labels: ["l"]'), code('GRAPH_FORBIDDEN'));
  await things('labels: ["l"]', editor);
  deepEqual(await writing.rows('SELECT id, box FROM things ORDER BY id'), [
    ['anns', 'b'],
    ['bobs', 'b'],
    ['dear', 'b'],
  ]);
});

testOnStores('replacing a list keeps hidden members', async (store) => {
  const writing = await openWriting(store, BOXES);
  await writing.run('addBox(id: "b")');
  await writing.run(
    'updateBox(id: "b", input: { things: { create: [{ id: "seen", owner: "ann" }, { id: "unseen", owner: "bob", hidden: true }] } })',
  );
  await writing.run('updateBox(id: "b", input: { things: { set: [] } })', { principal: ann });
  deepEqual(await writing.rows('SELECT id, box FROM things ORDER BY id'), [
    ['seen', null],
    ['unseen', 'b'],
  ]);
});

const HIDING = /* GraphQL */ `
  type Box {
    id: ID! @id
    things: [Thing!]!
    labels: [Label!]!
    best: Thing @relation(inverse: "bestOf")
    lid: Lid
  }
  type Thing @auth(read: "not hidden") {
    id: ID! @id @default(value: "uuid")
    hidden: Boolean!
    serial: String @unique @auth(read: "hasRole('EDITOR')")
    code: String @unique
    box: Box @relation(inverse: "things")
    bestOf: [Box!]! @relation(inverse: "best")
  }
  type Label @auth(read: "not hidden") {
    id: ID! @id
    hidden: Boolean!
    boxes: [Box!]!
  }
  type Lid @auth(read: "not hidden") {
    id: ID! @id
    hidden: Boolean!
    box: Box! @unique
  }
  input Many {
    connect: [ID!]
    disconnect: [ID!]
    set: [ID!]
    delete: [ID!]
  }
  input One {
    connect: ID
    disconnect: Boolean
    delete: Boolean
  }
  input BoxInput {
    things: Many
    labels: Many
    best: One
    lid: One
  }
  type Query {
    Box(id: ID!): Box
  }
  type Mutation {
    addBox(id: ID!): Box!
    addThing(id: ID!, hidden: Boolean!, serial: String, code: String, box: ID): Thing!
    addLabel(id: ID!, hidden: Boolean!): Label!
    addLid(id: ID!, hidden: Boolean!, box: ID!): Lid!
    updateBox(id: ID!, input: BoxInput!): Box!
    upsertThing(id: ID!, hidden: Boolean!): Thing!
    saveThing(code: String!, hidden: Boolean!): Thing!
    putThing(serial: String!, hidden: Boolean!): Thing!
  }
`;

async function openHiding(store: Store): Promise<Writing> {
  const writing = await openWriting(store, HIDING);
  await writing.run('addBox(id: "b")');
  await writing.run('addThing(id: "seen", hidden: false, serial: "s1", code: "c1", box: "b")');
  await writing.run('addThing(id: "secret", hidden: true, serial: "s2", code: "c2", box: "b")');
  await writing.run('addLabel(id: "seen", hidden: false)');
  await writing.run('addLabel(id: "secret", hidden: true)');
  await writing.run('addLid(id: "secret", hidden: true, box: "b")');
  // A caller who sees everything puts them there.
  await store.script(
    `INSERT INTO boxes_labels VALUES ('b', 'seen'), ('b', 'secret'); UPDATE boxes SET best = 'secret' WHERE id = 'b'`,
  );
  await writing.changes();
  return writing;
}

testOnStores('mutations treat hidden objects as missing, whichever operator names them', async (store) => {
  const writing = await openHiding(store);
  const answerOf = async (input: string, key: string): Promise<string> => {
    try {
      await writing.run(`updateBox(id: "b", input: { ${input.replace('KEY', `"${key}"`)} })`, { principal: ann });
    } catch (error) {
      const { code: told, message } = error as ProductError;
      return `${told}: ${message.replaceAll(key, 'KEY')}`;
    }
    return 'done';
  };
  const inputs = ['best: { connect: KEY }', 'lid: { connect: KEY }'];
  for (const relation of ['things', 'labels'])
    for (const word of ['connect', 'disconnect', 'set', 'delete']) inputs.push(`${relation}: { ${word}: [KEY] }`);
  for (const input of inputs) {
    const hidden = await answerOf(input, 'secret');
    equal(hidden, await answerOf(input, 'absent'), input);
    match(hidden, /^GRAPH_NOT_FOUND/, input);
  }
  deepEqual(await writing.changes(), []);
});

testOnStores(
  'what is hidden stays where it is when a caller replaces, empties or deletes what he sees',
  async (store) => {
    const writing = await openHiding(store);
    const update = (input: string): Promise<unknown> =>
      writing.run(`updateBox(id: "b", input: { ${input} })`, { principal: ann });
    await update('labels: { set: [] }');
    deepEqual(await writing.rows('SELECT * FROM boxes_labels'), [['b', 'secret']]);
    await update('lid: { delete: true }');
    await update('lid: { disconnect: true }');
    deepEqual(await writing.rows('SELECT id, box FROM lids'), [['secret', 'b']]);
    await update('best: { delete: true }');
    deepEqual(await writing.rows('SELECT id FROM things ORDER BY id'), [['secret'], ['seen']]);
    await update('things: { set: [] }');
    deepEqual(await writing.rows('SELECT id, box FROM things ORDER BY id'), [
      ['secret', 'b'],
      ['seen', null],
    ]);
  },
);

testOnStores('an upsert treats hidden objects and hidden values as taken', async (store) => {
  const writing = await openHiding(store);
  const answerOf = async (field: string): Promise<string> => {
    try {
      return String(await writing.run(field, { principal: ann }));
    } catch (error) {
      const { code: told, message, path } = error as ProductError;
      return `${told} ${path}: ${message}`;
    }
  };
  const asCreate = async (upsert: string, create: string): Promise<void> => {
    const told = await answerOf(upsert);
    equal(told.replace(/\w+Thing failed/, '? failed'), (await answerOf(create)).replace(/\w+Thing failed/, '? failed'));
    match(told, /^GRAPH_NOT_UNIQUE/);
  };
  await asCreate('upsertThing(id: "secret", hidden: false)', 'addThing(id: "secret", hidden: false)');
  await asCreate('saveThing(code: "c2", hidden: false)', 'addThing(id: "x", hidden: false, code: "c2")');
  // "seen" may be read; its serial may not.
  await asCreate('putThing(serial: "s1", hidden: false)', 'addThing(id: "x", hidden: false, serial: "s1")');
  equal(await answerOf('saveThing(code: "c1", hidden: false)'), 'seen');
  equal(await writing.run('putThing(serial: "s1", hidden: false)', { principal: editor }), 'seen');
});

testOnStores('a version rises whether or not a hidden value was guessed', async (store) => {
  const writing = await openWriting(
    store,
    /* GraphQL */ `
      type Room @auth(read: "hasRole('EDITOR')") {
        id: ID!
        things: [Thing!]!
      }
      type Thing {
        id: ID!
        text: String
        secret: String @auth(read: "hasRole('EDITOR')")
        room: Room
        version: Int! @default(value: "version")
      }
      type Query {
        Room(id: ID!): Room
        Thing(id: ID!): Thing
      }
      input RoomWords {
        disconnect: Boolean
      }
      input ThingInput {
        text: String
        secret: String
        room: RoomWords
      }
      type Mutation {
        addRoom(id: ID!): Room!
        addThing(id: ID!, text: String, secret: String, room: ID): Thing!
        setThing(id: ID!, secret: String, text: String): Thing!
        updateThing(id: ID!, input: ThingInput!): Thing!
      }
    `,
  );
  await writing.run('addRoom(id: 1)');
  await writing.run('addThing(id: 1, text: "t", secret: "one", room: 1)', { principal: editor });
  await writing.run('addThing(id: 2, text: "t", secret: "two")');
  const versions = async (): Promise<unknown> => (await writing.rows('SELECT version FROM things ORDER BY id')).flat();
  const onBoth = async (field: (id: number) => string): Promise<unknown> => {
    for (const id of [1, 2]) await writing.run(field(id), { principal: ann });
    return versions();
  };
  deepEqual(await onBoth((id) => `setThing(id: ${id}, secret: "one")`), [2, 2]);
  deepEqual(await onBoth((id) => `updateThing(id: ${id}, input: { secret: "one" })`), [3, 3]);
  deepEqual(await onBoth((id) => `updateThing(id: ${id}, input: { room: { disconnect: true } })`), [4, 4]);
  deepEqual(await onBoth((id) => `setThing(id: ${id}, text: "t")`), [4, 4], 'what he may read changes nothing');
});

test('a rule with an unknown name is a start-up error with its location', () => {
  throws(
    () =>
      modelOf(
        'type Item @auth(update: "ownr == authentication.name") { id: ID! owner: String } type Query { Item(id: ID!): Item }',
      ),
    (error: ProductError) =>
      error.code === 'GRAPH_SCHEMA_INVALID' &&
      error.message.includes('schema.graphql:1:1: @auth(update:) of Item: Unknown field or word "ownr"') &&
      error.message.includes('Did you mean "owner"?'),
  );
});
