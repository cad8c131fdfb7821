// References from and to tables that a team has: no constraint may hold there, and keys of views may occur twice.
import { deepEqual, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createGraph } from '../../src/execute/create-graph.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import type { Store } from '../../src/store/store.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import { testOnStores } from '../stores.ts';

async function open(store: Store, text: string) {
  const graph = await createGraph({ model: readSchema([{ file: 'test.graphql', text }]), store });
  return async (query: string): Promise<unknown> => {
    const { data, errors } = JSON.parse((await graph.execute({ query })).body) as {
      readonly data?: unknown;
      readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
    };
    return errors === undefined ? data : `${errors[0]?.extensions.code} ${errors[0]?.message}`;
  };
}

const isPostgres = ({ dialect }: Store): boolean => dialect === 'postgres';
const keyOf = (store: Store): string => (isPostgres(store) ? 'serial PRIMARY KEY' : 'INTEGER PRIMARY KEY');

testOnStores('a view with two rows of one key gives a row that refers to it once, in every order', async (store) => {
  await store.script(`
    CREATE VIEW people AS SELECT 1 AS id, 'a' AS name UNION ALL SELECT 1, 'a' UNION ALL SELECT 2, 'b';
    CREATE TABLE notes (id ${keyOf(store)}, p integer);
    INSERT INTO notes (p) VALUES (2), (1), (NULL), (9)`);
  const ask = await open(
    store,
    `type Person @entity(table: "people") @readOnly { id: ID! name: String! }
    type Note @entity(table: "notes") @unmanaged { id: ID! p: Person }
    type Query { notes(where: NoteFilter, orderBy: [NoteOrder!], first: Int): [Note!]! }`,
  );
  const notes = (...ids: number[]): unknown => ({ notes: ids.map((id) => ({ id: String(id) })) });
  const where = 'where: { p: { name: { gt: "" } } }';
  deepEqual(await ask(`{ notes(orderBy: [{ p: { name: DESC } }, { id: ASC }], ${where}) { id } }`), notes(1, 2));
  for (const page of ['', ', first: 5'])
    deepEqual(await ask(`{ notes(orderBy: [{ p: { name: ASC } }, { id: ASC }]${page}) { id } }`), notes(3, 4, 2, 1));
  deepEqual(await ask('{ notes(orderBy: [{ id: ASC }]) { p { name } } }'), {
    notes: [{ p: { name: 'b' } }, { p: { name: 'a' } }, { p: null }, { p: null }],
  });
});

testOnStores('a reference of an unmanaged column to no row reads as null, and is not written', async (store) => {
  await store.script(`
    CREATE TABLE users (id ${keyOf(store)}, name text);
    CREATE TABLE notes (id ${keyOf(store)}, by integer);
    INSERT INTO users (name) VALUES ('a');
    INSERT INTO notes (by) VALUES (77), (1)`);
  const ask = await open(
    store,
    `type User @entity(table: "users") @unmanaged { id: ID! name: String }
    type Note @entity(table: "notes") @unmanaged { id: ID! by: User }
    input NoteInput { by: ID }
    type Query { notes(orderBy: [NoteOrder!]): [Note!]! }
    type Mutation { createNote(input: NoteInput!): Note! updateNote(id: ID!, by: ID): Note }`,
  );
  deepEqual(await ask('{ notes(orderBy: [{ id: ASC }]) { by { id } } }'), {
    notes: [{ by: null }, { by: { id: '1' } }],
  });
  const missing = /^GRAPH_NOT_FOUND .*no User has id "77"/;
  match(String(await ask('mutation { createNote(input: { by: 77 }) { id } }')), missing);
  match(String(await ask('mutation { updateNote(id: 2, by: 77) { id } }')), missing);
  deepEqual(await ask('mutation { createNote(input: { by: 1 }) { by { id name } } }'), {
    createNote: { by: { id: '1', name: 'a' } },
  });
});

testOnStores('a reference of a managed type to an unmanaged one may be to no row', async (store) => {
  await store.script(
    `CREATE TABLE users (id ${keyOf(store)}, name text); INSERT INTO users (name) VALUES ('b'), ('a')`,
  );
  const ask = await open(
    store,
    `type User @entity(table: "users") @unmanaged { id: ID! name: String }
    type Note @entity { id: ID! by: User! }
    type Query { notes(where: NoteFilter, orderBy: [NoteOrder!]): [Note!]! }
    type Mutation { createNote(by: ID!): Note! }`,
  );
  match(String(await ask('mutation { createNote(by: 77) { id } }')), /^GRAPH_NOT_FOUND .*no User has id "77"/);
  await ask('mutation { one: createNote(by: 1) { id } two: createNote(by: 2) { id } three: createNote(by: 1) { id } }');
  await dropConstraints(store);
  await store.script('DELETE FROM users WHERE id = 1');
  deepEqual(await ask('{ notes(orderBy: [{ by: { name: ASC } }, { id: ASC }]) { id } }'), {
    notes: [{ id: '1' }, { id: '3' }, { id: '2' }],
  });
  deepEqual(await ask('{ notes(where: { by: {} }) { by { id } } }'), { notes: [{ by: { id: '2' } }] });
});

