// How many bytes the columns take that exist for one purpose only: the words of text fields with `fielddata`, and what `completion` fields
// complete.
import { mappingOf } from '../../fetch/target.ts';
import type { Index } from '../../engine/engine-api.ts';
import type { SegmentReader } from '../../index/segment.ts';
import { fielddataPath, hasFielddata } from '../../mapping/field-type.ts';
import { viewOfIndex } from '../../view/filtered-index.ts';

/** Bytes by field. */
export interface FieldMemory {
  readonly fielddata: ReadonlyMap<string, number>;
  readonly completion: ReadonlyMap<string, number>;
}

/** Adds them up over the segments. Under a view, which must not tell how much it hides, there are none. */
export function fieldMemory(index: Index): FieldMemory {
  const fielddata = new Map<string, number>();
  const completion = new Map<string, number>();
  if (viewOfIndex(index) !== undefined) return { fielddata, completion };
  const searcher = index.searcher(false);
  try {
    for (const field of mappingOf(index).fields.values()) {
      const own = hasFielddata(field);
      if (!own && field.family !== 'completion') continue;
      const path = own ? fielddataPath(field.path) : field.path;
      const bytes = searcher.segments.reduce((sum, segment) => sum + columnBytes(segment, path), 0);
      (own ? fielddata : completion).set(field.path, bytes);
    }
  } finally {
    searcher.release();
  }
  return { fielddata, completion };
}

function columnBytes(segment: SegmentReader, path: string): number {
  const column = segment.keyword(path);
  if (column === undefined) return 0;
  return column.ordinals.byteLength + (column.starts?.byteLength ?? 0) + (column.exists?.byteLength ?? 0);
}
