// `search_after`: the values of the last hit of a page, read as the keys of the sort compare them.
import type { SortValue } from '../collect/search-request.ts';
import { RequestError, searchFailure, shardArgument } from '../errors/request-error.ts';
import { notANumber, textOf } from '../json/json.ts';
import { NoDateError } from '../mapping/field-type.ts';
import type { ResolvedSort } from '../sort/resolved-sort.ts';
import type { SearchBody } from './search-body.ts';

/** Reads the values. @throws RequestError for those that do not fit the sort, and for a page that begins elsewhere */
export function readAfter(
  { from, searchAfter }: SearchBody,
  sort: readonly ResolvedSort[],
): readonly SortValue[] | undefined {
  if (searchAfter === undefined) return undefined;
  if (from > 0) throw searchFailure('`from` parameter must be set to 0 when `search_after` is used.');
  if (sort.length === 0) throw shardArgument('Sort must contain at least one field.');
  if (searchAfter.length !== sort.length)
    throw shardArgument(`search_after has ${searchAfter.length} value(s) but sort has ${sort.length}.`);
  return sort.map((key, at) => readValue(searchAfter[at], key));
}

function readValue(value: unknown, sort: ResolvedSort): SortValue {
  const { key } = sort;
  const refuse = (type: string, reason: string): Error =>
    new RequestError(
      'SEARCH_SHARD_FAILURE',
      'illegal_argument_exception',
      `Failed to parse search_after value for field [${'field' in key ? key.field : null}].`,
      { phase: true, causedBy: { type, reason } },
    );
  let found: SortValue;
  try {
    found = sort.read(value);
  } catch (error) {
    if (!(error instanceof RequestError) || error.details.phase !== undefined) throw error;
    const { message, type } = error;
    if (!(error instanceof NoDateError)) throw refuse(type, message);
    throw new RequestError('SEARCH_SHARD_FAILURE', 'parse_exception', `${message}: [${message}]`, { phase: true });
  }
  const { reason, type } = notANumber(textOf(value));
  if (Number.isNaN(found)) throw refuse(type, reason);
  return found;
}
