// Reads the feed position of a database before the engine has prepared it; it may be empty or another application's.
import { introspect } from '../migrate/introspect.ts';
import type { Store } from '../store/store.ts';
import { FEED_TABLE } from './feed-tables.ts';
import { HEAD_QUERY } from './feed.ts';

/** The newest position; 0 without a feed. Reads only. */
export async function knownHead(store: Store): Promise<number> {
  if (!(await introspect(store, [FEED_TABLE])).has(FEED_TABLE)) return 0;
  return Number(await store.prepare(HEAD_QUERY).text([]));
}
