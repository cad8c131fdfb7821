// Request JSON → aggregations ready to run: which types there are and which members each knows. What an aggregation
// computes stands in the files beside; everything not known is refused by name.
import { didYouMean } from '@lockstitch/kernel';
import { duration } from '../dsl/function-score.ts';
import {
  asBoolean,
  asChoice,
  asInteger,
  asNumber,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
  toList,
  textOf,
} from '../json.ts';
import { dateFormat } from '../mapping/date-format.ts';
import { type CalendarUnit, parseDateMath } from '../mapping/date-math.ts';
import { type MappedField, printDouble } from '../mapping/field-type.ts';
import { metresIn, parsePoint } from '../mapping/geo.ts';
import { ipToTerm, networkToTerms, termToIp } from '../mapping/ip.ts';
import { timeZone, UTC } from '../mapping/time-zone.ts';
import { illegalArgument, parsingError, unsupported } from '../request-error.ts';
import type { Aggregator, BucketBudget } from './aggregator.ts';
import { readOrder } from './bucket-order.ts';
import { compositeAggregator, type CompositeSource, geoGridAggregator, geohash, geotile } from './composite.ts';
import {
  adjacencyAggregator,
  filterAggregator,
  filtersAggregator,
  globalAggregator,
  missingAggregator,
  nestedAggregator,
  reverseNestedAggregator,
} from './filters.ts';
import { dateRounding, fixedRounding, histogramAggregator, type Rounding } from './histogram.ts';
import {
  countAggregator,
  geoAggregator,
  medianDeviationAggregator,
  type MetricOptions,
  percentilesAggregator,
  statsAggregator,
  weightedAverageAggregator,
} from './metrics.ts';
import { decimalFormat } from './number-format.ts';
import { ipRangeAggregator, type Range, rangeAggregator } from './ranges.ts';
import { readTermFilter } from './term-filter.ts';
import { termsAggregator } from './terms.ts';

/** What aggregations of one request share. */
export interface AggregationSetup {
  readonly budget: BucketBudget;
  readonly typedKeys: boolean;
  readonly now: number;
  /** Makes `top_hits`, which needs the fetching of hits. */
  topHits(name: string, meta: Json | undefined, body: Json): Aggregator;
}

interface Definition {
  readonly name: string;
  readonly meta: Json | undefined;
  readonly body: Json;
  readonly children: readonly Aggregator[];
  readonly setup: AggregationSetup;
}

type Reader = (definition: Definition) => Aggregator;

/** Aggregations of Elasticsearch 7.10 that this engine does not have. */
const UNSUPPORTED = [
  'avg_bucket',
  'sum_bucket',
  'min_bucket',
  'max_bucket',
  'stats_bucket',
  'extended_stats_bucket',
  'percentiles_bucket',
  'derivative',
  'cumulative_sum',
  'moving_fn',
  'moving_avg',
  'serial_diff',
  'bucket_script',
  'bucket_selector',
  'bucket_sort',
  'significant_terms',
  'significant_text',
  'sampler',
  'diversified_sampler',
  'scripted_metric',
  'matrix_stats',
  'auto_date_histogram',
  'variable_width_histogram',
  'children',
  'parent',
  'top_metrics',
  'string_stats',
  'boxplot',
  't_test',
  'rate',
];

