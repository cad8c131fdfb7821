// How often somebody may fail to log in. Counted ahead of the hash, by address and account together, by account, and by
// address; names that do not exist are counted like those that do. The counters are rate-limiter-flexible's, so they can
// live in Redis or PostgreSQL when several processes share them.
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { type AuditSink, auditName, silentAudit } from '../audit/audit.ts';
import { AuthenticationFailure } from '../authentication/failure.ts';
import { userKey } from '../users/user-store.ts';
import { loadRateLimiter } from './load-rate-limiter.ts';
import { ATTEMPTS } from '../config/part-shapes.ts';
import { requireOptions } from '../config/shape.ts';

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
}

/** Counts failed log-ins. */
export interface AttemptLimiter {
  /** Whether nobody at all failed and nobody is trying: `isClear` for everyone, without the names. */
  isQuiet(): boolean;
  /** Whether nobody failed and nobody is trying, so that a success known without waiting need not be counted. */
  isClear(username: string, address: string): boolean;
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

/** Makes a limiter. */
export function createAttemptLimiter(limits: AttemptLimits = {}): AttemptLimiter {
  requireOptions('createAttemptLimiter', ATTEMPTS, limits);
  const quarter = 15 * 60;
  const { byPair = { failures: 10, seconds: quarter }, byAccount = { failures: 100, seconds: quarter } } = limits;
  const { byAddress = { failures: 100, seconds: quarter }, audit = silentAudit } = limits;
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

  const suspect = (key: string, counter: Counter): void => {
    suspects.delete(key);
    suspects.set(key, counter);
    if (suspects.size <= MAX_KEYS) return;
    const [oldest, of] = suspects.entries().next().value!;
    suspects.delete(oldest);
    void of.limiter.delete(oldest);
  };

  /** Failures so far; 0 without asking for what is no suspect. @throws when there are too many */
  const failuresOf = async (counter: Counter, key: string): Promise<number> => {
    const state = await counter.limiter.get(key);
    if (state === null) return 0;
    if (state.consumedPoints >= counter.bound.failures) throw tooMany(state.msBeforeNext / 1000);
    return state.consumedPoints;
  };

  const take = (keys: readonly string[]): void => {
    for (const key of keys) {
      const gate = gates.get(key);
      if (gate === undefined) gates.set(key, { running: 1, waiting: [] });
      else gate.running += 1;
    }
  };

  /** Takes the places without waiting where nobody failed and nobody is trying: the common request. */
  const enterAtOnce = (keys: readonly string[]): boolean => {
    if (!local) return false;
    for (const key of keys) if (suspects.has(key) || gates.has(key)) return false;
    take(keys);
    return true;
  };

  /** Waits until each bound has a failure left for one more try, and takes the places without a pause in between. */
  const enter = async (keys: readonly string[]): Promise<void> => {
    for (;;) {
      const failures: number[] = [];
      for (const [index, key] of keys.entries()) {
        failures.push(local && !suspects.has(key) ? 0 : await failuresOf(counters[index]!, key));
      }
      const full = keys.find(
        (key, index) => (gates.get(key)?.running ?? 0) >= counters[index]!.bound.failures - failures[index]!,
      );
      if (full === undefined) break;
      const { waiting } = gates.get(full)!;
      if (waiting.length >= MAX_WAITING) throw tooMany(1);
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    take(keys);
  };

  const leave = (keys: readonly string[]): void => {
    for (const key of keys) {
      const gate = gates.get(key)!;
      gate.running -= 1;
      if (gate.running === 0) gates.delete(key);
      // All look again: which of them may go depends on what was counted meanwhile.
      for (const wake of gate.waiting.splice(0)) wake();
    }
  };

  const failed = async (keys: readonly string[], username: string, address: string): Promise<void> => {
    for (const [index, counter] of counters.entries()) {
      const key = keys[index]!;
      if (local) suspect(key, counter);
      const state = await counter.limiter.penalty(key, 1);
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

  const forgive = async (keys: readonly string[]): Promise<void> => {
    const index = counters.findIndex(({ kind }) => kind === 'pair');
    if (index === -1 || (local && !suspects.delete(keys[index]!))) return;
    await counters[index]!.limiter.delete(keys[index]!);
  };

  const isQuiet = (): boolean => local && suspects.size === 0 && gates.size === 0;

  return {
    isQuiet,
    isClear(username, address) {
      if (!local) return false;
      if (isQuiet()) return true;
      return counters.every(({ kind }) => {
        const key = keyOf(kind, username, address);
        return !suspects.has(key) && !gates.has(key);
      });
    },
    async run(username, address, work, isFailure) {
      const keys = counters.map(({ kind }) => keyOf(kind, username, address));
      if (!enterAtOnce(keys)) await enter(keys);
      try {
        const result = await work();
        if (!local || suspects.size > 0) await forgive(keys);
        return result;
      } catch (error) {
        if (isFailure(error)) await failed(keys, username, address);
        throw error;
      } finally {
        leave(keys);
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
