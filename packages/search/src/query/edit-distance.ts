// Which terms of a dictionary lie within one or two edits of a text. One edit: an edit leaves the first or the second half whole,
// so two ranges of the dictionary (sorted forwards and backwards) hold all candidates. Otherwise: a walk over the sorted terms
// that keeps the rows of the distance table for the shared prefix and leaps over prefixes that are already too far.
import type { Postings } from '../index/postings.ts';

/** What is searched for. */
export interface Neighbourhood {
  readonly term: string;
  readonly maxEdits: number;
  readonly prefixLength: number;
  readonly transpositions: boolean;
}

/** A term found and its distance. */
export interface Neighbour {
  readonly ordinal: number;
  readonly edits: number;
}

const encoder = new TextEncoder();

/** The terms within reach, in any order. */
export function findNeighbours(postings: Postings, wanted: Neighbourhood): Neighbour[] {
  const points = Uint32Array.from(Array.from(wanted.term), (character) => character.codePointAt(0)!);
  const ascii = points.every((point) => point < 128);
  if (wanted.maxEdits === 0) {
    const ordinal = postings.lookup(wanted.term);
    return ordinal < 0 ? [] : [{ ordinal, edits: 0 }];
  }
  if (wanted.maxEdits === 1 && ascii && points.length >= 4 && wanted.prefixLength === 0) {
    return oneEdit(postings, points, wanted.transpositions);
  }
  return walk(postings, points, wanted);
}

/** Candidates by halves. The split leaves a swap across the middle to the first range. */
function oneEdit(postings: Postings, points: Uint32Array, transpositions: boolean): Neighbour[] {
  const text = Uint8Array.from(points);
  const half = text.length >> 1;
  const found: Neighbour[] = [];
  const seen = new Set<number>();
  const consider = (ordinal: number): void => {
    const start = postings.start(ordinal);
    const length = postings.ends[ordinal]! - start;
    // One code point is up to four bytes.
    if (length < text.length - 1 || length > text.length + 3 || seen.has(ordinal)) return;
    seen.add(ordinal);
    const edits =
      withinOne(text, postings.bytes, start, length, transpositions) ??
      slowDistance(postings, ordinal, points, transpositions);
    if (edits <= 1) found.push({ ordinal, edits });
  };
  const head = text.subarray(0, half - 1);
  const from = postings.lowerBoundBytes(head, head.length);
  const after = new Uint8Array(head.length + 1);
  after.set(head);
  after[head.length] = 0xff;
  const to = postings.lowerBoundBytes(after, after.length);
  for (let ordinal = from; ordinal < to; ordinal++) consider(ordinal);

  const backwards = postings.backwards();
  const tail = text.subarray(half);
  /** Compares the end of a term with the tail, from the back; 0 when the term ends with it. */
  const compare = (ordinal: number): number => {
    const start = postings.start(ordinal);
    const end = postings.ends[ordinal]!;
    for (let i = 1; i <= tail.length; i++) {
      const byte = end - i >= start ? postings.bytes[end - i]! : -1;
      const difference = byte - tail[tail.length - i]!;
      if (difference !== 0) return difference;
    }
    return 0;
  };
  let low = 0;
  let high = backwards.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(backwards[middle]!) < 0) low = middle + 1;
    else high = middle;
  }
  for (; low < backwards.length && compare(backwards[low]!) === 0; low++) consider(backwards[low]!);
  return found;
}

