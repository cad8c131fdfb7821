// Checks out connections of a pool. A returned connection goes directly to the first waiter. Through the pool, each
// statement would add listeners, checks and timers, and each waiter a timer. Not here: opening and closing connections
// (the pool), and statements.
import { isProductError } from '@lockstitch/kernel';
import type pg from 'pg';
import { isOutOfDate, isRefusal, translateOutage, translateRefusal } from './postgres-error.ts';
import type { StatementNames } from './postgres-statement-names.ts';
import type { HealthCheck } from './postgres-health.ts';
import { ConstraintViolation, type PoolUse } from './store.ts';

/** Receives a connection, or the error why there is none. */
export type Take = (error: unknown, client: pg.PoolClient | undefined) => void;

/** Where statements check out connections. */
export interface Connections {
  /** Calls back once, synchronously or later. */
  borrow(take: Take): void;
  /** @param error the last statement's error, if it failed */
  giveBack(client: pg.PoolClient, error?: unknown): void;
  /** Translates an error for the statement's caller. */
  translate(error: unknown): unknown;
  /** Whether a statement that failed with `error` can be retried. */
  mayRetry(error: unknown): boolean;
}

interface CheckoutOptions {
  readonly pool: pg.Pool;
  /** Maximum number; the size of the pool. */
  readonly connections: number;
  /** Maximum wait for a connection, in milliseconds. */
  readonly timeout: number;
  readonly names: StatementNames;
  readonly health: HealthCheck;
}

/** The connections of a pool. */
interface Checkout extends Connections {
  use(): PoolUse;
}

/** Creates the checkout queue of a pool; it must be the pool's only user. */
export function createCheckout({ pool, connections, timeout, names, health }: CheckoutOptions): Checkout {
  const waiting: { readonly take: Take; readonly since: number }[] = [];
  const broken = new WeakSet<pg.PoolClient>();
  let lent = 0;
  let timer: NodeJS.Timeout | undefined;
  const watched = new WeakSet<pg.PoolClient>();
  pool.on('acquire', (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    const giveUp = (): void => void broken.add(client);
    client.on('error', giveUp).on('end', giveUp);
  });

  const expire = (): void => {
    timer = undefined;
    const before = performance.now() - timeout;
    let [oldest] = waiting;
    for (; oldest !== undefined && oldest.since <= before; [oldest] = waiting) {
      waiting.shift();
      oldest.take(translateOutage(new Error('timeout exceeded when waiting for a connection')), undefined);
    }
    if (oldest !== undefined) timer = setTimeout(expire, oldest.since - before).unref();
  };

  const serveNext = (): void => {
    const next = waiting.shift();
    if (next !== undefined) take(next.take);
  };

  const take = (use: Take): void => {
    lent += 1;
    pool.connect((error, client) => {
      if (client !== undefined) return use(undefined, client);
      lent -= 1;
      use(translateOutage(error), undefined);
      serveNext();
    });
  };

  return {
    borrow(use) {
      if (lent < connections) return take(use);
      waiting.push({ take: use, since: performance.now() });
      timer ??= setTimeout(expire, timeout).unref();
    },
    giveBack(client, error) {
      const isSound = (error === undefined || isHarmless(error)) && !broken.has(client) && !names.isStale(client);
      const next = isSound ? waiting.shift() : undefined;
      if (next !== undefined) {
        health.lend(client);
        next.take(undefined, client);
        return;
      }
      lent -= 1;
      client.release(!isSound);
      serveNext();
    },
    use: () => ({ busy: lent, most: connections, waiting: waiting.length }),
    translate: (error) => translateOutage(translateRefusal(error)),
    mayRetry(error) {
      if (!isOutOfDate(error)) return false;
      names.renew();
      return true;
    },
  };
}

/** The error does not mean that the connection is broken. */
function isHarmless(error: unknown): boolean {
  return isRefusal(error) || isProductError(error) || error instanceof ConstraintViolation;
}

/** The connection of a transaction: its statements neither return it nor are retried individually. */
export function onlyConnection(client: pg.PoolClient): Connections {
  return {
    borrow: (take) => take(undefined, client),
    giveBack: () => undefined,
    translate: translateRefusal,
    mayRetry: () => false,
  };
}

/** Checks out a connection, to be returned with giveBack. */
export function checkOutConnection(connections: Connections): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    connections.borrow((error, client) => {
      if (client === undefined) reject(error);
      else resolve(client);
    });
  });
}

/** Runs work with a connection. Rejects with the translated error. */
export async function withConnection<T>(
  connections: Connections,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await checkOutConnection(connections);
  let failure: unknown;
  try {
    return await work(client);
  } catch (error) {
    failure = error;
    throw connections.translate(error);
  } finally {
    connections.giveBack(client, failure);
  }
}
