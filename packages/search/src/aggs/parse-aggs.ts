// Request JSON → aggregations ready to run: which types there are and which members each knows. What an aggregation
// computes stands in the files beside; everything not known is refused by name.
import { javaDouble } from '../mapping/java-values.ts';
import {
  asNumber,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
  nearest,
  setMember,
  textOf,
  tokenOf,
} from '../json/json.ts';
import {
  aggregationError,
  asContentError,
  contentError,
  shardArgument,
  illegalArgument,
  initializationError,
  parsingError,
  RequestError,
  unsupported,
  validationError,
} from '../errors/request-error.ts';
import type { Aggregator } from './aggregator.ts';
import {
  adjacencyAggregator,
  filterAggregator,
  filtersAggregator,
  globalAggregator,
  missingAggregator,
  nestedAggregator,
  reverseNestedAggregator,
} from './filters.ts';
import { countAggregator, geoAggregator, weightedAverageAggregator } from './metrics.ts';
import { boxplotAggregator, medianDeviationAggregator } from './percentiles.ts';
import { composite } from './read-composite.ts';
import { matrixStats, tTest } from './read-comparisons.ts';
import { autoDateHistogram, diversifiedSampler, sampler, variableWidthHistogram } from './read-deferred.ts';
import { profiled } from './profile.ts';
import {
  applyParents,
  inOrder,
  isParent,
  isSibling,
  PIPELINES,
  readParent,
  readSibling,
  type SiblingPipeline,
} from './pipelines.ts';
import {
  type AggregationSetup,
  fieldOf,
  flag,
  metric,
  noScript,
  printer,
  type Reader,
  shared,
} from './read-definition.ts';
import { geoGrid } from './read-geo-grid.ts';
import type { DateBuckets } from './histogram.ts';
import { rate } from './rate.ts';
import type { ParentPipeline } from './pipeline.ts';
import { dateBuckets, dateHistogram, histogram } from './read-histograms.ts';
import { percentiles, stats } from './read-metrics.ts';
import { dateRange, geoDistance, ipRange, range } from './read-ranges.ts';
import { rareTerms, significant, significantText, terms } from './read-terms.ts';
import { isRewritten } from './rewritten.ts';
import { stringStatsAggregator } from './string-stats.ts';
import { withValueType } from './value-type.ts';
import { topMetrics } from './top-metrics.ts';

/** Aggregations of Elasticsearch 7.10 that this engine does not have. */
const UNSUPPORTED = ['scripted_metric', 'children', 'parent', 'inference'];

/** All aggregations and, as each costs as much, all filters that make buckets of one. */
function countAggregations(json: unknown, depth: number): number {
  // Deeper ones are refused while they are read.
  if (!isObject(json) || depth > 21) return 0;
  return Object.values(json).reduce<number>((sum, value) => {
    if (!isObject(value)) return sum + 1;
    const own = value['filters'] ?? value['adjacency_matrix'];
    const filters = isObject(own) ? own['filters'] : undefined;
    const parts = Array.isArray(filters) ? filters.length : isObject(filters) ? Object.keys(filters).length : 0;
    const inner = countAggregations(value['aggs'], depth + 1) + countAggregations(value['aggregations'], depth + 1);
    return sum + 1 + parts + inner;
  }, 0);
}

/**
 * Reads `aggs`.
 *
 * @param above the types of the aggregations that these stand in, outermost first
 * @param beside all definitions of the level, where `json` leaves some out
 * @param dates the nearest date_histogram around
 * @throws RequestError naming what is not understood
 */
