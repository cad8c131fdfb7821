// The apply worker ends by its signal alone. Whatever fails meanwhile is tried again.
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { ProductError } from '@lockstitch/kernel';

import { createApplyWorker, type ApplyWorkerParts } from '../../src/sync/apply-worker.ts';

test('4.1 a database that is away while following starts over does not end the process', async () => {
  const stopping = new AbortController();
  let attempts = 0;
  const trimmed = new ProductError({ code: 'GRAPH_FEED_TRIMMED', status: 410, message: 'trimmed' });
  const worker = createApplyWorker(
    partsOf(stopping.signal, {
      applyBatch: () => Promise.reject(trimmed),
      rebuildAll: () => {
        if (++attempts === 2) stopping.abort();
        return Promise.reject(new Error('the database is away'));
      },
    }),
  );
  await worker.run();
  ok(attempts === 2);
});

test('3.7 an outage is logged once for each reason, and its end once', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const stopping = new AbortController();
  const failures = ['away', 'away', 'away', 'starting up', 'starting up'].map((reason) => new Error(reason));
  const lines: string[] = [];
  const worker = createApplyWorker(
    partsOf(stopping.signal, {
      applyBatch: () => {
        const failure = failures.shift();
        if (failure === undefined) return Promise.resolve(false);
        setImmediate(() => context.mock.timers.tick(10_000));
        return Promise.reject(failure);
      },
      feed: { wait: async () => stopping.abort() } as never,
      log: { write: (level, message) => void lines.push(`${level} ${message}`) },
    }),
  );
  await worker.run();
  const failed = 'error The search index cannot follow the data; trying again';
  deepEqual(lines, [failed, failed, 'info The search index follows the data again']);
});

function partsOf(signal: AbortSignal, parts: Partial<ApplyWorkerParts>): ApplyWorkerParts {
  return {
    feed: { wait: () => Promise.reject(new Error('not asked')) },
    settings: { refreshInterval: 20, commitInterval: 20 },
    committer: { position: 0, whenDue: () => undefined },
    applied: () => 0,
    refresh: () => Promise.resolve(),
    reopen: () => Promise.resolve(),
    signal,
    log: { write: () => undefined },
    ...parts,
  } as unknown as ApplyWorkerParts;
}
