// Which words a query would mark in a text of one field: terms, patterns of terms, and phrases, read off the query tree.
import type { SpanSource } from '../query/kinds/span.ts';
import type { Query } from '../query/query.ts';
import type { MarkVisitor } from '../query/query-kind.ts';
import { visitMarks } from '../query/walk-query.ts';

/** What to mark in texts of a field. */
export interface Marks {
  /** Exact terms, with their place among the terms, patterns and phrases of the query. */
  readonly terms: Map<string, number>;
  /** Tests on terms (prefixes, wildcards, fuzziness). */
  readonly patterns: { readonly number: number; readonly matches: (term: string) => boolean }[];
  /** Spans, which are marked where they match. */
  readonly spans: SpanSource[];
  /** Runs of terms at these relative positions; the last may be a prefix. */
  readonly phrases: {
    readonly slots: readonly { readonly position: number; readonly terms: readonly string[] }[];
    readonly prefix: { readonly position: number; readonly texts: readonly string[] } | undefined;
    readonly slop: number;
    readonly number: number;
  }[];
}

/** Whether a query marks nothing. */
export function isEmpty({ patterns, phrases, spans, terms }: Marks): boolean {
  return terms.size + patterns.length + phrases.length + spans.length === 0;
}

/** The test of a pattern on terms. */
export function patternTest(query: Query): (term: string) => boolean {
  const { patterns } = marksOf(query, () => true);
  return (term) => patterns.some(({ matches }) => matches(term));
}

/** Collects what a query marks in a field. @param accepts whether a query on that field counts */
export function marksOf(query: Query, accepts: (field: string) => boolean): Marks {
  const marks: Marks = { terms: new Map(), patterns: [], spans: [], phrases: [] };
  let number = 0;
  const visitor: MarkVisitor = {
    terms(field, terms) {
      if (accepts(field)) for (const term of terms) if (!marks.terms.has(term)) marks.terms.set(term, number++);
    },
    pattern(field, test) {
      if (accepts(field)) marks.patterns.push({ number: number++, matches: test() });
    },
    phrase({ field, prefix, slop = 0, terms }) {
      if (accepts(field)) marks.phrases.push({ slots: terms, prefix, slop, number: number++ });
    },
    spans: (source) => marks.spans.push(source),
    query: (inner) => visitMarks(inner, visitor),
  };
  visitMarks(query, visitor);
  return marks;
}
