// Counting for `terms` without aggregations inside: one count an ordinal and segment, put together as counts of one dictionary where that
// is possible. Buckets are made of them only where it is not.
import type { Searcher } from '../collect/search-request.ts';
import type { SegmentReader } from '../index/segment.ts';
import { type MappedField, printTerm } from '../mapping/field-type.ts';
import { tick } from '../tasks/request-budget.ts';
import type { CollectAll, SegmentScope } from './aggregator.ts';
import { countEntries } from './count-ordinals.ts';
import { joinCounts, joinedTerms } from './joined-terms.ts';
import type { TermFilter } from './term-filter.ts';
import type { TermSource } from '../columns/values.ts';

/** Counts by ordinal plus one, and the terms behind them. */
export interface CountedTerms {
  readonly term: (ordinal: number) => string;
  readonly counts: Int32Array;
  readonly accepts: ((ordinal: number) => boolean) | undefined;
}

/** The counts of one segment. */
interface CountedSegment {
  readonly searcher: Searcher;
  readonly segment: SegmentReader;
  readonly source: TermSource;
  readonly counts: Int32Array;
  readonly accepts: ((ordinal: number) => boolean) | undefined;
}

/** What was counted by ordinal, segment by segment. */
export class TermCounts {
  readonly #filter: TermFilter | undefined;
  readonly #counted: CountedSegment[] = [];

  constructor(filter: TermFilter | undefined) {
    this.#filter = filter;
  }

  /** Counts in a segment. */
  open(
    { searcher, segment }: SegmentScope,
    source: TermSource,
    column: NonNullable<TermSource['column']>,
    accepts: CountedSegment['accepts'],
  ): CollectAll {
    const counts = new Int32Array(column.terms.size + 1);
    this.#counted.push({ searcher, segment, source, counts, accepts });
    return (docs, count, within) => countEntries(column, docs, count, counts, within);
  }

  /** Hands over what was counted by texts, and forgets it. */
  drain(take: (term: string, count: number) => void): void {
    for (const { source, counts, accepts } of this.#counted.splice(0)) {
      for (let entry = 1; entry < counts.length; entry++) {
        tick(32);
        if (counts[entry] === 0 || (accepts !== undefined && !accepts(entry - 1))) continue;
        tick(512);
        take(source.term(entry - 1), counts[entry]!);
      }
    }
  }

  /** The counts as those of one dictionary; undefined when the segments have to be put together by the texts of their terms. */
  joined(mapped: MappedField): CountedTerms | undefined {
    const counted = this.#counted;
    const [first] = counted;
    if (first === undefined) return undefined;
    if (counted.length === 1) {
      const { source, counts, accepts } = first;
      return { term: (ordinal) => source.term(ordinal), counts, accepts };
    }
    if (counted.some(({ searcher }) => searcher !== first.searcher)) return undefined;
    const joined = joinedTerms(first.searcher, mapped.path);
    if (joined === undefined || counted.some(({ segment }) => !joined.numbers.has(segment))) return undefined;
    const { terms } = joined;
    const filter = this.#filter;
    const accepts =
      filter === undefined ? undefined : (ordinal: number) => filter.accepts(printTerm(mapped, terms[ordinal]!));
    return { term: (ordinal) => terms[ordinal]!, counts: joinCounts(joined, counted), accepts };
  }
}
