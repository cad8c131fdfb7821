// What the typed text might have meant: `term` (words near in spelling), `phrase` (whole texts of such words; phrase.ts) and `completion`
// (inputs that start so). All read only what visible documents hold, so that a suggestion never reveals a document the caller may not see.
import { shortFloat } from '../api/fetch.ts';
import { compareKeys } from '../aggs/bucket-order.ts';
import { editDistance } from '../query/text-distance.ts';
import {
  asBoolean,
  asChoice,
  asInteger,
  asNumber,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
} from '../json.ts';
import { checkTime, LOOKUP_STEPS, spend } from '../request-budget.ts';
import { illegalArgument, parseException, parsingError, RequestError, shardArgument } from '../request-error.ts';
import { suggestCompletions } from './complete.ts';
import { suggestPhrases } from './phrase.ts';
import { checkDistance, readPhrase } from './read-phrase.ts';
import type { SuggestTarget } from './suggest-target.ts';
import { visitsOf } from './visits.ts';

/** Answers `suggest`. */
export function runSuggest(body: Json, targets: readonly SuggestTarget[], typedKeys: boolean): Json {
  const found: Record<string, unknown> = {};
  const global = body['text'] === undefined ? undefined : asString(body['text'], 'text');
  for (const [name, value] of Object.entries(body)) {
    if (name === 'text') continue;
    checkTime();
    const definition = asObject(value, name);
    const kinds = Object.keys(definition).filter((key) => !['text', 'prefix', 'regex'].includes(key));
    const scalar = kinds.find((key) => !isObject(definition[key]));
    if (scalar !== undefined) throw parsingError(`suggestion does not support [${scalar}]`);
    const kind = kinds.at(-1);
    if (kind === undefined) throw parseException('missing suggestion object');
    const unknown = kinds.find((key) => !isSuggester(key));
    if (unknown !== undefined)
      throw new RequestError('SEARCH_PARSING', 'named_object_not_found_exception', `unknown field [${unknown}]`);
    const given = (key: string): string | undefined =>
      definition[key] === undefined ? undefined : asString(definition[key], key);
    const input = { text: given('text'), prefix: given('prefix'), regex: given('regex') };
    const options = asObject(definition[kind], kind);
    const text = input.text ?? input.prefix ?? input.regex ?? global;
    if (text === undefined) throw shardArgument('The required text option is missing');
    found[typedKeys ? `${kind}#${name}` : name] = answers[kind as keyof typeof answers](text, options, targets, input);
  }
  return found;
}

const answers = {
  term: suggestTerms,
  phrase: (text: string, options: Json, targets: readonly SuggestTarget[]) =>
    suggestPhrases(text, readPhrase(options), targets),
  completion: suggestCompletions,
};

function isSuggester(kind: string): kind is keyof typeof answers {
  return Object.hasOwn(answers, kind);
}

/** The suggesters that are understood. */
export function suggesters(): readonly string[] {
  return Object.keys(answers);
}

/** Documents that hold a term, among those that the caller may see. */
function visibleCount(target: SuggestTarget, field: string, term: string): number {
  let count = 0;
  for (const segment of target.searcher.segments) {
    const ordinal = segment.terms(field)?.lookup(term) ?? -1;
    if (ordinal < 0) continue;
    count += segment.countTerm(field, ordinal, target.searcher.visible(segment));
  }
  return count;
}

