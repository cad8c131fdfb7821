// Request JSON → aggregations ready to run: which types there are and which members each knows. What an aggregation
// computes stands in the files beside; everything not known is refused by name.
import { memberOf } from '../json/object-parser.ts';
import { asObject, checkKeys, isObject, type Json, nearest, setMember, tokenOf } from '../json/json.ts';
import {
  asContentError,
  illegalArgument,
  initializationError,
  isShardFailure,
  parsingError,
  RequestError,
  shardArgument,
  unsupported,
  validationError,
} from '../errors/request-error.ts';
import type { Aggregator } from './aggregator.ts';
import {
  type AggregationDefinition,
  type AggregationRequest,
  type AggregationSetup,
  type Ancestor,
  type BucketAggregation,
  type Inside,
  type MetricAggregation,
  noScript,
} from './definition.ts';
import { aggregationTypes, definitionOf, bucketCountOf, queriesIn } from './definitions.ts';
import type { DateBuckets } from './histogram.ts';
import { checkMembers } from './members.ts';
import type { ParentOf, ParentPipeline } from './pipeline.ts';
import { plainDetails } from './profile-details.ts';
import { profiled } from './profile.ts';
import { applyParents, inOrder, readParent, readSibling } from './read-pipelines.ts';
import { isRewritten } from './rewritten.ts';
import { withValueType } from './value-type.ts';

/** All aggregations and, as each costs as much, all filters that make buckets of one. */
function countAggregations(json: unknown, depth: number): number {
  // Deeper ones are refused while they are read.
  if (!isObject(json) || depth > 21) return 0;
  return Object.values(json).reduce<number>((sum, value) => {
    if (!isObject(value)) return sum + 1;
    const parts = Object.entries(value).flatMap(([type, body]) =>
      bucketCountOf(type) === 'one' || !isObject(body) ? [] : queriesIn(type, body),
    );
    const inner = countAggregations(value['aggs'], depth + 1) + countAggregations(value['aggregations'], depth + 1);
    return sum + 1 + parts.length + inner;
  }, 0);
}

/**
 * Reads `aggs`.
 *
 * @param above the aggregations that these stand in, outermost first
 * @param beside all definitions of the level, where `json` leaves some out
 * @param dates the nearest date_histogram around
 * @throws RequestError naming what is not understood
 */
export function parseAggregations(
  json: unknown,
  setup: AggregationSetup,
  above: readonly Ancestor[] = [],
  beside?: Json,
  dates?: DateBuckets,
): Aggregator[] {
  const depth = above.length;
  const object = asObject(json, 'aggs');
  const level = beside ?? object;
  if (depth > 20) throw illegalArgument('Aggregations are nested deeper than 20 levels');
  if (depth === 0) {
    const count = countAggregations(object, 0);
    if (count > setup.maxAggregations)
      throw illegalArgument(
        `Too many aggregations in one request: at most [${setup.maxAggregations}] are allowed but there were [${count}]. Ask in several requests.`,
      );
  }
  return Object.entries(object).map(([name, value]) =>
    readAggregation({ name, value: asObject(value, name), setup, above, level, dates }),
  );
}

/** One aggregation of a level. */
interface Given {
  readonly name: string;
  readonly value: Json;
  readonly setup: AggregationSetup;
  readonly above: readonly Ancestor[];
  /** All definitions of the level. */
  readonly level: Json;
  readonly dates: DateBuckets | undefined;
}

