// The row that says which of several servers writes to the indexes on a cluster.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgresStore, openSqliteStore, type Store } from '@lockstitch/graph';
import { silentLog } from '@lockstitch/kernel';

import { type IndexerLease, openIndexerLease } from '../../src/fleet/indexer-lease.ts';
import { register, type Registration, serverName } from '../../src/fleet/server-registry.ts';
import { freshDatabase } from '../fresh-database.ts';
import { readModel } from '../policy/world.ts';

const open = (store: Store, server: string | undefined): Promise<IndexerLease> =>
  openIndexerLease({ store, name: 'search:photos', server });

test('one of two servers holds the row, the other takes it once it is free or old, with a larger epoch', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const store = await openPostgresStore({ url });
  context.after(() => store.close());
  const [one, other] = await Promise.all([open(store, 'one:4000'), open(store, 'other:4000')]);
  equal(one.database, other.database);
  const taken = await Promise.all([one.acquire(1), other.acquire(1)]);
  const [leader, follower] = taken[0] === undefined ? [other, one] : [one, other];
  deepEqual(
    taken.filter((epoch) => epoch !== undefined),
    [1],
  );
  deepEqual([leader.epoch, follower.epoch], [1, undefined]);
  equal(await follower.holder(), leader === one ? 'one:4000' : 'other:4000');
  equal(await leader.renew(), true);

  await leader.release();
  deepEqual([leader.epoch, await follower.acquire(1), await leader.acquire(1)], [undefined, 2, undefined]);

  const age = "UPDATE lockstitch_indexers SET expires = now() - interval '1 second'";
  await store.transaction((session) => session.prepare(age).run([]));
  equal(await leader.acquire(9), 9, 'an epoch that the cluster has seen is not given again');
  equal(await follower.renew(), false, 'a server that was paused for too long does not lead any more');
  equal(follower.epoch, undefined);

  const newer = await open(store, 'newer:4000');
  equal(await newer.acquire(1, ['follower:4000']), undefined);
  equal(await newer.acquire(1, [(await newer.holder())!]), 10, 'a server of an older schema gives way');
  equal(await leader.renew(), false);
});

test('servers that search other indexes are known, and which of them are older', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const store = await openPostgresStore({ url });
  context.after(() => store.close());
  const model = readModel('type Note @entity { id: ID! a: Int } type Query { notes: [Note!]! }');
  const begin = async (definition: string | undefined, port: number): Promise<Registration> => {
    const registration = await register(store, model, port, silentLog);
    context.after(() => registration.leave());
    await registration.useSchema();
    if (definition !== undefined) await registration.useIndexes(definition);
    return registration;
  };
  const all = (registration: Registration): Promise<unknown> =>
    Promise.all([registration.others(), registration.older()]);
  const [one, two, three, four] = [1, 2, 3, 4].map(serverName);
  const first = await begin('before', 1);
  const second = await begin('before', 2);
  deepEqual(await all(second), [[], []]);
  const third = await begin('after', 3);
  deepEqual(await all(third), [
    [one, two],
    [one, two],
  ]);
  deepEqual(await all(second), [[three], []]);
  await first.leave();
  const again = await begin('before', 1);
  deepEqual(await all(again), [[three], []], 'a server that starts again is not newer than the rest of its schema');
  await second.leave();
  deepEqual(await all(again), [[three], [three]], 'rolled back: only servers that began later are left');
  await begin('before', 3);
  deepEqual(await all(again), [[three], []], 'the name was taken over');
  await begin(undefined, 4);
  deepEqual(await all(again), [[three, four], []], 'a server of a version that does not say it may search anything');
});

test('a server alone takes the row whoever held it', async (context) => {
  const store = await openSqliteStore({ file: ':memory:' });
  context.after(() => store.close());
  const killed = await open(store, undefined);
  equal(await killed.acquire(1), 1);
  const next = await open(store, undefined);
  deepEqual([next.database, await next.acquire(1), next.epoch], [killed.database, 2, 2]);
});
