// Limits failed log-ins. Counted before the hash: per address and account, per account, and per address; unknown names
// count too. For a client that has logged in recently only the first limit counts, so that failures of others do not
// lock it out. The counters are rate-limiter-flexible's, so several processes can share them in Redis or PostgreSQL.
import { type Clock, lookUp, LruMap, systemClock } from '@lockstitch/kernel';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { type AuditSink, auditName, silentAudit } from '../audit/audit.ts';
import { callStore } from '../stores/call-store.ts';
import { AuthenticationFailure } from '../chain/authentication-failure.ts';
import { type AttemptKind, attemptKey } from './attempt-keys.ts';
import { createKnownClients, type KnownClients } from './known-clients.ts';
import { loadRateLimiter } from './load-rate-limiter.ts';
import { ATTEMPTS } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** Failures within a time; further attempts are rejected until it has passed. */
export interface AttemptBound {
  readonly failures: number;
  readonly seconds: number;
}

/** Bounds; `false` switches one off. */
export interface AttemptLimits {
  /** Of one account from one address. Default: 10 in 15 minutes. */
  readonly byPair?: AttemptBound | false;
  /** Of one account from anywhere. High, because a stranger could use it to lock the owner out. Default: 100 in 15 minutes. */
  readonly byAccount?: AttemptBound | false;
  /** From one address (IPv6: one /64 network), whatever the account. Default: 100 in 15 minutes. */
  readonly byAddress?: AttemptBound | false;
  /** Creates the counter of each bound. Default: in memory, the 50,000 most recent keys. */
  readonly counter?: (name: AttemptKind, bound: AttemptBound) => RateLimiterAbstract;
  readonly audit?: AuditSink;
  readonly clock?: Clock;
}

/** Counts failed log-ins. Names of accounts need not exist. */
export interface AttemptLimiter {
  /** Returns whether there are no failures and no attempts in progress at all: `isClear` for every name and address. */
  isQuiet(): boolean;
  /** Returns whether this pair has no failures and no attempts in progress, so that a synchronous success need not be counted. */
  isClear(username: string, address: string): boolean;
  /** Returns whether this account recently logged in from this network, so that failures of others do not count. */
  isKnown(username: string, address: string): boolean;
  /**
   * Looks up a recently proven password without a hash, during and after a burst of log-ins for the same account from the
   * same network, so that the owner does not wait for the burst. Look-ups are limited, because each one is a guess.
   */
  lookUp<T>(username: string, address: string, find: () => T | undefined): T | undefined;
  /**
   * Runs one attempt, counts it if it fails, and forgets earlier failures of this pair if it succeeds. Concurrent attempts
   * never exceed the failures that are left, so a burst gains nothing over a sequence.
   *
   * @param isFailure distinguishes wrong credentials from faults, which are not guesses
   * @throws SECURITY_TOO_MANY_ATTEMPTS (429, with the seconds to wait), and any error of `work`
   */
  run<T>(username: string, address: string, work: () => Promise<T>, isFailure: (error: unknown) => boolean): Promise<T>;
}

const QUARTER_HOUR = 15 * 60;
const MAX_KEYS = 50_000;
/** Attempts that may wait for one key; more are rejected. */
const MAX_WAITING = 200;
/** Cache look-ups per account and network while failures count. */
const MAX_LOOK_UPS = 256;
const COUNTER = 'counter of log-ins';

/** Creates a limiter. */
export function createAttemptLimiter(limits: AttemptLimits = {}): AttemptLimiter {
  requireOptions('createAttemptLimiter', ATTEMPTS, limits);
  return new CountingLimiter(limits);
}

/** A counter with the key of one attempt. */
interface CountedKey {
  readonly counter: Counter;
  readonly key: string;
}

class Counter {
  readonly kind: AttemptKind;
  readonly bound: AttemptBound;
  #limiter: RateLimiterAbstract | undefined;

  /** @param limiter undefined for a counter in memory, which is created on first use */
  constructor(kind: AttemptKind, bound: AttemptBound, limiter: RateLimiterAbstract | undefined) {
    this.kind = kind;
    this.bound = bound;
    this.#limiter = limiter;
  }

