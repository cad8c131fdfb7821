// Refusals of what a request must not have, in the words of Elasticsearch's parsers: members of a body, names in a URL.
import { placeOf } from '../../json/json-place.ts';
import { type Json, nearest } from '../../json/json.ts';
import { RequestError } from '../../errors/request-error.ts';

/** @param source the body, where it is at hand: it says where the member stands */
export function unknownField(name: string, key: string, known: readonly string[], source?: Uint8Array): Error {
  return new RequestError(
    'SEARCH_PARSING',
    'x_content_parse_exception',
    `${placeOf(source, [key])} [${name}] unknown field [${key}]${nearest(key, known)}`,
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

/** The nearest known name of a parameter or metric of a URL, in Elasticsearch's words; empty where none is near. */
export function nearestOfUrl(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === '' ? '' : ` ->${near}`;
}
