// Every endpoint of the API. Each is defined beside the handlers of its kind; a new one joins the list of its file.
import { ABSENT_ENDPOINTS } from './cluster/absent-features.ts';
import { ALLOCATION_ENDPOINTS } from './cluster/allocation-handlers.ts';
import { CAT_ENDPOINTS } from './cluster/cat-endpoints.ts';
import { CLUSTER_ENDPOINTS } from './cluster/cluster-handlers.ts';
import { CLUSTER_STATE_ENDPOINTS } from './cluster/cluster-state.ts';
import { NODE_ENDPOINTS } from './cluster/node-handlers.ts';
import { BULK_ENDPOINTS } from './documents/bulk-handlers.ts';
import { BY_QUERY_ENDPOINTS } from './documents/by-query.ts';
import { DOCUMENT_ENDPOINTS } from './documents/document-handlers.ts';
import { GET_ENDPOINTS } from './documents/get-handlers.ts';
import { REINDEX_ENDPOINTS } from './documents/reindex.ts';
import { TERM_VECTOR_ENDPOINTS } from './documents/term-vectors.ts';
import { UPDATE_ENDPOINTS } from './documents/update-handlers.ts';
import { ALIAS_ENDPOINTS } from './indices/alias-handlers.ts';
import { COMPOSABLE_TEMPLATE_ENDPOINTS } from './indices/composable-template-handlers.ts';
import { INDEX_ENDPOINTS } from './indices/index-handlers.ts';
import { MAPPING_ENDPOINTS } from './indices/mapping-handlers.ts';
import { RESIZE_ENDPOINTS } from './indices/resize.ts';
import { INGEST_ENDPOINTS } from './ingest/pipeline-handlers.ts';
import { RESOLVE_ENDPOINTS } from './indices/resolve-index.ts';
import { ROLLOVER_ENDPOINTS } from './indices/rollover.ts';
import { SIMULATE_ENDPOINTS } from './indices/simulate-templates.ts';
import { SHARD_ENDPOINTS } from './indices/shard-handlers.ts';
import { STATS_ENDPOINTS } from './indices/stats-handlers.ts';
import { TEMPLATE_ENDPOINTS } from './indices/template-handlers.ts';
import type { Endpoint } from './request/endpoint.ts';
import { TASK_ENDPOINTS } from './request/tasks.ts';
import { ANALYZE_ENDPOINTS } from './search/analyze-handler.ts';
import { CURSOR_ENDPOINTS } from './search/cursor-handlers.ts';
import { FIELD_CAPS_ENDPOINTS } from './search/field-caps.ts';
import { MULTI_SEARCH_ENDPOINTS } from './search/multi-search.ts';
import { QUERY_ENDPOINTS } from './search/query-handlers.ts';
import { RANK_EVAL_ENDPOINTS } from './search/rank-eval-handler.ts';
import { SEARCH_ENDPOINTS } from './search/search-handlers.ts';
import { SEARCH_TEMPLATE_ENDPOINTS } from './search/search-template.ts';
import { STORED_TEMPLATE_ENDPOINTS } from './search/stored-templates.ts';

/** In the order of docs/compatibility.md. */
export const ENDPOINTS: readonly Endpoint[] = [
  SEARCH_ENDPOINTS,
  CURSOR_ENDPOINTS,
  MULTI_SEARCH_ENDPOINTS,
  SEARCH_TEMPLATE_ENDPOINTS,
  STORED_TEMPLATE_ENDPOINTS,
  RANK_EVAL_ENDPOINTS,
  QUERY_ENDPOINTS,
  TERM_VECTOR_ENDPOINTS,
  FIELD_CAPS_ENDPOINTS,
  ANALYZE_ENDPOINTS,
  DOCUMENT_ENDPOINTS,
  GET_ENDPOINTS,
  UPDATE_ENDPOINTS,
  BULK_ENDPOINTS,
  BY_QUERY_ENDPOINTS,
  REINDEX_ENDPOINTS,
  TASK_ENDPOINTS,
  INDEX_ENDPOINTS,
  MAPPING_ENDPOINTS,
  ALIAS_ENDPOINTS,
  ROLLOVER_ENDPOINTS,
  RESIZE_ENDPOINTS,
  STATS_ENDPOINTS,
  SHARD_ENDPOINTS,
  TEMPLATE_ENDPOINTS,
  SIMULATE_ENDPOINTS,
  COMPOSABLE_TEMPLATE_ENDPOINTS,
  RESOLVE_ENDPOINTS,
  INGEST_ENDPOINTS,
  CLUSTER_ENDPOINTS,
  CLUSTER_STATE_ENDPOINTS,
  ALLOCATION_ENDPOINTS,
  NODE_ENDPOINTS,
  CAT_ENDPOINTS,
  ABSENT_ENDPOINTS,
].flat();
