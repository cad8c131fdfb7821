// How near words are looked for: the options that `term` suggestions and the candidate generators of `phrase` share.
import { asChoice, asInteger, asNumber, asString, type Json } from '../json.ts';
import { illegalArgument, unsupported } from '../request-error.ts';
import type { SpellOptions, SuggestMode } from './spell-dictionary.ts';

/** Reads `suggest_mode`. */
export function readMode({ suggest_mode: given }: Json): SuggestMode {
  return given === undefined ? 'missing' : asChoice(given, 'suggest_mode', ['missing', 'popular', 'always']);
}

/** Reads `max_edits`. @param refusal of a number that there are no automata for */
export function readEdits({ max_edits: given }: Json, refusal: (edits: number) => string): number {
  const edits = given === undefined ? 2 : asInteger(given, 'max_edits');
  if (edits < 1 || edits > 2) throw illegalArgument(refusal(edits));
  return edits;
}

/** Reads `max_inspections`. */
export function readInspections({ max_inspections: given }: Json): number {
  const inspections = given === undefined ? 5 : asInteger(given, 'max_inspections');
  if (inspections < 0) throw illegalArgument('max_inspections must be positive');
  return inspections;
}

/** Reads what is left: which words are compared, which are near enough, and their order. */
export function readNearness(
  body: Json,
): Pick<SpellOptions, 'accuracy' | 'prefixLength' | 'minWordLength' | 'maxTermFreq' | 'minDocFreq' | 'sort'> {
  const integer = (key: string, fallback: number): number =>
    body[key] === undefined ? fallback : asInteger(body[key], key);
  const number = (key: string, fallback: number): number =>
    body[key] === undefined ? fallback : asNumber(body[key], key);
  return {
    accuracy: number('accuracy', 0.5),
    prefixLength: integer('prefix_length', 1),
    minWordLength: integer('min_word_length', 4),
    maxTermFreq: number('max_term_freq', 0.01),
    minDocFreq: number('min_doc_freq', 0),
    sort: body['sort'] === undefined ? 'score' : asChoice(body['sort'], 'sort', ['score', 'frequency']),
  };
}

/** @throws RequestError for another measure than the number of edits, swaps included */
export function checkDistance(value: unknown, where: string): void {
  if (value === undefined) return;
  const distance = asString(value, 'string_distance').toLowerCase();
  if (distance !== 'internal' && distance !== 'damerau_levenshtein')
    throw unsupported(`[string_distance] [${distance}] in ${where}`);
}
