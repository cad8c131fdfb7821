// Request JSON → aggregations ready to run: which types there are and which members each knows. What an aggregation
// computes stands in the files beside; everything not known is refused by name.
import { asObject, checkKeys, isObject, type Json, nearest, setMember, tokenOf } from '../json/json.ts';
import {
  asContentError,
  contentError,
  illegalArgument,
  initializationError,
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
  type Inside,
  noScript,
} from './definition.ts';
import { aggregationTypes, definitionOf, makesOf, queriesIn } from './definitions.ts';
import type { DateBuckets } from './histogram.ts';
import type { ParentPipeline } from './pipeline.ts';
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
      makesOf(type) === 'one' || !isObject(body) ? [] : queriesIn(type, body),
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
    if (count > setup.maxAggregations) {
      throw illegalArgument(
        `Too many aggregations in one request: at most [${setup.maxAggregations}] are allowed but there were [${count}]. Ask in several requests.`,
      );
    }
  }
  return Object.entries(object).map(([name, value]) => {
    const since = performance.now();
    const { type, inner, meta, body } = partsOf(name, asObject(value, name));
    const definition = definitionOf(type);
    if (definition?.kind === 'sibling') {
      if (Object.keys(inner).length > 0) throw parsingError(`Aggregation [${name}] cannot define sub-aggregations`);
      return readSibling(definition, { type, name, meta, body: asObject(body[type], type), level });
    }
    if (definition?.kind === 'parent')
      throw validationError(`${type} aggregation [${name}] must be declared inside of another aggregation`);
    const own = asObject(body[type] ?? {}, type);
    const { collected, pipelines } = splitParents(inner, type, own);
    const buckets = definition?.kind === 'bucket' ? definition : undefined;
    buckets?.checkPlace?.(name, above);
    const around = buckets?.dates === undefined ? dates : wordedAs(definition, type, () => buckets.dates?.(own));
    const children = parseAggregations(collected, setup, [...above, { type, makes: makesOf(type) }], inner, around);
    if (definition?.kind === 'refused') throw unsupported(`aggregation [${type}]`);
    if (definition === undefined)
      throw parsingError(`Unknown aggregation type [${type}]${nearest(type, aggregationTypes().supported)}`, {
        causedBy: { type: 'named_object_not_found_exception', reason: `unknown field [${type}]` },
      });
    if (Object.keys(inner).length > 0 && (definition.kind === 'metric' || definition.isLeaf === true))
      throw initializationError(`Aggregator [${name}] of type [${type}] cannot accept sub-aggregations`);
    const request: AggregationRequest = {
      type,
      name,
      // A builder that was rewritten says so by a meta that nobody gave it, and so do those that it stands in.
      meta: meta ?? (isRewritten(body) ? {} : undefined),
      body: asObject(body[type], type),
      children,
      inside: insideOf(inner),
      setup,
      above,
      dates: around,
    };
    const plain = withValueType(
      wordedAs(definition, type, () => {
        if (definition.isReadByHand !== true) checkBody(type, own);
        if (definition.isScripted === true) noScript(own);
        if (definition.options !== undefined) checkKeys(own, type, definition.options);
        return definition.read(request);
      }),
      type,
      own,
      definition.unmapped,
    );
    const details = definition.profile ?? plainDetails;
    const made = setup.budget.isProfiled
      ? profiled(plain, { type, body: own, isTop: depth === 0, details, children, since })
      : plain;
    return pipelines.length === 0 ? made : withParents(made, pipelines, setup.typedKeys);
  });
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
          { definition, body: isObject(body) ? body : {}, inside: insideOf(isObject(deeper) ? deeper : {}) },
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
  if (!/^[^[\]>]+$/.test(name)) {
    throw parsingError(
      `Invalid aggregation name [${name}]. Aggregation names can contain any character except '[', ']', and '>'`,
    );
  }
  let type: string | undefined;
  let inner: Json = {};
  let meta: Json | undefined;
  for (const [key, member] of Object.entries(body)) {
    if (key === 'aggs' || key === 'aggregations') inner = asObject(member, key);
    else if (key === 'meta') meta = asObject(member, 'meta');
    else if (type === undefined) type = key;
    else throw parsingError(`Found two aggregation type definitions in [${name}]: [${type}] and [${key}]`);
  }
  if (type === undefined) throw parsingError(`Missing definition for aggregation [${name}]`);
  return { type, meta, inner, body };
}

/** What a parser of objects says of values. What is missing is found once all is read, and told as it is. */
const OF_VALUES = ['parsing_exception', 'number_format_exception', 'json_parse_exception'];

/** Options that are compared with others once all is read, on a shard. */
const OF_SHARD = /^(?:buckets must be less|No \[ranges\]|\[after\] has|Missing value for \[after)/;
const isOfShard = (type: string, { message }: RequestError): boolean =>
  OF_SHARD.test(message) || (type === 'date_histogram' && /^\[(?:extended|hard)_bounds/.test(message));
/** The least that counts may be. */
const LEAST: Readonly<Record<string, number>> = { shard_size: 1, min_doc_count: 0, shard_min_doc_count: 0 };

/** Options that are texts. */
const TEXTS = ['field', 'format', 'execution_hint', 'collect_mode', 'calendar_interval', 'fixed_interval'];
/** Options whose values may not be of some kinds. */
const NO_OBJECTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  missing: (value) => Array.isArray(value) || isObject(value),
  include: (value) => ['number', 'boolean'].includes(typeof value),
  exclude: (value) => ['number', 'boolean'].includes(typeof value) || isObject(value),
};

/** @throws RequestError for a value that no aggregation takes for such an option */
function checkBody(type: string, body: Json): void {
  for (const [key, value] of Object.entries(body)) {
    const isText = TEXTS.includes(key);
    const isBad = isText ? typeof value !== 'string' : NO_OBJECTS[key]?.(value) === true;
    if (isBad && value !== undefined)
      throw contentError(`[${type}] ${key} doesn't support values of type: ${tokenOf(value)}`);
    const least = Object.hasOwn(LEAST, key) ? LEAST[key]! : -Infinity;
    if (typeof value === 'number' && value < least)
      throw contentError(`[${type}] failed to parse field [${key}]`, {
        type: 'illegal_argument_exception',
        reason: `[${key}] must be at least [${least}]. Found [${value}]`,
      });
  }
}

/** Reads a body, or words the mistake in it as Elasticsearch's parser of this aggregation does. */
function wordedAs<Read>(definition: AggregationDefinition | undefined, type: string, reader: () => Read): Read {
  try {
    return reader();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.details.phase === undefined && isOfShard(type, error)) throw shardArgument(error.message);
    const isValue =
      OF_VALUES.includes(error.type) ||
      (error.type === 'illegal_argument_exception' && !/^Required|cannot be null|must define an/.test(error.message));
    const isByHand = definition !== undefined && 'isReadByHand' in definition && definition.isReadByHand;
    throw isValue && !isByHand ? asContentError(error, type) : error;
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
  return Object.create(made, { result: { value: result } }) as Aggregator;
}
