// Rules that fail on what a row holds: they deny, and reveal neither a hidden row nor what failed.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createPrincipal } from '@lockstitch/kernel';

import { openWorld, readModel } from './world.ts';

const SDL = `
  type Doc @entity @auth(read: "open or hasRole('ADMIN')", update: "100 / size > 3 and 7 % size == 1") {
    id: ID!
    open: Boolean
    size: Int
    title: String
  }
  type Query { doc(id: ID!): Doc }
  input UpdateDocInput { title: String }
  type Mutation { updateDoc(id: ID!, input: UpdateDocInput!): Doc }
`;
const ANN = createPrincipal('ann');

async function update(hidden: number, id: string): Promise<string> {
  const rows = [
    { id: '1', open: true, size: 0 },
    { id: '2', open: false, size: hidden },
  ];
  const world = await openWorld(readModel(SDL), [['Doc', rows]]);
  try {
    return await world.query(`mutation { updateDoc(id: "${id}", input: { title: "x" }) { id } }`, ANN);
  } finally {
    await world.close();
  }
}

test("1.1 a rule that divides by a hidden row's value reveals nothing of it", async () => {
  const answers = await Promise.all([0, 1, 3].map((size) => update(size, '2')));
  assert.match(answers[0]!, /GRAPH_NOT_FOUND/);
  assert.deepEqual(new Set(answers).size, 1, answers.join('\n'));
});

test('1.1 a rule that fails on a visible row denies without a reason', async () => {
  const answer = await update(0, '1');
  assert.match(answer, /"code":"GRAPH_FORBIDDEN"/);
  assert.doesNotMatch(answer, /EXPRESSION_|zero/);
});
