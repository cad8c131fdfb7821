// Fills an index from the data beside the one that answers, and puts it in that one's place in one step: the first time,
// when the mapping has changed, when the feed no longer reaches back to where the index stands, and when somebody asks.
import type { Feed } from '@lockstitch/graph';
import type { Engine, Index } from '@lockstitch/search';

import type { DocumentSource } from './document-source.ts';
import { applyNext, type FollowContext } from './follow-feed.ts';
import { ownershipCustom, type SchemaIndex } from './schema-index.ts';
import { logLeftOut, toOperation, writeDocuments } from './write-documents.ts';

/** Told while an index is built. */
export type OnBuild = (event: { readonly index: string; readonly done: number; readonly total: number }) => void;

/** Documents read and written at a time, for each of a batch of the feed's. */
const BATCH = 4;

/** What building needs. */
export interface BuildContext {
  readonly engine: Engine;
  readonly feed: Feed;
  readonly source: DocumentSource;
  readonly follow: FollowContext;
  /** Name under which the feed is kept for the build. */
  readonly readerName: string;
  readonly signal: AbortSignal;
  /** Runs work while nothing else is applied. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  /** How far the indexes that answer have come; the new one may not be behind it. */
  readonly applied: () => number;
  /** Told, within the exclusive work, that the index has taken its place. */
  readonly adopt: (wanted: SchemaIndex, index: Index) => void;
}

/** Builds an index anew. The former one, if any, answers until the new one has caught up with it. */
export async function buildIndex(context: BuildContext, wanted: SchemaIndex, onBuild: OnBuild): Promise<Index> {
  const { engine, feed, exclusively, applied, adopt } = context;
  const reader = feed.reader(`${context.readerName}/${wanted.name}`);
  // Before the first document is read: what changes meanwhile is applied again after it.
  const start = await feed.head();
  await reader.advance(start);
  const index = await engine.createShadow(wanted.name, {
    mappings: wanted.mappings,
    // The feed is what survives a crash; the index only has to know how far it had come.
    // Nor does it refuse what the database holds: one value that does not fit its field would hold up all that follows.
    settings: { durability: 'async', refreshInterval: -1, takesAll: true },
    custom: ownershipCustom(wanted),
  });
  try {
    await fill(context, wanted, index, onBuild);
    await index.apply([], { position: start });
    const follow: FollowContext = { ...context.follow, indexes: new Map([[wanted.type, index]]) };
    const catchUp = async (): Promise<void> => {
      while (index.position < applied()) await applyNext(follow, index.position, context.signal);
    };
    // Most of it while others go on; the rest, which is little then, while they wait.
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
    await engine.discardShadow(index).catch(() => undefined);
    throw error;
  } finally {
    await reader.remove().catch(() => undefined);
  }
}

async function fill(
  { source, signal, follow: { log, pace } }: BuildContext,
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
    const leftOut = await writeDocuments(
      index,
      documents.map((document) => toOperation(document.key, document)),
    );
    logLeftOut(log, index, leftOut);
    done += documents.length;
    after = documents.at(-1)!.key;
    onBuild({ index: wanted.name, done, total: Math.max(total, done) });
    await pace.rest();
  }
}