/** Reads `aggs`. @throws RequestError naming what is not understood */
export function parseAggregations(json: unknown, setup: AggregationSetup, depth = 0): Aggregator[] {
  const object = asObject(json, 'aggs');
  if (depth > 20) throw illegalArgument('Aggregations are nested deeper than 20 levels');
  return Object.entries(object).map(([name, value]) => {
    if (!/^[^[\]>]+$/.test(name)) {
      throw parsingError(
        `Invalid aggregation name [${name}]. Aggregation names can contain any character except '[', ']', and '>'`,
      );
    }
    const body = asObject(value, name);
    let type: string | undefined;
    let children: readonly Aggregator[] = [];
    let meta: Json | undefined;
    for (const [key, member] of Object.entries(body)) {
      if (key === 'aggs' || key === 'aggregations') children = parseAggregations(member, setup, depth + 1);
      else if (key === 'meta') meta = asObject(member, 'meta');
      else if (type === undefined) type = key;
      else throw parsingError(`Found two aggregation type definitions in [${name}]: [${type}] and [${key}]`);
    }
    if (type === undefined) throw parsingError(`Missing definition for aggregation [${name}]`);
    const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
    if (reader === undefined) {
      if (UNSUPPORTED.includes(type)) throw unsupported(`aggregation [${type}]`);
      throw parsingError(
        `Unknown aggregation type [${type}]${didYouMean(type, Object.keys(READERS)).replace(/^ Did/, ' did')}`,
        {
          causedBy: { type: 'named_object_not_found_exception', reason: `unknown field [${type}]` },
        },
      );
    }
    if (children.length > 0 && METRICS.includes(type)) {
      throw parsingError(`Aggregator [${name}] of type [${type}] cannot accept sub-aggregations`);
    }
    return reader({ name, meta, body: asObject(body[type], type), children, setup });
  });
}

/** The aggregation types that are understood; for docs/compatibility.md. */
export function aggregationTypes(): { readonly supported: readonly string[]; readonly refused: readonly string[] } {
  return { supported: Object.keys(READERS).sort(), refused: UNSUPPORTED.toSorted() };
}

function noScript(body: Json): void {
  if (body['script'] !== undefined) throw unsupported('[script] in aggregations');
}

/** Checks the members and finds the field. */
function fieldOf({ name, body }: Definition, type: string, known: readonly string[]): string {
  noScript(body);
  checkKeys(body, type, ['field', 'missing', 'format', 'value_type', 'time_zone', ...known]);
  if (body['field'] === undefined) {
    throw illegalArgument(
      `Required one of fields [field, script], but none were specified. [${type}] aggregation [${name}] needs a field.`,
    );
  }
  return asString(body['field'], 'field');
}

function metric(definition: Definition, type: string, known: readonly string[]): MetricOptions {
  const field = fieldOf(definition, type, known);
  const format = definition.body['format'];
  return {
    name: definition.name,
    meta: definition.meta,
    field,
    missing: definition.body['missing'] ?? undefined,
    print: format === undefined ? undefined : printer(asString(format, 'format')),
  };
}

