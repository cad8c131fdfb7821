// Commits the indexes at intervals, without making the apply worker wait for the disk. After a commit the feed may be
// trimmed up to its position.
import type { Feed } from '@lockstitch/graph';
import { type Log, reasonOf } from '@lockstitch/kernel';

import type { IndexTarget } from './index-target.ts';

export interface CommitterParts {
  readonly feed: Feed;
  /** Current indexes by type. */
  readonly indexes: ReadonlyMap<string, Pick<IndexTarget, 'commit'>>;
  /** Names of the readers for which the feed is kept. */
  readonly readerNames: readonly string[];
  /** Milliseconds between the end of a commit and the start of the next. */
  readonly interval: number;
  /** Position up to which changes are applied. */
  readonly applied: () => number;
  /** Position from which the feed is kept even where what follows it is on disk. */
  readonly keptFrom?: () => number;
  readonly signal: AbortSignal;
  /** Tracks a promise that no caller awaits. */
  readonly inBackground: (work: Promise<void>) => unknown;
  readonly log: Log;
}

export interface Committer {
  /** Position up to which everything is on disk. */
  position: number;
  /** Reason of the latest failure. */
  readonly trouble: string | undefined;
  /** Starts a commit if one is due and none is running. */
  whenDue(): void;
  now(): Promise<void>;
}

export function createCommitter(parts: CommitterParts): Committer {
  const { applied, feed, indexes, log, signal } = parts;
  let position = 0;
  let trouble: string | undefined;
  let ended = Date.now();
  let running = false;

  const now = async (): Promise<void> => {
    const target = applied();
    if (position === target) return;
    for (const [type, index] of indexes)
      await index.commit().catch((error: unknown) => {
        // An index that was replaced meanwhile was committed at the swap.
        if (indexes.get(type) === index) throw error;
      });
    const needed = Math.min(target, parts.keptFrom?.() ?? target);
    for (const name of parts.readerNames) await feed.reader(name).advance(needed);
    position = target;
    await feed.trim();
  };

  const tell = (error: unknown): void => {
    if (signal.aborted) return;
    trouble = reasonOf(error);
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
