import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { ANONYMOUS, createPrincipal, type Principal } from '@lockstitch/kernel';
import { createGraph } from '../../src/execute/create-graph.ts';
import { graphErrors } from '../../src/errors.ts';
import type { Graph } from '../../src/execute/graph.ts';
import type { Store } from '../../src/store/store.ts';
import {
  createSubscriptions,
  type SubscribeContext,
  type SubscriptionEvent,
} from '../../src/subscribe/subscriptions.ts';
import { modelOf, PHOTO_SCHEMA } from '../photo-schema.ts';
import { testOnStores } from '../stores.ts';

interface Room {
  readonly graph: Graph;
  subscribe(query: string, context?: SubscribeContext): Promise<AsyncIterableIterator<SubscriptionEvent>>;
  mutate(field: string, principal?: Principal): Promise<void>;
}

async function open(store: Store, schema = PHOTO_SCHEMA): Promise<Room> {
  const graph = await createGraph({ model: modelOf(schema), store });
  const subscribe = createSubscriptions(graph);
  return {
    graph,
    async subscribe(query, context) {
      const result = await subscribe({ query }, context);
      if (result.kind === 'refused') throw new Error(result.response.body);
      return result.events;
    },
    async mutate(field, principal = ANONYMOUS) {
      const { body } = await graph.execute({ query: `mutation { ${field} }` }, { principal });
      if (body.includes('"errors"')) throw new Error(body);
    },
  };
}

async function dataOf(events: AsyncIterableIterator<SubscriptionEvent>): Promise<unknown> {
  const { value, done } = (await events.next()) as IteratorResult<SubscriptionEvent, undefined>;
  return done === true ? 'done' : (JSON.parse(value.body) as { data: unknown }).data;
}

const post = (name: string, more = ''): string =>
  `postPhoto(input: { name: "${name}", url: "/${name}", postedBy: "ann" ${more} }) { id }`;

testOnStores('events show the object as of the change and what it relates to now', async (store) => {
  const room = await open(store);
  await room.mutate('addUser(githubLogin: "ann", name: "Ann") { name }');
  const events = await room.subscribe(
    'subscription { newPhoto { id name category created postedBy { name } taggedUsers { name } album { title } } }',
  );
  await room.mutate(post('a', ', created: "2020-01-01T00:00:00Z", taggedUsers: ["ann"]'));
  await room.mutate('updatePhoto(id: 1, input: { name: "later" }) { id }');
  deepEqual(await dataOf(events), {
    newPhoto: {
      id: '1',
      name: 'a',
      category: 'PORTRAIT',
      created: '2020-01-01T00:00:00.000Z',
      postedBy: { name: 'Ann' },
      taggedUsers: [{ name: 'Ann' }],
      album: null,
    },
  });
  await events.return!();
});

testOnStores(
  'arguments filter, each operation has its field, and a deleted object shows what it was',
  async (store) => {
    const room = await open(store);
    await room.mutate('addUser(githubLogin: "ann", name: "Ann") { name }');
    const landscapes = await room.subscribe('subscription { newPhoto(category: LANDSCAPE) { name } }');
    const changed = await room.subscribe('subscription { photoChanged(id: 2) { name } }');
    const deleted = await room.subscribe(
      'subscription { photoDeleted { id name postedBy { name } taggedUsers { name } } }',
    );
    await room.mutate(post('a'));
    await room.mutate(post('b', ', category: LANDSCAPE'));
    await room.mutate('updatePhoto(id: 2, input: { name: "c" }) { id }');
    await room.mutate('deletePhoto(id: 1) { id }');
    deepEqual(await dataOf(landscapes), { newPhoto: { name: 'b' } });
    deepEqual(
      [await dataOf(changed), await dataOf(changed)],
      [{ photoChanged: { name: 'b' } }, { photoChanged: { name: 'c' } }],
    );
    deepEqual(await dataOf(deleted), {
      photoDeleted: { id: '1', name: 'a', postedBy: { name: 'Ann' }, taggedUsers: [] },
    });
  },
);

