// What the JSON of several kinds of queries for a search cluster shares: disjunctions, values and ranges of a field.
import type { Json } from '../../json/json.ts';
import type { MappedField } from '../../mapping/field-type.ts';
import { termToIp } from '../../mapping/ip.ts';
import type { ClusterCompiler } from './cluster-compiler.ts';

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

/** A term as the cluster reads it. */
export function valueOf(field: MappedField, term: string): string {
  return field.family === 'ip' ? termToIp(term) : term;
}

/** An origin as the field reads it. */
export function originOf(field: MappedField, origin: number | { readonly lat: number; readonly lon: number }): unknown {
  return field.family === 'date' && typeof origin === 'number' ? field.format.print(origin) : origin;
}

interface Bounds {
  readonly from: number | string | undefined;
  readonly to: number | string | undefined;
  readonly includeFrom?: boolean | undefined;
  readonly includeTo?: boolean | undefined;
  readonly relation?: string;
}

export function rangeLeaf(field: MappedField, bounds: Bounds, boost: number): Json {
  const { from, includeFrom = true, includeTo = true, relation, to } = bounds;
  const isOpen = (bound: number | string | undefined): boolean =>
    bound === undefined || (typeof bound === 'number' && !Number.isFinite(bound));
  const body = {
    ...(isOpen(from) ? {} : { [includeFrom ? 'gte' : 'gt']: from }),
    ...(isOpen(to) ? {} : { [includeTo ? 'lte' : 'lt']: to }),
    ...(field.family === 'date' || field.type === 'date_range' ? { format: 'epoch_millis' } : {}),
    ...(relation === undefined ? {} : { relation }),
    boost,
  };
  return { range: { [field.path]: body } };
}
