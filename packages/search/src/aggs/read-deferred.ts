// Reads the aggregations that know their buckets only when all documents are known: sampler, diversified_sampler, auto_date_histogram,
// variable_width_histogram.
import { isOneOf } from '@lockstitch/kernel';
import { asChoice, type Json, textOf } from '../json/json.ts';
import { contentError, illegalArgument, shardArgument } from '../errors/request-error.ts';
import { AUTO_INTERVALS, autoDateHistogramAggregator } from './auto-date-histogram.ts';
import { checkTokens } from './read-filters.ts';
import { printDate } from './read-histograms.ts';
import {
  type BucketAggregation,
  dateFormatOf,
  givenPrinter,
  integer,
  NUMERIC,
  ofField,
  type Reader,
  shared,
  sharedOfField,
  TERMS,
  zoneOf,
  type Ancestor,
} from './definition.ts';
import { samplerAggregator } from './sampler.ts';
import { variableWidthAggregator } from './variable-width-histogram.ts';
import { SAMPLE, SKETCH } from './on-cluster.ts';
import { refused } from '../query/cluster/verdict.ts';

/** Clusters that a variable_width_histogram begins with at most. */
const MOST_CLUSTERS = 10_000;

const sampler: Reader = (request) => {
  checkTokens(
    request.body,
    { shard_size: ['VALUE_NUMBER'] },
    (_, key) => `Unsupported property "${key}" for aggregation "${request.name}`,
  );
  const size = sampleSize(request.body);
  return samplerAggregator({ ...shared(request), size }, request.children, request.setup.budget);
};

function sampleSize(body: Json): number {
  const size = integer(body, 'shard_size', 100);
  if (size < 1)
    throw shardArgument('numHits must be > 0; please use TotalHitCountCollector if you just need the total hit count');
  return size;
}

/** What `execution_hint` may be. */
const HINTS: readonly unknown[] = ['map', 'global_ordinals', 'bytes_hash'];

const diversifiedSampler: Reader = (request) => {
  const { body, name, children, setup } = request;
  const { field, missing, ...options } = sharedOfField(request);
  for (const [key, word] of [
    ['shard_size', 'shardSize'],
    ['max_docs_per_value', 'maxDocsPerValue'],
  ] as const)
    if (integer(body, key, 1) < 0)
      throw contentError(`[diversified_sampler] failed to parse field [${key}]`, {
        type: 'illegal_argument_exception',
        reason: `[${word}] must be greater than or equal to 0. Found [${integer(body, key, 1)}] in [${name}]`,
      });
  const hint = body['execution_hint'] ?? 'map';
  if (!HINTS.includes(hint))
    throw shardArgument(
      `Unknown \`execution_hint\`: [${textOf(hint)}], expected any of [map, bytes_hash, global_ordinals]`,
    );
  const most = integer(body, 'max_docs_per_value', 1);
  const diversity = { field, missing, most };
  return samplerAggregator({ ...options, size: sampleSize(body), diversity }, children, setup.budget);
};

const variableWidthHistogram: Reader = (request) => {
  const { body, name, children, setup } = request;
  const options = sharedOfField(request);
  const buckets = integer(body, 'buckets', 10);
  if (buckets <= 0) throw illegalArgument(`buckets must be greater than [0] for [${name}]`);
  if (buckets > setup.budget.limit) throw illegalArgument(`buckets must be less than ${setup.budget.limit + 1}`);
  const size = integer(body, 'shard_size', buckets * 50);
  if (size <= 1) throw illegalArgument(`shard_size must be greater than [1] for [${name}]`);
  const buffer = integer(body, 'initial_buffer', Math.min(size * 10, 50_000));
  if (buffer <= 0) throw illegalArgument(`initial_buffer must be greater than [0] for [${name}]`);
  if (buffer < buckets)
    throw shardArgument(`initial_buffer must be at least buckets but was [${buffer}<${buckets}] for [${name}]`);
  // Joining takes the square of them.
  const clusters = Math.min(Math.floor((size * 3) / 4), MOST_CLUSTERS);
  if (clusters < buckets)
    throw shardArgument(`3/4 of shard_size must be at least buckets but was [${clusters}<${buckets}] for [${name}]`);
  return variableWidthAggregator(
    {
      ...options,
      buckets,
      clusters,
      print: givenPrinter(body),
    },
    children,
    setup.budget,
  );
};

const autoDateHistogram: Reader = (request) => {
  const { body, name, children, setup } = request;
  const options = sharedOfField(request);
  const buckets = integer(body, 'buckets', 10);
  if (buckets <= 0) throw illegalArgument(`buckets must be greater than 0 for [${name}]`);
  const most = Math.floor(setup.budget.limit / 100);
  if (buckets > most) throw illegalArgument(`buckets must be less than ${most + 1}`);
  const least = body['minimum_interval'];
  if (typeof least === 'string' && !isOneOf(AUTO_INTERVALS, least))
    // In the order of Java's map of them.
    throw illegalArgument('minimum_interval must be one of [[minute, year, month, hour, second, day]]');
  const zone = zoneOf(body, 'auto_date_histogram');
  const format = dateFormatOf(body);
  return autoDateHistogramAggregator(
    {
      ...options,
      buckets,
      least: least === undefined ? 0 : AUTO_INTERVALS.indexOf(asChoice(least, 'minimum_interval', AUTO_INTERVALS)),
      zone,
      print: printDate(body['format'], format, zone),
    },
    children,
    setup.budget,
  );
};

/** Whether Elasticsearch expects more than one bucket of an aggregation: of a sample it knows no number. */
function collectsSeveral({ body, makes, type }: Ancestor): boolean {
  if (makes !== 'named') return makes === 'many' || type === 'sampler' || type === 'diversified_sampler';
  const named = body['ranges'] ?? body['filters'];
  return typeof named === 'object' && named !== null && Object.keys(named).length > 1;
}

export const DEFERRED = {
  sampler: { kind: 'bucket', cluster: SAMPLE, makes: 'one', isReadByHand: true, read: sampler },
  diversified_sampler: {
    kind: 'bucket',
    cluster: SAMPLE,
    makes: 'one',
    values: TERMS,
    ...ofField('shard_size', 'max_docs_per_value', 'execution_hint'),
    read: diversifiedSampler,
  },
  variable_width_histogram: {
    kind: 'bucket',
    cluster: SKETCH,
    makes: 'many',
    values: NUMERIC,
    unmapped: 'double',
    ...ofField('format', 'buckets', 'shard_size', 'initial_buffer'),
    checkPlace(_, above) {
      if (above.some(collectsSeveral))
        throw shardArgument(
          '[variable_width_histogram] cannot be nested inside an aggregation that collects more than a single bucket.',
        );
    },
    read: variableWidthHistogram,
  },
  auto_date_histogram: {
    kind: 'bucket',
    cluster: refused('its interval depends on how the documents lie in shards'),
    makes: 'many',
    isHistogram: true,
    values: NUMERIC,
    unmapped: 'date',
    ...ofField('format', 'time_zone', 'buckets', 'minimum_interval'),
    profile: ({ isTop }, buckets) => ({
      className: isTop ? 'FromSingle' : 'FromMany',
      debug: { surviving_buckets: buckets },
    }),
    read: autoDateHistogram,
  },
} as const satisfies Readonly<Record<string, BucketAggregation>>;
