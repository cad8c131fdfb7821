// What the peers on SQLite have in common: the schema, prepared statements on node:sqlite, and loaders that fetch for many
// objects at once, as their documentation advises. Keys are asked for as one JSON list, so each statement is prepared once.
import { DatabaseSync } from 'node:sqlite';
import DataLoader from 'dataloader';

const database = new DatabaseSync(process.argv[2], { readOnly: true });
database.exec('PRAGMA mmap_size = 268435456; PRAGMA cache_size = -65536');

export const typeDefs = /* GraphQL */ `
  type Photo {
    id: ID!
    name: String!
    url: String!
    description: String
    created: String!
    category: String!
    postedBy: User!
    taggedUsers: [User!]!
  }
  type User {
    githubLogin: ID!
    name: String
    avatar: String
    postedPhotos: [Photo!]!
    inPhotos: [Photo!]!
  }
  type Query {
    allPhotos(first: Int = 25): [Photo!]!
    allUsers(first: Int = 50): [User!]!
    User(githubLogin: ID!): User
  }
`;

const PHOTO = 'id, name, url, description, created, category, posted_by';
const all = (sql) => {
  const statement = database.prepare(sql);
  return (...values) => statement.all(...values);
};
const newest = all(`SELECT ${PHOTO} FROM photos ORDER BY created DESC, id DESC LIMIT +?`);
const users = all('SELECT github_login AS githubLogin, name, avatar FROM users ORDER BY github_login LIMIT +?');
const usersByLogin = all(
  'SELECT github_login AS githubLogin, name, avatar FROM users WHERE github_login IN (SELECT value FROM json_each(?))',
);
const tagged = all(`SELECT t.photo AS owner, u.github_login AS githubLogin, u.name, u.avatar FROM photos_tagged_users t
  CROSS JOIN users u ON u.github_login = t.user WHERE t.photo IN (SELECT value FROM json_each(?)) ORDER BY t.photo, t.user`);
const posted = all(
  `SELECT ${PHOTO} FROM photos WHERE posted_by IN (SELECT value FROM json_each(?)) ORDER BY posted_by, id`,
);
const photosOf = all(`SELECT t.user AS owner, ${PHOTO} FROM photos_tagged_users t CROSS JOIN photos p ON p.id = t.photo
  WHERE t.user IN (SELECT value FROM json_each(?)) ORDER BY t.user, t.photo`);

function grouped(keys, rows, ownerOf) {
  const byOwner = new Map(keys.map((key) => [key, []]));
  for (const row of rows) byOwner.get(ownerOf(row)).push(row);
  return keys.map((key) => byOwner.get(key));
}

/** For each list of keys, what belongs to each key, in the order of the keys. */
export const batches = {
  userByLogin: (logins) => {
    const found = new Map(usersByLogin(JSON.stringify(logins)).map((user) => [user.githubLogin, user]));
    return logins.map((login) => found.get(login) ?? null);
  },
  taggedUsers: (photos) => grouped(photos, tagged(JSON.stringify(photos)), (row) => row.owner),
  postedPhotos: (logins) => grouped(logins, posted(JSON.stringify(logins)), (row) => row.posted_by),
  inPhotos: (logins) => grouped(logins, photosOf(JSON.stringify(logins)), (row) => row.owner),
};

/** One loader for each batch, for one request. */
export function createLoaders() {
  const loaderOf = (batch) => new DataLoader((keys) => Promise.resolve(batch(keys)));
  return Object.fromEntries(Object.entries(batches).map(([name, batch]) => [name, loaderOf(batch)]));
}

/** Root fields, which need no loader. */
export const Query = {
  allPhotos: (_, { first }) => newest(BigInt(first)),
  allUsers: (_, { first }) => users(BigInt(first)),
  User: (_, { githubLogin }) => usersByLogin(JSON.stringify([githubLogin]))[0] ?? null,
};

/** Resolvers by DataLoader from the context. */
export const resolvers = {
  Query,
  Photo: {
    postedBy: (photo, _, { loaders }) => loaders.userByLogin.load(photo.posted_by),
    taggedUsers: (photo, _, { loaders }) => loaders.taggedUsers.load(photo.id),
  },
  User: {
    postedPhotos: (user, _, { loaders }) => loaders.postedPhotos.load(user.githubLogin),
    inPhotos: (user, _, { loaders }) => loaders.inPhotos.load(user.githubLogin),
  },
};
