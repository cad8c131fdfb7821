import { equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import type { Index } from '@lockstitch/search';

import { createIndexRebuilder } from '../../src/sync/index-rebuilder.ts';
import type { SchemaIndex } from '../../src/sync/schema-index.ts';

const photos: SchemaIndex = {
  name: 'photos',
  type: 'Photo',
  documentType: 'photo',
  mappings: {},
  fingerprint: '',
  paths: [],
  dependencies: [],
  rules: '',
};

function start(build: () => Promise<Index>) {
  const stale = new Set(['Photo']);
  const stopping = new AbortController();
  const failed = Promise.withResolvers<void>();
  const rebuilding = createIndexRebuilder({
    wanted: [photos],
    stale,
    build: async () => {
      const index = await build();
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
