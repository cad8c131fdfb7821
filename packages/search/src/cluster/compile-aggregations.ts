// Compiles the aggregations of a request for a search cluster, so that they count only the documents of a view, and reads their answer. The
// definitions of aggregations say what is refused, and why. The request is valid here: the readers of aggregations (aggs/parse-aggs.ts) have
// checked it.
import { givenPrinter, type Print } from '../aggs/definition.ts';
import { definitionOf } from '../aggs/definitions.ts';
import { MOST_PERCENTS } from '../aggs/on-cluster.ts';
import { isRewritten } from '../aggs/rewritten.ts';
import { isWhole } from '../mapping/field-type.ts';
import { searchError } from '../errors/search-errors.ts';
import { isObject, type Json, toList, textOf } from '../json/json.ts';
import type { ClusterCompiler } from '../query/cluster/cluster-compiler.ts';
import { MATCH_NONE } from '../query/cluster/leaves.ts';
import { reasonOf, type Verdict } from '../query/cluster/verdict.ts';
import type { Query } from '../query/query.ts';

export interface CompiledAggregations {
  /** The member `aggs` of the search. */
  readonly json: Json;
  /** Reads the member `aggregations` of its answer. */
  readonly read: (answer: Json) => Json;
}

/** What aggregations are compiled with. */
export interface AggregationPlace {
  /** Compiles filters of the caller. */
  readonly compiler: ClusterCompiler;
  /** The documents that the view shows. */
  readonly rows: Json;
  readonly parseQuery: (json: unknown) => Query;
}

/** The name of an aggregation below the one that is added around it. */
const INSIDE = 'inside';
/** A field that no index has: sent in place of a hidden one. */
const NO_FIELD = '_absent';
/** Buckets of a shard at least: more make the counts of several shards exact. */
const SHARD_SIZE = 10_000;

/**
 * @param isInside whether they stand in another one
 * @throws ProductError SEARCH_NOT_ON_CLUSTER
 */
export function compileAggregations(
  aggregations: Json,
  place: AggregationPlace,
  isInside = false,
): CompiledAggregations {
  const parts = Object.entries(aggregations).map(([name, given]): readonly [string, Compiled] => [
    name,
    compileOne(isObject(given) ? given : {}, place, isInside),
  ]);
  return {
    json: Object.fromEntries(parts.map(([name, { json }]) => [name, json])),
    read: (answer) => Object.fromEntries(parts.map(([name, { read }]) => [name, read(asObject(answer[name]))])),
  };
}

interface Compiled {
  readonly json: Json;
  readonly read: (answer: Json) => Json;
}

function compileOne(given: Json, place: AggregationPlace, isInside: boolean): Compiled {
  // Elasticsearch gives a rewritten aggregation an empty meta.
  const {
    aggregations,
    aggs = aggregations,
    meta = isRewritten(given, place.compiler.fields) ? {} : undefined,
    ...rest
  } = given;
  const [[type, body] = ['', undefined]] = Object.entries(rest);
  const own = isObject(body) ? body : {};
  verdictOn(type);
  if (type === 'geo_bounds' && isInside) throw refuse(type, limitOf(type));
  const children = compileAggregations(isObject(aggs) ? aggs : {}, place, true);
  const inner = isObject(aggs) ? { aggs: children.json } : {};
  const { around, json } = formOf(type, own, place);
  const names = isObject(aggs) ? Object.keys(aggs) : [];
  if (type === 'adjacency_matrix' && isInside && names.length > 0) throw refuse(type, limitOf(type));
  return {
    json: around === undefined ? { ...json, ...inner } : { ...around, aggs: { [INSIDE]: { ...json, ...inner } } },
    read(answer) {
      // A cluster adds a meta to what it rewrites, which a query of the view may be.
      const { meta: _, ...found } = around === undefined ? answer : asObject(answer[INSIDE]);
      const shown = isOfSums(type, own['field'], place) ? (rounded(found, givenPrinter(own)) as Json) : found;
      return { ...(meta === undefined ? {} : { meta }), ...readBuckets(shown, names, children) };
    },
  };
}

/** Sums of fractions, whose last digits depend on the order of the documents, which writes of hidden documents change. */
const OF_SUMS: ReadonlySet<string> = new Set(['sum', 'avg', 'stats', 'extended_stats', 'geo_centroid']);
const AS_STRING = '_as_string';
/** Digits of such a sum that are shown: a double has 15. */
const DIGITS = 12;

function isOfSums(type: string, path: unknown, { compiler }: AggregationPlace): boolean {
  const field = OF_SUMS.has(type) ? compiler.fields.field(textOf(path)) : undefined;
  return field !== undefined && (field.family === 'geo' || !isWhole(field));
}

/** @param print prints the numbers again that the cluster sends as texts too */
function rounded(value: unknown, print: Print | undefined, name = ''): unknown {
  if (typeof value === 'number')
    return name === 'min' || name === 'max' || Number.isSafeInteger(value) ? value : Number(value.toPrecision(DIGITS));
  if (!isObject(value)) return value;
  const numbers = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rounded(each, print, key)]));
  return Object.fromEntries(
    Object.entries(numbers).map(([key, each]) => [
      key,
      key.endsWith(AS_STRING) ? printed(numbers[key.slice(0, -AS_STRING.length)], each, print) : each,
    ]),
  );
}