export function parseAggregations(
  json: unknown,
  setup: AggregationSetup,
  above: readonly string[] = [],
  beside?: Json,
  dates?: DateBuckets,
): Aggregator[] {
  const depth = above.length;
  const object = asObject(json, 'aggs');
  const level = beside ?? object;
  if (depth > 20) throw illegalArgument('Aggregations are nested deeper than 20 levels');
  if (depth === 0) {
    const count = countAggregations(object, 0);
    if (count > setup.maxAggregations) {
      throw illegalArgument(
        `Too many aggregations in one request: at most [${setup.maxAggregations}] are allowed but there were [${count}]. Ask in several requests.`,
      );
    }
  }
  return Object.entries(object).map(([name, value]) => {
    if (!/^[^[\]>]+$/.test(name)) {
      throw parsingError(
        `Invalid aggregation name [${name}]. Aggregation names can contain any character except '[', ']', and '>'`,
      );
    }
    const since = performance.now();
    const body = asObject(value, name);
    let type: string | undefined;
    let children: readonly Aggregator[] = [];
    let inner: Json = {};
    let meta: Json | undefined;
    for (const [key, member] of Object.entries(body)) {
      if (key === 'aggs' || key === 'aggregations') inner = asObject(member, key);
      else if (key === 'meta') meta = asObject(member, 'meta');
      else if (type === undefined) type = key;
      else throw parsingError(`Found two aggregation type definitions in [${name}]: [${type}] and [${key}]`);
    }
    if (type === undefined) throw parsingError(`Missing definition for aggregation [${name}]`);
    if (isSibling(type)) {
      if (Object.keys(inner).length > 0) {
        throw parsingError(`Aggregation [${name}] cannot define sub-aggregations`);
      }
      return siblingAggregator(name, meta, readSibling(type, name, asObject(body[type], type), level));
    }
    if (isParent(type))
      throw validationError(`${type} aggregation [${name}] must be declared inside of another aggregation`);
    const { collected, pipelines } = splitParents(inner, type, asObject(body[type] ?? {}, type));
    checkPlace(type, name, above);
    const around =
      type === 'date_histogram' ? readBody(type, {}, () => dateBuckets(asObject(body[type], type))) : dates;
    children = parseAggregations(collected, setup, [...above, type], inner, around);
    // A builder that was rewritten says so by a meta that nobody gave it, and so do those that it stands in.
    if (meta === undefined && isRewritten(body)) meta = {};
    const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
    if (reader === undefined) {
      if (UNSUPPORTED.includes(type)) throw unsupported(`aggregation [${type}]`);
      throw parsingError(
        `Unknown aggregation type [${type}]${nearest(type, [...Object.keys(READERS), ...PIPELINES])}`,
        {
          causedBy: { type: 'named_object_not_found_exception', reason: `unknown field [${type}]` },
        },
      );
    }
    if (Object.keys(inner).length > 0 && LEAVES.includes(type)) {
      throw initializationError(`Aggregator [${name}] of type [${type}] cannot accept sub-aggregations`);
    }
    const definition = asObject(body[type], type);
    const plain = withValueType(
      readBody(type, definition, () => reader({ name, meta, body: definition, children, setup, above, dates: around })),
      type,
      definition,
    );
    const made = setup.budget.isProfiled
      ? profiled(plain, { type, body: asObject(body[type], type), isTop: depth === 0, children, since })
      : plain;
    return pipelines.length === 0 ? made : withParents(made, pipelines, setup.typedKeys);
  });
}

/** Aggregations whose bodies Elasticsearch reads by hand; all others are read by a parser of objects, which words mistakes its own way. */
const READ_BY_HAND = ['filter', 'filters', 'global', 'nested', 'reverse_nested', 'sampler', 'top_hits', 'matrix_stats'];
/** What such a parser says of values. What is missing is found once all is read, and told as it is. */
const OF_VALUES = ['parsing_exception', 'number_format_exception', 'json_parse_exception'];

