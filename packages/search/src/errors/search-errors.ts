// Every refusal of the search package: its code, HTTP status and message, and beside it the `type` that Elasticsearch's
// clients expect. How an error looks on the wire is the REST layer's business.
import { byWord, defineErrors, type ProductError } from '@lockstitch/kernel';

/** The catalogue of the search package. */
export const searchErrors = defineErrors('SEARCH', {
  SEARCH_INDEX_NOT_FOUND: { status: 404, message: 'no such index [{index}]' },
  SEARCH_INDEX_EXISTS: { status: 400, message: 'index [{index}] already exists' },
  SEARCH_INVALID_INDEX_NAME: { status: 400, message: 'Invalid index name [{index}], {reason}' },
  SEARCH_VERSION_CONFLICT: { status: 409, message: '[{id}]: version conflict, {reason}' },
  SEARCH_DOCUMENT_TOO_LARGE: {
    status: 413,
    message: 'The source of document [{id}] has {bytes} bytes, more than the limit of {limit}.',
    hint: 'Split the document or raise maxDocumentBytes.',
  },
  SEARCH_TERM_TOO_LONG: {
    status: 400,
    message: `Document contains at least one immense term in field="{field}" (whose UTF8 encoding is longer than the max length {limit}), all of which were skipped.  Please correct the analyzer to not produce such terms.  The prefix of the first immense term is: '[{prefix}]...', original message: bytes can be at most {limit} in length; got {length}`,
    hint: 'Map the field as text, or set ignore_above.',
  },
  SEARCH_FIELD_KIND: {
    status: 400,
    message: 'Field [{field}] holds {actual} values and cannot be used as {wanted}.',
  },
  SEARCH_RESULT_WINDOW: {
    status: 400,
    message:
      'Result window is too large, from + size must be less than or equal to: [{limit}] but was [{window}]. See the scroll api for a more efficient way to request large data sets. This limit can be set by changing the [index.max_result_window] index level setting.',
  },
  SEARCH_TOO_MANY_CLAUSES: {
    status: 400,
    message: 'maxClauseCount is set to {limit}',
    hint: 'Use a terms query for many exact values, or ask in several requests.',
  },
  SEARCH_TOO_MANY_TERMS: {
    status: 400,
    message:
      'The number of terms [{count}] used in the Terms Query request has exceeded the allowed maximum of [{limit}]. This maximum can be set by changing the [index.max_terms_count] index level setting.',
  },
  SEARCH_TOO_MANY_VISITED_TERMS: {
    status: 400,
    message: 'The patterns of the request visit more than {limit} terms together.',
    hint: 'Use fewer wildcards, prefixes and regular expressions, or patterns that start with letters.',
  },
  SEARCH_TIMEOUT: {
    status: 400,
    message: 'The request took longer than {limit} ms and was ended.',
    hint: 'Ask for less at once: fewer clauses, aggregations, hits or highlighted fields.',
  },
  SEARCH_CANCELLED: { status: 400, message: 'The request was ended because its client no longer waits.' },
  SEARCH_THREAD_LOST: {
    status: 503,
    message: 'The thread that ran the request ended: {reason}.',
    hint: 'Ask for less at once: fewer buckets, hits or clauses.',
  },
  SEARCH_THREAD_START: {
    status: 503,
    message:
      'The request takes longer than a turn of the event loop, and the thread for such requests did not come up within {limit} ms.',
    hint: 'The machine is overloaded: send the request again later.',
  },
  SEARCH_VIEW_NOT_HELD: {
    status: 403,
    message: 'The index [{index}] is not shown without [{path}]: {reason}.',
    hint: 'Map the field as an object instead of nested, or withhold what it is copied to as well.',
  },
  SEARCH_QUERY_TOO_DEEP: { status: 400, message: 'The query is nested deeper than {limit} levels.' },
  SEARCH_PATTERN_TOO_COMPLEX: {
    status: 400,
    message: 'Determinizing [{pattern}] would result in more than {limit} states.',
    hint: 'Simplify the pattern, or raise max_determinized_states.',
  },
  SEARCH_PATTERN_SYNTAX: { status: 400, message: 'The pattern [{pattern}] is malformed at character {at}: {reason}.' },
  SEARCH_NO_POSITIONS: {
    status: 400,
    message: 'field:[{field}] was indexed without position data; cannot run PhraseQuery',
  },
  SEARCH_NESTED_PATH: {
    status: 400,
    message:
      'Child query must not match same docs with parent filter: [nested] under path [{path}] stands inside of [{outer}].',
    hint: 'Join both with bool instead of nesting the one in the other.',
  },
  SEARCH_MISSING_VALUE: {
    status: 400,
    message: 'Missing value for field [{field}]',
    hint: 'Give the function a "missing" value, or filter with exists.',
  },
  SEARCH_BAD_SCORE: {
    status: 400,
    message: 'function score query returned an invalid score',
    hint: 'Use a modifier whose result is a number of at least zero, such as ln2p for ln.',
  },
  SEARCH_NEGATIVE_FACTOR: {
    status: 400,
    message: 'field value function must not produce negative scores{remedy}',
  },
  SEARCH_SORT_VALUES: {
    status: 400,
    message: 'search_after has {actual} value(s) but sort has {wanted}.',
  },
  SEARCH_MEMORY: {
    status: 429,
    message:
      '[{label}] Data too large, data for [{what}] would be [{wanted}b], which is larger than the limit of [{limit}b]',
    hint: 'Ask for less at once, or raise memoryBudget.',
  },
  SEARCH_EXPENSIVE: {
    status: 400,
    message: "{what} cannot be executed when 'search.allow_expensive_queries' is set to false.{remedy}",
    hint: 'Ask for terms instead, or allow such queries with PUT /_cluster/settings.',
  },
  SEARCH_READ_ONLY: { status: 403, message: 'index [{index}] blocked by: [FORBIDDEN/8/index write (api)];' },
  SEARCH_DISK_FULL: {
    status: 503,
    message: 'Writing to the index [{index}] failed, nothing of it was done: {reason}.',
    hint: 'Free disk space, or let the server open more files, and send the request again: the index takes writes as soon as there is room.',
  },
  SEARCH_INDEX_RED: {
    status: 503,
    message: 'The index [{index}] cannot be read: {reason}',
    hint: 'Wait if it is being built. Otherwise restore its folder from a backup while the server is stopped, or delete the index and fill it again.',
  },
  SEARCH_METADATA_DAMAGED: {
    status: 503,
    message: 'The templates and cluster settings cannot be read: {reason}',
    hint: 'Stop the server and restore the file metadata from a backup, or write {} into it to begin without templates and settings.',
  },
  SEARCH_NOT_ON_CLUSTER: {
    status: 400,
    message: '{what} cannot be asked of a search cluster: {reason}.',
    hint: 'docs/reference/cluster.md lists what can.',
  },
  SEARCH_CLUSTER_FAILED: {
    status: 503,
    message: 'The search cluster gives no whole answer: {reason}.',
    hint: 'Send the request again later. The log of the server says more.',
  },
  SEARCH_CLUSTER_REFUSED: {
    status: 400,
    message: 'The search cluster does not take the request.',
    hint: 'Ask for less at once: fewer clauses, values, buckets or hits. The log of the server says more.',
  },
  SEARCH_CLOSED: { status: 503, message: 'The search engine is closed.' },
  SEARCH_DAMAGED: {
    status: 503,
    message: 'Index file [{file}] is damaged: {reason}.',
    hint: 'An index of the schema is rebuilt automatically. For any other index, restore its folder from a backup, or delete it and fill it again.',
  },
  SEARCH_FORMAT: {
    status: 500,
    message: 'Index file [{file}] has format version {actual}; this release reads {wanted}.',
    hint: 'Use the release that wrote it, or rebuild the index.',
  },
  SEARCH_FOREIGN_FOLDER: {
    status: 400,
    message: 'The folder [{folder}] holds something that is no index, and is left alone.',
    hint: 'Move it away, name the index otherwise, or give the search engine a data folder of its own.',
  },
  SEARCH_LOCKED: {
    status: 500,
    message: 'The directory [{directory}] is in use by {holder}.',
    hint: 'Stop the other process, or use another directory.',
  },
  SEARCH_NOT_WRITABLE: {
    status: 500,
    message: 'The directory [{directory}] cannot be used: {reason}',
    hint: 'Give this user the right to read and write there, or use another directory.',
  },
});

