// Reads the aggregations that know their buckets only when all documents are known: sampler, diversified_sampler, auto_date_histogram,
// variable_width_histogram.
import { asChoice, asString, checkKeys, type Json } from '../json/json.ts';
import { dateFormat } from '../mapping/date-format.ts';
import { timeZone, UTC } from '../mapping/time-zone.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { AUTO_INTERVALS, autoDateHistogramAggregator } from './auto-date-histogram.ts';
import { printDate } from './read-histograms.ts';
import { fieldOf, integer, printer, type Reader, shared } from './read-definition.ts';
import { samplerAggregator } from './sampler.ts';
import { variableWidthAggregator } from './variable-width-histogram.ts';

/** Documents that one sampler keeps of an index at most: Elasticsearch's, which is as many as one search may have. */
const MOST_SAMPLED = 10_000;

/** Clusters that a variable_width_histogram begins with at most. */
const MOST_CLUSTERS = 10_000;

export const sampler: Reader = (definition) => {
  checkKeys(definition.body, 'sampler', ['shard_size']);
  const size = sampleSize(definition.body, definition.name);
  return samplerAggregator({ ...shared(definition), size }, definition.children, definition.setup.budget);
};

function sampleSize(body: Json, name: string): number {
  const size = integer(body, 'shard_size', 100);
  if (size < 1 || size > MOST_SAMPLED)
    throw illegalArgument(`[shard_size] must be between 1 and ${MOST_SAMPLED}. Found [${size}] in [${name}]`);
  return size;
}

export const diversifiedSampler: Reader = (definition) => {
  const { body, name, children, setup } = definition;
  const field = fieldOf(definition, 'diversified_sampler', ['shard_size', 'max_docs_per_value', 'execution_hint']);
  if (body['execution_hint'] !== undefined)
    asChoice(body['execution_hint'], 'execution_hint', ['map', 'global_ordinals', 'bytes_hash']);
  const most = integer(body, 'max_docs_per_value', 1);
  if (most < 1)
    throw illegalArgument(`[maxDocsPerValue] must be greater than or equal to 0. Found [${most}] in [${name}]`);
  const diversity = { field, missing: body['missing'] ?? undefined, most };
  return samplerAggregator({ ...shared(definition), size: sampleSize(body, name), diversity }, children, setup.budget);
};

export const variableWidthHistogram: Reader = (definition) => {
  const { body, name, children, setup } = definition;
  const field = fieldOf(definition, 'variable_width_histogram', ['buckets', 'shard_size', 'initial_buffer']);
  const buckets = integer(body, 'buckets', 10);
  if (buckets <= 0) throw illegalArgument(`buckets must be greater than [0] for [${name}]`);
  if (buckets > setup.budget.limit) throw illegalArgument(`buckets must be less than ${setup.budget.limit + 1}`);
  const size = integer(body, 'shard_size', buckets * 50);
  if (size <= 1) throw illegalArgument(`shard_size must be greater than [1] for [${name}]`);
  const buffer = integer(body, 'initial_buffer', Math.min(size * 10, 50_000));
  if (buffer <= 0) throw illegalArgument(`initial_buffer must be greater than [0] for [${name}]`);
  if (buffer < buckets)
    throw illegalArgument(`initial_buffer must be at least buckets but was [${buffer}<${buckets}] for [${name}]`);
  // Joining takes the square of them.
  const clusters = Math.min(Math.floor((size * 3) / 4), MOST_CLUSTERS);
  if (clusters < buckets)
    throw illegalArgument(`3/4 of shard_size must be at least buckets but was [${clusters}<${buckets}] for [${name}]`);
  return variableWidthAggregator(
    {
      ...shared(definition),
      field,
      missing: body['missing'] ?? undefined,
      buckets,
      clusters,
      print: body['format'] === undefined ? undefined : printer(asString(body['format'], 'format')),
    },
    children,
    setup.budget,
  );
};

export const autoDateHistogram: Reader = (definition) => {
  const { body, name, children, setup } = definition;
  const field = fieldOf(definition, 'auto_date_histogram', ['buckets', 'minimum_interval']);
  const buckets = integer(body, 'buckets', 10);
  if (buckets <= 0) throw illegalArgument(`buckets must be greater than 0 for [${name}]`);
  const most = Math.floor(setup.budget.limit / 100);
  if (buckets > most) throw illegalArgument(`buckets must be less than ${most + 1}`);
  const least = body['minimum_interval'];
  const zone = body['time_zone'] === undefined ? UTC : timeZone(asString(body['time_zone'], 'time_zone'));
  const format = body['format'] === undefined ? undefined : dateFormat(asString(body['format'], 'format'));
  return autoDateHistogramAggregator(
    {
      ...shared(definition),
      field,
      missing: body['missing'] ?? undefined,
      buckets,
      least:
        least === undefined
          ? 0
          : AUTO_INTERVALS.indexOf(asChoice(least, 'minimum_interval', AUTO_INTERVALS as string[])),
      zone,
      print: printDate(body['format'], format, zone),
    },
    children,
    setup.budget,
  );
};