/** Options that are compared with others once all is read, on a shard. */
const OF_SHARD = /^(?:buckets must be less|No \[ranges\]|\[after\] has|Missing value for \[after)/;
const isOfShard = (type: string, { message }: RequestError): boolean =>
  OF_SHARD.test(message) || (type === 'date_histogram' && /^\[(?:extended|hard)_bounds/.test(message));
/** The least that counts may be. */
const LEAST: Readonly<Record<string, number>> = { shard_size: 1, min_doc_count: 0, shard_min_doc_count: 0 };

/** @throws RequestError for a value that no aggregation takes for such an option */
function checkBody(type: string, body: Json): void {
  for (const [key, value] of Object.entries(body)) {
    const isText = key === 'field' || key === 'format';
    const isBad = isText ? typeof value !== 'string' : key === 'missing' && Array.isArray(value);
    if (isBad && value !== undefined)
      throw contentError(`[${type}] ${key} doesn't support values of type: ${tokenOf(value)}`);
    const least = Object.hasOwn(LEAST, key) ? LEAST[key]! : -Infinity;
    if (typeof value === 'number' && value < least)
      throw contentError(`[${type}] failed to parse field [${key}]`, {
        type: 'illegal_argument_exception',
        reason: `[${key}] must be at least [${least}]. Found [${value}]`,
      });
  }
}

function readBody<Read>(type: string, body: Json, reader: () => Read): Read {
  try {
    if (!READ_BY_HAND.includes(type)) checkBody(type, body);
    return reader();
  } catch (error) {
    if (error instanceof RequestError && error.details.phase === undefined && isOfShard(type, error))
      throw shardArgument(error.message);
    const isValue =
      error instanceof RequestError &&
      (OF_VALUES.includes(error.type) ||
        (error.type === 'illegal_argument_exception' &&
          !/^Required|cannot be null|must define an/.test(error.message)));
    throw isValue && !READ_BY_HAND.includes(type) ? asContentError(error, type) : error;
  }
}

/** Aggregations of one bucket in each bucket above, and those of as many as the request names, which may be one. */
const SINGLE_BUCKET = [
  'date_range',
  'filters',
  'geo_distance',
  'ip_range',
  'range',
  'diversified_sampler',
  'filter',
  'global',
  'missing',
  'nested',
  'reverse_nested',
  'sampler',
];

/** @throws RequestError for an aggregation that knows of one bucket only, where there may be several above */
function checkPlace(type: string, name: string, above: readonly string[]): void {
  if (type === 'composite') {
    const many = above.findLast((each) => each !== 'nested');
    if (many !== undefined)
      throw shardArgument(`[composite] aggregation cannot be used with a parent aggregation of type: [${many}]`);
  }
  if (type === 'variable_width_histogram' && above.some((each) => !SINGLE_BUCKET.includes(each)))
    throw shardArgument(`[${type}] cannot be nested inside an aggregation that collects more than a single bucket.`);
  if (type === 'global' && above.length > 0)
    throw aggregationError(
      `Aggregation [${name}] cannot have a global sub-aggregation [${name}]. Global aggregations can only be defined as top level aggregations`,
    );
}

/** Takes the pipelines that change an aggregation's own buckets out of what is inside of it. */
function splitParents(
  inner: Json,
  type: string,
  body: Json,
): { readonly collected: Json; readonly pipelines: readonly ParentPipeline[] } {
  const collected: Record<string, unknown> = {};
  const pipelines: ParentPipeline[] = [];
  for (const [name, value] of Object.entries(inner)) {
    const members = isObject(value) ? Object.keys(value).filter((key) => key !== 'meta') : [];
    const kind = members.find(isParent);
    if (kind === undefined || !isObject(value)) {
      setMember(collected, name, value);
      continue;
    }
    if (members.length > 1) throw parsingError(`Found more than one definition in the pipeline aggregation [${name}]`);
    pipelines.push(readParent(kind, name, asObject(value[kind], kind), { type, body, inner, meta: value['meta'] }));
  }
  inOrder(pipelines);
  return { collected, pipelines };
}

function withParents(made: Aggregator, pipelines: readonly ParentPipeline[], typedKeys: boolean): Aggregator {
  const result = (bucket: number): Json => applyParents(made.result(bucket), pipelines, typedKeys);
  return Object.create(made, { result: { value: result } }) as Aggregator;
}

function siblingAggregator(name: string, meta: Json | undefined, pipeline: SiblingPipeline): Aggregator {
  return {
    name,
    typeName: pipeline.typeName,
    meta,
    needsScores: false,
    open: () => undefined,
    fromSiblings: (printed) => pipeline.compute(printed),
    result: () => ({}),
  };
}

/** The aggregation types that are understood; for docs/compatibility.md. */
export function aggregationTypes(): { readonly supported: readonly string[]; readonly refused: readonly string[] } {
  return { supported: [...Object.keys(READERS), ...PIPELINES].sort(), refused: UNSUPPORTED.toSorted() };
}

/** Those that take none inside. */
const LEAVES = [
  'matrix_stats',
  'rate',
  't_test',
  'boxplot',
  'string_stats',
  'top_metrics',
  'significant_text',
  'avg',
  'sum',
  'min',
  'max',
  'stats',
  'extended_stats',
  'value_count',
  'cardinality',
  'percentiles',
  'percentile_ranks',
  'median_absolute_deviation',
  'weighted_avg',
  'geo_bounds',
  'geo_centroid',
  'top_hits',
];

/** Filters of one matrix at most: `index.max_adjacency_matrix_filters`. */
const MOST_FILTERS = 100;

function withinLimit<Filter>(filters: readonly Filter[]): readonly Filter[] {
  if (filters.length > MOST_FILTERS)
    throw shardArgument(
      `Number of filters is too large, must be less than or equal to: [${MOST_FILTERS}] but was [${filters.length}].This limit can be set by changing the [index.max_adjacency_matrix_filters] index level setting.`,
    );
  return filters;
}

const READERS: Readonly<Record<string, Reader>> = {
  avg: stats('avg'),
  sum: stats('sum'),
  min: stats('min'),
  max: stats('max'),
  stats: stats('stats'),
  extended_stats: stats('extended_stats'),
  value_count: (definition) => countAggregator('value_count', metric(definition, 'value_count', [])),
  cardinality(definition) {
    const options = metric(definition, 'cardinality', ['precision_threshold', 'rehash']);
    const threshold = definition.body['precision_threshold'];
    if (threshold !== undefined && asNumber(threshold, 'precision_threshold') < 0) {
      throw illegalArgument(
        `[precisionThreshold] must be greater than or equal to 0. Found [${textOf(threshold)}] in [${definition.name}]`,
      );
    }
    return countAggregator('cardinality', options);
  },
  percentiles: percentiles('percentiles'),
  percentile_ranks: percentiles('percentile_ranks'),
  median_absolute_deviation(definition) {
    const options = metric(definition, 'median_absolute_deviation', ['compression']);
    const compression = definition.body['compression'];
    if (compression !== undefined && asNumber(compression, 'compression') <= 0) {
      throw illegalArgument(
        `[compression] must be greater than 0. Found [${javaDouble(Number(compression))}] in [${definition.name}]`,
      );
    }
    return medianDeviationAggregator(options);
  },
  boxplot: (definition) => boxplotAggregator(metric(definition, 'boxplot', ['compression'])),
  string_stats: (definition) =>
    stringStatsAggregator({
      ...metric(definition, 'string_stats', ['show_distribution']),
      showsDistribution: flag(definition.body, 'show_distribution', false),
    }),
  top_metrics: topMetrics,
  weighted_avg({ name, meta, body }) {
    checkKeys(body, 'weighted_avg', ['value', 'weight', 'format', 'value_type']);
    if (body['weight'] === undefined) throw shardArgument('Could not find field name [weight] in multiValuesSource');
    const part = (key: string): { field: string; missing: unknown } => {
      const value = asObject(body[key], key);
      noScript(value);
      checkKeys(value, key, ['field', 'missing']);
      return { field: asString(value['field'], `${key}.field`), missing: value['missing'] ?? undefined };
    };
    const format = body['format'] === undefined ? undefined : printer(asString(body['format'], 'format'));
    return weightedAverageAggregator(name, meta, part('value'), part('weight'), format);
  },
  geo_bounds: (definition) =>
    geoAggregator('geo_bounds', {
      ...metric(definition, 'geo_bounds', ['wrap_longitude']),
      wraps: flag(definition.body, 'wrap_longitude', true),
    }),
  geo_centroid: (definition) => geoAggregator('geo_centroid', metric(definition, 'geo_centroid', [])),
  top_hits: ({ name, meta, body, setup }) => setup.topHits(name, meta, body),
  terms,
  rare_terms: rareTerms,
  significant_terms: significant,
  significant_text: significantText,
  histogram,
  date_histogram: dateHistogram,
  range,
  date_range: dateRange,
  ip_range: ipRange,
  geo_distance: geoDistance,
  geohash_grid: geoGrid('geohash_grid'),
  geotile_grid: geoGrid('geotile_grid'),
  composite,
  sampler,
  diversified_sampler: diversifiedSampler,
  auto_date_histogram: autoDateHistogram,
  variable_width_histogram: variableWidthHistogram,
  matrix_stats: matrixStats,
  t_test: tTest,
  rate,
  filter(definition) {
    definition.setup.parseQuery?.(definition.body);
    return filterAggregator(
      { ...shared(definition), query: definition.body },
      definition.children,
      definition.setup.budget,
    );
  },
  filters(definition) {
    const { body } = definition;
    checkKeys(body, 'filters', ['filters', 'other_bucket', 'other_bucket_key']);
    const given = body['filters'];
    if (
      given === undefined ||
      (isObject(given) && Object.keys(given).length === 0) ||
      (Array.isArray(given) && given.length === 0)
    )
      throw illegalArgument('[filters] cannot be empty.');
    const keyed = !Array.isArray(given);
    const filters: readonly (readonly [string | undefined, unknown])[] = Array.isArray(given)
      ? given.map((query) => [undefined, query] as const)
      : Object.entries(asObject(given, 'filters'));
    for (const [, query] of filters) definition.setup.parseQuery?.(query);
    const other =
      body['other_bucket_key'] === undefined
        ? flag(body, 'other_bucket', false)
          ? '_other_'
          : undefined
        : asString(body['other_bucket_key'], 'other_bucket_key');
    return filtersAggregator(
      { ...shared(definition), filters, other, keyed },
      definition.children,
      definition.setup.budget,
    );
  },
  adjacency_matrix(definition) {
    const { body } = definition;
    checkKeys(body, 'adjacency_matrix', ['filters', 'separator']);
    const given = body['filters'];
    if (given === undefined || (isObject(given) && Object.keys(given).length === 0)) {
      const reason = `[${definition.name}] is missing : filters parameter`;
      throw new RequestError('SEARCH_PARSING', 'illegal_state_exception', reason);
    }
    const filters = withinLimit(Object.entries(asObject(given, 'filters')));
    for (const [, query] of filters) definition.setup.parseQuery?.(query);
    return adjacencyAggregator(
      {
        ...shared(definition),
        filters,
        separator: body['separator'] === undefined ? '&' : asString(body['separator'], 'separator'),
      },
      definition.children,
      definition.setup.budget,
    );
  },
  missing(definition) {
    const field = fieldOf(definition, 'missing', []);
    return missingAggregator(
      { ...shared(definition), field, missing: definition.body['missing'] ?? undefined },
      definition.children,
      definition.setup.budget,
    );
  },
  global(definition) {
    checkKeys(definition.body, 'global', []);
    return globalAggregator(shared(definition), definition.children, definition.setup.budget);
  },
  nested(definition) {
    checkKeys(definition.body, 'nested', ['path']);
    return nestedAggregator(
      { ...shared(definition), path: asString(definition.body['path'], 'path') },
      definition.children,
      definition.setup.budget,
    );
  },
  reverse_nested(definition) {
    checkKeys(definition.body, 'reverse_nested', ['path']);
    if (!definition.above.includes('nested'))
      throw shardArgument(
        `Reverse nested aggregation [${definition.name}] can only be used inside a [nested] aggregation`,
      );
    const path = definition.body['path'] === undefined ? undefined : asString(definition.body['path'], 'path');
    return reverseNestedAggregator({ ...shared(definition), path }, definition.children, definition.setup.budget);
  },
};
