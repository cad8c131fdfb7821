// When the fields that count and date updates rise: with each mutation that names the object, lists of relations included, and from the
// other end of a relation only where no read rule may hide that end.
import { deepEqual, equal } from 'node:assert/strict';
import { createPrincipal, isProductError } from '@lockstitch/kernel';
import type { Store } from '../../src/store/store.ts';
import { testOnStores } from '../stores.ts';
import { open } from '../subscribe/open-subscriptions.ts';
import { openWriting, type Writing } from '../writing.ts';

const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);
const OPTIONS = { principal: ADMIN };

/** Albums with tags (pairs), photos (kept in the photos), a cover (one to one) and things of several types. */
const schema = (rule: string, fieldRule = ''): string => `
  scalar DateTime
  type Cover @entity { id: ID! version: Int! @default(value: "version") album: Album @relation(inverse: "cover", onDelete: SET_NULL) }
  type Album @entity ${rule} {
    id: ID! title: String version: Int! @default(value: "version")
    tags: [Tag!]! @relation(inverse: "albums", onDeleteRules: OVERRIDE)
    photos: [Photo!]! @relation(inverse: "album")
    cover: Cover @relation(inverse: "album")
    things: [Thing!]! @relation(onDeleteRules: OVERRIDE)
  }
  type Tag @entity { id: ID! word: String version: Int! @default(value: "version") at: DateTime! @default(value: "updatedAt") albums: [Album!]! @relation(inverse: "tags") ${fieldRule} }
  type Photo @entity { id: ID! version: Int! @default(value: "version") album: Album @relation(onDelete: SET_NULL, onDeleteRules: OVERRIDE) }
  union Thing = Tag | Photo
  type Query { album(id: ID!): Album tag(id: ID!): Tag photo(id: ID!): Photo }
  input TagsInput { create: [TagInput!] connect: [ID!] disconnect: [ID!] }
  input TagInput { word: String albums: [ID!] }
  input ThingKey { Tag: ID Photo: ID }
  input AlbumInput { title: String tags: [ID!] photos: [ID!] cover: ID things: [ThingKey!] }
  input AlbumTags { tags: TagsInput }
  type Mutation {
    addAlbum(input: AlbumInput): Album! addTag(input: TagInput): Tag! addPhoto(album: ID): Photo! addCover(album: ID): Cover!
    updateAlbum(id: ID!, version: Int, input: AlbumInput!): Album! changeAlbum(id: ID!, input: AlbumTags!): Album!
    updateAlbums(where: AlbumFilter!, input: AlbumInput!): Int!
    connectAlbumTags(id: ID!, tags: [ID!]!): Album! disconnectAlbumTags(id: ID!, tags: [ID!]!): Album!
    updateTag(id: ID!, input: TagInput!): Tag! updatePhoto(id: ID!, album: ID): Photo!
    deleteAlbum(id: ID!): Boolean! deleteTag(id: ID!): Boolean! deletePhoto(id: ID!): Boolean!
  }
  type Subscription { tagChanged: Tag! photoChanged: Photo! albumChanged: Album! }`;

const RULE = `@auth(read: "title == 'open' or hasRole('ADMIN')")`;

async function start(store: Store, rule = '', fieldRule = ''): Promise<Writing> {
  const writing = await openWriting(store, schema(rule, fieldRule));
  await writing.run('addAlbum(input: { title: "shut" })', OPTIONS);
  for (const word of ['a', 'b', 'c']) await writing.run(`addTag(input: { word: "${word}" })`, OPTIONS);
  await writing.run('addPhoto', OPTIONS);
  await writing.run('addCover', OPTIONS);
  return writing;
}

async function versions(writing: Writing, table: string): Promise<readonly unknown[]> {
  return (await writing.rows(`SELECT version FROM ${table} ORDER BY id`)).map(([version]) => version);
}

testOnStores('1.3 a version rises with each list that a mutation of the object names', async (store) => {
  const writing = await start(store);
  const steps: readonly string[] = [
    'updateAlbum(id: 1, version: 1, input: { tags: [1, 2] })',
    'updateAlbum(id: 1, version: 2, input: { tags: [1, 2] })',
    'updateAlbum(id: 1, version: 3, input: { photos: [1] })',
    'updateAlbum(id: 1, version: 4, input: { cover: 1 })',
    'updateAlbum(id: 1, version: 5, input: { things: [{ Tag: 1 }, { Photo: 1 }] })',
    'updateAlbum(id: 1, version: 6, input: { title: "open", tags: [3], photos: [] })',
    'changeAlbum(id: 1, input: { tags: { create: [{ word: "d" }], disconnect: [3] } })',
    'connectAlbumTags(id: 1, tags: [2])',
    'disconnectAlbumTags(id: 1, tags: [2])',
    'updateAlbums(where: { and: [] }, input: { tags: [] })',
  ];
  for (const [index, step] of steps.entries()) {
    await writing.run(step, OPTIONS);
    deepEqual(await versions(writing, 'albums'), [index + 2], step);
  }
  // Two editors of one list.
  const late = await writing
    .run('updateAlbum(id: 1, version: 3, input: { tags: [1] })', OPTIONS)
    .catch((error: unknown) => error);
  equal(isProductError(late) && late.code, 'GRAPH_CONFLICT');
});

