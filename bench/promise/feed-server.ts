// The child's side of bench/promise/feed.ts: a whole application over SQLite in a folder of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createApp } from '../../packages/server/src/app.ts';
import { loadApp } from '../../packages/server/src/app/load-app.ts';
import { announce } from '../lib/serve.ts';

const SCHEMA = `
  scalar DateTime
  type Photo @entity {
    id: ID!
    name: String! @search
    description: String @search
    category: String @search(type: "keyword")
    created: DateTime! @default(value: "now") @search
    postedBy: User!
  }
  type User @entity { githubLogin: ID! @id @search  name: String @search  photos: [Photo!]! }
  type Query { photo(id: ID!): Photo }
  input CreatePhotoInput { name: String!  description: String  category: String  postedBy: ID! }
  input UpdatePhotoInput { name: String }
  input CreateUserInput { githubLogin: ID!  name: String }
  input UpdateUserInput { name: String }
  type Mutation {
    createPhotos(input: [CreatePhotoInput!]!): [Photo!]!
    createUsers(input: [CreateUserInput!]!): [User!]!
    updatePhoto(id: ID!, input: UpdatePhotoInput!): Photo
    updateUser(githubLogin: ID!, input: UpdateUserInput!): User
  }
`;

const folder = mkdtempSync(join(tmpdir(), 'bench-feed-'));
writeFileSync(join(folder, 'schema.graphql'), SCHEMA);
writeFileSync(
  join(folder, 'lockstitch.config.mjs'),
  `export default { csrf: { enabled: false }, rules: [{ any: true, access: 'permitAll' }], graph: { limits: { cost: 10000000 } } };`,
);
const app = await createApp(await loadApp(folder, {}, { port: 0 }));
const { url } = await app.listen();
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
announce(url);
