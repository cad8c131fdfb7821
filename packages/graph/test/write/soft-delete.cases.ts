// Soft deletion: a deleted object exists for nobody, its row stays, and restoring brings back what was deleted with it.
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

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
    'restorePhoto(id: 2) { id }',
  ])
    match(String(await ask(`mutation { ${field} }`)), /^GRAPH_NOT_FOUND/, field);
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
