// Counts the terms that a suggester looks at, so that a view can tell which of them its documents hold.
import type { SegmentReader } from '../index/segment.ts';
import { SegmentView } from '../index/segment-view.ts';
import { TermVisits } from '../query/term-visits.ts';

/** The visits to a field's terms in one segment; undefined for a segment that no search is bound to. */
export function visitsOf(segment: SegmentReader, field: string): TermVisits | undefined {
  return segment instanceof SegmentView ? new TermVisits(segment.core, field) : undefined;
}
