// Reads the aggregations whose buckets are given by their bounds: range, date_range, geo_distance, ip_range.
import { javaDouble } from '../mapping/java-values.ts';
import { asChoice, asNumber, asObject, asString, checkKeys, type Json, toList } from '../json/json.ts';
import { dateFormat } from '../mapping/date-format.ts';
import { parseDateMath } from '../mapping/date-math.ts';
import { type MappedField } from '../mapping/field-type.ts';
import { metresIn, parsePoint } from '../mapping/geo.ts';
import { ipToTerm, networkToTerms, termToIp } from '../mapping/ip.ts';
import { timeZone, UTC } from '../mapping/time-zone.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { ipRangeAggregator, type Range, rangeAggregator } from './ranges.ts';
import { printerOf } from './metrics.ts';
import { fieldOf, flag, printer, type Reader } from './read-definition.ts';
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

function needRanges(body: Json, name: string): void {
  if (!Array.isArray(body['ranges']) || body['ranges'].length === 0) {
    throw illegalArgument(`No [ranges] specified for the [${name}] aggregation`);
  }
}

export const range: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'range', ['ranges', 'keyed']);
  needRanges(body, name);
  const ranges = readRanges(body, (value) => onShard(() => asNumber(value, 'ranges')));
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
      print: (value, mapped) => (printerOf(mapped, format) ?? javaDouble)(value),
      asString: (mapped) => printerOf(mapped, format) !== undefined,
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

export const dateRange: Reader = (definition) => {
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
      reading: (mapped) => readIn(mapped, given, zone),
      read: (mapped) =>
        readRanges(body, (value) =>
          typeof value === 'number' && given === undefined
            ? value
            : parseDateMath(String(value), formatOf(mapped), { now: setup.now, zone }),
        ),
      print: (value, mapped) => formatOf(mapped).print(value, zone),
      asString: () => true,
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

export const geoDistance: Reader = (definition) => {
  const { body, name, meta, children, setup } = definition;
  const field = fieldOf(definition, 'geo_distance', ['origin', 'ranges', 'unit', 'distance_type', 'keyed']);
  needRanges(body, name);
  const plane =
    body['distance_type'] !== undefined &&
    asChoice(body['distance_type'], 'distance_type', ['arc', 'plane']) === 'plane';
  if (body['origin'] === undefined) throw illegalArgument(`Aggregation [${name}] must define an [origin].`);
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
      print: (value) => javaDouble(value),
      asString: () => false,
      distance: {
        origin: parsePoint(body['origin']),
        plane,
        unit: metresIn(body['unit'] === undefined ? 'm' : asString(body['unit'], 'unit')),
        missing: body['missing'] === undefined ? undefined : parsePoint(body['missing']),
      },
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};

export const ipRange: Reader = (definition) => {
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
      missing: body['missing'] ?? undefined,
      ranges,
      print: termToIp,
      typedKeys: setup.typedKeys,
    },
    children,
    setup.budget,
  );
};
