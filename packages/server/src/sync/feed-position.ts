// Queries about positions of the feed: whether it still holds them, how old a change is, and when the next one arrives.
import type { Feed } from '@lockstitch/graph';
import { isProductError } from '@lockstitch/kernel';

/** Returns whether a read failed because the feed was trimmed past the position. */
export function isTrimmed(error: unknown): boolean {
  return isProductError(error, 'GRAPH_FEED_TRIMMED');
}

/** Returns whether the feed still holds all changes after a position. */
export async function reachesBack(feed: Feed, position: number): Promise<boolean> {
  try {
    await feed.read(position, 1);
    return true;
  } catch (error) {
    if (isTrimmed(error)) return false;
    throw error;
  }
}

/** Age of the first change after a position, in seconds. */
export async function ageOf(feed: Feed, position: number): Promise<number> {
  // A trimmed feed cannot tell; a rebuild is running then.
  const [first] = await feed.read(position, 1).catch(() => []);
  return first === undefined ? 0 : Math.max(0, (Date.now() - Date.parse(first.at)) / 1000);
}

/** Waits at most `timeout` ms for a change; returns normally when aborted. */
export async function waitForChange(feed: Feed, after: number, timeout: number, signal: AbortSignal): Promise<void> {
  const enough = new AbortController();
  const end = (): void => enough.abort();
  const timer = setTimeout(end, timeout);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    await feed.wait(after, enough.signal);
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
