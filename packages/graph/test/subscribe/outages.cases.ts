// What becomes of subscriptions while their database is away.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { graphErrors } from '../../src/errors.ts';
import { createGraph } from '../../src/execute/create-graph.ts';
import type { Store } from '../../src/store/store.ts';
import { testOnStores } from '../stores.ts';
import { dataOf, open, post } from './open-subscriptions.ts';

interface Interruptible {
  readonly store: Store;
  /** Which statements fail. */
  away: boolean | ((sql: string) => boolean);
  /** How many have. */
  readonly refused: number;
}

/** A store whose database can be made unavailable: its statements then fail accordingly. */
function interruptible(store: Store): Interruptible {
  let refused = 0;
  const guard = <T>(sql: string, run: () => T): T | Promise<never> => {
    if (typeof fixture.away === 'function' ? !fixture.away(sql) : !fixture.away) return run();
    refused++;
    return Promise.reject(graphErrors.create('GRAPH_STORE_UNAVAILABLE', { reason: 'it is away' }));
  };
  const fixture: Interruptible = {
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
  return fixture;
}

testOnStores('subscriptions survive an outage, and each missed event is sent once', async (store) => {
  const database = interruptible(store);
  const fixture = await open(database.store);
  await fixture.mutate('addUser(githubLogin: "ann", name: "Ann") { name }');
  const everything = await fixture.subscribe('subscription { newPhoto { name postedBy { name } } }');
  const found = await fixture.subscribe('subscription { photoChanged(id: 2) { name } }');
  const [first, firstFound] = [dataOf(everything), dataOf(found)];
  await setImmediate();
  database.away = true;
  // Written past the unavailable store, as by another process; waiting readers wake and find nothing.
  const other = await createGraph({ model: fixture.graph.model, store });
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

  // A subscriber that leaves meanwhile is not held.
  database.away = true;
  const last = dataOf(found);
  while (database.refused < before + 4) await sleep(20);
  await found.return!();
  equal(await last, 'done');
});

testOnStores('new subscriptions during an outage are rejected, resumed ones wait', async (store) => {
  const database = interruptible(store);
  const fixture = await open(database.store);
  database.away = true;
  await rejects(fixture.subscribe('subscription { newPhoto { name } }'), { code: 'GRAPH_STORE_UNAVAILABLE' });
  const goingOn = fixture.subscribe('subscription { newPhoto { name } }', { after: 0, goesOn: true });
  while (database.refused < 3) await sleep(20);
  database.away = false;
  await fixture.mutate('addUser(githubLogin: "ann", name: "Ann") { name }');
  await fixture.mutate(post('a'));
  const events = await goingOn;
  deepEqual(await dataOf(events), { newPhoto: { name: 'a' } });
  await events.return!();
});
