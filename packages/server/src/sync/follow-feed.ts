// Reads the feed on from a position, and notices a database that has gone back: one that was restored, or a standby that took over without
// the last writes. Positions are given a second time then, so the entry at the position is compared with the one that was read before.
import { createHash } from 'node:crypto';

import type { Change, Feed } from '@lockstitch/graph';
import { isProductError } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { isTrimmed } from './feed-position.ts';

/** What tells an entry of the feed from another one at its position. */
function markOf({ at, key, operation, principal, type }: Change): string {
  return createHash('sha256')
    .update(JSON.stringify([type, key, operation, at, principal]))
    .digest('base64url');
}

/** Whether the feed holds the entry with this mark at a position, or no longer holds that position. */
export async function holdsMark(feed: Pick<Feed, 'read'>, position: number, mark: string): Promise<boolean> {
  try {
    const [entry] = await feed.read(position - 1, 1);
    return entry?.position === position && markOf(entry) === mark;
  } catch (error) {
    if (isTrimmed(error)) return true;
    throw error;
  }
}

/** Returns whether a read failed because the database has gone back. */
export function isGoneBack(error: unknown): boolean {
  return isProductError(error, 'SERVER_FEED_GONE_BACK');
}

export interface FollowedFeed extends Pick<Feed, 'head' | 'read'> {
  /** Mark of the entry at a position that was read last; undefined if it is not known. */
  mark(position: number): string | undefined;
}

/** `read` throws SERVER_FEED_GONE_BACK where the feed does not go on from what was read before. */
export function followFeed(feed: Pick<Feed, 'head' | 'read'>): FollowedFeed {
  let known: { readonly position: number; readonly mark: string } | undefined;
  const note = (change: Change | undefined): void => {
    if (change !== undefined) known = { position: change.position, mark: markOf(change) };
  };
  const mark = (position: number): string | undefined => (known?.position === position ? known.mark : undefined);
  return {
    head: feed.head,
    mark,
    async read(after, limit = 500) {
      if (after === 0) {
        const changes = await feed.read(0, limit);
        note(changes.at(-1));
        return changes;
      }
      const found = await feed.read(after - 1, limit + 1).catch((error: unknown) => {
        if (isTrimmed(error)) return undefined;
        throw error;
      });
      // The entry may have been trimmed: then only a smaller head shows it.
      const changes = found ?? (await feed.read(after, limit));
      const [first] = changes;
      const isThere = first?.position === after;
      const expected = mark(after);
      const differs = isThere
        ? expected !== undefined && markOf(first) !== expected
        : expected !== undefined && found !== undefined;
      if (differs || (first === undefined && (await feed.head()) < after)) {
        // What is built again may come to the same position, where another entry is right.
        known = undefined;
        throw serverErrors.create('SERVER_FEED_GONE_BACK', { position: after });
      }
      note(changes.at(-1));
      return isThere ? changes.slice(1) : changes.slice(0, limit);
    },
  };
}
