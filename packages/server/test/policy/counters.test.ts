// Indexes of types without rules: what happens to hidden objects that they are related to writes their documents again, and neither
// their counters nor their order may tell of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import { comparable } from '@lockstitch/search/requests';
import { openWorld, readModel, type World } from './world.ts';

const MODEL = readModel(`
  type Doc @entity @auth(read: "owner == authentication.name") { id: ID! @id owner: String @search tags: [Tag!]! @relation(inverse: "docs") }
  type Tag @entity { id: ID! @id word: String @search docs: [Doc!]! kind: Kind @search(embed: false) }
  type Kind @entity { id: ID! @id word: String @search tags: [Tag!]! }
  type Other @entity { id: ID! @id word: String @search }
  input DocInput { id: ID! owner: String tags: [ID!] }
  type Query { tag(id: ID!): Tag }
  type Mutation { createDoc(input: DocInput!): Doc deleteDoc(id: ID!): Boolean! }`);
const BOB = createPrincipal('bob');
const ANN = createPrincipal('ann');

const REQUESTS: readonly (readonly [string, unknown?])[] = [
  ['POST /tags/_search', { version: true, seq_no_primary_term: true }],
  ['POST /tags/_search', { sort: ['_doc'] }],
  ['GET /tags/_doc/a'],
  ['GET /tags/_stats'],
  ['GET /tags/_segments'],
  ['GET /_cat/indices/tags?h=index,docs.count,docs.deleted,store.size'],
];

async function answers(world: World): Promise<readonly string[]> {
  const told: string[] = [];
  for (const [target, body] of REQUESTS) {
    const { status, text } = await world.ask(target, ANN, body);
    assert.equal(status, 200, text);
    told.push(comparable(text));
  }
  return told;
}

test('1.3 no counter of an index without rules reveals related hidden objects', async (context) => {
  const data = ['a', 'b', 'c'].map((id) => ({ id, word: id }));
  const worlds = [await openWorld(MODEL, [['Tag', data]]), await openWorld(MODEL, [['Tag', data]])] as const;
  context.after(() => Promise.all(worlds.map((world) => world.close())));
  const [busy, quiet] = worlds;
  for (const write of [
    'createDoc(input: { id: "1", owner: "bob", tags: ["a"] }) { id }',
    'createDoc(input: { id: "2", owner: "bob", tags: ["a", "b"] }) { id }',
    'deleteDoc(id: "1")',
  ])
    assert.doesNotMatch(await busy.query(`mutation { ${write} }`, BOB), /errors/);
  // The index has followed once it shows a write to its own type.
  while (!/"value":1,/.test((await busy.ask('POST /docs/_search', BOB, {})).text));
  assert.deepEqual(await answers(busy), await answers(quiet));
  // What depends on the order of the index is served where no relation leads to a rule.
  assert.equal((await busy.ask('POST /others/_search', ANN, { terminate_after: 1 })).status, 200);
  assert.equal((await busy.ask('POST /kinds/_search', ANN, { terminate_after: 1 })).status, 400);
});