/** A code of the catalogue. */
export type SearchErrorCode = keyof typeof searchErrors.templates;

/** Elasticsearch's `error.type` of each code whose default, `illegal_argument_exception`, does not fit. */
export const elasticsearchTypes: Readonly<Record<string, string | undefined>> = byWord({
  index_not_found_exception: 'SEARCH_INDEX_NOT_FOUND',
  resource_already_exists_exception: 'SEARCH_INDEX_EXISTS',
  invalid_index_name_exception: 'SEARCH_INVALID_INDEX_NAME',
  version_conflict_engine_exception: 'SEARCH_VERSION_CONFLICT',
  too_many_clauses: 'SEARCH_TOO_MANY_CLAUSES SEARCH_TOO_MANY_VISITED_TERMS',
  timeout_exception: 'SEARCH_TIMEOUT',
  security_exception: 'SEARCH_VIEW_NOT_HELD',
  task_cancelled_exception: 'SEARCH_CANCELLED',
  es_rejected_execution_exception: 'SEARCH_THREAD_START SEARCH_THREAD_LOST',
  too_complex_to_determinize_exception: 'SEARCH_PATTERN_TOO_COMPLEX',
  illegal_state_exception: 'SEARCH_NO_POSITIONS SEARCH_NESTED_PATH',
  exception: 'SEARCH_MISSING_VALUE SEARCH_BAD_SCORE SEARCH_EXPENSIVE',
  circuit_breaking_exception: 'SEARCH_MEMORY',
  cluster_block_exception: 'SEARCH_READ_ONLY SEARCH_DISK_FULL',
  no_shard_available_action_exception: 'SEARCH_INDEX_RED SEARCH_CLUSTER_FAILED',
  node_closed_exception: 'SEARCH_CLOSED',
  corrupt_index_exception: 'SEARCH_DAMAGED',
});

/** Those that stop a search while it runs: Elasticsearch reports them for the shard that they happen on. */
export const shardErrors: ReadonlySet<string> = new Set<SearchErrorCode>([
  'SEARCH_BAD_SCORE',
  'SEARCH_MISSING_VALUE',
  'SEARCH_NESTED_PATH',
  'SEARCH_NEGATIVE_FACTOR',
]);

/** Raises an error of the catalogue. */
export function searchError(
  code: SearchErrorCode,
  values: Readonly<Record<string, string | number>> = {},
  extra: { readonly cause?: unknown; readonly detail?: unknown; readonly hint?: string | undefined } = {},
): ProductError {
  return searchErrors.create(code, values, extra);
}
