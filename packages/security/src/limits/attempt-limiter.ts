// Limits failed log-ins. Counted before the hash: per address and account, per account, and per address; unknown names
// count too. For a client that has logged in recently only the first limit counts, so that failures of others do not
// lock it out. The counters are rate-limiter-flexible's, so several processes can share them in Redis or PostgreSQL.
import { type Clock, systemClock } from '@lockstitch/kernel';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { type AuditSink, auditName, silentAudit } from '../audit/audit.ts';
import { callStore } from '../stores/call-store.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import { userKey } from '../users/user-store.ts';
import { createKnownClients } from './known-clients.ts';
import { loadRateLimiter } from './load-rate-limiter.ts';
import { ATTEMPTS } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** A number of failures within a time; further tries are refused until it has passed. */
export interface AttemptBound {
  readonly failures: number;
  readonly seconds: number;
}

/** The bounds. `false` switches one off. */
export interface AttemptLimits {
  /** Of one account from one address. Default: 10 in 15 minutes. */
  readonly byPair?: AttemptBound | false;
  /** Of one account from anywhere. High, because a stranger can reach it to lock the owner out. Default: 100 in 15 minutes. */
  readonly byAccount?: AttemptBound | false;
  /** From one address (IPv6: one /64 network), whatever the account. Default: 100 in 15 minutes. */
  readonly byAddress?: AttemptBound | false;
  /** Makes the counter of each bound. Default: in memory, the 50,000 keys seen last. */
  readonly counter?: (name: 'pair' | 'account' | 'address', bound: AttemptBound) => RateLimiterAbstract;
  readonly audit?: AuditSink;
  readonly clock?: Clock;
}

/** Counts failed log-ins. */
export interface AttemptLimiter {
  /** Whether nobody at all failed and nobody is trying: `isClear` for everyone, without the names. */
  isQuiet(): boolean;
  /** Whether nobody failed and nobody is trying, so that a success known without waiting need not be counted. */
  isClear(username: string, address: string): boolean;
  /** Whether this account recently logged in from this network: failures of others do not count against it then. */
  isKnown(username: string, address: string): boolean;
  /**
   * Looks up a recently proven password without a hash, during and after a burst of log-ins for the same account from the same
   * network, so that the owner does not wait for the burst. The number of look-ups is limited, since each one is a guess.
   */
  lookUp<T>(username: string, address: string, find: () => T | undefined): T | undefined;
  /**
   * Runs one try, counts it when it fails, and forgets earlier failures of this account from this address when it
   * succeeds. Never lets more tries run side by side than failures are left: a burst gains nothing over a sequence.
   *
   * @param isFailure tells wrong credentials from faults that are nobody's guess
   * @throws SECURITY_TOO_MANY_ATTEMPTS (429, with the seconds to wait), and whatever `work` throws
   */
  run<T>(username: string, address: string, work: () => Promise<T>, isFailure: (error: unknown) => boolean): Promise<T>;
}

class Counter {
  readonly kind: 'pair' | 'account' | 'address';
  readonly bound: AttemptBound;
  #limiter: RateLimiterAbstract | undefined;

  /** @param limiter left out for counters in memory, which are made when first asked */
  constructor(kind: Counter['kind'], bound: AttemptBound, limiter: RateLimiterAbstract | undefined) {
    this.kind = kind;
    this.bound = bound;
    this.#limiter = limiter;
  }

