// The aggregations whose buckets are named by the request: `filter`, `filters`, `adjacency_matrix`, `missing`, `global`, `nested` and
// `reverse_nested`.
import { asObject, asString, isObject, type Json, knownHere, tokenOf } from '../json/json.ts';
import { within } from '../json/object-parser.ts';
import {
  aggregationError,
  illegalArgument,
  parsingError,
  RequestError,
  shardArgument,
} from '../errors/request-error.ts';
import {
  type AggregationRequest,
  type BucketAggregation,
  flag,
  ofField,
  type Reader,
  shared,
  sharedOfField,
  TERMS,
} from './definition.ts';
import {
  adjacencyAggregator,
  filterAggregator,
  filtersAggregator,
  globalAggregator,
  missingAggregator,
  nestedAggregator,
  reverseNestedAggregator,
} from './filters.ts';
import { NOT_NESTED, OF_QUERIES } from './on-cluster.ts';
import { limited, rewritten } from '../query/cluster/verdict.ts';

/** Filters of one matrix at most: `index.max_adjacency_matrix_filters`. */
const MOST_FILTERS = 100;

const isEmpty = (given: unknown): boolean =>
  given === undefined || ((isObject(given) || Array.isArray(given)) && Object.keys(given).length === 0);

/** The members of `filters`, an object or a list. */
function queriesOf({ filters }: { readonly filters?: unknown }): readonly unknown[] {
  return isObject(filters) || Array.isArray(filters) ? Object.values(filters) : [];
}

/** What tokens the members of `filters` begin with. */
const TOKENS: Readonly<Record<string, readonly string[]>> = {
  filters: ['START_OBJECT', 'START_ARRAY'],
  other_bucket: ['VALUE_BOOLEAN'],
  other_bucket_key: ['VALUE_STRING'],
};

/** @param read reads a member once its token is known @throws RequestError for the first member that is not known or begins with another token */
export function checkTokens(
  body: Json,
  tokens: Readonly<Record<string, readonly string[]>>,
  unexpected: (token: string, key: string) => string,
  read?: (key: string, value: unknown) => void,
): void {
  for (const [key, value] of Object.entries(body)) {
    const token = tokenOf(value);
    if (!Object.hasOwn(tokens, key) || !tokens[key]!.includes(token))
      throw parsingError(unexpected(token, key), knownHere(key, Object.keys(tokens)));
    read?.(key, value);
  }
}

/** The path of `nested` and `reverse_nested`. */
function pathOf({ body, name }: AggregationRequest): string | undefined {
  checkTokens(body, { path: ['VALUE_STRING'] }, (token) => `Unexpected token ${token} in [${name}].`);
  return body['path'] === undefined ? undefined : asString(body['path'], 'path');
}

const filter: Reader = (request) => {
  request.setup.parseQuery?.(request.body);
  return filterAggregator({ ...shared(request), query: request.body }, request.children, request.setup.budget);
};

const filters: Reader = (request) => {
  const { name, body, children, setup } = request;
  const readQueries = (key: string, value: unknown): void => {
    if (key !== 'filters') return;
    for (const query of queriesOf({ filters: value })) {
      if (!isObject(query)) throw parsingError('[_na] query malformed, must start with start_object');
      setup.parseQuery?.(query);
    }
  };
  checkTokens(body, TOKENS, (token, key) => `Unknown key for a ${token} in [${name}]: [${key}].`, readQueries);
  const given = body['filters'];
  if (isEmpty(given)) throw illegalArgument('[filters] cannot be empty.');
  const keyed = !Array.isArray(given);
  const list: readonly (readonly [string | undefined, unknown])[] = Array.isArray(given)
    ? given.map((query) => [undefined, query] as const)
    : Object.entries(asObject(given, 'filters'));
  const key = body['other_bucket_key'];
  const other = flag(body, 'other_bucket', key !== undefined)
    ? key === undefined
      ? '_other_'
      : asString(key, 'other_bucket_key')
    : undefined;
  return filtersAggregator({ ...shared(request), filters: list, other, keyed }, children, setup.budget);
};

const adjacencyMatrix: Reader = (request) => {
  const { name, body, children, setup } = request;
  const given = body['filters'];
  if (given === undefined || (isObject(given) && Object.keys(given).length === 0))
    throw new RequestError('SEARCH_PARSING', 'illegal_state_exception', `[${name}] is missing : filters parameter`);
  const list = Object.entries(asObject(given, 'filters'));
  if (list.length > MOST_FILTERS)
    throw shardArgument(
      `Number of filters is too large, must be less than or equal to: [${MOST_FILTERS}] but was [${list.length}].This limit can be set by changing the [index.max_adjacency_matrix_filters] index level setting.`,
    );
  for (const [key, query] of list)
    within('adjacency_matrix', 'filters', () => within('filters', key, () => setup.parseQuery?.(query)));
  const separator = body['separator'] === undefined ? '&' : asString(body['separator'], 'separator');
  return adjacencyAggregator({ ...shared(request), filters: list, separator }, children, setup.budget);
};

const reverseNested: Reader = (request) => {
  const { name, above, children, setup } = request;
  const path = pathOf(request);
  if (!above.some(({ type }) => type === 'nested'))
    throw shardArgument(`Reverse nested aggregation [${name}] can only be used inside a [nested] aggregation`);
  return reverseNestedAggregator({ ...shared(request), path }, children, setup.budget);
};

const readByHand = { kind: 'bucket', makes: 'one', isReadByHand: true } as const;

export const FILTERS = {
  filter: {
    ...readByHand,
    cluster: rewritten('itself, with its query rewritten'),
    queries: (body) => [body],
    read: filter,
  },
  filters: {
    ...readByHand,
    cluster: OF_QUERIES,
    makes: 'named',
    queries: queriesOf,
    read: filters,
  },
  adjacency_matrix: {
    kind: 'bucket',
    cluster: limited(
      'one that has no aggregations inside or stands in none, with its queries rewritten',
      'engines give what is inside to the bucket of another one',
    ),
    makes: 'many',
    options: ['filters', 'separator'],
    queries: queriesOf,
    read: adjacencyMatrix,
  },
  missing: {
    kind: 'bucket',
    cluster: rewritten('a filter of documents that do not show the field or lack it'),
    makes: 'one',
    values: [...TERMS, 'range', 'geo'],
    ...ofField('format'),
    read: (request) => missingAggregator(sharedOfField(request), request.children, request.setup.budget),
  },
  global: {
    ...readByHand,
    cluster: rewritten('a filter of the view inside of it'),
    checkPlace(name, above) {
      if (above.length > 0)
        throw aggregationError(
          `Aggregation [${name}] cannot have a global sub-aggregation [${name}]. Global aggregations can only be defined as top level aggregations`,
        );
    },
    read(request) {
      checkTokens(
        request.body,
        {},
        (token) => `Expected [FIELD_NAME] under a [START_OBJECT], but got a [${token}] in [${request.name}]`,
      );
      return globalAggregator(shared(request), request.children, request.setup.budget);
    },
  },
  nested: {
    ...readByHand,
    cluster: NOT_NESTED,
    read(request) {
      const path = pathOf(request);
      if (path === undefined) throw parsingError(`Missing [path] field for nested aggregation [${request.name}]`);
      return nestedAggregator({ ...shared(request), path }, request.children, request.setup.budget);
    },
  },
  reverse_nested: { ...readByHand, cluster: NOT_NESTED, read: reverseNested },
} as const satisfies Readonly<Record<string, BucketAggregation>>;
