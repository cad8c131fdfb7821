// How the changes of a batch become writes of an index that takes several at once.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { silentLog } from '@lockstitch/kernel';

import { applyBatch } from '../../src/sync/apply-changes.ts';
import type { IndexTarget } from '../../src/sync/index-target.ts';
import { createPace } from '../../src/sync/pace.ts';
import type { RejectedDocument } from '../../src/sync/write-documents.ts';
import { startApp } from '../start-app.ts';

type Write = PromiseWithResolvers<readonly RejectedDocument[]>;

/** Applies six changes of five notes, two documents a write, to an index whose writes end when the test says so. */
async function apply(context: TestContext, writesAtOnce: number) {
  const { app } = await startApp(context);
  const { feed, store } = app.graph;
  const changed = ['a', 'b', 'a', 'c', 'd', 'e'].map((key, at) => ({ key, position: at + 1 }));
  const writes: Write[] = [];
  const keys: string[][] = [];
  const reached: number[] = [];
  const unused = (): never => {
    throw new Error('not asked for');
  };
  const index: IndexTarget = {
    name: 'notes',
    position: 0,
    writesAtOnce,
    version: () => Promise.resolve(6),
    write(operations) {
      keys.push(operations.map(({ id }) => id));
      writes.push(Promise.withResolvers());
      return writes.at(-1)!.promise;
    },
    reach: async (position) => void reached.push(position),
    commit: unused,
    sources: unused,
    open: unused,
    comparable: unused,
  };
  const changes = changed.map((change) => ({ ...change, type: 'Note', operation: 'updated', at: '', principal: '' }));
  const applying = applyBatch(
    {
      feed: { head: () => feed.head(), read: () => Promise.resolve(changes as never) },
      store,
      source: {
        byKeys: async (_, wanted) => wanted.map((key) => ({ key, source: Buffer.from('{}') })),
        byRange: unused,
        count: unused,
      },
      dependencyPaths: new Map(),
      indexes: new Map([['Note', index]]),
      pace: createPace({ smallest: 2, largest: 2 }),
      log: silentLog,
    },
    0,
    new AbortController().signal,
  );
  return { applying, keys, reached, writes };
}

/** Long enough for everything that waits for no write. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('documents are read and written while others are written, up to the limit of the index', async (context) => {
  const { applying, keys, reached, writes } = await apply(context, 2);
  await turns();
  // "a" is under way with a row that was read after both of its changes.
  deepEqual(keys, [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  writes[1]!.resolve([]);
  await turns();
  deepEqual(keys.slice(2), [['e']]);
  writes[2]!.resolve([]);
  await turns();
  deepEqual(reached, [], 'a position is reached once all before it is written');
  writes[0]!.resolve([]);
  equal(await applying, 6);
  deepEqual(reached, [6]);
});

test('an index that takes one write at a time gets them one after the other', async (context) => {
  const { applying, keys, writes } = await apply(context, 1);
  await turns();
  deepEqual(keys, [['a', 'b']]);
  for (let at = 0; at < 4; at++) {
    writes[at]?.resolve([]);
    await turns();
  }
  equal(await applying, 6);
});

test('a batch fails with its first error, once all of its writes have ended', async (context) => {
  const { applying, reached, writes } = await apply(context, 2);
  let hasEnded = false;
  const ended = rejects(applying, { message: 'the index is full' }).finally(() => (hasEnded = true));
  await turns();
  writes[1]!.reject(new Error('the index is full'));
  await turns();
  equal(hasEnded, false);
  writes[0]!.resolve([]);
  await ended;
  deepEqual(reached, []);
});
