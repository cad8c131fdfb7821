// The product with one stored type, in memory, for bench/graph/subscribers.ts: security chain, HTTP Basic, WebSockets.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, loadApp } from 'lockstitch';
import { announce } from '../lib/serve.ts';

const SCHEMA = /* GraphQL */ `
  scalar DateTime
  type Note @entity {
    id: ID!
    title: String!
    likes: Int
    created: DateTime! @default(value: "now")
  }
  type Query {
    note(id: ID!): Note
  }
  input CreateNoteInput {
    title: String!
    likes: Int
  }
  type Mutation {
    createNote(input: CreateNoteInput!): Note!
  }
  type Subscription {
    noteCreated: Note!
  }
`;

const folder = mkdtempSync(join(tmpdir(), 'lockstitch-bench-'));
writeFileSync(join(folder, 'schema.graphql'), SCHEMA);
writeFileSync(
  join(folder, 'lockstitch.config.mjs'),
  `export default { csrf: { enabled: false }, graph: { introspection: false } };`,
);
const app = await createApp(
  await loadApp(folder, { LOCKSTITCH_USER_PASSWORD: 'bench' }, { port: 0, data: ':memory:' }),
);
rmSync(folder, { recursive: true });
const { url } = await app.listen();
announce(url);
