// Builds an index in the background and swaps it for the current one in one step. Needed at first, after a mapping
// change, after the feed was trimmed past the index position, and on request.
import { last } from '@lockstitch/kernel';
import type { Feed } from '@lockstitch/graph';

import type { DocumentSource, SourceDocument } from './document-source.ts';
import { applyBatch, type ApplyContext } from './apply-changes.ts';
import type { SchemaIndex } from './schema-index.ts';
import type { IndexTarget } from './index-target.ts';
import { SideBySide } from './side-by-side.ts';
import { logRejected, toOperation } from './write-documents.ts';

/** Reports progress while an index is built. */
export type OnBuild = (event: { readonly index: string; readonly done: number; readonly total: number }) => void;

/** Documents per batch, as a multiple of the pace's size. */
const BATCH = 4;

/** Documents of a batch for an index elsewhere, and bytes of one. */
const SMALLEST = 25;
const LARGEST = 1000;
const REQUEST = 4 * 2 ** 20;

/** How an index is built beside the current one. */
export interface ShadowIndexes<Target extends IndexTarget> {
  create(wanted: SchemaIndex): Promise<Target>;
  /** Called once it has caught up most of the way, while others run. */
  settle(index: Target): Promise<void>;
  /** Makes what was written searchable, and the index the current one. Called while nothing else is applied. */
  publish(wanted: SchemaIndex, index: Target): Promise<void>;
  discard(index: Target): Promise<void>;
}

export interface BuildContext<Target extends IndexTarget> {
  readonly shadows: ShadowIndexes<Target>;
  readonly feed: Feed;
  readonly source: DocumentSource;
  readonly apply: ApplyContext;
  /** Reader name that keeps the feed during the build. */
  readonly readerName: string;
  readonly signal: AbortSignal;
  /** Runs work while nothing else is applied. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** Position of the current indexes. The new index must not be behind it. */
  readonly applied: () => number;
}

/** Rebuilds an index. The current one, if any, serves searches until the new one has caught up. */
export async function buildIndex<Target extends IndexTarget>(
  context: BuildContext<Target>,
  wanted: SchemaIndex,
  onBuild: OnBuild,
): Promise<Target> {
  const { feed, exclusively, applied, shadows } = context;
  const reader = feed.reader(`${context.readerName}/${wanted.name}`);
  // Read before the first document: changes made during the build are applied again after it.
  const start = await feed.head();
  await reader.advance(start);
  try {
    const index = await shadows.create(wanted);
    try {
      await fill(context, wanted, index, onBuild);
      await index.reach(start);
      const apply: ApplyContext = { ...context.apply, indexes: new Map([[wanted.type, index]]) };
      const catchUp = async (): Promise<void> => {
        while (index.position < applied()) await applyBatch(apply, index.position, context.signal);
      };
      // Catches up most of the way while others run, and the short rest exclusively.
      await catchUp();
      await shadows.settle(index);
      await exclusively(async () => {
        await catchUp();
        await shadows.publish(wanted, index);
      });
      return index;
    } catch (error) {
      // The error of the build matters; the next start deletes a shadow index that is left.
      await shadows.discard(index).catch(() => undefined);
      throw error;
    }
  } finally {
    // The next build under this name moves a reader that is left.
    await reader.remove().catch(() => undefined);
  }
}

/** Writes every document of the data. Documents are read while others are written, where the index takes them side by side. */
async function fill(
  { source, signal, apply: { log, pace } }: Pick<BuildContext<never>, 'apply' | 'signal' | 'source'>,
  wanted: SchemaIndex,
  index: IndexTarget,
  onBuild: OnBuild,
): Promise<void> {
  const total = await source.count(wanted.type);
  const writes = new SideBySide(index.writesAtOnce);
  let size = BATCH * pace.size;
  let done = 0;
  let after: string | undefined;
  onBuild({ index: wanted.name, done, total });
  try {
    for (;;) {
      signal.throwIfAborted();
      const version = await index.version();
      const documents = await source.byRange(wanted.type, after, size);
      if (documents.length === 0) break;
      after = last(documents).key;
      // What is written elsewhere costs this thread little: requests of a size that clusters like, however large documents are.
      if (index.writesAtOnce > 1)
        size = Math.max(SMALLEST, Math.min(LARGEST, Math.floor(REQUEST / meanBytes(documents))));
      await writes.add(async () => {
        const operations = documents.map((document) => toOperation(document.key, document));
        logRejected(log, index, await index.write(operations, version));
        done += documents.length;
        onBuild({ index: wanted.name, done, total: Math.max(total, done) });
      });
      await pace.rest();
    }
  } catch (error) {
    // What is under way must not outlive a build that fails, and its errors come after the one that ended it.
    await writes.ended().catch(() => undefined);
    throw error;
  }
  await writes.ended();
}

function meanBytes(documents: readonly SourceDocument[]): number {
  return documents.reduce((sum, { source }) => sum + source.length, 0) / documents.length;
}
