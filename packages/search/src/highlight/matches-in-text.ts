// Finds the words of a text that a query marks. Phrases and spans mark only the words of their matches.
import type { Analyzer } from '../analysis/analyzer.ts';
import type { SpanSource } from '../query/kinds/span.ts';
import {
  anySpan,
  type Clause,
  endingBy,
  heldBy,
  holding,
  nearInAnyOrder,
  nearInOrder,
  notNear,
  type Span,
} from '../query/span-lists.ts';
import { checkTime } from '../tasks/request-budget.ts';
import type { Match } from './passages.ts';
import type { Token } from './plain.ts';
import { type Marks, patternTest } from './terms-of-query.ts';

/** An analysed text with its matches. */
export interface MatchedText {
  readonly tokens: readonly Token[];
  /** By token. */
  readonly terms: readonly string[];
  readonly matches: readonly (Match | undefined)[];
  /** By token, the spans in which it matches; none if it matches alone. */
  readonly spansOf: (at: number) => readonly Span[];
  /** By token, the number of the matching term, pattern or phrase in the query. */
  readonly numberOf: (at: number) => number;
}

const NO_SPANS: readonly Span[] = [];

/** Analyses a text. @param accepts fields whose spans count @param inOrder whether sloppy phrases keep the order of their words */
export function matchText(
  text: string,
  analyzer: Analyzer,
  marks: Marks,
  accepts: (field: string) => boolean,
  inOrder = false,
): MatchedText {
  const { ends, positions, starts, terms } = analyzer.analyze(text);
  const tokens = terms.map((_, at) => ({
    start: starts[at] ?? 0,
    end: ends[at] ?? 0,
    position: positions[at] ?? 0,
  }));
  const positionOf = (at: number): number => tokens[at]?.position ?? Infinity;
  const labels: (string | undefined)[] = terms.map((term, at) => {
    if ((at & 255) === 0) checkTime();
    if (marks.terms.has(term)) return term;
    const pattern = marks.patterns.findIndex(({ matches }) => matches(term));
    return pattern < 0 ? undefined : `\0${pattern}`;
  });
  const stretches: (Span[] | undefined)[] = [];
  const numbers = new Map<Span, number>();
  const mark = (spans: readonly Span[], fits: (term: string) => boolean, number = 0): void => {
    for (const span of spans) {
      numbers.set(span, number);
      markIn(span, span, fits);
    }
  };
  /** Marks words of a part of a span. */
  const markIn = (whole: Span, { end, start }: Pick<Span, 'start' | 'end'>, fits: (term: string) => boolean): void => {
    for (let at = firstAt(tokens, start); positionOf(at) < end; at++) {
      if (!fits(terms[at] ?? '')) continue;
      labels[at] ??= terms[at];
      (stretches[at] ??= []).push(whole);
    }
  };
  const placesOf = (fits: (term: string) => boolean): readonly Span[] =>
    tokens.flatMap(({ position }, at) =>
      fits(terms[at] ?? '') ? [{ start: position, end: position + 1, width: 0 }] : [],
    );
  for (const { number, prefix, slop, slots } of marks.phrases) {
    checkTime();
    const clauses = slots.map((slot) => ({
      position: slot.position,
      fits: (term: string) => slot.terms.includes(term),
    }));
    if (prefix !== undefined)
      clauses.push({ position: prefix.position, fits: (term) => prefix.texts.some((each) => term.startsWith(each)) });
    const lists = clauses.map(({ fits }) => placesOf(fits));
    const first = clauses[0]?.position ?? 0;
    const width = (clauses.at(-1)?.position ?? 0) - first + 1;
    if (slop > 0) {
      const gaps = Math.max(0, width - clauses.length);
      const near = inOrder
        ? nearInOrder(
            lists.map((spans) => ({ kind: 'spans', spans })),
            slop + gaps,
          )
        : nearInAnyOrder(lists, slop + gaps);
      mark(near, (term) => clauses.some(({ fits }) => fits(term)), number);
      continue;
    }
    const sets = lists.map((list) => new Set(list.map(({ start }) => start)));
    for (const { start } of lists[0] ?? []) {
      const shift = start - first;
      if (!clauses.every(({ position }, at) => sets[at]?.has(shift + position) === true)) continue;
      const whole = { start, end: start + width, width: 0 };
      numbers.set(whole, number);
      for (const { fits, position } of clauses)
        markIn(whole, { start: shift + position, end: shift + position + 1 }, fits);
    }
  }
  for (const source of marks.spans) {
    checkTime();
    mark(spansIn(source, placesOf, accepts), wordsIn(source, accepts));
  }
  return {
    tokens,
    terms,
    matches: tokens.map((token, at) => {
      const term = labels[at];
      return term === undefined ? undefined : { ...token, term };
    }),
    spansOf: (at) => stretches[at] ?? NO_SPANS,
    numberOf(at) {
      const [span] = stretches[at] ?? NO_SPANS;
      if (span !== undefined) return numbers.get(span) ?? 0;
      const term = terms[at] ?? '';
      return marks.terms.get(term) ?? marks.patterns.find(({ matches }) => matches(term))?.number ?? 0;
    },
  };
}

/** The place of the first token at a position or after it. */
function firstAt(tokens: readonly { readonly position: number }[], position: number): number {
  let [low, high] = [0, tokens.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle]?.position ?? Infinity) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Tests whether a term is part of matches of a span query. */
function wordsIn(source: SpanSource, accepts: (field: string) => boolean): (term: string) => boolean {
  switch (source.kind) {
    case 'term':
      return (term) => term === source.term && accepts(source.field);
    case 'pattern': {
      const matches = patternTest(source.query);
      return (term) => accepts(source.query.field) && matches(term);
    }
    case 'gap':
      return () => false;
    case 'not':
      return wordsIn(source.include, accepts);
    case 'first':
      return wordsIn(source.match, accepts);
    default: {
      const parts = ('clauses' in source ? source.clauses : [source.big, source.little]).map((each) =>
        wordsIn(each, accepts),
      );
      return (term) => parts.some((fits) => fits(term));
    }
  }
}

function spansIn(
  source: SpanSource,
  placesOf: (fits: (term: string) => boolean) => readonly Span[],
  accepts: (field: string) => boolean,
): readonly Span[] {
  const inner = (each: SpanSource): readonly Span[] => spansIn(each, placesOf, accepts);
  switch (source.kind) {
    case 'term':
    case 'pattern':
      return placesOf(wordsIn(source, accepts));
    case 'gap':
      return NO_SPANS;
    case 'or':
      return anySpan(source.clauses.map(inner));
    case 'near': {
      const clauses = source.clauses.map((each): Clause =>
        each.kind === 'gap' ? each : { kind: 'spans', spans: inner(each) },
      );
      if (source.inOrder) return nearInOrder(clauses, source.slop);
      return nearInAnyOrder(
        clauses.flatMap((each) => (each.kind === 'spans' ? [each.spans] : [])),
        source.slop,
      );
    }
    case 'not':
      return notNear(inner(source.include), inner(source.exclude), source.pre, source.post);
    case 'first':
      return endingBy(inner(source.match), source.end);
    case 'containing':
      return holding(inner(source.big), inner(source.little));
    case 'within':
      return heldBy(inner(source.little), inner(source.big));
  }
}