function readAggregation({ name, value, setup, above, level, dates }: Given): Aggregator {
  const since = performance.now();
  const { type, inner, meta, body } = partsOf(name, value);
  const definition = definitionOf(type);
  if (definition?.kind === 'sibling') {
    if (Object.keys(inner).length > 0) throw parsingError(`Aggregation [${name}] cannot define sub-aggregations`);
    return readSibling(definition, { type, name, meta, body: bodyOf(name, type, body), level });
  }
  if (definition?.kind === 'parent')
    throw validationError(`${type} aggregation [${name}] must be declared inside of another aggregation`);
  const own = bodyOf(name, type, body);
  const { collected, pipelines } = splitParents(inner, type, own);
  const buckets = definition?.kind === 'bucket' ? definition : undefined;
  buckets?.checkPlace?.(name, above);
  const around = datesOf(buckets, name, type, own) ?? dates;
  const children = parseAggregations(
    collected,
    setup,
    [...above, { type, body: own, makes: bucketCountOf(type) }],
    inner,
    around,
  );
  if (definition?.kind === 'refused') throw unsupported(`aggregation [${type}]`);
  if (definition === undefined) throw unknownType(type);
  checkLeaf(name, type, definition, 'aggs' in value || 'aggregations' in value);
  const request: AggregationRequest = {
    type,
    name,
    // A builder that was rewritten says so by a meta that nobody gave it, and so do those that it stands in.
    meta: meta ?? (isRewritten(body, setup.mapped) ? {} : undefined),
    body: own,
    children,
    inside: insideOf(inner),
    setup,
    above,
    dates: around,
  };
  const plain = readBody(definition, request);
  const details = definition.profile ?? plainDetails;
  const made = setup.budget.isProfiled
    ? profiled(plain, { type, body: own, isTop: above.length === 0, details, children, since })
    : plain;
  return pipelines.length === 0 ? made : withParents(made, pipelines, setup.typedKeys);
}

/** What those inside of an aggregation know of its dates; undefined where it has none of its own. */
function datesOf(
  definition: BucketAggregation | undefined,
  name: string,
  type: string,
  body: Json,
): DateBuckets | undefined {
  const { dates, options } = definition ?? {};
  if (dates === undefined) return undefined;
  return wordedAs(definition, type, body, (own) => {
    if (options !== undefined) checkMembers(type, name, own, options);
    return dates(own);
  });
}

/** @throws RequestError where aggregations stand in one that takes none */
function checkLeaf(name: string, type: string, definition: AggregationDefinition, hasInner: boolean): void {
  // `geo_bounds` takes them, and runs none.
  const isLeaf =
    (definition.kind === 'metric' && type !== 'geo_bounds') ||
    (definition.kind === 'bucket' && definition.isLeaf === true);
  if (isLeaf && hasInner)
    throw initializationError(`Aggregator [${name}] of type [${type}] cannot accept sub-aggregations`);
}

function unknownType(type: string): RequestError {
  return parsingError(`Unknown aggregation type [${type}]${nearest(type, aggregationTypes().supported)}`, {
    causedBy: { type: 'named_object_not_found_exception', reason: `unknown field [${type}]` },
  });
}

/** Reads the body of an aggregation of documents, its members first. */
function readBody(definition: MetricAggregation | BucketAggregation, request: AggregationRequest): Aggregator {
  const { type, name } = request;
  return wordedAs(definition, type, request.body, (body) => {
    if (definition.isReadByHand !== true && definition.options !== undefined)
      checkMembers(type, name, body, definition.options);
    if (definition.isScripted === true) noScript(body);
    if (definition.options !== undefined) checkKeys(body, type, definition.options);
    return withValueType(definition.read({ ...request, body }), type, body, definition);
  });
}

/** The body of a type, which must be an object. */
function bodyOf(name: string, type: string, body: Json): Json {
  return objectUnder(name, type, body[type]);
}

function objectUnder(name: string, member: string, value: unknown): Json {
  if (!isObject(value))
    throw parsingError(`Expected [START_OBJECT] under [${member}], but got a [${tokenOf(value)}] in [${name}]`);
  return value;
}

/**
 * Looks for mistakes in `aggs` in the order in which they stand, as Elasticsearch's parsers do.
 *
 * @throws RequestError for the first one that needs no index, else for the first in how pipelines refer to others
 */
export function checkAggregations(json: unknown, setup: AggregationSetup): void {
  const invalid: RequestError[] = [];
  checkLevel(asObject(json, 'aggs'), { setup, above: [], invalid });
  if (invalid[0] !== undefined) throw invalid[0];
}

