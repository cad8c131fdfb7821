// Sort keys: reads the value of a key for a document, and compares values in the order of the key.
import { hasBit } from '../index/bits.ts';
import type { NestedSort, SearchRequest, SortKey, SortValue } from './search-request.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { planeDistance } from '../mapping/geo.ts';
import { haversine } from '../mapping/great-circle.ts';
import { RequestError, shardArgument } from '../errors/request-error.ts';

/** Reads one key's value in one segment; scores are passed in. */
export type ReadValue = (doc: number, score: number) => SortValue;

/** The search that keys belong to. */
export interface SortContext {
  /** The elements that count; undefined when there are none. */
  nested(nested: NestedSort, segment: SegmentView): Int32Array | undefined;
  /** The place of a document among those that exist for the caller. */
  place(segment: SegmentView): (doc: number) => number;
}

const isDescending = (key: SortKey): boolean => (key.order ?? (key.kind === 'score' ? 'desc' : 'asc')) === 'desc';

/** Opens a key on a segment. */
export function valueReader(key: SortKey, segment: SegmentView, context: SortContext): ReadValue {
  switch (key.kind) {
    case 'score':
      return (_doc, score) => score;
    case 'doc':
      return context.place(segment);
    case 'id':
      return (doc) => segment.id(doc);
    case 'constant':
      return () => key.value;
    case 'key':
      return (doc) => keyOrder(segment.id(doc));
    case 'geo_distance':
      return geoReader(key, segment, context);
    case 'field': {
      const missing = typeof key.missing === 'object' ? key.missing.value : null;
      const several = key.type === 'number' ? numbersOf(segment, key.field) : ordinalsOf(segment, key.field);
      if (several === undefined) return () => missing;
      const mode = key.mode ?? (isDescending(key) ? 'max' : 'min');
      const own = key.nested === undefined ? several : ofElements(several, key.nested, segment, context);
      if (own === undefined) return () => missing;
      const terms = key.type === 'keyword' ? segment.terms(key.field) : undefined;
      return (doc) => {
        let values = own(doc);
        if (values.length === 0) return missing;
        if (key.sinceEpoch === true && values[0]! < 0) throw beforeEpoch(key.field);
        if (key.whole === 'cut') values = values.map(Math.trunc);
        const joined = joinValues(values, mode);
        const value = key.whole === undefined ? joined : Math.round(joined);
        return terms === undefined ? value : terms.term(value - 1);
      };
    }
  }
}

function beforeEpoch(field: string): RequestError {
  return shardArgument(
    `A date of [${field}] is before the epoch in 1970 and cannot be converted to nanoseconds. Sort with [numeric_type] [date].`,
  );
}

/** Reads the values of a document's elements, ascending; undefined when there are no elements. */
function ofElements(
  several: ReadNumbers,
  nested: NestedSort,
  segment: SegmentView,
  context: SortContext,
): ReadNumbers | undefined {
  const elements = context.nested(nested, segment);
  if (elements === undefined) return undefined;
  const { maxElements = Infinity } = nested;
  return (doc) => {
    const found: number[] = [];
    let count = 0;
    for (let child = firstInside(segment, doc); child < doc; child++) {
      if (!hasBit(elements, child)) continue;
      const values = several(child);
      if (values.length > 0 && ++count > maxElements) break;
      // Not as arguments of one call: an element may have a hundred thousand values.
      for (const value of values) found.push(value);
    }
    return found.sort((a, b) => a - b);
  };
}

/** The first element that lies in a document or in an element; itself where there is none. */
function firstInside(segment: SegmentView, doc: number): number {
  const { roots } = segment;
  if (roots === undefined) return doc;
  const path = hasBit(roots, doc) ? undefined : segment.nestedPath(doc);
  const isInside =
    path === undefined
      ? (before: number) => !hasBit(roots, before)
      : (before: number) => segment.nestedPath(before)?.startsWith(`${path}.`) === true;
  let first = doc;
  while (first > 0 && isInside(first - 1)) first--;
  return first;
}

/** Reads the one value that hits are grouped by. @throws RequestError where a document has several */
export function groupReader({ field, type }: NonNullable<SearchRequest['collapse']>, segment: SegmentView): ReadValue {
  const several = type === 'number' ? numbersOf(segment, field) : ordinalsOf(segment, field);
  if (several === undefined) return () => null;
  const terms = type === 'keyword' ? segment.terms(field) : undefined;
  return (doc) => {
    const values = several(doc);
    if (values.length > 1) throw severalValues(field);
    if (values.length === 0) return null;
    return terms === undefined ? values[0]! : terms.term(values[0]! - 1);
  };
}

function severalValues(field: string): RequestError {
  const reason = `failed to collapse, the collapse field must be single valued: a document has several in [${field}]`;
  return new RequestError('SEARCH_SHARD_FAILURE', 'illegal_state_exception', reason, { phase: true });
}

