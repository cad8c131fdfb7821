// The index follows soft deletions: documents go and return, those that embed the object too, and rules over it.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';

import { startApp } from '../start-app.ts';

const SCHEMA = `
  scalar DateTime
  type Photo @entity(softDelete: "deletedAt") @auth(readDeleted: "true", read: "team == null or team.name != 'closed'") {
    id: ID! name: String @search deletedAt: DateTime
    by: User @search tags: [Tag!]! @search team: Team
  }
  type User @entity(softDelete: "left") @auth(readDeleted: "true") { id: ID! name: String @search left: Boolean photos: [Photo!]! }
  type Tag @entity(softDelete: "left") @auth(readDeleted: "true") { id: ID! name: String @search left: Boolean photos: [Photo!]! }
  type Team @entity(softDelete: "left") @auth(readDeleted: "true") { id: ID! name: String left: Boolean photos: [Photo!]! }
  type Query { photo(id: ID!): Photo }
  input Words { create: [NameInput!] }
  input OneWord { create: NameInput }
  input NameInput { name: String }
  type Mutation {
    createPhoto(name: String, by: OneWord, tags: Words, team: OneWord): Photo
    deletePhoto(id: ID!): ID
    restorePhoto(id: ID!): Photo!
    deleteUser(id: ID!): ID
    restoreUser(id: ID!): User!
    deleteTag(id: ID!): ID
    restoreTag(id: ID!): Tag!
    deleteTeam(id: ID!): ID
    restoreTeam(id: ID!): Team!
  }`;

test('19.2 search follows soft deletions of objects, of what they embed and of what their rules read', async (context) => {
  const { app, call, graph } = await startApp(context, { schema: SCHEMA });
  const found = async (): Promise<readonly string[]> => {
    const headers = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
    const { hits } = (await call('/photos/_search?sort=id', { headers })).json.hits;
    return hits.map(
      ({ _source: { name, by, tags } }: any) => `${name} by ${by?.name} ${tags.map((tag: any) => tag.name).join()}`,
    );
  };
  const after = async (mutation: string): Promise<readonly string[]> => {
    await graph(`mutation { ${mutation} }`);
    return found();
  };
  await graph(`mutation {
    a: createPhoto(name: "a", by: { create: { name: "ann" } }, tags: { create: [{ name: "x" }] }) { id }
    b: createPhoto(name: "b", team: { create: { name: "closed" } }) { id }
  }`);
  deepEqual(await found(), ['a by ann x']);
  deepEqual(await after('deleteUser(id: 1)'), ['a by undefined x']);
  deepEqual(await after('restoreUser(id: 1) { id }'), ['a by ann x']);
  deepEqual(await after('deleteTag(id: 1)'), ['a by ann ']);
  deepEqual(await after('restoreTag(id: 1) { id }'), ['a by ann x']);
  deepEqual(await after('deleteTeam(id: 1)'), ['a by ann x', 'b by undefined ']);
  deepEqual(await after('restoreTeam(id: 1) { id }'), ['a by ann x']);
  deepEqual(await after('deletePhoto(id: 1)'), []);
  deepEqual(await after('restorePhoto(id: 1) { id }'), ['a by ann x']);
});
