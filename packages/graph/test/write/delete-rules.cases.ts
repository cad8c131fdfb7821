// What a deletion may do to objects with rules of their own: the schema says it, and a refusal tells of no hidden object unless the
// schema says so too.
import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict';
import { createPrincipal, isProductError, type Principal } from '@lockstitch/kernel';
import { test } from 'node:test';
import { modelOf } from '../photo-schema.ts';
import { testOnStores } from '../stores.ts';
import { openWriting, type Writing } from '../writing.ts';

const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);
const CLERK = createPrincipal('clerk', ['ROLE_CLERK']);
const ANN = createPrincipal('ann');

/** Folders with files, notes on files, tags in lists. `rules` are the arguments of each relation. */
const schema = (rules: string, action = 'CASCADE'): string => `
  type Folder @entity { id: ID! name: String! files: [File!]! @relation(inverse: "folder") pinned: [File!]! @relation(inverse: "pins") }
  type File @entity @auth(read: "owner == authentication.name or hasRole('ADMIN') or hasRole('CLERK')", delete: "hasRole('ADMIN')", update: "hasRole('ADMIN')") {
    id: ID! owner: String! version: Int! @default(value: "version")
    folder: Folder @relation(onDelete: ${action} ${rules})
    pins: [Folder!]! @relation(inverse: "pinned" ${rules})
    notes: [Note!]! @relation(inverse: "file")
    shows: Shown @relation(onDelete: SET_NULL ${rules})
  }
  type Note @entity { id: ID! file: File @relation(onDelete: CASCADE) }
  union Shown = Folder | Note
  type Query { folder(id: ID!): Folder }
  input FilesInput { delete: [ID!] }
  input FolderInput { name: String }
  type Mutation {
    addFolder(name: String!): Folder! addFile(owner: String!, folder: ID): File! addNote(file: ID): Note!
    deleteFolder(id: ID!): Boolean! deleteFolders(where: FolderFilter!): Int!
  }`;

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (!isProductError(error)) throw error;
    return error.code;
  }
}

const remove = (writing: Writing, id: number, principal: Principal): Promise<string> =>
  codeOf(writing.run(`deleteFolder(id: ${id})`, { principal }));

/** Folder 1 has a file of ann, folder 2 a hidden one, folder 3 is empty. */
async function fill(writing: Writing): Promise<void> {
  for (const name of ['a', 'b', 'c']) await writing.run(`addFolder(name: "${name}")`);
  await writing.run('addFile(owner: "ann", folder: 1)', { principal: ADMIN });
  await writing.run('addFile(owner: "bob", folder: 2)', { principal: ADMIN });
  await writing.run('addNote(file: 2)', { principal: ADMIN });
}

