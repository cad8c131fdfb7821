// How often somebody may fail to log in. Counted ahead of the hash, by address and account together, by account, and by
// address; names that do not exist are counted like those that do. The counters are rate-limiter-flexible's, so they can
// live in Redis or PostgreSQL when several processes share them.
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import { type AuditSink, auditName, silentAudit } from '../audit/audit.ts';
import { AuthenticationFailure } from '../authentication/failure.ts';
import { userKey } from '../users/user-store.ts';

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
  /**
   * Lets a try go on.
   *
   * @throws SECURITY_TOO_MANY_ATTEMPTS (429, with the seconds to wait)
   */
  check(username: string, address: string): Promise<void> | undefined;
  /** Notes a failure. */
  failed(username: string, address: string): Promise<void>;
  /** Notes a success: the failures of this account from this address are forgotten. */
  succeeded(username: string, address: string): Promise<void> | undefined;
}

interface Counter {
  readonly kind: 'pair' | 'account' | 'address';
  readonly bound: AttemptBound;
  readonly limiter: RateLimiterAbstract;
}

const MAX_KEYS = 50_000;

/** Makes a limiter. */
export function createAttemptLimiter(limits: AttemptLimits = {}): AttemptLimiter {
  const quarter = 15 * 60;
  const { byPair = { failures: 10, seconds: quarter }, byAccount = { failures: 100, seconds: quarter } } = limits;
  const { byAddress = { failures: 100, seconds: quarter }, audit = silentAudit } = limits;
  const make = limits.counter ?? ((name, bound) => memoryCounter(name, bound));
  const counters: Counter[] = [];
  for (const [kind, bound] of [
    ['pair', byPair],
    ['account', byAccount],
    ['address', byAddress],
  ] as const) {
    if (bound !== false) counters.push({ kind, bound, limiter: make(kind, bound) });
  }
  // With counters in memory, what nobody failed at needs no look-up: the common request costs one Map access a bound.
  const local = limits.counter === undefined;
  const suspects = new Map<string, Counter>();

  const suspect = (key: string, counter: Counter): void => {
    suspects.delete(key);
    suspects.set(key, counter);
    if (suspects.size <= MAX_KEYS) return;
    const [oldest, of] = suspects.entries().next().value!;
    suspects.delete(oldest);
    void of.limiter.delete(oldest);
  };

  const checkCounters = async (username: string, address: string): Promise<void> => {
    for (const { kind, bound, limiter } of counters) {
      const state = await limiter.get(keyOf(kind, username, address));
      if (state === null || state.consumedPoints < bound.failures) continue;
      const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
      throw new AuthenticationFailure('SECURITY_TOO_MANY_ATTEMPTS', { values: { seconds }, retryAfter: seconds });
    }
  };

  return {
    check(username, address) {
      if (local && suspects.size === 0) return undefined;
      if (local && !counters.some(({ kind }) => suspects.has(keyOf(kind, username, address)))) return undefined;
      return checkCounters(username, address);
    },
    async failed(username, address) {
      for (const counter of counters) {
        const key = keyOf(counter.kind, username, address);
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
    },
    succeeded(username, address) {
      const key = keyOf('pair', username, address);
      if (local && !suspects.delete(key)) return undefined;
      const pair = counters.find(({ kind }) => kind === 'pair');
      return pair?.limiter.delete(key).then(() => undefined);
    },
  };
}

function memoryCounter(name: string, bound: AttemptBound): RateLimiterAbstract {
  return new RateLimiterMemory({ keyPrefix: name, points: bound.failures, duration: bound.seconds });
}

function keyOf(kind: Counter['kind'], username: string, address: string): string {
  // Long names would fill the memory; cut, they only share a counter.
  const name = userKey(username.slice(0, 256));
  if (kind === 'account') return `account ${name}`;
  const network = networkOf(address);
  return kind === 'address' ? `address ${network}` : `pair ${network} ${name}`;
}

/** One subscriber owns a whole IPv6 /64, so single addresses say nothing. IPv4, also as `::ffff:a.b.c.d`, stays whole. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1]!;
  if (!address.includes(':')) return address;
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
