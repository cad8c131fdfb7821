// How the indexes of the schema stand, and how far what is searchable lies behind the data.
import type { Feed } from '@lockstitch/graph';
import type { Engine } from '@lockstitch/search';

import { describeAhead } from './lost-changes.ts';
import { isCurrent, type SchemaIndex } from './schema-index.ts';
import { ageOf } from './wait-for-more.ts';
import { LATE, within } from '../within.ts';

/** How one index stands. */
export interface IndexStatus {
  readonly name: string;
  readonly type: string;
  readonly documents: number;
  /** On disk; in memory for an index that is kept there. */
  readonly bytes: number;
  /**
   * `rebuilding`: it follows the data while its successor is built; `stale`: it answers as the data was before the schema
   * changed until its successor is built. Where nothing runs: `outdated` and `missing` are built by the next start.
   */
  readonly state: 'current' | 'rebuilding' | 'stale' | 'outdated' | 'missing';
}

/** How the indexes stand. */
export interface SyncStatus {
  readonly indexes: readonly IndexStatus[];
  /** Newest position of the feed; the newest that is known while the database does not tell. */
  readonly head: number;
  /** Position up to which everything is searchable. */
  readonly position: number;
  /** Position up to which everything is on disk. */
  readonly committed: number;
  /** Changes not searchable yet. */
  readonly lag: number;
  /** Age of the oldest change that is not searchable yet. */
  readonly lagSeconds: number;
  /** Why following or committing fails for now, or why the database does not tell; it is tried again. */
  readonly trouble: string | undefined;
}

/** Whose status it is. */
export interface StatusParts {
  readonly engine: Engine;
  readonly feed: Feed;
  readonly wanted: readonly SchemaIndex[];
  /** Types whose index follows no more. */
  readonly stale: ReadonlySet<string>;
  readonly isRebuilding: (index: SchemaIndex) => boolean;
}

/** How far the indexes of a running server have come. */
export interface Reached extends Pick<SyncStatus, 'position' | 'committed'> {
  /** The newest that has been applied, searchable or not. */
  readonly applied: number;
}

type KnownHead = Pick<SyncStatus, 'head' | 'trouble'>;

/** How long the database may take to tell where the feed ends. */
const HEAD_WAIT_MS = 2000;

/** Reads it; `reached` is undefined before the start, when only what is on disk is known and nothing without the database. */
export async function readStatus(parts: StatusParts, reached: Reached | undefined): Promise<SyncStatus> {
  const { engine, feed, wanted } = parts;
  const { head, trouble } =
    reached === undefined ? compareWithDisk(parts, await feed.head()) : await findHead(feed, reached);
  const position = reached?.position ?? Math.min(head, ...wanted.map((index) => positionOnDisk(engine, index)));
  const lag = wanted.length === 0 ? 0 : Math.max(0, head - position);
  return {
    indexes: wanted.map((index) => {
      const stats = engine.has(index.name) ? engine.index(index.name).stats() : undefined;
      const { docs: documents = 0, bytes = 0 } = stats ?? {};
      return { name: index.name, type: index.type, documents, bytes, state: stateOf(parts, index) };
    }),
    head,
    position,
    committed: reached?.committed ?? position,
    lag,
    lagSeconds: lag === 0 || trouble !== undefined ? 0 : await ageOf(feed, position),
    trouble,
  };
}

/** An operator asks most when the database is away: what else is known must reach him. */
async function findHead(feed: Feed, { applied, position }: Reached): Promise<KnownHead> {
  const known = Math.max(applied, position);
  try {
    const head = await within(feed.head(), HEAD_WAIT_MS);
    return head === LATE ? { head: known, trouble: 'The database does not answer.' } : { head, trouble: undefined };
  } catch (error) {
    return { head: known, trouble: error instanceof Error ? error.message : String(error) };
  }
}

/** Of two indexes that are ahead of the database the first is named. */
function compareWithDisk({ engine, wanted }: StatusParts, head: number): KnownHead {
  const ahead = wanted.find((index) => positionOnDisk(engine, index) > head);
  if (ahead === undefined) return { head, trouble: undefined };
  const indexPosition = positionOnDisk(engine, ahead);
  return { head, trouble: describeAhead({ index: ahead.name, indexPosition, databasePosition: head }) };
}

function positionOnDisk(engine: Engine, { name }: SchemaIndex): number {
  return engine.has(name) ? engine.index(name).position : 0;
}

function stateOf({ engine, isRebuilding, stale }: StatusParts, index: SchemaIndex): IndexStatus['state'] {
  if (!engine.has(index.name)) return 'missing';
  if (stale.has(index.type)) return 'stale';
  if (isRebuilding(index)) return 'rebuilding';
  return isCurrent(engine, index) ? 'current' : 'outdated';
}
