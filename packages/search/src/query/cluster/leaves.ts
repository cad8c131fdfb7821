// What the JSON of several kinds of queries for a search cluster shares: disjunctions, values and ranges of a field.
import type { Json } from '../../json/json.ts';
import type { MappedField } from '../../mapping/field-type.ts';
import { termToIp } from '../../mapping/ip.ts';
import type { ClusterCompiler } from './cluster-compiler.ts';

/** The key of a document, which decides between equal scores: the order of an index tells when documents were written. `_id` may be its hash. */
export const KEY_FIELD = '_key';
/** The key as a text in whose order documents with equal sort values come: whole numbers by their size. */
export const ORDER_FIELD = '_order';
export const MATCH_ALL: Json = { match_all: {} };
export const MATCH_NONE: Json = { match_none: {} };

/** Any of some leaves; their scores are added. */
export function anyOf(queries: readonly Json[]): Json {
  const [only] = queries;
  if (only === undefined) return MATCH_NONE;
  return queries.length === 1 ? only : { bool: { should: queries, minimum_should_match: 1 } };
}

/** Any of some leaves; the best one counts. */
function bestOf(queries: readonly Json[]): Json {
  const [only] = queries;
  return only !== undefined && queries.length === 1 ? only : { dis_max: { queries } };
}

/** Any of some leaves that score alike: added up where the score is exact. */
export function alternatives(queries: readonly Json[], { isExact }: ClusterCompiler): Json {
  return isExact ? anyOf(queries) : bestOf(queries);
}

/** A leaf over one field; none where the field is none. */
export function leafOf(path: string, at: ClusterCompiler, leaf: (field: MappedField) => Json): Json {
  const field = at.fields.field(path);
  return field === undefined ? MATCH_NONE : at.shown(path, leaf(field));
}

/**
 * What scores alike in all documents. A cluster may run it as a query that is scored: OpenSearch 3 takes the terms of a boolean field for
 * one term, by the frequency in all documents.
 */
export function constant(leaf: Json, { boost, isFilter }: ClusterCompiler): Json {
  return isFilter ? leaf : { constant_score: { filter: leaf, boost } };
}

/** A leaf over one field that scores alike in all documents. */
export function constantLeaf(path: string, at: ClusterCompiler, leaf: (field: MappedField) => Json): Json {
  return leafOf(path, at, (field) => constant(leaf(field), at));
}

/** A term as the cluster reads it. */
export function valueOf(field: MappedField, term: string): string {
  return field.family === 'ip' ? termToIp(term) : term;
}

/** An origin as the field reads it; undefined: its format has no word for it. */
export function originOf(field: MappedField, origin: number | { readonly lat: number; readonly lon: number }): unknown {
  if (field.family !== 'date' || typeof origin !== 'number') return origin;
  const text = field.format.print(origin);
  return field.format.parse(text) === origin ? text : undefined;
}

/** Whether numbers mean the same there: a cluster keeps each `long`, and here those from 2^53 on are rounded. */
export function areExact(field: MappedField, values: readonly (number | undefined)[]): boolean {
  const isWhole = field.type === 'long' || field.type === 'long_range';
  return (
    !isWhole || values.every((value = 0) => Math.abs(value) === Infinity || Number.isSafeInteger(Math.trunc(value)))
  );
}

interface Bounds {
  readonly from: number | string | undefined;
  readonly to: number | string | undefined;
  readonly includeFrom?: boolean | undefined;
  readonly includeTo?: boolean | undefined;
  readonly relation?: string;
}

export function rangeLeaf(field: MappedField, bounds: Bounds): Json {
  const { from, includeFrom = true, includeTo = true, relation, to } = bounds;
  const isOpen = (bound: number | string | undefined): boolean =>
    bound === undefined || (typeof bound === 'number' && !Number.isFinite(bound));
  const body = {
    ...(isOpen(from) ? {} : { [includeFrom ? 'gte' : 'gt']: from }),
    ...(isOpen(to) ? {} : { [includeTo ? 'lte' : 'lt']: to }),
    ...(field.family === 'date' || field.type === 'date_range' ? { format: 'epoch_millis' } : {}),
    ...(relation === undefined ? {} : { relation }),
  };
  return { range: { [field.path]: body } };
}
