// Sessions in memory, bounded: a stranger who asks for the login page a million times must not fill it. When it is
// full, expired sessions go first, then sessions of nobody down to a tenth of the places, then those of users, each the
// one used longest ago. Expiry itself is judged by `Sessions`.
import { type Clock, systemClock } from '@lockstitch/kernel';
import type { SessionStore, StoredSession } from './session-store.ts';
import { MEMORY_SESSIONS } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** A store in memory, with its size for metrics. */
export interface MemorySessionStore extends SessionStore {
  readonly size: number;
}

/**
 * Makes a store in memory.
 *
 * @param options.maxSessions default: 10,000
 */
export function createMemorySessionStore(
  options: { readonly maxSessions?: number; readonly clock?: Clock } = {},
): MemorySessionStore {
  requireOptions('createMemorySessionStore', MEMORY_SESSIONS, options);
  const { maxSessions = 10_000, clock = systemClock } = options;
  const keptForNobody = Math.max(1, Math.floor(maxSessions / 10));
  // Maps keep insertion order; what is used moves to the end, so the first is the one used longest ago.
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
      // In the order of use, so the expired ones stand in front.
      if (new Date(cookie.expires).getTime() > clock.now()) break;
      owned.delete(key);
    }
    if (anonymous.size + owned.size <= maxSessions) return;
    const crowded = anonymous.size > keptForNobody || owned.size === 0 ? anonymous : owned;
    crowded.delete(crowded.keys().next().value!);
  };
  return {
    get(id, callback) {
      callback(null, anonymous.get(id) ?? owned.get(id) ?? null);
    },
    set(id, session: StoredSession, callback) {
      // A copy by way of JSON: what another request changes must not show here, and what a real store cannot keep is lost here too.
      put(id, JSON.parse(JSON.stringify(session)) as StoredSession);
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