function suggestTerms(text: string, options: Json, targets: readonly SuggestTarget[]): unknown[] {
  checkKeys(options, 'term', [
    'field',
    'analyzer',
    'size',
    'sort',
    'suggest_mode',
    'max_edits',
    'prefix_length',
    'min_word_length',
    'shard_size',
    'max_inspections',
    'min_doc_freq',
    'max_term_freq',
    'string_distance',
    'lowercase_terms',
  ]);
  if (options['field'] === undefined) throw illegalArgument('the required field option is missing');
  const name = asString(options['field'], 'field');
  const size = options['size'] === undefined ? 5 : asInteger(options['size'], 'size');
  const mode =
    options['suggest_mode'] === undefined
      ? 'missing'
      : asChoice(options['suggest_mode'], 'suggest_mode', ['missing', 'popular', 'always']);
  const maxEdits = options['max_edits'] === undefined ? 2 : asInteger(options['max_edits'], 'max_edits');
  if (maxEdits < 1 || maxEdits > 2) throw illegalArgument(`max_edits must be between 1 and 2, but was [${maxEdits}]`);
  const prefixLength =
    options['prefix_length'] === undefined ? 1 : asInteger(options['prefix_length'], 'prefix_length');
  const minLength =
    options['min_word_length'] === undefined ? 4 : asInteger(options['min_word_length'], 'min_word_length');
  checkDistance(options['string_distance'], 'a term suggestion');
  const lowers = options['lowercase_terms'] !== undefined && asBoolean(options['lowercase_terms'], 'lowercase_terms');
  const maxTermFreq =
    options['max_term_freq'] === undefined ? 0.01 : asNumber(options['max_term_freq'], 'max_term_freq');
  const shardSize = options['shard_size'] === undefined ? size : asInteger(options['shard_size'], 'shard_size');
  if (size < 1 || shardSize < 1) throw illegalArgument('size must be positive');
  if (options['max_inspections'] !== undefined && asInteger(options['max_inspections'], 'max_inspections') < 0)
    throw illegalArgument('max_inspections must be positive');
  const minDocFreq = options['min_doc_freq'] === undefined ? 0 : asNumber(options['min_doc_freq'], 'min_doc_freq');
  const byFrequency =
    options['sort'] !== undefined && asChoice(options['sort'], 'sort', ['score', 'frequency']) === 'frequency';
  const field = targets.map(({ target }) => target.mapping.field(name)).find((each) => each !== undefined);
  if (field === undefined) throw shardArgument(`no mapping found for field [${name}]`);
  const context = targets[0]!.target;
  const analyzer =
    options['analyzer'] === undefined
      ? field.searchAnalyzer
      : context.mapping.analysis.analyzer(asString(options['analyzer'], 'analyzer'));
  if (analyzer === undefined) throw illegalArgument(`analyzer [${String(options['analyzer'])}] doesn't exist`);
  const list = analyzer.analyze(text);
  const documents = targets.reduce((sum, { searcher }) => sum + searcher.docCount(), 0);
  // Parts of all documents, or numbers of them (DirectSpellChecker.suggestSimilar).
  const mostFreq = maxTermFreq >= 1 ? maxTermFreq : Math.ceil(maxTermFreq * documents);
  const leastFreq = minDocFreq >= 1 ? Math.floor(minDocFreq) : Math.floor(minDocFreq * documents) - 1;
  return list.terms.map((given, at) => {
    const word = lowers ? given.toLowerCase() : given;
    const own = targets.reduce((sum, target) => sum + visibleCount(target, field.path, word), 0);
    const candidates =
      (mode === 'missing' && own > 0) || own > mostFreq
        ? []
        : nearWords(word, field.path, targets, { maxEdits, prefixLength, minLength });
    const kept = candidates
      .filter((each) => each.freq > Math.max(0, leastFreq) && (mode !== 'popular' || each.freq > own))
      .sort(
        (a, b) =>
          (byFrequency ? b.freq - a.freq || b.score - a.score : b.score - a.score || b.freq - a.freq) ||
          compareKeys(a.text, b.text),
      );
    return {
      text: word,
      offset: list.starts[at],
      length: list.ends[at]! - list.starts[at]!,
      options: kept.slice(0, Math.min(size, shardSize)),
    };
  });
}

function nearWords(
  word: string,
  field: string,
  targets: readonly SuggestTarget[],
  limits: { readonly maxEdits: number; readonly prefixLength: number; readonly minLength: number },
): { text: string; score: number; freq: number }[] {
  const found = new Map<string, number>();
  if (word.length < limits.minLength) return [];
  const prefix = word.slice(0, limits.prefixLength);
  for (const target of targets) {
    for (const segment of target.searcher.segments) {
      const dictionary = segment.terms(field);
      if (dictionary === undefined) continue;
      const visible = target.searcher.visible(segment);
      const visits = visitsOf(segment, field);
      for (let ordinal = dictionary.lowerBound(prefix); ordinal < dictionary.size; ordinal++) {
        const term = dictionary.term(ordinal);
        if (!term.startsWith(prefix)) break;
        visits?.visit(ordinal);
        if (term === word || Math.abs(term.length - word.length) > limits.maxEdits || term.length < limits.minLength)
          continue;
        if (editDistance(word, term, limits.maxEdits) > limits.maxEdits) continue;
        spend(LOOKUP_STEPS);
        const count = segment.countTerm(field, ordinal, visible);
        if (count > 0) found.set(term, (found.get(term) ?? 0) + count);
      }
    }
  }
  return [...found].map(([text, freq]) => {
    const distance = editDistance(word, text, limits.maxEdits);
    const score = 1 - distance / Math.min(Array.from(word).length, Array.from(text).length);
    return { text, score: shortFloat(score)!, freq };
  });
}
