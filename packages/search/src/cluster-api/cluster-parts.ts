// What the REST API over a search cluster is given.
import type { Clock, Log } from '@lockstitch/kernel';
import type { ScoreMode } from '../cluster/cluster-index.ts';
import type { AskCluster } from '../cluster/whole-answer.ts';
import type { IndexDefinition } from '../settings/index-definition.ts';

/** Why an index cannot be searched, and what to do. */
export interface Absence {
  readonly reason: string;
  readonly hint: string;
}

/** An index that lies on the cluster. */
export interface ClusterIndexInfo {
  /** The name that clients know. */
  readonly name: string;
  /** What is searched on the cluster; undefined while there is nothing that may be. */
  readonly alias: string | undefined;
  /** Why there is nothing, where that is known. */
  readonly absence?: Absence | undefined;
  /** As the embedded engine has it; the same object as long as it does not change. */
  readonly definition: IndexDefinition;
  readonly mode: ScoreMode;
  /** Changes once a refresh has made changes searchable: statistics of scores are kept for as long as it stays. */
  readonly position: number | string;
}

export interface ClusterApiParts {
  readonly ask: AskCluster;
  /** The value of `search.engine`; errors name it. */
  readonly engine: 'elasticsearch' | 'opensearch';
  /** The indexes of the schema, now. */
  readonly indexes: () => readonly ClusterIndexInfo[];
  /** Milliseconds that one search may take; 10,000 by default. */
  readonly maxSearchTime?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}
