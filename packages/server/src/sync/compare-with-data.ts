// Verifies an index that follows the feed: what only waits to be applied is no difference.
import type { Graph } from '@lockstitch/graph';

import { serverErrors } from '../errors.ts';
import type { ApplyContext } from './apply-changes.ts';
import type { FeedCursor } from './feed-cursor.ts';
import type { IndexTarget } from './index-target.ts';
import type { SchemaIndex } from './schema-index.ts';
import { type VerifyOptions, type VerifyReport, verifyIndex } from './verify-index.ts';

export interface FollowedIndexes {
  readonly apply: ApplyContext;
  readonly cursor: FeedCursor;
  readonly sequencer: Graph['sequencer'];
  /** Makes applied changes searchable. */
  readonly refresh: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Compares an index with the data, and repairs it if asked to. @throws ProductError SERVER_INDEX_BUSY where it is being built */
export async function compareWithData(
  { apply, cursor, refresh, sequencer, signal }: FollowedIndexes,
  wanted: SchemaIndex,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const index = (): IndexTarget => {
    const found = apply.indexes.get(wanted.type);
    if (found === undefined) throw serverErrors.create('SERVER_INDEX_BUSY', { index: wanted.name, now: 'rebuilding' });
    return found;
  };
  const { caughtUp } = cursor;
  await sequencer?.catchUp();
  await caughtUp(() => Promise.resolve());
  await refresh();
  const { dependencyPaths, feed, source } = apply;
  const applied = (): number => cursor.position;
  const report = await verifyIndex(
    { feed, source, dependencyPaths, index, caughtUp, signal, applied },
    wanted,
    options,
  );
  if (report.mended > 0) {
    await refresh();
    await index().commit();
  }
  return report;
}
