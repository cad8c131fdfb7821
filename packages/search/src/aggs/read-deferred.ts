// Reads the aggregations that know their buckets only when all documents are known: sampler, auto_date_histogram.
import { asChoice, asString, checkKeys } from '../json.ts';
import { dateFormat } from '../mapping/date-format.ts';
import { timeZone, UTC } from '../mapping/time-zone.ts';
import { illegalArgument } from '../request-error.ts';
import { AUTO_INTERVALS, autoDateHistogramAggregator } from './auto-date-histogram.ts';
import { fieldOf, integer, type Reader, shared } from './read-definition.ts';
import { samplerAggregator } from './sampler.ts';

/** Documents that one sampler keeps of an index at most: Elasticsearch's, which is as many as one search may have. */
const MOST_SAMPLED = 10_000;

export const sampler: Reader = (definition) => {
  checkKeys(definition.body, 'sampler', ['shard_size']);
  const size = integer(definition.body, 'shard_size', 100);
  if (size < 1 || size > MOST_SAMPLED)
    throw illegalArgument(
      `[shard_size] must be between 1 and ${MOST_SAMPLED}. Found [${size}] in [${definition.name}]`,
    );
  return samplerAggregator({ ...shared(definition), size }, definition.children, definition.setup.budget);
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
      print: (value, mapped) =>
        (format ?? (mapped?.family === 'date' ? mapped.format : dateFormat('strict_date_optional_time'))).print(
          value,
          zone,
        ),
    },
    children,
    setup.budget,
  );
};
