// Work that one server at a time does on a database: migrations and seeds. Its lock belongs to a transaction on a connection of its own, since
// the work needs the connections of the pool, and behind a pooler that shares connections a lock of a session outlives its owner.
import type pg from 'pg';
import { translateOutage } from './postgres-error.ts';

/** In milliseconds. */
interface ExclusiveTimes {
  /** Between two statements that keep the connection alive: less than load balancers and poolers allow a silent one (AWS: 350 s). */
  readonly keepAlive: number;
  /** Until `onWait` is called. */
  readonly wait: number;
}

const TIMES: ExclusiveTimes = { keepAlive: 30_000, wait: 5000 };

/** Lifts the timeouts of a transaction that waits for a lock and holds it while others work. Not every version has all of them. */
const NO_TIMEOUTS = `SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN
  ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/**
 * Runs `work` under the lock `name`.
 *
 * @param client not connected yet
 * @throws ProductError as soon as the lock is lost with its connection: another server may have it from then on
 */
export async function runExclusively<T>(
  client: pg.Client,
  name: string,
  work: () => Promise<T>,
  onWait: () => void = () => undefined,
  { keepAlive, wait }: ExclusiveTimes = TIMES,
): Promise<T> {
  const lost = Promise.withResolvers<never>();
  // A loss before or after the work is no unhandled rejection.
  lost.promise.catch(() => undefined);
  const lose = (error: unknown): void => lost.reject(translateOutage(error));
  client.on('error', lose);
  client.on('end', () => lose(new Error('Connection terminated unexpectedly')));
  const fail = (error: unknown): never => {
    throw translateOutage(error);
  };
  await client.connect().catch(fail);
  const waiting = setTimeout(onWait, wait);
  let pings: NodeJS.Timeout | undefined;
  try {
    await client.query(`BEGIN; ${NO_TIMEOUTS}`).catch(fail);
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]).catch(fail);
    clearTimeout(waiting);
    pings = setInterval(() => void client.query('SELECT 1').catch(lose), keepAlive);
    return await Promise.race([work(), lost.promise]);
  } finally {
    clearTimeout(waiting);
    clearInterval(pings);
    await client.end().catch(() => undefined);
  }
}