/** A format of numbers or of dates: patterns of `#` and `0` are numbers'. */
function printer(format: string, zone?: string): (value: number) => string {
  if (/[#0]/.test(format)) return decimalFormat(format);
  const dates = dateFormat(format);
  return (value) => dates.print(value, zone === undefined ? UTC : timeZone(zone));
}

function flag(body: Json, key: string, fallback: boolean): boolean {
  return body[key] === undefined ? fallback : asBoolean(body[key], key);
}

function integer(body: Json, key: string, fallback: number): number {
  return body[key] === undefined ? fallback : asInteger(body[key], key);
}

function stats(type: 'avg' | 'sum' | 'min' | 'max' | 'stats' | 'extended_stats'): Reader {
  return (definition) => {
    const options = metric(definition, type, type === 'extended_stats' ? ['sigma'] : []);
    const sigma = definition.body['sigma'] === undefined ? 2 : asNumber(definition.body['sigma'], 'sigma');
    if (sigma < 0)
      throw illegalArgument(
        `[sigma] must be greater than or equal to 0. Found [${printDouble(sigma, false)}] in [${definition.name}]`,
      );
    return statsAggregator(type, { ...options, sigma });
  };
}

function percentiles(type: 'percentiles' | 'percentile_ranks'): Reader {
  return (definition) => {
    const { body, name } = definition;
    const key = type === 'percentiles' ? 'percents' : 'values';
    const options = metric(definition, type, [key, 'keyed', 'tdigest', 'hdr']);
    if (isObject(body['tdigest'])) {
      checkKeys(body['tdigest'], 'tdigest', ['compression']);
      if (body['tdigest']['compression'] !== undefined && asNumber(body['tdigest']['compression'], 'compression') < 0) {
        throw illegalArgument(
          `[compression] must be greater than or equal to 0. Found [${textOf(body['tdigest']['compression'])}] in [${name}]`,
        );
      }
    }
    if (isObject(body['hdr'])) {
      checkKeys(body['hdr'], 'hdr', ['number_of_significant_value_digits']);
      const digits = body['hdr']['number_of_significant_value_digits'];
      if (digits !== undefined && (asNumber(digits, 'number_of_significant_value_digits') < 0 || Number(digits) > 5)) {
        throw illegalArgument(`[numberOfSignificantValueDigits] must be between 0 and 5: [${name}]`);
      }
    }
    if (type === 'percentile_ranks' && body['values'] === undefined)
      throw illegalArgument(`[values] must not be null: [${name}]`);
    const given = body[key] === undefined ? [1, 5, 25, 50, 75, 95, 99] : body[key];
    if (!Array.isArray(given) || given.length === 0) throw illegalArgument(`[${key}] must not be empty: [${name}]`);
    const at = given.map((each) => asNumber(each, key)).sort((a, b) => a - b);
    if (type === 'percentiles' && at.some((each) => each < 0 || each > 100)) {
      throw illegalArgument(
        `percent must be in [0,100], got [${at.find((each) => each < 0 || each > 100)}]: [${name}]`,
      );
    }
    return percentilesAggregator(type, {
      ...options,
      at,
      keyed: flag(body, 'keyed', true),
      hdr: body['hdr'] !== undefined,
    });
  };
}

const COUNT_DESCENDING = [
  { by: '_count', descending: true },
  { by: '_key', descending: false },
];

const terms: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'terms', [
    'size',
    'shard_size',
    'min_doc_count',
    'shard_min_doc_count',
    'order',
    'include',
    'exclude',
    'show_term_doc_count_error',
    'collect_mode',
    'execution_hint',
  ]);
  const size = integer(body, 'size', 10);
  if (size <= 0) throw illegalArgument(`[size] must be greater than 0. Found [${size}] in [${name}]`);
  const minDocCount = integer(body, 'min_doc_count', 1);
  if (minDocCount < 0)
    throw illegalArgument(`[minDocCount] must be greater than or equal to 0. Found [${minDocCount}] in [${name}]`);
  return termsAggregator(
    {
      name,
      meta,
      field,
      size,
      minDocCount,
      order: readOrder(body['order'], COUNT_DESCENDING),
      filter: readTermFilter(body['include'], body['exclude']),
      missing: body['missing'] ?? undefined,
      print: body['format'] === undefined ? undefined : printer(asString(body['format'], 'format')),
      showErrors: flag(body, 'show_term_doc_count_error', false),
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

const rareTerms: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'rare_terms', ['max_doc_count', 'precision', 'include', 'exclude']);
  const maxDocCount = integer(body, 'max_doc_count', 1);
  if (maxDocCount < 1 || maxDocCount > 100) {
    throw illegalArgument(
      `[max_doc_count] must be greater than 0 and at most 100. Found [${maxDocCount}] in [${name}]`,
    );
  }
  return termsAggregator(
    {
      name,
      meta,
      field,
      size: Infinity,
      minDocCount: 1,
      maxDocCount,
      order: [
        { by: '_count', descending: false },
        { by: '_key', descending: false },
      ],
      filter: readTermFilter(body['include'], body['exclude']),
      missing: body['missing'] ?? undefined,
      print: body['format'] === undefined ? undefined : printer(asString(body['format'], 'format')),
      showErrors: false,
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

const KEY_ASCENDING = [{ by: '_key', descending: false }];

function bounds(
  value: unknown,
  read: (value: unknown) => number,
): { min: number | undefined; max: number | undefined } | undefined {
  if (value === undefined) return undefined;
  const object = asObject(value, 'extended_bounds');
  checkKeys(object, 'extended_bounds', ['min', 'max']);
  const part = (key: string): number | undefined =>
    object[key] === undefined || object[key] === null ? undefined : read(object[key]);
  const min = part('min');
  const max = part('max');
  if (min !== undefined && max !== undefined && min > max) {
    throw illegalArgument(`[extended_bounds.min][${min}] cannot be greater than [extended_bounds.max][${max}]`);
  }
  return { min, max };
}

const histogram: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'histogram', [
    'interval',
    'offset',
    'order',
    'keyed',
    'min_doc_count',
    'extended_bounds',
    'hard_bounds',
  ]);
  if (body['interval'] === undefined)
    throw illegalArgument(`Required field [interval] is missing in histogram [${name}]`);
  const interval = asNumber(body['interval'], 'interval');
  if (interval <= 0) throw illegalArgument(`[interval] must be >0 for histogram aggregation [${name}]`);
  const read = (value: unknown): number => asNumber(value, 'extended_bounds');
  const format = body['format'] === undefined ? undefined : printer(asString(body['format'], 'format'));
  const offset = body['offset'] === undefined ? 0 : asNumber(body['offset'], 'offset');
  return histogramAggregator(
    {
      name,
      meta,
      typeName: 'histogram',
      field,
      rounding: fixedRounding(interval, ((offset % interval) + interval) % interval),
      minDocCount: integer(body, 'min_doc_count', 0),
      order: readOrder(body['order'], KEY_ASCENDING),
      keyed: flag(body, 'keyed', false),
      missing: body['missing'] ?? undefined,
      bounds: bounds(body['extended_bounds'], read),
      hardBounds: bounds(body['hard_bounds'], read),
      print: format,
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

const CALENDAR: Readonly<Record<string, CalendarUnit>> = {
  second: 's',
  '1s': 's',
  minute: 'm',
  '1m': 'm',
  hour: 'h',
  '1h': 'h',
  day: 'd',
  '1d': 'd',
  week: 'w',
  '1w': 'w',
  month: 'M',
  '1M': 'M',
  quarter: 'q',
  '1q': 'q',
  year: 'y',
  '1y': 'y',
};

function dateInterval(body: Json, name: string): CalendarUnit | number {
  const calendar = body['calendar_interval'];
  const fixed = body['fixed_interval'];
  const legacy = body['interval'];
  if ([calendar, fixed, legacy].filter((each) => each !== undefined).length > 1) {
    throw illegalArgument(
      `Cannot use more than one of [interval], [fixed_interval] and [calendar_interval] configuration options in [${name}].`,
    );
  }
  if (calendar !== undefined) {
    const unit = CALENDAR[textOf(calendar)];
    if (unit === undefined)
      throw illegalArgument(`The supplied interval [${textOf(calendar)}] could not be parsed as a calendar interval.`);
    return unit;
  }
  if (fixed !== undefined) return fixedLength(fixed);
  if (legacy !== undefined)
    return CALENDAR[textOf(legacy)] ?? (typeof legacy === 'number' ? legacy : fixedLength(legacy));
  throw illegalArgument(
    `Required one of fields [interval, calendar_interval, fixed_interval], but none were specified in [${name}].`,
  );
}

function fixedLength(value: unknown): number {
  if (!/^\d+(?:ms|s|m|h|d)$/.test(String(value))) {
    throw illegalArgument(
      `failed to parse setting [date_histogram.fixedInterval] with value [${String(value)}] as a time value: unit is missing or unrecognized`,
    );
  }
  const length = duration(value);
  if (length <= 0) throw illegalArgument('[interval] must be 1 or greater for aggregation [date_histogram]');
  return length;
}

function dateOffset(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  const text = textOf(value);
  return text.startsWith('-') ? -duration(text.slice(1)) : duration(text.replace(/^\+/, ''));
}

const dateHistogram: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'date_histogram', [
    'interval',
    'calendar_interval',
    'fixed_interval',
    'offset',
    'order',
    'keyed',
    'min_doc_count',
    'extended_bounds',
    'hard_bounds',
  ]);
  const zone = body['time_zone'] === undefined ? UTC : timeZone(asString(body['time_zone'], 'time_zone'));
  const format = body['format'] === undefined ? undefined : dateFormat(asString(body['format'], 'format'));
  const read = (value: unknown): number =>
    typeof value === 'number'
      ? value
      : parseDateMath(String(value), format ?? dateFormat('strict_date_optional_time||epoch_millis'), {
          now: setup.now,
          zone,
        });
  return histogramAggregator(
    {
      name,
      meta,
      typeName: 'date_histogram',
      field,
      rounding: dateRounding(dateInterval(body, name), zone, dateOffset(body['offset'])),
      minDocCount: integer(body, 'min_doc_count', 0),
      order: readOrder(body['order'], KEY_ASCENDING),
      keyed: flag(body, 'keyed', false),
      missing: body['missing'] ?? undefined,
      bounds: bounds(body['extended_bounds'], read),
      hardBounds: bounds(body['hard_bounds'], read),
      print: (value, mapped) =>
        (format ?? (mapped?.family === 'date' ? mapped.format : dateFormat('strict_date_optional_time'))).print(
          value,
          zone,
        ),
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

function readRanges<Bound>(body: Json, read: (value: unknown) => Bound, extra: readonly string[] = []): Range<Bound>[] {
  return toList(body['ranges']).map((each) => {
    const range = asObject(each, 'ranges');
    checkKeys(range, 'ranges', ['key', 'from', 'to', ...extra]);
    const part = (key: string): Bound | undefined =>
      range[key] === undefined || range[key] === null ? undefined : read(range[key]);
    return {
      key: range['key'] === undefined ? undefined : asString(range['key'], 'key'),
      from: part('from'),
      to: part('to'),
    };
  });
}

function needRanges(body: Json, name: string): void {
  if (!Array.isArray(body['ranges']) || body['ranges'].length === 0) {
    throw illegalArgument(`No [ranges] specified for the [${name}] aggregation`);
  }
}

const range: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'range', ['ranges', 'keyed']);
  needRanges(body, name);
  const ranges = readRanges(body, (value) => asNumber(value, 'ranges'));
  const format = body['format'] === undefined ? undefined : printer(asString(body['format'], 'format'));
  return rangeAggregator(
    {
      name,
      meta,
      typeName: 'range',
      field,
      keyed: flag(body, 'keyed', false),
      missing: body['missing'] ?? undefined,
      read: () => ranges,
      print: (value) => (format === undefined ? printDouble(value, false) : format(value)),
      asString: format !== undefined,
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

const dateRange: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'date_range', ['ranges', 'keyed']);
  needRanges(body, name);
  const zone = body['time_zone'] === undefined ? UTC : timeZone(asString(body['time_zone'], 'time_zone'));
  const given = body['format'] === undefined ? undefined : dateFormat(asString(body['format'], 'format'));
  const formatOf = (mapped: MappedField | undefined): ReturnType<typeof dateFormat> =>
    given ?? (mapped?.family === 'date' ? mapped.format : dateFormat('strict_date_optional_time||epoch_millis'));
  return rangeAggregator(
    {
      name,
      meta,
      typeName: 'date_range',
      field,
      keyed: flag(body, 'keyed', false),
      missing: body['missing'] ?? undefined,
      read: (mapped) =>
        readRanges(body, (value) =>
          typeof value === 'number' && given === undefined
            ? value
            : parseDateMath(String(value), formatOf(mapped), { now: setup.now, zone }),
        ),
      print: (value, mapped) => formatOf(mapped).print(value, zone),
      asString: true,
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

const geoDistance: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'geo_distance', ['origin', 'ranges', 'unit', 'distance_type', 'keyed']);
  needRanges(body, name);
  if (body['origin'] === undefined) throw illegalArgument(`Missing [origin] in geo_distance aggregator [${name}]`);
  const ranges = readRanges(body, (value) => asNumber(value, 'ranges'));
  return rangeAggregator(
    {
      name,
      meta,
      typeName: 'geo_distance',
      field,
      keyed: flag(body, 'keyed', false),
      missing: undefined,
      read: () => ranges,
      print: (value) => printDouble(value, false),
      asString: false,
      distance: {
        origin: parsePoint(body['origin']),
        unit: metresIn(body['unit'] === undefined ? 'm' : asString(body['unit'], 'unit')),
      },
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

const ipRange: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'ip_range', ['ranges', 'keyed']);
  needRanges(body, name);
  const term = (value: unknown): string => {
    const found = ipToTerm(String(value));
    if (found === undefined) throw illegalArgument(`'${String(value)}' is not an IP string literal.`);
    return found;
  };
  const ranges = toList(body['ranges']).map((each): Range<string> => {
    const entry = asObject(each, 'ranges');
    checkKeys(entry, 'ranges', ['key', 'from', 'to', 'mask']);
    if (entry['mask'] === undefined) return readRanges({ ranges: [entry] }, term)[0]!;
    const mask = asString(entry['mask'], 'mask');
    const network = networkToTerms(mask);
    if (network === undefined) throw illegalArgument(`[${mask}] is not a network in CIDR notation`);
    const after = BigInt(`0x${network[1]}`) + 1n;
    return {
      key: entry['key'] === undefined ? mask : asString(entry['key'], 'key'),
      from: network[0],
      to: after.toString(16).length > 32 ? undefined : after.toString(16).padStart(32, '0'),
    };
  });
  return ipRangeAggregator(
    {
      name,
      meta,
      typeName: 'ip_range',
      field,
      keyed: flag(body, 'keyed', false),
      missing: undefined,
      ranges,
      print: termToIp,
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

function compositeSource(json: unknown): CompositeSource {
  const named = asObject(json, 'sources');
  const [name, ...more] = Object.keys(named);
  if (name === undefined || more.length > 0) throw parsingError('[composite] each source must have exactly one name');
  const definition = asObject(named[name], name);
  const [kind, ...others] = Object.keys(definition);
  if (kind === undefined || others.length > 0)
    throw parsingError(`[composite] source [${name}] must have exactly one type`);
  const chosen = asChoice(kind, 'sources', ['terms', 'histogram', 'date_histogram']);
  const body = asObject(definition[kind], kind);
  noScript(body);
  checkKeys(body, kind, [
    'field',
    'order',
    'missing_bucket',
    'value_type',
    'format',
    'interval',
    'calendar_interval',
    'fixed_interval',
    'time_zone',
    'offset',
  ]);
  const zone = body['time_zone'] === undefined ? UTC : timeZone(asString(body['time_zone'], 'time_zone'));
  const format = body['format'] === undefined ? undefined : dateFormat(asString(body['format'], 'format'));
  let rounding: Rounding | undefined;
  if (chosen === 'histogram') {
    const interval = asNumber(body['interval'], 'interval');
    if (interval <= 0) throw illegalArgument('[interval] must be greater than 0 for [histogram] source');
    rounding = fixedRounding(interval, 0);
  } else if (chosen === 'date_histogram')
    rounding = dateRounding(dateInterval(body, name), zone, dateOffset(body['offset']));
  return {
    name,
    kind: chosen,
    field: asString(body['field'], 'field'),
    descending: body['order'] !== undefined && asChoice(body['order'], 'order', ['asc', 'desc']) === 'desc',
    missingBucket: flag(body, 'missing_bucket', false),
    rounding,
    print: format === undefined ? undefined : (value) => format.print(value, zone),
    read(value, field) {
      if (value === undefined || value === null) return null;
      if (typeof value === 'boolean') return value ? 1 : 0;
      if (typeof value === 'string' && field !== undefined && field.family !== 'keyword' && field.family !== 'ip') {
        return (format ?? field.format).parse(value, zone) ?? Number(value);
      }
      if (typeof value === 'string') return field?.family === 'ip' ? (ipToTerm(value) ?? value) : value;
      return field?.family === 'keyword' ? textOf(value) : asNumber(value, 'after');
    },
  };
}

const composite: Reader = ({ body, name, meta, children, setup }) => {
  checkKeys(body, 'composite', ['sources', 'size', 'after']);
  const sources = toList(body['sources'] ?? []).map((each) => compositeSource(each));
  if (sources.length === 0) throw illegalArgument('Composite [sources] cannot be null or empty');
  const names = new Set(sources.map((source) => source.name));
  if (names.size < sources.length) throw illegalArgument('Composite source names must be unique');
  const after = body['after'] === undefined ? undefined : asObject(body['after'], 'after');
  if (after !== undefined && Object.keys(after).length !== sources.length) {
    throw illegalArgument(`[after] has ${Object.keys(after).length} value(s) but [sources] has ${sources.length}`);
  }
  return compositeAggregator(
    { name, meta, size: integer(body, 'size', 10), sources, after, typedKeys: setup.typedKeys },
    children,
    setup.budget,
  );
};

function geoGrid(type: 'geohash_grid' | 'geotile_grid'): Reader {
  return (definition) => {
    const { body, name, meta, children, setup } = definition;
    const field = fieldOf(definition, type, ['precision', 'size', 'shard_size', 'bounds']);
    if (body['bounds'] !== undefined) throw unsupported(`[bounds] in [${type}]`);
    const precision = integer(body, 'precision', type === 'geohash_grid' ? 5 : 7);
    const [low, high] = type === 'geohash_grid' ? [1, 12] : [0, 29];
    if (precision < low || precision > high) {
      throw illegalArgument(`Invalid ${type} precision of ${precision}. Must be between ${low} and ${high}.`);
    }
    return geoGridAggregator(
      {
        name,
        meta,
        typeName: type,
        field,
        size: integer(body, 'size', 10_000),
        cell: (lat, lon) => (type === 'geohash_grid' ? geohash(lat, lon, precision) : geotile(lat, lon, precision)),
        typedKeys: setup.typedKeys,
      },
      children,
      setup.budget,
    );
  };
}

const METRICS = [
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

const shared = ({ name, meta, setup }: Definition): { name: string; meta: Json | undefined; typedKeys: boolean } => ({
  name,
  meta,
  typedKeys: setup.typedKeys,
});

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
        `[compression] must be greater than 0. Found [${printDouble(Number(compression), false)}] in [${definition.name}]`,
      );
    }
    return medianDeviationAggregator(options);
  },
  weighted_avg({ name, meta, body }) {
    checkKeys(body, 'weighted_avg', ['value', 'weight', 'format', 'value_type']);
    const part = (key: string): { field: string; missing: unknown } => {
      const value = asObject(body[key], key);
      noScript(value);
      checkKeys(value, key, ['field', 'missing']);
      return { field: asString(value['field'], `${key}.field`), missing: value['missing'] ?? undefined };
    };
    return weightedAverageAggregator(name, meta, part('value'), part('weight'));
  },
  geo_bounds: (definition) => geoAggregator('geo_bounds', metric(definition, 'geo_bounds', ['wrap_longitude'])),
  geo_centroid: (definition) => geoAggregator('geo_centroid', metric(definition, 'geo_centroid', [])),
  top_hits: ({ name, meta, body, setup }) => setup.topHits(name, meta, body),
  terms,
  rare_terms: rareTerms,
  histogram,
  date_histogram: dateHistogram,
  range,
  date_range: dateRange,
  ip_range: ipRange,
  geo_distance: geoDistance,
  geohash_grid: geoGrid('geohash_grid'),
  geotile_grid: geoGrid('geotile_grid'),
  composite,
  filter(definition) {
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
    if (given === undefined) throw illegalArgument('[filters] cannot be null');
    const keyed = !Array.isArray(given);
    const filters: readonly (readonly [string | undefined, unknown])[] = Array.isArray(given)
      ? given.map((query) => [undefined, query] as const)
      : Object.entries(asObject(given, 'filters'));
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
    return adjacencyAggregator(
      {
        ...shared(definition),
        filters: Object.entries(asObject(body['filters'], 'filters')),
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
    const path = definition.body['path'] === undefined ? undefined : asString(definition.body['path'], 'path');
    return reverseNestedAggregator({ ...shared(definition), path }, definition.children, definition.setup.budget);
  },
};
