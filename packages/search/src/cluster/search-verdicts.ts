// The verdicts on what a search asks for besides its query and aggregations, whose definitions hold theirs: orders and the members of its body.
// docs/reference/cluster.md prints the tables, and refusals give their reasons.
import type { SortKey } from '../collect/search-request.ts';
import type { SearchBody } from '../search/search-body.ts';
import { limited, refused, rewritten, SAFE, type Verdict } from '../query/cluster/verdict.ts';

const ORDER = refused('its documents depend on the order of the index, which writes of hidden documents change');
const KEY = rewritten('the key of the document');
export const SORT_VERDICTS: { readonly [Kind in SortKey['kind']]: Verdict } = {
  score: rewritten('itself, then the key of the document'),
  field: limited(
    'fields that are not withheld from some documents; then the key of the document',
    'documents that withhold a value would come where it belongs',
  ),
  geo_distance: limited(
    'fields that are not withheld from some documents, and no search_after; then the key of the document',
    'documents that withhold a place would come where it belongs, and engines round distances in different ways',
  ),
  doc: KEY,
  id: KEY,
  key: rewritten('the key of the document, whole numbers by their size'),
  constant: rewritten('the key of the document, whole numbers by their size'),
};

const OUR_OWN = rewritten('done by the product, from the masked sources of the hits');

export const SEARCH_VERDICTS: { readonly [Member in keyof SearchBody]: Verdict } = {
  query: rewritten('as the table of queries says, under a filter of the visible documents'),
  postFilter: rewritten('as a query that filters'),
  aggregations: limited(
    'searches of one index, without typed_keys',
    'the buckets of several would have to be joined here; ask for each index in a request of its own',
  ),
  sort: rewritten('as the table of orders says'),
  from: SAFE,
  size: SAFE,
  trackScores: SAFE,
  trackTotalHits: SAFE,
  minScore: SAFE,
  searchAfter: limited('values that a double holds', 'a cluster compares whole numbers from 2^53 on to the last digit'),
  terminateAfter: ORDER,
  timeout: rewritten('a limit of the product; an answer of a part of the shards is an error, never a smaller answer'),
  highlight: OUR_OWN,
  fetch: limited(
    'what it shows of documents; not explain',
    'it is done by the product, from the masked sources of the hits, which say nothing of scores',
  ),
  suggest: refused('suggesters read the dictionary of all documents'),
  collapse: limited(
    'searches of one index, by fields that are not withheld from some documents, without inner_hits',
    'hits would be joined by values that they withhold, and groups are searches of their own',
  ),
  rescore: refused('which of equal hits its window holds depends on the order of the index'),
  indicesBoost: SAFE,
  pit: limited('clusters that have points in time', 'the open part of Elasticsearch 7.10 has none; ask for a scroll'),
  profile: refused('it counts hidden documents'),
  stats: rewritten('counted by the product'),
  slice: refused('slices follow the shards of the cluster'),
};
