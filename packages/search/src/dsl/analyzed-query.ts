// Turns the words of a text into a query on one field: words in a row, alternatives at one position, and token graphs. Follows
// Elasticsearch's MatchQuery and Lucene's QueryBuilder.
import type { SpanSource } from '../query/kinds/span.ts';
import type { Query } from '../query/query.ts';
import { pathsOf, stretchesOf, type Word, type Words } from './token-graph.ts';

/** The words of a text, those at one position together. */
export interface Slot {
  readonly position: number;
  readonly terms: readonly string[];
}

/** What kind of query the words become. */
export type MatchKind = 'match' | 'phrase' | 'phrase_prefix' | 'bool_prefix';

/** Makes the queries for words; one object per field. */
export interface WordQueries {
  /** Counts clauses before they are made. */
  readonly count: (clauses: number) => void;
  readonly term: (term: string) => Query;
  readonly synonym: (terms: readonly string[]) => Query;
  readonly prefix: (text: string) => Query;
  readonly phrase: (slots: readonly Slot[], slop: number) => Query;
  readonly phrasePrefix: (slots: readonly Slot[], slop: number) => Query;
  /** Spans of the field. */
  readonly spans: (source: SpanSource) => Query;
  /** Words as a source of spans; the last as a prefix. */
  readonly spanTerm: (term: string) => SpanSource;
  readonly spanPrefix: (text: string) => SpanSource;
  /** Whether alternatives of several words are phrases (`auto_generate_synonyms_phrase_query`). */
  readonly phrases: boolean;
}

/** The words at positions counted from the first one. */
export function slotsOf(words: readonly Word[]): Slot[] {
  const slots: { position: number; terms: string[] }[] = [];
  let position = -(words[0]?.step ?? 0);
  for (const { step, term } of words) {
    position += step;
    const last = slots.at(-1);
    if (step === 0 && last !== undefined) last.terms.push(term);
    else slots.push({ position, terms: [term] });
  }
  return slots;
}

/** Builds the query for words; undefined if there are none. */
export function queryOfWords(
  { endsWithWord, isGraph, words }: Words,
  kind: MatchKind,
  operator: 'and' | 'or',
  slop: number,
  make: WordQueries,
): Query | undefined {
  const [first] = words;
  if (first === undefined) return undefined;
  make.count(words.length - 1);
  const isPrefix = kind === 'bool_prefix' && endsWithWord;
  const isPhrase = kind === 'phrase' || kind === 'phrase_prefix';
  if (isGraph) return isPhrase ? graphPhrase(words, kind, slop, make) : graphBoolean(words, isPrefix, operator, make);
  const slots = slotsOf(words);
  if (kind === 'phrase_prefix') return make.phrasePrefix(slots, slop);
  if (words.length === 1) return isPrefix ? make.prefix(first.term) : make.term(first.term);
  const single = ({ terms }: Slot): Query => (terms.length === 1 ? make.term(terms[0]!) : make.synonym(terms));
  // A hole before the only position counts as a position.
  if (slots.length === 1 && first.step === 1) return single(slots[0]!);
  if (kind === 'phrase') return make.phrase(slots, slop);
  const queries = slots.map((slot, at) =>
    isPrefix && at === slots.length - 1 && slot.terms.length === 1 ? make.prefix(slot.terms[0]!) : single(slot),
  );
  return joined(queries, operator);
}

/** A boolean query even of one clause: `minimum_should_match` counts its clauses. */
function joined(queries: readonly Query[], operator: 'and' | 'or'): Query {
  return operator === 'and' ? { kind: 'boolean', must: queries } : { kind: 'boolean', should: queries };
}

const queriesOf = (query: Query | undefined): readonly Query[] => (query === undefined ? [] : [query]);
const pathWords = (words: readonly Word[]): Words => ({ words, isGraph: false, endsWithWord: true });

function graphBoolean(words: readonly Word[], isPrefix: boolean, operator: 'and' | 'or', make: WordQueries): Query {
  const queries = stretchesOf(words).map(({ isLast, paths, words: here }): Query => {
    const ends = isPrefix && isLast;
    if (paths !== undefined) {
      const kind: MatchKind = make.phrases ? (ends ? 'phrase_prefix' : 'phrase') : 'match';
      const ways: Query[] = [];
      for (const path of paths) {
        make.count(1);
        ways.push(...queriesOf(queryOfWords(pathWords(path), kind, 'and', 0, make)));
      }
      return ways.length === 1 ? ways[0]! : { kind: 'boolean', should: ways };
    }
    if (here.length > 1) return make.synonym(here.map(({ term }) => term));
    return ends ? make.prefix(here[0]!.term) : make.term(here[0]!.term);
  });
  return joined(queries, operator);
}

function graphPhrase(words: readonly Word[], kind: MatchKind, slop: number, make: WordQueries): Query {
  if (slop > 0) {
    const should: Query[] = [];
    for (const path of pathsOf(words)) {
      make.count(path.length);
      should.push(...queriesOf(queryOfWords(pathWords(path), kind, 'and', slop, make)));
    }
    return { kind: 'boolean', should };
  }
  const clauses = stretchesOf(words).map(({ isLast, paths, words: here }): SpanSource => {
    const ends = kind === 'phrase_prefix' && isLast;
    const word = (term: string, isEnd: boolean): SpanSource => (isEnd ? make.spanPrefix(term) : make.spanTerm(term));
    if (paths === undefined) return anyOf(here.map(({ term }) => word(term, ends)));
    const ways: SpanSource[] = [];
    for (const path of paths) {
      make.count(path.length);
      const parts = path.flatMap(({ step, term }, at): SpanSource[] => [
        ...(step > 1 ? [{ kind: 'gap', width: step - 1 } as const] : []),
        word(term, ends && at === path.length - 1),
      ]);
      ways.push(parts.length === 1 ? parts[0]! : { kind: 'near', clauses: parts, slop: 0, inOrder: true });
    }
    return anyOf(ways);
  });
  return make.spans(clauses.length === 1 ? clauses[0]! : { kind: 'near', clauses, slop: 0, inOrder: true });
}

function anyOf(clauses: readonly SpanSource[]): SpanSource {
  return clauses.length === 1 ? clauses[0]! : { kind: 'or', clauses };
}
