// How far the feed of a database has come that nothing has been prepared in yet: it may be empty, or somebody else's.
import { introspect } from '../migrate/introspect.ts';
import type { Store } from '../store/store.ts';
import { FEED_TABLE } from './feed-tables.ts';
import { HEAD_QUERY } from './feed.ts';

/** The newest position; 0 where there is no feed. Reads only. */
export async function knownHead(store: Store): Promise<number> {
  if (!(await introspect(store, [FEED_TABLE])).has(FEED_TABLE)) return 0;
  return Number(await store.prepare(HEAD_QUERY).text([]));
}
