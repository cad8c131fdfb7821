// The index follows soft deletions: documents go and return, those that embed the object too, and rules over it.
import { deepEqual, match } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { freshDatabase } from '../fresh-database.ts';
import { runLine } from '../cli/run-here.ts';
import { startApp, type TestApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

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

/** Rules that read no field of the soft-deleted objects, only whether there are some. */
const PRESENCE = {
  A: 'team != null',
  B: 'team == null',
  C: 'not (team.parent == null)',
  D: 'tags.any(tag, true)',
  E: 'not tags.isEmpty()',
  F: 'tags.size() == 1',
  G: 'tags.any(tag, tag.parent != null)',
};

const HOLDERS = [...Object.keys(PRESENCE), 'H'];

const PRESENCE_SCHEMA = `
  scalar DateTime
  ${Object.entries({ ...PRESENCE, H: undefined })
    .map(
      ([type, rule]) => `type ${type} @entity${rule === undefined ? '' : ` @auth(read: "${rule}")`} {
        id: ID! @id
        name: String @search${rule === undefined ? ' @auth(read: "team != null", denied: NULL)' : ''}
        team: Team
        tags: [Tag!]! @relation(table: "tags_${type}")
      }`,
    )
    .join('\n')}
  type Team @entity(softDelete: "deletedAt") @auth(readDeleted: "true") { id: ID! @id deletedAt: DateTime parent: Parent }
  type Tag @entity(softDelete: "left") @auth(readDeleted: "true") { id: ID! @id left: Boolean parent: Parent }
  type Parent @entity(softDelete: "deletedAt") @auth(readDeleted: "true") { id: ID! @id deletedAt: DateTime }
  type Query { ${HOLDERS.map((type) => `of${type}: [${type}!]!`).join(' ')} }
  type Mutation {
    ${HOLDERS.map((type) => `create${type}(id: ID!, name: String, team: ID, tags: [ID!]): ${type}`).join('\n')}
    createTeam(id: ID!, parent: ID): Team createTag(id: ID!, parent: ID): Tag createParent(id: ID!): Parent
    deleteTeam(id: ID!): ID deleteTag(id: ID!): ID deleteParent(id: ID!): ID
    restoreTeam(id: ID!): Team restoreTag(id: ID!): Tag restoreParent(id: ID!): Parent
  }`;

async function followsPresence(context: TestContext, config: Readonly<Record<string, unknown>>): Promise<void> {
  const { app, call, graph } = await startApp(context, { schema: PRESENCE_SCHEMA, config });
  await graph(`mutation {
    createParent(id: "x") { id } createTeam(id: "x", parent: "x") { id } createTag(id: "x", parent: "x") { id }
  }`);
  for (const type of HOLDERS)
    await call('/graphql', {
      json: { query: `mutation { create${type}(id: "1", name: "n", team: "x", tags: ["x"]) { id } }` },
    });
  const seen: string[] = [];
  const look = async (): Promise<void> => {
    const headers = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
    const data = await graph(
      `{ ${Object.keys(PRESENCE)
        .map((type) => `of${type} { id }`)
        .join(' ')} ofH { name } }`,
    );
    const shown = HOLDERS.filter((type) => data[`of${type}`].some((row: any) => (row.id ?? row.name) !== null));
    const found: string[] = [];
    for (const type of HOLDERS)
      if ((await call(`/${type.toLowerCase()}s/_search?q=name:n`, { headers })).json.hits.total.value > 0)
        found.push(type);
    deepEqual(found, shown, `after ${seen.length} steps`);
    seen.push(shown.join(''));
  };
  await look();
  for (const type of ['Team', 'Tag', 'Parent']) {
    await graph(`mutation { delete${type}(id: "x") }`);
    await look();
    await graph(`mutation { restore${type}(id: "x") { id } }`);
    await look();
  }
  deepEqual(seen, ['ACDEFGH', 'BDEFG', 'ACDEFGH', 'ACH', 'ACDEFGH', 'ADEFH', 'ACDEFGH']);
}

test('19.2 search follows rules that read only whether there are objects which can be deleted softly', (context) =>
  followsPresence(context, {}));

test('19.2 search follows such rules on PostgreSQL', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  await followsPresence(context, { database: { url } });
});

test('19.2 search never shows what soft deletion, added to a column in use, hides', async (context) => {
  const folder = temporaryFolder(context);
  const data = join(folder, 'data');
  const schema = (photo: string, user: string): string => `
    scalar DateTime
    type Photo @entity${photo} { id: ID! name: String @search gone: DateTime by: User @search }
    type User @entity${user} { id: ID! name: String @search left: Boolean photos: [Photo!]! }
    type Query { photo(id: ID!): Photo }
    input UserInput { name: String ${user === '' ? 'left: Boolean' : ''} }
    input OneUser { create: UserInput }
    type Mutation { createPhoto(name: String, ${photo === '' ? 'gone: DateTime,' : ''} by: OneUser): Photo }`;
  const first = await startApp(context, { folder, data, schema: schema('', '') });
  await first.graph(`mutation {
    a: createPhoto(name: "a", by: { create: { name: "ann" } }) { id }
    b: createPhoto(name: "b", gone: "2024-01-01T00:00:00Z") { id }
    c: createPhoto(name: "c", by: { create: { name: "bob", left: true } }) { id }
  }`);
  const found = async ({ app, call }: TestApp): Promise<readonly string[]> => {
    const headers = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
    const { hits } = (await call('/photos/_search?sort=id', { headers })).json.hits;
    return hits.map(({ _source: { name, by } }: any) => `${name} by ${by?.name}`);
  };
  deepEqual(await found(first), ['a by ann', 'b by undefined', 'c by bob']);
  await first.close();
  for (const [photo, user, expected] of [
    ['(softDelete: "gone")', '', ['a by ann', 'c by bob']],
    ['(softDelete: "gone")', '(softDelete: "left")', ['a by ann', 'c by undefined']],
  ] as const) {
    const text = schema(photo, user);
    writeFileSync(join(folder, 'schema.graphql'), text);
    match(
      (await runLine(['plan', folder, '--data', data])).out,
      /Rebuild index photos: other objects count as deleted/,
    );
    const next = await startApp(context, { folder, data, schema: text });
    deepEqual(await found(next), expected);
    await next.close();
  }
});
