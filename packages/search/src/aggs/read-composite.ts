// Reads the composite aggregation and its sources.
import { asChoice, asNumber, asObject, asString, checkKeys, textOf, toList } from '../json.ts';
import { dateFormat } from '../mapping/date-format.ts';
import { ipToTerm } from '../mapping/ip.ts';
import { timeZone, UTC } from '../mapping/time-zone.ts';
import { illegalArgument, parsingError } from '../request-error.ts';
import { compositeAggregator, type CompositeSource } from './composite.ts';
import { dateRounding, fixedRounding, type Rounding } from './histogram.ts';
import { flag, integer, noScript, type Reader } from './read-definition.ts';
import { dateInterval, dateOffset } from './read-histograms.ts';

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

export const composite: Reader = ({ body, name, meta, children, setup }) => {
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
