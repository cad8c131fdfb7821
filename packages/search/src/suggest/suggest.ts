// What the typed text might have meant: `term` (words near in spelling), `phrase` (whole texts of such words; phrase.ts) and `completion`
// (inputs that start so). All read only what visible documents hold, so that a suggestion never reveals a document the caller may not see.
import type { Json } from '../json/json.ts';
import { checkTime } from '../tasks/request-budget.ts';
import { shardArgument } from '../errors/request-error.ts';
import { type FetchOptions, readFetchOptions } from '../fetch/fetch-options.ts';
import { suggestCompletions } from './complete.ts';
import { suggestPhrases } from './phrase.ts';
import { readSuggest, type Suggestion } from './read-suggest.ts';
import { fieldOf, type SuggestTarget } from './suggest-target.ts';
import { suggestTerms } from './term.ts';

/** Answers `suggest`. @param fetch what the search shows of hits, and `completion` of its documents */
export function runSuggest(
  body: Json,
  targets: readonly SuggestTarget[],
  typedKeys: boolean,
  fetch: FetchOptions = readFetchOptions({}),
): Json {
  const { suggestions, text: global } = readSuggest(body);
  const found: Record<string, unknown> = {};
  for (const suggestion of suggestions) {
    checkTime();
    const { input, kind, name } = suggestion;
    const text = input.text ?? input.prefix ?? input.regex ?? global;
    found[typedKeys ? `${kind}#${name}` : name] = answer(suggestion, text, targets, fetch);
  }
  return found;
}

/** @throws RequestError for a suggestion of a field that an index does not have */
export function checkSuggest(body: Json, target: SuggestTarget): void {
  for (const { options } of readSuggest(body).suggestions) fieldOf(options, [target]);
}

function answer(
  suggestion: Suggestion,
  given: string | undefined,
  targets: readonly SuggestTarget[],
  fetch: FetchOptions,
): unknown[] {
  const text = (): string => {
    if (given === undefined) throw shardArgument('The required text option is missing');
    return given;
  };
  switch (suggestion.kind) {
    case 'term':
      return suggestTerms(text, suggestion.options, targets);
    case 'phrase':
      return suggestPhrases(text, suggestion.options, targets);
    case 'completion':
      return suggestCompletions(text, suggestion.options, targets, suggestion.input, fetch);
  }
}
