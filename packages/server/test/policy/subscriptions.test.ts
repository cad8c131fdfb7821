// The promise for subscriptions: who subscribes gets the same events, whether or not there are changes that they may see nothing
// of. Two states of the same data are written to; the second is spared every write that changes nothing for them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  createGraph,
  createSubscriptions,
  type Graph,
  type Model,
  openPostgresStore,
  openSqliteStore,
  type Store,
} from '@lockstitch/graph';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { createRandom, type Random } from '@lockstitch/search/requests';

import { postgresUrl } from '../../../graph/test/stores.ts';
import { randomCallers, randomRows, randomSchema } from './random-world.ts';
import { readModel } from './world.ts';

const SCHEMAS = Number(process.env['POLICY_SUBSCRIPTIONS'] ?? 30);
const SEED = Number(process.env['POLICY_SEED'] ?? process.env['TEST_SEED'] ?? Date.now() % 1_000_000_000);
const WRITES = 12;
const GOD = createPrincipal('god', ['ROLE_GOD']);

/** What is written and subscribed to, beside what a random schema reads. */
const CHANGES = `
  input CreatePhotoInput { title: String  text: String  likes: Int  owner: String  open: Boolean  level: Int  poster: ID  cover: ID  tags: [ID!]  watchers: [ID!] }
  input UpdatePhotoInput { title: String  text: String  likes: Int  owner: String  open: Boolean  level: Int  poster: ID  cover: ID  tags: [ID!]  watchers: [ID!] }
  input UpdateUserInput { name: String  email: String  owner: String  open: Boolean  level: Int  team: ID }
  input UpdateTeamInput { motto: String  open: Boolean }
  type Mutation {
    createPhoto(input: CreatePhotoInput!): Photo!
    updatePhoto(id: ID!, input: UpdatePhotoInput!): Photo
    deletePhoto(id: ID!): Photo
    updateUser(login: ID!, input: UpdateUserInput!): User
    deleteUser(login: ID!): User
    updateTeam(id: ID!, input: UpdateTeamInput!): Team
    deleteTag(id: ID!): Tag
  }
  type Subscription {
    photoChanged(poster: ID, title: String, likes: Int, where: PhotoFilter): Photo!
    newPhoto(where: PhotoFilter): Photo!
    photoDeleted(owner: String): Photo!
    userChanged(email: String): User!
    teamUpdated: Team!
  }
`;

const PHOTO =
  'id title text likes owner open level poster { login name email team { motto } } cover { id word } tags { word }';
const SUBSCRIPTIONS: readonly string[] = [
  `photoChanged { ${PHOTO} }`,
  'photoChanged { id }',
  `newPhoto { ${PHOTO} }`,
  'newPhoto { id }',
  'photoDeleted { id title text }',
  'photoDeleted(owner: "ann") { id }',
  'photoChanged(poster: "u1") { id }',
  'photoChanged(title: "red") { id title }',
  'photoChanged(likes: 2) { id }',
  'photoChanged(where: { poster: { name: { contains: "red" } } }) { id }',
  'photoChanged(where: { text: { contains: "fox" } }) { id title }',
  'userChanged { login name email team { motto } photos { id } }',
  'userChanged(email: "u1 fox") { login }',
  'teamUpdated { id motto }',
];

/** All that somebody can read. Lists that may be withheld stand alone: where they are, nothing of their object is answered. */
const ALL: readonly string[] = [
  '{ photos { id title text likes taken owner open level poster { login } cover { id } } }',
  '{ photos { id tags { id } } }',
  '{ photos { id watchers { login } } }',
  '{ users { login name email owner open level team { id } } }',
  '{ users { login photos { id } } }',
  '{ users { login watchers { login } } }',
  '{ teams { id motto open } }',
  '{ teams { id people { login } } }',
  '{ tags { id word } }',
  '{ tags { id photos { id } } }',
];

/** Makes what a subscriber gets from the events as they are for them, and for a caller who sees everything. */
type Plant = (own: readonly string[], all: readonly string[]) => readonly string[];

