// Following the feed ends with its signal alone: whatever fails on the way, the database while starting over included, is tried again.
import { ok } from 'node:assert/strict';
import { test } from 'node:test';

import { createFollowing, type FollowingParts } from '../../src/sync/following.ts';

test('4.1 a database that is away while following starts over does not end the process', async () => {
  const stopping = new AbortController();
  let attempts = 0;
  const trimmed = Object.assign(new Error('trimmed'), { code: 'GRAPH_FEED_TRIMMED' });
  const parts = {
    feed: { wait: () => Promise.reject(new Error('not asked')) },
    settings: { refreshInterval: 20, commitInterval: 20 },
    committer: { position: 0, whenDue: () => undefined },
    applied: () => 0,
    applySome: () => Promise.reject(trimmed),
    refresh: () => Promise.resolve(),
    renew: () => Promise.resolve(),
    startOver: () => {
      if (++attempts === 2) stopping.abort();
      return Promise.reject(new Error('the database is away'));
    },
    signal: stopping.signal,
    log: { write: () => undefined },
  } as unknown as FollowingParts;
  const following = createFollowing(parts);
  await following.run();
  ok(attempts === 2);
});
