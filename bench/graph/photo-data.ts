// The data of the graph benchmark: 1,000 users, 20,000 photos, about three tags each, in a SQLite file that the engine's own
// start-up has laid out.
import { createGraph, openSqliteStore, readSchema, type Graph } from '@lockstitch/graph';

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

/** Opens the graph on `file`, filling it when it is empty. */
export async function openPhotoGraph(file: string): Promise<Graph> {
  const model = readSchema([{ file: 'bench.graphql', text: SDL }]);
  const store = await openSqliteStore({ file });
  const graph = await createGraph({ model, store });
  const { body } = await graph.execute({ query: '{ totalPhotos }' });
  if (body !== '{"data":{"totalPhotos":20000}}') {
    await store.script(
      `
      INSERT INTO users (github_login, name, avatar) SELECT 'u' || value, 'User Number ' || value, 'https://pictures.example/' || value || '.png' FROM generate_series_;
    `.replace(
        'generate_series_',
        `(WITH RECURSIVE n(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value < 999) SELECT value FROM n)`,
      ),
    );
    await store.script(`
      INSERT INTO photos (id, name, url, description, created, category, posted_by)
      SELECT value, 'Photo "' || value || '"', 'https://pictures.example/p/' || value || '.jpg', 'Taken on day ' || value % 977,
        strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + value * 977 % 100000000, 'unixepoch'),
        CASE value % 5 WHEN 0 THEN 'SELFIE' WHEN 1 THEN 'PORTRAIT' WHEN 2 THEN 'ACTION' WHEN 3 THEN 'LANDSCAPE' ELSE 'GRAPHIC' END, 'u' || (value * 7919 % 1000)
      FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 20000) SELECT value FROM n);
      INSERT OR IGNORE INTO photos_tagged_users (photo, user)
      SELECT value / 3 + 1, 'u' || (value * 104729 % 1000)
      FROM (WITH RECURSIVE n(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value < 59999) SELECT value FROM n);
      ANALYZE`);
  }
  return graph;
}