testOnStores('a subscription resumes after the position of its last event without a gap', async (store) => {
  const room = await open(store);
  await room.mutate('addUser(githubLogin: "ann") { name }');
  const first = await room.subscribe('subscription { newPhoto { name } }');
  await room.mutate(post('a'));
  const { value } = (await first.next()) as { value: SubscriptionEvent };
  await first.return!();
  await room.mutate(post('b'));
  await room.mutate(post('c'));
  const second = await room.subscribe('subscription { newPhoto { name } }', { after: value.position });
  deepEqual([await dataOf(second), await dataOf(second)], [{ newPhoto: { name: 'b' } }, { newPhoto: { name: 'c' } }]);
});

testOnStores('leaving or being aborted while waiting ends the subscription at once', async (store) => {
  const room = await open(store);
  const leaving = await room.subscribe('subscription { newPhoto { name } }');
  const waiting = leaving.next();
  await leaving.return!();
  equal((await waiting).done, true);
  const controller = new AbortController();
  const aborted = await room.subscribe('subscription { newPhoto { name } }', { signal: controller.signal });
  const pending = aborted.next();
  controller.abort();
  equal((await pending).done, true);
});

testOnStores('who falls too far behind is told so and ended', async (store) => {
  const room = await open(store);
  await room.mutate('addUser(githubLogin: "ann") { name }');
  const events = await room.subscribe('subscription { newPhoto { name } }', { lagLimit: 5 });
  for (let index = 0; index < 10; index++) await room.mutate(post(`p${index}`));
  await rejects(events.next(), (error: Error & { code?: string }) => error.code === 'GRAPH_SUBSCRIPTION_LAGGING');
  equal((await events.next()).done, true);
});

testOnStores('nobody hears of what he may not read, of deleted objects neither', async (store) => {
  const room = await open(
    store,
    `type Note @auth(read: "owner == authentication.name") { id: ID! owner: String! text: String! secret: String @auth(read: "hasRole('ADMIN')") }
     type Query { Note(id: ID!): Note }
     type Mutation { addNote(owner: String!, text: String!, secret: String): Note! deleteNote(id: ID!): Boolean! }
     type Subscription { noteChanged: Note! }`,
  );
  const ann = createPrincipal('ann');
  const events = await room.subscribe('subscription { noteChanged { text secret } }', { principal: ann });
  const add = (owner: string, text: string): Promise<unknown> =>
    Promise.resolve(
      room.graph.execute(
        { query: `mutation { addNote(owner: "${owner}", text: "${text}", secret: "s3cret") { text } }` },
        { principal: createPrincipal(owner) },
      ),
    );
  await add('bob', 'hidden');
  await add('ann', 'mine');
  await room.graph.execute({ query: 'mutation { deleteNote(id: 1) }' }, { principal: createPrincipal('bob') });
  await room.graph.execute({ query: 'mutation { deleteNote(id: 2) }' }, { principal: ann });
  for (const _ of ['created', 'deleted']) {
    const { value } = (await events.next()) as { value: SubscriptionEvent };
    match(value.body, /"text":"mine"/);
    equal(/hidden|s3cret/.test(value.body), false, value.body);
  }
  await events.return!();
});

