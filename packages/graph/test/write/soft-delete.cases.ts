// Soft deletion: a deleted object exists for nobody, its row stays, and restoring brings back what was deleted with it.
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { applyMigration, createGraph, openSqliteStore, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';
import { compareHistory } from './removal-histories.ts';

const SCHEMA = `
  scalar DateTime
  enum Deleted { EXCLUDE INCLUDE ONLY }
  interface Named { id: ID! name: String }
  type Photo implements Named
    @entity(softDelete: "deletedAt")
    @auth(read: "not hidden", readDeleted: "owner == authentication.name or hasRole('ADMIN')", delete: "owner == authentication.name or hasRole('ADMIN')", purge: "hasRole('ADMIN')") {
    id: ID!
    name: String @search
    slug: String @unique
    owner: String
    hidden: Boolean! @default(value: "false")
    deletedAt: DateTime
    version: Int! @default(value: "version")
    album: Album @relation(onDelete: SET_NULL, onDeleteRules: OVERRIDE)
    tags: [Tag!]! @relation(onDeleteRules: OVERRIDE)
    comments(deleted: Deleted): [Comment!]!
    cover: Cover
  }
  type Comment implements Named @entity(softDelete: "deletedAt") @auth(readDeleted: "true") {
    id: ID! @id @default(value: "uuid") name: String deletedAt: DateTime photo: Photo! @relation(onDelete: CASCADE)
  }
  type Cover @entity { id: ID! @id @default(value: "uuid") photo: Photo! @relation(onDelete: RESTRICT) }
  type Album @entity(softDelete: "gone") @auth(readDeleted: "true", purge: "true") { id: ID! name: String gone: Boolean! photos: [Photo!]! }
  type Tag implements Named @entity(softDelete: "deletedAt") { id: ID! @id @default(value: "uuid") name: String @unique deletedAt: DateTime photos: [Photo!]! }
  type Query {
    photo(id: ID!, deleted: Deleted): Photo
    photos(where: PhotoFilter, orderBy: [PhotoOrder!], deleted: Deleted = EXCLUDE): [Photo!]!
    pages(first: Int = 10, after: String, deleted: Deleted): PhotoConnection!
    photoCount(where: PhotoFilter, deleted: Deleted): Int!
    photoTotals(deleted: Deleted): PhotoAggregates!
    photoBySlug(slug: String!, deleted: Deleted): Photo
    album(id: ID!): Album
    albums(where: AlbumFilter): [Album!]!
    tags: [Tag!]!
    comments: [Comment!]!
    named: [Named!]!
  }
  input PhotoInput { name: String slug: String owner: String hidden: Boolean album: ID comments: CommentWords tags: TagWords }
  input CommentWords { create: [CommentInput!] }
  input CommentInput { name: String }
  input TagWords { create: [TagInput!] connect: [ID!] set: [ID!] }
  input TagInput { name: String }
  type Mutation {
    createPhoto(input: PhotoInput!): Photo!
    updatePhoto(id: ID!, input: PhotoInput!): Photo!
    savePhoto(input: PhotoInput!): Photo!
    deletePhoto(id: ID!): Photo
    deletePhotos(where: PhotoFilter!): Int!
    restorePhoto(id: ID!): Photo!
    restorePhotos(where: PhotoFilter!): Int!
    purgePhoto(id: ID!): Boolean!
    createComment(name: String, photo: ID!): Comment!
    restoreComment(id: ID!): Comment!
    createCover(photo: ID!): Cover!
    deleteCover(id: ID!): Boolean!
    createAlbum(name: String): Album!
    deleteAlbum(id: ID!): Album
    restoreAlbum(id: ID!): Album!
    purgeAlbum(id: ID!): Boolean!
    deleteTag(id: ID!): Boolean!
  }`;

const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);
const ANN = createPrincipal('ann', ['ROLE_USER']);
const BOB = createPrincipal('bob', ['ROLE_USER']);

interface Opened {
  readonly graph: Graph;
  /** The data of an operation, or its errors as `CODE message`. */
  // eslint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly ask: (query: string, principal?: Principal) => Promise<any>;
  readonly changes: () => Promise<readonly string[]>;
}

