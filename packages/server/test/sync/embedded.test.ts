import { deepEqual, equal } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { checkApp } from '../../src/app/load-app.ts';
import { freshDatabase } from '../fresh-database.ts';
import { startApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A photo holds its poster, the poster's team and the team's city, its albums with their curators, and its comments. */
const SCHEMA = `
  type Photo @entity {
    id: ID!
    name: String! @search
    postedBy: User @search(depth: 3)
    albums: [Album!]! @search(depth: 2)
    comments: [Comment!]! @search(depth: 2)
  }
  type User @entity { login: ID! @id @search  name: String @search  team: Team  photos: [Photo!]!  comments: [Comment!]! }
  type Team @entity { id: ID! @search  name: String @search  city: City  members: [User!]! }
  type City @entity { code: ID! @id @search  name: String @search  teams: [Team!]! }
  type Album @entity { id: ID! @search  title: String @search  photos: [Photo!]!  curators: [Curator!]! @search }
  type Curator @entity { id: ID! @search  name: String @search  albums: [Album!]! }
  type Comment @entity { id: ID! @search  text: String @search  photo: Photo @search(embed: false)  author: User }
  type Query { photo(id: ID!): Photo }
  type Mutation {
    updateUser(login: ID!, name: String, team: ID): User
    updateTeam(id: ID!, name: String, city: ID): Team
    updateCity(code: ID!, name: String): City
    deleteCity(code: ID!): City
    updatePhoto(id: ID!, postedBy: ID): Photo
    updateCurator(id: ID!, name: String): Curator
    updateComment(id: ID!, text: String, photo: ID): Comment
    deleteComment(id: ID!): Comment
    addCurators(id: ID!, curators: [ID!]!): Album
    removeCurators(id: ID!, curators: [ID!]!): Album
    addAlbums(id: ID!, albums: [ID!]!): Photo
    removeAlbums(id: ID!, albums: [ID!]!): Photo
  }
`;

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  test(`${store}: documents hold related objects as deep as the schema says, and follow every change of them`, async (context) => {
    const url = store === 'SQLite' ? undefined : await freshDatabase();
    if (url?.startsWith('postgres:') === false) return context.skip(url);
    const folder = temporaryFolder(context);
    const config = url === undefined ? {} : { database: { url } };
    const { app, call, graph } = await startApp(context, {
      folder,
      data: join(folder, 'data'),
      schema: SCHEMA,
      config,
    });
    const rows: readonly (readonly [string, readonly Record<string, unknown>[]])[] = [
      [
        'City',
        [
          { code: 'ber', name: 'Berlin' },
          { code: 'rom', name: 'Rome' },
        ],
      ],
      [
        'Team',
        [
          { id: 1, name: 'Red', city: 'ber' },
          { id: 2, name: 'Blue', city: 'ber' },
        ],
      ],
      [
        'User',
        [
          { login: 'ada', name: 'Ada', team: '1' },
          { login: 'bob', name: 'Bob', team: '2' },
        ],
      ],
      [
        'Curator',
        [
          { id: 1, name: 'Cleo' },
          { id: 2, name: 'Dan' },
        ],
      ],
      [
        'Album',
        [
          { id: 1, title: 'Sea' },
          { id: 2, title: 'Sky' },
        ],
      ],
      [
        'Photo',
        [
          { id: 1, name: 'one', postedBy: 'ada' },
          { id: 2, name: 'two', postedBy: 'bob' },
        ],
      ],
      ['Comment', [{ id: 1, text: 'nice', photo: '1', author: 'bob' }]],
    ];
    for (const [type, list] of rows) await app.graph.importRows(type, [list]);
    /** The documents as found must be those of the data; answers their sources. */
    const photos = async (): Promise<any[]> => {
      const headers = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
      const { hits } = (await call('/photos/_search?sort=id', { headers })).json.hits;
      const found = hits.map((hit: any) => hit._source);
      const stored = (await app.graph.loadDocuments('Photo', { limit: 10 })).map(({ source }) => JSON.parse(source));
      deepEqual(found, stored);
      return found;
    };
    const [one, two] = await photos();
    deepEqual(one.postedBy.team, { id: '1', name: 'Red', city: { code: 'ber', name: 'Berlin' } });
    deepEqual(one.comments, [{ id: '1', text: 'nice', author: { login: 'bob', name: 'Bob' } }]);
    equal(two.postedBy.team.city.name, 'Berlin');

    const step = async (mutation: string): Promise<any[]> => {
      await graph(`mutation { ${mutation} { __typename } }`);
      return photos();
    };
    deepEqual(
      (await step('updateCity(code: "ber", name: "Bärlin")')).map(({ postedBy }) => postedBy.team.city.name),
      ['Bärlin', 'Bärlin'],
    );
    equal((await step('updateTeam(id: 2, city: "rom")'))[1].postedBy.team.city.name, 'Rome');
    equal((await step('updateUser(login: "ada", team: 2)'))[0].postedBy.team.city.name, 'Rome');
    equal((await step('updatePhoto(id: 1, postedBy: "bob")'))[0].postedBy.name, 'Bob');
    equal((await step('deleteCity(code: "rom")'))[0].postedBy.team.city, null);
    await step('addAlbums(id: 1, albums: [1, 2])');
    await step('addCurators(id: 1, curators: [1, 2])');
    deepEqual((await step('updateCurator(id: 2, name: "Dana")'))[0].albums[0].curators, [
      { id: '1', name: 'Cleo' },
      { id: '2', name: 'Dana' },
    ]);
    deepEqual((await step('removeCurators(id: 1, curators: [1])'))[0].albums[0].curators.length, 1);
    deepEqual((await step('removeAlbums(id: 1, albums: [1])'))[0].albums.length, 1);
    equal((await step('updateUser(login: "bob", name: "Bobby")'))[0].comments[0].author.name, 'Bobby');
    const moved = await step('updateComment(id: 1, photo: 2)');
    deepEqual([moved[0].comments.length, moved[1].comments[0].author.name], [0, 'Bobby']);
    equal((await step('deleteComment(id: 1)'))[1].comments.length, 0);
    const nested = { query: { match: { 'postedBy.team.name': 'blue' } } };
    equal((await call('/photos/_count', { json: nested })).json.count, 2);
  });
}

test('an invalid depth is reported with its field, and so is a rule too deep for a document', async (context) => {
  const problemsOf = async (schema: string): Promise<readonly string[]> => {
    const folder = temporaryFolder(context, { 'schema.graphql': schema });
    const reading = await checkApp(folder, {});
    return reading.kind === 'good' ? [] : reading.problems.map(({ message }) => message);
  };
  const schema = (photo: string, team = '@entity'): string => `
    type Photo @entity { id: ID! name: String! @search postedBy: User ${photo} }
    type User @entity { login: ID! @id @search team: Team }
    type Team ${team} { id: ID! @search name: String @search captain: String }
    type Query { photo(id: ID!): Photo }`;
  deepEqual(await problemsOf(schema('@search(depth: 2)')), []);
  deepEqual(await problemsOf(schema('@search(depth: 6)')), [
    '@search(depth: 6) of Photo.postedBy: a document follows 5 relations in a row at most.',
  ]);
  deepEqual(await problemsOf(schema('@search(depth: 2)', `@entity @auth(read: "hasRole('ADMIN')")`)), []);
  deepEqual(await problemsOf(schema('@search(depth: 2)', '@entity @auth(read: "captain == authentication.name")')), [
    'Documents of Photo hold the objects of "postedBy.team" through others, and the rule @auth(read:) of Team decides by their rows: search can do that for objects next to the document only.',
  ]);
});
