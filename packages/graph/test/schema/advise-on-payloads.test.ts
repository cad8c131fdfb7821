// What `lockstitch check` asks about payloads of mutations.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { adviseOnPayloads, readSchema } from '@lockstitch/graph';

test('check warns of a payload whose clientMutationId no argument gives', () => {
  const text = `type Note @entity { id: ID! text: String! }
    input CreateNoteInput { text: String! }
    input UpdateNoteInput { id: ID! text: String! clientMutationId: String }
    type Query { notes: [Note!]! }
    type Mutation {
      createNote(input: CreateNoteInput!): CreateNotePayload
      updateNote(input: UpdateNoteInput!): UpdateNotePayload
      deleteNote(id: ID!): DeleteNotePayload
      addNote(text: String!): Note!
    }`;
  deepEqual(
    adviseOnPayloads(readSchema([{ file: 'schema.graphql', text }])).map(({ message, remedy }) => [message, remedy]),
    [
      [
        'Mutation.createNote returns clientMutationId, and nothing in its arguments gives one: it is always null.',
        'Add clientMutationId: String to CreateNoteInput.',
      ],
      [
        'Mutation.deleteNote returns clientMutationId, and nothing in its arguments gives one: it is always null.',
        'Take an input object with clientMutationId: String and the other arguments.',
      ],
    ],
  );
});