async function open(store: Store, text = SCHEMA): Promise<Opened> {
  const model = readSchema([{ file: 'schema.graphql', text }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  let seen = await graph.feed.head();
  return {
    graph,
    async ask(query, principal = ADMIN) {
      const { body } = await graph.execute({ query }, { principal });
      const { data, errors } = JSON.parse(body) as {
        data: unknown;
        errors?: readonly { message: string; extensions: { code: string } }[];
      };
      return errors === undefined ? data : errors.map(({ extensions, message }) => `${extensions.code} ${message}`);
    },
    async changes() {
      const changes = await graph.feed.read(seen);
      seen = changes.at(-1)?.position ?? seen;
      return changes.map(({ operation, type, key }) => `${operation} ${type} ${/^\d+$/.test(key) ? key : ''}`.trim());
    },
  };
}

async function filled(store: Store): Promise<Opened> {
  const opened = await open(store);
  for (const field of [
    'createAlbum(name: "all") { id }',
    'createPhoto(input: { name: "a", slug: "a", owner: "ann", album: 1, comments: { create: [{ name: "c" }, { name: "c" }] }, tags: { create: [{ name: "t" }] } }) { id }',
    'createPhoto(input: { name: "b", slug: "b", owner: "bob", album: 1 }) { id }',
    'createPhoto(input: { name: "h", slug: "h", owner: "ann" }) { id }',
  ]) {
    const answer = await opened.ask(`mutation { ${field} }`);
    equal(Array.isArray(answer), false, String(answer));
  }
  await store.prepare('UPDATE photos SET hidden = true WHERE id = 3').run([]);
  await opened.changes();
  return opened;
}

testOnStores('19.2 a deleted object is gone from every read, and its row stays', async (store) => {
  const { ask, changes } = await filled(store);
  deepEqual(await ask('mutation { deletePhoto(id: 1) { name deletedAt } }'), {
    deletePhoto: { name: 'a', deletedAt: null },
  });
  deepEqual((await changes()).toSorted(), ['deleted Comment', 'deleted Comment', 'deleted Photo 1']);
  deepEqual(
    await ask(`{
      photo(id: 1) { id } photoBySlug(slug: "a") { id } photos { name } photoCount photoTotals { count min { name } }
      pages { totalCount nodes { name } } comments { id } named { name }
      album(id: 1) { photos { name } } tags { photos { name } }
      albums(where: { photos: { any: { name: { eq: "a" } } } }) { id }
    }`),
    {
      photo: null,
      photoBySlug: null,
      photos: [{ name: 'b' }],
      photoCount: 1,
      photoTotals: { count: 1, min: { name: 'b' } },
      pages: { totalCount: 1, nodes: [{ name: 'b' }] },
      comments: [],
      named: [{ name: 'b' }, { name: 't' }],
      album: { photos: [{ name: 'b' }] },
      tags: [{ photos: [] }],
      albums: [],
    },
  );
  equal((await store.prepare('SELECT count(*) FROM photos WHERE deleted_at IS NOT NULL').rows([]))[0]?.[0], 1);
});

testOnStores('19.2 no write finds a deleted object', async (store) => {
  const { ask } = await filled(store);
  await ask('mutation { deletePhoto(id: 1) { id } }');
  for (const field of [
    'updatePhoto(id: 1, input: { name: "x" }) { id }',
    'deletePhoto(id: 1) { id }',
    'createComment(name: "x", photo: 1) { id }',
    'restorePhoto(id: 99) { id }',
  ])
    match(String(await ask(`mutation { ${field} }`)), /^GRAPH_NOT_FOUND/, field);
  match(
    String(await ask('mutation { restorePhoto(id: 2) { id } }')),
    /^GRAPH_NOT_DELETED restorePhoto failed: Photo "2" is not deleted/,
  );
  deepEqual(await ask('mutation { deletePhotos(where: { and: [] }) }'), { deletePhotos: 1 });
  // Replacing a list leaves alone what is deleted.
  const tag = String((await store.prepare('SELECT id FROM tags').rows([]))[0]?.[0]);
  await ask('mutation { restorePhoto(id: 1) { id } }');
  await ask(`mutation { deleteTag(id: "${tag}") }`);
  deepEqual(await ask('mutation { updatePhoto(id: 1, input: { tags: { set: [] } }) { tags { name } } }'), {
    updatePhoto: { tags: [] },
  });
  equal((await store.prepare('SELECT count(*) FROM photos_tags').rows([]))[0]?.[0], 1);
});

testOnStores('19.2 unique values of deleted objects are free', async (store) => {
  const { ask } = await filled(store);
  await ask('mutation { deletePhoto(id: 1) { id } }');
  deepEqual(await ask('mutation { savePhoto(input: { slug: "a", name: "new", owner: "ann" }) { id name } }'), {
    savePhoto: { id: '4', name: 'new' },
  });
  match(String(await ask('mutation { createPhoto(input: { slug: "a" }) { id } }')), /^GRAPH_NOT_UNIQUE/);
  // Restored, it would be the second one.
  match(String(await ask('mutation { restorePhoto(id: 1) { id } }')), /^GRAPH_NOT_UNIQUE/);
  deepEqual(await ask('{ photoBySlug(slug: "a", deleted: INCLUDE) { id } }'), { photoBySlug: { id: '1' } });
});

testOnStores('19.2 an object is restored with what was deleted with it, and its relations', async (store) => {
  const { ask, changes } = await filled(store);
  await ask('mutation { deletePhoto(id: 1) { id } }');
  await changes();
  deepEqual(
    await ask(
      'mutation { restorePhoto(id: 1) { name deletedAt version album { name } tags { name } comments { name } } }',
    ),
    {
      restorePhoto: {
        name: 'a',
        deletedAt: null,
        version: 3,
        album: { name: 'all' },
        tags: [{ name: 't' }],
        comments: [{ name: 'c' }, { name: 'c' }],
      },
    },
  );
  deepEqual((await changes()).toSorted(), ['created Comment', 'created Comment', 'created Photo 1']);
  await ask('mutation { a: deletePhoto(id: 1) { id } b: deletePhoto(id: 2) { id } }');
  deepEqual(await ask('mutation { restorePhotos(where: { name: { in: ["a", "b"] } }) }'), { restorePhotos: 2 });
});

testOnStores('19.2 a reference to a deleted object reads null and returns with it', async (store) => {
  const { ask, changes } = await filled(store);
  deepEqual(await ask('mutation { deleteAlbum(id: 1) { name gone } }'), { deleteAlbum: { name: 'all', gone: false } });
  deepEqual(await changes(), ['deleted Album 1']);
  deepEqual(
    await ask(
      '{ photos(where: { album: { id: { eq: 1 } } }) { id } all: photos(orderBy: [{ album: { name: ASC } }]) { album { id } } }',
    ),
    { photos: [], all: [{ album: null }, { album: null }] },
  );
  await ask('mutation { restoreAlbum(id: 1) { id } }');
  deepEqual(await ask('{ photos(where: { album: { id: { eq: 1 } } }) { album { id } } }'), {
    photos: [{ album: { id: '1' } }, { album: { id: '1' } }],
  });
});

testOnStores('19.2 rules say who sees, restores and purges deleted objects', async (store) => {
  const { ask } = await filled(store);
  await store.prepare(`UPDATE photos SET deleted_at = '2024-01-01T00:00:00.000Z'`).run([]);
  const deleted = '{ photos(deleted: ONLY) { name } photoCount(deleted: INCLUDE) }';
  // Hidden ones stay hidden.
  deepEqual(await ask(deleted, ANN), { photos: [{ name: 'a' }], photoCount: 1 });
  deepEqual(await ask(deleted), { photos: [{ name: 'a' }, { name: 'b' }], photoCount: 2 });
  deepEqual(await ask('{ photo(id: 2, deleted: INCLUDE) { name } }', ANN), { photo: null });
  match(String(await ask('mutation { restorePhoto(id: 2) { id } }', ANN)), /^GRAPH_NOT_FOUND/);
  match(String(await ask('mutation { restorePhoto(id: 3) { id } }')), /^GRAPH_NOT_FOUND/);
  deepEqual(await ask('mutation { restorePhotos(where: { and: [] }) }', BOB), { restorePhotos: 1 });
  match(String(await ask('mutation { purgePhoto(id: 2) }', BOB)), /^GRAPH_FORBIDDEN/);
  match(String(await ask('mutation { purgePhoto(id: 99) }', BOB)), /^GRAPH_FORBIDDEN/);
  deepEqual(await ask('mutation { a: purgePhoto(id: 1) b: purgePhoto(id: 2) }'), { a: true, b: true });
  equal((await store.prepare('SELECT count(*) FROM photos').rows([]))[0]?.[0], 1);
});

test('19.2 restoring checks the right to an object before its version, as deleting does', async (context) => {
  const store = await openSqliteStore({ file: ':memory:' });
  context.after(() => store.close());
  const { ask } = await open(
    store,
    `type Note @entity(softDelete: "isGone") @auth(readDeleted: "true", delete: "owner == authentication.name") {
      id: ID! owner: String isGone: Boolean! version: Int! @default(value: "version")
    }
    type Query { notes: [Note!]! }
    type Mutation {
      createNote(owner: String): Note!
      deleteNote(id: ID!, version: Int): Boolean!
      restoreNote(id: ID!, version: Int): Note!
    }`,
  );
  await ask('mutation { createNote(owner: "bob") { id } }');
  match(String(await ask('mutation { deleteNote(id: 1, version: 99) }', ANN)), /^GRAPH_FORBIDDEN/);
  deepEqual(await ask('mutation { deleteNote(id: 1) }', BOB), { deleteNote: true });
  match(String(await ask('mutation { restoreNote(id: 1, version: 99) { id } }', ANN)), /^GRAPH_FORBIDDEN/);
  match(String(await ask('mutation { restoreNote(id: 1, version: 99) { id } }', BOB)), /^GRAPH_CONFLICT/);
});

testOnStores('19.2 purging removes deleted holders too, and is refused where one must stay', async (store) => {
  const { ask, changes } = await filled(store);
  await ask('mutation { deletePhoto(id: 1) { id } }');
  await ask('mutation { createCover(photo: 2) { id } }');
  await changes();
  deepEqual(await ask('mutation { purgePhoto(id: 1) }'), { purgePhoto: true });
  // Nobody knew of it any more.
  deepEqual(await changes(), []);
  equal((await store.prepare('SELECT count(*) FROM comments').rows([]))[0]?.[0], 0);
  match(String(await ask('mutation { deletePhoto(id: 2) { id } }')), /^GRAPH_RESTRICTED/);
  await ask('mutation { deleteAlbum(id: 1) { id } }');
  deepEqual(await ask('mutation { purgeAlbum(id: 1) }'), { purgeAlbum: true });
  deepEqual(await ask('{ photo(id: 2) { album { id } } }'), { photo: { album: null } });
});

testOnStores('19.2 an object that needs a deleted one is not restored alone', async (store) => {
  const { ask } = await filled(store);
  await ask('mutation { deletePhoto(id: 1) { id } }');
  const key = String((await store.prepare('SELECT id FROM comments').rows([]))[0]?.[0]);
  match(String(await ask(`mutation { restoreComment(id: "${key}") { id } }`)), /^GRAPH_RESTORE_ORPHAN/);
});

testOnStores('19.2 soft deletion of a table in use keeps unique values of deleted rows free', async (store) => {
  const before =
    'type Item @entity { id: ID! code: String @unique } type Query { items: [Item!]! } type Mutation { createItem(code: String): Item! }';
  const first = await open(store, before);
  await first.ask('mutation { createItem(code: "x") { id } }');
  const after = `scalar DateTime ${before.replace('@entity', '@entity(softDelete: "deletedAt")').replace('code:', 'deletedAt: DateTime code:').replace('type Mutation {', 'type Mutation { deleteItem(id: ID!): Boolean!')}`;
  const second = await open(store, after);
  await second.ask('mutation { deleteItem(id: 1) }');
  deepEqual(await second.ask('mutation { createItem(code: "x") { id } }'), { createItem: { id: '2' } });
  match(String(await second.ask('mutation { createItem(code: "x") { id } }')), /^GRAPH_NOT_UNIQUE/);
  // Nothing is left to migrate.
  deepEqual(
    (await applyMigration(second.graph.model, store)).steps.map(({ text }) => text),
    [],
  );
});

testOnStores('19.2 purging tells nothing of deleted objects that the caller may not see', async (store) => {
  const text = `scalar DateTime
    type Note @entity(softDelete: "deletedAt") @auth(readDeleted: "owner == authentication.name", purge: "owner == authentication.name") {
      id: ID! owner: String secret: String deletedAt: DateTime
    }
    type Query { notes: [Note!]! }
    type Mutation { createNote(owner: String, secret: String): Note! deleteNote(id: ID!): Boolean! purgeNote(id: ID!): Boolean! purgeNotes(where: NoteFilter!): Int! }`;
  // Without a rule that hides deleted objects, the answers would test what they hold.
  await rejects(
    open(store, text.replace(/readDeleted: "[^"]+", /, '')),
    /purges deleted objects, and no rule says who may see them/,
  );
  const { ask } = await open(store, text);
  await ask('mutation { createNote(owner: "ann", secret: "x") { id } deleteNote(id: 1) }');
  for (const secret of ['x', 'y'])
    deepEqual(await ask(`mutation { purgeNotes(where: { secret: { eq: "${secret}" } }) }`, BOB), { purgeNotes: 0 });
  for (const id of [1, 2]) match(String(await ask(`mutation { purgeNote(id: ${id}) }`, BOB)), /^GRAPH_NOT_FOUND/);
  deepEqual(await ask('mutation { purgeNote(id: 1) }', ANN), { purgeNote: true });
});

testOnStores('19.2 a deleted holder prevents purging what it refers to, not its soft deletion', async (store) => {
  const { ask } = await open(
    store,
    `scalar DateTime
    type User @entity(softDelete: "deletedAt") @auth(readDeleted: "true", purge: "true") { id: ID! @id deletedAt: DateTime }
    type File @entity(softDelete: "deletedAt") @auth(readDeleted: "true") { id: ID! @id deletedAt: DateTime author: User! }
    type Query { users: [User!]! files: [File!]! }
    type Mutation {
      createUser(id: ID!): User! deleteUser(id: ID!): Boolean! restoreUser(id: ID!): User! purgeUser(id: ID!): Boolean!
      createFile(id: ID!, author: ID!): File! deleteFile(id: ID!): Boolean! restoreFile(id: ID!): File!
    }`,
  );
  await ask('mutation { createUser(id: "u") { id } createFile(id: "f", author: "u") { id } }');
  match(String(await ask('mutation { deleteUser(id: "u") }')), /^GRAPH_RESTRICTED .* by File objects/);
  deepEqual(await ask('mutation { deleteFile(id: "f") deleteUser(id: "u") }'), { deleteFile: true, deleteUser: true });
  match(String(await ask('mutation { purgeUser(id: "u") }')), /^GRAPH_RESTRICTED .* by deleted File objects/);
  match(String(await ask('mutation { restoreFile(id: "f") { id } }')), /^GRAPH_RESTORE_ORPHAN/);
  deepEqual(await ask('mutation { restoreUser(id: "u") { id } restoreFile(id: "f") { id } }'), {
    restoreUser: { id: 'u' },
    restoreFile: { id: 'f' },
  });
});

testOnStores('19.2 no reference to an object survives a deletion at the same time', async (store) => {
  const { ask } = await open(
    store,
    `scalar DateTime
    interface Thing { id: ID! }
    type Photo implements Thing @entity(softDelete: "deletedAt") { id: ID! deletedAt: DateTime }
    type Plain implements Thing @entity { id: ID! @id @default(value: "uuid") }
    type Comment @entity(softDelete: "deletedAt") { id: ID! deletedAt: DateTime photo: Photo! @relation(onDelete: CASCADE) }
    type Note @entity { id: ID! about: Thing! @relation(onDelete: CASCADE) }
    type Cover @entity { id: ID! photo: Photo! @relation(onDelete: RESTRICT) }
    input ThingKey { Photo: ID Plain: ID }
    type Query { comments: [Comment!]! notes: [Note!]! covers: [Cover!]! }
    type Mutation {
      createPhoto: Photo! deletePhoto(id: ID!): Boolean! createComment(photo: ID!): Comment! updateComment(id: ID!, photo: ID!): Comment!
      createNote(about: ThingKey!): Note! createCover(photo: ID!): Cover!
    }`,
  );
  const whole = '{ comments { photo { id } } notes { about { id } } covers { photo { id } } }';
  await ask('mutation { createPhoto { id } }');
  let photo = 1;
  for (const refer of [
    (id: number) => `createComment(photo: ${id}) { id }`,
    (id: number, comment: string) => `updateComment(id: ${comment}, photo: ${id}) { id }`,
    (id: number) => `createNote(about: { Photo: ${id} }) { id }`,
    (id: number) => `createCover(photo: ${id}) { id }`,
  ])
    for (let round = 0; round < 8; round++) {
      const { createComment } = await ask('mutation { createPhoto { id } createComment(photo: 1) { id } }');
      photo++;
      const both = [refer(photo, createComment.id), `deletePhoto(id: ${photo})`];
      await Promise.all(both.map((field) => ask(`mutation { ${field} }`)));
      equal(Array.isArray(await ask(whole)), false, String(both));
    }
});

testOnStores(
  '1.1 restoring answers the same whether or not hidden holders would return, with CALLER',
  async (store) => {
    const { ask } = await open(
      store,
      `scalar DateTime
    type Folder @entity(softDelete: "deletedAt") @auth(readDeleted: "true", delete: "true") { id: ID! @id deletedAt: DateTime files: [File!]! notes: [Note!]! }
    type File @entity(softDelete: "deletedAt") @auth(read: "owner == authentication.name or hasRole('ADMIN')", delete: "hasRole('ADMIN')") {
      id: ID! @id owner: String deletedAt: DateTime folder: Folder @relation(onDelete: CASCADE, onDeleteRules: CALLER)
    }
    type Shelf @entity(softDelete: "deletedAt") @auth(readDeleted: "true", delete: "true") { id: ID! @id deletedAt: DateTime notes: [Note!]! }
    type Note @entity(softDelete: "deletedAt") @auth(delete: "hasRole('ADMIN')") {
      id: ID! @id deletedAt: DateTime folder: Folder @relation(onDelete: CASCADE, onDeleteRules: CALLER) shelf: Shelf @relation(onDelete: CASCADE, onDeleteRules: CALLER)
    }
    type Query { files: [File!]! }
    type Mutation {
      createFolder(id: ID!): Folder! deleteFolder(id: ID!): Boolean! restoreFolder(id: ID!): Folder!
      createShelf(id: ID!): Shelf! deleteShelf(id: ID!): Boolean! restoreShelf(id: ID!): Shelf!
      createFile(id: ID!, owner: String, folder: ID): File! createNote(id: ID!, shelf: ID): Note!
    }`,
    );
    await ask(`mutation {
    a: createFolder(id: "empty") { id } b: createFolder(id: "full") { id } createFile(id: "f", owner: "bob", folder: "full") { id }
    c: createShelf(id: "empty") { id } d: createShelf(id: "full") { id } createNote(id: "n", shelf: "full") { id }
  }`);
    for (const id of ['empty', 'full']) {
      for (const type of ['Folder', 'Shelf']) await ask(`mutation { delete${type}(id: "${id}") }`);
      match(
        String(await ask(`mutation { restoreFolder(id: "${id}") { id } }`, ANN)),
        /^GRAPH_HOLDERS_FORBIDDEN .* would be restored/,
      );
      match(
        String(await ask(`mutation { restoreShelf(id: "${id}") { id } }`, ANN)),
        /^GRAPH_FORBIDDEN .* delete this Note/,
      );
    }
    deepEqual(
      await ask('mutation { restoreFolder(id: "full") { files { id } } restoreShelf(id: "full") { notes { id } } }'),
      {
        restoreFolder: { files: [{ id: 'f' }] },
        restoreShelf: { notes: [{ id: 'n' }] },
      },
    );
  },
);

test('19.2 SQLite: what is no Boolean marks a deleted row in a table of others', async () => {
  for (const type of ['ANY', 'TEXT', 'BLOB']) {
    const store = await openSqliteStore({ file: ':memory:' });
    await store.prepare(`CREATE TABLE items (id TEXT PRIMARY KEY, gone ${type})`).run([]);
    const values = ['NULL', '0', "'0'", '1', "'1'", "'t'", "'true'", "'Y'", "'yes'", "'f'", "''", '2', '0.5', "x'01'"];
    for (const [index, value] of values.entries())
      await store.prepare(`INSERT INTO items VALUES ('${index}', ${value})`).run([]);
    const { ask } = await open(
      store,
      `type Item @entity(softDelete: "gone") @unmanaged @auth(readDeleted: "true") { id: ID! @id gone: Boolean }
      enum Deleted { EXCLUDE INCLUDE ONLY }
      type Query { items(deleted: Deleted): [Item!]! }
      type Mutation { deleteItem(id: ID!): Boolean! restoreItem(id: ID!): Item! }`,
    );
    const living = type === 'BLOB' ? ['0', '1'] : ['0', '1', '2'];
    deepEqual(
      (await ask('{ items { id } }')).items.map(({ id }: { id: string }) => id),
      living,
      type,
    );
    equal((await ask('{ items(deleted: ONLY) { id } }')).items.length, values.length - living.length);
    for (const index of values.keys()) {
      const answer = String(await ask(`mutation { deleteItem(id: "${index}") }`));
      equal(answer.startsWith('GRAPH_NOT_FOUND'), !living.includes(String(index)), `${type} ${values[index]}`);
    }
    deepEqual(await ask('mutation { restoreItem(id: "7") { gone } }'), { restoreItem: { gone: false } });
    await store.close();
  }
});

testOnStores('19.2 unique values of deleted objects are free, whatever the name of the column', async (store) => {
  for (const [table, name] of ['deleted-at', 'is deleted ("x")', 'ß', 'Deleted'].entries()) {
    const { ask, graph } = await open(
      store,
      `type T${table} @entity(softDelete: "gone") { id: ID! code: String @unique gone: Boolean! @column(name: ${JSON.stringify(name)}) }
      type Query { t: [T${table}!]! }
      type Mutation { createT${table}(code: String): T${table}! deleteT${table}(id: ID!): Boolean! }`,
    );
    await ask(`mutation { createT${table}(code: "x") { id } deleteT${table}(id: 1) }`);
    deepEqual(await ask(`mutation { createT${table}(code: "x") { id } }`), { [`createT${table}`]: { id: '2' } }, name);
    match(String(await ask(`mutation { createT${table}(code: "x") { id } }`)), /^GRAPH_NOT_UNIQUE/);
    deepEqual((await applyMigration(graph.model, store)).steps, []);
  }
});

testOnStores(
  '1.1 restoring answers the same whether or not hidden holders would return, with OVERRIDE',
  async (store) => {
    const { ask, changes } = await open(
      store,
      `scalar DateTime
      type Folder @entity(softDelete: "deletedAt") @auth(readDeleted: "true", delete: "true") { id: ID! @id deletedAt: DateTime files: [File!]! }
      type File @entity(softDelete: "deletedAt") @auth(read: "owner == authentication.name or hasRole('ADMIN')", readDeleted: "hasRole('ADMIN')") {
        id: ID! @id owner: String slug: String @unique deletedAt: DateTime folder: Folder @relation(onDelete: CASCADE, onDeleteRules: OVERRIDE)
      }
      type Checker @entity(softDelete: "deletedAt") @auth(readDeleted: "true") { id: ID! @id deletedAt: DateTime }
      type Page @entity(softDelete: "deletedAt") @auth(read: "owner == authentication.name or hasRole('ADMIN')") {
        id: ID! @id owner: String deletedAt: DateTime checker: Checker! @relation(onDelete: RESTRICT, onDeleteRules: CALLER) folder: Folder @relation(onDelete: CASCADE, onDeleteRules: OVERRIDE)
      }
      type Note @entity(softDelete: "deletedAt") { id: ID! @id deletedAt: DateTime file: File! @relation(onDelete: CASCADE, onDeleteRules: OVERRIDE) }
      type Query { folders: [Folder!]! files: [File!]! notes: [Note!]! pages: [Page!]! }
      type Mutation {
        createFolder(id: ID!): Folder! deleteFolder(id: ID!): Boolean! restoreFolder(id: ID!): Folder!
        createFile(id: ID!, owner: String, slug: String, folder: ID): File! restoreFile(id: ID!): File!
        createNote(id: ID!, file: ID!): Note! createPage(id: ID!, owner: String, checker: ID!, folder: ID): Page!
        createChecker(id: ID!): Checker! deleteChecker(id: ID!): Boolean!
      }`,
    );
    const slugs = { empty: '', free: 'free', taken: 'taken', orphan: '' } as const;
    await ask('mutation { createChecker(id: "c") { id } }');
    for (const [id, slug] of Object.entries(slugs)) {
      await ask(`mutation { createFolder(id: "${id}") { id } }`);
      if (slug !== '')
        await ask(
          `mutation { createFile(id: "${id}", owner: "bob", slug: "${slug}", folder: "${id}") { id } createNote(id: "${id}", file: "${id}") { id } }`,
        );
      if (id === 'orphan')
        await ask('mutation { createPage(id: "p", owner: "bob", checker: "c", folder: "orphan") { id } }');
      await ask(`mutation { deleteFolder(id: "${id}") }`);
    }
    await ask('mutation { deleteChecker(id: "c") createFile(id: "other", owner: "ann", slug: "taken") { id } }');
    // Who sees them is told.
    match(String(await ask('mutation { restoreFolder(id: "taken") { id } }')), /^GRAPH_NOT_UNIQUE .* File .* slug/);
    match(
      String(await ask('mutation { restoreFolder(id: "orphan") { id } }')),
      /^GRAPH_RESTORE_ORPHAN .* "checker" of Page /,
    );
    await changes();
    for (const id of Object.keys(slugs))
      deepEqual(
        await ask(`mutation { restoreFolder(id: "${id}") { id files { id } } }`, ANN),
        { restoreFolder: { id, files: [] } },
        id,
      );
    // Those that cannot return stay deleted, with what hangs on them.
    deepEqual(await ask('{ files { id } notes { id } pages { id } }'), {
      files: [{ id: 'free' }, { id: 'other' }],
      notes: [{ id: 'free' }],
      pages: [],
    });
    equal((await changes()).filter((change) => change.startsWith('created')).length, 4 + 2);
    match(String(await ask('mutation { restoreFile(id: "taken") { id } }')), /^GRAPH_NOT_UNIQUE/);
  },
);

testOnStores('1.1 with CALLER, a rule about each deleted holder takes the right to see them all', async (store) => {
  const text = (readDeleted: string): string => `scalar DateTime
    type Post @entity(softDelete: "deletedAt") @auth(readDeleted: "true", delete: "true") { id: ID! deletedAt: DateTime }
    type Comment @entity(softDelete: "deletedAt") @auth(${readDeleted} delete: "owner == authentication.name or hasRole('ADMIN')") {
      id: ID! owner: String deletedAt: DateTime post: Post @relation(onDelete: CASCADE, onDeleteRules: CALLER)
    }
    type Query { comments: [Comment!]! }
    type Mutation { createPost: Post! deletePost(id: ID!): Boolean! restorePost(id: ID!): Post! createComment(owner: String, post: ID!): Comment! }`;
  const { ask } = await open(store, text(''));
  await ask('mutation { a: createPost { id } b: createPost { id } createComment(owner: "bob", post: 1) { id } }');
  await ask('mutation { a: deletePost(id: 1) b: deletePost(id: 2) }');
  for (const id of [1, 2])
    match(String(await ask(`mutation { restorePost(id: ${id}) { id } }`, ANN)), /^GRAPH_HOLDERS_FORBIDDEN/);
  const seeing = await open(store, text('readDeleted: "true"'));
  match(String(await seeing.ask('mutation { restorePost(id: 1) { id } }', ANN)), /^GRAPH_FORBIDDEN .* this Comment/);
  deepEqual(await seeing.ask('mutation { restorePost(id: 2) { id } }', ANN), { restorePost: { id: '2' } });
  deepEqual(await ask('mutation { restorePost(id: 1) { id } }'), { restorePost: { id: '1' } });
  deepEqual(await ask('{ comments { owner } }'), { comments: [{ owner: 'bob' }] });
});

testOnStores('19.2 holders return though their type has another kind of time', async (store) => {
  const { ask } = await open(
    store,
    `scalar DateTime scalar LocalDateTime
    type Order @entity(softDelete: "gone") @auth(readDeleted: "true") { id: ID! gone: LocalDateTime items: [Item!]! }
    type Item @entity(softDelete: "gone") { id: ID! gone: DateTime order: Order! @relation(onDelete: CASCADE) parts: [Part!]! }
    type Part @entity(softDelete: "gone") { id: ID! gone: LocalDateTime item: Item! @relation(onDelete: CASCADE) }
    type Query { orders: [Order!]! }
    type Mutation { createOrder: Order! createItem(order: ID!): Item! createPart(item: ID!): Part! deleteOrder(id: ID!): Boolean! restoreOrder(id: ID!): Order! }`,
  );
  await ask('mutation { createOrder { id } createItem(order: 1) { id } createPart(item: 1) { id } }');
  await ask('mutation { deleteOrder(id: 1) }');
  deepEqual(await ask('mutation { restoreOrder(id: 1) { items { id parts { id } } } }'), {
    restoreOrder: { items: [{ id: '1', parts: [{ id: '1' }] }] },
  });
});

testOnStores(
  '19.2 histories of creations, deletions, restorations and purges do what a model in memory does',
  async (store) => {
    // The first one marks a holder whose object is removed.
    const { difference } = await compareHistory(522, store, store.dialect === 'sqlite' ? 150 : 60);
    equal(difference, undefined, JSON.stringify(difference, null, 1));
  },
);

testOnStores('19.2 a row that is only marked keeps what it must refer to, and loses what it may', async (store) => {
  const { ask } = await open(
    store,
    `scalar DateTime union Thing = Plain
    type Plain @entity { id: ID! @id owner: Owner @relation(onDelete: CASCADE) }
    type Owner @entity(softDelete: "gone") @auth(readDeleted: "true") { id: ID! @id gone: DateTime }
    type Must @entity(softDelete: "gone") @auth(readDeleted: "true") { id: ID! @id gone: DateTime owner: Owner! @relation(onDelete: CASCADE) thing: Thing! @relation(onDelete: RESTRICT) }
    type May @entity(softDelete: "gone") @auth(readDeleted: "true") { id: ID! @id gone: DateTime owner: Owner! @relation(onDelete: CASCADE) thing: Thing @relation(onDelete: SET_NULL) }
    type Query { mays: [May!]! }
    input ThingKey { Plain: ID }
    type Mutation {
      createOwner(id: ID!): Owner! deleteOwner(id: ID!): Boolean! restoreOwner(id: ID!): Owner! createPlain(id: ID!, owner: ID): Plain!
      createMust(id: ID!, owner: ID!, thing: ThingKey!): Must! createMay(id: ID!, owner: ID!, thing: ThingKey): May!
    }`,
  );
  for (const [id, type] of [
    ['a', 'Must'],
    ['b', 'May'],
  ] as const)
    await ask(
      `mutation { createOwner(id: "${id}") { id } createPlain(id: "${id}", owner: "${id}") { id } create${type}(id: "${id}", owner: "${id}", thing: { Plain: "${id}" }) { id } }`,
    );
  match(String(await ask('mutation { deleteOwner(id: "a") }')), /^GRAPH_RESTRICTED .* by Must objects in "thing"/);
  deepEqual(await ask('mutation { deleteOwner(id: "b") restoreOwner(id: "b") { id } }'), {
    deleteOwner: true,
    restoreOwner: { id: 'b' },
  });
  deepEqual(await ask('{ mays { id thing { ... on Plain { id } } } }'), { mays: [{ id: 'b', thing: null }] });
  equal(await store.prepare('SELECT count(*) FROM mays WHERE thing_key IS NOT NULL').text([]), '0');
});

testOnStores(
  '19.2 deleted objects show the deleted objects that they refer to, where the caller may',
  async (store) => {
    const { ask } = await open(
      store,
      `scalar DateTime enum Deleted { EXCLUDE INCLUDE ONLY } union Thing = Order
    type Shop @entity(softDelete: "closed") @auth(readDeleted: "hasRole('ADMIN')") { id: ID! @id closed: Boolean orders: [Order!]! }
    type Order @entity(softDelete: "gone") @auth(readDeleted: "secret == null or hasRole('ADMIN')") {
      id: ID! @id gone: DateTime secret: String shop: Shop! @relation(onDelete: CASCADE)
    }
    type Item @entity(softDelete: "gone") @auth(readDeleted: "true") {
      id: ID! @id gone: DateTime order: Order! @relation(onDelete: CASCADE) other: Order @relation(onDelete: SET_NULL) about: Thing @relation(onDelete: SET_NULL)
    }
    type Query {
      items(deleted: Deleted): [Item!]! item(id: ID!, deleted: Deleted): Item orders: [Order!]!
      pages(first: Int, after: String, deleted: Deleted): ItemConnection!
    }
    input ThingKey { Order: ID }
    type Mutation {
      createShop(id: ID!): Shop! createOrder(id: ID!, secret: String, shop: ID!): Order! deleteOrder(id: ID!): Boolean! deleteShop(id: ID!): Boolean! restoreOrder(id: ID!): Order!
      createItem(id: ID!, order: ID!, other: ID, about: ThingKey): Item! deleteItem(id: ID!): Boolean!
    }`,
    );
    await ask(`mutation {
    createShop(id: "s") { id } a: createOrder(id: "a", shop: "s") { id } b: createOrder(id: "b", secret: "x", shop: "s") { id } c: createOrder(id: "c", shop: "s") { id }
    i: createItem(id: "1", order: "a", other: "b", about: { Order: "a" }) { id } j: createItem(id: "2", order: "c", other: "a") { id }
    x: deleteOrder(id: "a") y: deleteOrder(id: "b")
  }`);
    const shown = '{ id order { id shop { id } } other { id gone } about { ... on Order { id } } }';
    const one = { id: '1', order: { id: 'a', shop: { id: 's' } }, other: null, about: { id: 'a' } };
    // What a living object refers to is as gone as ever.
    const two = { id: '2', order: { id: 'c', shop: { id: 's' } }, other: null, about: null };
    deepEqual(await ask(`{ items(deleted: ONLY) ${shown} }`, ANN), { items: [one] });
    deepEqual(await ask(`{ items(deleted: INCLUDE) ${shown} item(id: "1", deleted: ONLY) ${shown} }`, ANN), {
      items: [one, two],
      item: one,
    });
    deepEqual(
      await ask(
        `{ pages(first: 5, deleted: ONLY) { nodes ${shown} edges { node ${shown} } pageInfo { hasNextPage } } }`,
        ANN,
      ),
      { pages: { nodes: [one], edges: [{ node: one }], pageInfo: { hasNextPage: false } } },
    );
    const { items } = await ask(`{ items(deleted: ONLY) ${shown} }`);
    equal(items[0].other.id, 'b');
    // Nor do they show what the caller may not see.
    await ask('mutation { deleteShop(id: "s") }');
    match(String(await ask('{ items(deleted: ONLY) { order { shop { id } } } }', ANN)), /^GRAPH_NULL_VALUE/);
    deepEqual(await ask('{ items(deleted: ONLY) { order { shop { closed } } } }'), {
      items: [{ order: { shop: { closed: true } } }, { order: { shop: { closed: true } } }],
    });
  },
);

testOnStores('19.2 a mistake about deleted objects says what to write', async (store) => {
  const text = (auth: string, words: string): string => `scalar DateTime enum Deleted { ${words} }
    type Item @entity(softDelete: "gone") ${auth} { id: ID! gone: DateTime } type Query { items(deleted: Deleted): [Item!]! }`;
  const rule = `@auth(readDeleted: "hasRole('ADMIN')")`;
  await rejects(
    open(store, text('', 'ONLY')),
    /no rule says to whom\. Write @auth\(readDeleted: "hasRole\('ADMIN'\)"\) on Item\.$/,
  );
  await rejects(
    open(store, text(rule, 'ONLY ALL')),
    /offers "ALL", which .* Write an enum of EXCLUDE, WITHOUT, INCLUDE, WITH, ONLY\.$/,
  );
});
