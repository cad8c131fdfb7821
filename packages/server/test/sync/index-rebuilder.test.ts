import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '@lockstitch/kernel';
import type { Index } from '@lockstitch/search';

import { buildIndex, type OnBuild } from '../../src/sync/build-index.ts';
import type { IndexTarget } from '../../src/sync/index-target.ts';
import { createPace } from '../../src/sync/pace.ts';
import { createIndexRebuilder } from '../../src/sync/index-rebuilder.ts';
import { SideBySide } from '../../src/sync/side-by-side.ts';
import type { SchemaIndex } from '../../src/sync/schema-index.ts';
import { startApp } from '../start-app.ts';

const photos: SchemaIndex = {
  name: 'photos',
  type: 'Photo',
  documentType: 'photo',
  mappings: {},
  fingerprint: '',
  paths: [],
  sources: [],
  dependencies: [],
  rules: '',
};

function start(build: (onBuild: OnBuild) => Promise<Index>) {
  const stale = new Set(['Photo']);
  const stopping = new AbortController();
  const failed = Promise.withResolvers<void>();
  const rebuilding = createIndexRebuilder({
    wanted: [photos],
    stale,
    build: async (_, onBuild) => {
      const index = await build(onBuild);
      stale.delete('Photo');
      return index;
    },
    refresh: () => Promise.resolve(),
    signal: stopping.signal,
    log: { write: (level) => void (level === 'error' && failed.resolve()) },
  });
  return { rebuilding, stale, stopping, failed: failed.promise };
}

test('an attempt that failed is no trouble any more once another has built the index', async () => {
  let attempts = 0;
  const { rebuilding, stale, stopping, failed } = start(() =>
    attempts++ === 0 ? Promise.reject(new Error('no room')) : Promise.resolve({} as Index),
  );
  const replaced = rebuilding.replaceStale(() => undefined);
  await failed;
  equal(rebuilding.trouble, 'no room');
  await rebuilding.build(photos, () => undefined);
  equal(stale.size, 0);
  equal(rebuilding.trouble, undefined);
  stopping.abort();
  await replaced;
  equal(attempts, 2);
});

test('an index is built by one at a time, and verified only when that has ended', async () => {
  const built = Promise.withResolvers<Index>();
  const { rebuilding } = start(() => built.promise);
  const first = rebuilding.build(photos, () => undefined);
  ok(rebuilding.isRebuilding(photos));
  await rejects(
    rebuilding.build(photos, () => undefined),
    { code: 'SERVER_INDEX_BUSY' },
  );
  let isBuilt = false;
  const verified = rebuilding.verifying(photos, () => Promise.resolve(isBuilt));
  await new Promise((resolve) => setImmediate(resolve));
  isBuilt = true;
  built.resolve({} as Index);
  await first;
  ok(await verified);
  ok(!rebuilding.isRebuilding(photos));
});

test('how far a build is can be asked while it runs', async () => {
  const built = Promise.withResolvers<Index>();
  const { rebuilding } = start((onBuild) => {
    onBuild({ index: 'photos', done: 50, total: 200 });
    return built.promise;
  });
  equal(rebuilding.progress(photos), undefined);
  const told: number[] = [];
  const building = rebuilding.build(photos, ({ done }) => told.push(done));
  const { done, seconds, total } = rebuilding.progress(photos) ?? {};
  deepEqual([done, total, told], [50, 200, [50]]);
  ok(seconds! >= 0);
  built.resolve({} as Index);
  await building;
  equal(rebuilding.progress(photos), undefined);
});

test('jobs run side by side up to a limit, and end with the first error once all have ended', async () => {
  const jobs = new SideBySide(2);
  const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
  let started = 0;
  const add = (): Promise<void> => jobs.add(() => gates[started++]!.promise);
  await add();
  const second = add();
  let isFree = false;
  void second.then(() => (isFree = true));
  await new Promise((resolve) => setImmediate(resolve));
  deepEqual([started, isFree], [2, false]);
  gates[0]!.resolve();
  await second;
  const third = add();
  gates[1]!.reject(new Error('refused'));
  await rejects(third, /refused/);
  let isOver = false;
  const ended = rejects(jobs.ended(), /refused/).then(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  equal(isOver, false, 'the third runs on');
  gates[2]!.resolve();
  await ended;
});

test('a build fails with its first error, once what was under way has ended', async (context) => {
  const { feed, store } = (await startApp(context)).app.graph;
  const write = Promise.withResolvers<never>();
  const unused = (): never => {
    throw new Error('not asked for');
  };
  const target: IndexTarget = {
    name: 'photos',
    position: 0,
    writesAtOnce: 2,
    version: () => Promise.resolve(1),
    write: () => write.promise,
    reach: unused,
    commit: unused,
    sources: unused,
    open: unused,
    comparable: unused,
  };
  const discarded: IndexTarget[] = [];
  let ranges = 0;
  const source = {
    byKeys: unused,
    count: () => Promise.resolve(2),
    async byRange() {
      if (ranges++ === 0) return [{ key: 'a', source: Buffer.from('{}') }];
      setImmediate(() => write.reject(new Error('the index is full')));
      throw new Error('the database is away');
    },
  };
  const building = buildIndex(
    {
      shadows: {
        create: () => Promise.resolve(target),
        settle: unused,
        publish: unused,
        discard: async (index) => void discarded.push(index),
      },
      feed,
      source,
      apply: {
        feed,
        store,
        source,
        dependencyPaths: new Map(),
        indexes: new Map(),
        pace: createPace({ smallest: 1, largest: 1 }),
        log: silentLog,
      },
      readerName: 'build',
      signal: new AbortController().signal,
      exclusively: (work) => work(),
      applied: () => 0,
    },
    photos,
    () => undefined,
  );
  await rejects(building, { message: 'the database is away' });
  deepEqual(discarded, [target]);
});
