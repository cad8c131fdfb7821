// What the typed text might have meant: `term` (words near in spelling), `phrase` (whole texts of such words; phrase.ts) and `completion`
// (inputs that start so). All read only what visible documents hold, so that a suggestion never reveals a document the caller may not see.
import { shortFloat } from '../api/fetch.ts';
import { asBoolean, asInteger, asObject, asString, checkKeys, isObject, type Json } from '../json.ts';
import { checkTime } from '../request-budget.ts';
import { illegalArgument, parseException, parsingError, RequestError, shardArgument } from '../request-error.ts';
import { suggestCompletions } from './complete.ts';
import { suggestPhrases } from './phrase.ts';
import { readPhrase } from './read-phrase.ts';
import { checkDistance, readEdits, readInspections, readMode, readNearness } from './read-spelling.ts';
import { byFrequency, byScore, type NearWord, SpellDictionary, type SpellOptions } from './spell-dictionary.ts';
import type { SuggestTarget } from './suggest-target.ts';

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

function suggestTerms(text: string, options: Json, targets: readonly SuggestTarget[]): unknown[] {
  checkKeys(options, 'term', [
    'field',
    'analyzer',
    'size',
    'sort',
    'suggest_mode',
    'accuracy',
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
  const mode = readMode(options);
  const maxEdits = readEdits(options, (given) => `max_edits must be between 1 and 2, but was [${given}]`);
  checkDistance(options['string_distance'], 'a term suggestion');
  const lowers = options['lowercase_terms'] !== undefined && asBoolean(options['lowercase_terms'], 'lowercase_terms');
  const shardSize = options['shard_size'] === undefined ? size : asInteger(options['shard_size'], 'shard_size');
  if (size < 1 || shardSize < 1) throw illegalArgument('size must be positive');
  const maxInspections = readInspections(options);
  const spelling: SpellOptions = { mode, size: shardSize, maxInspections, maxEdits, ...readNearness(options) };
  const field = targets.map(({ target }) => target.mapping.field(name)).find((each) => each !== undefined);
  if (field === undefined) throw shardArgument(`no mapping found for field [${name}]`);
  const context = targets[0]!.target;
  const analyzer =
    options['analyzer'] === undefined
      ? field.searchAnalyzer
      : context.mapping.analysis.analyzer(asString(options['analyzer'], 'analyzer'));
  if (analyzer === undefined) throw illegalArgument(`analyzer [${String(options['analyzer'])}] doesn't exist`);
  const list = analyzer.analyze(text);
  const dictionaries = targets.map(({ searcher }) => new SpellDictionary(searcher, field.path));
  return list.terms.map((given, at) => {
    const word = lowers ? given.toLowerCase() : given;
    const found = new Map<string, NearWord>();
    for (const near of dictionaries.flatMap((dictionary) => dictionary.near(word, spelling)))
      found.set(near.text, { ...near, freq: (found.get(near.text)?.freq ?? 0) + near.freq });
    const best = [...found.values()].sort(spelling.sort === 'frequency' ? byFrequency : byScore).slice(0, size);
    return {
      text: word,
      offset: list.starts[at],
      length: list.ends[at]! - list.starts[at]!,
      options: best.map(({ text: near, score, freq }) => ({ text: near, score: shortFloat(score), freq })),
    };
  });
}
