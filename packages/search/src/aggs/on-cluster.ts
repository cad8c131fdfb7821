// What definitions of all sorts say, and the verdicts that several have in common: what a search cluster may be asked under a view.
import type { Json } from '../json/json.ts';
import { limited, refused, rewritten, type Verdict } from '../query/cluster/verdict.ts';

/** What every definition says. */
export interface AnyAggregation {
  /** What a search cluster may be asked of it. */
  readonly cluster: Verdict;
  /** A body besides `field` and `buckets_path`, of fields `n` (a number), `tag` (a keyword) and `at` (a date), for random requests. */
  readonly sample?: Json;
}

export const WITHHELD = 'where the field is withheld from some documents, in a filter of those that show it';
/** Reads one field. */
export const OF_FIELD: Verdict = rewritten(`itself; ${WITHHELD} and without missing`);
/** Sums what it reads of one field. */
export const OF_SUMS: Verdict = rewritten(
  `itself, with 12 digits of sums of fractions, as the others depend on the order of documents; ${WITHHELD} and without missing`,
);
export const OF_LENGTH: Verdict = limited(
  `those that have room for their buckets, the empty ones included, which is asked before; ${WITHHELD} and without missing`,
  'a cluster makes them all before it counts them',
);
export const OF_QUERIES: Verdict = rewritten('itself, with its queries rewritten');
/** Percents or values of one aggregation. Elasticsearch 7.10 takes half a millisecond for each, with 5 digits. */
export const MOST_PERCENTS = 100;
export const HDR_ONLY: Verdict = limited(
  `hdr with ${MOST_PERCENTS} percents or values at most (OpenSearch takes the value of the next rank, Elasticsearch of the nearest)`,
  'the digests of t-digest depend on the order in which documents are read, and a cluster reads all counts for each percent',
);
export const BY_FREQUENCY: Verdict = refused('it compares with frequencies of all documents');
export const SKETCH: Verdict = refused(
  'its approximation depends on the order in which documents are read, which writes of hidden documents change',
);
export const SAMPLE: Verdict = refused(
  'its documents depend on the order of the index, which writes of hidden documents change',
);
export const OF_BUCKETS: Verdict = refused(
  'its paths name aggregations, which the rewriting moves; compute it from the buckets',
);
export const OF_SKETCHES: Verdict = refused('it needs the sketches of the buckets, which are not part of an answer');
export const NOT_OPEN: Verdict = refused('OpenSearch has none, nor has the open part of Elasticsearch');
export const NOT_NESTED: Verdict = refused('no index of a schema has nested objects');
export const OF_SEVERAL_FIELDS: Verdict = refused(
  'it reads several fields, each of which may be withheld from other documents',
);
