// Which differences after a mutation count as documented: those that the guide names, and no other of the same types.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { createPrincipal } from '@lockstitch/kernel';

import { checkNoninterference, type NoninterferenceOptions } from '../../src/noninterference/check-noninterference.ts';
import { type Data, openWorld, readModel } from './world.ts';

/** Notes hang on files, which the caller may not see, and files on folders. */
const SDL = `
  type Folder @entity { id: ID! @id name: String files: [File!]! }
  type File @entity @auth(read: "hasRole('GOD') or owner == authentication.name") {
    id: ID! @id owner: String size: Int
    folder: Folder @relation(inverse: "files", onDelete: CASCADE, onDeleteRules: OVERRIDE)
    notes: [Note!]! }
  type Note @entity { id: ID! @id text: String file: File @relation(inverse: "notes", onDelete: CASCADE, onDeleteRules: OVERRIDE) }
  type Query { folders: [Folder!]! notes: [Note!]! file(id: ID!): File }
  type Mutation {
    createFile(id: ID!, owner: String, folder: ID): File
    updateFolder(id: ID!, name: String): Folder
    deleteFolder(id: ID!): Folder
  }`;
const FILES = ['a', 'b', 'c', 'd', 'e', 'f'];
const DATA: Data = [
  ['Folder', ['1', '2', '3'].map((id) => ({ id, name: `folder ${id}` }))],
  [
    'File',
    FILES.map((id, at) => ({ id, owner: at % 3 === 0 ? 'ann' : 'bob', size: at, folder: String(1 + (at % 3)) })),
  ],
  ['Note', FILES.map((id, at) => ({ id, text: `note ${id}`, file: at % 2 === 0 ? id : null }))],
];
const GOD = createPrincipal('god', ['ROLE_GOD']);

async function check(ask?: NoninterferenceOptions['ask']) {
  const world = await openWorld(readModel(SDL), DATA);
  try {
    const { model, store } = world.graph;
    const planted = ask === undefined ? {} : { ask };
    const principals = [createPrincipal('ann')];
    return await checkNoninterference({ model, store, principals, cases: 200, seed: 5, only: 'histories', ...planted });
  } finally {
    await world.close();
  }
}

test('taken keys of hidden objects and what goes with hidden objects are documented', async () => {
  const { changed, interference } = await check();
  ok(changed > 0);
  equal(interference, undefined);
});

for (const mutation of ['updateFolder', 'deleteFolder', 'createFile'])
  test(`a leak of ${mutation} is noticed beside what is documented of its type`, async () => {
    const { interference } = await check((world, asked, principal) =>
      world.ask(asked, asked.kind === 'graph' && asked.query.includes(` ${mutation}(`) ? GOD : principal),
    );
    ok(interference !== undefined);
  });
