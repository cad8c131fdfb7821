// Every endpoint: methods and path, the URL parameters it knows, and which handler answers it. Those about searches and documents are
// here, the others in `indices/index-routes.ts` and `cluster/cluster-routes.ts`.
import { byQuery, parseByQuery } from './documents/by-query.ts';
import { reindex } from './documents/reindex.ts';
import { createIndexHandler, deleteIndex, getIndex, indexExists } from './indices/index-handlers.ts';
import { info } from './cluster/cluster-handlers.ts';
import type { Identity } from './cluster/identity.ts';
import { bulk } from './documents/bulk-handlers.ts';
import { deleteDocument, indexDocument } from './documents/document-handlers.ts';
import { resize } from './indices/resize.ts';
import { searchShards } from './indices/shard-handlers.ts';
import { getDocument, getSource, multiGet } from './documents/get-handlers.ts';
import { multiTermVectors, TERM_VECTOR_PARAMS, termVectors } from './documents/term-vectors.ts';
import { updateDocument } from './documents/update-handlers.ts';
import { analyze } from './search/analyze-handler.ts';
import {
  clearScroll,
  closePointInTime,
  createPit,
  deletePits,
  openPointInTime,
  scrollOn,
} from './search/cursor-handlers.ts';
import { count, parseQueryAlone, parseSearch, search } from './search/search-handlers.ts';
import { explain, validateQuery } from './search/query-handlers.ts';
import { fieldCaps } from './search/field-caps.ts';
import { multiSearch, parseMultiSearch } from './search/multi-search.ts';
import type { SearchState } from './request/search-state.ts';
import { type Add, parsing, readingBody } from './request/route.ts';
import {
  ACKNOWLEDGED,
  BULK,
  BY_QUERY,
  DELETE,
  EXPAND,
  LOCAL,
  QUERY,
  READ,
  READ_MANY,
  READ_SOURCE,
  SEARCH,
  SOURCE,
  UPDATE,
  WRITE,
} from './request/route-params.ts';
import { addClusterRoutes } from './cluster/cluster-routes.ts';
import { addIndexRoutes } from './indices/index-routes.ts';

