// Reads the aggregations whose buckets are given by their bounds: range, date_range, geo_distance, ip_range.
import { javaDouble } from '../json/java-values.ts';
import { asChoice, asNumber, asObject, asString, isObject, type Json, textOf, toList, tokenOf } from '../json/json.ts';
import { checkToken, type MemberKind, unknownMember, within } from '../json/object-parser.ts';
import { parseDecimal } from '../text/number-format.ts';
import { DEFAULT_DATE_FORMAT, type DateFormat, dateFormat } from '../mapping/date-format.ts';
import { parseDateMath } from '../mapping/date-math.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { UTC } from '../mapping/time-zone.ts';
import { metresIn, missingPoint, parsePoint, type Point } from '../mapping/geo.ts';
import { ipToTerm, networkToTerms, termToIp } from '../mapping/ip.ts';
import { contentError, illegalArgument, parsingError } from '../errors/request-error.ts';
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
import { OF_FIELD } from './on-cluster.ts';

/** @throws RequestError for what is no range, by a parser of objects */
function checkRanges(body: Json): void {
  for (const each of toList(body['ranges'] ?? [])) {
    if (!isObject(each)) throw contentError('[range] Expected START_OBJECT but was: END_ARRAY');
    for (const [key, value] of Object.entries(each)) {
      const kind = Object.hasOwn(RANGE, key) ? RANGE[key] : undefined;
      if (kind === undefined) throw unknownMember('range', key, Object.keys(RANGE));
      checkToken('range', key, value, kind);
    }
  }
}

const RANGE: Readonly<Record<string, MemberKind>> = { key: 'number', from: 'numberOrNull', to: 'numberOrNull' };

/** @throws RequestError for what is no range of distances, which is read by hand */
function checkDistances(body: Json): void {
  for (const each of toList(body['ranges'] ?? [])) {
    if (!isObject(each)) throw parsingError('Failed to parse object: unexpected token [END_ARRAY] found');
    for (const [key, value] of Object.entries(each)) {
      const isText = typeof value === 'string' && key === 'key';
      if (value === null || isText) continue;
      if (typeof value === 'object' || typeof value === 'boolean')
        throw parsingError(`Failed to parse object: unexpected token [${tokenOf(value)}] found`);
      if (key !== 'from' && key !== 'to') throw parsingError(`Failed to parse object: unknown field [${key}] found`);
    }
  }
}

/** @throws RequestError for what is no range of addresses, which is read by hand */
function checkAddresses(body: Json): void {
  for (const each of toList(body['ranges'] ?? [])) {
    if (!isObject(each)) throw parsingError(`[ranges] must contain objects, but hit a ${tokenOf(each)}`);
    const other = Object.keys(each).find((key) => !['key', 'from', 'to', 'mask'].includes(key));
    if (other !== undefined) throw parsingError(`Unexpected ip range parameter: [${other}]`);
  }
}

