// Builds an index in the background and swaps it for the current one in one step. Needed at first, after a mapping
// change, after the feed was trimmed past the index position, and on request.
import { last } from '@lockstitch/kernel';
import type { Feed } from '@lockstitch/graph';
import type { Engine, Index } from '@lockstitch/search';

import type { DocumentSource } from './document-source.ts';
import { applyBatch, type ApplyContext } from './apply-changes.ts';
import { ownershipCustom, type SchemaIndex } from './schema-index.ts';
import { logRejected, toOperation, writeDocuments } from './write-documents.ts';

/** Reports progress while an index is built. */
export type OnBuild = (event: { readonly index: string; readonly done: number; readonly total: number }) => void;

/** Documents per batch, as a multiple of the pace's size. */
const BATCH = 4;

export interface BuildContext {
  readonly engine: Engine;
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
  /** Called inside `exclusively` after the swap. */
  readonly adopt: (wanted: SchemaIndex, index: Index) => void;
}

/** Rebuilds an index. The current one, if any, serves searches until the new one has caught up. */
export async function buildIndex(context: BuildContext, wanted: SchemaIndex, onBuild: OnBuild): Promise<Index> {
  const { engine, feed, exclusively, applied, adopt } = context;
  const reader = feed.reader(`${context.readerName}/${wanted.name}`);
  // Read before the first document: changes made during the build are applied again after it.
  const start = await feed.head();
  await reader.advance(start);
  const index = await engine.createShadow(wanted.name, {
    mappings: wanted.mappings,
    // The feed survives a crash, so the index only has to know its position. It accepts every value of the database:
    // one value that does not fit its field would block all later changes.
    settings: { durability: 'async', refreshInterval: -1, takesAll: true },
    custom: ownershipCustom(wanted),
  });
  try {
    await fill(context, wanted, index, onBuild);
    await index.apply([], { position: start });
    const apply: ApplyContext = { ...context.apply, indexes: new Map([[wanted.type, index]]) };
    const catchUp = async (): Promise<void> => {
      while (index.position < applied()) await applyBatch(apply, index.position, context.signal);
    };
    // Catches up most of the way while others run, and the short rest exclusively.
    await catchUp();
    await index.commit();
    await exclusively(async () => {
      await catchUp();
      await index.refresh();
      await engine.replaceIndex(index);
      adopt(wanted, index);
    });
    return index;
  } catch (error) {
    // The error of the build matters; the next start deletes a shadow index that is left.
    await engine.discardShadow(index).catch(() => undefined);
    throw error;
  } finally {
    // The next build under this name moves a reader that is left.
    await reader.remove().catch(() => undefined);
  }
}

async function fill(
  { source, signal, apply: { log, pace } }: BuildContext,
  wanted: SchemaIndex,
  index: Index,
  onBuild: OnBuild,
): Promise<void> {
  const total = await source.count(wanted.type);
  let done = 0;
  let after: string | undefined;
  onBuild({ index: wanted.name, done, total });
  for (;;) {
    signal.throwIfAborted();
    const documents = await source.byRange(wanted.type, after, BATCH * pace.size);
    if (documents.length === 0) return;
    const rejected = await writeDocuments(
      index,
      documents.map((document) => toOperation(document.key, document)),
    );
    logRejected(log, index, rejected);
    done += documents.length;
    after = last(documents).key;
    onBuild({ index: wanted.name, done, total: Math.max(total, done) });
    await pace.rest();
  }
}
