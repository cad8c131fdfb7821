// `completion`: finds inputs with a prefix, near a prefix, or matching a regular expression; highest weight first.
import { isProductError } from '@lockstitch/kernel';
import { compareKeys } from '../text/compare-keys.ts';
import { terms } from '../columns/values.ts';
import { fetchHit } from '../fetch/fetch.ts';
import type { FetchOptions } from '../fetch/fetch-options.ts';
import { editDistance } from '../text/text-distance.ts';
import { hasBit } from '../index/bits.ts';
import type { Json } from '../json/json.ts';
import {
  type Context,
  contextMappings,
  matchContexts,
  readWantedContexts,
  type WantedContext,
} from '../mapping/completion-contexts.ts';
import { analyseCompletion, readCompletionTerm } from '../mapping/completion.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { regexpMatcher } from '../automaton/regexp.ts';
import { inHashOrder } from '../text/java-order.ts';
import { checkTime, isLimit, tick } from '../tasks/request-budget.ts';
import { shardArgument } from '../errors/request-error.ts';
import type { CompletionOptions, FuzzyOptions } from './read-completion.ts';
import type { Typed } from './read-suggest.ts';
import { fieldOf, type SuggestTarget } from './suggest-target.ts';
import { visitsOf } from './visits.ts';

/** Tests an analysed input. @returns the boost of its weight (NRTSuggester: 0 counts as 1); undefined without a match */
type Fits = (input: string) => number | undefined;

interface Entry {
  readonly text: string;
  readonly weight: number;
  readonly contexts: readonly Context[];
  readonly order: number | string;
  readonly hit: () => Json;
}

/** Answers one completion suggestion. */
export function suggestCompletions(
  given: () => string,
  options: CompletionOptions,
  targets: readonly SuggestTarget[],
  typed: Typed,
  fetch: FetchOptions,
): unknown[] {
  for (const target of targets) checkField(target, options);
  const text = given();
  const entries = targets.flatMap((target) => entriesOf(target, options, typed, text, fetch));
  entries.sort((a, b) => {
    tick(64);
    return b.weight - a.weight || compareKeys(a.text, b.text) || compareKeys(a.order, b.order);
  });
  // As many come of the one shard.
  const most = Math.min(options.size, options.shardSize);
  const shown: Entry[] = [];
  const seen = new Set<string>();
  for (const entry of entries) {
    if (options.isUnique && seen.has(entry.text)) continue;
    seen.add(entry.text);
    shown.push(entry);
    if (shown.length >= most) break;
  }
  const found = shown.map((entry) => ({
    text: entry.text,
    ...entry.hit(),
    _score: entry.weight,
    ...(entry.contexts.length === 0 ? {} : { contexts: byName(entry.contexts) }),
  }));
  return [{ text, offset: 0, length: text.length, options: found }];
}

/** @throws RequestError for a field of another type */
function checkField(target: SuggestTarget, options: CompletionOptions): ReturnType<typeof fieldOf> {
  const found = fieldOf(options, [target]);
  const { family, path } = found.field;
  if (family !== 'completion') throw shardArgument(`Field [${path}] is not a completion suggest field`);
  return found;
}