testOnStores(
  '1.3 what happens at the other end raises a version where no read rule may hide that end',
  async (store) => {
    const writing = await start(store);
    await writing.run(
      'updateAlbum(id: 1, input: { tags: [1, 2], photos: [1], cover: 1, things: [{ Tag: 3 }] })',
      OPTIONS,
    );
    deepEqual(await versions(writing, 'tags'), [2, 2, 1]);
    deepEqual(await versions(writing, 'photos'), [2]);
    await writing.run('updateTag(id: 1, input: { albums: [] })', OPTIONS);
    deepEqual([await versions(writing, 'tags'), await versions(writing, 'albums')], [[3, 2, 1], [3]]);
    await writing.run('deleteTag(id: 2)', OPTIONS);
    await writing.run('deleteTag(id: 3)', OPTIONS);
    deepEqual(await versions(writing, 'albums'), [5]);
    await writing.run('updateAlbum(id: 1, input: { tags: [1] })', OPTIONS);
    await writing.run('deleteAlbum(id: 1)', OPTIONS);
    deepEqual(
      [await versions(writing, 'tags'), await versions(writing, 'photos'), await versions(writing, 'covers')],
      [[5], [3], [3]],
    );
  },
);

for (const [name, rule, fieldRule] of [
  ['of that end', RULE, ''],
  ['of the field that leads there', '', `@auth(read: "hasRole('ADMIN')")`],
] as const)
  testOnStores(`1.3 where a read rule ${name} may hide it, no version reveals it`, async (store) => {
    const writing = await start(store, rule, fieldRule);
    const [times] = [await writing.rows('SELECT at FROM tags ORDER BY id')];
    await writing.run('updateAlbum(id: 1, input: { tags: [1, 2] })', OPTIONS);
    await writing.run('updateAlbum(id: 1, input: { tags: [2] })', OPTIONS);
    await writing.run('connectAlbumTags(id: 1, tags: [1])', OPTIONS);
    if (rule !== '') {
      await writing.run('updateAlbum(id: 1, input: { photos: [1] })', OPTIONS);
      await writing.run('updateAlbum(id: 1, input: { photos: [], cover: 1 })', OPTIONS);
      await writing.run('updateAlbum(id: 1, input: { photos: [1] })', OPTIONS);
    }
    await writing.run('deleteAlbum(id: 1)', OPTIONS);
    deepEqual(
      [await versions(writing, 'tags'), await versions(writing, 'photos'), await versions(writing, 'covers')],
      [[1, 1, 1], [1], [1]],
    );
    deepEqual(await writing.rows('SELECT at FROM tags ORDER BY id'), times);
    deepEqual(await writing.rows('SELECT album FROM photos'), [[null]]);
    // Of an object that the mutation names it rises all the same.
    await writing.run('addAlbum(input: { title: "shut" })', OPTIONS);
    await writing.run('updateTag(id: 1, input: { albums: [2] })', OPTIONS);
    deepEqual(await versions(writing, 'tags'), [2, 1, 1]);
  });

testOnStores('1.3 subscribers get no event of a change at an end that a read rule may hide', async (store) => {
  const fixture = await open(store, schema(RULE));
  const run = (field: string): Promise<void> => fixture.mutate(field, ADMIN);
  await run('addAlbum(input: { title: "shut" }) { id }');
  await run('addAlbum(input: { title: "open" }) { id }');
  await run('addTag(input: { word: "a" }) { id }');
  await run('addPhoto { id }');
  const tags = await fixture.subscribe('subscription { tagChanged { id word } }');
  const photos = await fixture.subscribe('subscription { photoChanged { id version } }');
  const everything = await fixture.subscribe('subscription { tagChanged { id word } }', OPTIONS);
  for (const album of [1, 2]) {
    await run(`updateAlbum(id: ${album}, input: { tags: [1], photos: [1] }) { id }`);
    await run(`deleteAlbum(id: ${album})`);
  }
  await run('updateTag(id: 1, input: { word: "end" }) { id }');
  await run('updatePhoto(id: 1, album: null) { id }');
  await run('addAlbum(input: { title: "open" }) { id }');
  await run('updatePhoto(id: 1, album: 3) { id }');
  for (const events of [tags, everything])
    deepEqual((await events.next()).value.body, '{"data":{"tagChanged":{"id":"1","word":"end"}}}');
  // A withheld value was written as it was, then another.
  deepEqual((await photos.next()).value.body, '{"data":{"photoChanged":{"id":"1","version":2}}}');
  for (const events of [tags, photos, everything]) await events.return!();
});

testOnStores('1.3 an invalid or maximum version is followed by 1', async (store) => {
  const writing = await start(store);
  await writing.run('updateAlbum(id: 1, input: { photos: [1] })', OPTIONS);
  await store.script('UPDATE photos SET version = 2147483647');
  await writing.run('deleteAlbum(id: 1)', OPTIONS);
  deepEqual(await versions(writing, 'photos'), [1]);
});
