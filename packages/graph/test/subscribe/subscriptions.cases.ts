// What a subscriber hears: which events, in which order, from which position on, and until when.
import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { SubscriptionEvent } from '../../src/subscribe/subscriptions.ts';
import { testOnStores } from '../stores.ts';
import { dataOf, open, post } from './open-subscriptions.ts';

testOnStores('events contain the object at the change, and related objects as they are now', async (store) => {
  const fixture = await open(store);
  await fixture.mutate('addUser(githubLogin: "ann", name: "Ann") { name }');
  const events = await fixture.subscribe(
    'subscription { newPhoto { id name category created postedBy { name } taggedUsers { name } album { title } } }',
  );
  await fixture.mutate(post('a', ', created: "2020-01-01T00:00:00Z", taggedUsers: ["ann"]'));
  await fixture.mutate('updatePhoto(id: 1, input: { name: "later" }) { id }');
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
    const fixture = await open(store);
    await fixture.mutate('addUser(githubLogin: "ann", name: "Ann") { name }');
    const landscapes = await fixture.subscribe('subscription { newPhoto(category: LANDSCAPE) { name } }');
    const changed = await fixture.subscribe('subscription { photoChanged(id: 2) { name } }');
    const deleted = await fixture.subscribe(
      'subscription { photoDeleted { id name postedBy { name } taggedUsers { name } } }',
    );
    await fixture.mutate(post('a'));
    await fixture.mutate(post('b', ', category: LANDSCAPE'));
    await fixture.mutate('updatePhoto(id: 2, input: { name: "c" }) { id }');
    await fixture.mutate('deletePhoto(id: 1) { id }');
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
  const fixture = await open(store);
  await fixture.mutate('addUser(githubLogin: "ann") { name }');
  const first = await fixture.subscribe('subscription { newPhoto { name } }');
  await fixture.mutate(post('a'));
  const { value } = (await first.next()) as { value: SubscriptionEvent };
  await first.return!();
  await fixture.mutate(post('b'));
  await fixture.mutate(post('c'));
  const second = await fixture.subscribe('subscription { newPhoto { name } }', { after: value.position });
  deepEqual([await dataOf(second), await dataOf(second)], [{ newPhoto: { name: 'b' } }, { newPhoto: { name: 'c' } }]);
});

testOnStores('returning or aborting while waiting ends the subscription immediately', async (store) => {
  const fixture = await open(store);
  const leaving = await fixture.subscribe('subscription { newPhoto { name } }');
  const waiting = leaving.next();
  await leaving.return!();
  equal((await waiting).done, true);
  const controller = new AbortController();
  const aborted = await fixture.subscribe('subscription { newPhoto { name } }', { signal: controller.signal });
  const pending = aborted.next();
  controller.abort();
  equal((await pending).done, true);
});

testOnStores('a subscriber that lags too far gets an error and is ended', async (store) => {
  const fixture = await open(store);
  await fixture.mutate('addUser(githubLogin: "ann") { name }');
  const events = await fixture.subscribe('subscription { newPhoto { name } }', { lagLimit: 5 });
  for (let index = 0; index < 10; index++) await fixture.mutate(post(`p${index}`));
  await rejects(events.next(), (error: Error & { code?: string }) => error.code === 'GRAPH_SUBSCRIPTION_LAGGING');
  equal((await events.next()).done, true);
});

testOnStores('invalid variables of a subscription are all reported, as for a query', async (store) => {
  const fixture = await open(store);
  const refused = (introspection: boolean): Promise<string> =>
    createGraph({ model: fixture.graph.model, store, introspection }).then((graph) => {
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
  const fixture = await open(store);
  await rejects(fixture.subscribe('{ allPhotos { id } }'), /GRAPH_/);
  await rejects(fixture.subscribe('subscription { nothing }'), /Cannot query field/);
  await rejects(fixture.subscribe('subscription { newPhoto(category: 5) { id } }'), /GRAPH_VALIDATION/);
});
