// The rows that say which of several servers writes to which index on a cluster.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgresStore, openSqliteStore, type Store } from '@lockstitch/graph';
import { silentLog } from '@lockstitch/kernel';

import { type IndexerLeases, openIndexerLeases } from '../../src/fleet/indexer-lease.ts';
import { register } from '../../src/fleet/server-registry.ts';
import { freshDatabase } from '../fresh-database.ts';
import { readModel } from '../policy/world.ts';

const open = (store: Store, server: string | undefined, prefix = 'app'): Promise<IndexerLeases> =>
  openIndexerLeases({ store, prefix, server });

test('each definition of an index has one holder; another server gets what is free or old, with a larger epoch', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const store = await openPostgresStore({ url });
  context.after(() => store.close());
  const [older, newer, elsewhere] = await Promise.all([
    open(store, 'older:4000'),
    open(store, 'newer:4000'),
    open(store, 'newer:4000', 'app-2'),
  ]);
  equal(older.database, newer.database);
  deepEqual(
    await older.acquire(['notes-a', 'users-a'], 1),
    new Map([
      ['notes-a', 1],
      ['users-a', 1],
    ]),
  );
  deepEqual(
    await newer.acquire(['notes-b', 'users-a'], 4),
    new Map([['notes-b', 4]]),
    'what both have stays with its leader',
  );
  deepEqual(await elsewhere.acquire(['users-a'], 1), new Map([['users-a', 1]]), 'each prefix has rows of its own');
  deepEqual([newer.isHeld('notes-b', 4), newer.isHeld('notes-b', 3), newer.isHeld('users-a', 1)], [true, false, false]);
  deepEqual([await newer.otherHolder('users-a'), await newer.otherHolder('notes-b')], ['older:4000', undefined]);
  deepEqual(await older.followed(), new Set(['notes-a', 'users-a', 'notes-b']));

  await older.release(['users-a']);
  equal(older.isHeld('users-a', 1), false);
  await Promise.all([older.renew(), newer.renew()]);
  deepEqual(await newer.acquire(['users-a'], 1), new Map([['users-a', 2]]));

  const age = "UPDATE lockstitch_indexers SET expires = now() - interval '1 second' WHERE definition = 'notes-a'";
  await store.transaction((session) => session.prepare(age).run([]));
  deepEqual(await newer.followed(), new Set(['users-a', 'notes-b']));
  deepEqual(
    await newer.acquire(['notes-a'], 9),
    new Map([['notes-a', 9]]),
    'an epoch that the cluster has seen is not given again',
  );
  await older.renew();
  equal(older.isHeld('notes-a', 1), false, 'a server that was paused for too long does not lead any more');

  await older.remove('notes-a');
  await newer.remove('notes-b');
  deepEqual((await older.definitions()).toSorted(), ['notes-a', 'users-a'], 'only the holder removes a row');
});

test('a database knows which of its servers gave the claim of the prefix back, and a copy of it made before does not', async (context) => {
  const [store, copy] = await Promise.all([
    openSqliteStore({ file: ':memory:' }),
    openSqliteStore({ file: ':memory:' }),
  ]);
  context.after(() => Promise.all([store.close(), copy.close()]));
  const [first, second, other] = [
    await open(store, undefined),
    await open(store, undefined),
    await open(copy, undefined),
  ];
  const identity = first.database;
  await first.giveBack(7);
  const holder = first.self;
  const asked = [
    [second, { holder, beat: 7 }],
    [second, { holder, beat: 8 }],
    [second, { holder: second.self, beat: 7 }],
    [other, { holder, beat: 7 }],
  ] as const;
  deepEqual(await Promise.all(asked.map(([leases, claim]) => leases.isGivenBack(claim))), [true, false, false, false]);
  await second.acquire(['notes-a'], 1);
  equal(await second.isGivenBack({ holder, beat: 7 }), true);
  deepEqual([(await open(store, undefined)).database, await second.definitions()], [identity, ['notes-a']]);
});

