// A bounded session store in memory: a stranger who requests the login page a million times must not fill it. When it
// is full, expired sessions are evicted first, then anonymous sessions down to a tenth of the capacity, then users'
// sessions, each least recently used first. `Sessions` decides about expiry.
import { type Clock, evictOldest, systemClock } from '@lockstitch/kernel';
import type { SessionStore, StoredSession } from './session-store.ts';
import { MEMORY_SESSIONS } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** A store in memory, with its size for metrics. */
export interface MemorySessionStore extends SessionStore {
  readonly size: number;
}

/**
 * Creates a store in memory.
 *
 * @param options.maxSessions default: 10,000
 */
export function createMemorySessionStore(
  options: { readonly maxSessions?: number; readonly clock?: Clock } = {},
): MemorySessionStore {
  requireOptions('createMemorySessionStore', MEMORY_SESSIONS, options);
  const { maxSessions = 10_000, clock = systemClock } = options;
  const keptForNobody = Math.max(1, Math.floor(maxSessions / 10));
  // Maps keep insertion order; used entries move to the end, so the first is the least recently used.
  const anonymous = new Map<string, StoredSession>();
  const owned = new Map<string, StoredSession>();
  const remove = (id: string): void => {
    if (!anonymous.delete(id)) owned.delete(id);
  };
  const put = (id: string, session: StoredSession): void => {
    remove(id);
    (session.principal === undefined ? anonymous : owned).set(id, session);
    if (anonymous.size + owned.size <= maxSessions) return;
    for (const [key, { cookie }] of owned) {
      // In the order of use, so expired sessions come first.
      if (new Date(cookie.expires).getTime() > clock.now()) break;
      owned.delete(key);
    }
    if (anonymous.size + owned.size <= maxSessions) return;
    const crowded = anonymous.size > keptForNobody || owned.size === 0 ? anonymous : owned;
    evictOldest(crowded, crowded.size - 1);
  };
  return {
    get(id, callback) {
      callback(null, anonymous.get(id) ?? owned.get(id) ?? null);
    },
    set(id, session: StoredSession, callback) {
      // A JSON copy: changes of another request must not show here, and what a real store cannot keep is lost here too.
      put(id, JSON.parse(JSON.stringify(session)));
      callback?.();
    },
    destroy(id, callback) {
      remove(id);
      callback?.();
    },
    get size() {
      return anonymous.size + owned.size;
    },
  };
}
