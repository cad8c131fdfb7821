// Refusals of a request as Elasticsearch words them: the `type`, the sentence, and what stands beside them in the error
// object (index, line, column, cause). The engine's own refusals are in search-errors.ts; the wire shape is the REST layer's.
import { defineErrors, ProductError } from '@lockstitch/kernel';

/** The catalogue of refusals whose sentence depends on the request. */
export const requestErrors = defineErrors('SEARCH', {
  SEARCH_PARSING: { status: 400, message: '{reason}' },
  SEARCH_ILLEGAL_ARGUMENT: { status: 400, message: '{reason}' },
  SEARCH_VALIDATION: { status: 400, message: '{reason}' },
  SEARCH_MAPPING: { status: 400, message: '{reason}' },
  SEARCH_UNSUPPORTED: {
    status: 400,
    message: '{reason}',
    hint: 'docs/compatibility.md lists what is supported.',
  },
  SEARCH_SHARD_FAILURE: { status: 400, message: '{reason}' },
  SEARCH_CLOSED_INDEX: { status: 400, message: '{reason}' },
  SEARCH_NOT_FOUND: { status: 404, message: '{reason}' },
  SEARCH_CONFLICT: { status: 409, message: '{reason}' },
  SEARCH_METHOD: { status: 405, message: '{reason}' },
  SEARCH_MEDIA_TYPE: { status: 406, message: '{reason}' },
  SEARCH_FORBIDDEN: { status: 403, message: '{reason}' },
  SEARCH_TOO_LARGE: { status: 413, message: '{reason}' },
  SEARCH_NOT_ENOUGH_SHARDS: { status: 503, message: '{reason}' },
  SEARCH_TOO_MANY_REQUESTS: { status: 429, message: '{reason}' },
});

export type RequestCode = keyof typeof requestErrors.templates;

/** What led to an error, and what led to that, as Elasticsearch prints it. */
export interface Cause {
  readonly type: string;
  readonly reason: string;
  readonly caused_by?: Cause;
  /** Further members, such as `index`. */
  readonly [member: string]: unknown;
}

/** What stands beside type and reason in Elasticsearch's error object. */
export interface ErrorDetails {
  /** Further members, such as `index`, `line` and `col`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** The `caused_by` object. */
  readonly causedBy?: Cause;
  /**
   * Elasticsearch wraps failures inside a shard as `search_phase_execution_exception`, and those of what follows, such as pipelines, without
   * naming a shard. `false`: found before any index was asked.
   */
  readonly phase?: boolean | 'reduce';
  /** Whether it stands in a query that is read once indices are asked, so that what encloses it is no part of it (`wrapper`). */
  readonly inRewrite?: boolean;
  readonly hint?: string;
  /** The failure of each index, where several failed. */
  readonly failures?: readonly { readonly reason: Cause }[];
  /** Whether the answer is the sentence alone, as for requests that reach no endpoint. */
  readonly isPlain?: boolean;
  /** The methods that the path has, for the header `Allow`. */
  readonly allow?: string;
}

/** A refusal with Elasticsearch's `type`. */
export class RequestError extends ProductError {
  declare readonly code: RequestCode;
  readonly type: string;
  readonly details: ErrorDetails;

  constructor(code: RequestCode, type: string, reason: string, details: ErrorDetails = {}) {
    super({
      code,
      message: reason,
      status: requestErrors.templates[code].status,
      hint: details.hint ?? requestErrors.templates[code].hint,
    });
    this.type = type;
    this.details = details;
  }
}

/** A request whose JSON says something that is not understood. */
export function parsingError(reason: string, details?: ErrorDetails): RequestError {
  return new RequestError('SEARCH_PARSING', 'parsing_exception', reason, details);
}

/** A part of a request that is missing or malformed, or a value that is (ElasticsearchParseException). */
export function parseException(reason: string, details?: ErrorDetails): RequestError {
  return new RequestError('SEARCH_PARSING', 'parse_exception', reason, details);
}

/** Options whose parser knows them by name (ObjectParser): an unknown one, or a value that it does not take. */
export function contentError(reason: string, causedBy?: ErrorDetails['causedBy']): RequestError {
  return new RequestError('SEARCH_PARSING', 'x_content_parse_exception', reason, causedBy ? { causedBy } : {});
}

/** A value that makes no sense where it stands. */
export function illegalArgument(reason: string, details?: ErrorDetails): RequestError {
  return new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'illegal_argument_exception', reason, details);
}

/** A request that lacks something or contradicts itself, in one way or several. */
export function validationError(...reasons: readonly string[]): RequestError {
  return new RequestError(
    'SEARCH_VALIDATION',
    'action_request_validation_exception',
    `Validation Failed: ${reasons.map((reason, at) => `${at + 1}: ${reason};`).join('')}`,
  );
}

/** A mapping or a document that does not fit it. */
export function mapperParsing(reason: string, causedBy?: ErrorDetails['causedBy']): RequestError {
  return new RequestError('SEARCH_MAPPING', 'mapper_parsing_exception', reason, causedBy ? { causedBy } : {});
}

/** JSON in which a value is not what is read there. */
export function jsonParsing(reason: string): RequestError {
  return new RequestError('SEARCH_PARSING', 'json_parse_exception', reason);
}

/** A text that is no number, in the JVM's words. */
export function numberFormat(text: string): RequestError {
  return new RequestError(
    'SEARCH_PARSING',
    'number_format_exception',
    text === '' ? 'empty String' : `For input string: ${JSON.stringify(text)}`,
  );
}

/** Something Elasticsearch can do and this engine cannot. */
export function unsupported(what: string): RequestError {
  return new RequestError('SEARCH_UNSUPPORTED', 'illegal_argument_exception', `${what} is not supported`);
}

