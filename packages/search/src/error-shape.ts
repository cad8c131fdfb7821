// How an error looks on the wire: Elasticsearch's `{error: {root_cause, type, reason, …}, status}`. Anything that is not a
// known refusal is masked: its text may hold what a client should not see.
import { isProductError } from '@lockstitch/kernel';
import { elasticsearchTypes, type SearchErrorCode } from './errors.ts';
import { RequestError } from './request-error.ts';
import type { Json } from './json.ts';

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
    const index = /no such index \[([^\]]*)\]/.exec(error.message)?.[1];
    return {
      status: error.status,
      error: {
        type,
        reason: error.code === 'SEARCH_DAMAGED' ? withoutFolder(error.message) : error.message,
        ...(type === 'index_not_found_exception' && index !== undefined
          ? { 'resource.type': 'index_or_alias', 'resource.id': index, index_uuid: '_na_', index }
          : {}),
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

/** The whole body of an error response. */
export function errorBody(error: unknown): { readonly status: number; readonly body: Json } {
  const cause = causeOf(error);
  const phase = error instanceof RequestError && error.details.phase === true;
  if (phase) {
    const index = typeof cause.error['index'] === 'string' ? { index: cause.error['index'] } : {};
    return {
      status: cause.status,
      body: {
        error: {
          root_cause: [cause.error],
          type: 'search_phase_execution_exception',
          reason: 'all shards failed',
          phase: 'query',
          grouped: true,
          failed_shards: [{ shard: 0, ...index, node: 'lockstitch', reason: cause.error }],
          caused_by: cause.error,
        },
        status: cause.status,
      },
    };
  }
  const { caused_by: _, ...root } = cause.error;
  return { status: cause.status, body: { error: { root_cause: [root], ...cause.error }, status: cause.status } };
}