/** Where a check is. */
interface Checked {
  readonly setup: AggregationSetup;
  readonly above: readonly Ancestor[];
  /** Errors that are reported after all is parsed. */
  readonly invalid: RequestError[];
  /** What the level stands in. */
  readonly parent?: ParentOf;
  /** The nearest date_histogram around. */
  readonly dates?: DateBuckets | undefined;
}

function checkLevel(level: Json, checked: Checked): void {
  for (const [name, value] of Object.entries(level)) {
    checkName(name);
    if (!isObject(value))
      throw parsingError(
        `Aggregation definition for [${name} starts with a [${tokenOf(value)}], expected a [START_OBJECT].`,
      );
    const aggregations = value['aggs'] ?? value['aggregations'];
    const inner = isObject(aggregations) ? aggregations : {};
    let type: string | undefined;
    let hasInner = false;
    for (const [key, member] of Object.entries(value)) {
      const object = objectUnder(name, key, member);
      if (key === 'meta') continue;
      if (key === 'aggs' || key === 'aggregations') {
        if (hasInner) throw parsingError(`Found two sub aggregation definitions under [${name}]`);
        hasInner = true;
        checkLevel(object, inside(checked, type, value, inner));
        continue;
      }
      if (type !== undefined) throw twoTypes(name, type, key);
      type = key;
      tolerating(checked.invalid, () => checkOne({ name, type: key, body: object, inner, level }, checked));
    }
    if (type === undefined) throw noType(name);
    const definition = definitionOf(type);
    if (definition !== undefined) checkLeaf(name, type, definition, hasInner);
  }
}

/** Where a check is, once it goes into an aggregation. */
function inside(checked: Checked, type: string | undefined, value: Json, inner: Json): Checked {
  if (type === undefined) return checked;
  const body = asObject(value[type], type);
  const definition = definitionOf(type);
  const own = definition?.kind === 'bucket' ? definition.dates : undefined;
  return {
    ...checked,
    above: [...checked.above, { type, body, makes: bucketCountOf(type) }],
    parent: { type, body, inner, meta: undefined },
    dates: own === undefined ? checked.dates : own(body),
  };
}

/** Runs a check; ignores shard failures and unsupported features, which are reported elsewhere. */
function tolerating(invalid: RequestError[], check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.code === 'SEARCH_VALIDATION') invalid.push(error);
    else if (!isShardFailure(error) && error.code !== 'SEARCH_UNSUPPORTED') throw error;
  }
}

/** One aggregation that is checked. */
interface One {
  readonly name: string;
  readonly type: string;
  readonly body: Json;
  readonly inner: Json;
  readonly level: Json;
}

function checkOne({ name, type, body, inner, level }: One, { setup, above, parent, dates }: Checked): void {
  const definition = definitionOf(type);
  if (definition === undefined) throw unknownType(type);
  switch (definition.kind) {
    case 'refused':
      return;
    case 'sibling':
      readSibling(definition, { type, name, meta: undefined, body, level });
      return;
    case 'parent':
      if (parent === undefined)
        throw validationError(`${type} aggregation [${name}] must be declared inside of another aggregation`);
      readParent(definition, type, name, body, parent);
      return;
    default: {
      const buckets = definition.kind === 'bucket' ? definition : undefined;
      readBody(definition, {
        type,
        name,
        meta: undefined,
        body,
        children: [],
        inside: insideOf(inner),
        setup,
        above,
        dates: datesOf(buckets, name, type, body) ?? dates,
      });
    }
  }
}

/** What is known of aggregations by their names; those that are not understood are refused elsewhere. */
function insideOf(inner: Json): ReadonlyMap<string, Inside> {
  return new Map(
    Object.entries(inner).flatMap(([name, json]) => {
      if (!isObject(json)) return [];
      const [type = '', body] = Object.entries(json).find(([key]) => definitionOf(key) !== undefined) ?? [];
      const definition = definitionOf(type);
      if (definition === undefined) return [];
      const deeper = json['aggs'] ?? json['aggregations'];
      return [
        [
          name,
          { type, definition, body: isObject(body) ? body : {}, inside: insideOf(isObject(deeper) ? deeper : {}) },
        ] as const,
      ];
    }),
  );
}

