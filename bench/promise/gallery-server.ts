// The child's side of bench/promise/by-hand.ts: the same gallery served by Lockstitch, with everything on.
//   gallery-server.ts FOLDER GALLERY
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createApp } from '../../packages/server/src/app.ts';
import { loadApp } from '../../packages/server/src/app/load-app.ts';
import { announce } from '../lib/serve.ts';
import type { Gallery } from './gallery.ts';

const MAY_READ = 'open or postedBy.login == authentication.name or viewers.any(v, v.login == authentication.name)';
const SCHEMA = `
  type Photo @entity @auth(read: "${MAY_READ}") {
    id: ID! @default(value: "identity")
    name: String! @search
    description: String @search
    category: String @search(type: "keyword")
    open: Boolean!
    postedBy: User! @relation(inverse: "photos")
    viewers: [User!]! @relation(inverse: "shared") @search(embed: false)
  }
  type User @entity { login: ID! @id @search  name: String @search  photos: [Photo!]!  shared: [Photo!]! @search(embed: false) }
  type Query {
    photo(id: ID!): Photo
    searchPhotos(query: String!, first: Int = 10): PhotoSearchConnection!
  }
  input CreatePhotoInput { name: String!  description: String  category: String  open: Boolean!  postedBy: ID! }
  type Mutation {
    createPhoto(input: CreatePhotoInput!): Photo!
    updatePhoto(id: ID!, name: String!): Photo
  }
`;

const [folder, gallery] = process.argv.slice(2) as [string, string];
const { photos, users } = JSON.parse(readFileSync(gallery, 'utf8')) as Gallery;
const config = {
  csrf: { enabled: false },
  passwordEncoder: 'noop',
  users: users.map(({ login, password }) => ({ username: login, password, roles: ['USER'] })),
};
writeFileSync(join(folder, 'schema.graphql'), SCHEMA);
writeFileSync(join(folder, 'lockstitch.config.mjs'), `export default ${JSON.stringify(config)};`);
const app = await createApp(await loadApp(folder, {}, { port: 0 }));
if ((await app.graph.feed.head()) === 0) {
  await app.graph.importRows('User', [users.map(({ login, name }) => ({ login, name }))]);
  const { committed } = await app.graph.importRows('Photo', [
    photos.map((photo) => ({ ...photo, id: String(photo.id) })),
  ]);
  if (!committed) throw new Error('The photos were not taken.');
}
// Nobody is asked before all of it is found.
const position = String(await app.graph.feed.head());
const authorization = `Basic ${Buffer.from(`${users[0]!.login}:${users[0]!.password}`).toString('base64')}`;
const headers = { authorization, 'lockstitch-min-position': position };
while ((await app.handle({ method: 'GET', target: '/photos/_count', headers })).status !== 200);
const { url } = await app.listen();
announce(url);
