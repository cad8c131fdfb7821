// Mutations answered without graphql-js, and where graphql-js takes over: the answer must not tell which it was.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import { openGraph, type Answer } from './open-graph.ts';

const SDL = /* GraphQL */ `
  type Note @entity @auth(read: "hidden == null or hidden == false", create: "text != 'forbidden'") {
    id: ID! @id
    text: String!
    hidden: Boolean
    weight: Float
    secret: String @auth(read: "hasRole('ADMIN')")
    author: Person
    length: Int
  }
  type Person @entity {
    login: ID! @id
    notes(first: Int): [Note!]!
  }
  type Query {
    notes: [Note!]!
  }
  type Mutation {
    addNote(id: ID!, text: String!, hidden: Boolean, weight: Float, secret: String, author: ID): Note!
    addPerson(login: ID!): Person!
    updateNote(id: ID!, text: String, hidden: Boolean): Note
    createNotes(input: [NewNote!]!): [Note!]!
    deleteNote(id: ID!): Boolean!
    deleteNotes(ids: [ID!]!): Int!
  }
  input NewNote {
    id: ID!
    text: String!
    hidden: Boolean
  }
`;
const RESOLVERS = {
  Note: {
    length: {
      needs: ['text'],
      resolve: (note: unknown) => (note as { readonly text: string }).text.length,
    },
  },
};
const t = await openGraph(SDL, '', RESOLVERS);
after(() => t.close());
const admin = createPrincipal('root', ['ROLE_ADMIN']);

function codes(answer: Answer): readonly unknown[] {
  return (answer.errors ?? []).map((error) => [error.path, error.extensions['code']]);
}

test('mutation fields are executed in order and returned under their keys', async () => {
  const answer = await t.ask(
    `mutation ($skip: Boolean!, $n: Int) {
      p: addPerson(login: "ann") { login }
      b: addNote(id: "b", text: "say \\"b\\"", weight: 1e21, author: "ann") { ...shown weight author { login notes(first: $n) { id } } }
      a: addNote(id: "a", text: "a") { __typename ...shown }
      no: addNote(id: "no", text: "no") @skip(if: $skip) { id }
      gone: deleteNote(id: "a")
      count: deleteNotes(ids: ["b"])
    }
    fragment shown on Note { id text }`,
    { variables: { skip: true, n: 1 } },
  );
  assert.deepEqual(answer, {
    data: {
      p: { login: 'ann' },
      b: { id: 'b', text: 'say "b"', weight: 1e21, author: { login: 'ann', notes: [{ id: 'b' }] } },
      a: { __typename: 'Note', id: 'a', text: 'a' },
      gone: true,
      count: 1,
    },
  });
  assert.deepEqual((await t.ask('{ notes { id } }')).data, { notes: [] });
});

test('a failing nullable field keeps the others, before and after it', async () => {
  const answer = await t.ask(`mutation {
    one: addNote(id: "1", text: "x") { id }
    two: updateNote(id: "none", text: "y") { id }
    three: updateNote(id: "1", text: "z") { id text }
    four: deleteNote(id: "1")
  }`);
  assert.deepEqual(answer.data, { one: { id: '1' }, two: null, three: { id: '1', text: 'z' }, four: true });
  assert.deepEqual(codes(answer), [[['two'], 'GRAPH_NOT_FOUND']]);
  assert.deepEqual(answer.errors?.[0]?.locations, [{ line: 3, column: 5 }]);
});

test('a failing non-null field makes data null, and earlier writes stay', async () => {
  const answer = await t.ask(`mutation {
    one: addNote(id: "kept", text: "x") { id }
    two: addNote(id: "kept", text: "y") { id }
    three: addNote(id: "never", text: "z") { id }
  }`);
  assert.equal(answer.data, null);
  assert.deepEqual(codes(answer), [[['two'], 'GRAPH_NOT_UNIQUE']]);
  assert.deepEqual((await t.ask('{ notes { id text } }')).data, { notes: [{ id: 'kept', text: 'x' }] });
  await t.ask('mutation { deleteNote(id: "kept") }');
});

test('an unreadable written object is a missing value with its error', async () => {
  const answer = await t.ask('mutation { addNote(id: "h", text: "x", hidden: true) { id } }');
  assert.equal(answer.data, null);
  assert.deepEqual(codes(answer), [[['addNote'], 'GRAPH_NULL_VALUE']]);
  assert.match(String(answer.errors?.[0]?.extensions['hint']), /Changes of a mutation are kept/);
  assert.equal(
    (
      await t.ask(
        'mutation { createNotes(input: [{ id: "i", text: "x" }, { id: "j", text: "x", hidden: true }]) { id } }',
      )
    ).data,
    null,
  );
  const hidden = await t.ask('mutation { updateNote(id: "i", hidden: true) { id } }');
  assert.deepEqual(hidden, { data: { updateNote: null } });
});

test('a field that may not be read is an error at its place, after the write', async () => {
  const ask = 'mutation { addNote(id: "ID", text: "x", secret: "s") { id secret } }';
  const answer = await t.ask(ask.replace('ID', 's1'));
  assert.deepEqual(answer.data, { addNote: { id: 's1', secret: null } });
  assert.deepEqual(codes(answer), [[['addNote', 'secret'], 'GRAPH_FIELD_FORBIDDEN']]);
  const seen = await t.ask(ask.replace('ID', 's2'), { principal: admin });
  assert.deepEqual(seen, { data: { addNote: { id: 's2', secret: 's' } } });
});

test('the answer is the same whether graphql-js completes it or not', async () => {
  const plain = await t.ask(
    'mutation { addNote(id: "q1", text: "four") { id text author { login } } deleteNote(id: "q1") }',
  );
  const resolved = await t.ask(
    'mutation { addNote(id: "q1", text: "four") { id text author { login } length } deleteNote(id: "q1") }',
  );
  assert.deepEqual(resolved.data, {
    ...plain.data,
    addNote: { ...(plain.data!['addNote'] as object), length: 4 },
  });
});

test('invalid arguments inside a selection are errors at their field; invalid variables write nothing', async () => {
  const answer = await t.ask(
    'mutation ($first: Int) { addPerson(login: "eve") { login notes(first: $first) { id } } }',
    { variables: { first: -1 } },
  );
  assert.equal(answer.data, null);
  assert.deepEqual(
    answer.errors?.map((error) => error.path),
    [['addPerson', 'notes']],
  );
  const wrong = await t.ask('mutation ($id: ID!) { addNote(id: $id, text: "w") { id } }', { variables: {} });
  assert.equal(wrong.errors![0]!.extensions['code'], 'GRAPH_VARIABLES_INVALID');
  assert.equal(wrong.data, undefined);
  assert.equal(wrong.errors?.length, 1);
});

test('nothing is written after the client has disconnected', async () => {
  const controller = new AbortController();
  controller.abort();
  const gone = await t.graph.execute(
    { query: 'mutation { addNote(id: "late", text: "x") { id } }' },
    { signal: controller.signal },
  );
  assert.match(gone.body, /GRAPH_CANCELLED/);
  const notes = (await t.ask('{ notes { id } }')).data!['notes'] as readonly { readonly id: string }[];
  assert.ok(!notes.some(({ id }) => id === 'late'));
});
