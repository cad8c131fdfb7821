// What a merge needs in another thread and what comes back: segments as plain values, their arrays over shared memory, so that nothing
// is copied. Functions cannot go along: sources that stayed on disk are named by their file.
import { closeSync, openSync, readSync } from 'node:fs';
import type { MergeInput } from '../index/merge.ts';
import { SegmentCore } from '../index/segment-core.ts';
import type { SegmentMeta, SourcesFile } from '../index/segment-data.ts';
import type { SectionArray } from '../index/shared.ts';

/** One segment to merge. */
interface JobInput {
  readonly meta: SegmentMeta;
  readonly sections: ReadonlyMap<string, SectionArray>;
  readonly live: Int32Array | undefined;
  /** Where the sources are, unless they are among the sections. */
  readonly sourcesFile: SourcesFile | undefined;
  readonly label: string;
}

/** A merge to run. */
export interface MergeJob {
  readonly id: number;
  readonly name: string;
  readonly inputs: readonly JobInput[];
}

/** What came of it. */
export type MergeReply =
  | {
      readonly id: number;
      readonly kind: 'merged';
      readonly meta: SegmentMeta;
      readonly sections: Map<string, SectionArray>;
      readonly maps: readonly Int32Array[];
    }
  | { readonly id: number; readonly kind: 'failed'; readonly reason: string };

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
    const segments = inputs.map(({ meta, sections, live, sourcesFile, label }): MergeInput => {
      const data = { meta, sections: new Map(sections), readSources: sourcesIn(sections, sourcesFile, files) };
      return { core: new SegmentCore(data, label), live };
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
  const inMemory = sections.get('sources') as Uint8Array | undefined;
  if (inMemory !== undefined) return (position, length) => inMemory.subarray(position, position + length);
  const file = openSync(sourcesFile!.path, 'r');
  files.push(file);
  return (position, length) => {
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const count = readSync(file, bytes, done, length - done, sourcesFile!.position + position + done);
      // Cut off: the caller's checksum says so.
      if (count === 0) break;
      done += count;
    }
    return bytes;
  };
}
