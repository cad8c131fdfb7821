// Caches proven passwords for at most a minute, because HTTP Basic sends the password with every request and a password
// hash is slow by design. An entry is an HMAC under a random key of this process over user, password and stored hash: a
// memory dump without the key reveals nothing, and a changed password misses. Only successes are cached; the account
// itself (flags, authorities) is read on every request. A whole header line that succeeded is cached too, by a keyed
// hash, which saves decoding it and two more hashes.
import { randomBytes } from 'node:crypto';
import { type Clock, evictOldest, systemClock } from '@lockstitch/kernel';
import { hash } from '../node-crypto.ts';
import type { User } from '../users/user.ts';
import { createOneShotHmac } from './one-shot-hmac.ts';

export interface CredentialCacheOptions {
  /** Cached passwords. Default: 1000. */
  readonly maxEntries?: number;
  /** Milliseconds for which one is cached; at most 60,000. Default: 60,000. */
  readonly ttl?: number;
  readonly clock?: Clock;
}

/** Result for a password: proven now, remembered, or wrong. */
export type Verdict = 'proven' | 'remembered' | 'wrong';

/** Cache of proven passwords. */
export interface CredentialCache {
  /** Answers from the cache or calls `prove`. Concurrent calls for the same password share one `prove`. */
  verify(username: string, raw: string, stored: string, prove: () => Promise<boolean>): Promise<Verdict>;
  /** Returns whether this password is cached as proven. */
  isProven(username: string, raw: string, stored: string): boolean;
  /** Caches the header line with a name and a password proven for this account, for as long as the proof. */
  keepLine(line: string, name: string, raw: string, user: User): void;
  /** Returns the name in a cached header line, and the account as it was then, erased. */
  findLine(line: string): KnownLine | undefined;
  clear(): void;
  readonly metrics: { readonly hits: number; readonly misses: number; readonly size: number };
}

/** A cached header line. Only its name is kept. */
export interface KnownLine {
  readonly name: string;
  readonly user: User;
  readonly until: number;
}

const MAX_TTL = 60_000;
/** Longer lines are parsed each time. */
const MAX_LINE = 1024;

/** Creates a cache with its own random key. */
export function createCredentialCache(options: CredentialCacheOptions = {}): CredentialCache {
  const { maxEntries = 1000, clock = systemClock } = options;
  const ttl = Math.min(options.ttl ?? MAX_TTL, MAX_TTL);
  const hmac = createOneShotHmac(randomBytes(32));
  // A Map keeps insertion order: the first key is the least recently used one.
  const proven = new Map<string, number>();
  const inFlight = new Map<string, Promise<boolean>>();
  const lines = new Map<string, KnownLine>();
  // A prefix of fixed length, so that two lines never hash the same text. The hash is never exposed, so HMAC's second
  // round is not needed; it protects against those who see the hash, and would lengthen the text.
  const lineKey = randomBytes(32).toString('hex');
  const digestLine = (line: string): string => hash('sha256', lineKey + line, 'latin1');
  let hits = 0;
  let misses = 0;

  const keyOf = (username: string, raw: string, stored: string): string => {
    // Length-prefixed, so that no two triples give the same text ("ab"+"c" and "a"+"bc").
    const text = `${username.length}:${username}${raw.length}:${raw}${stored.length}:${stored}`;
    return hmac(text);
  };

  const recall = (key: string): boolean => {
    const until = proven.get(key);
    if (until === undefined) return false;
    const alive = until > clock.now();
    // The order matters only when an entry is about to be evicted; moving an entry on each hit would churn the Map.
    const crowded = proven.size * 2 > maxEntries;
    if (crowded || !alive) proven.delete(key);
    if (crowded && alive) proven.set(key, until);
    if (alive) hits += 1;
    return alive;
  };

  return {
    isProven: (username, raw, stored) => recall(keyOf(username, raw, stored)),
    keepLine(line, name, raw, user) {
      if (line.length > MAX_LINE) return;
      const until = proven.get(keyOf(user.username, raw, user.password ?? ''));
      if (until === undefined) return;
      lines.set(digestLine(line), { name, user: user.erased(), until });
      evictOldest(lines, maxEntries);
    },
    findLine(line) {
      if (lines.size === 0 || line.length > MAX_LINE) return undefined;
      const digest = digestLine(line);
      const known = lines.get(digest);
      if (known === undefined) return undefined;
      if (known.until <= clock.now()) {
        lines.delete(digest);
        return undefined;
      }
      hits += 1;
      return known;
    },
    async verify(username, raw, stored, prove) {
      const key = keyOf(username, raw, stored);
      if (recall(key)) return 'remembered';
      misses += 1;
      const running = inFlight.get(key);
      if (running !== undefined) return (await running) ? 'remembered' : 'wrong';
      const proof = prove();
      inFlight.set(key, proof);
      try {
        const good = await proof;
        if (good) {
          proven.set(key, clock.now() + ttl);
          evictOldest(proven, maxEntries);
        }
        return good ? 'proven' : 'wrong';
      } finally {
        inFlight.delete(key);
      }
    },
    clear() {
      proven.clear();
      lines.clear();
    },
    get metrics() {
      return { hits, misses, size: proven.size };
    },
  };
}