test('1.2 onDeleteRules is required for holders with rules', () => {
  const problems = (text: string): string => {
    try {
      modelOf(text);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const all = problems(schema(''));
  match(
    all,
    /Deleting a Folder deletes each File that holds it in File\.folder, and File has rules; the schema must say whether they apply/,
  );
  match(all, /Write @relation\(onDelete: CASCADE, onDeleteRules: CALLER\) on File\.folder/);
  match(all, /Deleting a Folder changes the list of each File that holds it in File\.pins/);
  match(all, /Deleting a Folder empties each File that holds it in File\.shows/);
  match(problems(schema('', 'SET_NULL')), /Deleting a Folder empties each File that holds it in File\.folder/);
  equal(problems(schema('onDeleteRules: CALLER')), '');
  // Notes have no rules, and nobody deletes files of themselves.
  equal(/Note\.file/.test(all), false);
  // A chain: cascaded deletions count as deletions.
  const chain = schema('onDeleteRules: OVERRIDE').replace(
    'type Note @entity',
    `type Note @entity @auth(read: "hasRole('ADMIN')")`,
  );
  match(problems(chain), /Deleting a File deletes each Note that holds it in Note\.file/);
  // Through an input, too; and where nobody can delete anything, nothing has to be said.
  const mutations = /type Mutation \{[^}]*\}/;
  equal(problems(schema('').replace(mutations, 'type Mutation { addFolder(name: String!): Folder! }')), '');
  const nested = `type Album @entity { id: ID! folders: [Folder!]! @relation(inverse: "album") } extend type Folder { album: Album } input FoldersInput { delete: [ID!] } input AlbumInput { folders: FoldersInput } type Mutation { updateAlbum(id: ID!, input: AlbumInput!): Album }`;
  match(problems(schema('').replace(mutations, nested)), /Deleting a Folder deletes each File/);
  // A field's own rule counts like one of the type.
  const fieldRule = `type A @entity { id: ID! } type B @entity { id: ID! a: A @auth(read: "hasRole('ADMIN')") } type Query { a(id: ID!): A } type Mutation { deleteA(id: ID!): Boolean! }`;
  match(problems(fieldRule), /Deleting a A empties each B that holds it in B\.a/);
  throws(() => modelOf(schema('onDeleteRules: NEVER')), /NEVER/);
});

test('1.2 a misspelt argument of @relation is one mistake, on either end', () => {
  const rules = `@auth(read: "hasRole('ADMIN')")`;
  const messages = (one: string, other: string): readonly string[] => {
    try {
      modelOf(`type A @entity { id: ID! bs: [B!]! ${one} } type B @entity ${rules} { id: ID! a: A ${other} }
        type Query { a(id: ID!): A } type Mutation { deleteA(id: ID!): Boolean! }`);
      return [];
    } catch (error) {
      return ((error as { detail?: { message: string }[] }).detail ?? []).map(({ message }) => message);
    }
  };
  const wrong = [
    ['onDelete: CASCADE, onDeleteRules: CALER', /"CALER" does not exist .* Did you mean the enum value "CALLER"\?/],
    ['onDelete: CASCAD, onDeleteRules: CALLER', /Did you mean the enum value "CASCADE"\?/],
    ['onDelete: RESTRCT', /Did you mean the enum value "RESTRICT"\?/],
    ['onDelete: CASCADE, onDeleteRules: NEVER', /"NEVER" does not exist/],
    ['onDeleteRules: "CALLER"', /Did you mean the enum value "CALLER"\?/],
    ['onDeleteRules: CALLER, whatever: 1', /no argument "whatever"/],
  ] as const;
  for (const [given, expected] of wrong) {
    for (const found of [messages(`@relation(${given})`, ''), messages('', `@relation(${given})`)]) {
      equal(found.length, 1, found.join('\n'));
      match(found[0]!, expected);
    }
  }
  // Nothing else is kept back.
  match(messages('', '@relation(onDelete: CASCADE)').join(), /must say whether they apply/);
});

testOnStores('1.2 CALLER rejects callers who may not see every holder, with or without holders', async (store) => {
  const writing = await openWriting(store, schema('onDeleteRules: CALLER'));
  await fill(writing);
  const before = await writing.rows('SELECT id, owner, folder, version FROM files ORDER BY id');
  for (const id of [1, 2, 3]) equal(await remove(writing, id, ANN), 'GRAPH_HOLDERS_FORBIDDEN');
  equal(
    await codeOf(writing.run('deleteFolders(where: { name: { eq: "b" } })', { principal: ANN })),
    'GRAPH_HOLDERS_FORBIDDEN',
  );
  // A caller who sees everything is asked for it.
  equal(await remove(writing, 2, CLERK), 'GRAPH_FORBIDDEN');
  equal(await remove(writing, 3, CLERK), 'done');
  deepEqual(await writing.rows('SELECT id, owner, folder, version FROM files ORDER BY id'), before);
  equal(await remove(writing, 2, ADMIN), 'done');
  deepEqual(await writing.rows('SELECT id FROM files'), [[1]]);
  deepEqual(await writing.rows('SELECT id FROM notes'), []);
  await rejects(
    writing.run('deleteFolder(id: 1)', { principal: ANN }),
    /the File objects with the Folder in "folder" would be deleted/,
  );
});

testOnStores('1.2 RESTRICT checks hidden holders only if the schema says so', async (store) => {
  const text = (relation: string): string => `
    type Folder @entity { id: ID! }
    type File @entity @auth(read: "hasRole('ADMIN')") { id: ID! folder: Folder! ${relation} }
    type Query { folder(id: ID!): Folder }
    type Mutation { addFolder(id: ID): Folder! addFile(folder: ID!): File! deleteFolder(id: ID!): Boolean! }`;
  throws(
    () => modelOf(text('')),
    /is refused for each File that holds it in File\.folder.*Write @relation\(onDelete: RESTRICT, onDeleteRules: CALLER\)/s,
  );
  throws(() => modelOf(text('@relation(onDelete: RESTRICT, onDeleteRules: OVERRIDE)')), /cannot be passed over/);
  const told = await openWriting(store, text('@relation(onDelete: RESTRICT)'));
  for (let count = 0; count < 2; count++) await told.run('addFolder');
  await told.run('addFile(folder: 1)', { principal: ADMIN });
  equal(await remove(told, 1, ANN), 'GRAPH_RESTRICTED');
  const silent = await openWriting(store, text('@relation(onDelete: RESTRICT, onDeleteRules: CALLER)'));
  for (const id of [1, 2]) equal(await remove(silent, id, ANN), 'GRAPH_HOLDERS_FORBIDDEN');
  equal(await remove(silent, 1, ADMIN), 'GRAPH_RESTRICTED');
  equal(await remove(silent, 2, ADMIN), 'done');
});

testOnStores('1.2 lists of interfaces and unions follow the same rules', async (store) => {
  const text = (rules: string): string => `
    type Folder @entity { id: ID! }
    type Person @entity { id: ID! }
    union Thing = Folder | Person
    type Shelf @entity @auth(read: "hasRole('ADMIN')") { id: ID! things: [Thing!]! @relation(onDeleteRules: ${rules}) }
    type Query { folder(id: ID!): Folder }
    input ThingKey { Folder: ID Person: ID }
    type Mutation { addFolder(id: ID): Folder! addShelf(things: [ThingKey!]): Shelf! deleteFolder(id: ID!): Boolean! }`;
  const over = await openWriting(store, text('OVERRIDE'));
  for (let count = 0; count < 3; count++) await over.run('addFolder');
  await over.run('addShelf(things: [{ Folder: 1 }, { Folder: 2 }])', { principal: ADMIN });
  equal(await remove(over, 1, ANN), 'done');
  const rows = await openWriting(store, text('ROWS'));
  equal(await remove(rows, 2, ANN), 'GRAPH_FORBIDDEN');
  equal(await remove(rows, 3, ANN), 'done');
  equal(await remove(await openWriting(store, text('CALLER')), 2, ANN), 'GRAPH_HOLDERS_FORBIDDEN');
  deepEqual(await rows.rows('SELECT count(*) FROM shelfs_things'), [[1]]);
});

testOnStores('1.2 OVERRIDE evaluates no rules, ROWS those of each holder', async (store) => {
  const over = await openWriting(store, schema('onDeleteRules: OVERRIDE'));
  await fill(over);
  equal(await remove(over, 2, ANN), 'done');
  deepEqual(await over.rows('SELECT id FROM files'), [[1]]);
  const rows = await openWriting(store, schema('onDeleteRules: ROWS'));
  await rows.run('addFile(owner: "bob", folder: 3)', { principal: ADMIN });
  equal(await remove(rows, 1, ANN), 'GRAPH_FORBIDDEN');
  equal(await remove(rows, 3, ANN), 'GRAPH_FORBIDDEN');
  equal(await remove(rows, 3, CLERK), 'GRAPH_FORBIDDEN');
  await rows.run('addFolder(name: "d")');
  equal(await remove(rows, 4, ANN), 'done');
  equal(await remove(rows, 3, ADMIN), 'done');
});

testOnStores('1.2 an update rule of the type applies to its lists', async (store) => {
  const text = (rules: string): string => `
    type Tag @entity { id: ID! albums: [Album!]! @relation(inverse: "tags") }
    type Album @entity @auth(update: "hasRole('ADMIN')") { id: ID! tags: [Tag!]! @relation(inverse: "albums" ${rules}) }
    type Query { tag(id: ID!): Tag }
    type Mutation { addTag(id: ID): Tag! addAlbum(tags: [ID!]): Album! deleteTag(id: ID!): Boolean! }`;
  throws(() => modelOf(text('')), /Deleting a Tag changes the list of each Album that holds it in Album\.tags/);
  const writing = await openWriting(store, text('onDeleteRules: CALLER'));
  for (let count = 0; count < 2; count++) await writing.run('addTag');
  await writing.run('addAlbum(tags: [1])');
  const removeTag = (id: number, principal: Principal): Promise<string> =>
    codeOf(writing.run(`deleteTag(id: ${id})`, { principal }));
  equal(await removeTag(1, ANN), 'GRAPH_FORBIDDEN');
  equal(await removeTag(2, ANN), 'done');
  equal(await removeTag(1, ADMIN), 'done');
});

testOnStores('1.2 setting a field to null or removing from a list evaluates update rules', async (store) => {
  const writing = await openWriting(store, schema('onDeleteRules: ROWS', 'SET_NULL'));
  await fill(writing);
  await store.script(
    `INSERT INTO folders_pinned (folder, file) VALUES (3, 1); UPDATE files SET shows_type = 'Folder', shows_key = '3' WHERE id = 2;`,
  );
  equal(await remove(writing, 1, ANN), 'GRAPH_FORBIDDEN');
  equal(await remove(writing, 2, ANN), 'GRAPH_FORBIDDEN');
  equal(await remove(writing, 3, ANN), 'GRAPH_FORBIDDEN');
  for (const id of [1, 2, 3]) equal(await remove(writing, id, ADMIN), 'done');
  deepEqual(await writing.rows('SELECT id, folder, shows_type FROM files ORDER BY id'), [
    [1, null, null],
    [2, null, null],
  ]);
  deepEqual(await writing.rows('SELECT * FROM folders_pinned'), []);
});
