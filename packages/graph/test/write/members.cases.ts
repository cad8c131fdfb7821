// Mutations that say which object of an interface or union a relation leads to.
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { createPrincipal } from '@lockstitch/kernel';
import { createGraph, readSchema, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  type Photo @entity @auth(read: "public") { id: ID! name: String! public: Boolean! @default(value: "true") }
  type User @entity { login: ID! @id favourite: Item }
  union Item = Photo | User
  type Shelf @entity { id: ID! title: String cover: Item! items: [Item!]! }
  input ItemKey @oneOf { Photo: ID User: ID }
  input LooseKey { Photo: ID User: ID }
  input ItemChange { connect: [ItemKey!] disconnect: [ItemKey!] set: [ItemKey!] }
  input NewShelf { title: String cover: ItemKey! items: [ItemKey!] }
  input ShelfChange { title: String cover: LooseKey items: ItemChange }
  type Query { shelf(id: ID!): Shelf user(login: ID!): User photo(id: ID!): Photo }
  type Mutation {
    createPhoto(name: String!, public: Boolean): Photo!
    createUser(login: ID!, favourite: ItemKey): User!
    setFavourite(login: ID!, favourite: ItemKey): User!
    createShelf(input: NewShelf!): Shelf!
    updateShelf(id: ID!, input: ShelfChange!): Shelf!
    setItems(id: ID!, items: [ItemKey!]): Shelf!
  }`;

async function open(store: Store) {
  const graph = await createGraph({ model: readSchema([{ file: 's.graphql', text: SCHEMA }]), store });
  const ask = async (query: string) =>
    JSON.parse((await graph.execute({ query }, { principal: createPrincipal('ann') })).body) as {
      data: Record<string, any> | null; // eslint-disable-line typescript/no-explicit-any -- answers of every shape
      errors?: { message: string; extensions: { code: string } }[];
    };
  const SHELF = '{ id cover { ...I } items { ...I } }';
  const shelf = async (mutation: string) => {
    const { data, errors } = await ask(
      `mutation { made: ${mutation} ${SHELF} } fragment I on Item { ... on Photo { id } ... on User { login } }`,
    );
    equal(errors, undefined, JSON.stringify(errors));
    return {
      cover: Object.values(data!['made'].cover ?? {})[0],
      items: data!['made'].items.map((each: object) => Object.values(each)[0]),
    };
  };
  await ask(
    'mutation { a: createPhoto(name: "a") { id } b: createPhoto(name: "b") { id } u: createUser(login: "ann", favourite: { Photo: 1 }) { login } }',
  );
  let seen = await graph.feed.head();
  const changes = async () => {
    const read = await graph.feed.read(seen);
    seen = read.at(-1)?.position ?? seen;
    return read.map(({ type, key, operation, links }) => ({ type, key, operation, links }));
  };
  return { graph, ask, shelf, changes };
}

testOnStores('an object of a union is referenced by type and key, alone and in lists', async (store) => {
  const { ask, shelf, changes } = await open(store);
  deepEqual(
    await shelf('createShelf(input: { cover: { User: "ann" }, items: [{ Photo: 2 }, { User: "ann" }, { Photo: 2 }] })'),
    {
      cover: 'ann',
      items: ['2', 'ann'],
    },
  );
  deepEqual(await changes(), [
    {
      type: 'Shelf',
      key: '1',
      operation: 'created',
      links: { items: { added: ['Photo:2', 'User:ann'], removed: [] } },
    },
  ]);
  deepEqual(
    await shelf(
      'updateShelf(id: 1, input: { cover: { Photo: 1 }, items: { connect: [{ Photo: 1 }], disconnect: [{ User: "ann" }, { User: "ann" }] } })',
    ),
    {
      cover: '1',
      items: ['1', '2'],
    },
  );
  deepEqual((await changes())[0]!.links, { items: { added: ['Photo:1'], removed: ['User:ann'] } });
  deepEqual((await shelf('setItems(id: 1, items: [{ User: "ann" }])')).items, ['ann']);
  deepEqual((await shelf('updateShelf(id: 1, input: { items: { set: [] } })')).items, []);
  deepEqual(await ask('mutation { setFavourite(login: "ann", favourite: null) { favourite { __typename } } }'), {
    data: { setFavourite: { favourite: null } },
  });
  deepEqual(
    await ask('mutation { setFavourite(login: "ann", favourite: { User: "ann" }) { favourite { __typename } } }'),
    {
      data: { setFavourite: { favourite: { __typename: 'User' } } },
    },
  );
});

testOnStores(
  'keys that nothing has, or that the caller may not see, are told, and nothing is written',
  async (store) => {
    const { ask, changes } = await open(store);
    await ask('mutation { createPhoto(name: "hidden", public: false) { id } }');
    await changes();
    for (const key of ['{ Photo: 99 }', '{ Photo: 3 }', '{ Photo: "x" }', '{ User: "nobody" }']) {
      const { errors } = await ask(`mutation { createShelf(input: { cover: ${key} }) { id } }`);
      equal(errors![0]!.extensions.code, 'GRAPH_NOT_FOUND', key);
      match(errors![0]!.message, /no (?:Photo|User) has (?:id|login) .*"input\.cover\.(?:Photo|User)"/);
    }
    const { data } = await ask('mutation { createShelf(input: { cover: { User: "ann" } }) { id } }');
    await changes();
    for (const key of ['{}', '{ Photo: 1, User: "ann" }', 'null']) {
      const { errors } = await ask(
        `mutation { updateShelf(id: ${data!['createShelf'].id}, input: { cover: ${key} }) { id } }`,
      );
      equal(errors![0]!.extensions.code, 'GRAPH_INPUT_INVALID', key);
    }
    deepEqual(await changes(), []);
  },
);

testOnStores('hidden members of a list stay when it is replaced', async (store) => {
  const { graph, shelf } = await open(store);
  await shelf('createShelf(input: { cover: { User: "ann" }, items: [{ Photo: 1 }, { Photo: 2 }] })');
  await graph.store.transaction(async (session) => {
    await session
      .prepare(`UPDATE photos SET public = ${store.dialect === 'sqlite' ? '0' : 'false'} WHERE id = 2`)
      .run([]);
  });
  deepEqual((await shelf('setItems(id: 1, items: [{ User: "ann" }])')).items, ['ann']);
  const kept = await store.prepare('SELECT target_type, target_key FROM shelfs_items ORDER BY 1, 2').rows([]);
  deepEqual(
    kept.map((row) => row.join(' ')),
    ['Photo 2', 'User ann'],
  );
});

testOnStores(
  'an input that cannot name an object of the union is a start-up error that shows one that can',
  async () => {
    const read = (input: string): (() => unknown) => {
      const text = SCHEMA.replace('input ItemKey @oneOf { Photo: ID User: ID }', input);
      return () => readSchema([{ file: 's.graphql', text }]);
    };
    throws(
      read('input ItemKey { Photo: ID Album: ID }'),
      /"ItemKey\.Album: ID" names no Item\. Take an input object that names one: input ItemKey @oneOf \{ Photo: ID User: ID \}/,
    );
    throws(read('scalar JSON input ItemKey { Photo: Int }'), /"ItemKey\.Photo: Int" names no Item/);
    throws(
      () =>
        readSchema([
          {
            file: 's.graphql',
            text: SCHEMA.replace('favourite: ItemKey): User!\n    setF', 'favourite: ID): User!\n    setF'),
          },
        ]),
      /does not say which of its types/,
    );
  },
);
