// Read-your-writes headers: a mutation returns its position in the feed and may wait until a search finds it; a search
// may require a position.
import { serverErrors } from '../errors.ts';
import type { Incoming } from '../http/incoming.ts';
import type { Sync } from '../sync/sync.ts';
import { LATE, within } from '../within.ts';

export interface Positions {
  readonly feed: { head(): Promise<number> };
  readonly sync: Pick<Sync, 'position' | 'waitFor'>;
}

/** Longest wait of a search for its position. */
const POSITION_WAIT_MS = 5000;
/** Extra wait of a mutation for the end of the feed. */
const HEAD_WAIT_MS = 2000;
/** Longest wait that a mutation may ask for. */
const LONGEST_WAIT_MS = 60_000;

/** The position that an answer must have seen; 0 without one. @throws ProductError SERVER_POSITION_INVALID */
export function minPositionOf(headers: Incoming['headers']): number {
  const value = headers['lockstitch-min-position'];
  if (value === undefined) return 0;
  if (!/^\d{1,15}$/.test(value)) throw serverErrors.create('SERVER_POSITION_INVALID', { value });
  return Number(value);
}

/**
 * Waits until the index has the position that a search requires.
 *
 * @throws ProductError SERVER_POSITION_INVALID, _AHEAD, _NOT_REACHED
 */
export async function waitForPosition(
  { headers }: Pick<Incoming, 'headers'>,
  { feed, sync }: Positions,
): Promise<void> {
  const position = minPositionOf(headers);
  if (position <= sync.position) return;
  // This server never returned such a position, so waiting would not help.
  if (position > (await feed.head())) throw serverErrors.create('SERVER_POSITION_AHEAD', { position });
  if (await sync.waitFor(position, POSITION_WAIT_MS)) return;
  throw serverErrors.create('SERVER_POSITION_NOT_REACHED', { position, reached: sync.position });
}

/**
 * Milliseconds that a mutation asks to wait for its change to be searchable.
 *
 * @throws ProductError SERVER_WAIT_INVALID
 */
export function readWait({ headers }: Pick<Incoming, 'headers'>, usual: number): number {
  const value = headers['lockstitch-wait'];
  if (value === undefined) return usual;
  const wait = /^\d{1,6}$/.test(value) ? Number(value) : Infinity;
  if (wait > LONGEST_WAIT_MS) throw serverErrors.create('SERVER_WAIT_INVALID', { value, longest: LONGEST_WAIT_MS });
  return wait;
}

/**
 * Headers with a mutation's position in the feed, after an optional wait for searches to find it.
 *
 * @param wait in ms; 0 does not wait and reports nothing about searches
 * @returns no headers if the feed does not respond: the write is done, and its response must reach the client
 */
export async function tellPosition({ feed, sync }: Positions, wait: number): Promise<Readonly<Record<string, string>>> {
  // The latest position includes this mutation; a client that sends it back finds its write.
  const position = await within(feed.head(), HEAD_WAIT_MS).catch((): typeof LATE => LATE);
  if (position === LATE) return {};
  const told = { 'lockstitch-position': String(position) };
  if (wait === 0) return told;
  return { ...told, 'lockstitch-searchable': String(await sync.waitFor(position, wait)) };
}
