// The data of the bench `spot`: photos, users, albums and tags without rules; projects and tasks under read rules. The tables
// are laid out by the engine's own start-up, on SQLite or PostgreSQL.
import type { Graph } from '@lockstitch/graph';
import { createPrincipal } from '@lockstitch/kernel';
import { CATEGORY, numbers, openFilled, type Place, USERS } from './photo-data.ts';

const SDL = /* GraphQL */ `
  scalar DateTime
  enum PhotoCategory {
    SELFIE
    PORTRAIT
    ACTION
    LANDSCAPE
    GRAPHIC
  }
  type Photo @entity {
    id: ID!
    name: String!
    url: String!
    description: String
    created: DateTime! @index
    category: PhotoCategory!
    rating: Int!
    postedBy: User!
    album: Album
    taggedUsers: [User!]!
  }
  type User @entity {
    githubLogin: ID! @id
    name: String! @index
    avatar: String
    postedPhotos(first: Int, where: PhotoFilter, orderBy: [PhotoOrder!]): [Photo!]!
    inPhotos: [Photo!]!
    projects: [Project!]!
  }
  type Album @entity {
    id: ID!
    title: String! @index
    photos(first: Int, orderBy: [PhotoOrder!]): [Photo!]!
  }
  type Project @entity @auth(read: "members.any(m, m.githubLogin == authentication.name)") {
    id: ID!
    name: String!
    members: [User!]!
    tasks(first: Int, where: TaskFilter): [Task!]!
  }
  type Task @entity @auth(read: "project.members.any(m, m.githubLogin == authentication.name)") {
    id: ID!
    title: String!
    done: Boolean!
    project: Project!
  }
  type Room @entity(table: "rooms") @unmanaged {
    id: ID! @id(fields: ["tenant", "nr"])
    tenant: String!
    nr: Int!
    name: String!
    bookings(first: Int): [Booking!]! @relation(inverse: "room")
  }
  type Booking @entity(table: "bookings") @unmanaged {
    id: ID!
    note: String!
    room: Room @column(name: ["tenant", "room_nr"]) @relation(inverse: "bookings")
  }
  type Query {
    room(id: ID!): Room
    rooms(first: Int, where: RoomFilter): [Room!]!
    bookings(first: Int, where: BookingFilter): [Booking!]!
    photos(first: Int, start: Int, where: PhotoFilter, orderBy: [PhotoOrder!]): [Photo!]!
    photoPages(first: Int = 20, after: String, where: PhotoFilter, orderBy: [PhotoOrder!]): PhotoConnection!
    photoCount(where: PhotoFilter): Int!
    photo(id: ID!): Photo
    users(first: Int, where: UserFilter, orderBy: [UserOrder!]): [User!]!
    user(githubLogin: ID!): User
    albums(first: Int, orderBy: [AlbumOrder!]): [Album!]!
    projects(first: Int, where: ProjectFilter): [Project!]!
    projectCount: Int!
    project(id: ID!): Project
    tasks(first: Int, where: TaskFilter): [Task!]!
    taskCount(where: TaskFilter): Int!
    photoGroups(groupBy: PhotoGroupBy!, orderBy: [PhotoGroupOrder!]): [PhotoGroup!]!
    taskGroups(groupBy: TaskGroupBy!): [TaskGroup!]!
  }
  input NewPhoto {
    name: String!
    url: String!
    created: DateTime!
    category: PhotoCategory!
    rating: Int!
    postedBy: ID!
  }
  input NewAlbum {
    title: String!
    photos: [NewPhoto!]
  }
  type Mutation {
    createAlbum(input: NewAlbum!): Album!
    updatePhotos(where: PhotoFilter!, description: String): Int!
  }
`;

/** The caller of every operation: a member of 20 of the 2,000 projects. */
export const CALLER = createPrincipal('u17');

export function openSpotGraph(place: Place): Promise<Graph> {
  const data = { file: 'spot.graphql', sdl: SDL, tables: TABLES, counter: 'photoCount', scripts: SCRIPTS };
  return openFilled(data, place, 'public');
}

/** Tables that a team already has, with keys of two columns. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS rooms (tenant text NOT NULL, nr integer NOT NULL, name text NOT NULL, PRIMARY KEY (tenant, nr));
  CREATE TABLE IF NOT EXISTS bookings (id integer PRIMARY KEY, note text NOT NULL, tenant text, room_nr integer,
    FOREIGN KEY (tenant, room_nr) REFERENCES rooms (tenant, nr));
  CREATE INDEX IF NOT EXISTS bookings_room_idx ON bookings (tenant, room_nr)`;

function fill(created: string, isTrue: string, ifAbsent: string): readonly string[] {
  return [
    `${USERS}
     INSERT INTO albums (id, title) SELECT value, 'Album ' || (value * 7919 % 2000) FROM ${numbers(1, 2000)};
     INSERT INTO photos (id, name, url, description, created, category, rating, posted_by, album)
       SELECT value, 'Photo ' || (value * 104729 % 20000), 'https://pictures.example/p/' || value || '.jpg',
         CASE WHEN value % 3 = 0 THEN NULL ELSE 'Taken on day ' || value % 977 END, ${created}, ${CATEGORY}, value * 31 % 100,
         'u' || (value * 7919 % 1000), CASE WHEN value % 10 = 0 THEN NULL ELSE value % 2000 + 1 END FROM ${numbers(1, 20_000)};
     INSERT INTO photos_tagged_users (photo, "user")
       SELECT value / 3 + 1, 'u' || (CAST(value AS BIGINT) * 104729 % 1000) FROM ${numbers(0, 59_999)} ${ifAbsent};
     INSERT INTO projects (id, name) SELECT value, 'Project ' || value FROM ${numbers(1, 2000)};
     INSERT INTO users_projects ("user", project)
       SELECT 'u' || (CAST(value AS BIGINT) * 104729 % 1000), value / 10 + 1 FROM ${numbers(0, 19_999)} ${ifAbsent};
     INSERT INTO tasks (id, title, done, project)
       SELECT value, 'Task ' || value, ${isTrue}, value % 2000 + 1 FROM ${numbers(1, 40_000)};
     INSERT INTO rooms (tenant, nr, name)
       SELECT 't' || (value % 20), value / 20, 'Room ' || value FROM ${numbers(0, 1999)};
     INSERT INTO bookings (id, note, tenant, room_nr)
       SELECT value, 'Booking ' || value, 't' || (value * 7 % 20), value * 31 % 100 FROM ${numbers(1, 20_000)}`,
    'ANALYZE',
  ];
}

const SCRIPTS = {
  sqlite: fill(
    "strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + value * 977 % 100000000, 'unixepoch')",
    'value % 2',
    'WHERE true ON CONFLICT DO NOTHING',
  ),
  postgres: [
    ...fill('to_timestamp(1600000000 + value * 977 % 100000000)', 'value % 2 = 1', 'ON CONFLICT DO NOTHING'),
    "SELECT setval(pg_get_serial_sequence('photos', 'id'), 20000), setval(pg_get_serial_sequence('albums', 'id'), 2000)",
  ],
};
