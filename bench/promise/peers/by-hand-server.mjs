// The alternative that a team would build by hand: graphql-yoga over better-sqlite3, an outbox written in the transaction of
// each change, a loop that brings it to MiniSearch, and hits filtered by the caller's rights before anything is counted. It is
// built as well as these parts allow: prepared statements, a loader for related rows, documents indexed again when their
// poster changes, suggestions filtered like hits, and the rule once more in SQL where rows are read.
//   by-hand-server.mjs DATABASE GALLERY
import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import DataLoader from 'dataloader';
import { createSchema, createYoga } from 'graphql-yoga';
import MiniSearch from 'minisearch';
import { announce } from '../../graph/peers/announce.mjs';

/** How often the outbox is looked at, in milliseconds: short for such a loop. */
const POLL = 50;
/** Changes brought to the index at a stretch. */
const BATCH = 100;

const [file, gallery] = process.argv.slice(2);
const { photos, users } = JSON.parse(readFileSync(gallery, 'utf8'));

// As durable as what it is compared with: a write that is answered survives a loss of power.
const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.pragma('cache_size = -65536');
db.exec(`
  CREATE TABLE IF NOT EXISTS users (login TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS photos (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, description TEXT,
    category TEXT, open INTEGER NOT NULL, posted_by TEXT NOT NULL REFERENCES users);
  CREATE INDEX IF NOT EXISTS photos_posted_by ON photos (posted_by);
  CREATE TABLE IF NOT EXISTS viewers (photo INTEGER NOT NULL REFERENCES photos ON DELETE CASCADE, viewer TEXT NOT NULL REFERENCES users,
    PRIMARY KEY (photo, viewer)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, key TEXT NOT NULL);
`);

const insertUser = db.prepare('INSERT INTO users (login, name) VALUES (?, ?)');
const insertPhoto = db.prepare(
  'INSERT INTO photos (id, name, description, category, open, posted_by) VALUES (?, ?, ?, ?, ?, ?)',
);
const insertViewer = db.prepare('INSERT INTO viewers (photo, viewer) VALUES (?, ?)');
const insertOutbox = db.prepare('INSERT INTO outbox (type, key) VALUES (?, ?)');

function addPhoto({ id = null, name, description, category, open, postedBy, viewers = [] }) {
  const { lastInsertRowid } = insertPhoto.run(id, name, description, category, open ? 1 : 0, postedBy);
  for (const viewer of viewers) insertViewer.run(lastInsertRowid, viewer);
  return Number(lastInsertRowid);
}

if (db.prepare('SELECT count(*) AS count FROM users').get().count === 0) {
  db.transaction(() => {
    for (const { login, name } of users) insertUser.run(login, name);
    for (const photo of photos) addPhoto(photo);
  })();
}

// The rule, twice: over rows, and over documents of the index.
const MAY_READ = `(p.open = 1 OR p.posted_by = :me OR EXISTS (SELECT 1 FROM viewers v WHERE v.photo = p.id AND v.viewer = :me))`;
const mayRead = (me) => (document) => document.open || document.login === me || document.viewers.includes(me);

const DOCUMENT = `SELECT p.id, p.name, p.description, p.category, p.open, p.posted_by AS login, u.name AS poster,
  (SELECT json_group_array(viewer) FROM viewers v WHERE v.photo = p.id) AS viewers
  FROM photos p JOIN users u ON u.login = p.posted_by`;
const toDocument = (row) => ({ ...row, open: row.open === 1, viewers: JSON.parse(row.viewers) });
const documentOf = db.prepare(`${DOCUMENT} WHERE p.id = ?`);
const photosOf = db.prepare('SELECT id FROM photos WHERE posted_by = ?').pluck();

const index = new MiniSearch({
  fields: ['name', 'description', 'poster'],
  // What the rule and the facets need of a hit.
  storeFields: ['category', 'open', 'login', 'viewers'],
});
for (const row of db.prepare(DOCUMENT).iterate()) index.add(toDocument(row));

function indexPhoto(id) {
  const row = documentOf.get(id);
  if (row === undefined) {
    if (index.has(id)) index.discard(id);
  } else if (index.has(id)) index.replace(toDocument(row));
  else index.add(toDocument(row));
}

const nextChanges = db.prepare('SELECT id, type, key FROM outbox ORDER BY id LIMIT ?');
const forgetChanges = db.prepare('DELETE FROM outbox WHERE id <= ?');

