// Limits the buckets of histograms. A cluster creates the empty buckets between two values before it counts them: an interval of a second
// over years exhausts the memory of Elasticsearch 7.10. So the range of the values is asked first.
import { tooManyBuckets } from '../aggs/aggregator.ts';
import { CALENDAR, dateBounds, numberBounds } from '../aggs/read-histograms.ts';
import { readTime } from '../json/time-value.ts';
import { searchError } from '../errors/search-errors.ts';
import { isObject, type Json, textOf } from '../json/json.ts';
import { MATCH_ALL, MATCH_NONE } from '../query/cluster/leaves.ts';
import type { ClusterCompiler } from '../query/cluster/cluster-compiler.ts';

interface Histogram {
  readonly type: string;
  readonly body: Json;
  /** Whether it is below a `global`, to which the query does not apply. */
  readonly isGlobal: boolean;
}

/** The embedded engine stops counting at this number. */
const COUNTED = 100_001;
const TYPES = ['histogram', 'date_histogram'];
const SECOND = 1000;
const DAY = 86_400 * SECOND;
/** Milliseconds, at most as many as the shortest of each unit has. */
const UNITS = {
  s: SECOND,
  m: 60 * SECOND,
  h: 3600 * SECOND,
  d: DAY * 0.9,
  w: DAY * 6,
  M: DAY * 28,
  q: DAY * 89,
  y: DAY * 365,
};

/** The histograms that show empty buckets. */
function withEmptyBuckets(aggregations: Json, isGlobal = false): readonly Histogram[] {
  return Object.values(aggregations).flatMap((given): readonly Histogram[] => {
    const { aggregations: other, aggs = other, ...rest } = isObject(given) ? given : {};
    const within = isGlobal || 'global' in rest;
    const own = TYPES.flatMap((type): readonly Histogram[] => {
      const body = rest[type];
      return isObject(body) && Number(body['min_doc_count'] ?? 0) < 1 ? [{ type, body, isGlobal: within }] : [];
    });
    return isObject(aggs) ? [...own, ...withEmptyBuckets(aggs, within)] : own;
  });
}

/** Aggregations to ask before those of a request, and the check of their answer. */
export interface BucketCheck {
  readonly aggregations: Json;
  /** @throws RequestError too_many_buckets_exception */
  readonly judge: (answer: Json) => void;
}

/**
 * @param most buckets of a request
 * @param now what `now` means in bounds
 * @returns undefined where no histogram shows empty buckets
 * @throws ProductError SEARCH_NOT_ON_CLUSTER for a histogram of ranges
 */
export function bucketCheck(
  aggregations: Json,
  query: Json,
  at: ClusterCompiler,
  most: number,
  now: number,
): BucketCheck | undefined {
  const histograms = withEmptyBuckets(aggregations);
  if (histograms.length === 0) return undefined;
  const asked = histograms.map(({ body, isGlobal, type }): Json => {
    const path = textOf(body['field']);
    const field = at.fields.field(path);
    if (field?.family === 'range') throw refuse(type, 'one range may be in more buckets than there is room for');
    if (typeof body['missing'] === 'string') throw refuse(type, 'a number is sent for missing values, and no text');
    const shown = field === undefined ? MATCH_NONE : at.shown(path, MATCH_ALL);
    const ends = field === undefined ? {} : { aggs: { min: { min: { field: path } }, max: { max: { field: path } } } };
    return { filter: { bool: { filter: isGlobal ? [shown] : [query, shown] } }, ...ends };
  });
  return {
    aggregations: Object.fromEntries(asked.map((each, place) => [`${place}`, each])),
    judge(answer) {
      for (const [place, { body, type }] of histograms.entries()) {
        const found = answer[`${place}`];
        const missing = typeof body['missing'] === 'number' ? [body['missing']] : [];
        const values = [...missing, ...['min', 'max'].flatMap((end) => valueOf(found, end))];
        // Without values there are the buckets between the bounds alone, which the reader of the request counts.
        if (values.length === 0) continue;
        const format = at.fields.field(textOf(body['field']))?.format;
        const [hard, extended] = (['hard_bounds', 'extended_bounds'] as const).map((name) =>
          type === 'histogram' ? numberBounds(body, name) : dateBounds(body, name, format, now),
        );
        const { max = Infinity, min = -Infinity } = hard ?? {};
        const inside = values.map((value) => Math.max(min, Math.min(max, value)));
        const ends = [...inside, extended?.min ?? [], extended?.max ?? []].flat();
        const length = (Math.max(...ends) - Math.min(...ends)) / intervalOf(body);
        if (length > most) throw tooManyBuckets(most, Math.min(Math.ceil(length), COUNTED), true);
      }
    },
  };
}

function valueOf(found: unknown, end: string): readonly number[] {
  const value = isObject(found) && isObject(found[end]) ? found[end]['value'] : undefined;
  return typeof value === 'number' ? [value] : [];
}

/** The interval of a histogram; of dates in milliseconds. */
function intervalOf({ calendar_interval: calendar, fixed_interval: fixed, interval }: Json): number {
  const given = calendar ?? fixed ?? interval;
  if (typeof given === 'number') return given;
  const text = textOf(given);
  const unit = fixed === undefined && Object.hasOwn(CALENDAR, text) ? CALENDAR[text] : undefined;
  if (unit !== undefined) return UNITS[unit];
  const number = Number(text);
  return Number.isNaN(number) ? readTime(text, 'date_histogram.fixedInterval') : number;
}

function refuse(type: string, reason: string): Error {
  return searchError('SEARCH_NOT_ON_CLUSTER', { what: `an aggregation [${type}]`, reason });
}