/** Reads the numbers of a document, or the entries of its terms. */
type ReadNumbers = (doc: number) => readonly number[];

function numbersOf(segment: SegmentView, field: string): ReadNumbers | undefined {
  const column = segment.number(field);
  if (column === undefined) return undefined;
  const { values, starts, exists } = column;
  if (starts === undefined) return (doc) => (exists === undefined || hasBit(exists, doc) ? [values[doc]!] : []);
  return (doc) => [...values.subarray(starts[doc], starts[doc + 1])];
}

function ordinalsOf(segment: SegmentView, field: string): ReadNumbers | undefined {
  const column = segment.keyword(field);
  if (column === undefined) return undefined;
  const { ordinals, starts } = column;
  if (starts === undefined) return (doc) => (ordinals[doc] === 0 ? [] : [ordinals[doc]!]);
  return (doc) => [...ordinals.subarray(starts[doc], starts[doc + 1])];
}

/** Reads the distance of a document's points. */
function geoReader(
  key: Extract<SortKey, { kind: 'geo_distance' }>,
  segment: SegmentView,
  context: SortContext,
): ReadValue {
  const several = distancesOf(key, segment);
  const own =
    several === undefined || key.nested === undefined ? several : ofElements(several, key.nested, segment, context);
  // A document without points is infinitely far away, in both orders.
  if (own === undefined) return () => Infinity;
  const mode = key.mode ?? (isDescending(key) ? 'max' : 'min');
  const unit = key.unit ?? 1;
  return (doc) => {
    const distances = own(doc);
    return distances.length === 0 ? Infinity : joinValues(distances, mode) / unit;
  };
}

/** Reads the distances of a document's points in metres, ascending. */
function distancesOf(key: Extract<SortKey, { kind: 'geo_distance' }>, segment: SegmentView): ReadNumbers | undefined {
  const column = segment.geo(key.field);
  if (column === undefined) return undefined;
  const { lat, lon, starts, exists } = column;
  return (doc) => {
    if (starts === undefined && exists !== undefined && !hasBit(exists, doc)) return [];
    const from = starts === undefined ? doc : starts[doc]!;
    const to = starts === undefined ? doc + 1 : starts[doc + 1]!;
    const distances: number[] = [];
    for (let i = from; i < to; i++) {
      for (const point of key.points)
        distances.push(
          key.plane === true
            ? planeDistance(point, { lat: lat[i]!, lon: lon[i]! })
            : haversine(point.lat, point.lon, lat[i]!, lon[i]!),
        );
    }
    return distances.sort((a, b) => a - b);
  };
}

/** One value for several. @param values ascending, not empty */
export function joinValues(values: readonly number[], mode: 'min' | 'max' | 'sum' | 'avg' | 'median'): number {
  switch (mode) {
    case 'min':
      return values[0]!;
    case 'max':
      return values[values.length - 1]!;
    case 'median': {
      const middle = values.length >> 1;
      return values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2;
    }
    case 'sum':
    case 'avg': {
      const sum = values.reduce((total, value) => total + value, 0);
      return mode === 'sum' ? sum : sum / values.length;
    }
  }
}

/** Orders two lists of sort values by the keys: negative when the first comes first. */
export function compareSortValues(
  keys: readonly SortKey[],
  left: readonly SortValue[],
  right: readonly SortValue[],
): number {
  for (let i = 0; i < keys.length; i++) {
    const order = compareByKey(keys[i]!, left[i]!, right[i]!);
    if (order !== 0) return order;
  }
  return 0;
}

function compareByKey(key: SortKey, left: SortValue, right: SortValue): number {
  if (left === null || right === null) {
    if (left === right) return 0;
    const first = key.kind === 'field' && key.missing === 'first';
    return (left === null) === first ? -1 : 1;
  }
  if (left === right) return 0;
  const order =
    typeof left === 'string' && typeof right === 'string' ? compareTexts(left, right) : Number(left) - Number(right);
  return isDescending(key) ? -order : order;
}

/** In code point order, which is the order of terms. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    let a = left.charCodeAt(i);
    let b = right.charCodeAt(i);
    if (a === b) continue;
    // Surrogates stand for code points above all others.
    if (a >= 0xd800 && a <= 0xdfff) a += 0x10000;
    if (b >= 0xd800 && b <= 0xdfff) b += 0x10000;
    return a - b;
  }
  return left.length - right.length;
}

const WHOLE = /^(?:0|[1-9]\d{0,18})$/;

/** A text for an id whose code point order is that of the sort key `key`. */
export function keyOrder(id: string): string {
  return WHOLE.test(id) ? `\u0000${String.fromCharCode(id.length)}${id}` : `\u0001${id}`;
}

/** Whether a key needs scores. */
export const needsScore = (key: SortKey): boolean => key.kind === 'score';
export { isDescending };
