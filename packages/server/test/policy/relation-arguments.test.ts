// Arguments that are called like relations, and lists sorted by one: the check asks them with keys of the relation's target,
// and they tell nothing of objects that the caller may not read.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { createPrincipal } from '@lockstitch/kernel';

import { checkNoninterference, type NoninterferenceOptions } from '../../src/noninterference/check-noninterference.ts';
import { type Data, openWorld, readModel } from './world.ts';

const SDL = `
  enum Direction { ASC DESC }
  enum NoteColumn { folder author text }
  type Folder @entity @auth(read: "hasRole('GOD') or open") { id: ID! @id open: Boolean! name: String notes: [Note!]! }
  type Author @entity { login: ID! @id @auth(read: "hasRole('GOD') or open") open: Boolean! notes: [Note!]! }
  type Note @entity {
    id: ID! @id text: String
    folder: Folder @relation(inverse: "notes", onDeleteRules: OVERRIDE)
    author: Author @relation(inverse: "notes", onDeleteRules: OVERRIDE)
  }
  type Query {
    notesOf(folder: ID, author: ID, folders: [ID!], sort: Direction, sortBy: NoteColumn): [Note!]!
    sorted(sort: Direction!, sortBy: NoteColumn!): [Note!]!
    filed(folder: ID!): [Note!]!
    written(author: ID!): [Note!]!
  }`;
const KEYS = ['a', 'b', 'c', 'd'];
const DATA: Data = [
  ['Folder', KEYS.map((id, at) => ({ id, open: at % 2 === 0, name: `folder ${id}` }))],
  ['Author', KEYS.map((login, at) => ({ login, open: at % 2 === 1 }))],
  [
    'Note',
    Array.from({ length: 8 }, (_, at) => ({ id: `n${at}`, text: 'x', folder: KEYS[at % 4], author: KEYS[at % 3] })),
  ],
];

async function check(ask?: NoninterferenceOptions['ask']) {
  const world = await openWorld(readModel(SDL), DATA);
  try {
    const { model, store } = world.graph;
    const planted = ask === undefined ? {} : { ask };
    return await checkNoninterference({
      model,
      store,
      principals: [createPrincipal('ann')],
      cases: 240,
      seed: 3,
      ...planted,
    });
  } finally {
    await world.close();
  }
}

test('arguments that are called like relations reveal no hidden object', async () => {
  const { changed, interference } = await check();
  ok(changed > 0);
  equal(interference, undefined);
});

for (const field of ['filed', 'written', 'sorted'])
  test(`a leak of ${field} is noticed`, async () => {
    const god = createPrincipal('god', ['ROLE_GOD']);
    const { interference } = await check((world, asked, principal) =>
      world.ask(asked, asked.kind === 'graph' && asked.query.includes(field) ? god : principal),
    );
    ok(interference !== undefined);
  });
