// A renamed type is one step that keeps its rows: its table, the join tables named after it and their columns get the new
// name, foreign keys and unions follow.
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { createGraph } from '../../src/execute/create-graph.ts';
import { planMigration } from '../../src/migrate/plan-migration.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import type { Store } from '../../src/store/store.ts';
import { testOnStores } from '../stores.ts';

const modelOf = (text: string) => readSchema([{ file: 'test.graphql', text }]);

async function open(store: Store, schema: string) {
  const graph = await createGraph({ model: modelOf(schema), store });
  return async (query: string): Promise<unknown> => {
    const { data, errors } = JSON.parse((await graph.execute({ query })).body);
    equal(errors, undefined, JSON.stringify(errors));
    return data;
  };
}

const typesOf = (name: string, books: string, directive = ''): string => `
  type ${name} @entity ${directive} { id: ID! name: String! @unique books: [${books}!]! tags: [Tag!]! friends: [${name}!]! }
  type Book @entity { id: ID! title: String! author: ${name}! }
  type Tag @entity { id: ID! label: String! people: [${name}!]! }
  type Note @entity { id: ID! about: Thing things: [Thing!]! }
  union Thing = Book | ${name}
  input ThingKey @oneOf { Book: ID ${name}: ID }
  input NewPerson { name: String! tags: [ID!] friends: [ID!] }
  type Query { people: [${name}!]! tags: [Tag!]! notes: [Note!]! }
  type Mutation { createPerson(input: NewPerson!): ${name}! createTag(label: String!): Tag! createBook(title: String!, author: ID!): Book!
    createNote(about: ThingKey, things: [ThingKey!]): Note! deletePerson(id: ID!): ${name} }`;
const BEFORE = typesOf('Writer', 'Book');
const AFTER = typesOf('Author', 'Book', '@renamedFrom(name: "Writer")');

testOnStores('1 a renamed type is one step a table that keeps rows, relations and generated keys', async (store) => {
  const old = await open(store, BEFORE);
  await old('mutation { createTag(label: "x") { id } }');
  await old(
    'mutation { a: createPerson(input: { name: "Ann", tags: [1] }) { id } b: createPerson(input: { name: "Ben", friends: [1] }) { id } }',
  );
  await old(
    'mutation { createBook(title: "T", author: 2) { id } n: createNote(about: { Writer: 1 }, things: [{ Writer: 2 }, { Book: 1 }]) { id } }',
  );
  const model = modelOf(AFTER);
  const { steps } = await planMigration(model, store);
  deepEqual(
    steps.map(({ name, loses, blocked }) => [name, loses, blocked].filter(Boolean).join(' ')),
    [
      'rename writers',
      'rename writers_tags',
      'rename writers_friends',
      'rename writers_tags.writer',
      'rename writers_friends.from_writer',
      'rename writers_friends.to_writer',
      'values notes.about_type',
      'values notes_things.target_type',
    ],
  );
  const now = await open(store, AFTER);
  deepEqual(
    await now(
      '{ people { name books { title } tags { label } friends { name } } notes { about { ... on Author { name } } things { ... on Author { name } ... on Book { title author { name } } } } }',
    ),
    {
      people: [
        { name: 'Ann', books: [], tags: [{ label: 'x' }], friends: [] },
        { name: 'Ben', books: [{ title: 'T' }], tags: [], friends: [{ name: 'Ann' }] },
      ],
      notes: [{ about: { name: 'Ann' }, things: [{ title: 'T', author: { name: 'Ben' } }, { name: 'Ben' }] }],
    },
  );
  deepEqual(await now('{ tags { people { name } } }'), { tags: [{ people: [{ name: 'Ann' }] }] });
  const again = await planMigration(model, store);
  deepEqual([again.steps, again.sql, again.optional], [[], [], []]);
  deepEqual(
    await now('mutation { createPerson(input: { name: "Cid", tags: [1], friends: [2] }) { id friends { name } } }'),
    {
      createPerson: { id: '3', friends: [{ name: 'Ben' }] },
    },
  );
  // The indexes have the names of a new table.
  const names = await store
    .prepare(
      store.dialect === 'sqlite'
        ? "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'writers%'"
        : "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'writers%\\_idx' OR indexname LIKE 'writers%\\_key'",
    )
    .rows([]);
  deepEqual(names, []);
});

testOnStores('1 a renamed type may change in the same step, and its list may be renamed too', async (store) => {
  const old = await open(store, BEFORE);
  await old('mutation { createTag(label: "x") { id } createPerson(input: { name: "Ann", tags: [1] }) { id } }');
  const schema = `type Author @entity @renamedFrom(name: "Writer") { id: ID! fullName: String! @renamedFrom(name: "name") labels: [Tag!]! @renamedFrom(name: "tags") born: Int }
    type Tag @entity { id: ID! label: String! people: [Author!]! } type Query { people: [Author!]! tags: [Tag!]! }`;
  const now = await open(store, schema);
  deepEqual(await now('{ people { fullName born labels { label } } tags { people { fullName } } }'), {
    people: [{ fullName: 'Ann', born: null, labels: [{ label: 'x' }] }],
    tags: [{ people: [{ fullName: 'Ann' }] }],
  });
});

testOnStores('1 a renamed type leaves tables of others and of types that are still there', async (store) => {
  const simple = (rest: string): string => `${rest} type Query { authors: [Author!]! }`;
  await store.script('CREATE TABLE authors (id integer PRIMARY KEY); CREATE TABLE writers (id integer PRIMARY KEY)');
  const unmanaged = modelOf(
    simple('type Author @entity(table: "writers") @unmanaged @renamedFrom(name: "Poet") { id: ID! }'),
  );
  deepEqual(
    (await planMigration(unmanaged, store)).steps.filter(({ name }) => !name.startsWith('create lockstitch')),
    [],
  );
  throws(
    () =>
      modelOf(simple('type Author @entity @renamedFrom(name: "Writer") { id: ID! } type Writer @entity { id: ID! }')),
    /Type Author is renamed from Writer, which the schema still has\. Remove type Writer, or @renamedFrom\./,
  );
  await store.script('DROP TABLE authors; CREATE VIEW authors AS SELECT id FROM writers');
  const { steps } = await planMigration(
    modelOf(simple('type Author @entity @renamedFrom(name: "Writer") { id: ID! }')),
    store,
  );
  match(
    steps.map(({ name, loses, blocked }) => `${name} ${blocked} ${loses}`).join(),
    /^rename writers true a view is called authors; rename it first/,
  );
});
