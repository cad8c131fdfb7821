// Every endpoint: methods and path, the URL parameters it knows, and which handler answers it.
import { aliasExists, deleteAlias, getAlias, putAlias, updateAliases } from './alias-handlers.ts';
import { byQuery } from './by-query.ts';
import { reindex } from './reindex.ts';
import {
  closeIndex,
  createIndexHandler,
  deleteIndex,
  getIndex,
  getSettings,
  indexExists,
  openIndex,
  putSettings,
} from './index-handlers.ts';
import { getFieldMapping, getMapping, putMapping, typeExists } from './mapping-handlers.ts';
import { catMaster, catNodes, catShards, catTemplates, nodesInfo, nodesStats } from './node-handlers.ts';
import { forEachIndex, stats } from './stats-handlers.ts';
import { catAliases, catCount, catHealth, catIndices } from './cat-handlers.ts';
import {
  getClusterSettings,
  health,
  type Identity,
  info,
  putClusterSettings,
  resolveIndex,
} from './cluster-handlers.ts';
import { checkAdmin } from './check-admin.ts';
import { bulk } from './bulk-handlers.ts';
import { deleteDocument, indexDocument } from './document-handlers.ts';
import { getDocument, getSource, multiGet } from './get-handlers.ts';
import { multiTermVectors, TERM_VECTOR_PARAMS, termVectors } from './term-vectors.ts';
import { updateDocument } from './update-handlers.ts';
import { flagParam, integerParam } from './request.ts';
import { analyze } from './analyze-handler.ts';
import { clearScroll, closePointInTime, openPointInTime, scrollOn } from './cursor-handlers.ts';
import { count, search } from './search-handlers.ts';
import { explain, validateQuery } from './query-handlers.ts';
import { fieldCaps } from './field-caps.ts';
import { multiSearch } from './multi-search.ts';
import type { SearchState } from './search-state.ts';
import {
  deleteTemplates,
  getTemplates,
  putComponentTemplate,
  putIndexTemplate,
  simulateIndex,
  simulateTemplate,
  templatesExist,
} from './composable-template-handlers.ts';
import { deleteTemplate, getTemplate, putTemplate, templateExists } from './template-handlers.ts';
import { illegalArgument, validationError } from '../request-error.ts';
import type { Add } from './route.ts';

const EXPAND = ['ignore_unavailable', 'allow_no_indices', 'expand_wildcards', 'ignore_throttled'];
const TIMES = ['timeout', 'master_timeout', 'wait_for_active_shards', 'local'];
const QUERY = ['q', 'df', 'analyzer', 'analyze_wildcard', 'default_operator', 'lenient'];
const SOURCE = ['_source', '_source_includes', '_source_excludes', 'stored_fields'];
const WRITE = [
  'routing',
  'refresh',
  'timeout',
  'version',
  'version_type',
  'if_seq_no',
  'if_primary_term',
  'wait_for_active_shards',
  'pipeline',
  'op_type',
  'require_alias',
];
const READ = ['routing', 'preference', 'realtime', 'refresh', 'version', 'version_type', ...SOURCE];
const SEARCH = [
  ...EXPAND,
  ...QUERY,
  ...SOURCE,
  'from',
  'size',
  'sort',
  'scroll',
  'search_type',
  'routing',
  'preference',
  'timeout',
  'terminate_after',
  'track_scores',
  'track_total_hits',
  'rest_total_hits_as_int',
  'typed_keys',
  'version',
  'seq_no_primary_term',
  'explain',
  'docvalue_fields',
  'stats',
  'suggest_field',
  'suggest_mode',
  'suggest_size',
  'suggest_text',
  'request_cache',
  'batched_reduce_size',
  'max_concurrent_shard_requests',
  'pre_filter_shard_size',
  'allow_partial_search_results',
  'ccs_minimize_roundtrips',
  'min_score',
];
const CAT = [
  'v',
  'h',
  's',
  'help',
  'bytes',
  'time',
  'local',
  'master_timeout',
  'ts',
  'health',
  'pri',
  'include_unloaded_segments',
  ...EXPAND,
];

