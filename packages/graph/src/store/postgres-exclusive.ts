// Work that one server at a time does on a database: migrations and seeds. Its lock belongs to a transaction on a connection of its own, since
// the work needs the connections of the pool, and behind a pooler that shares connections a lock of a session outlives its owner.
import type pg from 'pg';
import { translateOutage } from './postgres-error.ts';

/** Milliseconds; each is well below what balancers and poolers allow a connection to be silent (AWS: 350 s). */
interface ExclusiveTimes {
  /** Between two statements that keep the connection alive. */
  readonly beat: number;
  /** Until `onWait` is called. */
  readonly patience: number;
}

const TIMES: ExclusiveTimes = { beat: 30_000, patience: 5000 };

/** Lifts what would end a transaction that waits for a lock, and holds it while others work. Not every version has all of them. */
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
  { beat, patience }: ExclusiveTimes = TIMES,
): Promise<T> {
  const lost = Promise.withResolvers<never>();
  // Also where nobody waits for it yet, or any more.
  lost.promise.catch(() => undefined);
  const lose = (error: unknown): void => lost.reject(translateOutage(error));
  client.on('error', lose);
  client.on('end', () => lose(new Error('Connection terminated unexpectedly')));
  const fail = (error: unknown): never => {
    throw translateOutage(error);
  };
  await client.connect().catch(fail);
  const waiting = setTimeout(onWait, patience);
  let beating: NodeJS.Timeout | undefined;
  try {
    await client.query(`BEGIN; ${NO_TIMEOUTS}`).catch(fail);
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]).catch(fail);
    clearTimeout(waiting);
    beating = setInterval(() => void client.query('SELECT 1').catch(lose), beat);
    return await Promise.race([work(), lost.promise]);
  } finally {
    clearTimeout(waiting);
    clearInterval(beating);
    await client.end().catch(() => undefined);
  }
}