/** Adds every endpoint; of two that fit a path the one added first answers. */
export function addRoutes(add: Add, state: SearchState, identity: Identity): void {
  add('GET HEAD', '/', [], () => info(identity));

  add(
    'GET POST',
    ['/_search', '/{index}/_search', '/{index}/{type}/_search'],
    SEARCH,
    parsing(
      (call) => parseSearch(state, call),
      (call) => search(state, call),
    ),
  );
  add(
    'GET POST',
    ['/_search/scroll', '/_search/scroll/{scroll_id}'],
    ['scroll', 'scroll_id', 'rest_total_hits_as_int', 'typed_keys'],
    (call) => scrollOn(state, call),
  );
  add('DELETE', ['/_search/scroll', '/_search/scroll/{scroll_id}'], ['scroll_id'], (call) => clearScroll(state, call));
  add('POST', '/{index}/_pit', ['keep_alive', 'routing', 'preference', ...EXPAND], (call) =>
    openPointInTime(state, call),
  );
  add('DELETE', '/_pit', [], (call) => closePointInTime(state, call));
  // OpenSearch's client has them by other names.
  add('POST', '/{index}/_search/point_in_time', ['keep_alive', 'routing', 'preference', ...EXPAND], (call) =>
    createPit(state, call),
  );
  add('DELETE', '/_search/point_in_time', [], (call) => deletePits(state, call));
  add(
    'GET POST',
    ['/_count', '/{index}/_count', '/{index}/{type}/_count'],
    [...EXPAND, ...QUERY, 'min_score', 'routing', 'preference', 'terminate_after'],
    parsing(
      (call) => parseQueryAlone(state, call),
      (call) => count(state, call),
    ),
  );
  add(
    'GET POST',
    ['/_msearch', '/{index}/_msearch', '/{index}/{type}/_msearch'],
    [
      'rest_total_hits_as_int',
      'typed_keys',
      'max_concurrent_searches',
      'max_concurrent_shard_requests',
      'pre_filter_shard_size',
      'search_type',
      'ccs_minimize_roundtrips',
      ...EXPAND,
    ],
    parsing(
      (call) => parseMultiSearch(state, call),
      readingBody((call) => multiSearch(state, call)),
    ),
  );
  add(
    'GET POST',
    ['/_validate/query', '/{index}/_validate/query', '/{index}/{type}/_validate/query'],
    [...EXPAND, ...QUERY, 'explain', 'rewrite', 'all_shards'],
    (call) => validateQuery(state, call),
  );
  add(
    'GET POST',
    ['/{index}/_explain/{id}', '/{index}/{type}/{id}/_explain'],
    [...QUERY, ...SOURCE, 'routing', 'preference'],
    parsing(
      (call) => parseQueryAlone(state, call),
      (call) => explain(state, call),
    ),
  );
  add(
    'GET POST',
    [
      '/{index}/_termvectors',
      '/{index}/_termvectors/{id}',
      '/{index}/{type}/_termvectors',
      '/{index}/{type}/{id}/_termvectors',
    ],
    TERM_VECTOR_PARAMS,
    (call) => termVectors(state, call),
  );
  add(
    'GET POST',
    ['/_mtermvectors', '/{index}/_mtermvectors', '/{index}/{type}/_mtermvectors'],
    ['ids', ...TERM_VECTOR_PARAMS],
    (call) => multiTermVectors(state, call),
  );
  add(
    'GET POST',
    ['/_search_shards', '/{index}/_search_shards'],
    ['preference', 'routing', 'local', ...EXPAND],
    (call) => searchShards(call.engine, call),
  );
  add('GET POST', ['/_field_caps', '/{index}/_field_caps'], ['fields', 'include_unmapped', ...EXPAND], (call) =>
    fieldCaps(state, call),
  );
  add(
    'GET POST',
    ['/_analyze', '/{index}/_analyze'],
    ['index'],
    readingBody((call) => analyze(call)),
  );

  add(
    'PUT POST',
    ['/_bulk', '/{index}/_bulk', '/{index}/{type}/_bulk'],
    BULK,
    readingBody((call) => bulk(call.engine, call, state.maxBulkOperations)),
  );
  add('GET POST', ['/_mget', '/{index}/_mget', '/{index}/{type}/_mget'], READ_MANY, (call) =>
    multiGet(call.engine, call),
  );
  add(
    'PUT POST',
    ['/{index}/_create/{id}', '/{index}/{type}/{id}/_create'],
    WRITE,
    readingBody((call) => indexDocument(call.engine, call)),
    { create: 'true' },
  );
  add('POST', ['/{index}/_update/{id}', '/{index}/{type}/{id}/_update'], UPDATE, (call) =>
    updateDocument(call.engine, call),
  );
  add('GET HEAD', ['/{index}/_source/{id}', '/{index}/{type}/{id}/_source'], READ_SOURCE, (call) =>
    getSource(call.engine, call),
  );
  add(
    'POST',
    '/{index}/_delete_by_query',
    BY_QUERY,
    parsing(
      (call) => parseByQuery('delete')(state, call),
      (call) =>
        state.tasks.run(
          call,
          'indices:data/write/delete/byquery',
          `delete-by-query [${call.path['index']}]`,
          (own, pace) => byQuery('delete')(state, own, pace),
        ),
    ),
  );
  add(
    'POST',
    '/{index}/_update_by_query',
    [...BY_QUERY, 'pipeline'],
    parsing(
      (call) => parseByQuery('update')(state, call),
      (call) =>
        state.tasks.run(
          call,
          'indices:data/write/update/byquery',
          `update-by-query [${call.path['index']}]`,
          (own, pace) => byQuery('update')(state, own, pace),
        ),
    ),
  );
  for (const kind of ['clone', 'shrink', 'split'] as const) {
    add(
      'PUT POST',
      `/{index}/_${kind}/{target}`,
      ['copy_settings', 'wait_for_active_shards', ...ACKNOWLEDGED],
      (call) => resize(kind, call.engine, state, call),
    );
  }
  add(
    'POST',
    '/_reindex',
    [
      'refresh',
      'wait_for_completion',
      'max_docs',
      'scroll',
      'slices',
      'requests_per_second',
      'timeout',
      'wait_for_active_shards',
      'require_alias',
    ],
    (call) => state.tasks.run(call, 'indices:data/write/reindex', 'reindex', (own, pace) => reindex(state, own, pace)),
  );
  add(
    'GET',
    '/_tasks',
    ['actions', 'detailed', 'group_by', 'nodes', 'parent_task_id', 'wait_for_completion', 'timeout'],
    (call) => state.tasks.list(call),
  );
  for (const kind of ['_reindex', '_update_by_query', '_delete_by_query'])
    add('POST', `/${kind}/{task_id}/_rethrottle`, ['requests_per_second', 'group_by'], (call) =>
      state.tasks.rethrottle(call),
    );
  add(
    'POST',
    ['/_tasks/_cancel', '/_tasks/{task_id}/_cancel'],
    ['actions', 'nodes', 'parent_task_id', 'group_by', 'wait_for_completion'],
    (call) => state.tasks.cancel(call),
  );
  add('GET', '/_tasks/{task_id}', ['wait_for_completion', 'timeout'], (call) => state.tasks.get(call));

  addIndexRoutes(add);
  addClusterRoutes(add, identity, state.tasks);

  add('PUT', '/{index}', ['include_type_name', 'wait_for_active_shards', ...ACKNOWLEDGED], (call) =>
    createIndexHandler(call.engine, call),
  );
  add('GET', '/{index}', ['include_type_name', 'flat_settings', 'include_defaults', ...EXPAND, ...LOCAL], (call) =>
    getIndex(call.engine, call),
  );
  add('HEAD', '/{index}', ['include_type_name', 'flat_settings', 'include_defaults', ...EXPAND, ...LOCAL], (call) =>
    indexExists(call.engine, call),
  );
  add('DELETE', '/{index}', [...EXPAND, ...ACKNOWLEDGED], (call) => deleteIndex(call.engine, call));

  add(
    'PUT POST',
    '/{index}/{type}/{id}',
    WRITE,
    readingBody((call) => indexDocument(call.engine, call)),
  );
  add(
    'POST',
    '/{index}/{type}',
    WRITE,
    readingBody((call) => indexDocument(call.engine, call)),
  );
  add('GET HEAD', '/{index}/{type}/{id}', READ, (call) => getDocument(call.engine, call));
  add('DELETE', '/{index}/{type}/{id}', DELETE, (call) => deleteDocument(call.engine, call));
}
