// Merges neighbouring segments into one without their deleted documents, in the same order or in that of `index.sort`. A generator like
// the flush: it yields about every millisecond. merge-policy.ts selects the segments.
import { runToEnd } from '../tasks/scheduler.ts';
import { hasBit } from './bits.ts';
import { ValuesColumnWriter } from './column-writer.ts';
import { DocumentColumnsWriter } from './document-columns.ts';
import { valuesMeta } from './flush.ts';
import { type DocumentOrder, type IndexSortKey, orderDocuments } from './index-sort.ts';
import type { MergeInput } from './merge-input.ts';
import { mergeTerms } from './merge-terms.ts';
import { SegmentCore } from './segment-core.ts';
import type { FieldMeta, SegmentData, WrittenField } from './segment-data.ts';
import type { SourcesOut } from './stored.ts';

/** Compressed blocks of sources below this many bytes are joined when segments are merged. */
const SMALL_BLOCK = 2048;

/** A merged segment, and for each input the new number of each document (-1: dropped). */
export interface Merged {
  readonly data: SegmentData;
  readonly maps: readonly Int32Array[];
}

/** How segments are merged. */
export interface MergeOptions {
  /** Where the sources go; into the segment's sections by default. */
  readonly out?: SourcesOut | undefined;
  /** The order of the documents; that of the inputs by default. */
  readonly sort?: readonly IndexSortKey[];
}

/** Merges segments given in index order. */
export function* mergeSegments(
  inputs: readonly MergeInput[],
  name: string,
  { out, sort = [] }: MergeOptions = {},
): Generator<void, Merged> {
  const order = sort.length === 0 ? undefined : yield* orderDocuments(inputs, sort);
  const maps = order === undefined ? yield* numberInOrder(inputs) : numberAs(order, inputs);
  yield;
  const docCount = maps.reduce((sum, map) => sum + countKept(map), 0);
  const documents = new DocumentColumnsWriter(docCount, out);
  yield* order === undefined ? copyDocuments(inputs, maps, documents) : copySorted(inputs, order, documents);
  const finished = yield* documents.finish();
  const { sections } = finished;
  const names = new Set<string>();
  for (const { core } of inputs) for (const field of core.fieldNames()) names.add(field);
  const fields: FieldMeta[] = [];
  for (const field of [...names].sort()) {
    const kind = inputs.map(({ core }) => core.meta(field)?.kind).findLast((found) => found !== undefined)!;
    const written =
      kind === 'number' || kind === 'geo'
        ? mergeValues(inputs, maps, docCount, field, kind)
        : yield* mergeTerms(inputs, maps, docCount, { field, kind, isSorted: order !== undefined });
    yield;
    if (written === undefined) continue;
    for (const [part, array] of Object.entries(written.sections)) sections.set(`${fields.length}/${part}`, array);
    fields.push({ ...written.meta, name: field });
  }
  const { seqNoBase, readSources } = finished;
  const meta = { name, docCount, fields, nestedPaths: documents.paths, seqNoBase, primaryTerm: 1 };
  const data: SegmentData = { meta, sections, readSources };
  return { data, maps };
}

/** Sorts the documents of one segment. */
export function sortSegment(
  data: SegmentData,
  sort: readonly IndexSortKey[],
  out?: SourcesOut,
): Generator<void, Merged> {
  const { name } = data.meta;
  return mergeSegments([{ core: new SegmentCore(data, name), live: undefined }], name, { out, sort });
}

/** Numbers the live documents as they stand. */
function* numberInOrder(inputs: readonly MergeInput[]): Generator<void, readonly Int32Array[]> {
  const maps: Int32Array[] = [];
  let docCount = 0;
  for (const { core, live } of inputs) {
    const map = new Int32Array(core.docCount);
    for (let doc = 0; doc < core.docCount; doc++) map[doc] = live === undefined || hasBit(live, doc) ? docCount++ : -1;
    maps.push(map);
    yield;
  }
  return maps;
}

/** Numbers the documents by their order. */
function numberAs(order: DocumentOrder, inputs: readonly MergeInput[]): readonly Int32Array[] {
  const maps = inputs.map(({ core }) => new Int32Array(core.docCount).fill(-1));
  for (let target = 0; target < order.docs.length; target++) maps[order.inputs[target]!]![order.docs[target]!] = target;
  return maps;
}

function countKept(map: Int32Array): number {
  let count = 0;
  for (let doc = 0; doc < map.length; doc++) if (map[doc]! >= 0) count++;
  return count;
}

