// Status of the schema's indexes, and how far they lag behind the data.
import { reasonOf } from '@lockstitch/kernel';
import type { Backlog, Feed, Sequencer } from '@lockstitch/graph';
import type { Engine } from '@lockstitch/search';

import { describeAhead } from './lost-changes.ts';
import { isCurrent, type SchemaIndex } from './schema-index.ts';
import { ageOf } from './feed-position.ts';
import type { BuildProgress } from './index-rebuilder.ts';
import { LATE, within } from '../within.ts';

export interface IndexStatus {
  readonly name: string;
  readonly type: string;
  readonly documents: number;
  /** On disk; in memory for an in-memory index. */
  readonly bytes: number;
  /**
   * `rebuilding`: follows the feed while a new index is built. `stale`: serves the index of the former schema, which follows the feed
   * too, until a new one is built. `missing`: nothing may be searched. In a stopped server, the next start builds `outdated` and `missing`
   * indexes.
   */
  readonly state: 'current' | 'rebuilding' | 'stale' | 'outdated' | 'missing';
  /** While this process builds it. */
  readonly building?: BuildProgress | undefined;
  /** On a search cluster: the definition of the index, and whether this server writes to it. */
  readonly leadership?: { readonly definition: string; readonly leads: boolean };
}

export interface SyncStatus {
  readonly indexes: readonly IndexStatus[];
  /** Latest position of the feed, or the latest known one if the database does not respond. */
  readonly head: number;
  /** Position up to which everything is searchable. */
  readonly position: number;
  /** Position up to which everything is on disk. */
  readonly committed: number;
  /** Number of changes that are not searchable yet. */
  readonly lag: number;
  /** Age of the oldest change that is not searchable yet. */
  readonly lagSeconds: number;
  /** Rows written by others that are not in the feed yet, part of `lag`; at most 10,001. */
  readonly outbox: number;
  /** Current failure of applying, committing or asking the database; retried. */
  readonly trouble: string | undefined;
}

export interface StatusParts {
  readonly engine: Engine;
  readonly feed: Feed;
  readonly wanted: readonly SchemaIndex[];
  readonly sequencer: Sequencer | undefined;
  /** Types whose index has to be built. */
  readonly stale: ReadonlySet<string>;
  /** Whether an index is there that must not be searched. */
  readonly isWithheld: (index: SchemaIndex) => boolean;
  readonly isRebuilding: (index: SchemaIndex) => boolean;
  readonly progress: (index: SchemaIndex) => BuildProgress | undefined;
}

/** Progress of the indexes of a running server. */
export interface Reached extends Pick<SyncStatus, 'position' | 'committed'> {
  /** Latest applied position, searchable or not. */
  readonly applied: number;
}

type KnownHead = Pick<SyncStatus, 'head' | 'trouble'>;

/** Time limit for asking the database for the head of the feed. */
const HEAD_WAIT_MS = 2000;

/**
 * Reads the status. `reached` is undefined before the start: then only the state on disk is known, and the database
 * must respond.
 */
export async function readStatus(parts: StatusParts, reached: Reached | undefined): Promise<SyncStatus> {
  const { engine, feed, wanted, sequencer } = parts;
  const { head, trouble } =
    reached === undefined ? compareWithDisk(parts, await feed.head()) : await findHead(feed, reached);
  const position = reached?.position ?? Math.min(head, ...wanted.map((index) => positionOnDisk(engine, index)));
  return {
    indexes: wanted.map((index) => {
      const stats = engine.has(index.name) ? engine.index(index.name).stats() : undefined;
      const { docs: documents = 0, bytes = 0 } = stats ?? {};
      const state = stateOf(parts, index);
      return { name: index.name, type: index.type, documents, bytes, state, building: parts.progress(index) };
    }),
    position,
    committed: reached?.committed ?? position,
    ...(await readLag({ feed, sequencer, hasIndexes: wanted.length > 0 }, { head, trouble }, position)),
  };
}

export interface LagParts extends Pick<StatusParts, 'feed' | 'sequencer'> {
  readonly hasIndexes: boolean;
}

/** How far a position lags behind the data. */
export async function readLag(
  { feed, sequencer, hasIndexes }: LagParts,
  { head, trouble }: KnownHead,
  position: number,
): Promise<Pick<SyncStatus, 'head' | 'lag' | 'lagSeconds' | 'outbox' | 'trouble'>> {
  const outbox = trouble === undefined ? await readBacklog(sequencer) : EMPTY;
  const behind = hasIndexes ? Math.max(0, head - position) : 0;
  const age = behind === 0 || trouble !== undefined ? 0 : await ageOf(feed, position);
  return {
    head,
    lag: behind + outbox.rows,
    lagSeconds: Math.max(age, outbox.seconds),
    outbox: outbox.rows,
    trouble: trouble ?? sequencer?.trouble,
  };
}

const EMPTY: Backlog = { rows: 0, seconds: 0 };

/** Empty if the database does not respond in time: the rest of the status matters then. */
async function readBacklog(sequencer: Sequencer | undefined): Promise<Backlog> {
  if (sequencer === undefined) return EMPTY;
  const backlog = await within(sequencer.backlog(), HEAD_WAIT_MS).catch((): typeof LATE => LATE);
  return backlog === LATE ? EMPTY : backlog;
}

/** Operators need the status most when the database is down, so report everything else. */
export async function findHead(feed: Feed, { applied, position }: Omit<Reached, 'committed'>): Promise<KnownHead> {
  const known = Math.max(applied, position);
  try {
    const head = await within(feed.head(), HEAD_WAIT_MS);
    return head === LATE ? { head: known, trouble: 'The database does not answer.' } : { head, trouble: undefined };
  } catch (error) {
    return { head: known, trouble: reasonOf(error) };
  }
}

/** If several indexes are ahead of the database, name the first. */
function compareWithDisk({ engine, wanted }: StatusParts, head: number): KnownHead {
  const ahead = wanted.find((index) => positionOnDisk(engine, index) > head);
  if (ahead === undefined) return { head, trouble: undefined };
  const indexPosition = positionOnDisk(engine, ahead);
  return { head, trouble: describeAhead({ index: ahead.name, indexPosition, databasePosition: head }) };
}

function positionOnDisk(engine: Engine, { name }: SchemaIndex): number {
  return engine.has(name) ? engine.index(name).position : 0;
}

function stateOf({ engine, isRebuilding, isWithheld, stale }: StatusParts, index: SchemaIndex): IndexStatus['state'] {
  if (!engine.has(index.name) || isWithheld(index)) return 'missing';
  if (stale.has(index.type)) return 'stale';
  if (isRebuilding(index)) return 'rebuilding';
  return isCurrent(engine, index) ? 'current' : 'outdated';
}
