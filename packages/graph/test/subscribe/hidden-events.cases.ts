// What a subscriber does not hear: of objects, values and changes that rules keep from them.
import { deepEqual, equal, match } from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { createSubscriptions, type SubscriptionEvent } from '../../src/subscribe/subscriptions.ts';
import { testOnStores } from '../stores.ts';
import { dataOf, open } from './open-subscriptions.ts';

testOnStores('subscribers get no events of objects they may not read, deletions included', async (store) => {
  const fixture = await open(
    store,
    `type Note @auth(read: "owner == authentication.name") { id: ID! owner: String! text: String! secret: String @auth(read: "hasRole('ADMIN')") }
     type Query { Note(id: ID!): Note }
     type Mutation { addNote(owner: String!, text: String!, secret: String): Note! deleteNote(id: ID!): Boolean! }
     type Subscription { noteChanged: Note! }`,
  );
  const ann = createPrincipal('ann');
  const events = await fixture.subscribe('subscription { noteChanged { text secret } }', { principal: ann });
  const add = (owner: string, text: string): Promise<unknown> =>
    Promise.resolve(
      fixture.graph.execute(
        { query: `mutation { addNote(owner: "${owner}", text: "${text}", secret: "s3cret") { text } }` },
        { principal: createPrincipal(owner) },
      ),
    );
  await add('bob', 'hidden');
  await add('ann', 'mine');
  await fixture.graph.execute({ query: 'mutation { deleteNote(id: 1) }' }, { principal: createPrincipal('bob') });
  await fixture.graph.execute({ query: 'mutation { deleteNote(id: 2) }' }, { principal: ann });
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
    const fixture = await open(
      store,
      `type Note { id: ID! owner: String! text: String @auth(read: "owner == authentication.name") }
     type Query { Note(id: ID!): Note }
     type Mutation { addNote(owner: String!, text: String): Note! setNote(id: ID!, owner: String, text: String): Note! deleteNote(id: ID!): Note! }
     type Subscription { noteChanged: Note! }`,
    );
    const run = (field: string): unknown => fixture.graph.execute({ query: `mutation { ${field} { id } }` });
    await run('addNote(owner: "ann", text: "of ann")');
    await run('setNote(id: 1, owner: "bob", text: "of bob")');
    const bodies = async (): Promise<readonly string[]> => {
      const options = { principal: createPrincipal('bob'), after: 0 };
      const events = await fixture.subscribe('subscription { noteChanged { owner text } }', options);
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

const RULED = `type Note @auth(read: "owner == authentication.name or hasRole('CHIEF')") { id: ID! owner: String! text: String! secret: String @auth(read: "hasRole('ADMIN')") }
  type Query { Note(id: ID!): Note }
  type Mutation { addNote(owner: String!, text: String!, secret: String): Note! }
  type Subscription { noteChanged(owner: String): Note! }`;

testOnStores('subscribers with the same operation and rights share a response, others never do', async (store) => {
  const fixture = await open(store, RULED);
  const { graph } = fixture;
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
      fixture.subscribe('subscription { noteChanged { text secret } }', {
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

testOnStores('callers whose rule values have no exact text share nothing', async (store) => {
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

testOnStores('an argument matches no event by a value hidden from the subscriber', async (store) => {
  const fixture = await open(store, DIARY);
  await store.script("INSERT INTO persons (name) VALUES ('joe'), ('nobody')");
  const ann = createPrincipal('ann');
  const bob = createPrincipal('bob');
  /** The keys of all past events, for a subscriber that starts at the beginning. */
  const heard = async (field: string, principal: Principal): Promise<string> => {
    const query = `subscription { told: ${field} { id } }`;
    const subscribed = await createSubscriptions(fixture.graph)({ query }, { principal, after: 0 });
    if (subscribed.kind === 'refused') throw new Error(subscribed.response.body);
    const { events } = subscribed;
    const head = await fixture.graph.feed.head();
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
  await fixture.mutate('addEntry(owner: "ann", shown: true, mood: "sad", about: "joe") { id }');
  await fixture.mutate('addEntry(owner: "ann", shown: true, mood: "gay") { id }');
  await store.script("UPDATE entries SET about = 'nobody' WHERE id = 2");
  await fixture.mutate('setEntry(id: 2, mood: "glad") { id }');
  await fixture.mutate('addEntry(owner: "bob", shown: true, mood: "sad") { id }');
  await fixture.mutate('deleteEntry(id: 1)');

  // bob hears nothing of the mood of another's entry, nor when it is written.
  equal(await heard('entryChanged', bob), '1 2 3 1');
  equal(await heard('entryChanged', ann), '1 2 2 3 1');
  equal(await heard('entryChanged(mood: "sad")', ann), '1 1');
  equal(await heard('entryChanged(mood: "sad")', bob), '3');
  equal(await heard('entryDeleted(mood: "sad")', ann), '1');
  equal(await heard('entryDeleted(mood: "sad")', bob), '');
  // A reference to an unreadable object is null.
  equal(await heard('entryChanged(about: "nobody")', ann), '');
  equal(await heard('entryChanged(owner: "ann")', bob), '1 2 1');
});

testOnStores(
  'what becomes hidden is heard of no more, and what becomes visible is heard of from then on',
  async (store) => {
    const fixture = await open(store, DIARY);
    const ann = createPrincipal('ann');
    const bob = createPrincipal('bob');
    const events = await fixture.subscribe('subscription { entryChanged { id shown mood } }', { principal: bob });
    const deleted = await fixture.subscribe('subscription { entryDeleted { id } }', { principal: bob });
    await fixture.mutate('addEntry(owner: "ann", shown: false, mood: "a") { id }', ann);
    await fixture.mutate('setEntry(id: 1, shown: true) { id }', ann);
    await fixture.mutate('setEntry(id: 1, shown: false) { id }', ann);
    await fixture.mutate('setEntry(id: 1, mood: "b") { id }', ann);
    await fixture.mutate('deleteEntry(id: 1)', ann);
    await fixture.mutate('addEntry(owner: "bob", shown: true, mood: "mine") { id }');
    await fixture.mutate('deleteEntry(id: 2)');
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

testOnStores('an update of hidden values only is not an event', async (store) => {
  const fixture = await open(
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
    await fixture.mutate(`addBox(open: ${open}) { id }`, admin);
    await fixture.mutate(`addTag(open: ${open}) { id }`, admin);
  }
  await fixture.mutate('addNote(input: { text: "n", secret: "s", mood: "calm" }) { id }', admin);
  const events = await fixture.subscribe('subscription { noteChanged { text mood box { id } tags { id } } }');
  const set = (input: string): Promise<void> => fixture.mutate(`setNote(id: 1, input: { ${input} }) { id }`, admin);
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
  // What has a read rule takes no event with it when it goes, whether it was hidden or shown.
  equal(
    await heard(
      () => set('tags: [2, 3]'),
      () => fixture.mutate('deleteTag(id: 2) { id }', admin),
    ),
    0,
  );
  equal(
    await heard(
      () => set('tags: [1, 3]'),
      () => fixture.mutate('deleteTag(id: 1) { id }', admin),
    ),
    1,
  );
  equal(
    await heard(
      () => set('box: 2'),
      () => set('box: 1'),
    ),
    1,
  );
  equal(await heard(() => fixture.mutate('deleteBox(id: 1) { id }', admin)), 0);
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

testOnStores('a position works for any subscriber, and shows only what they may read', async (store) => {
  const fixture = await open(store, DIARY);
  const first = await fixture.subscribe('subscription { entryChanged { id mood } }', {
    principal: createPrincipal('ann'),
  });
  await fixture.mutate('addEntry(owner: "ann", shown: true, mood: "a") { id }');
  const { value } = (await first.next()) as { value: SubscriptionEvent };
  await fixture.mutate('addEntry(owner: "ann", shown: false, mood: "b") { id }');
  await fixture.mutate('addEntry(owner: "ann", shown: true, mood: "c") { id }');
  const second = await fixture.subscribe('subscription { entryChanged { id mood } }', {
    principal: createPrincipal('bob'),
    after: value.position,
  });
  deepEqual(await dataOf(second), { entryChanged: { id: '3', mood: null } });
});

testOnStores(
  'what a rule hid by the pairs or holders of an object stays hidden when these are gone with it',
  async (store) => {
    const fixture = await open(
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
    const all = await fixture.subscribe(query, { principal: admin });
    const own = await fixture.subscribe(query, { principal: ann });
    await fixture.mutate('createPerson(input: { name: "ann" }) { name }', admin);
    await fixture.mutate('createPhoto(input: { title: "pair", blocked: ["ann"] }) { id }', admin);
    await fixture.mutate('createPhoto(input: { title: "holder", notes: [{ bad: true }] }) { id }', admin);
    await fixture.mutate('deletePhoto(id: 1) { id }', admin);
    await fixture.mutate('deletePhoto(id: 2) { id }', admin);
    await fixture.mutate('createPhoto(input: { title: "open" }) { id }', admin);
    deepEqual(await dataOf(own), { photoChanged: { title: 'open' } });
    // Earlier events are not sent either once the object is deleted.
    const late = await fixture.subscribe(query, { principal: ann, after: 0 });
    deepEqual(await dataOf(late), { photoChanged: { title: 'open' } });
    const titles = ['pair', 'holder', 'pair', 'holder', 'open'];
    for (const title of titles) deepEqual(await dataOf(all), { photoChanged: { title } });
    for (const events of [all, own, late]) await events.return!();
  },
);