  get limiter(): RateLimiterAbstract {
    return (this.#limiter ??= memoryCounter(this.kind, this.bound));
  }
}

/** Tries of one key that run, and those that wait for one of them to end. */
interface Gate {
  running: number;
  readonly waiting: (() => void)[];
}

const MAX_KEYS = 50_000;
/** More tries waiting behind one key are refused. */
const MAX_WAITING = 200;
/** Most look-ups for one account from one network, within the time in which failures count. */
const MAX_LOOK_UPS = 256;

/** A bound that one try is counted by. */
interface Place {
  readonly counter: Counter;
  readonly key: string;
}

/** Makes a limiter. */
export function createAttemptLimiter(limits: AttemptLimits = {}): AttemptLimiter {
  requireOptions('createAttemptLimiter', ATTEMPTS, limits);
  const quarter = 15 * 60;
  const { byPair = { failures: 10, seconds: quarter }, byAccount = { failures: 100, seconds: quarter } } = limits;
  const { byAddress = { failures: 100, seconds: quarter }, audit = silentAudit, clock = systemClock } = limits;
  const counters: Counter[] = [];
  for (const [kind, bound] of [
    ['pair', byPair],
    ['account', byAccount],
    ['address', byAddress],
  ] as const) {
    if (bound !== false) counters.push(new Counter(kind, bound, limits.counter?.(kind, bound)));
  }
  // With counters in memory, what nobody failed at needs no look-up: the common request costs one Map access a bound.
  const local = limits.counter === undefined;
  const suspects = new Map<string, Counter>();
  const gates = new Map<string, Gate>();
  const mistakes = byPair === false ? { failures: 10, seconds: quarter } : byPair;
  const known = createKnownClients(mistakes.failures, mistakes.seconds, clock);
  /** Pairs whose failures came side by side, and until when they count: one client makes its mistakes one by one. */
  const bursts = new Map<string, number>();
  const lookUps = new Map<string, { readonly count: number; readonly until: number }>();

  const placesOf = (username: string, address: string): readonly Place[] =>
    counters.map((counter) => ({ counter, key: keyOf(counter.kind, username, address) }));
  /** For a known client only its own failures decide, not those of others, not even behind the same address. */
  const deciding = (places: readonly Place[], username: string, address: string): readonly Place[] =>
    known.isKnown(keyOf('pair', username, address)) ? places.filter(({ counter }) => counter.kind === 'pair') : places;

  const suspect = (key: string, counter: Counter): void => {
    suspects.delete(key);
    suspects.set(key, counter);
    if (suspects.size <= MAX_KEYS) return;
    const [oldest, of] = suspects.entries().next().value!;
    suspects.delete(oldest);
    void of.limiter.delete(oldest);
  };

  /** Failures so far; 0 without asking for what is no suspect. @throws when there are too many */
  const failuresOf = async ({ counter, key }: Place): Promise<number> => {
    if (local && !suspects.has(key)) return 0;
    const state = await callStore('counter of log-ins', () => counter.limiter.get(key));
    if (state === null) return 0;
    if (state.consumedPoints >= counter.bound.failures) throw tooMany(state.msBeforeNext / 1000);
    return state.consumedPoints;
  };

  const take = (places: readonly Place[]): void => {
    for (const { key } of places) {
      const gate = gates.get(key);
      if (gate === undefined) gates.set(key, { running: 1, waiting: [] });
      else gate.running += 1;
    }
  };

  /** Takes the places without waiting where nobody failed and nobody is trying: the common request. */
  const enterAtOnce = (places: readonly Place[]): boolean => {
    if (!local) return false;
    for (const { key } of places) if (suspects.has(key) || gates.has(key)) return false;
    take(places);
    return true;
  };

  /** Waits until each bound has a failure left for one more try, and takes the places without a pause in between. */
  const enter = async (places: readonly Place[]): Promise<void> => {
    for (;;) {
      const failures: number[] = [];
      for (const place of places) failures.push(await failuresOf(place));
      const full = places.find(
        ({ counter, key }, index) => (gates.get(key)?.running ?? 0) >= counter.bound.failures - failures[index]!,
      );
      if (full === undefined) break;
      const { waiting } = gates.get(full.key)!;
      if (waiting.length >= MAX_WAITING) throw tooMany(1);
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    take(places);
  };

  const leave = (places: readonly Place[]): void => {
    for (const { key } of places) {
      const gate = gates.get(key)!;
      gate.running -= 1;
      if (gate.running === 0) gates.delete(key);
      // All look again: which of them may go depends on what was counted meanwhile.
      for (const wake of gate.waiting.splice(0)) wake();
    }
  };

  const failed = async (places: readonly Place[], username: string, address: string): Promise<void> => {
    const pair = keyOf('pair', username, address);
    known.failed(pair);
    if ((gates.get(pair)?.running ?? 0) > 1) {
      bursts.delete(pair);
      bursts.set(pair, clock.now() + mistakes.seconds * 1000);
      if (bursts.size > MAX_KEYS) bursts.delete(bursts.keys().next().value!);
    }
    for (const { counter, key } of places) {
      if (local) suspect(key, counter);
      const state = await callStore('counter of log-ins', () => counter.limiter.penalty(key, 1));
      if (state.consumedPoints !== counter.bound.failures) continue;
      const locked = counter.kind === 'address' ? undefined : auditName(username);
      audit.record({
        kind: 'account-lockout',
        username: locked,
        address,
        seconds: Math.ceil(state.msBeforeNext / 1000),
      });
    }
  };

  const forgive = async (places: readonly Place[]): Promise<void> => {
    const pair = places.find(({ counter }) => counter.kind === 'pair');
    if (pair === undefined || (local && !suspects.delete(pair.key))) return;
    await callStore('counter of log-ins', () => pair.counter.limiter.delete(pair.key));
  };

  const isQuiet = (): boolean => local && suspects.size === 0 && gates.size === 0;

  return {
    isQuiet,
    isClear(username, address) {
      if (!local) return false;
      if (isQuiet()) return true;
      return deciding(placesOf(username, address), username, address).every(
        ({ key }) => !suspects.has(key) && !gates.has(key),
      );
    },
    isKnown: (username, address) => known.isKnown(keyOf('pair', username, address)),
    lookUp(username, address, find) {
      const pair = keyOf('pair', username, address);
      const now = clock.now();
      const isBurst = gates.has(pair) || (bursts.get(pair) ?? 0) > now;
      if (!local || !isBurst || !known.hasProven(pair)) return undefined;
      const before = lookUps.get(pair);
      const count = before === undefined || before.until <= now ? 0 : before.count;
      if (count >= MAX_LOOK_UPS) return undefined;
      const found = find();
      // What was right is no guess.
      if (found !== undefined) return found;
      const until = count === 0 ? now + mistakes.seconds * 1000 : before!.until;
      lookUps.delete(pair);
      lookUps.set(pair, { count: count + 1, until });
      if (lookUps.size > MAX_KEYS) lookUps.delete(lookUps.keys().next().value!);
      return undefined;
    },
    async run(username, address, work, isFailure) {
      const places = placesOf(username, address);
      const taken = deciding(places, username, address);
      if (!enterAtOnce(taken)) await enter(taken);
      try {
        const result = await work();
        known.proven(keyOf('pair', username, address));
        if (!local || suspects.size > 0) await forgive(places);
        return result;
      } catch (error) {
        if (isFailure(error)) await failed(places, username, address);
        throw error;
      } finally {
        leave(taken);
      }
    },
  };
}

function tooMany(wait: number): AuthenticationFailure {
  const seconds = Math.max(1, Math.ceil(wait));
  return new AuthenticationFailure('SECURITY_TOO_MANY_ATTEMPTS', { values: { seconds }, retryAfter: seconds });
}

function memoryCounter(name: string, bound: AttemptBound): RateLimiterAbstract {
  const { RateLimiterMemory } = loadRateLimiter();
  return new RateLimiterMemory({ keyPrefix: name, points: bound.failures, duration: bound.seconds });
}

function keyOf(kind: Counter['kind'], username: string, address: string): string {
  // Long names would fill the memory; cut, they only share a counter.
  const name = userKey(username.slice(0, 256));
  if (kind === 'account') return `account ${name}`;
  const network = networkOf(address.slice(0, 64));
  return kind === 'address' ? `address ${network}` : `pair ${network} ${name}`;
}

/** One subscriber owns a whole IPv6 /64, so single addresses say nothing. IPv4, also as `::ffff:a.b.c.d`, stays whole. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [head = '', tail] = address.toLowerCase().split('%', 1)[0]!.split('::', 2);
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: zeros }, () => '0'), ...back];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
