// The order in which an index with `index.sort` keeps the documents of each segment. Flushes and merges apply it (sort-flushed.ts, merge.ts).
import { hasBit } from './bits.ts';
import { DictionaryCursor, findLeast } from './dictionary-cursor.ts';
import type { MergeInput } from './merge-input.ts';
import type { SegmentCore } from './segment-core.ts';

/** One key of the order: a column of numbers or keywords. */
export interface IndexSortKey {
  readonly column: string;
  readonly descending: boolean;
  /** Which of several values counts. */
  readonly mode: 'min' | 'max';
  /** Where documents without a value stand, whatever the direction. */
  readonly missing: 'first' | 'last';
}

/** The documents of a segment to be, in order: each by its input and its number there. */
export interface DocumentOrder {
  readonly inputs: Uint32Array;
  readonly docs: Uint32Array;
}

/** Orders the live documents of segments by the keys; equal ones stay in the order of the inputs. Documents have no nested ones. */
export function* orderDocuments(
  inputs: readonly MergeInput[],
  keys: readonly IndexSortKey[],
): Generator<void, DocumentOrder> {
  const total = inputs.reduce((sum, { core }) => sum + core.docCount, 0);
  const inputOf = new Uint32Array(total);
  const docOf = new Uint32Array(total);
  const live = new Uint32Array(total);
  let count = 0;
  let base = 0;
  inputs.forEach(({ core, live: bits }, input) => {
    for (let doc = 0; doc < core.docCount; doc++, base++) {
      inputOf[base] = input;
      docOf[base] = doc;
      if (bits === undefined || hasBit(bits, doc)) live[count++] = base;
    }
  });
  const columns: Float64Array[] = [];
  for (const key of keys) {
    columns.push(sortValues(inputs, key, total));
    yield;
  }
  const order = yield* mergeSort(live.subarray(0, count), (left, right) => {
    for (const column of columns) {
      const a = column[left]!;
      const b = column[right]!;
      if (a !== b) return a < b ? -1 : 1;
    }
    return left - right;
  });
  return { inputs: order.map((at) => inputOf[at]!), docs: order.map((at) => docOf[at]!) };
}

/** Documents that are sorted, or merged, between two yields. */
const AT_ONCE = 1024;

/** Sorts in steps of about a thousand documents: one sort of a large segment would take many turns of the event loop. */
function* mergeSort(docs: Uint32Array, compare: (a: number, b: number) => number): Generator<void, Uint32Array> {
  for (let start = 0; start < docs.length; start += AT_ONCE) {
    docs.subarray(start, start + AT_ONCE).sort(compare);
    yield;
  }
  let from = docs;
  let to: Uint32Array = new Uint32Array(docs.length);
  for (let width = AT_ONCE; width < docs.length; width *= 2) {
    for (let start = 0; start < docs.length; start += 2 * width) {
      const middle = Math.min(start + width, docs.length);
      const end = Math.min(start + 2 * width, docs.length);
      let [left, right] = [start, middle];
      for (let at = start; at < end; at++) {
        const isLeft = right === end || (left < middle && compare(from[left]!, from[right]!) <= 0);
        to[at] = isLeft ? from[left++]! : from[right++]!;
        if (at % AT_ONCE === 0) yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

/** A number for each document, by which they ascend. */
function sortValues(
  inputs: readonly MergeInput[],
  { column, descending, mode, missing }: IndexSortKey,
  total: number,
): Float64Array {
  const values = new Float64Array(total).fill(missing === 'first' ? -Infinity : Infinity);
  const ranks = ranksOf(inputs, column);
  let base = 0;
  inputs.forEach(({ core }, input) => {
    const read = numberReader(core, column, mode) ?? keywordReader(core, column, mode, ranks[input]);
    if (read !== undefined) {
      for (let doc = 0; doc < core.docCount; doc++) {
        const value = read(doc);
        if (value !== undefined) values[base + doc] = descending ? -value : value;
      }
    }
    base += core.docCount;
  });
  return values;
}

type ReadOne = (doc: number) => number | undefined;

function numberReader(core: SegmentCore, field: string, mode: 'min' | 'max'): ReadOne | undefined {
  const column = core.number(field);
  if (column === undefined) return undefined;
  const { values, starts, exists } = column;
  if (starts === undefined) return (doc) => (exists === undefined || hasBit(exists, doc) ? values[doc] : undefined);
  return (doc) => pick(values, starts[doc]!, starts[doc + 1]!, mode);
}

function keywordReader(
  core: SegmentCore,
  field: string,
  mode: 'min' | 'max',
  ranks: Uint32Array | undefined,
): ReadOne | undefined {
  const column = core.terms(field)?.column;
  if (column === undefined || ranks === undefined) return undefined;
  const { ordinals, starts } = column;
  // Entries are ordinals plus one; 0: none.
  if (starts === undefined) return (doc) => (ordinals[doc] === 0 ? undefined : ranks[ordinals[doc]! - 1]);
  return (doc) => {
    const entry = pick(ordinals, starts[doc]!, starts[doc + 1]!, mode);
    return entry === undefined ? undefined : ranks[entry - 1];
  };
}

/** The first or the last of ascending values. */
function pick(values: ArrayLike<number>, from: number, to: number, mode: 'min' | 'max'): number | undefined {
  return from === to ? undefined : values[mode === 'min' ? from : to - 1];
}

/** By input, the rank of each term of a keyword field among the terms of all inputs; undefined where an input has no such field. */
function ranksOf(inputs: readonly MergeInput[], field: string): readonly (Uint32Array | undefined)[] {
  const cursors = inputs.map(({ core }) => {
    const terms = core.terms(field)?.postings;
    return terms && new RankCursor(terms);
  });
  const open = cursors.filter((cursor) => cursor !== undefined);
  const least: RankCursor[] = [];
  for (let rank = 0; ; rank++) {
    const count = findLeast(open, least);
    if (count === 0) break;
    for (let i = 0; i < count; i++) least[i]!.take(rank);
  }
  return cursors.map((cursor) => cursor?.ranks);
}

class RankCursor extends DictionaryCursor {
  readonly ranks = new Uint32Array(this.postings.size);

  /** Notes the rank of the term at hand, and goes on to the next. */
  take(rank: number): void {
    this.ranks[this.ordinal] = rank;
    this.advance();
  }
}
