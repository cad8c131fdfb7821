// What a subscriber hears: which events, in which order, from which position on, and until when.
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { SubscriptionEvent } from '../../src/subscribe/subscriptions.ts';
import { testOnStores } from '../stores.ts';
import { dataOf, open, post } from './room.ts';

testOnStores('events contain the object at the change, and related objects as they are now', async (store) => {
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

testOnStores('returning or aborting while waiting ends the subscription immediately', async (store) => {
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

testOnStores('a subscriber that lags too far gets an error and is ended', async (store) => {
  const room = await open(store);
  await room.mutate('addUser(githubLogin: "ann") { name }');
  const events = await room.subscribe('subscription { newPhoto { name } }', { lagLimit: 5 });
  for (let index = 0; index < 10; index++) await room.mutate(post(`p${index}`));
  await rejects(events.next(), (error: Error & { code?: string }) => error.code === 'GRAPH_SUBSCRIPTION_LAGGING');
  equal((await events.next()).done, true);
});

testOnStores('invalid variables of a subscription are all reported, as for a query', async (store) => {
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

testOnStores('a request that is not a subscription is rejected with the reason', async (store) => {
  const room = await open(store);
  await rejects(room.subscribe('{ allPhotos { id } }'), /GRAPH_/);
  await rejects(room.subscribe('subscription { nothing }'), /Cannot query field/);
  await rejects(room.subscribe('subscription { newPhoto(category: 5) { id } }'), /GRAPH_VALIDATION/);
});