function readRanges<Bound>(body: Json, read: (value: unknown) => Bound): Range<Bound>[] {
  return toList(body['ranges']).map((each) => {
    const range = asObject(each, 'ranges');
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
function rangeOptions(request: AggregationRequest, check: (body: Json) => void = checkRanges): RangeOptions {
  const { type, name, body } = request;
  within(type, 'ranges', () => check(body));
  const options = sharedOfField(request);
  if (toList(body['ranges'] ?? []).length === 0)
    throw illegalArgument(`No [ranges] specified for the [${name}] aggregation`);
  return { ...options, typeName: type, keyed: flag(body, 'keyed', false) };
}

const range: Reader = (request) => {
  const { body, children, setup } = request;
  const options = rangeOptions(request);
  const format = givenPrinter(body);
  const bound = (value: unknown, mapped: MappedField | undefined): number =>
    mapped?.family === 'date'
      ? parseDateMath(textOf(value), dateFormatOf(body) ?? mapped.format, { now: setup.now, zone: UTC })
      : typeof body['format'] === 'string' && typeof value === 'string'
        ? parseDecimal(body['format'], value)
        : asNumber(value, 'ranges');
  return rangeAggregator(
    {
      ...options,
      read: (mapped) => onShard(() => readRanges(body, (value) => bound(value, mapped))),
      print: (value, mapped) => (printerOf(mapped, format) ?? javaDouble)(value),
      text: (value, mapped) =>
        mapped?.family === 'boolean' ? value !== 0 : (printerOf(mapped, format) ?? javaDouble)(value),
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
  const zone = zoneOf(body, 'date_range');
  const options = rangeOptions(request);
  const given = dateFormatOf(body);
  const printer = givenPrinter(body);
  const formatOf = (mapped: MappedField | undefined): DateFormat =>
    given ?? (mapped?.family === 'date' ? mapped.format : dateFormat(DEFAULT_DATE_FORMAT));
  return rangeAggregator(
    {
      ...options,
      reading: (mapped) => readIn(mapped, given, zone),
      read: (mapped) =>
        readRanges(body, (value) =>
          isPlain(mapped)
            ? onShard(() =>
                typeof body['format'] === 'string' && typeof value === 'string'
                  ? parseDecimal(body['format'], value)
                  : asNumber(typeof value === 'number' ? Math.trunc(value) : value, 'ranges'),
              )
            : parseDateMath(typeof value === 'number' ? String(Math.trunc(value)) : textOf(value), formatOf(mapped), {
                now: setup.now,
                zone,
              }),
        ),
      print: (value, mapped) =>
        isPlain(mapped) ? (printer?.(value) ?? javaDouble(value)) : formatOf(mapped).print(value, zone),
      asString: (mapped) => body['format'] !== undefined || !isPlain(mapped),
    },
    children,
    setup.budget,
  );
};

/** The point that distances are measured from. Numbers and texts are read otherwise than those of documents. */
function originOf(value: unknown): Point {
  if (Array.isArray(value)) {
    if (value.length > 2) throw parsingError('malformed [origin]: a geo point array must be of the form [lon, lat]');
    return { lon: Number(value[0] ?? 0), lat: Number(value[1] ?? 0) };
  }
  if (isObject(value)) {
    const { lat, lon } = value;
    if (typeof lat === 'number' && typeof lon === 'number') return { lat, lon };
    throw parsingError(
      `malformed [${Object.keys(value).at(-1) ?? 'null'}] geo point object. either [lat] or [lon] (or both) are missing`,
    );
  }
  const [, lat, lon] = /^([^,]+),([^,]+)$/.exec(textOf(value)) ?? [];
  return lat === undefined ? parsePoint(value) : { lat: Number(lat), lon: Number(lon) };
}

const geoDistance: Reader = (request) => {
  const { body, children, setup } = request;
  const origin =
    body['origin'] === undefined ? undefined : within('geo_distance', 'origin', () => originOf(body['origin']));
  const options = rangeOptions(request, checkDistances);
  const plane =
    body['distance_type'] !== undefined &&
    asChoice(body['distance_type'], 'distance_type', ['arc', 'plane']) === 'plane';
  if (origin === undefined) throw illegalArgument(`Aggregation [${request.name}] must define an [origin].`);
  const ranges = readRanges(body, (value) => asNumber(value, 'ranges'));
  return rangeAggregator(
    {
      ...options,
      missing: undefined,
      read: () => ranges,
      print: (value) => javaDouble(value),
      asString: () => false,
      distance: {
        origin,
        plane,
        unit: metresIn(body['unit'] === undefined ? 'm' : asString(body['unit'], 'unit')),
        get missing() {
          return missingPoint(body['missing']);
        },
      },
    },
    children,
    setup.budget,
  );
};

const ipRange: Reader = (request) => {
  const { body, children, setup } = request;
  const options = rangeOptions(request, checkAddresses);
  const term = (value: unknown): string => {
    const found = ipToTerm(textOf(value));
    if (found === undefined) throw illegalArgument(`'${textOf(value)}' is not an IP string literal.`);
    return found;
  };
  const ranges = toList(body['ranges']).map((each): Range<string> => {
    const entry = asObject(each, 'ranges');
    if (entry['mask'] === undefined) return readRanges({ ranges: [entry] }, term)[0]!;
    const mask = asString(entry['mask'], 'mask');
    const network = networkToTerms(mask);
    if (network === undefined) throw illegalArgument(`Expected [ip/prefix] but was [${mask}]`);
    const after = BigInt(`0x${network[1]}`) + 1n;
    return {
      key: entry['key'] === undefined ? mask : asString(entry['key'], 'key'),
      from: /^0*$/.test(network[0]) ? undefined : network[0],
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
const ofRanges = {
  kind: 'bucket',
  cluster: OF_FIELD,
  makes: 'named',
  profile: () => ({ className: 'RangeAggregator' }),
} as const;

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
    unmapped: 'ip',
    profile: () => ({ className: 'BinaryRangeAggregator' }),
    ...ofField('ranges', 'keyed'),
    read: ipRange,
  },
} as const satisfies Readonly<Record<string, BucketAggregation>>;
