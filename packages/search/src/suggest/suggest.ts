// What the typed text might have meant: `term` (words near in spelling), `phrase` (whole texts of such words; phrase.ts) and `completion`
// (inputs that start so). All read only what visible documents hold, so that a suggestion never reveals a document the caller may not see.
import { fetchHit, shortFloat } from '../api/fetch.ts';
import { readFetchOptions } from '../api/search-body.ts';
import { compareKeys } from '../aggs/bucket-order.ts';
import { terms } from '../aggs/values.ts';
import type { SegmentScope } from '../aggs/aggregator.ts';
import { editsFor } from '../dsl/field-query.ts';
import { editDistance } from '../highlight/terms-of-query.ts';
import { hasBit } from '../index/bits.ts';
import type { SegmentReader } from '../index/segment.ts';
import { SegmentView } from '../index/segment-view.ts';
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
import { type Context, contextMappings, matchContexts, readWantedContexts } from '../mapping/completion-contexts.ts';
import { analyseCompletion, readCompletionTerm } from '../mapping/completion.ts';
import { TermVisits } from '../query/term-visits.ts';
import { checkTime, LOOKUP_STEPS, spend } from '../request-budget.ts';
import { illegalArgument, parsingError, unsupported } from '../request-error.ts';
import { suggestPhrases } from './phrase.ts';
import { checkDistance, readPhrase } from './read-phrase.ts';
import type { SuggestTarget } from './suggest-target.ts';

/** Answers `suggest`. */
export function runSuggest(body: Json, targets: readonly SuggestTarget[], typedKeys: boolean): Json {
  const found: Record<string, unknown> = {};
  const global = body['text'] === undefined ? undefined : asString(body['text'], 'text');
  for (const [name, value] of Object.entries(body)) {
    if (name === 'text') continue;
    checkTime();
    const definition = asObject(value, name);
    const text = definition['text'] === undefined ? global : asString(definition['text'], 'text');
    const kinds = Object.keys(definition).filter((key) => !['text', 'prefix', 'regex'].includes(key));
    const kind = kinds[0];
    if (kind === undefined || kinds.length > 1)
      throw illegalArgument(`missing or more than one suggestion type in [${name}]`);
    if (!isSuggester(kind)) throw parsingError(`Unknown suggester [${kind}]`);
    const options = asObject(definition[kind], kind);
    const prefix = definition['prefix'] === undefined ? text : asString(definition['prefix'], 'prefix');
    if (definition['regex'] !== undefined) throw unsupported('[regex] in a completion suggestion');
    const given = kind === 'completion' ? prefix : text;
    if (given === undefined)
      throw illegalArgument(`The required ${kind === 'completion' ? 'prefix' : 'text'} option is missing`);
    found[typedKeys ? `${kind}#${name}` : name] = answers[kind](given, options, targets);
  }
  return found;
}

