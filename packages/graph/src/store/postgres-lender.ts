// Who gets a connection of a pool next. Whoever gives one back while others wait hands it on to the first of them: on its way
// through the pool it would be looked at, listened to and timed anew for every statement, and each who waits would have a timer.
// Not here: how connections are opened and when idle ones are closed (the pool), and what is asked over them.
import { isProductError } from '@lockstitch/kernel';
import type pg from 'pg';
import { isOutOfDate, isRefusal, translateOutage, translateRefusal } from './postgres-error.ts';
import type { Names } from './postgres-names.ts';
import type { Pulse } from './postgres-pulse.ts';
import { ConstraintViolation } from './store.ts';

/** Takes a connection, or learns why there is none. */
export type Take = (error: unknown, client: pg.PoolClient | undefined) => void;

/** Where statements find a connection. */
export interface Connections {
  /** Calls back once, at once or later. */
  borrow(take: Take): void;
  /** @param error what the last statement failed with, if it did */
  giveBack(client: pg.PoolClient, error?: unknown): void;
  /** The error as those see it who asked for the statement. */
  translate(error: unknown): unknown;
  /** Whether a statement that failed with `error` may be run again. */
  mayRetry(error: unknown): boolean;
}

interface LenderOptions {
  readonly pool: pg.Pool;
  /** At most; as many as the pool has. */
  readonly connections: number;
  /** How long one waits for a connection, in milliseconds. */
  readonly timeout: number;
  readonly names: Names;
  readonly pulse: Pulse;
}

/** Creates the one who lends a pool's connections; nobody else may take any of that pool. */
export function createLender({ pool, connections, timeout, names, pulse }: LenderOptions): Connections {
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
    while (waiting.length > 0 && waiting[0]!.since <= before)
      waiting.shift()!.take(translateOutage(new Error('timeout exceeded when waiting for a connection')), undefined);
    if (waiting.length > 0) timer = setTimeout(expire, waiting[0]!.since - before).unref();
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
      if (isSound && waiting.length > 0) {
        pulse.lend(client);
        waiting.shift()!.take(undefined, client);
        return;
      }
      lent -= 1;
      client.release(!isSound);
      serveNext();
    },
    translate: (error) => translateOutage(translateRefusal(error)),
    mayRetry(error) {
      if (!isOutOfDate(error)) return false;
      names.renew();
      return true;
    },
  };
}

/** Nothing of the error says that the connection would not work on. */
function isHarmless(error: unknown): boolean {
  return isRefusal(error) || isProductError(error) || error instanceof ConstraintViolation;
}

/** One connection, for the statements of a transaction: it is not theirs to give back, and they are run again all together or not at all. */
export function onlyConnection(client: pg.PoolClient): Connections {
  return {
    borrow: (take) => take(undefined, client),
    giveBack: () => undefined,
    translate: translateRefusal,
    mayRetry: () => false,
  };
}

/** A connection, to be given back. */
export function borrowConnection(connections: Connections): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    connections.borrow((error, client) => {
      if (client === undefined) reject(error);
      else resolve(client);
    });
  });
}

/** Does work with a connection. Rejects with the error as `translate` has it. */
export async function withConnection<T>(
  connections: Connections,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await borrowConnection(connections);
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
