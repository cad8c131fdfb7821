// Input and output of a thread that makes a segment: plain values with arrays over shared memory, so that nothing large is copied.
// Functions cannot be sent: sources on disk are named by their file.
import { closeSync, openSync } from 'node:fs';
import { readAt } from '../directory/read-at.ts';
import { EngineContext } from '../index/engine-context.ts';
import type { IndexSortKey } from '../index/index-sort.ts';
import type { MergeInput } from '../index/merge-input.ts';
import { SegmentCore } from '../index/segment-core.ts';
import type { SegmentMeta, SourcesFile } from '../index/segment-data.ts';
import { nothingToRead, sourcesInMemory } from '../index/sections.ts';
import type { SectionArray } from '../index/shared.ts';
import type { BufferContent } from '../index/write-buffer.ts';
import type { SentSegment } from './packed-segment.ts';

/** One segment to merge. */
interface JobInput {
  readonly meta: SegmentMeta;
  readonly sections: ReadonlyMap<string, SectionArray>;
  readonly live: Int32Array | undefined;
  /** Where the sources are, unless they are among the sections. */
  readonly sourcesFile: SourcesFile | undefined;
  readonly label: string;
}

/** A segment to make. */
export type Job = {
  readonly name: string;
  /** A new file for the sources; undefined: they come back among the sections. */
  readonly path: string | undefined;
  /** The order of the documents; empty: that in which they come. */
  readonly sort: readonly IndexSortKey[];
} & (
  | { readonly kind: 'flush'; readonly content: BufferContent }
  | { readonly kind: 'merge'; readonly inputs: readonly JobInput[] }
);

/** Result of a job. */
export interface Made {
  readonly sent: SentSegment;
  /** How many bytes of sources are in the file of the job. */
  readonly sourcesBytes: number | undefined;
  /** Bytes of the file if it holds the whole segment, as merges write it. */
  readonly fileBytes: number | undefined;
  /** Of a merge, and of a flush that sorts, for each input the new number of each document. */
  readonly maps: readonly Int32Array[];
}

/** Describes the segments for another thread; undefined when one of them cannot be read there. */
export function toJobInputs(inputs: readonly MergeInput[]): readonly JobInput[] | undefined {
  const described: JobInput[] = [];
  for (const { core, live } of inputs) {
    const { meta, sections } = core.data;
    const { sourcesFile } = core;
    if (sourcesFile === undefined && !sections.has('sources')) return undefined;
    described.push({ meta, sections, live, sourcesFile, label: core.label });
  }
  return described;
}

/** Opens the segments of a job; `close` closes the files behind them. */
export function openJobInputs(inputs: readonly JobInput[]): { readonly segments: MergeInput[]; close(): void } {
  const files: number[] = [];
  const close = (): void => {
    for (const file of files.splice(0)) closeSync(file);
  };
  try {
    // One for all: each has a cache of blocks.
    const engine = new EngineContext();
    const segments = inputs.map(({ meta, sections, live, sourcesFile, label }): MergeInput => {
      const data = { meta, sections: new Map(sections), readSources: sourcesIn(sections, sourcesFile, files) };
      return { core: new SegmentCore(data, label, engine), live };
    });
    return { segments, close };
  } catch (error) {
    close();
    throw error;
  }
}

function sourcesIn(
  sections: ReadonlyMap<string, SectionArray>,
  sourcesFile: SourcesFile | undefined,
  files: number[],
): (position: number, length: number) => Uint8Array {
  const inMemory = sourcesInMemory(sections);
  if (inMemory !== undefined) return inMemory;
  // `toJobInputs` describes no segment that has neither.
  if (sourcesFile === undefined) return nothingToRead;
  const file = openSync(sourcesFile.path, 'r');
  files.push(file);
  const start = sourcesFile.position;
  // Shorter if the file is: the caller's checksum detects it.
  const read = (position: number, length: number): Uint8Array => readAt(file, start + position, length);
  // Blocks are read in order, a few kilobytes each.
  let ahead: Uint8Array = new Uint8Array(0);
  let aheadAt = 0;
  return (position, length) => {
    if (length > AHEAD) return read(position, length);
    if (position < aheadAt || position + length > aheadAt + ahead.length) {
      ahead = read(position, AHEAD);
      aheadAt = position;
    }
    return ahead.subarray(position - aheadAt, position - aheadAt + length);
  };
}

/** Bytes read at once. */
const AHEAD = 1 << 18;