testOnStores(
  'a field that was withheld when it changed stays so, whatever its value and its reader are now',
  async (store) => {
    const room = await open(
      store,
      `type Note { id: ID! owner: String! text: String @auth(read: "owner == authentication.name") }
     type Query { Note(id: ID!): Note }
     type Mutation { addNote(owner: String!, text: String): Note! setNote(id: ID!, owner: String, text: String): Note! deleteNote(id: ID!): Note! }
     type Subscription { noteChanged: Note! }`,
    );
    const run = (field: string): unknown => room.graph.execute({ query: `mutation { ${field} { id } }` });
    await run('addNote(owner: "ann", text: "of ann")');
    await run('setNote(id: 1, owner: "bob", text: "of bob")');
    const bodies = async (): Promise<readonly string[]> => {
      const options = { principal: createPrincipal('bob'), after: 0 };
      const events = await room.subscribe('subscription { noteChanged { owner text } }', options);
      const told: string[] = [];
      while (told.length < 2) told.push(((await events.next()) as { value: SubscriptionEvent }).value.body);
      await events.return!();
      return told;
    };
    const [first, second] = await bodies();
    match(
      first!,
      /^\{"data":\{"noteChanged":\{"owner":"ann","text":null\}\},"errors":\[\{"message":"You may not read Note.text."/,
    );
    equal(second, '{"data":{"noteChanged":{"owner":"bob","text":"of bob"}}}');
    await run('deleteNote(id: 1)');
    deepEqual(await bodies(), [first, second]);
  },
);

testOnStores('variables of a subscription are refused as those of a query, all at once', async (store) => {
  const room = await open(store);
  const refused = (introspection: boolean): Promise<string> =>
    createGraph({ model: room.graph.model, store, introspection }).then((graph) => {
      const query = 'subscription ($c: PhotoCategory, $d: Boolean!) { newPhoto(category: $c) { id @include(if: $d) } }';
      const told = graph.subscription({ query, variables: { c: 'LANDSCAP' } });
      return 'body' in told ? told.body : 'taken';
    });
  const all = await refused(true);
  equal(all.match(/GRAPH_VARIABLES_INVALID/g)?.length, 2);
  match(all, /Did you mean the enum value \\"LANDSCAPE\\"\?","locations":\[\{"line":1,"column":15\}\]/);
  equal((await refused(false)).includes('Did you mean'), false);
});

testOnStores('what is no subscription is refused with the reason', async (store) => {
  const room = await open(store);
  await rejects(room.subscribe('{ allPhotos { id } }'), /GRAPH_/);
  await rejects(room.subscribe('subscription { nothing }'), /Cannot query field/);
  await rejects(room.subscribe('subscription { newPhoto(category: 5) { id } }'), /GRAPH_VALIDATION/);
});

const RULED = `type Note @auth(read: "owner == authentication.name or hasRole('CHIEF')") { id: ID! owner: String! text: String! secret: String @auth(read: "hasRole('ADMIN')") }
  type Query { Note(id: ID!): Note }
  type Mutation { addNote(owner: String!, text: String!, secret: String): Note! }
  type Subscription { noteChanged(owner: String): Note! }`;

testOnStores('subscribers who ask the same with the same rights share an answer, others never do', async (store) => {
  const room = await open(store, RULED);
  const { graph } = room;
  const query = 'subscription ($owner: String) { noteChanged(owner: $owner) { text secret } }';
  const alike = (principal: Principal, text = query, variables?: Record<string, unknown>): string | undefined => {
    const prepared = graph.subscription({ query: text, variables }, { principal });
    if ('body' in prepared) throw new Error(prepared.body);
    return prepared.alike;
  };
  const ann = alike(createPrincipal('ann'));
  equal(typeof ann, 'string');
  equal(alike(createPrincipal('ann', ['other'], { other: 1 })), ann);
  const others = [
    alike(createPrincipal('bob')),
    alike(createPrincipal('ann', ['ROLE_ADMIN'])),
    alike(createPrincipal('ann', ['ROLE_CHIEF'])),
    alike(createPrincipal('ann'), query, { owner: 'ann' }),
    alike(createPrincipal('ann'), query.replace('text ', '')),
  ];
  equal(new Set([ann, ...others]).size, 6);
  // And so it comes out.
  const names = ['ann', 'bob', 'ann', 'boss'];
  const streams = await Promise.all(
    names.map((name) =>
      room.subscribe('subscription { noteChanged { text secret } }', {
        principal: createPrincipal(name, name === 'boss' ? ['ROLE_CHIEF', 'ROLE_ADMIN'] : []),
      }),
    ),
  );
  for (const owner of ['ann', 'bob']) {
    await graph.execute(
      { query: `mutation { addNote(owner: "${owner}", text: "${owner}", secret: "s3cret") { id } }` },
      { principal: createPrincipal(owner) },
    );
  }
  const bodies = await Promise.all(
    streams.map(async (stream) => ((await stream.next()) as { value: SubscriptionEvent }).value.body),
  );
  match(bodies[0]!, /"text":"ann"/);
  equal(bodies[2], bodies[0]);
  match(bodies[1]!, /"text":"bob"/);
  match(bodies[3]!, /"text":"ann","secret":"s3cret"/);
  equal(/s3cret/.test(bodies[0]! + bodies[1]!), false);
  await Promise.all(streams.map((stream) => stream.return!()));
});

testOnStores('values of a rule that cannot be told apart exactly are shared by nobody', async (store) => {
  const { graph } = await open(store, RULED.replace('owner == authentication.name', 'owner in principal.groups'));
  const query = 'subscription { noteChanged { text } }';
  const alike = (groups: unknown): string | undefined => {
    const prepared = graph.subscription({ query }, { principal: createPrincipal('ann', [], { groups }) });
    return 'body' in prepared ? prepared.body : prepared.alike;
  };
  equal(alike(['a', 'b']), alike(['a', 'b']));
  equal(alike(['a']) === alike(['b']), false);
  equal(alike(new Set(['a'])), undefined);
});

const DIARY = /* GraphQL */ `
  type Entry @auth(read: "shown or owner == authentication.name") {
    id: ID!
    owner: String!
    shown: Boolean!
    mood: String @auth(read: "owner == authentication.name")
    about: Person
  }
  type Person @auth(read: "name != 'nobody'") {
    name: ID! @id
    entries: [Entry!]!
  }
  type Query {
    Entry(id: ID!): Entry
  }
  type Mutation {
    addPerson(name: ID!): Person
    addEntry(owner: String!, shown: Boolean!, mood: String, about: ID): Entry
    setEntry(id: ID!, shown: Boolean, mood: String, about: ID): Entry
    deleteEntry(id: ID!): Boolean!
  }
  type Subscription {
    entryChanged(mood: String, about: ID, owner: String): Entry!
    entryDeleted(mood: String): Entry!
  }
`;

testOnStores('an argument finds no event by a value that the subscriber may not read', async (store) => {
  const room = await open(store, DIARY);
  await store.script("INSERT INTO persons (name) VALUES ('joe'), ('nobody')");
  const ann = createPrincipal('ann');
  const bob = createPrincipal('bob');
  /** The keys of all events there have been, for a subscriber who asks from the beginning. */
  const heard = async (field: string, principal: Principal): Promise<string> => {
    const query = `subscription { told: ${field} { id } }`;
    const subscribed = await createSubscriptions(room.graph)({ query }, { principal, after: 0 });
    if (subscribed.kind === 'refused') throw new Error(subscribed.response.body);
    const { events } = subscribed;
    const head = await room.graph.feed.head();
    const seen: string[] = [];
    while (subscribed.position() < head) {
      const turn = { settled: false };
      void events.next().then(({ value, done }) => {
        turn.settled = true;
        if (done === true) return;
        const { body } = value as SubscriptionEvent;
        seen.push((JSON.parse(body) as { data: { told: { id: string } } }).data.told.id);
      });
      while (!turn.settled && subscribed.position() < head) await setImmediate();
      // The last change may be an event itself.
      await setImmediate();
    }
    await events.return!();
    return seen.join(' ');
  };
  await room.mutate('addEntry(owner: "ann", shown: true, mood: "sad", about: "joe") { id }');
  await room.mutate('addEntry(owner: "ann", shown: true, mood: "gay") { id }');
  await store.script("UPDATE entries SET about = 'nobody' WHERE id = 2");
  await room.mutate('setEntry(id: 2, mood: "glad") { id }');
  await room.mutate('addEntry(owner: "bob", shown: true, mood: "sad") { id }');
  await room.mutate('deleteEntry(id: 1)');

  // Of the mood of an entry that is not his, bob hears nothing, nor when it is written.
  equal(await heard('entryChanged', bob), '1 2 3 1');
  equal(await heard('entryChanged', ann), '1 2 2 3 1');
  equal(await heard('entryChanged(mood: "sad")', ann), '1 1');
  equal(await heard('entryChanged(mood: "sad")', bob), '3');
  equal(await heard('entryDeleted(mood: "sad")', ann), '1');
  equal(await heard('entryDeleted(mood: "sad")', bob), '');
  // Whom an entry is about is null to those who may not read of them.
  equal(await heard('entryChanged(about: "nobody")', ann), '');
  equal(await heard('entryChanged(owner: "ann")', bob), '1 2 1');
});

testOnStores(
  'what becomes hidden is heard of no more, and what becomes visible is heard of from then on',
  async (store) => {
    const room = await open(store, DIARY);
    const ann = createPrincipal('ann');
    const bob = createPrincipal('bob');
    const events = await room.subscribe('subscription { entryChanged { id shown mood } }', { principal: bob });
    const deleted = await room.subscribe('subscription { entryDeleted { id } }', { principal: bob });
    await room.mutate('addEntry(owner: "ann", shown: false, mood: "a") { id }', ann);
    await room.mutate('setEntry(id: 1, shown: true) { id }', ann);
    await room.mutate('setEntry(id: 1, shown: false) { id }', ann);
    await room.mutate('setEntry(id: 1, mood: "b") { id }', ann);
    await room.mutate('deleteEntry(id: 1)', ann);
    await room.mutate('addEntry(owner: "bob", shown: true, mood: "mine") { id }');
    await room.mutate('deleteEntry(id: 2)');
    deepEqual(
      [await dataOf(events), await dataOf(events)],
      [
        { entryChanged: { id: '1', shown: true, mood: null } },
        { entryChanged: { id: '2', shown: true, mood: 'mine' } },
      ],
    );
    deepEqual(await dataOf(deleted), { entryDeleted: { id: '2' } });
  },
);

testOnStores('an update of nothing that the subscriber may see is no event', async (store) => {
  const room = await open(
    store,
    `type Note @entity { id: ID! text: String secret: String @auth(read: "hasRole('ADMIN')") mood: String @auth(read: "secret == 'open'")
       box: Box  tags: [Tag!]! @relation(inverse: "notes") }
     type Box @entity @auth(read: "open or hasRole('ADMIN')") { id: ID! open: Boolean! notes: [Note!]! }
     type Tag @entity @auth(read: "open or hasRole('ADMIN')") { id: ID! open: Boolean! notes: [Note!]! }
     type Query { note(id: ID!): Note }
     input NoteInput { text: String secret: String mood: String box: ID tags: [ID!] }
     type Mutation {
       addNote(input: NoteInput!): Note!  setNote(id: ID!, input: NoteInput!): Note  addBox(open: Boolean!): Box!  addTag(open: Boolean!): Tag!
       deleteTag(id: ID!): Tag  deleteBox(id: ID!): Box
     }
     type Subscription { noteChanged: Note! }`,
  );
  const admin = createPrincipal('root', ['ROLE_ADMIN']);
  for (const open of [true, false, false, true]) {
    await room.mutate(`addBox(open: ${open}) { id }`, admin);
    await room.mutate(`addTag(open: ${open}) { id }`, admin);
  }
  await room.mutate('addNote(input: { text: "n", secret: "s", mood: "calm" }) { id }', admin);
  const events = await room.subscribe('subscription { noteChanged { text mood box { id } tags { id } } }');
  const set = (input: string): Promise<void> => room.mutate(`setNote(id: 1, input: { ${input} }) { id }`, admin);
  let count = 0;
  /** Runs steps, then one that everybody may see; answers how many events came before that. */
  const heard = async (...steps: readonly (() => Promise<void>)[]): Promise<number> => {
    for (const step of steps) await step();
    const text = `seen ${++count}`;
    await set(`text: "${text}"`);
    for (let found = 0; ; found++) if (JSON.stringify(await dataOf(events)).includes(text)) return found;
  };
  equal(await heard(() => set('secret: "t"')), 0);
  equal(
    await heard(
      () => set('box: 2'),
      () => set('box: 3'),
      () => set('box: null'),
    ),
    0,
  );
  equal(
    await heard(
      () => set('tags: [2]'),
      () => set('tags: [2, 3]'),
      () => set('tags: []'),
    ),
    0,
  );
  // A hidden object that goes takes no event with it, one that was shown does.
  equal(
    await heard(
      () => set('tags: [2, 3]'),
      () => room.mutate('deleteTag(id: 2) { id }', admin),
    ),
    0,
  );
  equal(
    await heard(
      () => set('tags: [1, 3]'),
      () => room.mutate('deleteTag(id: 1) { id }', admin),
    ),
    2,
  );
  equal(
    await heard(
      () => set('box: 2'),
      () => set('box: 1'),
    ),
    1,
  );
  equal(await heard(() => room.mutate('deleteBox(id: 1) { id }', admin)), 1);
  // What a rule reads: another field comes into sight, and goes.
  equal(
    await heard(
      () => set('secret: "open"'),
      () => set('secret: "shut"'),
    ),
    2,
  );
  await events.return!();
});

testOnStores('a position is good for whoever has it, and shows him what he may read', async (store) => {
  const room = await open(store, DIARY);
  const first = await room.subscribe('subscription { entryChanged { id mood } }', {
    principal: createPrincipal('ann'),
  });
  await room.mutate('addEntry(owner: "ann", shown: true, mood: "a") { id }');
  const { value } = (await first.next()) as { value: SubscriptionEvent };
  await room.mutate('addEntry(owner: "ann", shown: false, mood: "b") { id }');
  await room.mutate('addEntry(owner: "ann", shown: true, mood: "c") { id }');
  const second = await room.subscribe('subscription { entryChanged { id mood } }', {
    principal: createPrincipal('bob'),
    after: value.position,
  });
  deepEqual(await dataOf(second), { entryChanged: { id: '3', mood: null } });
});

interface Interruptible {
  readonly store: Store;
  /** Which statements fail. */
  away: boolean | ((sql: string) => boolean);
  /** How many have. */
  readonly refused: number;
}

/** A store whose database can be taken away: its statements fail as they do then. */
function interruptible(store: Store): Interruptible {
  let refused = 0;
  const guard = <T>(sql: string, run: () => T): T | Promise<never> => {
    if (typeof room.away === 'function' ? !room.away(sql) : !room.away) return run();
    refused++;
    return Promise.reject(graphErrors.create('GRAPH_STORE_UNAVAILABLE', { reason: 'it is away' }));
  };
  const room: Interruptible = {
    away: false,
    get refused() {
      return refused;
    },
    store: {
      ...store,
      prepare(sql: string) {
        const statement = store.prepare(sql);
        return {
          ...statement,
          text: (...given: Parameters<typeof statement.text>) => guard(sql, () => statement.text(...given)),
          rows: (...given: Parameters<typeof statement.rows>) => guard(sql, () => statement.rows(...given)),
        };
      },
    } as Store,
  };
  return room;
}

testOnStores('a database that was away ends no subscription: what happened meanwhile comes, once', async (store) => {
  const database = interruptible(store);
  const room = await open(database.store);
  await room.mutate('addUser(githubLogin: "ann", name: "Ann") { name }');
  const everything = await room.subscribe('subscription { newPhoto { name postedBy { name } } }');
  const found = await room.subscribe('subscription { photoChanged(id: 2) { name } }');
  const [first, firstFound] = [dataOf(everything), dataOf(found)];
  await setImmediate();
  database.away = true;
  // Written past what is away, as by another process; whoever waits is woken and finds nothing.
  const other = await createGraph({ model: room.graph.model, store });
  const write = async (name: string): Promise<unknown> => other.execute({ query: `mutation { ${post(name)} }` });
  await write('a');
  await write('b');
  while (database.refused < 3) await sleep(20);
  database.away = false;
  deepEqual(await first, { newPhoto: { name: 'a', postedBy: { name: 'Ann' } } });
  deepEqual(await firstFound, { photoChanged: { name: 'b' } });

  // Away again between the change and its answer.
  const second = dataOf(everything);
  deepEqual(await second, { newPhoto: { name: 'b', postedBy: { name: 'Ann' } } });
  await write('c');
  database.away = (sql) => !sql.includes('lockstitch_feed');
  const third = dataOf(everything);
  const before = database.refused;
  while (database.refused === before) await sleep(20);
  database.away = false;
  deepEqual(await third, { newPhoto: { name: 'c', postedBy: { name: 'Ann' } } });
  await everything.return!();

  // Whoever leaves meanwhile is not held.
  database.away = true;
  const last = dataOf(found);
  while (database.refused < before + 4) await sleep(20);
  await found.return!();
  equal(await last, 'done');
});

testOnStores('who subscribes while the database is away is refused, unless he was there already', async (store) => {
  const database = interruptible(store);
  const room = await open(database.store);
  database.away = true;
  await rejects(room.subscribe('subscription { newPhoto { name } }'), { code: 'GRAPH_STORE_UNAVAILABLE' });
  const goingOn = room.subscribe('subscription { newPhoto { name } }', { after: 0, goesOn: true });
  while (database.refused < 3) await sleep(20);
  database.away = false;
  await room.mutate('addUser(githubLogin: "ann", name: "Ann") { name }');
  await room.mutate(post('a'));
  const events = await goingOn;
  deepEqual(await dataOf(events), { newPhoto: { name: 'a' } });
  await events.return!();
});

testOnStores(
  'what a rule hid by the pairs or holders of an object stays hidden when these are gone with it',
  async (store) => {
    const room = await open(
      store,
      `type Photo @entity @auth(read: "hasRole('ADMIN') or (blocked.none(b, b.name == authentication.name) and notes.none(n, n.bad))") {
      id: ID!  title: String  blocked: [Person!]!  notes: [Note!]!
    }
    type Person @entity { name: ID! @id  photos: [Photo!]! }
    type Note @entity { id: ID!  bad: Boolean  photo: Photo @relation(onDelete: CASCADE) }
    input PhotoInput { title: String  blocked: [ID!]  notes: [NoteInput!] }
    input NoteInput { bad: Boolean }
    input PersonInput { name: ID! }
    type Query { photos: [Photo!]! }
    type Mutation {
      createPerson(input: PersonInput!): Person!
      createPhoto(input: PhotoInput!): Photo!
      deletePhoto(id: ID!): Photo
    }
    type Subscription { photoChanged: Photo! }`,
    );
    const query = 'subscription { photoChanged { title } }';
    const ann = createPrincipal('ann', []);
    const admin = createPrincipal('root', ['ROLE_ADMIN']);
    const all = await room.subscribe(query, { principal: admin });
    const own = await room.subscribe(query, { principal: ann });
    await room.mutate('createPerson(input: { name: "ann" }) { name }', admin);
    await room.mutate('createPhoto(input: { title: "pair", blocked: ["ann"] }) { id }', admin);
    await room.mutate('createPhoto(input: { title: "holder", notes: [{ bad: true }] }) { id }', admin);
    await room.mutate('deletePhoto(id: 1) { id }', admin);
    await room.mutate('deletePhoto(id: 2) { id }', admin);
    await room.mutate('createPhoto(input: { title: "open" }) { id }', admin);
    deepEqual(await dataOf(own), { photoChanged: { title: 'open' } });
    // What happened before is not told either once the object is gone.
    const late = await room.subscribe(query, { principal: ann, after: 0 });
    deepEqual(await dataOf(late), { photoChanged: { title: 'open' } });
    const titles = ['pair', 'holder', 'pair', 'holder', 'open'];
    for (const title of titles) deepEqual(await dataOf(all), { photoChanged: { title } });
    for (const events of [all, own, late]) await events.return!();
  },
);