test('SQLite: filters over related rows without an index end at the deadline', async () => {
  const store = await openSqliteStore({ file: ':memory:', statementTime: 0 });
  try {
    await store.script(`
      CREATE TABLE users (id INTEGER PRIMARY KEY, name text);
      CREATE TABLE notes (id INTEGER PRIMARY KEY, by integer, t text);
      INSERT INTO users WITH RECURSIVE n (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 9000) SELECT v, 'u' FROM n;
      INSERT INTO notes SELECT id, id, 't' FROM users;
      CREATE VIEW people AS SELECT id + 0 AS id, name FROM users`);
    const ask = await open(
      store,
      `type User @entity(table: "users") @unmanaged { id: ID! name: String notes: [Note!]! @relation(inverse: "by") }
      type Person @entity(table: "people") @readOnly { id: ID! name: String }
      type Note @entity(table: "notes") @unmanaged { id: ID! by: User @relation(inverse: "notes") person: Person @column(name: "by") @readOnly t: String }
      type Query { users(where: UserFilter): [User!]! notes(where: NoteFilter): [Note!]! }`,
    );
    match(String(await ask('{ users(where: { notes: { none: { t: { eq: "x" } } } }) { id } }')), /^GRAPH_TOO_SLOW/);
    match(String(await ask('{ notes(where: { not: { person: { name: { eq: "x" } } } }) { id } }')), /^GRAPH_TOO_SLOW/);
    deepEqual(await ask('{ notes(where: { by: { id: { eq: 7 } } }) { id } }'), { notes: [{ id: '7' }] });
  } finally {
    await store.close();
  }
});

testOnStores('keys of 64 bits are found to their last digit', async (store) => {
  const keys = ['9223372036854775807', '-9223372036854775808', '1000000000000000000', '9099999999999999999'];
  const rows = keys.map((key) => `(${key}, 1)`).join();
  await store.script(`
    CREATE TABLE things (id bigint PRIMARY KEY, n integer); INSERT INTO things VALUES ${rows};
    CREATE TABLE pairs (thing bigint, n integer, PRIMARY KEY (thing, n)); INSERT INTO pairs VALUES ${rows}`);
  const ask = await open(
    store,
    `type Thing @entity(table: "things") @unmanaged { code: ID! @id @column(name: "id") n: Int pairs: [Pair!]! @relation(inverse: "thing") }
    type Pair @entity(table: "pairs") @unmanaged { key: ID! @id(fields: ["thing", "n"]) thing: Thing! @relation(inverse: "pairs") n: Int! }
    type Query { thing(code: ID!): Thing pair(key: ID!): Pair }
    type Mutation { updateThing(code: ID!, n: Int): Thing deletePair(key: ID!): Boolean! }`,
  );
  for (const id of keys) {
    const pair = { key: `${id},1` };
    deepEqual(await ask(`{ thing(code: "${id}") { code pairs { key } } pair(key: "${id},1") { key } }`), {
      thing: { code: id, pairs: [pair] },
      pair,
    });
    deepEqual(await ask(`mutation { updateThing(code: "${id}", n: 2) { n } deletePair(key: "${id},1") }`), {
      updateThing: { n: 2 },
      deletePair: true,
    });
  }
  for (const id of ['9223372036854775808', '-9223372036854775809', '10000000000000000000'])
    deepEqual(await ask(`{ thing(code: "${id}") { code } pair(key: "${id},1") { key } }`), { thing: null, pair: null });
});

