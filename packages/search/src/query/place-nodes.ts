// Sources of intervals and spans in one segment: the documents in which their places may stand together, and the places of one document.
// What places come to is said by the algebra of each (interval-lists.ts, span-lists.ts).
import { searchError } from '../errors/search-errors.ts';
import { NO_MORE_DOCS } from '../index/segment.ts';
import type { SegmentView } from '../index/segment-view.ts';
import { tick } from '../tasks/request-budget.ts';
import { PositionSource } from './phrase.ts';
import type { ScoringCursor } from './scoring-cursor.ts';
import type { Statistics } from './statistics.ts';

/** Documents of one segment in order, with the places of a source. */
export interface PlaceNode<Place> {
  readonly cost: number;
  /** The first candidate at or after a document; stays where it is when it is there or past it. */
  advance(target: number): number;
  /** The places in the document that `advance` stopped at. */
  places(): readonly Place[];
}

/** Where any of some words of a field are. @param read lists places from so many positions */
export function wordNode<Place>(
  field: string,
  terms: readonly string[],
  segment: SegmentView,
  statistics: Statistics,
  read: (positions: PositionSource['positions'], start: number, end: number) => readonly Place[],
): PlaceNode<Place> | undefined {
  const column = segment.core.terms(field);
  if (column === undefined) return undefined;
  if (!column.postings.hasPositions) throw searchError('SEARCH_NO_POSITIONS', { field });
  const cursors: ScoringCursor[] = [];
  for (const term of terms) {
    const cursor = statistics.openTerm(field, term, segment, 0, statistics.inverseNorms(field));
    if (cursor !== undefined) cursors.push(cursor);
  }
  if (cursors.length === 0) return undefined;
  const source = new PositionSource(cursors, 0, '');
  return {
    cost: source.cost,
    advance: (target) => (source.doc >= target ? source.doc : source.advance(target)),
    places() {
      source.loadPositions();
      const { positions, start, count } = source;
      tick(256 + 32 * count);
      return read(positions, start, start + count);
    },
  };
}

/** The documents of any of some sources. @param join puts together the places of those that have the document */
export function anyNode<Place>(
  nodes: readonly PlaceNode<Place>[],
  join: (lists: readonly (readonly Place[])[]) => readonly Place[],
): PlaceNode<Place> {
  let doc = -1;
  return {
    cost: nodes.reduce((sum, node) => sum + node.cost, 0),
    advance: (target) => (doc = nodes.reduce((least, node) => Math.min(least, node.advance(target)), NO_MORE_DOCS)),
    places: () => join(nodes.filter((node) => node.advance(doc) === doc).map((node) => node.places())),
  };
}

/** The documents of all of some sources. */
export function allNode<Place>(nodes: readonly PlaceNode<Place>[], places: () => readonly Place[]): PlaceNode<Place> {
  const ordered = nodes.toSorted((a, b) => a.cost - b.cost);
  return {
    cost: ordered[0]!.cost,
    advance(target) {
      let doc = target;
      for (let at = 0; at < ordered.length && doc !== NO_MORE_DOCS; at++) {
        const found = ordered[at]!.advance(doc);
        if (found === doc) continue;
        doc = found;
        at = -1;
      }
      return doc;
    },
    places,
  };
}

/** The documents of a source. @param keep the places that remain beside those of the excluded one */
export function withoutNode<Place>(
  node: PlaceNode<Place>,
  excluded: PlaceNode<Place>,
  keep: (places: readonly Place[], excluded: readonly Place[]) => readonly Place[],
): PlaceNode<Place> {
  let doc = -1;
  return {
    cost: node.cost,
    advance: (target) => (doc = node.advance(target)),
    places: () => (excluded.advance(doc) === doc ? keep(node.places(), excluded.places()) : node.places()),
  };
}