/** Adds every endpoint. */
export function addRoutes(add: Add, state: SearchState, identity: Identity): void {
  add('GET HEAD', '/', [], () => info(identity));

  add('GET POST', ['/_search', '/{index}/_search', '/{index}/{type}/_search'], SEARCH, (call) => search(state, call));
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
  add(
    'GET POST',
    ['/_count', '/{index}/_count', '/{index}/{type}/_count'],
    [...EXPAND, ...QUERY, 'min_score', 'routing', 'preference', 'terminate_after'],
    (call) => count(state, call),
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
    (call) => multiSearch(state, call),
  );
  add(
    'GET POST',
    ['/_validate/query', '/{index}/_validate/query', '/{index}/{type}/_validate/query'],
    [...EXPAND, ...QUERY, 'explain', 'rewrite', 'all_shards'],
    (call) => validateQuery(call),
  );
  add(
    'GET POST',
    ['/{index}/_explain/{id}', '/{index}/{type}/{id}/_explain'],
    [...QUERY, ...SOURCE, 'routing', 'preference', 'parent'],
    (call) => explain(state, call),
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
    (call) => termVectors(call.engine, call, state.allowance),
  );
  add(
    'GET POST',
    ['/_mtermvectors', '/{index}/_mtermvectors', '/{index}/{type}/_mtermvectors'],
    ['ids', ...TERM_VECTOR_PARAMS],
    (call) => multiTermVectors(call.engine, call, state.allowance),
  );
  add('GET POST', ['/_field_caps', '/{index}/_field_caps'], ['fields', 'include_unmapped', ...EXPAND], (call) =>
    fieldCaps(call),
  );
  add(
    'GET POST',
    ['/_analyze', '/{index}/_analyze'],
    ['index', 'text', 'analyzer', 'tokenizer', 'filter', 'char_filter', 'field', 'normalizer', 'prefer_local'],
    (call) => analyze(call),
  );

  add(
    'PUT POST',
    ['/_bulk', '/{index}/_bulk', '/{index}/{type}/_bulk'],
    ['refresh', 'routing', 'timeout', 'wait_for_active_shards', 'pipeline', 'type', 'require_alias', ...SOURCE],
    (call) => bulk(call.engine, call),
  );
  add('GET POST', ['/_mget', '/{index}/_mget', '/{index}/{type}/_mget'], READ, (call) => multiGet(call.engine, call));
  add(
    'PUT POST',
    ['/{index}/_create/{id}', '/{index}/{type}/{id}/_create'],
    WRITE,
    (call) => indexDocument(call.engine, call),
    { create: 'true' },
  );
  add(
    'POST',
    ['/{index}/_update/{id}', '/{index}/{type}/{id}/_update'],
    [...WRITE, ...SOURCE, 'retry_on_conflict', 'lang'],
    (call) => updateDocument(call.engine, call),
  );
  add('GET HEAD', ['/{index}/_source/{id}', '/{index}/{type}/{id}/_source'], READ, (call) =>
    getSource(call.engine, call),
  );
  add(
    'POST',
    '/{index}/_delete_by_query',
    [
      ...SEARCH,
      'conflicts',
      'refresh',
      'wait_for_completion',
      'max_docs',
      'scroll_size',
      'slices',
      'requests_per_second',
      'search_timeout',
      'wait_for_active_shards',
    ],
    (call) =>
      state.tasks.run(call, 'indices:data/write/delete/byquery', `delete-by-query [${call.path['index']}]`, () =>
        byQuery('delete')(call.engine, call),
      ),
  );
  add(
    'POST',
    '/{index}/_update_by_query',
    [
      ...SEARCH,
      'conflicts',
      'refresh',
      'wait_for_completion',
      'max_docs',
      'scroll_size',
      'slices',
      'requests_per_second',
      'search_timeout',
      'wait_for_active_shards',
      'pipeline',
    ],
    (call) =>
      state.tasks.run(call, 'indices:data/write/update/byquery', `update-by-query [${call.path['index']}]`, () =>
        byQuery('update')(call.engine, call),
      ),
  );
  add(
    'POST',
    '/_reindex',
    [
      'refresh',
      'wait_for_completion',
      'max_docs',
      'conflicts',
      'scroll',
      'slices',
      'requests_per_second',
      'timeout',
      'wait_for_active_shards',
      'require_alias',
    ],
    (call) => state.tasks.run(call, 'indices:data/write/reindex', 'reindex', () => reindex(call.engine, call)),
  );
  add(
    'GET',
    '/_tasks',
    ['actions', 'detailed', 'group_by', 'nodes', 'parent_task_id', 'wait_for_completion', 'timeout'],
    (call) => state.tasks.list(call),
  );
  add('GET', '/_tasks/{task_id}', ['wait_for_completion', 'timeout'], (call) => state.tasks.get(call));

  add(
    'GET',
    [
      '/_mapping',
      '/{index}/_mapping',
      '/_mappings',
      '/{index}/_mappings',
      '/_mapping/{type}',
      '/{index}/_mapping/{type}',
    ],
    ['include_type_name', ...EXPAND, ...TIMES],
    (call) => getMapping(call.engine, call),
  );
  add('HEAD', '/{index}/_mapping/{type}', [...EXPAND, ...TIMES], (call) => typeExists(call.engine, call));
  add(
    'PUT POST',
    ['/{index}/_mapping', '/{index}/_mappings', '/{index}/_mapping/{type}', '/{index}/{type}/_mapping'],
    ['include_type_name', 'write_index_only', ...EXPAND, ...TIMES],
    (call) => putMapping(call.engine, call),
  );
  add(
    'GET',
    [
      '/_mapping/field/{fields}',
      '/{index}/_mapping/field/{fields}',
      '/_mapping/{type}/field/{fields}',
      '/{index}/_mapping/{type}/field/{fields}',
    ],
    ['include_type_name', 'include_defaults', ...EXPAND, ...TIMES],
    (call) => getFieldMapping(call.engine, call),
  );
  add(
    'GET',
    ['/_settings', '/_settings/{name}', '/{index}/_settings', '/{index}/_settings/{name}'],
    ['flat_settings', 'include_defaults', 'name', ...EXPAND, ...TIMES],
    (call) => getSettings(call.engine, call),
  );
  add(
    'PUT',
    ['/_settings', '/{index}/_settings'],
    ['preserve_existing', 'flat_settings', ...EXPAND, ...TIMES],
    (call) => putSettings(call.engine, call),
  );
  add('POST', '/{index}/_close', [...EXPAND, ...TIMES], (call) => closeIndex(call.engine, call));
  add('POST', '/{index}/_open', [...EXPAND, ...TIMES], (call) => openIndex(call.engine, call));
  add('POST', '/_aliases', TIMES, (call) => updateAliases(call.engine, call));
  add(
    'GET',
    ['/_alias', '/_alias/{name}', '/{index}/_alias', '/{index}/_alias/{name}', '/_aliases'],
    ['name', ...EXPAND, ...TIMES],
    (call) => getAlias(call.engine, call),
  );
  add('HEAD', ['/_alias/{name}', '/{index}/_alias/{name}'], [...EXPAND, ...TIMES], (call) =>
    aliasExists(call.engine, call),
  );
  add(
    'PUT POST',
    ['/{index}/_alias/{name}', '/_alias/{name}', '/{index}/_aliases/{name}', '/{index}/_alias', '/_alias'],
    TIMES,
    (call) => putAlias(call.engine, call),
  );
  add('DELETE', ['/{index}/_alias/{name}', '/{index}/_aliases/{name}'], TIMES, (call) =>
    deleteAlias(call.engine, call),
  );
  add('GET POST', ['/_refresh', '/{index}/_refresh'], EXPAND, (call) =>
    forEachIndex((index) => index.refresh())(call.engine, call),
  );
  add(
    'GET POST',
    ['/_flush', '/{index}/_flush', '/_flush/synced', '/{index}/_flush/synced'],
    ['force', 'wait_if_ongoing', ...EXPAND],
    (call) => {
      if (flagParam(call, 'force') && !flagParam(call, 'wait_if_ongoing', true))
        throw validationError('wait_if_ongoing must be true for a force flush');
      return forEachIndex((index) => index.commit())(call.engine, call);
    },
  );
  add(
    'POST',
    ['/_cache/clear', '/{index}/_cache/clear'],
    ['fielddata', 'fields', 'query', 'request', ...EXPAND],
    (call) => forEachIndex(() => Promise.resolve())(call.engine, call),
  );
  add(
    'POST',
    ['/_forcemerge', '/{index}/_forcemerge'],
    ['max_num_segments', 'only_expunge_deletes', 'flush', ...EXPAND],
    (call) =>
      forEachIndex(async (index) => {
        checkAdmin(index, call);
        const maxSegments = integerParam(call, 'max_num_segments');
        const onlyExpungeDeletes = flagParam(call, 'only_expunge_deletes');
        if (maxSegments !== undefined && onlyExpungeDeletes)
          throw illegalArgument(
            'cannot set only_expunge_deletes and max_num_segments at the same time, those two parameters are mutually exclusive',
          );
        await index.forceMerge({ ...(maxSegments === undefined ? {} : { maxSegments }), onlyExpungeDeletes });
        if (flagParam(call, 'flush', true)) await index.commit();
      })(call.engine, call),
  );
  add(
    'GET',
    ['/_stats', '/_stats/{metric}', '/{index}/_stats', '/{index}/_stats/{metric}'],
    [
      'level',
      'fields',
      'groups',
      'types',
      'completion_fields',
      'fielddata_fields',
      'include_segment_file_sizes',
      'include_unloaded_segments',
      'forbid_closed_indices',
      ...EXPAND,
    ],
    (call) => stats(call.engine, call),
  );
  add('PUT POST', '/_template/{name}', ['create', 'order', 'include_type_name', ...TIMES], (call) =>
    putTemplate(call.engine, call),
  );
  add('GET', ['/_template', '/_template/{name}'], ['flat_settings', 'include_type_name', ...TIMES], (call) =>
    getTemplate(call.engine, call),
  );
  add('HEAD', '/_template/{name}', ['flat_settings', ...TIMES], (call) => templateExists(call.engine, call));
  add('DELETE', '/_template/{name}', TIMES, (call) => deleteTemplate(call.engine, call));
  add(
    'POST',
    '/_index_template/_simulate_index/{name}',
    ['create', 'cause', 'flat_settings', 'master_timeout'],
    (call) => simulateIndex(call.engine, call),
  );
  add(
    'POST',
    ['/_index_template/_simulate', '/_index_template/_simulate/{name}'],
    ['create', 'cause', 'flat_settings', 'master_timeout'],
    (call) => simulateTemplate(call.engine, call),
  );
  for (const [path, kind, put] of [
    ['/_index_template', 'indexTemplates', putIndexTemplate],
    ['/_component_template', 'componentTemplates', putComponentTemplate],
  ] as const) {
    add('PUT POST', `${path}/{name}`, ['create', 'cause', 'timeout', 'master_timeout'], (call) =>
      put(call.engine, call),
    );
    add('GET', [path, `${path}/{name}`], ['flat_settings', 'local', 'master_timeout'], (call) =>
      getTemplates(kind)(call.engine, call),
    );
    add('HEAD', `${path}/{name}`, ['local', 'master_timeout'], (call) => templatesExist(kind)(call.engine, call));
    add('DELETE', `${path}/{name}`, ['timeout', 'master_timeout'], (call) => deleteTemplates(kind)(call.engine, call));
  }
  add('GET', '/_resolve/index/{name}', ['expand_wildcards'], (call) => resolveIndex(call.engine, call));

  add(
    'GET',
    ['/_cluster/health', '/_cluster/health/{index}'],
    [
      'level',
      'wait_for_status',
      'wait_for_nodes',
      'wait_for_no_relocating_shards',
      'wait_for_no_initializing_shards',
      'wait_for_events',
      ...TIMES,
      ...EXPAND,
    ],
    (call) => health(call.engine, identity, call),
  );
  add('GET', '/_cluster/settings', ['flat_settings', 'include_defaults', ...TIMES], () => getClusterSettings(state));
  add('PUT', '/_cluster/settings', ['flat_settings', ...TIMES], (call) => putClusterSettings(state, call));
  add('GET', ['/_cat/indices', '/_cat/indices/{index}'], CAT, (call) => catIndices(call.engine, call));
  add('GET', '/_cat/health', CAT, (call) => catHealth(call.engine, identity, call));
  add('GET', ['/_cat/count', '/_cat/count/{index}'], CAT, (call) => catCount(call.engine, call));
  add('GET', ['/_cat/aliases', '/_cat/aliases/{name}'], CAT, (call) => catAliases(call.engine, call));

  add('GET', '/_cat/nodes', [...CAT, 'full_id'], (call) => catNodes(identity, call));
  add('GET', '/_cat/master', CAT, (call) => catMaster(call));
  add('GET', ['/_cat/shards', '/_cat/shards/{index}'], CAT, (call) => catShards(call.engine, call));
  add('GET', ['/_cat/templates', '/_cat/templates/{name}'], CAT, (call) => catTemplates(call.engine, call));
  add(
    'GET',
    ['/_nodes/stats', '/_nodes/{node_id}/stats', '/_nodes/stats/{metric}', '/_nodes/{node_id}/stats/{metric}'],
    ['timeout'],
    (call) => nodesStats(call.engine, identity, call),
  );
  add('GET', ['/_nodes', '/_nodes/{node_id}', '/_nodes/{node_id}/{metric}'], ['flat_settings', 'timeout'], (call) =>
    nodesInfo(identity, call),
  );

  add('PUT', '/{index}', ['include_type_name', ...TIMES], (call) => createIndexHandler(call.engine, call));
  add('GET', '/{index}', ['include_type_name', 'flat_settings', 'include_defaults', ...EXPAND, ...TIMES], (call) =>
    getIndex(call.engine, call),
  );
  add('HEAD', '/{index}', ['include_type_name', 'flat_settings', 'include_defaults', ...EXPAND, ...TIMES], (call) =>
    indexExists(call.engine, call),
  );
  add('DELETE', '/{index}', [...EXPAND, ...TIMES], (call) => deleteIndex(call.engine, call));

  add('PUT POST', '/{index}/{type}/{id}', WRITE, (call) => indexDocument(call.engine, call));
  add('POST', '/{index}/{type}', WRITE, (call) => indexDocument(call.engine, call));
  add('GET HEAD', '/{index}/{type}/{id}', READ, (call) => getDocument(call.engine, call));
  add('DELETE', '/{index}/{type}/{id}', WRITE, (call) => deleteDocument(call.engine, call));
}
