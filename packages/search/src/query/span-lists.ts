// Operations on the spans of one document, as Lucene's Spans: lists of ranges of positions, ordered by start and then end. Ranges may
// overlap and repeat. Documents and words are not known here.

/** Positions from `start` up to but not including `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** How much of it is gaps, by which matches are scored. */
  readonly width: number;
}

/** A clause of `near`: spans, or a gap, which fits anywhere. */
export type Clause =
  | { readonly kind: 'spans'; readonly spans: readonly Span[] }
  | { readonly kind: 'gap'; readonly width: number };

const inPlace = (a: Span, b: Span): number => a.start - b.start || a.end - b.end;

/** Merges several lists (SpanOrQuery). */
export function anySpan(lists: readonly (readonly Span[])[]): readonly Span[] {
  return lists.length === 1 ? lists[0]! : lists.flat().sort(inPlace);
}

/** One span of each list, in order and without overlap, with gaps of `slop` positions in total (NearSpansOrdered). */
export function nearInOrder(clauses: readonly Clause[], slop: number): readonly Span[] {
  const found: Span[] = [];
  const [first, ...rest] = clauses;
  if (first?.kind !== 'spans') return found;
  // The place in each list only advances, also for the next start.
  const places = rest.map(() => 0);
  for (const { start, end } of first.spans) {
    let width = 0;
    let before = end;
    for (const [at, clause] of rest.entries()) {
      if (clause.kind === 'gap') {
        before += clause.width;
        continue;
      }
      let place = places[at]!;
      while (place < clause.spans.length && clause.spans[place]!.start < before) place++;
      places[at] = place;
      const next = clause.spans[place];
      if (next === undefined) return found;
      width += next.start - before;
      before = next.end;
    }
    if (width <= slop) found.push({ start, end: before, width });
  }
  return found;
}

/** One span of each list in any order, overlaps allowed, with at most `slop` positions between them (NearSpansUnordered). */
export function nearInAnyOrder(lists: readonly (readonly Span[])[], slop: number): readonly Span[] {
  const found: Span[] = [];
  if (lists.some((list) => list.length === 0)) return found;
  const places = lists.map(() => 0);
  const spanOf = (list: number): Span => lists[list]![places[list]!]!;
  const heap: number[] = [];
  for (const list of lists.keys()) rise(heap, heap.push(list) - 1, spanOf);
  let last = Math.max(...lists.map((list) => list[0]!.end));
  let covered = lists.reduce((sum, list) => sum + list[0]!.end - list[0]!.start, 0);
  for (;;) {
    const top = heap[0]!;
    const first = spanOf(top);
    if (last - first.start - covered <= slop) found.push({ start: first.start, end: last, width: last - first.start });
    places[top]!++;
    const next = lists[top]![places[top]!];
    if (next === undefined) return found;
    covered += next.end - next.start - (first.end - first.start);
    last = Math.max(last, next.end);
    sink(heap, spanOf);
  }
}

type SpanOf = (list: number) => Span;
const isBefore = (a: number, b: number, spanOf: SpanOf): boolean => inPlace(spanOf(a), spanOf(b)) < 0;

/** Lucene's heap, step by step: which of several equal spans moves first decides the result. */
function rise(heap: number[], from: number, spanOf: SpanOf): void {
  const list = heap[from]!;
  let at = from;
  for (
    let above = ((at + 1) >>> 1) - 1;
    above >= 0 && isBefore(list, heap[above]!, spanOf);
    above = ((at + 1) >>> 1) - 1
  ) {
    heap[at] = heap[above]!;
    at = above;
  }
  heap[at] = list;
}

function sink(heap: number[], spanOf: SpanOf): void {
  const list = heap[0]!;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!, spanOf)) below++;
    if (below >= heap.length || !isBefore(heap[below]!, list, spanOf)) break;
    heap[at] = heap[below]!;
    at = below;
  }
  heap[at] = list;
}

/** Spans without one of the others within `pre` positions before or `post` after (SpanNotQuery). */
export function notNear(spans: readonly Span[], others: readonly Span[], pre: number, post: number): readonly Span[] {
  let at = 0;
  return spans.filter(({ start, end }) => {
    while (at < others.length && others[at]!.end <= start - pre) at++;
    return at === others.length || others[at]!.start - post >= end;
  });
}

/** Spans that end at or before a position (SpanFirstQuery). */
export function endingBy(spans: readonly Span[], position: number): readonly Span[] {
  return spans.filter(({ end }) => end <= position);
}

/** The big spans that contain a little one (SpanContainingQuery). */
export function holding(big: readonly Span[], little: readonly Span[]): readonly Span[] {
  const found: Span[] = [];
  let at = 0;
  for (const span of big) {
    while (at < little.length && little[at]!.start < span.start) at++;
    if (at === little.length) return found;
    if (span.end >= little[at]!.end) found.push(span);
  }
  return found;
}

/** The little spans that a big one contains (SpanWithinQuery). */
export function heldBy(little: readonly Span[], big: readonly Span[]): readonly Span[] {
  const found: Span[] = [];
  let at = 0;
  if (big.length === 0) return found;
  // As in Lucene, a little span before the first big one is skipped.
  for (const span of little) {
    while (at < big.length && big[at]!.end < span.end) at++;
    if (at === big.length) return found;
    if (big[at]!.start <= span.start) found.push(span);
  }
  return found;
}
