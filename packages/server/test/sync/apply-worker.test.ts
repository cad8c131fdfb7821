// ApplyWorker the feed ends with its signal alone: whatever fails on the way, the database while starting over included, is tried again.
import { ok } from 'node:assert/strict';
import { test } from 'node:test';

import { ProductError } from '@lockstitch/kernel';

import { createApplyWorker, type ApplyWorkerParts } from '../../src/sync/apply-worker.ts';

test('4.1 a database that is away while following starts over does not end the process', async () => {
  const stopping = new AbortController();
  let attempts = 0;
  const trimmed = new ProductError({ code: 'GRAPH_FEED_TRIMMED', status: 410, message: 'trimmed' });
  const parts = {
    feed: { wait: () => Promise.reject(new Error('not asked')) },
    settings: { refreshInterval: 20, commitInterval: 20 },
    committer: { position: 0, whenDue: () => undefined },
    applied: () => 0,
    applyBatch: () => Promise.reject(trimmed),
    refresh: () => Promise.resolve(),
    reopen: () => Promise.resolve(),
    rebuildAll: () => {
      if (++attempts === 2) stopping.abort();
      return Promise.reject(new Error('the database is away'));
    },
    signal: stopping.signal,
    log: { write: () => undefined },
  } as unknown as ApplyWorkerParts;
  const worker = createApplyWorker(parts);
  await worker.run();
  ok(attempts === 2);
});