/** A query that only fails once it meets the mapping of an index; Elasticsearch reports it per shard. */
export function queryShardError(reason: string, index?: string, causedBy?: Cause): RequestError {
  return new RequestError('SEARCH_SHARD_FAILURE', 'query_shard_exception', reason, {
    phase: true,
    ...(index === undefined ? {} : { fields: { index } }),
    ...(causedBy === undefined ? {} : { causedBy }),
  });
}

/** Options that can be read, and from which no query can be made for an index. @param type the type of the cause */
export function failedQuery(
  reason: string,
  index?: string,
  type = 'illegal_argument_exception',
  { causedBy, hint }: ErrorDetails = {},
): RequestError {
  return new RequestError('SEARCH_SHARD_FAILURE', 'query_shard_exception', `failed to create query: ${reason}`, {
    phase: true,
    ...(index === undefined ? {} : { fields: { index } }),
    causedBy: { type, reason, ...(causedBy === undefined ? {} : { caused_by: causedBy }) },
    ...(hint === undefined ? {} : { hint }),
  });
}

/** What made it impossible to create a query, for an error that says so. */
export function causeOfFailedQuery({ details, message }: RequestError): Cause | undefined {
  return message.startsWith('failed to create query') ? details.causedBy : undefined;
}

/** The failure itself, for queries inside of other parts of a search (only QueryShardContext.toQuery says which query failed). */
export function unwrapFailedQuery(error: unknown): unknown {
  const cause = error instanceof RequestError ? causeOfFailedQuery(error) : undefined;
  if (cause === undefined) return error;
  const { caused_by: causedBy, reason, type } = cause;
  return new RequestError('SEARCH_SHARD_FAILURE', type, reason, {
    phase: true,
    ...(causedBy === undefined ? {} : { causedBy }),
  });
}

/** What is wrong in a query that was wrapped. */
export function asRewriteError(error: unknown): unknown {
  if (!(error instanceof RequestError) || isShardFailure(error)) return error;
  return new RequestError(error.code, error.type, error.message, { ...error.details, inRewrite: true });
}

/** Whether an error is one of a wrapped query. */
export function isRewriteError(error: unknown): error is RequestError {
  return error instanceof RequestError && error.details.inRewrite === true;
}

/** A value that only fails once it meets the mapping of an index. */
export function shardArgument(reason: string): RequestError {
  return new RequestError('SEARCH_SHARD_FAILURE', 'illegal_argument_exception', reason, { phase: true });
}

/** Parts of a search that do not go together; Elasticsearch reports it per shard. */
export function searchFailure(reason: string): RequestError {
  return new RequestError('SEARCH_SHARD_FAILURE', 'search_exception', reason, { phase: true });
}

/** What an aggregation meets in documents and cannot compute; Elasticsearch reports it per shard. */
export function aggregationError(reason: string): RequestError {
  return new RequestError('SEARCH_SHARD_FAILURE', 'aggregation_execution_exception', reason, { phase: true });
}

/** Aggregations that do not go together. */
export function initializationError(reason: string): RequestError {
  return new RequestError('SEARCH_PARSING', 'aggregation_initialization_exception', reason);
}

/** What cannot be computed of the buckets of all shards. */
export function reduceError(reason: string, type = 'aggregation_execution_exception'): RequestError {
  return new RequestError('SEARCH_SHARD_FAILURE', type, reason, { phase: 'reduce' });
}

/** Whether an error only came up once a shard was asked, or the answers of all were put together. */
export function isShardFailure(error: unknown): boolean {
  return error instanceof RequestError && (error.details.phase === true || error.details.phase === 'reduce');
}

/** What a script of a pipeline cannot do with the values of a bucket. */
export function scriptFailure(reason: string): RequestError {
  return reduceError(reason, 'script_exception');
}

/**
 * What is wrong in a part of a request, worded as by the parsers of objects of Elasticsearch.
 *
 * @param where the name of the part
 * @param member in which the mistake is, where that is known
 */
export function asContentError(error: unknown, where: string, member?: string): unknown {
  if (!(error instanceof RequestError) || error.details.phase !== undefined || error.code === 'SEARCH_UNSUPPORTED')
    return error;
  const { message: reason, type, details } = error;
  if (type === 'parsing_exception' && details.causedBy === undefined)
    return new RequestError('SEARCH_PARSING', 'x_content_parse_exception', reason, { ...details, phase: false });
  return new RequestError(
    'SEARCH_PARSING',
    'x_content_parse_exception',
    member === undefined
      ? `[${where}] failed to parse field: ${reason}`
      : `[${where}] failed to parse field [${member}]`,
    {
      phase: false,
      causedBy: { type, reason, ...(details.causedBy === undefined ? {} : { caused_by: details.causedBy }) },
    },
  );
}

/** What `_count`, `_explain` and `_validate/query` say of a query that cannot be read (RestActions.getQueryContent). */
export function asFailedParse(error: unknown): unknown {
  if (!(error instanceof RequestError) || error.status !== 400 || error.code === 'SEARCH_UNSUPPORTED') return error;
  const { details, message: reason, type } = error;
  if (type === 'parsing_exception' || details.phase === true) return error;
  const inner = details.causedBy === undefined ? {} : { caused_by: details.causedBy };
  return parsingError('Failed to parse', { fields: { line: 1, col: 1 }, causedBy: { type, reason, ...inner } });
}

/** Java's NumberFormatException: reported by its own type. */
export class NumberFormatError extends RequestError {
  constructor(reason: string) {
    super('SEARCH_ILLEGAL_ARGUMENT', 'number_format_exception', reason);
  }
}
