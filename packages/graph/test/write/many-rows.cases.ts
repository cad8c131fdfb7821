// Writes of many rows: few statements, with the keys and the changes that row by row would have given.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { createGraph, readSchema, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  type Album @entity { id: ID! title: String! photos: [Photo!]! }
  type Photo @entity { id: ID! name: String! rating: Float price: Decimal tag: String! @default(value: "none") code: String @unique
    version: Int! @default(value: "version") album: Album owner: User }
  scalar Decimal
  type User @entity { login: ID! @id photos: [Photo!]! }
  input NewPhoto { id: ID name: String! rating: Float price: Decimal code: String owner: ID }
  input NewAlbum { title: String! photos: [NewPhoto!] }
  input NewShot { name: String! owner: ShotOwner }
  input ShotOwner { create: NewUser connect: ID }
  input NewUser { login: ID! photos: [NewPhoto!] }
  type Query { albums: [Album!]! photos(where: PhotoFilter): [Photo!]! }
  type Mutation {
    createUser(login: ID!): User!
    createAlbum(input: NewAlbum!): Album!
    createAlbums(inputs: [NewAlbum!]!): [Album!]!
    createUsers(inputs: [NewUser!]!): [User!]!
    createPhotos(inputs: [NewPhoto!]!): [Photo!]!
    createShots(inputs: [NewShot!]!): [Photo!]!
    deletePhotos(where: PhotoFilter!): Int!
    updatePhotos(where: PhotoFilter!, name: String, rating: Float): Int!
  }`;

async function open(store: Store) {
  const graph = await createGraph({ model: readSchema([{ file: 's.graphql', text: SCHEMA }]), store, explain: true });
  const ask = async (query: string, variables: Record<string, unknown> = {}) => {
    const request = { query, variables, extensions: { explain: true } };
    const { body } = await graph.execute(request);
    return JSON.parse(body) as {
      data: Record<string, any> | null; // eslint-disable-line typescript/no-explicit-any -- answers of every shape
      errors?: { extensions: { code: string } }[];
      extensions?: { explain: { statements: { sql: string }[] } };
    };
  };
  await ask('mutation { createUser(login: "ann") { login } }');
  return { graph, ask };
}

/** The number of statements of a kind. */
function count({ extensions }: Awaited<ReturnType<Awaited<ReturnType<typeof open>>['ask']>>, kind: RegExp): number {
  return extensions!.explain.statements.filter(({ sql }) => kind.test(sql)).length;
}

const photos = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `p${index}`,
    rating: index / 2,
    price: `${index}.5`,
    owner: index % 3 === 0 ? null : 'ann',
  }));

testOnStores(
  'nested rows are inserted by few statements, in their order, with their keys and changes',
  async (store) => {
    const { graph, ask } = await open(store);
    const seen = await graph.feed.head();
    const selection = '{ id photos { id name rating price tag version owner { login } } }';
    const made = await ask(`mutation ($input: NewAlbum!) { createAlbum(input: $input) ${selection} }`, {
      input: { title: 'A', photos: photos(21) },
    });
    equal(made.errors, undefined, JSON.stringify(made));
    const inserts = made.extensions!.explain.statements.filter(({ sql }) => /INSERT INTO "photos"/.test(sql));
    ok(inserts.length <= 4, `${inserts.length} statements`);
    const expected = photos(21).map((given, index) => {
      const { name, owner, price, rating } = given as {
        name: string;
        owner: string | null;
        price: string;
        rating: number;
      };
      const person = owner === null ? null : { login: owner };
      return { id: String(index + 1), name, rating, price, tag: 'none', version: 1, owner: person };
    });
    deepEqual(made.data, { createAlbum: { id: '1', photos: expected } });
    const changes = await graph.feed.read(seen);
    deepEqual(
      changes.map(({ type, key, after }) => `${type} ${key} ${String(after?.['name'])}`),
      ['Album 1 undefined', ...expected.map(({ id, name }) => `Photo ${id} ${name}`)],
    );
  },
);

testOnStores(
  'rows of several parents are inserted by one statement a type and level; a parent may bring its key',
  async (store) => {
    const { ask, graph } = await open(store);
    const seen = await graph.feed.head();
    const inputs = ['A', 'B', 'C', 'D'].map((title) => ({
      title,
      photos: [{ name: `${title}1` }, { name: `${title}2` }],
    }));
    const albums = await ask(
      'mutation ($inputs: [NewAlbum!]!) { createAlbums(inputs: $inputs) { id title photos { id name } } }',
      { inputs },
    );
    deepEqual(albums.data, {
      createAlbums: inputs.map(({ title, photos: given }, index) => ({
        id: String(index + 1),
        title,
        photos: given.map(({ name }, place) => ({ id: String(index * 2 + place + 1), name })),
      })),
    });
    equal(count(albums, /^INSERT INTO "(albums|photos)"/), 2);
    deepEqual(
      (await graph.feed.read(seen)).map(({ type, key, after }) => [type, key, after?.['album']]),
      [
        ...['1', '2', '3', '4'].map((key) => ['Album', key, undefined]),
        ...['1', '1', '2', '2', '3', '3', '4', '4'].map((album, index) => ['Photo', String(index + 1), album]),
      ],
    );
    const logins = ['u1', 'u2', 'u3', 'u4'];
    const users = await ask(
      'mutation ($inputs: [NewUser!]!) { createUsers(inputs: $inputs) { login photos { name } } }',
      {
        inputs: logins.map((login) => ({ login, photos: [{ name: login }] })),
      },
    );
    deepEqual(users.data, { createUsers: logins.map((login) => ({ login, photos: [{ name: login }] })) });
    equal(count(users, /^INSERT INTO "(users|photos)"/), 2);
  },
);

testOnStores('an object may refer to one that another object of the same mutation brings along', async (store) => {
  const { ask } = await open(store);
  const made = await ask('mutation ($inputs: [NewShot!]!) { createShots(inputs: $inputs) { name owner { login } } }', {
    inputs: [
      { name: 'a', owner: { create: { login: 'bo' } } },
      { name: 'b', owner: { connect: 'bo' } },
    ],
  });
  const owner = { login: 'bo' };
  deepEqual(made.data, {
    createShots: [
      { name: 'a', owner },
      { name: 'b', owner },
    ],
  });
});

testOnStores('a delete by filter deletes its rows by one statement', async (store) => {
  const { ask, graph } = await open(store);
  await ask('mutation ($inputs: [NewPhoto!]!) { createPhotos(inputs: $inputs) { id } }', { inputs: photos(5) });
  const seen = await graph.feed.head();
  const gone = await ask('mutation { deletePhotos(where: { id: { gte: 2 } }) }');
  deepEqual(gone.data, { deletePhotos: 4 });
  equal(count(gone, /^DELETE FROM "photos"/), 1);
  deepEqual(
    (await graph.feed.read(seen)).map(({ operation, key }) => `${operation} ${key}`),
    ['deleted 5', 'deleted 4', 'deleted 3', 'deleted 2'],
  );
  deepEqual((await ask('{ photos { name } }')).data, { photos: [{ name: 'p0' }] });
});

testOnStores(
  'rows with and without keys of their own are inserted one by one; a refused row undoes all',
  async (store) => {
    const { ask } = await open(store);
    const create = (inputs: readonly object[]) =>
      ask('mutation ($inputs: [NewPhoto!]!) { createPhotos(inputs: $inputs) { id name } }', { inputs });
    const mixed = await create([{ name: 'a' }, { id: '7', name: 'b' }, { name: 'c' }]);
    equal(mixed.errors, undefined, JSON.stringify(mixed));
    deepEqual(
      (mixed.data!['createPhotos'] as readonly { name: string }[]).map(({ name }) => name),
      ['a', 'b', 'c'],
    );
    const refused = await create([{ name: 'd', code: 'x' }, { name: 'e' }, { name: 'f', code: 'x' }]);
    equal(refused.errors?.[0]?.extensions.code, 'GRAPH_NOT_UNIQUE');
    // The sequence goes on after a key that was given.
    deepEqual((await ask('{ photos { id name } }')).data, { photos: mixed.data!['createPhotos'] });
  },
);

testOnStores(
  'rows that an update gives the same values share a statement; unchanged rows are not written',
  async (store) => {
    const { graph, ask } = await open(store);
    await ask('mutation ($inputs: [NewPhoto!]!) { createPhotos(inputs: $inputs) { id } }', { inputs: photos(12) });
    // Another version than the others.
    await ask('mutation { updatePhotos(where: { name: { eq: "p3" } }, rating: 9) }');
    const seen = await graph.feed.head();
    const made = await ask('mutation { updatePhotos(where: { id: { lte: 6 } }, name: "p0") }');
    deepEqual(made.data, { updatePhotos: 6 });
    const updates = made.extensions!.explain.statements.filter(({ sql }) => sql.startsWith('UPDATE'));
    equal(updates.length, 2, 'one for each version');
    const changes = await graph.feed.read(seen);
    deepEqual(
      changes.map(({ key, before, after }) => [key, before, after?.['version']]),
      [2, 3, 4, 5, 6].map((key) => {
        const version = key === 4 ? 2 : 1;
        return [String(key), { name: `p${key - 1}`, version }, version + 1];
      }),
    );
    deepEqual((await ask('{ photos(where: { name: { eq: "p0" } }) { id version } }')).data, {
      photos: ['1', '2', '3', '4', '5', '6'].map((id) => ({ id, version: id === '1' ? 1 : id === '4' ? 3 : 2 })),
    });
  },
);

testOnStores('keys are right where a trigger inserts into the same table meanwhile', async (store) => {
  const { ask } = await open(store);
  await store.script(
    store.dialect === 'sqlite'
      ? `CREATE TRIGGER copies AFTER INSERT ON albums WHEN NEW.title NOT LIKE 'copy%'
         BEGIN INSERT INTO albums (title) VALUES ('copy of ' || NEW.title); END`
      : `CREATE FUNCTION copies() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO albums (title) VALUES ('copy of ' || NEW.title); RETURN NULL; END $$;
         CREATE TRIGGER copies AFTER INSERT ON albums FOR EACH ROW WHEN (NEW.title NOT LIKE 'copy%') EXECUTE FUNCTION copies()`,
  );
  const inputs = ['a', 'b', 'c'].map((title) => ({ title, photos: [{ name: `p${title}` }] }));
  const { data, errors } = await ask(
    'mutation M($inputs: [NewAlbum!]!) { createAlbums(inputs: $inputs) { title photos { name } } }',
    { inputs },
  );
  equal(errors, undefined);
  deepEqual(
    data!['createAlbums'],
    ['a', 'b', 'c'].map((title) => ({ title, photos: [{ name: `p${title}` }] })),
  );
});
