// The application of the fleet: notes that are written many at a time, and, for a rolling deploy, a version of it whose index has a field more.
import { mkdirSync } from 'node:fs';
import { writeNotesApp } from '../../packages/server/test/sync/kill-rounds.ts';

const schema = (isNewer: boolean): string => `
  type Note @entity {
    id: ID!
    title: String! @search
    likes: Int @search
    remark: String ${isNewer ? '@search' : ''}
    author: Author!
  }
  type Author @entity { login: ID! @id @search  name: String @search  notes: [Note!]! }
  type Query { note(id: ID!): Note }
  input CreateNoteInput { title: String!  likes: Int  author: ID! }
  input UpdateNoteInput { likes: Int }
  input CreateAuthorInput { login: ID!  name: String }
  type Mutation {
    createAuthor(input: CreateAuthorInput!): Author!
    createNotes(input: [CreateNoteInput!]!): [Note!]!
    updateNotes(where: NoteFilter!, input: UpdateNoteInput!): Int!
    deleteNotes(where: NoteFilter!): Int!
  }`;

/** @param isNewer whether its index has a field more */
export function writeFleetApp(
  folder: string,
  search: Readonly<Record<string, unknown>> | undefined,
  isNewer = false,
): void {
  mkdirSync(folder, { recursive: true });
  writeNotesApp(
    folder,
    {
      limits: { drainDelay: 1000 },
      metrics: { enabled: true },
      // Commits and refreshes as often as it can: a kill then meets one.
      search: { commitInterval: 20, refreshInterval: 20, ...search },
    },
    schema(isNewer),
  );
}

/** Headers of the user whom the application has. */
export const AS_USER = {
  authorization: `Basic ${Buffer.from('user:x').toString('base64')}`,
  'content-type': 'application/json',
};
