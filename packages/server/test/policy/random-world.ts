// Random schemas with rules everywhere, and data for them: types, fields and embedded objects whose readers differ.
import { createPrincipal, ANONYMOUS, type Principal } from '@lockstitch/kernel';
import type { Model, Store } from '@lockstitch/graph';
import type { Random } from '@lockstitch/search/requests';

import type { Data } from './world.ts';

const CALLER: readonly string[] = ["hasRole('ADMIN')", 'isAuthenticated()', 'principal.flag', 'denyAll', 'permitAll'];
const ROW: readonly string[] = [
  'owner == authentication.name',
  'owner != principal.friend',
  'owner in principal.friends',
  'open',
  'not open',
  'level < principal.level',
  'level == principal.level',
  "owner.startsWith('a')",
  'owner == null',
  'watchers.any(w, w.login == authentication.name)',
  'watchers.none(w, w.login == principal.friend and w.active)',
  'watchers.size() > 1',
];

/** A team has no owner. */
const TEAM: readonly string[] = [
  ...CALLER,
  'open',
  'not open',
  'people.any(p, p.login == principal.friend)',
  'people.any(p, p.owner == authentication.name and p.open)',
  'people.isEmpty()',
];

/** A print has what its shot has. */
const PARENT: readonly string[] = [
  'shot.owner == authentication.name',
  'shot.open',
  'not shot.open',
  'shot.level < principal.level',
  'shot.watchers.any(w, w.login == authentication.name)',
  'shot.watchers.none(w, w.login == principal.friend and w.active)',
  'shot.user.watchers.any(w, w.login == authentication.name)',
  'shot.watchers.any(w, w.shots.any(s, s.owner == authentication.name))',
  'shot.user.photos.any(p, p.watchers.any(w, w.login == principal.friend))',
  'shot == null',
];

function rule(random: Random, atoms: readonly string[], depth = 2): string {
  if (depth === 0 || random.once(2)) return random.pick(atoms);
  const [a, b] = [rule(random, atoms, depth - 1), rule(random, atoms, depth - 1)];
  return random.pick([`(${a} or ${b})`, `(${a} or ${b})`, `(${a} and ${b})`, `!(${a})`]);
}

/** A rule about rows with an owner. */
export function randomRule(random: Random): string {
  return rule(random, [...ROW, ...CALLER]);
}

/** A rule about prints. */
export function randomPrintRule(random: Random): string {
  return rule(random, [...PARENT, ...CALLER]);
}

/** Fields of a photo by type and, where it is not that of the type, type in the index. */
const KINDS: Readonly<Record<string, readonly [type: string, index?: string]>> = {
  mood: ['Mood'],
  price: ['Decimal'],
  size: ['BigInt'],
  notes: ['[String!]'],
  address: ['String', 'ip'],
  start: ['String', 'completion'],
  typed: ['String', 'search_as_you_type'],
  weight: ['Float', 'rank_feature'],
  span: ['Span', 'integer_range'],
  place: ['Place', 'geo_point'],
  inner: ['Spot', 'flattened'],
  extra: ['JSON', 'flattened'],
};