  get limiter(): RateLimiterAbstract {
    return (this.#limiter ??= memoryCounter(this.kind, this.bound));
  }
}

class CountingLimiter implements AttemptLimiter {
  readonly #counters: readonly Counter[];
  readonly #audit: AuditSink;
  readonly #clock: Clock;
  /** With counters in memory, keys without failures need no look-up: the common request costs one Map access per bound. */
  readonly #isLocal: boolean;
  readonly #known: KnownClients;
  /** Milliseconds for which the failures of a pair count. */
  readonly #window: number;
  /** Keys with failures; only with counters in memory. */
  readonly #suspects = new LruMap<string, Counter>(MAX_KEYS, (key, counter) => void counter.limiter.delete(key));
  readonly #gates = new Gates();
  /** Pairs with concurrent failures, and until when these count. One client makes its mistakes one after the other. */
  readonly #bursts = new LruMap<string, number>(MAX_KEYS);
  readonly #lookUps = new LruMap<string, { readonly count: number; readonly until: number }>(MAX_KEYS);

  constructor(limits: AttemptLimits) {
    const { byPair = bound(10), byAccount = bound(100), byAddress = bound(100) } = limits;
    const bounds = [
      ['pair', byPair],
      ['account', byAccount],
      ['address', byAddress],
    ] as const;
    this.#counters = bounds.flatMap(([kind, each]) =>
      each === false ? [] : [new Counter(kind, each, limits.counter?.(kind, each))],
    );
    this.#audit = limits.audit ?? silentAudit;
    this.#clock = limits.clock ?? systemClock;
    this.#isLocal = limits.counter === undefined;
    const { failures, seconds } = byPair === false ? bound(10) : byPair;
    this.#known = createKnownClients(failures, seconds, this.#clock);
    this.#window = seconds * 1000;
  }

  isQuiet(): boolean {
    return this.#isLocal && this.#suspects.size === 0 && this.#gates.size === 0;
  }

