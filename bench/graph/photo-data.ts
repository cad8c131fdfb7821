// The data of the graph benchmark: 1,000 users, 20,000 photos, about three tags each, in tables that the engine's own
// start-up has laid out, on SQLite or PostgreSQL.
import { createGraph, openPostgresStore, openSqliteStore, readSchema, type Graph } from '@lockstitch/graph';

const SDL = /* GraphQL */ `
  scalar DateTime
  enum PhotoCategory {
    SELFIE
    PORTRAIT
    ACTION
    LANDSCAPE
    GRAPHIC
  }
  enum SortDirection {
    ASCENDING
    DESCENDING
  }
  enum SortablePhotoField {
    name
    category
    created
  }
  type Photo @entity {
    id: ID!
    name: String!
    url: String!
    description: String
    created: DateTime! @index
    category: PhotoCategory!
    postedBy: User!
    taggedUsers: [User!]!
  }
  type User @entity {
    githubLogin: ID! @id
    name: String
    avatar: String
    postedPhotos: [Photo!]!
    inPhotos: [Photo!]!
  }
  type Query {
    allPhotos(
      first: Int = 25
      start: Int = 0
      sort: SortDirection = DESCENDING
      sortBy: SortablePhotoField = created
    ): [Photo!]!
    allUsers(first: Int = 50, start: Int = 0): [User!]!
    User(githubLogin: ID!): User
    totalPhotos: Int!
  }
  input PostPhotoInput {
    name: String!
    url: String!
    description: String
    created: DateTime!
    category: PhotoCategory!
    postedBy: ID!
  }
  type Mutation {
    postPhoto(input: PostPhotoInput!): Photo!
    updatePhoto(id: ID!, name: String): Photo!
  }
`;

/** The login that the look-ups ask for. */
export const LOGIN = 'u17';

/** Where the photos are kept: a SQLite file, or the URL of a PostgreSQL server. */
export type Place = { readonly file: string } | { readonly url: string };

/** The schema and the data of a bench. */
export interface Data {
  readonly file: string;
  readonly sdl: string;
  /** Counts rows that are there once the database is filled. */
  readonly counter: string;
  /** Creates tables that are not the engine's, once. */
  readonly tables?: string;
  readonly scripts: Readonly<Record<'sqlite' | 'postgres', readonly string[]>>;
}

/** Opens a graph, filling its database when it is empty. */
export async function openFilled(data: Data, place: Place, schema?: string): Promise<Graph> {
  const { file, sdl, counter, scripts, tables } = data;
  const model = readSchema([{ file, text: sdl }]);
  const store =
    'file' in place
      ? await openSqliteStore(place)
      : await openPostgresStore(schema === undefined ? place : { ...place, schema });
  if (tables !== undefined) await store.script(tables);
  const graph = await createGraph({ model, store });
  const { body } = await graph.execute({ query: `{ ${counter} }` });
  if (body === `{"data":{"${counter}":0}}`) for (const script of scripts[store.dialect]) await store.script(script);
  return graph;
}

export function openPhotoGraph(place: Place): Promise<Graph> {
  return openFilled({ file: 'bench.graphql', sdl: SDL, counter: 'totalPhotos', scripts: SCRIPTS }, place);
}

export const CATEGORY = `CASE value % 5 WHEN 0 THEN 'SELFIE' WHEN 1 THEN 'PORTRAIT' WHEN 2 THEN 'ACTION' WHEN 3 THEN 'LANDSCAPE' ELSE 'GRAPHIC' END`;

export function numbers(from: number, to: number): string {
  return `(WITH RECURSIVE n(value) AS (SELECT ${from} UNION ALL SELECT value + 1 FROM n WHERE value < ${to}) SELECT value FROM n) AS numbers`;
}

/** The users, whose number both benches share. */
export const USERS = `INSERT INTO users (github_login, name, avatar)
       SELECT 'u' || value, 'User Number ' || value, 'https://pictures.example/' || value || '.png' FROM ${numbers(0, 999)};`;

function fill(created: string, ifAbsent: string): readonly string[] {
  return [
    `${USERS}
     INSERT INTO photos (id, name, url, description, created, category, posted_by)
       SELECT value, 'Photo "' || value || '"', 'https://pictures.example/p/' || value || '.jpg', 'Taken on day ' || value % 977,
         ${created}, ${CATEGORY}, 'u' || (value * 7919 % 1000) FROM ${numbers(1, 20_000)};
     INSERT INTO photos_tagged_users (photo, "user")
       SELECT value / 3 + 1, 'u' || (CAST(value AS BIGINT) * 104729 % 1000) FROM ${numbers(0, 59_999)} ${ifAbsent}`,
    'ANALYZE',
  ];
}

const SCRIPTS = {
  sqlite: fill(
    "strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + value * 977 % 100000000, 'unixepoch')",
    'WHERE true ON CONFLICT DO NOTHING',
  ),
  postgres: [
    ...fill('to_timestamp(1600000000 + value * 977 % 100000000)', 'ON CONFLICT DO NOTHING'),
    "SELECT setval(pg_get_serial_sequence('photos', 'id'), 20000)",
  ],
};
