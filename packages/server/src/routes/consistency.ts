// Read your writes, as headers say it: a mutation answers its position in the feed and may wait until a search finds it; a
// search may ask for at least a position. What a position is, the feed says.
import { serverErrors } from '../errors.ts';
import type { Incoming } from '../http/incoming.ts';
import type { Sync } from '../sync/sync.ts';
import { LATE, within } from '../within.ts';

/** What answers where the feed and the index are. */
export interface Positions {
  readonly feed: { head(): Promise<number> };
  readonly sync: Pick<Sync, 'position' | 'waitFor'>;
}

/** How long a search may wait for the position it asks for. */
const POSITION_WAIT_MS = 5000;
/** How long the answer of a mutation waits, besides what it asks for, to be told where the feed ends. */
const HEAD_WAIT_MS = 2000;
/** How long a mutation may wait at most. */
const LONGEST_WAIT_MS = 60_000;

/** Waits until the index has what a search asks for. @throws ProductError SERVER_POSITION_INVALID, _AHEAD, _NOT_REACHED */
export async function waitForPosition(
  { headers }: Pick<Incoming, 'headers'>,
  { feed, sync }: Positions,
): Promise<void> {
  const value = headers['lockstitch-min-position'];
  if (value === undefined) return;
  if (!/^\d{1,15}$/.test(value)) throw serverErrors.create('SERVER_POSITION_INVALID', { value });
  const position = Number(value);
  if (position <= sync.position) return;
  // Nobody was ever answered such a position here: waiting would not bring it.
  if (position > (await feed.head())) throw serverErrors.create('SERVER_POSITION_AHEAD', { position });
  if (await sync.waitFor(position, POSITION_WAIT_MS)) return;
  throw serverErrors.create('SERVER_POSITION_NOT_REACHED', { position, reached: sync.position });
}

/** How long, in ms, a mutation asks to wait for its change to be searchable. @throws ProductError SERVER_WAIT_INVALID */
export function readWait({ headers }: Pick<Incoming, 'headers'>, usual: number): number {
  const value = headers['lockstitch-wait'];
  if (value === undefined) return usual;
  const wait = /^\d{1,6}$/.test(value) ? Number(value) : Infinity;
  if (wait > LONGEST_WAIT_MS) throw serverErrors.create('SERVER_WAIT_INVALID', { value, longest: LONGEST_WAIT_MS });
  return wait;
}

/**
 * The headers that tell where a mutation stands in the feed, after waiting so long for a search to find it.
 *
 * @param wait ms; 0 does not wait and says nothing of searches
 * @returns nothing where the feed cannot be asked, or does not answer: what was written stays written, and its answer must
 * reach the client
 */
export async function tellPosition({ feed, sync }: Positions, wait: number): Promise<Readonly<Record<string, string>>> {
  // The newest position is at least the one of this mutation; whoever sends it back finds what he wrote.
  const position = await within(feed.head(), HEAD_WAIT_MS).catch((): typeof LATE => LATE);
  if (position === LATE) return {};
  const told = { 'lockstitch-position': String(position) };
  if (wait === 0) return told;
  return { ...told, 'lockstitch-searchable': String(await sync.waitFor(position, wait)) };
}
