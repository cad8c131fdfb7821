// When the indexes are committed: at intervals, beside the following, which does not wait for the disk. What a commit consists
// of is the engine's business; that the feed may be trimmed behind it is said here.
import type { Feed } from '@lockstitch/graph';
import type { Log } from '@lockstitch/kernel';
import type { Index } from '@lockstitch/search';

/** What committing needs. */
export interface CommitParts {
  readonly feed: Feed;
  /** By type; what is in place now. */
  readonly indexes: ReadonlyMap<string, Index>;
  /** Name under which the feed is kept for the indexes. */
  readonly readerName: string;
  /** Milliseconds from the end of a commit to the next. */
  readonly interval: number;
  /** How far the indexes have come. */
  readonly applied: () => number;
  readonly signal: AbortSignal;
  /** Keeps work in mind that nobody waits for. */
  readonly inBackground: (work: Promise<void>) => unknown;
  readonly log: Log;
}

/** Commits the indexes of one process. */
export interface Committer {
  /** Position up to which everything is on disk. */
  position: number;
  /** Why the latest commit failed. */
  readonly trouble: string | undefined;
  /** Starts a commit when it is time for one and none is under way. */
  whenDue(): void;
  now(): Promise<void>;
}

/** Makes it. */
export function createCommitter(parts: CommitParts): Committer {
  const { applied, feed, indexes, log, signal } = parts;
  let position = 0;
  let trouble: string | undefined;
  let ended = Date.now();
  let running = false;

  const now = async (): Promise<void> => {
    const target = applied();
    if (position === target) return;
    for (const [type, index] of indexes) {
      await index.commit().catch((error: unknown) => {
        // What took its place meanwhile was committed when it did.
        if (indexes.get(type) === index) throw error;
      });
    }
    await feed.reader(parts.readerName).advance(target);
    position = target;
    await feed.trim();
  };

  const tell = (error: unknown): void => {
    if (signal.aborted) return;
    trouble = error instanceof Error ? error.message : String(error);
    log.write('error', 'The search index cannot be committed; trying again', { position: applied(), error });
  };

  return {
    get position() {
      return position;
    },
    set position(reached) {
      position = reached;
    },
    get trouble() {
      return trouble;
    },
    whenDue() {
      if (running || Date.now() - ended < parts.interval) return;
      running = true;
      const done = now().then(() => (trouble = undefined), tell);
      parts.inBackground(
        done.then(() => {
          running = false;
          ended = Date.now();
        }),
      );
    },
    now,
  };
}
