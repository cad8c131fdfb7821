// Public names of the compiler for search clusters: the shape of an index there, and searches under a view.
// Before all others: it stops a Node that is too old.
import '@lockstitch/kernel';

export { clusterIndex, KEY_FIELD, SCORE_MODES, type ScoreMode } from './cluster-index.ts';
export { ClusterSearcher } from './cluster-search.ts';
