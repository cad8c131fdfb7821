// What `suggest` says: the suggestions by name, each of one kind, read and checked independent of any index.
import { isObject, type Json, textOf, toList, tokenOf } from '../json/json.ts';
import { illegalArgument, parseException, parsingError, RequestError } from '../errors/request-error.ts';
import { type CompletionOptions, readCompletion } from './read-completion.ts';
import { type PhraseOptions, readPhrase } from './read-phrase.ts';
import { readTerm, type TermOptions } from './term.ts';

/** What was typed, as the request says it. */
export interface Typed {
  readonly text: string | undefined;
  readonly prefix: string | undefined;
  readonly regex: string | undefined;
}

type Options =
  | { readonly kind: 'term'; readonly options: TermOptions }
  | { readonly kind: 'phrase'; readonly options: PhraseOptions }
  | { readonly kind: 'completion'; readonly options: CompletionOptions };

/** One suggestion of a request. */
export type Suggestion = Options & { readonly name: string; readonly input: Typed };

/** The suggestions of a request, and the text of those that have none of their own. */
export interface SuggestBody {
  readonly text: string | undefined;
  readonly suggestions: readonly Suggestion[];
}

const READERS: Readonly<Record<string, (options: Json) => Options>> = {
  term: (options) => ({ kind: 'term', options: readTerm(options) }),
  phrase: (options) => ({ kind: 'phrase', options: readPhrase(options) }),
  completion: (options) => ({ kind: 'completion', options: readCompletion(options) }),
};

/** The suggesters that are understood. */
export function suggesters(): readonly string[] {
  return Object.keys(READERS);
}

/** Reads `suggest`. @throws RequestError for the first mistake */
export function readSuggest(body: Json): SuggestBody {
  let text: string | undefined;
  const suggestions: Suggestion[] = [];
  for (const [name, value] of Object.entries(body)) {
    // A suggestion may be called like the text of all.
    if (isObject(value)) suggestions.push(readSuggestion(name, value));
    else if (value === null || Array.isArray(value))
      throw parsingError(`unexpected token [${tokenOf(value)}] after [${name}]`);
    else if (name === 'text') text = textOf(value);
    else throw illegalArgument(`[suggest] does not support [${name}]`);
  }
  return { text, suggestions };
}

function readSuggestion(name: string, body: Json): Suggestion {
  const typed: Record<string, string> = {};
  let options: Options | undefined;
  for (const [key, value] of Object.entries(body)) {
    if (isObject(value)) options = readerOf(key)(value);
    // Of a list each value counts as one by itself, and null as none, as in Elasticsearch.
    for (const each of toList(value)) {
      if (each === null || typeof each === 'object') continue;
      if (key !== 'text' && key !== 'prefix' && key !== 'regex')
        throw parsingError(`suggestion does not support [${key}]`);
      typed[key] = textOf(each);
    }
  }
  if (options === undefined) throw parseException('missing suggestion object');
  const { text, prefix, regex } = typed;
  return { name, input: { text, prefix, regex }, ...options };
}

function readerOf(kind: string): (options: Json) => Options {
  const reader = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
  if (reader === undefined)
    throw new RequestError('SEARCH_PARSING', 'named_object_not_found_exception', `unknown field [${kind}]`);
  return reader;
}