  isClear(username: string, address: string): boolean {
    if (!this.#isLocal) return false;
    if (this.isQuiet()) return true;
    return this.#isFree(this.#deciding(this.#keysOf(username, address), username, address));
  }

  isKnown(username: string, address: string): boolean {
    return this.#known.isKnown(attemptKey('pair', username, address));
  }

  lookUp<T>(username: string, address: string, find: () => T | undefined): T | undefined {
    const pair = attemptKey('pair', username, address);
    const now = this.#clock.now();
    const isBurst = this.#gates.has(pair) || (this.#bursts.get(pair) ?? 0) > now;
    if (!this.#isLocal || !isBurst || !this.#known.hasProven(pair)) return undefined;
    const before = this.#lookUps.get(pair);
    const { count, until } =
      before === undefined || before.until <= now ? { count: 0, until: now + this.#window } : before;
    if (count >= MAX_LOOK_UPS) return undefined;
    const found = find();
    // A right password is not a guess.
    if (found === undefined) this.#lookUps.set(pair, { count: count + 1, until });
    return found;
  }

  async run<T>(
    username: string,
    address: string,
    work: () => Promise<T>,
    isFailure: (error: unknown) => boolean,
  ): Promise<T> {
    const keys = this.#keysOf(username, address);
    const entered = this.#deciding(keys, username, address);
    // Fast path for the common request, without waiting: no failures and no attempts in progress.
    let hasFailed = false;
    if (this.#isLocal && this.#isFree(entered)) this.#gates.enter(entered);
    else hasFailed = await this.#waitAndEnter(entered);
    try {
      const result = await work();
      this.#known.proven(attemptKey('pair', username, address));
      if (hasFailed || (this.#isLocal && this.#suspects.size > 0)) await this.#forgive(keys);
      return result;
    } catch (error) {
      if (isFailure(error)) await this.#countFailure(keys, username, address);
      throw error;
    } finally {
      this.#gates.leave(entered);
    }
  }

  #keysOf(username: string, address: string): readonly CountedKey[] {
    return this.#counters.map((counter) => ({ counter, key: attemptKey(counter.kind, username, address) }));
  }

  /** For a known client only its own failures decide, not those of others, not even behind the same address. */
  #deciding(keys: readonly CountedKey[], username: string, address: string): readonly CountedKey[] {
    return this.isKnown(username, address) ? keys.filter(({ counter }) => counter.kind === 'pair') : keys;
  }

  #isFree(keys: readonly CountedKey[]): boolean {
    return keys.every(({ key }) => !this.#suspects.has(key) && !this.#gates.has(key));
  }

  /**
   * Waits until each bound allows one more attempt, then enters all gates without a pause in between. Returns whether
   * any failure counts.
   */
  async #waitAndEnter(keys: readonly CountedKey[]): Promise<boolean> {
    for (;;) {
      const left = await Promise.all(keys.map((each) => this.#failuresLeft(each)));
      const full = keys.find(({ key }, index) => this.#gates.running(key) >= left[index]!);
      if (full !== undefined) {
        await this.#gates.wait(full.key);
        continue;
      }
      this.#gates.enter(keys);
      return keys.some(({ counter }, index) => left[index] !== counter.bound.failures);
    }
  }

  /** Failures that the bound still allows. @throws SECURITY_TOO_MANY_ATTEMPTS if there are none */
  async #failuresLeft({ counter, key }: CountedKey): Promise<number> {
    const { failures } = counter.bound;
    if (this.#isLocal && !this.#suspects.has(key)) return failures;
    const state = await callStore(COUNTER, () => counter.limiter.get(key));
    if (state === null) return failures;
    if (state.consumedPoints >= failures) throw tooMany(state.msBeforeNext / 1000);
    return failures - state.consumedPoints;
  }

  async #countFailure(keys: readonly CountedKey[], username: string, address: string): Promise<void> {
    const pair = attemptKey('pair', username, address);
    this.#known.failed(pair);
    if (this.#gates.running(pair) > 1) this.#bursts.set(pair, this.#clock.now() + this.#window);
    for (const { counter, key } of keys) {
      if (this.#isLocal) this.#suspects.set(key, counter);
      const state = await callStore(COUNTER, () => counter.limiter.penalty(key, 1));
      if (state.consumedPoints !== counter.bound.failures) continue;
      const locked = counter.kind === 'address' ? undefined : auditName(username);
      const seconds = Math.ceil(state.msBeforeNext / 1000);
      this.#audit.record({ kind: 'account-lockout', username: locked, address, seconds });
    }
  }

  async #forgive(keys: readonly CountedKey[]): Promise<void> {
    const pair = keys.find(({ counter }) => counter.kind === 'pair');
    if (pair === undefined || (this.#isLocal && !this.#suspects.delete(pair.key))) return;
    await callStore(COUNTER, () => pair.counter.limiter.delete(pair.key));
  }
}

/** Attempts in progress by key, and those that wait for one of them to end. */
class Gates {
  readonly #gates = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  get size(): number {
    return this.#gates.size;
  }

  has(key: string): boolean {
    return this.#gates.has(key);
  }

  running(key: string): number {
    return this.#gates.get(key)?.running ?? 0;
  }

  enter(keys: readonly CountedKey[]): void {
    for (const { key } of keys) {
      const gate = this.#gates.get(key);
      if (gate === undefined) this.#gates.set(key, { running: 1, waiting: [] });
      else gate.running += 1;
    }
  }

  leave(keys: readonly CountedKey[]): void {
    for (const { key } of keys) {
      const gate = lookUp(this.#gates, key);
      gate.running -= 1;
      if (gate.running === 0) this.#gates.delete(key);
      // Wake all: which of them may enter depends on what was counted meanwhile.
      for (const wake of gate.waiting.splice(0)) wake();
    }
  }

  /** Resolves when an attempt of this key ends. @throws SECURITY_TOO_MANY_ATTEMPTS if too many wait */
  async wait(key: string): Promise<void> {
    const { waiting } = lookUp(this.#gates, key);
    if (waiting.length >= MAX_WAITING) throw tooMany(1);
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
}

function bound(failures: number): AttemptBound {
  return { failures, seconds: QUARTER_HOUR };
}

function tooMany(wait: number): AuthenticationFailure {
  const seconds = Math.max(1, Math.ceil(wait));
  return new AuthenticationFailure('SECURITY_TOO_MANY_ATTEMPTS', { values: { seconds }, retryAfter: seconds });
}

function memoryCounter(name: string, bound: AttemptBound): RateLimiterAbstract {
  const { RateLimiterMemory } = loadRateLimiter();
  return new RateLimiterMemory({ keyPrefix: name, points: bound.failures, duration: bound.seconds });
}