/** Writes the documents in their order, and copies blocks of sources where it can. */
function* copyDocuments(
  inputs: readonly MergeInput[],
  maps: readonly Int32Array[],
  documents: DocumentColumnsWriter,
): Generator<void, void> {
  for (let i = 0; i < inputs.length; i++) {
    const { core } = inputs[i]!;
    const map = maps[i]!;
    const { sources } = core;
    for (let block = 0; block < sources.blocks; block++) {
      const first = sources.firstDoc(block, core.docCount);
      const end = sources.firstDoc(block + 1, core.docCount);
      // A block without deletions is copied as it is, unless it is so small that joining it with others saves space.
      const target = map[first]!;
      const kept = target >= 0 && map[end - 1]! - target + 1 === end - first;
      const frame = kept ? sources.frame(block) : undefined;
      const whole = frame !== undefined && frame.length >= SMALL_BLOCK;
      if (whole) documents.addBlock(frame, end - first);
      for (let doc = first; doc < end; doc++) {
        if (map[doc]! < 0) continue;
        copyDocument(core, doc, map[doc]!, documents);
        if (!whole) documents.addSource(core.source(doc));
      }
      yield;
    }
  }
}

/** Writes the documents in another order than that of their blocks. */
function* copySorted(
  inputs: readonly MergeInput[],
  order: DocumentOrder,
  documents: DocumentColumnsWriter,
): Generator<void, void> {
  for (let target = 0; target < order.docs.length; target++) {
    const { core } = inputs[order.inputs[target]!]!;
    const doc = order.docs[target]!;
    copyDocument(core, doc, target, documents);
    documents.addSource(core.source(doc));
    if ((target & 15) === 15) yield;
  }
}

/** Writes a document but for its source. */
function copyDocument(core: SegmentCore, doc: number, target: number, documents: DocumentColumnsWriter): void {
  const { ids, ends } = core.ids.bytes;
  documents.add(ids, doc === 0 ? 0 : ends[doc - 1]!, ends[doc]!, core.versions[doc]!, core.seqNo(doc));
  const routing = core.routing(doc);
  if (routing !== undefined) documents.route(target, routing);
  const path = core.nestedPath(doc);
  if (path !== undefined) documents.nest(path, core.nestedOffset(doc));
}

/**
 * Rewrites one field of a segment with the values of some documents; doc ids stay.
 *
 * @returns undefined when no value is left
 */
export function rewriteField(core: SegmentCore, field: string, keep: Int32Array): WrittenField | undefined {
  const kind = core.meta(field)?.kind;
  if (kind === undefined) return undefined;
  const map = new Int32Array(core.docCount);
  for (let doc = 0; doc < core.docCount; doc++) map[doc] = hasBit(keep, doc) ? doc : -1;
  const inputs = [{ core, live: undefined }];
  if (kind === 'number' || kind === 'geo') return mergeValues(inputs, [map], core.docCount, field, kind);
  return runToEnd(mergeTerms(inputs, [map], core.docCount, { field, kind, isSorted: false }));
}

export function mergeValues(
  inputs: readonly MergeInput[],
  maps: readonly Int32Array[],
  docCount: number,
  field: string,
  kind: 'number' | 'geo',
): WrittenField | undefined {
  const writer = new ValuesColumnWriter(docCount, kind === 'geo' ? 2 : 1);
  const point = new Float64Array(2);
  inputs.forEach(({ core }, i) => {
    const map = maps[i]!;
    const numbers = core.number(field);
    const points = core.geo(field);
    const column = kind === 'geo' ? points : numbers;
    if (column === undefined) return;
    const { exists, starts } = column;
    for (let doc = 0; doc < core.docCount; doc++) {
      const target = map[doc]!;
      if (target < 0 || (exists !== undefined && !hasBit(exists, doc))) continue;
      const from = starts === undefined ? doc : starts[doc]!;
      const to = starts === undefined ? doc + 1 : starts[doc + 1]!;
      if (numbers !== undefined && kind === 'number') {
        writer.add(target, numbers.values, from, to);
      } else if (points !== undefined) {
        if (to - from === 1) {
          point[0] = points.lat[from]!;
          point[1] = points.lon[from]!;
          writer.add(target, point, 0, 2);
        } else {
          const several = new Float64Array((to - from) * 2);
          for (let at = from; at < to; at++) {
            several[(at - from) * 2] = points.lat[at]!;
            several[(at - from) * 2 + 1] = points.lon[at]!;
          }
          writer.add(target, several, 0, several.length);
        }
      }
    }
  });
  const { docs, sections } = writer.finish();
  return docs === 0 ? undefined : { meta: valuesMeta(kind, docs), sections };
}