test('what was taken or given back while the database did not answer is not renewed', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const store = await openPostgresStore({ url });
  context.after(() => store.close());
  let failure: 'none' | 'before' | 'after' = 'none';
  const transaction: Store['transaction'] = async (work) => {
    if (failure === 'before') throw new Error('The connection was refused.');
    const result = await store.transaction(work);
    if (failure === 'after') throw new Error('The answer was lost.');
    return result;
  };
  const failing: Store = {
    ...store,
    dialect: store.dialect,
    prepare: (text: string) => store.prepare(text),
    transaction,
  };
  const [first, second] = await Promise.all([open(failing, 'first:4000'), open(store, 'second:4000')]);
  await first.acquire(['notes-a', 'users-a', 'tags-a'], 1);
  failure = 'after';
  await rejects(first.acquire(['photos-a'], 1), /answer was lost/);
  failure = 'before';
  await rejects(first.release(['notes-a', 'users-a']), /refused/);
  failure = 'none';
  deepEqual(await second.followed(), new Set(['notes-a', 'users-a', 'tags-a', 'photos-a']));
  const age = "UPDATE lockstitch_indexers SET expires = now() - interval '1 second' WHERE holder IS NOT NULL";
  await store.transaction((session) => session.prepare(age).run([]));
  await first.renew();
  deepEqual(await second.followed(), new Set(['tags-a']));
  const taken = await second.acquire(['notes-a', 'users-a', 'tags-a', 'photos-a'], 1);
  deepEqual([...taken.keys()].toSorted(), ['notes-a', 'photos-a', 'users-a']);
});

test('of servers that ask at the same time one gets all rows', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const store = await openPostgresStore({ url });
  context.after(() => store.close());
  const servers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => open(store, name)));
  const definitions = Array.from({ length: 6 }, (_, at) => `index-${at}`);
  const taken = await Promise.all(
    servers.map((server, at) => server.acquire(at % 2 === 0 ? definitions : definitions.toReversed(), 1)),
  );
  const sizes = taken.map(({ size }) => size);
  deepEqual(sizes.toSorted(), [0, 0, 0, definitions.length]);
});

test('the definitions of the servers that live are known', async (context) => {
  const url = await freshDatabase();
  if (!url.startsWith('postgres:')) return context.skip(url);
  const store = await openPostgresStore({ url });
  context.after(() => store.close());
  const model = readModel('type Note @entity { id: ID! a: Int } type Query { notes: [Note!]! }');
  const [first, second, silent] = await Promise.all([1, 0, 0].map((port) => register(store, model, port, silentLog)));
  context.after(() => Promise.all([second!.leave(), silent!.leave()]));
  for (const each of [first!, second!, silent!]) await each.useSchema();
  equal(
    new Set([first!.server, second!.server, silent!.server]).size,
    3,
    'a name each, also where the system chooses ports',
  );
  await first!.useIndexes(['app-notes-a', 'app-users-a']);
  await second!.useIndexes(['app-notes-b', 'app-users-a']);
  deepEqual(await silent!.usedIndexes(), new Set(['app-notes-a', 'app-users-a', 'app-notes-b']));
  await first!.leave();
  deepEqual(await silent!.usedIndexes(), new Set(['app-notes-b', 'app-users-a']));
});

test('a server alone takes each row whoever held it', async (context) => {
  const store = await openSqliteStore({ file: ':memory:' });
  context.after(() => store.close());
  const killed = await open(store, undefined);
  deepEqual(await killed.acquire(['notes-a'], 1), new Map([['notes-a', 1]]));
  const next = await open(store, undefined);
  deepEqual([next.database, await next.acquire(['notes-a'], 1)], [killed.database, new Map([['notes-a', 2]])]);
  deepEqual([next.isHeld('notes-a', 2), await next.followed()], [true, new Set(['notes-a'])]);
});
