// The schema of the database that two processes of bench/promise/feed.ts share.

export const WAKE_SCHEMA = `
  type Note @entity { id: ID!  text: String }
  type Query { note(id: ID!): Note }
  input CreateNoteInput { text: String }
  type Mutation { createNote(input: CreateNoteInput!): Note! }
`;