/** A schema; `always` may see everything. */
export function randomSchema(random: Random, always = "hasRole('GOD')"): string {
  const auth = (atoms: readonly string[], often: number): string =>
    random.int(10) < often ? ` @auth(read: ${JSON.stringify(`${always} or (${rule(random, atoms)})`)})` : '';
  const any = [...ROW, ...CALLER];
  // Two relations away from the document, a rule may not decide by rows.
  const deep = random.once(2);
  const team = deep ? CALLER : TEAM;
  const facts = (inverse: string): string =>
    `owner: String  open: Boolean  level: Int  watchers: [Watcher!]! @relation(inverse: "${inverse}", onDeleteRules: OVERRIDE)`;
  /** Fields of the rarer kinds: in the database always, in the index by chance. */
  const kinds = Object.entries(KINDS)
    .map(([name, [type, index]]) => {
      const search = random.once(3) ? ` @search${index === undefined ? '' : `(type: "${index}")`}` : '';
      return `${name}: ${type}${search}${auth(any, 2)}`;
    })
    .join('\n    ');
  return `
  scalar DateTime
  scalar Decimal
  scalar BigInt
  scalar JSON
  enum Mood { GLAD SAD CALM }
  type Span { gte: Int  lt: Int }
  type Place { lat: Float  lon: Float }
  union Thing = Photo | User
  interface Owned { owner: String }
  type Spot { x: Int  w: Float  on: Boolean  at: DateTime  label: String }
  type Photo implements Owned @entity${auth(any, 8)} {
    id: ID! @default(value: "identity")
    title: String @search
    text: String @search${auth(any, 4).replace(/\)$/, ', denied: NULL)')}
    likes: Int @search${auth(any, 3)}
    marks: [Int!] @search${auth(any, 2)}
    spot: Spot
    taken: DateTime @search${auth(any, 2)}
    ${kinds}
    ${facts('photos')}
    poster: User @relation(inverse: "photos", onDeleteRules: OVERRIDE) @search(depth: ${deep ? 2 : 1})${auth(any, 2)}
    cover: Tag @relation(onDeleteRules: OVERRIDE)${auth(any, 4)}
    camera: Camera @relation(inverse: "photos", onDeleteRules: OVERRIDE)
    tags(first: Int, where: TagFilter): [Tag!]! @relation(inverse: "photos", onDeleteRules: OVERRIDE)${auth(CALLER, 2)}
    tagPages(first: Int = 2, where: TagFilter): TagConnection! @relation(sameAs: "tags")
  }
  type User implements Owned @entity${auth(any, 6)} {
    login: ID! @id
    name: String @search
    email: String @search${auth(any, 5)}
    handle: String @unique${auth(any, 3)}
    ${facts('users')}
    photos(where: PhotoFilter, orderBy: [PhotoOrder!]): [Photo!]!
    photoCount(where: PhotoFilter): Int! @relation(sameAs: "photos")
    photoTotals(where: PhotoFilter): PhotoAggregates!
    photoGroups(groupBy: PhotoGroupBy!, having: PhotoHaving): [PhotoGroup!]!
    photoPages(first: Int = 2, after: String, where: PhotoFilter): PhotoConnection! @relation(sameAs: "photos")
    team: Team @relation(inverse: "people", onDeleteRules: OVERRIDE) @search(embed: ${random.once(2)})${auth(any, 2)}
  }
  type Team @entity${auth(team, 5)} {
    id: ID! @default(value: "identity")
    motto: String @search${auth(team, 3)}
    open: Boolean
    people: [User!]!
  }
  type Tag @entity${auth(CALLER, 4)} { id: ID! @default(value: "identity")  word: String @search  home: Team${random.once(2) ? '! @relation(onDelete: RESTRICT, onDeleteRules: CALLER)' : ' @relation(onDeleteRules: OVERRIDE)'}  photos: [Photo!]!  photoPages(last: Int = 2, before: String): PhotoConnection! @relation(sameAs: "photos") }
  type Watcher @entity { login: ID! @id  active: Boolean  photos: [Photo!]! @relation(inverse: "watchers")  users: [User!]! @relation(inverse: "watchers") }
  type Camera @entity${auth(any, 4)} { serial: ID! @id${auth(any, 7)}  owner: String  open: Boolean  level: Int
    watchers: [Watcher!]! @relation(onDeleteRules: OVERRIDE)  photos: [Photo!]! }
  type Query {
    photos(first: Int = 100, where: PhotoFilter, orderBy: [PhotoOrder!]): [Photo!]!
    photo(id: ID!): Photo
    photoPages(first: Int, last: Int, after: String, before: String, where: PhotoFilter, orderBy: [PhotoOrder!]): PhotoConnection!
    users(first: Int = 100, where: UserFilter, orderBy: [UserOrder!]): [User!]!
    user(login: ID!): User
    userOf(email: String): User
    tags(first: Int = 100, where: TagFilter, orderBy: [TagOrder!]): [Tag!]!
    tagGroups(groupBy: TagGroupBy!): [TagGroup!]!
    camera(serial: ID!): Camera
    cameras(where: CameraFilter, orderBy: [CameraOrder!]): [Camera!]!
    cameraGroups(groupBy: CameraGroupBy!): [CameraGroup!]!
    teams(where: TeamFilter): [Team!]!
    things(first: Int = 20, where: ThingFilter): [Thing!]!
    owned(first: Int = 20, where: OwnedFilter): [Owned!]!
    ownedTotals(where: OwnedFilter): OwnedAggregates!
    photosByKey(ids: [ID!]!): [Photo]!
    thingTotals(where: ThingFilter): ThingAggregates!
    thingGroups(groupBy: ThingGroupBy!, where: ThingFilter, having: ThingHaving): [ThingGroup!]!
    totalPhotos(where: PhotoFilter): Int!
    totalUsers(where: UserFilter): Int!
    photoAggregates(where: PhotoFilter): PhotoAggregates!
    photoGroups(groupBy: PhotoGroupBy!, where: PhotoFilter, having: PhotoHaving, orderBy: [PhotoGroupOrder!], first: Int, start: Int, timeZone: String): [PhotoGroup!]!
    userGroups(groupBy: UserGroupBy!, having: UserHaving, orderBy: [UserGroupOrder!]): [UserGroup!]!
    searchPhotos(query: String!, first: Int = 10, after: String, where: PhotoFilter): PhotoSearchConnection!
    searchUsers(query: String!, first: Int = 2): UserSearchConnection!
  }
  `;
}

