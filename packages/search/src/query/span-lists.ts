// The algebra of spans in one document, as Lucene's Spans do it: lists of stretches ordered by where they begin and then end, which may overlap
// and repeat. Which documents and which words is not known here.

/** Positions from `start` up to but not including `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** How much of it is gaps, by which matches are scored. */
  readonly width: number;
}

/** One of the clauses of `near`: spans, or a gap that is wherever it is wanted. */
export type Clause =
  | { readonly kind: 'spans'; readonly spans: readonly Span[] }
  | { readonly kind: 'gap'; readonly width: number };

const inPlace = (a: Span, b: Span): number => a.start - b.start || a.end - b.end;

/** All of several lists (SpanOrQuery). */
export function anySpan(lists: readonly (readonly Span[])[]): readonly Span[] {
  return lists.length === 1 ? lists[0]! : lists.flat().sort(inPlace);
}

/** One of each list in order, none overlapping the one before, the gaps between them together at most `slop` (NearSpansOrdered). */
export function nearInOrder(clauses: readonly Clause[], slop: number): readonly Span[] {
  const found: Span[] = [];
  const [first, ...rest] = clauses;
  if (first?.kind !== 'spans') return found;
  // Where each stands: it only moves ahead, also for the next beginning.
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

/** One of each list in any order, which may overlap; what lies between them at most `slop` (NearSpansUnordered). */
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

/** Lucene's heap step by step: which of several equal ones moves on first decides what is found. */
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

/** Those that none of the others comes near to: `pre` positions before, `post` after (SpanNotQuery). */
export function notNear(spans: readonly Span[], others: readonly Span[], pre: number, post: number): readonly Span[] {
  let at = 0;
  return spans.filter(({ start, end }) => {
    while (at < others.length && others[at]!.end <= start - pre) at++;
    return at === others.length || others[at]!.start - post >= end;
  });
}

/** Those that end by a position (SpanFirstQuery). */
export function endingBy(spans: readonly Span[], position: number): readonly Span[] {
  return spans.filter(({ end }) => end <= position);
}

/** The larger ones that hold one of the smaller (SpanContainingQuery). */
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

/** The smaller ones that one of the larger holds (SpanWithinQuery). */
export function heldBy(little: readonly Span[], big: readonly Span[]): readonly Span[] {
  const found: Span[] = [];
  let at = 0;
  if (big.length === 0) return found;
  // Before its first span the larger list ends nowhere.
  for (const span of little) {
    while (at < big.length && big[at]!.end < span.end) at++;
    if (at === big.length) return found;
    if (big[at]!.start <= span.start) found.push(span);
  }
  return found;
}