/** The distance when it is 0 or 1, else 2; undefined when the term is not ASCII, where bytes are not characters. */
function withinOne(
  text: Uint8Array,
  bytes: Uint8Array,
  start: number,
  length: number,
  transpositions: boolean,
): number | undefined {
  for (let i = start; i < start + length; i++) if (bytes[i]! > 127) return undefined;
  if (length > text.length + 1) return 2;
  let head = 0;
  const common = Math.min(text.length, length);
  while (head < common && text[head] === bytes[start + head]) head++;
  let a = text.length - 1;
  let b = length - 1;
  while (a >= head && b >= head && text[a] === bytes[start + b]) {
    a--;
    b--;
  }
  const left = a - head + 1;
  const right = b - head + 1;
  if (left <= 0 && right <= 0) return 0;
  if (left <= 1 && right <= 1) return 1;
  const swapped =
    left === 2 && right === 2 && text[head] === bytes[start + head + 1] && text[head + 1] === bytes[start + head];
  return swapped && transpositions ? 1 : 2;
}

function slowDistance(postings: Postings, ordinal: number, points: Uint32Array, transpositions: boolean): number {
  const term = Uint32Array.from(Array.from(postings.term(ordinal)), (character) => character.codePointAt(0)!);
  const rows: Int32Array[] = [firstRow(points.length)];
  for (let depth = 1; depth <= term.length; depth++) {
    rows.push(new Int32Array(points.length + 1));
    fillRow(rows, depth, term, points, transpositions);
  }
  return rows[term.length]![points.length]!;
}

const firstRow = (length: number): Int32Array => Int32Array.from({ length: length + 1 }, (_, i) => i);

/** Fills row `depth` of the table of optimal-string-alignment distances; answers its least entry. */
function fillRow(
  rows: readonly Int32Array[],
  depth: number,
  term: Uint32Array | readonly number[],
  points: Uint32Array,
  transpositions: boolean,
): number {
  const row = rows[depth]!;
  const above = rows[depth - 1]!;
  const point = term[depth - 1]!;
  row[0] = depth;
  let least = depth;
  for (let i = 1; i <= points.length; i++) {
    let value = Math.min(above[i]! + 1, row[i - 1]! + 1, above[i - 1]! + (points[i - 1] === point ? 0 : 1));
    if (transpositions && i > 1 && depth > 1 && points[i - 1] === term[depth - 2] && points[i - 2] === point) {
      value = Math.min(value, rows[depth - 2]![i - 2]! + 1);
    }
    row[i] = value;
    if (value < least) least = value;
  }
  return least;
}

function walk(postings: Postings, points: Uint32Array, wanted: Neighbourhood): Neighbour[] {
  const prefix = String.fromCodePoint(...points.subarray(0, wanted.prefixLength));
  const prefixBytes = encoder.encode(prefix);
  const found: Neighbour[] = [];
  const rows: Int32Array[] = [firstRow(points.length)];
  let previous: number[] = [];
  /** How many rows are filled for `previous`. */
  let filled = 0;
  let ordinal = postings.lowerBoundBytes(prefixBytes, prefixBytes.length);
  while (ordinal < postings.size) {
    const text = postings.term(ordinal);
    if (!text.startsWith(prefix)) break;
    const term = Array.from(text, (character) => character.codePointAt(0)!);
    let depth = 0;
    while (depth < filled && depth < term.length && term[depth] === previous[depth]) depth++;
    let dead = 0;
    while (depth < term.length) {
      depth++;
      if (rows.length <= depth) rows.push(new Int32Array(points.length + 1));
      if (fillRow(rows, depth, term, points, wanted.transpositions) > wanted.maxEdits) {
        dead = depth;
        break;
      }
    }
    previous = term;
    filled = depth;
    if (dead > 0) {
      const head = encoder.encode(String.fromCodePoint(...term.slice(0, dead)));
      const after = new Uint8Array(head.length + 1);
      after.set(head);
      after[head.length] = 0xff;
      // Without its last row, which is beyond reach, so that the next term computes it anew.
      filled = dead - 1;
      ordinal = Math.max(ordinal + 1, postings.lowerBoundBytes(after, after.length));
      continue;
    }
    const edits = rows[term.length]![points.length]!;
    if (edits <= wanted.maxEdits) found.push({ ordinal, edits });
    ordinal++;
  }
  return found;
}
