// Reads the composite aggregation and its sources.
import {
  asChoice,
  asNumber,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
  textOf,
  toList,
  tokenOf,
} from '../json/json.ts';
import { checkToken, within, withinMembers } from '../json/object-parser.ts';
import { readBounds } from './geo-bounds.ts';
import { ipToTerm } from '../mapping/ip.ts';
import { javaClass } from '../json/java-values.ts';
import { contentError, illegalArgument, RequestError, shardArgument } from '../errors/request-error.ts';
import { compositeAggregator, type CompositeSource, tileKey } from './composite.ts';
import { tilePrecision } from './read-geo-grid.ts';
import { dateRounding, fixedRounding, type Rounding } from './histogram.ts';
import {
  type BucketAggregation,
  dateFormatOf,
  flag,
  integer,
  noScript,
  type Reader,
  shared,
  zoneOf,
} from './definition.ts';
import { dateInterval, dateOffset } from './read-histograms.ts';
import { factoryClass } from './java-names.ts';
import { OF_SEVERAL_FIELDS } from './on-cluster.ts';

const OWN_KEYS = {
  terms: ['format'],
  histogram: ['interval', 'format'],
  date_histogram: ['interval', 'calendar_interval', 'fixed_interval', 'time_zone', 'offset', 'format'],
  geotile_grid: ['precision', 'bounds'],
};

const KINDS = ['terms', 'histogram', 'date_histogram', 'geotile_grid'] as const;

const NO_FIELD = 'Failed to parse object: expecting token of type [FIELD_NAME] but found [END_OBJECT]';
const noObject = (token: string): string =>
  `Failed to parse object: expecting token of type [START_OBJECT] but found [${token}]`;

const ofSources = (reason: string, type = 'parsing_exception'): Error =>
  contentError('[composite] failed to parse field [sources]', { type, reason });

function objectOf(json: unknown): Json {
  if (!isObject(json)) throw ofSources(noObject(tokenOf(json)));
  return json;
}

function compositeSource(json: unknown): CompositeSource {
  const named = objectOf(json);
  const [name, ...more] = Object.keys(named);
  if (name === undefined || more.length > 0) throw ofSources(name === undefined ? NO_FIELD : noObject('VALUE_STRING'));
  const definition = objectOf(named[name]);
  const [kind, ...others] = Object.keys(definition);
  if (kind === undefined || others.length > 0)
    throw ofSources(kind === undefined ? NO_FIELD : noObject('VALUE_STRING'));
  const chosen = KINDS.find((each) => each === kind);
  if (chosen === undefined) throw ofSources(`invalid source type: ${kind}`);
  const body = objectOf(definition[kind]);
  return within('composite', 'sources', () => withinMembers(chosen, body, (own) => readSource(name, chosen, own)));
}