async function drainOutbox() {
  for (;;) {
    const changes = nextChanges.all(BATCH);
    for (const { type, key } of changes) {
      if (type === 'photo') indexPhoto(Number(key));
      else {
        let done = 0;
        for (const id of photosOf.all(key)) {
          indexPhoto(id);
          if (++done % BATCH === 0) await nextTurn();
        }
      }
    }
    if (changes.length > 0) forgetChanges.run(changes.at(-1).id);
    if (changes.length < BATCH) return;
    await nextTurn();
  }
}
async function followOutbox() {
  await drainOutbox();
  setTimeout(() => void followOutbox(), POLL);
}

const photoById = db.prepare(`SELECT p.* FROM photos p WHERE p.id = :id AND ${MAY_READ}`);
const photosByIds = db.prepare(
  `SELECT p.* FROM photos p WHERE p.id IN (SELECT value FROM json_each(:ids)) AND ${MAY_READ}`,
);
const usersByLogins = db.prepare('SELECT login, name FROM users WHERE login IN (SELECT value FROM json_each(?))');

const createPhoto = db.transaction((input, me) => {
  const id = addPhoto({ ...input, postedBy: me });
  insertOutbox.run('photo', String(id));
  return photoById.get({ id, me });
});
const rename = db.prepare('UPDATE photos SET name = ? WHERE id = ? AND posted_by = ?');
const updatePhoto = db.transaction((id, name, me) => {
  if (rename.run(name, id, me).changes === 0) return null;
  insertOutbox.run('photo', String(id));
  return photoById.get({ id, me });
});

function searchPhotos(query, first, me) {
  const hits = index.search(query, { filter: mayRead(me) });
  const page = hits.slice(0, first);
  const rows = new Map(
    photosByIds.all({ ids: JSON.stringify(page.map(({ id }) => id)), me }).map((row) => [row.id, row]),
  );
  const counts = new Map();
  for (const { category } of hits) counts.set(category, (counts.get(category) ?? 0) + 1);
  return {
    total: hits.length,
    hits: page.filter(({ id }) => rows.has(id)).map(({ id, score }) => ({ score, photo: rows.get(id) })),
    categories: [...counts]
      .map(([key, count]) => ({ key, count }))
      .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1)),
  };
}

const typeDefs = /* GraphQL */ `
  type Photo {
    id: ID!
    name: String!
    description: String
    category: String
    postedBy: User!
  }
  type User {
    login: ID!
    name: String
  }
  type Hit {
    score: Float!
    photo: Photo!
  }
  type Bucket {
    key: String
    count: Int!
  }
  type Found {
    total: Int!
    hits: [Hit!]!
    categories: [Bucket!]!
  }
  type Suggestion {
    text: String!
    score: Float!
  }
  input CreatePhotoInput {
    name: String!
    description: String
    category: String
    open: Boolean!
  }
  type Query {
    photo(id: ID!): Photo
    searchPhotos(query: String!, first: Int = 10): Found!
    suggest(query: String!): [Suggestion!]!
  }
  type Mutation {
    createPhoto(input: CreatePhotoInput!): Photo!
    updatePhoto(id: ID!, name: String!): Photo
  }
`;

const resolvers = {
  Query: {
    photo: (_, { id }, { me }) => photoById.get({ id: Number(id), me }) ?? null,
    searchPhotos: (_, { query, first }, { me }) => searchPhotos(query, first, me),
    suggest: (_, { query }, { me }) =>
      index
        .autoSuggest(query, { filter: mayRead(me) })
        .slice(0, 5)
        .map(({ suggestion, score }) => ({ text: suggestion, score })),
  },
  Mutation: {
    createPhoto: (_, { input }, { me }) => createPhoto(input, me),
    updatePhoto: (_, { id, name }, { me }) => updatePhoto(Number(id), name, me),
  },
  Photo: { postedBy: (photo, _, { posters }) => posters.load(photo.posted_by) },
};

const passwords = new Map(users.map(({ login, password }) => [login, Buffer.from(password)]));

/** Who asks, by HTTP Basic. */
function callerOf(header) {
  const [login = '', password = ''] = Buffer.from(header?.slice('Basic '.length) ?? '', 'base64')
    .toString()
    .split(':');
  const [given, expected] = [Buffer.from(password), passwords.get(login)];
  return expected?.length === given.length && timingSafeEqual(given, expected) ? login : undefined;
}

const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers }),
  context: ({ me }) => ({
    me,
    posters: new DataLoader((logins) => {
      const found = new Map(usersByLogins.all(JSON.stringify(logins)).map((user) => [user.login, user]));
      return Promise.resolve(logins.map((login) => found.get(login) ?? null));
    }),
  }),
  logging: false,
});
const server = createServer((request, response) => {
  const me = callerOf(request.headers.authorization);
  if (me === undefined) response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
  else yoga(request, response, { me });
});
void followOutbox();
server.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${server.address().port}`));