testOnStores('a key that compares without case is found by its own letters only', async (store) => {
  if (isPostgres(store)) await store.script('CREATE EXTENSION IF NOT EXISTS citext SCHEMA pg_catalog');
  const type = isPostgres(store) ? 'citext' : 'text COLLATE NOCASE';
  await store.script(`CREATE TABLE tags (name ${type} PRIMARY KEY, n integer, word ${type});
    INSERT INTO tags VALUES ('Red', 1, 'b'), ('blue', 2, 'A'), ('Green', 3, 'B'), ('amber', 4, 'a')`);
  const ask = await open(
    store,
    `type Tag @entity(table: "tags") @unmanaged { name: String! @id n: Int word: String }
    type Query {
      tag(name: String!): Tag tags(where: TagFilter, orderBy: [TagOrder!], first: Int): [Tag!]! named(name: String): [Tag!]!
      groups(groupBy: TagGroupBy!): [TagGroup!]! totals: TagAggregates!
    }
    type Mutation { saveTag(name: String!, n: Int): Tag updateTag(name: String!, n: Int): Tag deleteTag(name: String!): Boolean! }`,
  );
  const found = async (args: string): Promise<readonly number[]> => {
    const { tags } = (await ask(`{ tags(${args}) { n } }`)) as { readonly tags: readonly { readonly n: number }[] };
    return tags.map(({ n }) => n);
  };
  deepEqual(await ask('{ tag(name: "red") { n } named(name: "RED") { n } }'), { tag: null, named: [] });
  deepEqual(await ask('{ tag(name: "Red") { n } named(name: "blue") { n } }'), { tag: { n: 1 }, named: [{ n: 2 }] });
  deepEqual(await found('where: { name: { eq: "red" } }'), []);
  deepEqual(await found('where: { name: { eq: "Red" } }'), [1]);
  deepEqual(await found('where: { word: { in: ["A", "b"] } }, orderBy: [{ n: ASC }]'), [1, 2]);
  deepEqual(await found('where: { word: { ne: "a" } }, orderBy: [{ n: ASC }]'), [1, 2, 3]);
  deepEqual(await found('where: { word: { gt: "B" } }, orderBy: [{ n: ASC }]'), [1, 4]);
  deepEqual(await found('orderBy: [{ name: ASC }]'), [3, 1, 4, 2]);
  deepEqual(await found('orderBy: [{ word: DESC }], first: 2'), [1, 4]);
  deepEqual(
    await ask(
      '{ groups(groupBy: { word: true }) { keys { word } count } totals { min { word } countDistinct { word } } }',
    ),
    {
      groups: ['A', 'B', 'a', 'b'].map((word) => ({ keys: { word }, count: 1 })),
      totals: { min: { word: 'A' }, countDistinct: { word: 4 } },
    },
  );
  for (const write of ['updateTag(name: "red", n: 2) { n }', 'deleteTag(name: "red")'])
    match(String(await ask(`mutation { ${write} }`)), /^GRAPH_NOT_FOUND/);
  match(String(await ask('mutation { saveTag(name: "red", n: 2) { n } }')), /^GRAPH_NOT_UNIQUE/);
  deepEqual(await ask('mutation { updateTag(name: "Red", n: 2) { n } deleteTag(name: "Red") }'), {
    updateTag: { n: 2 },
    deleteTag: true,
  });
});

testOnStores(
  'a filter on related rows finds the same with and without a page, whatever collations their keys have',
  async (store) => {
    const loose = isPostgres(store) ? 'text' : 'text COLLATE NOCASE';
    await store.script(`
    CREATE TABLE users (login ${loose} PRIMARY KEY, name text); INSERT INTO users VALUES ('Ann', 'x');
    CREATE TABLE notes (id ${keyOf(store)}, by text); INSERT INTO notes (by) VALUES ('ann'), ('Ann')`);
    const ask = await open(
      store,
      `type User @entity(table: "users") @unmanaged { login: ID! @id name: String }
    type Note @entity(table: "notes") @unmanaged { id: ID! by: User }
    type Query { notes(where: NoteFilter, orderBy: [NoteOrder!], first: Int): [Note!]! }`,
    );
    const found = async (page: string): Promise<unknown> =>
      ask(`{ notes(where: { by: { name: { eq: "x" } } }, orderBy: [{ id: ASC }]${page}) { id by { name } } }`);
    const related = (await ask('{ notes(orderBy: [{ id: ASC }]) { id by { name } } }')) as {
      readonly notes: readonly { readonly by: unknown }[];
    };
    const expected = { notes: related.notes.filter(({ by }) => by !== null) };
    deepEqual(await found(''), expected);
    deepEqual(await found(', first: 5'), expected);
  },
);

/** Takes the constraint away, which the team's table may not have. */
async function dropConstraints(store: Store): Promise<void> {
  if (!isPostgres(store))
    return store.script(
      'ALTER TABLE notes RENAME TO old; CREATE TABLE notes (id INTEGER PRIMARY KEY, by INTEGER NOT NULL); INSERT INTO notes SELECT id, by FROM old; DROP TABLE old',
    );
  const names = await store
    .prepare("SELECT conname::text FROM pg_constraint WHERE conrelid = 'notes'::regclass AND contype = 'f'")
    .rows([]);
  for (const [name] of names) await store.script(`ALTER TABLE notes DROP CONSTRAINT "${String(name)}"`);
}
