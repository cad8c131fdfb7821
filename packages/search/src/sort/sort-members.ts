// Which members the sort by a field has, read in their order as Elasticsearch's parser does: what no mapping makes right is refused here.
import { byWord } from '@lockstitch/kernel';
import type { QueryContext } from '../dsl/context.ts';
import { parseInnerQuery } from '../dsl/parse-query.ts';
import {
  illegalArgument,
  isShardFailure,
  parsingError,
  queryShardError,
  RequestError,
} from '../errors/request-error.ts';
import { asInteger, asObject, type Json, knownHere, textOf } from '../json/json.ts';
import { checkToken, type MemberKind, unknownMember, within } from '../json/object-parser.ts';

/** A direction beside the name of a field, which no parser of objects reads. */
export function direction(text: string): string {
  if (!(ORDERS as readonly string[]).includes(text.toLowerCase()))
    throw illegalArgument(`No enum constant org.elasticsearch.search.sort.SortOrder.${text.toUpperCase()}`);
  return text;
}

/** Directions of an order. */
export const ORDERS = ['asc', 'desc'] as const;

/** What of several values counts. */
export const MODES = ['min', 'max', 'sum', 'avg', 'median'] as const;

/** The mode that a text names. */
export function sortMode(value: unknown): (typeof MODES)[number] {
  const found = MODES.find((mode) => mode === textOf(value).toLowerCase());
  if (found === undefined) throw illegalArgument(`Unknown SortMode [${textOf(value)}]`);
  return found;
}

const NUMERIC_TYPES = ['long', 'double', 'date', 'date_nanos'];

/** What tokens the options of a sort by a field begin with. */
const KINDS: Readonly<Record<string, MemberKind>> = byWord({
  string: 'order mode unmapped_type nested_path numeric_type format',
  value: 'missing',
  object: 'nested nested_filter',
});

/** Reads the options in their order. @throws RequestError for what no mapping makes right */
export function checkMembers(body: Json, context: QueryContext): void {
  for (const [key, value] of Object.entries(body)) {
    const kind = Object.hasOwn(KINDS, key) ? KINDS[key] : undefined;
    if (kind === undefined) throw unknownMember('field_sort', key, Object.keys(KINDS));
    checkToken('field_sort', key, value, kind);
    const text = textOf(value).toLowerCase();
    within('field_sort', key, () => {
      if (key === 'order') direction(text);
      if (key === 'mode') sortMode(value);
      if (key === 'numeric_type' && !NUMERIC_TYPES.includes(text))
        throw illegalArgument(
          `invalid value for [numeric_type], must be [long, double, date, date_nanos], got ${textOf(value)}`,
        );
      if (key === 'nested_filter') nestedFilter(value, context);
      if (key === 'nested') checkNested(value as Json, context);
    });
  }
  if (body['nested'] !== undefined && (body['nested_path'] !== undefined || body['nested_filter'] !== undefined))
    throw illegalArgument('Setting both nested_path/nested_filter and nested not allowed');
}

const NESTED_KEYS = ['path', 'filter', 'max_children', 'nested'];

/** Checks what needs no mapping of `nested`. */
export function checkNested(nested: Json, context: QueryContext): void {
  for (const [key, value] of Object.entries(nested)) {
    if (key === 'filter') nestedFilter(value, context);
    else if (key === 'max_children') asInteger(value, key);
    else if (key === 'nested') checkNested(asObject(value, key), context);
    else if (key !== 'path')
      throw illegalArgument(`malformed nested sort format, unknown field name [${key}]`, knownHere(key, NESTED_KEYS));
  }
}

/** @throws RequestError for a filter that cannot be read, whatever index it would be of */
export function nestedFilter(value: unknown, context: QueryContext): void {
  try {
    parseInnerQuery(value, context);
  } catch (error) {
    if (!(error instanceof RequestError) || isShardFailure(error) || error.code === 'SEARCH_UNSUPPORTED') throw error;
    throw parsingError('Expected nested_filter element.', {
      causedBy: { type: error.type, reason: error.message },
    });
  }
}

/** @throws RequestError for options that texts do not have */
export function checkTextOptions(body: Json, type: string, { index }: QueryContext): void {
  if (body['numeric_type'] !== undefined)
    throw queryShardError(`[numeric_type] option cannot be set on a non-numeric field, got ${type}`, index);
  if (['avg', 'median', 'sum'].includes(textOf(body['mode']).toLowerCase()))
    throw queryShardError(`we only support AVG, MEDIAN and SUM on number based fields`, index);
}
