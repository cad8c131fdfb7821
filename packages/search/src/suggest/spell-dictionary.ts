// The words of a field as a spell checker needs them: how frequent each is, how many there are, and which are near to a given one. Counted
// over the documents that exist for the caller, all segments as one; it gives what Lucene's DirectSpellChecker gives for an index of one
// segment.
import { compareKeys } from '../text/compare-keys.ts';
import type { Searcher } from '../collect/search-request.ts';
import { SegmentView } from '../index/segment-view.ts';
import { findNeighbours } from '../query/edit-distance.ts';
import { TermTotals } from '../collect/term-totals.ts';
import { TermVisits } from '../query/term-visits.ts';
import { LOOKUP_TICKS, tick, visitTerms } from '../tasks/request-budget.ts';
import type { Similarity } from './text-similarity.ts';

/** When words are proposed: for those that are not there, those that are rarer than the proposal, or all. */
export type SuggestMode = 'missing' | 'popular' | 'always';

/** How near words are looked for. */
export interface SpellOptions {
  readonly mode: SuggestMode;
  /** Words at most. */
  readonly size: number;
  /** Words are compared that many times as many as are wanted. */
  readonly maxInspections: number;
  /** The least similarity, 0 to 1. */
  readonly accuracy: number;
  readonly maxEdits: number;
  readonly prefixLength: number;
  readonly minWordLength: number;
  /** A part of all documents, or a number of them from 1 on: more frequent words are right as they are. */
  readonly maxTermFreq: number;
  /** Likewise: rarer words are not proposed. */
  readonly minDocFreq: number;
  readonly sort: 'score' | 'frequency';
  /** undefined: by the edits, swaps included. */
  readonly similarity: Similarity | undefined;
}

/** A word that is near. */
export interface NearWord {
  readonly text: string;
  /** Similarity, a float of 32 bits. */
  readonly score: number;
  readonly freq: number;
}

/** The nearest first. */
export function byScore(a: NearWord, b: NearWord): number {
  return b.score - a.score || b.freq - a.freq || compareKeys(a.text, b.text);
}

/** The most frequent first. */
export function byFrequency(a: NearWord, b: NearWord): number {
  return b.freq - a.freq || b.score - a.score || compareKeys(a.text, b.text);
}

const { fround } = Math;
const sizes = new WeakMap<Searcher, Map<string, number>>();

export class SpellDictionary {
  readonly #searcher: Searcher;
  readonly #field: string;
  readonly #totals: TermTotals;

  constructor(searcher: Searcher, field: string) {
    this.#searcher = searcher;
    this.#field = field;
    this.#totals = new TermTotals(searcher, 'all');
  }

  /** All documents, with the field or without, and elements of nested fields (Lucene's maxDoc). */
  get documents(): number {
    return this.#totals.documents;
  }

  /** All words, as often as they occur. */
  get occurrences(): number {
    return this.#totals.ofField(this.#field).sumTotalTermFreq;
  }

