// The aggregations whose buckets are named by the request: `filter`, `filters`, `adjacency_matrix`, `missing`, `global`, `nested` and
// `reverse_nested`.
import { asObject, asString, isObject } from '../json/json.ts';
import { aggregationError, illegalArgument, RequestError, shardArgument } from '../errors/request-error.ts';
import { type BucketAggregation, flag, ofField, type Reader, shared, sharedOfField, TERMS } from './definition.ts';
import {
  adjacencyAggregator,
  filterAggregator,
  filtersAggregator,
  globalAggregator,
  missingAggregator,
  nestedAggregator,
  reverseNestedAggregator,
} from './filters.ts';

/** Filters of one matrix at most: `index.max_adjacency_matrix_filters`. */
const MOST_FILTERS = 100;

const isEmpty = (given: unknown): boolean =>
  given === undefined || ((isObject(given) || Array.isArray(given)) && Object.keys(given).length === 0);

/** The members of `filters`, an object or a list. */
function queriesOf({ filters }: { readonly filters?: unknown }): readonly unknown[] {
  return isObject(filters) || Array.isArray(filters) ? Object.values(filters) : [];
}

const filter: Reader = (request) => {
  request.setup.parseQuery?.(request.body);
  return filterAggregator({ ...shared(request), query: request.body }, request.children, request.setup.budget);
};

const filters: Reader = (request) => {
  const { body, children, setup } = request;
  const given = body['filters'];
  if (isEmpty(given)) throw illegalArgument('[filters] cannot be empty.');
  const keyed = !Array.isArray(given);
  const list: readonly (readonly [string | undefined, unknown])[] = Array.isArray(given)
    ? given.map((query) => [undefined, query] as const)
    : Object.entries(asObject(given, 'filters'));
  for (const [, query] of list) setup.parseQuery?.(query);
  const other =
    body['other_bucket_key'] === undefined
      ? flag(body, 'other_bucket', false)
        ? '_other_'
        : undefined
      : asString(body['other_bucket_key'], 'other_bucket_key');
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
  for (const [, query] of list) setup.parseQuery?.(query);
  const separator = body['separator'] === undefined ? '&' : asString(body['separator'], 'separator');
  return adjacencyAggregator({ ...shared(request), filters: list, separator }, children, setup.budget);
};

const reverseNested: Reader = (request) => {
  const { body, name, above, children, setup } = request;
  if (!above.some(({ type }) => type === 'nested'))
    throw shardArgument(`Reverse nested aggregation [${name}] can only be used inside a [nested] aggregation`);
  const path = body['path'] === undefined ? undefined : asString(body['path'], 'path');
  return reverseNestedAggregator({ ...shared(request), path }, children, setup.budget);
};

const readByHand = { kind: 'bucket', makes: 'one', isReadByHand: true } as const;

export const FILTERS = {
  filter: { ...readByHand, queries: (body) => [body], read: filter },
  filters: {
    ...readByHand,
    makes: 'named',
    options: ['filters', 'other_bucket', 'other_bucket_key'],
    queries: queriesOf,
    read: filters,
  },
  adjacency_matrix: {
    kind: 'bucket',
    makes: 'many',
    options: ['filters', 'separator'],
    queries: queriesOf,
    read: adjacencyMatrix,
  },
  missing: {
    kind: 'bucket',
    makes: 'one',
    values: [...TERMS, 'range', 'geo'],
    ...ofField('format'),
    read: (request) => missingAggregator(sharedOfField(request), request.children, request.setup.budget),
  },
  global: {
    ...readByHand,
    options: [],
    checkPlace(name, above) {
      if (above.length > 0)
        throw aggregationError(
          `Aggregation [${name}] cannot have a global sub-aggregation [${name}]. Global aggregations can only be defined as top level aggregations`,
        );
    },
    read: (request) => globalAggregator(shared(request), request.children, request.setup.budget),
  },
  nested: {
    ...readByHand,
    options: ['path'],
    read: (request) =>
      nestedAggregator(
        { ...shared(request), path: asString(request.body['path'], 'path') },
        request.children,
        request.setup.budget,
      ),
  },
  reverse_nested: { ...readByHand, options: ['path'], read: reverseNested },
} as const satisfies Readonly<Record<string, BucketAggregation>>;