/** Reads a source of a kind. */
function readSource(name: string, kind: (typeof KINDS)[number], body: Json): CompositeSource {
  if (body['field'] !== undefined) checkToken(kind, 'field', body['field'], 'string');
  noScript(body);
  checkKeys(body, kind, ['field', 'order', 'missing_bucket', 'value_type', ...OWN_KEYS[kind]]);
  if (body['field'] === undefined)
    throw new RequestError(
      'SEARCH_SHARD_FAILURE',
      'illegal_state_exception',
      'value source config is invalid; must have either a field or a script',
      { phase: true },
    );
  const zone = zoneOf(body, kind);
  const format = dateFormatOf(body);
  let rounding: Rounding | undefined;
  if (kind === 'histogram') {
    const interval = asNumber(body['interval'], 'interval');
    if (interval <= 0) throw illegalArgument('[interval] must be greater than 0 for [histogram] source');
    rounding = fixedRounding(interval, 0);
  } else if (kind === 'date_histogram') rounding = dateRounding(dateInterval(body), zone, dateOffset(body['offset']));
  return {
    name,
    kind,
    field: asString(body['field'], 'field'),
    descending: body['order'] !== undefined && asChoice(body['order'], 'order', ['asc', 'desc']) === 'desc',
    missingBucket: flag(body, 'missing_bucket', false),
    rounding,
    zoom: kind === 'geotile_grid' ? tilePrecision(body) : undefined,
    box: body['bounds'] === undefined ? undefined : within(kind, 'bounds', () => readBounds(body['bounds'])),
    print: format === undefined ? undefined : (value) => format.print(value, zone),
    read(value, field) {
      if (value === undefined || value === null) {
        if (flag(body, 'missing_bucket', false)) return null;
        throw shardArgument(`Invalid value for [after.${name}], expected comparable, got [null]`);
      }
      if (kind === 'geotile_grid') return readTile(value);
      if (typeof value === 'boolean') return value ? 1 : 0;
      if (typeof value === 'string' && field !== undefined && field.family !== 'keyword' && field.family !== 'ip') {
        const isDate = format !== undefined || (field.family === 'date' && kind === 'terms');
        const found = (isDate ? (format ?? field.format).parse(value, zone) : undefined) ?? Number(value.trim() || 'x');
        if (Number.isNaN(found))
          throw new RequestError('SEARCH_SHARD_FAILURE', 'number_format_exception', `For input string: "${value}"`, {
            phase: true,
          });
        return found;
      }
      if (field?.family === 'keyword' && typeof value !== 'string')
        throw shardArgument(`invalid value, expected string, got ${javaClass(value).replace('java.lang.', '')}`);
      if (typeof value === 'string') return field?.family === 'ip' ? (ipToTerm(value) ?? value) : value;
      return field?.family === 'keyword' ? textOf(value) : asNumber(value, 'after');
    },
  };
}

/** A tile as `after` names it. */
function readTile(value: unknown): string {
  const match = /^\d+\/(\d+)\/(\d+)$/.exec(textOf(value));
  if (match === null)
    throw illegalArgument(
      `Invalid geotile_grid hash string of ${textOf(value)}. Must be three integers in a form "zoom/x/y".`,
    );
  return tileKey({ x: Number(match[1]), y: Number(match[2]) });
}

/** Sources at most: each bucket has a value of every one, and their combinations multiply. */
const MOST_SOURCES = 32;

const composite: Reader = (request) => {
  const { body, children, setup } = request;
  const given = toList(body['sources'] ?? []);
  if (given.length > MOST_SOURCES)
    throw illegalArgument(
      `Composite [sources] has [${given.length}] entries, which is more than the limit of [${MOST_SOURCES}]`,
    );
  if (body['sources'] !== undefined && given.length === 0)
    throw ofSources('Failed to build [composite] after last required field arrived', 'x_content_parse_exception');
  const size = integer(body, 'size', 10);
  if (size <= 0) throw shardArgument(`[size] must be greater than 0. Found [${size}] in [${request.name}]`);
  if (size > setup.budget.limit) setup.budget.take(size);
  const sources = given.map((each) => compositeSource(each));
  if (sources.length === 0) throw illegalArgument('Composite [sources] cannot be null or empty');
  const names = new Set(sources.map((source) => source.name));
  if (names.size < sources.length) throw illegalArgument('Composite source names must be unique');
  const after = body['after'] === undefined ? undefined : asObject(body['after'], 'after');
  if (after !== undefined && Object.keys(after).length !== sources.length)
    throw illegalArgument(`[after] has ${Object.keys(after).length} value(s) but [sources] has ${sources.length}`);
  const lacking = after === undefined ? undefined : sources.find((source) => !(source.name in after));
  if (lacking !== undefined) throw illegalArgument(`Missing value for [after.${lacking.name}]`);
  return compositeAggregator({ ...shared(request), size, sources, after }, children, setup.budget);
};

export const COMPOSITE = {
  composite: {
    kind: 'bucket',
    cluster: OF_SEVERAL_FIELDS,
    makes: 'many',
    options: ['sources', 'size', 'after'],
    checkPlace(_, above) {
      const around = above.findLast(({ type }) => type !== 'nested');
      if (around !== undefined)
        throw shardArgument(
          `[composite] aggregation cannot be used with a parent aggregation of type: [${factoryClass(around.type)}]`,
        );
    },
    read: composite,
  },
} as const satisfies Readonly<Record<string, BucketAggregation>>;
