// What a mutation answers, and what it leaves to be read, says nothing about what the caller may not see.
import { deepEqual, equal, match, doesNotMatch } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import { openPostgresStore } from '../../src/store/store-postgres.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { freshSchema, postgresUrl, testOnStores } from '../stores.ts';
import { openWriting, type Writing } from '../writing.ts';
import { compareMutations } from './hidden-rows.ts';

async function compare(seed: number, open: () => Promise<Store>, isSoft = false): Promise<void> {
  const stores = [await open(), await open()] as const;
  try {
    const { difference } = await compareMutations(seed, stores, { isSoft });
    equal(difference, undefined, JSON.stringify(difference, null, 1));
  } finally {
    for (const store of stores) await store.close();
  }
}

test('1.1 SQLite: mutations answer and leave the same whatever the caller may not see', async () => {
  // The first one deletes through a relation that its caller may not read.
  for (const seed of [97, 98]) await compare(seed, () => openSqliteStore({ file: ':memory:' }));
});

test('1.1 SQLite: deletions, restorations and purges of objects that stay answer and leave the same, too', async () => {
  await compare(1004, () => openSqliteStore({ file: ':memory:' }), true);
});

test('1.1 PostgreSQL: mutations answer and leave the same whatever the caller may not see', async (t) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return t.skip(url);
  for (const isSoft of [false, true])
    await compare(97, () => openPostgresStore({ url, schema: freshSchema() }), isSoft);
});

const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);
const ANN = { principal: createPrincipal('ann') };

const SECRET = `@auth(read: "hasRole('ADMIN')")`;
/** Nobody but administrators sees which photo is in which album, under which tag, and which is the cover. */
const SCHEMA = `
  type Album @entity { id: ID! version: Int! @default(value: "version")
    photos: [Photo!] @relation(inverse: "album") ${SECRET} tags: [Tag!] @relation(inverse: "albums", onDeleteRules: OVERRIDE) ${SECRET} cover: Photo @relation(onDelete: SET_NULL, onDeleteRules: OVERRIDE) ${SECRET} }
  type Photo @entity @auth(update: "hasRole('ADMIN')") { id: ID! album: Album @relation(onDelete: SET_NULL, onDeleteRules: OVERRIDE) ${SECRET} }
  type Tag @entity { id: ID! albums: [Album!] @relation(inverse: "tags", onDeleteRules: OVERRIDE) ${SECRET} }
  type Query { album(id: ID!): Album }
  input Words { connect: [ID!] disconnect: [ID!] set: [ID!] delete: [ID!] }
  input Word { connect: ID delete: Boolean }
  input AlbumInput { photos: Words tags: Words cover: Word }
  type Mutation { addAlbum: Album! addPhoto(album: ID): Photo! addTag: Tag! updateAlbum(id: ID!, input: AlbumInput!): Album!
    disconnectAlbumCover(id: ID!, cover: ID!): Album! }`;

async function start(store: Store): Promise<Writing> {
  const writing = await openWriting(store, SCHEMA);
  for (const field of ['addAlbum', 'addPhoto(album: 1)', 'addPhoto', 'addTag', 'addTag'])
    await writing.run(field, { principal: ADMIN });
  await writing.run('updateAlbum(id: 1, input: { tags: { connect: [1] } cover: { connect: 1 } })', {
    principal: ADMIN,
  });
  return writing;
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return (error as Error).message;
  }
}

testOnStores('1.1 nothing is deleted or let go through a relation that the caller may not read', async (store) => {
  const writing = await start(store);
  const counts = async (): Promise<readonly unknown[]> =>
    writing.rows('SELECT (SELECT count(*) FROM photos), (SELECT count(*) FROM tags)');
  const before = await counts();
  const change = (input: string): Promise<string> =>
    messageOf(writing.run(`updateAlbum(id: 1, input: { ${input} })`, ANN));
  // The first is in the album, the second is not.
  for (const field of ['photos', 'tags'])
    for (const key of [1, 2])
      match(await change(`${field}: { delete: [${key}] }`), new RegExp(`no (?:Photo|Tag) has id "${key}"`));
  equal(await change('cover: { delete: true }'), 'done');
  // A refusal, because the caller may not change photos, would tell which are in the album.
  for (const word of ['disconnect: [1]', 'disconnect: [2]', 'set: []'])
    equal(await change(`photos: { ${word} }`), 'done');
  equal(await change('tags: { set: [] }'), 'done');
  deepEqual(await counts(), before);
  deepEqual(await writing.rows('SELECT album FROM photos ORDER BY id'), [[1], [null]]);
  // Administrators may.
  await writing.run('updateAlbum(id: 1, input: { photos: { delete: [1] } tags: { delete: [1] } })', {
    principal: ADMIN,
  });
  deepEqual((await counts()).map(String), ['1,1']);
});

testOnStores('1.3 a version does not tell whether what was to be disconnected was connected', async (store) => {
  const writing = await start(store);
  const versions: unknown[] = [];
  for (const key of [2, 1, 1]) {
    const [[before]] = (await writing.rows('SELECT version FROM albums')) as [[number]];
    await writing.run(`disconnectAlbumCover(id: 1, cover: ${key})`, ANN);
    const [[after]] = (await writing.rows('SELECT version FROM albums')) as [[number]];
    versions.push(after - before);
  }
  deepEqual(versions, [1, 1, 1]);
});

testOnStores('1.2 a refused deletion names no hidden object that would have been deleted too', async (store) => {
  const writing = await openWriting(
    store,
    `type Folder @entity { id: ID! }
     type File @entity @auth(read: "open or hasRole('ADMIN')") { id: ID! @id open: Boolean! folder: Folder @relation(onDelete: CASCADE, onDeleteRules: OVERRIDE) }
     type Note @entity { id: ID! file: File! @relation(onDelete: RESTRICT) }
     type Query { folder(id: ID!): Folder }
     type Mutation { addFolder: Folder! addFile(id: ID!, open: Boolean!, folder: ID): File! addNote(file: ID!): Note! deleteFolder(id: ID!): Boolean! }`,
  );
  for (const field of [
    'addFolder',
    'addFile(id: "k1", open: false, folder: 1)',
    'addNote(file: "k1")',
    'addFolder',
    'addFile(id: "k2", open: false, folder: 2)',
    'addFile(id: "k3", open: true, folder: 2)',
    'addNote(file: "k2")',
    'addNote(file: "k3")',
  ])
    await writing.run(field, { principal: ADMIN });
  const hidden = await messageOf(writing.run('deleteFolder(id: 1)', ANN));
  match(hidden, /a File that would be deleted too is still referred to by Note objects in "file"/);
  doesNotMatch(hidden, /k1/);
  match(await messageOf(writing.run('deleteFolder(id: 2)', ANN)), /File "k3" is still referred to/);
  match(await messageOf(writing.run('deleteFolder(id: 1)', { principal: ADMIN })), /File "k1" is still referred to/);
});
