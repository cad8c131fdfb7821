// How an error looks on the wire: Elasticsearch's `{error: {root_cause, type, reason, …}, status}`. Anything that is not a
// known refusal is masked: its text may hold what a client should not see.
import { isProductError } from '@lockstitch/kernel';
import { elasticsearchTypes, type SearchErrorCode, shardErrors } from './errors.ts';
import { RequestError } from './request-error.ts';
import { isObject, type Json } from './json.ts';

/** An error as the response shows it. */
export interface ErrorShape {
  readonly status: number;
  readonly error: Json;
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
    const type = elasticsearchTypes[error.code as SearchErrorCode] ?? 'illegal_argument_exception';
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

/** Where on the machine a file lies is nothing to clients. */
function withoutFolder(message: string): string {
  return message.replace(/\[[^\]]*[\\/]([^\\/\]]+[\\/][^\\/\]]+)\]/, '[$1]');
}

/** Causes of a refused document that Elasticsearch names as the root: its own exceptions, not those of Java. */
const OWN_EXCEPTIONS: readonly unknown[] = ['mapper_parsing_exception', 'parse_exception', 'parsing_exception'];

/** Errors that only say where such a cause was met. */
const WRAPPERS: readonly unknown[] = ['mapper_parsing_exception', 'exception'];

const PARSER = 'x_content_parse_exception';

/** The whole body of an error response. */
export function errorBody(error: unknown): { readonly status: number; readonly body: Json } {
  const cause = causeOf(error);
  const phase = phaseOf(error);
  if (phase === undefined) {
    const { caused_by: inner, ...own } = cause.error;
    const isOwn =
      isObject(inner) &&
      ((WRAPPERS.includes(own['type']) && OWN_EXCEPTIONS.includes(inner['type'])) ||
        // Of parsers in each other the innermost one says what is wrong.
        (own['type'] === PARSER && (inner['type'] === PARSER || inner['type'] === 'parsing_exception')));
    const { caused_by: _, ...root } = isOwn ? inner : own;
    return { status: cause.status, body: { error: { root_cause: [root], ...cause.error }, status: cause.status } };
  }
  const index = typeof cause.error['index'] === 'string' ? { index: cause.error['index'] } : {};
  const failed = phase === 'query' ? [{ shard: 0, ...index, node: 'lockstitch', reason: cause.error }] : [];
  return {
    status: cause.status,
    body: {
      error: {
        root_cause: phase === 'query' ? [cause.error] : [],
        type: 'search_phase_execution_exception',
        reason: phase === 'query' ? 'all shards failed' : '',
        phase,
        grouped: true,
        failed_shards: failed,
        caused_by: cause.error,
      },
      status: cause.status,
    },
  };
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
  return new RequestError(
    status === 503 ? 'SEARCH_NOT_ENOUGH_SHARDS' : 'SEARCH_ILLEGAL_ARGUMENT',
    String(type),
    String(reason),
    {
      fields,
      ...(causedBy === undefined ? {} : { causedBy: causedBy as { readonly type: string; readonly reason: string } }),
      ...(typeof hint === 'string' ? { hint } : {}),
    },
  );
}
