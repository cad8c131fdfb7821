// Operations of Lucene's interval iterators on the intervals of one document: lists of minimal intervals, whose starts and ends both
// ascend.

/** Positions `start` to `end`, both inclusive. */
export interface Interval {
  readonly start: number;
  readonly end: number;
  /** Positions covered by its parts; the rest are gaps. */
  readonly covered: number;
}

/** Keeps the intervals that contain no other, sorted; of equal ones the first. */
export function minimal(intervals: readonly Interval[]): readonly Interval[] {
  const sorted = intervals.toSorted((a, b) => a.end - b.end || b.start - a.start);
  const kept: Interval[] = [];
  for (const interval of sorted) {
    if (kept.length === 0 || interval.start > kept.at(-1)!.start) kept.push(interval);
  }
  return kept;
}

function widths(parts: readonly Interval[]): number {
  return parts.reduce((sum, { start, end }) => sum + end - start + 1, 0);
}

/** One interval of each list, each after the end of the previous one. */
export function inOrder(lists: readonly (readonly Interval[])[]): readonly Interval[] {
  const at = lists.map(() => 0);
  const found: Interval[] = [];
  for (const first of lists[0]!) {
    let last = first;
    const parts = [first];
    for (let each = 1; each < lists.length; each++) {
      const list = lists[each]!;
      while (at[each]! < list.length && list[at[each]!]!.start <= last.end) at[each]!++;
      if (at[each] === list.length) return found;
      last = list[at[each]!]!;
      parts.push(last);
    }
    // A later start with the same end is shorter.
    if (found.at(-1)?.end === last.end) found.pop();
    found.push({ start: first.start, end: last.end, covered: widths(parts) });
  }
  return found;
}

/** One interval of each list in any order, overlaps allowed. */
export function inAnyOrder(lists: readonly (readonly Interval[])[]): readonly Interval[] {
  const at = lists.map(() => 0);
  const found: Interval[] = [];
  if (lists.some((list) => list.length === 0)) return found;
  for (;;) {
    const parts = lists.map((list, each) => list[at[each]!]!);
    let first = 0;
    let end = -1;
    for (const [each, part] of parts.entries()) {
      end = Math.max(end, part.end);
      const leading = parts[first]!;
      if (part.start < leading.start || (part.start === leading.start && part.end > leading.end)) first = each;
    }
    const { start } = parts[first]!;
    const before = found.at(-1);
    if (before?.end === end) found.pop();
    if (before === undefined || before.end === end || start > before.start)
      found.push({ start, end, covered: widths(parts) });
    if (++at[first]! === lists[first]!.length) return found;
  }
}

/** One interval of each list, each directly after the previous one. */
export function consecutive(lists: readonly (readonly Interval[])[]): readonly Interval[] {
  const at = lists.map(() => 0);
  const found: Interval[] = [];
  next: for (const first of lists[0]!) {
    let { end } = first;
    for (let each = 1; each < lists.length; each++) {
      const list = lists[each]!;
      while (at[each]! < list.length && list[at[each]!]!.start <= end) at[each]!++;
      const part = list[at[each]!];
      if (part === undefined) return found;
      if (part.start !== end + 1) continue next;
      ({ end } = part);
    }
    found.push({ start: first.start, end, covered: end - first.start + 1 });
  }
  return found;
}

/** `count` intervals of one list in a row. */
export function repeated(list: readonly Interval[], count: number): readonly Interval[] {
  const found: Interval[] = [];
  for (let at = 0; at + count <= list.length; at++) {
    const parts = list.slice(at, at + count);
    found.push({ start: parts[0]!.start, end: parts.at(-1)!.end, covered: widths(parts) });
  }
  return found;
}

/** Relations of an interval to those of another list. */
const RELATIONS = {
  // Of the intervals that start inside, the first ends first.
  containing: (interval: Interval, others: readonly Interval[]) =>
    (others[firstFrom(others, interval.start)]?.end ?? Infinity) <= interval.end,
  // Of the intervals that start no later, the last ends last.
  contained_by: (interval: Interval, others: readonly Interval[]) =>
    (others[firstFrom(others, interval.start + 1) - 1]?.end ?? -1) >= interval.end,
  overlapping: (interval: Interval, others: readonly Interval[]) =>
    (others[firstFrom(others, interval.end + 1) - 1]?.end ?? -1) >= interval.start,
} as const;

/** Keeps the intervals with a relation to one of the others, or to none if `wanted` is false. */
export function keepWhere(
  intervals: readonly Interval[],
  others: readonly Interval[],
  relation: keyof typeof RELATIONS,
  wanted: boolean,
): readonly Interval[] {
  return intervals.filter((interval) => RELATIONS[relation](interval, others) === wanted);
}

/** The index of the first interval that starts at or after a position. */
function firstFrom(intervals: readonly Interval[], position: number): number {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (intervals[middle]!.start < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The intervals that end before one of the others starts. */
export function before(intervals: readonly Interval[], others: readonly Interval[]): readonly Interval[] {
  const last = others.at(-1);
  return last === undefined ? [] : intervals.filter(({ end }) => end < last.start);
}

/** The intervals that start after one of the others ends. */
export function after(intervals: readonly Interval[], others: readonly Interval[]): readonly Interval[] {
  const first = others[0];
  return first === undefined ? [] : intervals.filter(({ start }) => start > first.end);
}