function entriesOf(
  { target, searcher, query }: SuggestTarget,
  options: CompletionOptions,
  typed: Typed,
  text: string,
  fetch: FetchOptions,
): Entry[] {
  const { analyzer, field } = checkField({ target, searcher }, options);
  const asked = wantedContexts(field, options.contexts);
  const isRegex = typed.prefix === undefined && typed.text === undefined && typed.regex !== undefined;
  if (isRegex && options.fuzzy !== undefined) throw shardArgument("can not use 'fuzzy' options with 'regex");
  const prefix = analyseCompletion(analyzer, typed.prefix ?? text);
  if (!isRegex && prefix === '') return [];
  const fits: Fits | undefined = isRegex
    ? regexFits(typed.regex, options.flags)
    : options.fuzzy === undefined
      ? undefined
      : fuzzyFits(prefix, options.fuzzy);
  const entries: Entry[] = [];
  for (const segment of searcher.segments) {
    const column = terms({ segment, context: target.context }, field, undefined);
    const dictionary = segment.keyword(field.path)?.terms;
    if (column === undefined || dictionary === undefined) continue;
    const matching = new Map<number, number>();
    const visits = visitsOf(segment, field.path);
    for (let ordinal = fits === undefined ? dictionary.lowerBound(prefix) : 0; ordinal < dictionary.size; ordinal++) {
      const term = dictionary.term(ordinal);
      if (fits === undefined && !term.startsWith(prefix)) break;
      visits?.visit(ordinal);
      const boost = fits === undefined ? 0 : fits(readCompletionTerm(term).analysed);
      if (boost !== undefined) matching.set(ordinal, boost);
    }
    if (matching.size === 0) continue;
    checkTime();
    const visible = searcher.visible(segment);
    for (let doc = 0; doc < segment.docCount; doc++) {
      tick(128);
      if (visible !== undefined && !hasBit(visible, doc)) continue;
      let best: { input: string; weight: number; contexts: readonly Context[] } | undefined;
      const contexts = new Map<string, Context>();
      column.each(doc, (ordinal) => {
        const own = matching.get(ordinal);
        if (own === undefined) return;
        const completion = readCompletionTerm(column.term(ordinal));
        const found = asked === undefined ? { contexts: [], boost: 0 } : matchContexts(completion.contexts, asked);
        if (found === undefined) return;
        for (const context of found.contexts) contexts.set(context.join('\0'), context);
        const boost = own + found.boost;
        // A weight of 0 can be raised, too (NRTSuggester.score).
        const weight = boost === 0 ? completion.weight : Math.max(1, completion.weight) * boost;
        if (best === undefined || weight > best.weight)
          best = { input: completion.input, weight, contexts: found.contexts };
      });
      if (best === undefined) continue;
      const { contexts: first } = best;
      entries.push({
        text: best.input,
        weight: best.weight,
        // With `skip_duplicates`, one path per text is enough.
        contexts: options.isUnique ? first.slice(0, 1) : [...contexts.values()],
        order: searcher.tiesById === true ? segment.id(doc) : entries.length,
        hit: () => fetchHit(target, searcher, segment, doc, Number.NaN, fetch, query),
      });
    }
  }
  return entries;
}

/** What is read where it is searched fails there. */
function inShard<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isProductError(error) && !isLimit(error) ? shardArgument(error.message) : error;
  }
}

/** The requested contexts; undefined if the field has none. */
function wantedContexts(field: MappedField, json: Json | undefined): readonly WantedContext[] | undefined {
  const mappings = contextMappings(field.definition);
  if (mappings.length === 0) {
    if (json !== undefined) throw shardArgument(`suggester [${field.path}] doesn't expect any context`);
    return undefined;
  }
  const asked = json === undefined ? [] : inShard(() => readWantedContexts(mappings, json));
  if (asked.length === 0) throw shardArgument('Missing mandatory contexts in context query');
  return asked;
}

/** Values by context, in the order of Java's HashSet. */
function byName(contexts: readonly Context[]): Json {
  const found: Record<string, string[]> = {};
  for (const [name, value] of contexts) (found[name] ??= []).push(value);
  return Object.fromEntries(Object.entries(found).map(([name, values]) => [name, inHashOrder(values)]));
}

function regexFits(regex: string, flags: string): Fits {
  const matcher = inShard(() => regexpMatcher(`(${regex}).*`, flags, false, 10_000));
  return (input) => (matcher.matches(input) ? 0 : undefined);
}

/**
 * Whether an input starts with something near the typed text. What is near is looked for from the shortest start on; as many letters as
 * the first of them has in common with the typed text count as boost (FuzzyCompletionQuery).
 */
function fuzzyFits(typed: string, options: FuzzyOptions): Fits {
  const { prefixLength, minLength, transpositions, isUnicodeAware } = options;
  const letters = (text: string): string => (isUnicodeAware ? text : Buffer.from(text).toString('latin1'));
  const wanted = letters(typed);
  const edits = wanted.length < minLength || wanted.length <= prefixLength ? 0 : options.edits;
  const start = wanted.slice(0, prefixLength);
  return (text) => {
    const input = letters(text);
    if (!input.startsWith(start)) return undefined;
    const longest = Math.min(input.length, wanted.length + edits);
    for (let size = Math.max(start.length, wanted.length - edits); size <= longest; size++) {
      const head = input.slice(0, size);
      if (editDistance(wanted, head, edits, transpositions) > edits) continue;
      let common = 0;
      while (common < size && head[common] === wanted[common]) common++;
      return common;
    }
    return undefined;
  };
}
