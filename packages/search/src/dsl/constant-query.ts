// Queries on fields whose value all documents of an index share: `_index`, `_type` and constant keywords. They match all documents of
// the index or none, and no document is looked at. As Elasticsearch's ConstantFieldType.
import { globMatches } from '../text/glob.ts';
import { textOf } from '../json/json.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { constantOf } from '../mapping/metadata-fields.ts';
import { editDistance } from '../text/text-distance.ts';
import { compareTerms } from '../query/multi-term.ts';
import type { Query } from '../query/query.ts';
import { regexpMatcher } from '../automaton/regexp.ts';
import { illegalArgument } from '../errors/request-error.ts';
import type { QueryContext } from './context.ts';

/** Every document or none. */
function all(matches: boolean): Query {
  return { kind: matches ? 'match_all' : 'match_none' };
}

/** All documents of an index if its value matches one of the patterns, with `*` as a wildcard even in a `term` query; else none. */
export function constantTerms(
  field: MappedField,
  patterns: readonly unknown[],
  context: QueryContext,
  caseInsensitive = false,
): Query {
  const value = constantOf(field, context.index);
  if (value === undefined) return all(false);
  const names = field.type === '_index' ? [value, ...context.aliases] : [value];
  const lower = (text: string): string => (caseInsensitive ? text.toLowerCase() : text);
  return all(patterns.some((pattern) => names.some((name) => globMatches(lower(textOf(pattern)), lower(name)))));
}

/** Documents of indices that have a value. */
export function constantExists(field: MappedField, context: QueryContext): Query {
  return all(constantOf(field, context.index) !== undefined);
}

/** Bounds of a range of texts. */
export interface ConstantBounds {
  readonly low: unknown;
  readonly high: unknown;
  readonly openLow: boolean;
  readonly openHigh: boolean;
}

/** Documents of indices whose value lies in a range. @throws RequestError for `_index` */
export function constantRange(field: MappedField, bounds: ConstantBounds, context: QueryContext): Query {
  if (field.type === '_index') throw illegalArgument('Field [_index] of type [_index] does not support range queries');
  const value = constantOf(field, context.index);
  if (value === undefined) return all(false);
  const { low, high, openLow, openHigh } = bounds;
  const below = low === undefined ? -1 : compareTerms(textOf(low), value);
  const above = high === undefined ? 1 : compareTerms(textOf(high), value);
  return all((openLow ? below < 0 : below <= 0) && (openHigh ? above > 0 : above >= 0));
}

/** Documents of indices whose value a regular expression fits. Only constant keywords take one. */
export function constantRegexp(
  field: MappedField,
  pattern: string,
  options: { readonly flags: string; readonly maxStates: number; readonly caseInsensitive: boolean },
  context: QueryContext,
): Query {
  const value = constantOf(field, context.index);
  if (value === undefined) return all(false);
  return all(regexpMatcher(pattern, options.flags, options.caseInsensitive, options.maxStates).matches(value));
}

/** Documents of indices whose value is so many edits from a text at most. Only constant keywords take one. */
export function constantFuzzy(
  field: MappedField,
  text: string,
  options: { readonly edits: number; readonly prefix: number; readonly transpositions: boolean },
  context: QueryContext,
): Query {
  const value = constantOf(field, context.index);
  if (value === undefined) return all(false);
  const { edits, prefix, transpositions } = options;
  const start = Array.from(text).slice(0, prefix).join('');
  return all(value.startsWith(start) && editDistance(text, value, edits, transpositions) <= edits);
}
