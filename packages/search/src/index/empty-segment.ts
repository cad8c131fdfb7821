// A segment without documents. Aggregations of an index that has no segment look at their fields in it, as they do in any other.
import { runToEnd } from '../tasks/scheduler.ts';
import { flush } from './flush.ts';
import { SegmentCore } from './segment-core.ts';
import { SegmentView } from './segment-view.ts';
import { WriteBuffer } from './write-buffer.ts';

let made: SegmentView | undefined;

export function emptySegment(): SegmentView {
  made ??= new SegmentView(
    new SegmentCore(runToEnd(flush(new WriteBuffer().content(), 'empty')), 'empty'),
    undefined,
    0,
    0,
  );
  return made;
}
