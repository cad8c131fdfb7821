// The refusal of a member that the body of a request must not have, in the words of Elasticsearch's object parsers.
import { suggest } from '@lockstitch/kernel';
import { placeOf } from '../../json-place.ts';
import type { Json } from '../../json.ts';
import { RequestError } from '../../request-error.ts';

/** @param source the body, where it is at hand: it says where the member stands */
export function unknownField(name: string, key: string, known: readonly string[], source?: Uint8Array): Error {
  return new RequestError(
    'SEARCH_PARSING',
    'x_content_parse_exception',
    `${placeOf(source, [key])} [${name}] unknown field [${key}]${nearestOf(key, known)}`,
  );
}

/** @throws RequestError for a member that is not known */
export function checkFields(object: Json, name: string, known: readonly string[], source?: Uint8Array): void {
  for (const key of Object.keys(object)) if (!known.includes(key)) throw unknownField(name, key, known, source);
}

/** The refusal of a member whose value cannot be read, inside of another. */
export function failedField(name: string, key: string): Error {
  return new RequestError(
    'SEARCH_PARSING',
    'x_content_parse_exception',
    `[1:1] [${name}] failed to parse field [${key}]`,
  );
}

function nearestOf(key: string, known: readonly string[]): string {
  const near = suggest(key, known);
  return near === undefined ? '' : ` did you mean [${near}]?`;
}
