// Reads the aggregations whose buckets are given by their bounds: range, date_range, geo_distance, ip_range.
import { javaDouble } from '../json/java-values.ts';
import { asChoice, asNumber, asObject, asString, checkKeys, type Json, toList } from '../json/json.ts';
import { DEFAULT_DATE_FORMAT, type DateFormat, dateFormat } from '../mapping/date-format.ts';
import { parseDateMath } from '../mapping/date-math.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { metresIn, parsePoint } from '../mapping/geo.ts';
import { ipToTerm, networkToTerms, termToIp } from '../mapping/ip.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { ipRangeAggregator, type Range, rangeAggregator, type RangeOptions } from './ranges.ts';
import { printerOf } from './metrics.ts';
import {
  type BucketAggregation,
  type AggregationRequest,
  dateFormatOf,
  flag,
  givenPrinter,
  NUMERIC,
  ofField,
  type Reader,
  sharedOfField,
  zoneOf,
} from './definition.ts';
import { onShard } from './value-type.ts';
import { readIn } from '../columns/values.ts';

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

/** What the four have in common; `ranges` must be there. */
function rangeOptions(request: AggregationRequest): RangeOptions {
  const { type, name, body } = request;
  const options = sharedOfField(request);
  if (toList(body['ranges'] ?? []).length === 0)
    throw illegalArgument(`No [ranges] specified for the [${name}] aggregation`);
  return { ...options, typeName: type, keyed: flag(body, 'keyed', false) };
}

const range: Reader = (request) => {
  const { body, children, setup } = request;
  const options = rangeOptions(request);
  const ranges = readRanges(body, (value) => onShard(() => asNumber(value, 'ranges')));
  const format = givenPrinter(body);
  return rangeAggregator(
    {
      ...options,
      read: () => ranges,
      print: (value, mapped) => (printerOf(mapped, format) ?? javaDouble)(value),
      asString: (mapped) => printerOf(mapped, format) !== undefined,
    },
    children,
    setup.budget,
  );
};

/** Whether a field holds numbers that are no dates. */
const isPlain = (field: MappedField | undefined): boolean => field?.family === 'number';

const dateRange: Reader = (request) => {
  const { body, children, setup } = request;
  const options = rangeOptions(request);
  const zone = zoneOf(body);
  const given = dateFormatOf(body);
  const formatOf = (mapped: MappedField | undefined): DateFormat =>
    given ?? (mapped?.family === 'date' ? mapped.format : dateFormat(DEFAULT_DATE_FORMAT));
  return rangeAggregator(
    {
      ...options,
      reading: (mapped) => readIn(mapped, given, zone),
      read: (mapped) =>
        readRanges(body, (value) =>
          given === undefined && isPlain(mapped)
            ? onShard(() => asNumber(value, 'ranges'))
            : parseDateMath(typeof value === 'number' ? String(Math.trunc(value)) : String(value), formatOf(mapped), {
                now: setup.now,
                zone,
              }),
        ),
      print: (value, mapped) =>
        given === undefined && isPlain(mapped) ? javaDouble(value) : formatOf(mapped).print(value, zone),
      asString: (mapped) => given !== undefined || !isPlain(mapped),
    },
    children,
    setup.budget,
  );
};

const geoDistance: Reader = (request) => {
  const { body, children, setup } = request;
  const options = rangeOptions(request);
  const plane =
    body['distance_type'] !== undefined &&
    asChoice(body['distance_type'], 'distance_type', ['arc', 'plane']) === 'plane';
  if (body['origin'] === undefined) throw illegalArgument(`Aggregation [${request.name}] must define an [origin].`);
  const ranges = readRanges(body, (value) => asNumber(value, 'ranges'));
  return rangeAggregator(
    {
      ...options,
      missing: undefined,
      read: () => ranges,
      print: (value) => javaDouble(value),
      asString: () => false,
      distance: {
        origin: parsePoint(body['origin']),
        plane,
        unit: metresIn(body['unit'] === undefined ? 'm' : asString(body['unit'], 'unit')),
        missing: body['missing'] === undefined ? undefined : parsePoint(body['missing']),
      },
    },
    children,
    setup.budget,
  );
};

const ipRange: Reader = (request) => {
  const { body, children, setup } = request;
  const options = rangeOptions(request);
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
      ...options,
      ranges,
      print: termToIp,
    },
    children,
    setup.budget,
  );
};

/** They count by ranges, whose bounds a profile does not tell. */
const ofRanges = { kind: 'bucket', makes: 'named', profile: () => ({ className: 'RangeAggregator' }) } as const;

export const RANGES = {
  range: {
    ...ofRanges,
    values: NUMERIC,
    unmapped: 'double',
    ...ofField('format', 'ranges', 'keyed'),
    read: range,
  },
  date_range: {
    ...ofRanges,
    values: NUMERIC,
    unmapped: 'date',
    ...ofField('format', 'time_zone', 'ranges', 'keyed'),
    read: dateRange,
  },
  geo_distance: {
    ...ofRanges,
    values: ['geo'],
    ...ofField('origin', 'ranges', 'unit', 'distance_type', 'keyed'),
    read: geoDistance,
  },
  ip_range: {
    ...ofRanges,
    values: ['ip'],
    profile: () => ({ className: 'BinaryRangeAggregator' }),
    ...ofField('ranges', 'keyed'),
    read: ipRange,
  },
} as const satisfies Readonly<Record<string, BucketAggregation>>;
