// What following asks of the feed besides its changes: whether it still reaches back to a position, how old what follows is, and
// when there is more.
import type { Feed } from '@lockstitch/graph';

/** Whether a read failed because the feed no longer reaches back that far. */
export function isTrimmed(error: unknown): boolean {
  return (error as { readonly code?: string }).code === 'GRAPH_FEED_TRIMMED';
}

/** Whether the feed still holds all that follows a position. */
export async function reachesBack(feed: Feed, position: number): Promise<boolean> {
  try {
    await feed.read(position, 1);
    return true;
  } catch (error) {
    if (isTrimmed(error)) return false;
    throw error;
  }
}

/** How long ago the first change after a position was made, in seconds. */
export async function ageOf(feed: Feed, position: number): Promise<number> {
  // Trimmed away: nobody can say any more, and a rebuild is under way.
  const [first] = await feed.read(position, 1).catch(() => []);
  return first === undefined ? 0 : Math.max(0, (Date.now() - Date.parse(first.at)) / 1000);
}

/** Waits for a change, at most `timeout` ms; ends quietly when stopping. */
export async function waitForMore(
  feed: Feed,
  after: number,
  timeout: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const enough = new AbortController();
  const end = (): void => enough.abort();
  const timer = timeout === undefined ? undefined : setTimeout(end, timeout);
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