  /** Different words. */
  get size(): number {
    let known = sizes.get(this.#searcher);
    if (known === undefined) sizes.set(this.#searcher, (known = new Map()));
    let size = known.get(this.#field);
    if (size === undefined) known.set(this.#field, (size = this.#distinct()));
    return size;
  }

  /** Documents with a word, and how often it occurs. */
  statsOf(word: string): { readonly docFreq: number; readonly total: number } {
    return this.#totals.ofTerm(this.#field, word);
  }

  /** The words near to one, best first (`DirectSpellChecker.suggestSimilar`). */
  near(word: string, options: SpellOptions): NearWord[] {
    const { mode, size, maxEdits, maxTermFreq, minDocFreq } = options;
    if (options.minWordLength > 0 && Array.from(word).length < options.minWordLength) return [];
    const { docFreq } = this.statsOf(word);
    if (mode === 'missing' && docFreq > 0) return [];
    const { documents } = this;
    if (maxTermFreq >= 1 ? docFreq > maxTermFreq : docFreq > Math.ceil(fround(fround(maxTermFreq) * documents)))
      return [];
    let least = mode === 'popular' ? docFreq : 0;
    if (minDocFreq >= 1) least = Math.max(least, Math.trunc(minDocFreq));
    else if (minDocFreq > 0) least = Math.max(least, Math.trunc(fround(fround(minDocFreq) * documents)) - 1);
    const inspections = size * options.maxInspections;
    const found = new Map<string, NearWord>();
    // Words of one edit first, in case there are enough.
    for (let edits = 1; edits <= maxEdits && found.size < inspections; edits++)
      for (const each of this.#within(word, edits, least, options).slice(0, inspections)) found.set(each.text, each);
    return [...found.values()].sort(options.sort === 'frequency' ? byFrequency : byScore).slice(0, size);
  }

  /** Words of so many edits at most in more than `least` documents, those of the fewest edits first. */
  #within(
    word: string,
    maxEdits: number,
    least: number,
    { accuracy, prefixLength, similarity }: SpellOptions,
  ): readonly NearWord[] {
    const found = new Map<string, { edits: number; freq: number }>();
    for (const segment of this.#searcher.segments) {
      const postings = segment instanceof SegmentView ? segment.core.terms(this.#field)?.postings : undefined;
      if (postings === undefined) continue;
      const visible = this.#searcher.visible(segment);
      const neighbourhood = {
        term: word,
        maxEdits,
        prefixLength: Math.max(prefixLength, maxEdits - 1),
        transpositions: true,
      };
      for (const { ordinal, edits } of findNeighbours(postings, neighbourhood)) {
        tick(LOOKUP_TICKS);
        const text = postings.term(ordinal);
        if (text === word) continue;
        const freq = segment.countTerm(this.#field, ordinal, visible);
        if (freq === 0) continue;
        visitTerms(1);
        found.set(text, { edits, freq: (found.get(text)?.freq ?? 0) + freq });
      }
    }
    const length = Array.from(word).length;
    return [...found]
      .map(([text, { edits, freq }]) => {
        const nearness = fround(1 - fround(edits / Math.min(Array.from(text).length, length)));
        return { text, freq, nearness, score: similarity?.(word, text) ?? nearness };
      })
      .filter(({ score, freq }) => freq > least && score >= fround(accuracy))
      .sort((a, b) => b.nearness - a.nearness || compareKeys(a.text, b.text))
      .map(({ text, freq, score }) => ({ text, freq, score }));
  }

  /** Walks the dictionaries of all segments side by side. */
  #distinct(): number {
    const lists = this.#searcher.segments.flatMap((segment) => {
      if (!(segment instanceof SegmentView)) return [];
      const postings = segment.core.terms(this.#field)?.postings;
      return postings === undefined ? [] : [{ segment, postings, visible: this.#searcher.visible(segment) }];
    });
    const [first] = lists;
    if (lists.length === 1 && first!.visible === undefined) return first!.postings.size;
    const heads = lists.map(({ segment, postings, visible }) => {
      let ordinal = -1;
      const visits = new TermVisits(segment.core, this.#field);
      let term: string | undefined;
      const step = (): void => {
        do {
          ordinal++;
          if (ordinal < postings.size) visits.visit(ordinal);
          tick(LOOKUP_TICKS);
        } while (ordinal < postings.size && segment.countTerm(this.#field, ordinal, visible) === 0);
        term = ordinal < postings.size ? postings.term(ordinal) : undefined;
      };
      step();
      return { step, term: () => term };
    });
    let count = 0;
    for (;;) {
      let least: string | undefined;
      for (const head of heads) {
        const term = head.term();
        if (term !== undefined && (least === undefined || compareKeys(term, least) < 0)) least = term;
      }
      if (least === undefined) return count;
      count++;
      for (const head of heads) if (head.term() === least) head.step();
    }
  }
}