/** An aggregation of a request, taken apart. */
interface Parts {
  readonly type: string;
  readonly meta: Json | undefined;
  /** The aggregations inside. */
  readonly inner: Json;
  readonly body: Json;
}

function partsOf(name: string, body: Json): Parts {
  checkName(name);
  let type: string | undefined;
  let inner: Json = {};
  let meta: Json | undefined;
  if ('aggs' in body && 'aggregations' in body)
    throw parsingError(`Found two sub aggregation definitions under [${name}]`);
  for (const [key, member] of Object.entries(body)) {
    if (key === 'aggs' || key === 'aggregations') inner = objectUnder(name, key, member);
    else if (key === 'meta') meta = objectUnder(name, key, member);
    else if (type === undefined) type = key;
    else throw twoTypes(name, type, key);
  }
  if (type === undefined) throw noType(name);
  return { type, meta, inner, body };
}

function checkName(name: string): void {
  if (!/^[^[\]>]+$/.test(name))
    throw parsingError(
      `Invalid aggregation name [${name}]. Aggregation names can contain any character except '[', ']', and '>'`,
    );
}

const twoTypes = (name: string, type: string, other: string): RequestError =>
  parsingError(`Found two aggregation type definitions in [${name}]: [${type}] and [${other}]`);
const noType = (name: string): RequestError => parsingError(`Missing definition for aggregation [${name}]`);

/** What a parser of objects says of values. What is missing is found once all is read, and told as it is. */
const OF_VALUES = ['parsing_exception', 'number_format_exception', 'json_parse_exception'];

/** Options that are compared with others once all is read, on a shard. */
const OF_SHARD = /^(?:buckets must be less|No \[ranges\]|\[after\] has|Missing value for \[after)/;
const isOfShard = (type: string, { message }: RequestError): boolean =>
  OF_SHARD.test(message) || (type === 'date_histogram' && /^\[(?:extended|hard)_bounds/.test(message));
/** Reads a body, or words the mistake in it as Elasticsearch's parser of this aggregation does. */
function wordedAs<Read>(
  definition: AggregationDefinition | undefined,
  type: string,
  body: Json,
  reader: (body: Json) => Read,
): Read {
  try {
    return reader(body);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.details.phase === undefined && isOfShard(type, error)) throw shardArgument(error.message);
    const isValue =
      OF_VALUES.includes(error.type) ||
      (error.type === 'illegal_argument_exception' && !/^Required|cannot be null|must define an/.test(error.message));
    const isByHand = definition !== undefined && 'isReadByHand' in definition && definition.isReadByHand;
    throw isValue && !isByHand ? asContentError(error, type, memberOf(error, body, reader)) : error;
  }
}

/** Takes the pipelines that change an aggregation's own buckets out of what is inside of it. */
function splitParents(
  inner: Json,
  type: string,
  body: Json,
): { readonly collected: Json; readonly pipelines: readonly ParentPipeline[] } {
  const collected: Record<string, unknown> = {};
  const pipelines: ParentPipeline[] = [];
  for (const [name, value] of Object.entries(inner)) {
    const members = isObject(value) ? Object.keys(value).filter((key) => key !== 'meta') : [];
    const kind = members.find((member) => definitionOf(member)?.kind === 'parent');
    const definition = kind === undefined ? undefined : definitionOf(kind);
    if (kind === undefined || definition?.kind !== 'parent' || !isObject(value)) {
      setMember(collected, name, value);
      continue;
    }
    if (members.length > 1) throw parsingError(`Found more than one definition in the pipeline aggregation [${name}]`);
    const parent = { type, body, inner, meta: value['meta'] };
    pipelines.push(readParent(definition, kind, name, asObject(value[kind], kind), parent));
  }
  inOrder(pipelines);
  return { collected, pipelines };
}

function withParents(made: Aggregator, pipelines: readonly ParentPipeline[], typedKeys: boolean): Aggregator {
  const result = (bucket: number): Json => applyParents(made.result(bucket), pipelines, typedKeys);
  return Object.create(made, { result: { value: result } });
}