/** Prints a number, or each of an object; others stay as the cluster prints them. */
function printed(value: unknown, text: unknown, print: Print | undefined): unknown {
  if (typeof value === 'number') return print?.(value) ?? String(value);
  if (!isObject(value) || !isObject(text)) return text;
  return Object.fromEntries(Object.entries(text).map(([key, each]) => [key, printed(value[key], each, print)]));
}

/** @throws ProductError SEARCH_NOT_ON_CLUSTER for one that is never sent, or of which there is none */
function verdictOn(type: string): Verdict {
  const definition = definitionOf(type);
  if (definition === undefined || definition.kind === 'refused') throw refuse(type, 'there is none of this name');
  if (definition.cluster.kind === 'refused') throw refuse(type, definition.cluster.why);
  return definition.cluster;
}

/** What is said of a form of it that is not sent. */
function limitOf(type: string): string {
  return reasonOf(verdictOn(type));
}

function refuse(type: string, reason: string): Error {
  return searchError('SEARCH_NOT_ON_CLUSTER', { what: `an aggregation [${type}]`, reason });
}

interface Form {
  readonly json: Json;
  /** Stands around it. */
  readonly around?: Json;
}

function formOf(type: string, body: Json, place: AggregationPlace): Form {
  const { compiler, parseQuery, rows } = place;
  const filterOf = (query: unknown): Json => compiler.filter(parseQuery(query));
  switch (type) {
    case 'filter':
      return { json: { filter: filterOf(body) } };
    case 'filters':
    case 'adjacency_matrix': {
      const { filters } = body;
      const compiled = Array.isArray(filters)
        ? filters.map(filterOf)
        : Object.fromEntries(Object.entries(asObject(filters)).map(([name, query]) => [name, filterOf(query)]));
      return { json: { [type]: { ...body, filters: compiled } } };
    }
    case 'global':
      return { json: { filter: rows }, around: { global: {} } };
    case 'missing': {
      if (Object.keys(body).some((key) => key !== 'field')) throw refuse(type, 'only its field is sent');
      const path = textOf(body['field']);
      const field = compiler.fields.field(path);
      const present = field === undefined ? MATCH_NONE : compiler.shown(path, { exists: { field: path } });
      return { json: { filter: { bool: { must_not: [present] } } } };
    }
    case 'terms':
      return ofField(type, termsBody(body), place);
    case 'percentiles':
    case 'percentile_ranks':
      if (body['hdr'] === undefined) throw refuse(type, limitOf(type));
      if ([body['percents'], body['values']].some((each) => toList(each ?? []).length > MOST_PERCENTS))
        throw refuse(type, limitOf(type));
      return ofField(type, body, place);
    default:
      return ofField(type, body, place);
  }
}

function termsBody(body: Json): Json {
  const { min_doc_count: least = 1, order, shard_min_doc_count: _, size = 10, ...rest } = body;
  if (typeof least !== 'number' || least < 1) throw refuse('terms', limitOf('terms'));
  // An order by an aggregation inside would name it by its path.
  const isPlain = (order === undefined ? [] : toList(order)).every(
    (each: unknown) => isObject(each) && Object.keys(each).every((key) => key === '_key' || key === '_count'),
  );
  if (!isPlain) throw refuse('terms', 'orders by aggregations inside are not sent');
  const orders = order === undefined ? {} : { order };
  return { ...rest, ...orders, size, min_doc_count: least, shard_size: Math.max(SHARD_SIZE, Number(size)) };
}

/** One that reads one field. */
function ofField(type: string, body: Json, { compiler }: AggregationPlace): Form {
  const path = textOf(body['field']);
  if (body['script'] !== undefined || body['field'] === undefined) throw refuse(type, 'only one with a field is sent');
  const field = compiler.fields.field(path);
  if (field === undefined) {
    if (body['missing'] !== undefined) throw refuse(type, `its field [${path}] is none`);
    // Of a field that is none, min in Elasticsearch 7.10 empties the bucket that it stands in; max says the same of it.
    return { json: { [type === 'min' ? 'max' : type]: { ...body, field: NO_FIELD } } };
  }
  const guard = compiler.fields.guard(path);
  if (guard === undefined) return { json: { [type]: body } };
  if (body['missing'] !== undefined) throw refuse(type, 'missing would count documents that withhold the field');
  return { json: { [type]: body }, around: { filter: compiler.shown(path, { match_all: {} }) } };
}

/** Reads what stands in the buckets of an answer, or in the answer itself. */
function readBuckets(answer: Json, names: readonly string[], children: CompiledAggregations): Json {
  if (names.length === 0) return answer;
  const { buckets } = answer;
  const readOne = (bucket: unknown): Json => ({ ...asObject(bucket), ...children.read(asObject(bucket)) });
  if (Array.isArray(buckets)) return { ...answer, buckets: buckets.map(readOne) };
  if (isObject(buckets))
    return {
      ...answer,
      buckets: Object.fromEntries(Object.entries(buckets).map(([key, bucket]) => [key, readOne(bucket)])),
    };
  return readOne(answer);
}

function asObject(value: unknown): Json {
  return isObject(value) ? value : {};
}