const answers = {
  term: suggestTerms,
  phrase: (text: string, options: Json, targets: readonly SuggestTarget[]) =>
    suggestPhrases(text, readPhrase(options), targets),
  completion: complete,
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
  if (field === undefined) throw illegalArgument(`no mapping found for field [${name}]`);
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

function visitsOf(segment: SegmentReader, field: string): TermVisits | undefined {
  return segment instanceof SegmentView ? new TermVisits(segment.core, field) : undefined;
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

function complete(prefix: string, options: Json, targets: readonly SuggestTarget[]): unknown[] {
  checkKeys(options, 'completion', ['field', 'size', 'skip_duplicates', 'fuzzy', 'analyzer', 'contexts', 'shard_size']);
  if (options['field'] === undefined) throw illegalArgument('the required field option is missing');
  const name = asString(options['field'], 'field');
  const size = options['size'] === undefined ? 5 : asInteger(options['size'], 'size');
  const unique = options['skip_duplicates'] !== undefined && asBoolean(options['skip_duplicates'], 'skip_duplicates');
  const fuzzy = isObject(options['fuzzy']) ? options['fuzzy'] : options['fuzzy'] === true ? {} : undefined;
  if (fuzzy !== undefined) {
    checkKeys(fuzzy, 'fuzzy', [
      'fuzziness',
      'transpositions',
      'min_length',
      'prefix_length',
      'unicode_aware',
      'max_determinized_states',
    ]);
  }
  const entries: {
    text: string;
    weight: number;
    context: Context | undefined;
    hit: () => Json;
    order: number | string;
  }[] = [];
  for (const { target, searcher } of targets) {
    const field = target.mapping.field(name);
    if (field === undefined) continue;
    if (field.family !== 'completion') throw illegalArgument(`Field [${name}] is not a completion suggest field`);
    const given = options['analyzer'];
    const analyzer =
      given === undefined ? field.searchAnalyzer : target.mapping.analysis.analyzer(asString(given, 'analyzer'));
    if (analyzer === undefined) throw illegalArgument(`analyzer [${String(given)}] doesn't exist`);
    const typed = analyseCompletion(analyzer, prefix);
    const mappings = contextMappings(field.definition);
    const asked = options['contexts'] === undefined ? undefined : readWantedContexts(mappings, options['contexts']);
    const fits = fuzzy === undefined ? undefined : fuzzyFits(typed, fuzzy);
    for (const segment of searcher.segments) {
      const column = terms({ segment } as SegmentScope, field, undefined);
      const dictionary = segment.keyword(field.path)?.terms;
      if (column === undefined || dictionary === undefined) continue;
      const matching = new Set<number>();
      const visits = visitsOf(segment, field.path);
      for (let ordinal = fits === undefined ? dictionary.lowerBound(typed) : 0; ordinal < dictionary.size; ordinal++) {
        const term = dictionary.term(ordinal);
        if (fits === undefined && !term.startsWith(typed)) break;
        visits?.visit(ordinal);
        if (fits === undefined) {
          matching.add(ordinal);
        } else if (fits(readCompletionTerm(term).analysed)) matching.add(ordinal);
      }
      if (matching.size === 0) continue;
      checkTime();
      const visible = searcher.visible(segment);
      for (let doc = 0; doc < segment.docCount; doc++) {
        spend(128);
        if (visible !== undefined && !hasBit(visible, doc)) continue;
        let best: { input: string; weight: number; context: Context | undefined } | undefined;
        column.each(doc, (ordinal) => {
          if (!matching.has(ordinal)) return;
          const { input, weight, contexts } = readCompletionTerm(column.term(ordinal));
          const found = asked === undefined ? { context: contexts[0], boost: 1 } : matchContexts(contexts, asked);
          if (found === undefined) return;
          const entry = { input, weight: weight * found.boost, context: found.context };
          if (best === undefined || entry.weight > best.weight) best = entry;
        });
        if (best === undefined) continue;
        entries.push({
          text: best.input,
          weight: best.weight,
          context: best.context,
          order: searcher.tiesById === true ? segment.id(doc) : entries.length,
          hit: () => fetchHit(target, searcher, segment, doc, Number.NaN, readFetchOptions({}), undefined),
        });
      }
    }
  }
  entries.sort((a, b) => {
    spend(64);
    return b.weight - a.weight || compareKeys(a.text, b.text) || compareKeys(a.order, b.order);
  });
  const shown: typeof entries = [];
  const seen = new Set<string>();
  for (const entry of entries) {
    if (unique && seen.has(entry.text)) continue;
    seen.add(entry.text);
    shown.push(entry);
    if (shown.length >= size) break;
  }
  const options_ = shown.map((entry) => ({
    text: entry.text,
    ...entry.hit(),
    _score: entry.weight,
    ...(entry.context === undefined ? {} : { contexts: { [entry.context[0]]: [entry.context[1]] } }),
  }));
  return [{ text: prefix, offset: 0, length: prefix.length, options: options_ }];
}

/** Whether an input starts with something near the typed text. */
function fuzzyFits(typed: string, options: Json): (input: string) => boolean {
  const prefixLength =
    options['prefix_length'] === undefined ? 1 : asInteger(options['prefix_length'], 'prefix_length');
  const minLength = options['min_length'] === undefined ? 3 : asInteger(options['min_length'], 'min_length');
  const transpositions =
    options['transpositions'] === undefined || asBoolean(options['transpositions'], 'transpositions');
  const edits = Array.from(typed).length < minLength ? 0 : editsFor(options['fuzziness'] ?? 'AUTO', typed);
  return (input) => {
    if (!input.startsWith(typed.slice(0, prefixLength))) return false;
    for (let size = typed.length - edits; size <= typed.length + edits; size++) {
      if (size <= input.length && editDistance(typed, input.slice(0, size), edits, transpositions) <= edits)
        return true;
    }
    return false;
  };
}
