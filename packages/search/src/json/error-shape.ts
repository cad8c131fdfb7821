// How an error looks on the wire: Elasticsearch's `{error: {root_cause, type, reason, …}, status}`. Anything that is not a
// known refusal is masked: its text may hold what a client should not see.
import { isProductError } from '@lockstitch/kernel';
import { elasticsearchTypes, shardErrors } from '../errors/search-errors.ts';
import { type Cause, RequestError } from '../errors/request-error.ts';
import { isObject, type Json, textOf } from './json.ts';

/** An error as the response shows it. */
export interface ErrorShape {
  readonly status: number;
  readonly error: Cause;
}

/** The `error` object of one failure, without the wrapper. */
export function causeOf(error: unknown): ErrorShape {
  if (error instanceof RequestError) {
    const { fields = {}, causedBy, hint } = error.details;
    return {
      status: error.status,
      error: {
        type: error.type,
        reason: error.message,
        ...fields,
        ...(causedBy === undefined ? {} : { caused_by: causedBy }),
        ...(hint === undefined ? {} : { hint }),
      },
    };
  }
  if (isProductError(error)) {
    const type = elasticsearchTypes[error.code] ?? 'illegal_argument_exception';
    const index = /(?:no such index|Invalid index name) \[([^\]]*)\]/.exec(error.message)?.[1];
    return {
      status: error.status,
      error: {
        type,
        reason: error.code === 'SEARCH_DAMAGED' ? withoutFolder(error.message) : error.message,
        ...(type === 'index_not_found_exception' && index !== undefined
          ? { 'resource.type': 'index_or_alias', 'resource.id': index, index_uuid: '_na_', index }
          : {}),
        ...(type === 'invalid_index_name_exception' && index !== undefined ? { index_uuid: '_na_', index } : {}),
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      },
    };
  }
  return { status: 500, error: { type: 'exception', reason: 'An internal error occurred; the log tells more.' } };
}

/** Removes paths of this machine. */
function withoutFolder(message: string): string {
  return message.replace(/\[[^\]]*[\\/]([^\\/\]]+[\\/][^\\/\]]+)\]/, '[$1]');
}

/** Elasticsearch's own exceptions, of which the innermost is the root of an error. Java's are not. */
const OWN_EXCEPTIONS: readonly unknown[] = [
  'mapper_parsing_exception',
  'parse_exception',
  'parsing_exception',
  'version_conflict_engine_exception',
  'exception',
  'resource_not_found_exception',
  'index_not_found_exception',
];

/** Those of its parsers of objects, which stand in each other as the objects do. */
const OF_PARSERS: readonly unknown[] = ['x_content_parse_exception', 'named_object_not_found_exception'];

/** The cause of an error that says what is wrong, without what led to it. */
function rootOf(error: Json): Json {
  const { caused_by: _, ...own } = rootWithCauses(error);
  return own;
}

/** The same with what led to it. */
function rootWithCauses(error: Json): Json {
  const { caused_by: inner, reason, type } = error;
  if (!isObject(inner)) return error;
  const isOwn = OWN_EXCEPTIONS.includes(inner['type']);
  const wraps = type === 'query_shard_exception' && textOf(reason).startsWith('failed to create query');
  const isRoot =
    wraps || OWN_EXCEPTIONS.includes(type)
      ? !isOwn
      : !OF_PARSERS.includes(type) || (!isOwn && !OF_PARSERS.includes(inner['type']));
  return isRoot ? error : rootWithCauses(inner);
}

/** The whole body of an error response. */
export function errorBody(error: unknown): { readonly status: number; readonly body: Json } {
  const cause = causeOf(error);
  const phase = phaseOf(error);
  if (phase === undefined)
    return {
      status: cause.status,
      body: { error: { root_cause: [rootOf(cause.error)], ...cause.error }, status: cause.status },
    };
  const index = typeof cause.error['index'] === 'string' ? { index: cause.error['index'] } : {};
  const several = error instanceof RequestError ? error.details.failures : undefined;
  const failed =
    phase === 'query' ? (several ?? [{ shard: 0, ...index, node: 'lockstitch', reason: cause.error }]) : [];
  return {
    status: cause.status,
    body: {
      error: {
        root_cause: failed.map(({ reason }) => rootOf(reason)),
        type: 'search_phase_execution_exception',
        reason: phase === 'query' ? 'all shards failed' : '',
        phase,
        grouped: true,
        failed_shards: failed,
        ...causedBy(cause.error, phase),
      },
      status: cause.status,
    },
  };
}

/** Exceptions of Java: of failed shards only these are named as the cause as well. */
const OF_JAVA =
  /^(?:illegal|number_format|unsupported_operation|arithmetic|runtime|date_time|array_index)_|^too_many_clauses$/;

function causedBy(error: Json, phase: 'query' | 'fetch'): Json {
  if (phase === 'fetch') return { caused_by: error };
  const { hint: _, ...cause } = error;
  if (OF_JAVA.test(textOf(error['type']))) return { caused_by: { ...cause, caused_by: cause } };
  // A root that is the failure of the shard itself is not told twice (SearchPhaseExecutionException.deduplicateCause).
  const root = rootWithCauses(cause);
  return root === cause ? {} : { caused_by: root };
}

/** In which phase a search failed; undefined: before it began. */
function phaseOf(error: unknown): 'query' | 'fetch' | undefined {
  if (error instanceof RequestError)
    return error.details.phase === 'reduce' ? 'fetch' : error.details.phase === true ? 'query' : undefined;
  return isProductError(error) && shardErrors.has(error.code) ? 'query' : undefined;
}

/** The same error where one document is asked for: no shards are named. */
export function withoutShards(error: unknown): unknown {
  if (phaseOf(error) === undefined) return error;
  const { status, error: cause } = causeOf(error);
  const { type, reason, caused_by: causedBy, hint, ...fields } = cause;
  return new RequestError(status === 503 ? 'SEARCH_NOT_ENOUGH_SHARDS' : 'SEARCH_ILLEGAL_ARGUMENT', type, reason, {
    fields,
    ...(causedBy === undefined ? {} : { causedBy }),
    ...(typeof hint === 'string' ? { hint } : {}),
  });
}
