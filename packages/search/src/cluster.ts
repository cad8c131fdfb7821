// Public names of searches on a cluster: the shape of an index there, the REST API over it, and searches under a view.
// Before all others: it stops a Node that is too old.
import '@lockstitch/kernel';

export { clusterIndex, KEY_FIELD, keyMembers, SCORE_MODES, type ScoreMode } from './cluster/cluster-index.ts';
export { ClusterSearcher } from './cluster/cluster-search.ts';
export { type AskCluster, bucketLimitOf } from './cluster/whole-answer.ts';
export { type ClusterApi, createClusterApi } from './cluster-api/cluster-api.ts';
export type { Absence, ClusterApiParts, ClusterIndexInfo } from './cluster-api/cluster-parts.ts';
