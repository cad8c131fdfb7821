// The verdicts on what a search asks for besides its query and aggregations, whose definitions hold theirs: orders and the members of its body.
// docs/reference/cluster.md prints the tables.
import type { SortKey } from '../collect/search-request.ts';
import type { SearchBody } from '../search/search-body.ts';
import { limited, refused, rewritten, SAFE, type Verdict } from '../query/cluster/verdict.ts';

const ORDER = refused('its documents depend on the order of the index, which writes of hidden documents change');
export const SORT_VERDICTS: { readonly [Kind in SortKey['kind']]: Verdict } = {
  score: rewritten('itself, then the key of the document'),
  field: limited(
    'fields that are not withheld from some documents; then the key of the document',
    'documents that withhold a value would come where it belongs',
  ),
  geo_distance: limited(
    'fields that are not withheld from some documents; then the key of the document',
    'documents that withhold a place would come where it belongs',
  ),
  doc: rewritten('the key of the document'),
  id: rewritten('the key of the document'),
  key: rewritten('the key of the document, whole numbers padded'),
  constant: rewritten('the key of the document'),
};

const OUR_OWN = rewritten('done by the product, from the masked sources of the hits');

export const SEARCH_VERDICTS: { readonly [Member in keyof SearchBody]: Verdict } = {
  query: rewritten('as the table of queries says, under a filter of the visible documents'),
  postFilter: rewritten('as a query that filters'),
  aggregations: rewritten('as the table of aggregations says'),
  sort: rewritten('as the table of orders says'),
  from: SAFE,
  size: SAFE,
  trackScores: SAFE,
  trackTotalHits: SAFE,
  minScore: SAFE,
  searchAfter: SAFE,
  terminateAfter: ORDER,
  timeout: rewritten('a limit of the product; an answer of a part of the shards is an error, never a smaller answer'),
  highlight: OUR_OWN,
  fetch: OUR_OWN,
  suggest: refused('suggesters read the dictionary of all documents'),
  collapse: limited(
    'fields that are not withheld from some documents',
    'hits would be joined by values that they withhold',
  ),
  rescore: refused('which of equal hits its window holds depends on the order of the index'),
  indicesBoost: SAFE,
  pit: rewritten('a point in time of the product, over one of the cluster'),
  profile: refused('it counts hidden documents'),
  stats: rewritten('counted by the product'),
  slice: refused('slices follow the shards of the cluster'),
};