const LEAKS: Readonly<Record<string, Plant>> = {
  events: (_own, all) => all,
  'how many events there are': (own, all) => [...own, String(all.length)],
  'that something happened': (own, all) => (own.length === 0 && all.length > 0 ? ['changed'] : own),
  'values in events': (own, all) => own.map((text, at) => all[at] ?? text),
};

test('a subscriber gets the same events, whatever hidden data is written', async () => {
  const { events, spared } = await askAll(SCHEMAS, () => openSqliteStore({ file: ':memory:' }));
  assert.ok(spared > SCHEMAS && events > SCHEMAS / 12, `only ${spared} writes were hidden, and ${events} events seen`);
});

test('so does one on PostgreSQL', async (context) => {
  const url = await postgresUrl();
  if (!url.startsWith('postgres:')) return context.skip(url);
  let opened = 0;
  const { spared } = await askAll(Math.ceil(SCHEMAS / 10), async () => {
    const schema = `events_${process.pid}_${++opened}`;
    const store = await openPostgresStore({ url, schema });
    return { ...store, close: async () => (await store.script(`DROP SCHEMA "${schema}" CASCADE`), store.close()) };
  });
  assert.ok(spared > 0, 'no write was hidden');
});

test('a leak of a subscription that is planted is noticed', async (context) => {
  const unnoticed = new Map(Object.entries(LEAKS));
  for (let seed = 1; seed <= 40 && unnoticed.size > 0; seed++) {
    await compareWorlds(
      seed,
      () => openSqliteStore({ file: ':memory:' }),
      (one, other) => {
        for (const [place, plant] of unnoticed) {
          if (plant(one.own, one.all).join('\n') !== plant(other.own, other.all).join('\n')) unnoticed.delete(place);
        }
      },
    );
  }
  for (const place of Object.keys(LEAKS)) await context.test(place, () => assert.ok(!unnoticed.has(place)));
});

async function askAll(schemas: number, open: () => Promise<Store>): Promise<Counted> {
  const sum = { events: 0, spared: 0 };
  for (let seed = SEED; seed < SEED + schemas; seed++) {
    const counted = await compareWorlds(seed, open, (one, other, told) =>
      assert.deepEqual(other.own, one.own, `seed ${seed}: ${told}`),
    );
    sum.events += counted.events;
    sum.spared += counted.spared;
  }
  return sum;
}

interface Counted {
  readonly events: number;
  /** Writes that changed nothing for the subscriber. */
  readonly spared: number;
}

interface Seen {
  readonly own: readonly string[];
  readonly all: readonly string[];
}

/** Writes to two states, subscribed to alike, and compares what came after each write. */
async function compareWorlds(
  seed: number,
  open: () => Promise<Store>,
  compare: (one: Seen, other: Seen, told: string) => void,
): Promise<Counted> {
  const random = createRandom(seed);
  const model = readModel(randomSchema(random) + CHANGES);
  const rows = randomRows(random);
  const principal = random.pick(randomCallers(random));
  const query = `subscription { ${random.pick(SUBSCRIPTIONS)} }`;
  const [one, other] = [await openRoom(model, rows, open), await openRoom(model, rows, open)];
  let [events, spared] = [0, 0];
  try {
    const subscribed = [];
    for (const room of [one, other])
      subscribed.push({ own: await room.subscribe(query, principal), all: await room.subscribe(query, GOD) });
    for (let at = 0; at < WRITES; at++) {
      const mutation = randomMutation(random);
      const before = await one.read(principal);
      await one.ask(mutation, GOD);
      const after = await one.read(principal);
      if (after === before) spared++;
      else await other.ask(mutation, GOD);
      // What was hidden differs, and may have come to light: from here on the two states look different to them.
      if ((await other.read(principal)) !== after) break;
      const [first, second] = [await readAll(subscribed[0]!), await readAll(subscribed[1]!)];
      events += first.own.length;
      const hidden = after === before ? ', of which he sees nothing' : '';
      compare(first, second, `${query} as ${principal.name}, then ${mutation}${hidden}`);
    }
    return { events, spared };
  } finally {
    await one.close();
    await other.close();
  }
}