/** The schema with soft deletion: callers see deleted photos on request, where they own them. */
export function withSoftDelete(sdl: string, always = "hasRole('GOD')"): string {
  const rule = `readDeleted: "${always} or owner == authentication.name"`;
  return `enum Deleted { EXCLUDE INCLUDE ONLY } ${sdl
    .replace(/type Photo implements Owned @entity( @auth\()?/, (_, auth) =>
      auth === undefined
        ? `type Photo implements Owned @entity(softDelete: "goneAt") @auth(${rule})`
        : `type Photo implements Owned @entity(softDelete: "goneAt") @auth(${rule}, `,
    )
    .replace('spot: Spot\n', 'spot: Spot goneAt: DateTime\n')
    .replace('type User implements Owned @entity', 'type User implements Owned @entity(softDelete: "left")')
    .replace('email: String', 'left: Boolean email: String')
    .replace('type Team @entity', 'type Team @entity(softDelete: "left")')
    .replace('motto: String', 'left: Boolean motto: String')
    .replaceAll(
      /(photos|totalPhotos|photoPages|photoCount|photoTotals|photoGroups|photoAggregates)\(/g,
      '$1(deleted: Deleted, ',
    )
    .replace('photo(id: ID!)', 'photo(id: ID!, deleted: Deleted)')}`;
}

/** The schema with node ids, and root fields that find objects by them. */
export function withNodeIds(sdl: string): string {
  return `interface Node { nodeId: ID! @nodeId } ${sdl
    .replaceAll(
      /type (Photo|User|Team|Tag) (implements Owned)? ?@entity([^{]*)\{/g,
      (_, type, owned, rest) =>
        `type ${type} implements ${owned === undefined ? '' : 'Owned & '}Node @entity${rest}{ nodeId: ID!`,
    )
    .replace(
      'type Query {',
      'type Query { node(nodeId: ID!): Node nodes(nodeIds: [ID!]!): [Node]! userByNode(nodeId: ID!): User photosByNode(nodeIds: [ID!]!): [Photo!]!',
    )}`;
}

/** Deletes some of the rows of such a schema. */
export async function deleteSome(store: Store, random: Random): Promise<void> {
  const time = '2026-01-01T00:00:00.000Z';
  const key = (most: number): string => String(1 + random.int(most));
  for (let at = 0; at < 3; at++) await store.prepare('UPDATE photos SET gone_at = ? WHERE id = ?').run([time, key(8)]);
  await store.prepare(`UPDATE users SET "left" = 1 WHERE login = ?`).run([`u${key(4)}`]);
  if (random.once(3)) await store.prepare(`UPDATE teams SET "left" = 1 WHERE id = ?`).run([key(2)]);
}

const TIMES = ['2026-01-01T00:00:00Z', '2026-06-01T00:00:00Z', '2027-01-01T00:00:00Z', '1960-02-03T00:00:00Z'] as const;
const NAMES = ['ann', 'bob', 'cid'] as const;
const WORDS = ['red', 'fox', 'blue', 'dog', 'secret', 'harbour', 'light'] as const;

/** Tables that others made: rolls of shots by a key of two columns, and their prints. */
const ADOPTED_TABLES = `
  CREATE TABLE shots (roll varchar(20) NOT NULL, number integer NOT NULL, caption text, secret text, owner text, open boolean, level integer, user_login text, PRIMARY KEY (roll, number));
  CREATE TABLE shot_watchers (roll varchar(20) NOT NULL, number integer NOT NULL, watcher varchar(20) NOT NULL, PRIMARY KEY (roll, number, watcher));
  CREATE TABLE prints (id integer PRIMARY KEY, note text, copies integer, roll varchar(20), number integer)`;

/** The SQL that makes the unmanaged tables of a model. */
export function unmanagedTables({ entities }: Pick<Model, 'entities'>): string | undefined {
  return entities.has('Shot') ? ADOPTED_TABLES : undefined;
}

/** The schema with tables of others, whose changes are captured: one has a key of two columns, the other a rule through it. */
export function withAdopted(sdl: string, random: Random, always = "hasRole('GOD')"): string {
  const auth = (atoms: readonly string[]): string =>
    `@auth(read: ${JSON.stringify(`${always} or (${rule(random, atoms)})`)})`;
  return `${sdl.replace(
    'type Query {',
    `type Query { shots(first: Int = 100, where: ShotFilter, orderBy: [ShotOrder!]): [Shot!]!  shot(id: ID!): Shot  shotsByKey(ids: [ID!]!): [Shot]!
    shotPages(first: Int = 2, after: String, where: ShotFilter): ShotConnection!  shotGroups(groupBy: ShotGroupBy!): [ShotGroup!]!
    prints(first: Int = 100, where: PrintFilter, orderBy: [PrintOrder!]): [Print!]!  totalPrints(where: PrintFilter): Int!  print(id: ID!): Print
    printGroups(groupBy: PrintGroupBy!, having: PrintHaving): [PrintGroup!]!`,
  )}
  type Shot @entity(table: "shots") ${auth([...ROW, ...CALLER])} @unmanaged @captureChanges {
    id: ID! @id(fields: ["roll", "number"])
    roll: String!
    number: Int!
    caption: String @search
    secret: String @search ${auth([...ROW, ...CALLER])}
    owner: String  open: Boolean  level: Int
    user: User @column(name: "user_login") @relation(inverse: "shots", onDeleteRules: OVERRIDE)
    watchers: [Watcher!]! @relation(table: "shot_watchers", from: ["roll", "number"], to: "watcher", inverse: "shots")
    prints(first: Int, where: PrintFilter, orderBy: [PrintOrder!]): [Print!]!
  }
  type Print @entity(table: "prints") ${auth([...PARENT, ...CALLER])} @unmanaged @captureChanges {
    id: ID!
    note: String
    copies: Int ${auth([...PARENT, ...CALLER])}
    shot: Shot @column(name: ["roll", "number"]) @relation(inverse: "prints", onDeleteRules: OVERRIDE)
  }
  extend type Watcher { shots: [Shot!]! @relation(inverse: "watchers") }
  extend type User { shots(first: Int, where: ShotFilter): [Shot!]! @relation(inverse: "user") }
  `;
}

/** Rows for the tables of others. */
export function adoptedRows(random: Random): string {
  const maybe = (value: string): string => (random.once(5) ? 'NULL' : value);
  const text = (of: readonly string[]): string => `'${random.pick(of)}'`;
  const keys = ['a,b', '5%'].flatMap((roll) => [1, 2, 3].map((number) => `'${roll}', ${number}`));
  const shots = keys.map(
    (key) =>
      `INSERT INTO shots VALUES (${[key, maybe(text(WORDS)), maybe(text(WORDS)), maybe(text(NAMES)), maybe(random.pick(['true', 'false'])), maybe(String(random.int(3))), maybe(text(['u1', 'u2', 'u3', 'u4']))].join(', ')})`,
  );
  const watchers = keys.flatMap((key) =>
    NAMES.filter(() => random.once(3)).map((name) => `INSERT INTO shot_watchers VALUES (${key}, '${name}')`),
  );
  const prints = Array.from(
    { length: 8 },
    (_, at) =>
      `INSERT INTO prints VALUES (${at + 1}, ${maybe(text(WORDS))}, ${maybe(String(random.int(5)))}, ${random.once(6) ? 'NULL, NULL' : random.pick(keys)})`,
  );
  return [...shots, ...watchers, ...prints].join(';\n');
}

/** Rows for it. */
export function randomRows(random: Random): Data {
  const words = (): string => Array.from({ length: 1 + random.int(4) }, () => random.pick(WORDS)).join(' ');
  const maybe = <T>(value: T): T | null => (random.once(5) ? null : value);
  const facts = (): Record<string, unknown> => ({
    owner: maybe(random.pick(NAMES)),
    open: maybe(random.once(2)),
    level: maybe(random.int(3)),
    watchers: NAMES.filter(() => random.once(3)),
  });
  return [
    ['Watcher', NAMES.map((login) => ({ login, active: random.once(2) }))],
    ['Team', ['1', '2'].map((id) => ({ id, motto: words(), open: maybe(random.once(2)) }))],
    [
      'User',
      ['u1', 'u2', 'u3', 'u4'].map((login) => ({
        login,
        name: words(),
        email: `${login} ${random.pick(WORDS)}`,
        handle: maybe(`h-${login}`),
        ...facts(),
        team: maybe(random.pick(['1', '2'])),
      })),
    ],
    ['Camera', ['c1', 'c2', 'c3'].map((serial) => ({ serial, ...facts() }))],
    ['Tag', ['1', '2', '3'].map((id) => ({ id, word: words(), home: random.pick(['1', '2']) }))],
    [
      'Photo',
      Array.from({ length: 3 + random.int(9) }, (_, at) => ({
        id: String(at + 1),
        title: words(),
        text: words(),
        likes: random.int(8) - 2,
        marks: maybe(Array.from({ length: random.int(6) }, () => random.int(8) - 3)),
        spot: maybe({ x: random.int(3), w: random.int(3) / 2, on: random.once(2), label: random.pick(WORDS) }),
        taken: maybe(random.pick(TIMES)),
        mood: maybe(random.pick(['GLAD', 'SAD', 'CALM'])),
        price: maybe(random.pick(['1.5', '2', '-0.25', '1e30'])),
        size: maybe(random.int(5)),
        notes: maybe(Array.from({ length: random.int(3) }, words)),
        address: maybe(random.pick(['10.0.0.1', '10.0.0.9', 'fe80::1', 'nowhere'])),
        start: maybe(words()),
        typed: maybe(words()),
        weight: maybe(random.pick([1, 2.5, 90, -1])),
        span: maybe({ gte: random.int(3), lt: 3 + random.int(3) }),
        place: maybe({ lat: random.int(3), lon: random.int(3) }),
        inner: maybe({ x: random.int(3), label: random.pick(WORDS) }),
        extra: maybe(
          random.pick([{ x: random.int(3), label: random.pick(WORDS) }, { x: [random.int(3)] }, random.int(3)]),
        ),
        cover: maybe(random.pick(['1', '2', '3'])),
        camera: maybe(random.pick(['c1', 'c2', 'c3'])),
        ...facts(),
        poster: maybe(random.pick(['u1', 'u2', 'u3', 'u4'])),
        tags: ['1', '2', '3'].filter(() => random.once(2)),
      })),
    ],
  ];
}

/** Callers of all kinds. */
export function randomCallers(random: Random): readonly Principal[] {
  return [
    ANONYMOUS,
    createPrincipal('ann', [], { friend: 'bob', friends: ['cid', null], level: 1, flag: true }),
    createPrincipal('bob', random.once(2) ? ['ROLE_ADMIN'] : [], {
      friend: random.pick(NAMES),
      level: random.int(3),
      flag: false,
    }),
    createPrincipal('cid', [], { friends: ['ann', 'bob'] }),
  ];
}