async function readAll({
  own,
  all,
}: {
  readonly own: () => Promise<readonly string[]>;
  readonly all: () => Promise<readonly string[]>;
}): Promise<Seen> {
  return { own: await own(), all: await all() };
}

async function openRoom(model: Model, rows: ReturnType<typeof randomRows>, open: () => Promise<Store>) {
  const store = await open();
  const graph: Graph = await createGraph({ model, store });
  for (const [type, given] of rows)
    if (given.length > 0) await graph.importRows(type, [given], { onReject: () => undefined });
  const subscribe = createSubscriptions(graph);
  const stopping = new AbortController();
  const reading: Promise<void>[] = [];
  const ask = async (query: string, principal: Principal): Promise<string> =>
    (await graph.execute({ query }, { principal })).body;
  return {
    ask,
    read: async (principal: Principal): Promise<string> =>
      (await Promise.all(ALL.map((query) => ask(query, principal)))).join('\n'),
    /** Subscribes; answers a function that reads the events since it was called last. */
    async subscribe(query: string, principal: Principal): Promise<() => Promise<readonly string[]>> {
      const subscribed = await subscribe({ query }, { principal, signal: stopping.signal });
      if (subscribed.kind === 'refused') return () => Promise.resolve([subscribed.response.body]);
      const { events } = subscribed;
      let found: string[] = [];
      const read = async (): Promise<void> => {
        for await (const { body } of events) found.push(body);
      };
      reading.push(read());
      return async () => {
        const head = await graph.feed.head();
        while (subscribed.position() < head) await new Promise((resolve) => setTimeout(resolve, 1));
        // What has been handed out is on its way.
        await new Promise((resolve) => setImmediate(resolve));
        const seen = found;
        found = [];
        return seen;
      };
    },
    async close(): Promise<void> {
      stopping.abort();
      await Promise.all(reading);
      graph.feed.close();
      await store.close();
    },
  };
}

const WORDS = ['red', 'fox', 'blue', 'secret'] as const;
const NAMES = ['ann', 'bob', 'cid'] as const;

function randomMutation(random: Random): string {
  const word = (): string => JSON.stringify(random.pick(WORDS));
  const user = (): string => random.pick(['"u1"', '"u2"', '"u3"', '"u4"', 'null']);
  const tag = (): string => `"${1 + random.int(3)}"`;
  const facts = (): readonly string[] => [
    `owner: "${random.pick(NAMES)}"`,
    `open: ${random.pick(['true', 'false', 'null'])}`,
    `level: ${random.int(3)}`,
  ];
  const photo = (): string => {
    const fields = [
      `title: ${word()}`,
      `text: ${word()}`,
      `likes: ${random.int(4)}`,
      `poster: ${user()}`,
      `cover: ${random.pick([tag(), 'null'])}`,
      `tags: [${tag()}]`,
      `watchers: ["${random.pick(NAMES)}"]`,
      ...facts(),
    ];
    return fields.filter(() => random.once(4)).join(' ');
  };
  const person = (): string =>
    [`name: ${word()}`, `email: "u1 ${random.pick(WORDS)}"`, `team: "${1 + random.int(2)}"`, ...facts()]
      .filter(() => random.once(3))
      .join(' ');
  const id = 1 + random.int(12);
  return `mutation { ${random.pick([
    `updatePhoto(id: "${id}", input: { ${photo()} }) { id }`,
    `updatePhoto(id: "${id}", input: { ${photo()} }) { id }`,
    `updatePhoto(id: "${id}", input: { ${photo()} }) { id }`,
    `createPhoto(input: { ${photo()} }) { id }`,
    `deletePhoto(id: "${id}") { id }`,
    `updateUser(login: "u${1 + random.int(4)}", input: { ${person()} }) { login }`,
    `updateUser(login: "u${1 + random.int(4)}", input: { ${person()} }) { login }`,
    `deleteUser(login: "u${1 + random.int(4)}") { login }`,
    `updateTeam(id: "${1 + random.int(2)}", input: { motto: ${word()} }) { id }`,
    `updateTeam(id: "${1 + random.int(2)}", input: { open: ${random.pick(['true', 'false'])} }) { id }`,
    `deleteTag(id: ${tag()}) { id }`,
  ])} }`;
}
