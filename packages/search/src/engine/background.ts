// Runs flushes and merges in threads: large buffers and large merges each have a thread of their own, so that a flush never waits
// behind a merge of half a minute. The threads share memory: nothing is copied in either direction. Small work is
// not worth the hand-over; it runs on the main thread in slices (tasks/scheduler.ts).
import type { IndexSortKey } from '../index/index-sort.ts';
import type { Merged } from '../index/merge.ts';
import type { MergeInput } from '../index/merge-input.ts';
import type { SegmentData } from '../index/segment-data.ts';
import type { WriteBuffer } from '../index/write-buffer.ts';
import { JobThread } from './job-thread.ts';
import { nothingToRead, sourcesInMemory } from '../index/sections.ts';
import { fromSent } from './packed-segment.ts';
import { type Job, type Made, toJobInputs } from './segment-job.ts';

/** Minimum documents of a merge in the thread. Starting the thread for fewer costs more than the merge (measured: 40 ms). */
export const BACKGROUND_DOCS = 5000;

/** Minimum bytes of segments, without sources on disk, of a merge in the thread with fewer documents: one term may have millions of positions. */
const BACKGROUND_BYTES = 4 << 20;

/** Megabytes of the young generation: objects of a job are small and die young. By default three times 16 MB would stay. */
const limits = { maxYoungGenerationSizeMb: 6 };
const flushes = new JobThread<Job, Made>('lockstitch-flush', 'segment-worker', 10_000, limits);
/**
 * The thread ends with its last job. No garbage collector counts shared memory, so an idle thread would keep the segments that it
 * merged (200 MB after loading 636,660 documents).
 */
const merges = new JobThread<Job, Made>('lockstitch-merge', 'segment-worker', 0, limits);

/** A segment made in a thread. */
export interface MadeSegment {
  readonly data: SegmentData;
  /** Bytes of the sources in the requested file; undefined if they are among the sections. */
  readonly sourcesBytes: number | undefined;
  /** Bytes of that file if it holds the whole segment. */
  readonly fileBytes: number | undefined;
}

/** Starts the thread that a growing buffer will need: starting takes 0.15 s. */
export function prepareFlush(): void {
  flushes.prepare();
}

/**
 * Flushes a frozen buffer to a segment, and sorts its documents; `maps` is empty without an order.
 *
 * @param path a new file for the sources; without it they come back in memory
 * @param worth minimum bytes of a buffer for which a thread is started; a quarter of it if the thread runs already
 * @returns undefined when the buffer is too small or there is no thread; rejects when the thread ended or the job failed
 */
export function flushInBackground(
  buffer: WriteBuffer,
  name: string,
  path: string | undefined,
  worth: number,
  sort: readonly IndexSortKey[] = [],
): Promise<Merged & MadeSegment> | undefined {
  if (buffer.used < (flushes.running ? worth / 4 : worth)) return undefined;
  return flushes.run({ kind: 'flush', name, path, sort, content: buffer.content() })?.then(toMerged);
}

/**
 * Merges segments.
 *
 * @param path a new file for the sources; without it they come back in memory
 * @returns undefined when the merge is too small, or there is no thread, or it could not read the segments; rejects when
 *   the thread ended or the job failed
 */
export function mergeInBackground(
  inputs: readonly MergeInput[],
  name: string,
  path?: string,
  sort: readonly IndexSortKey[] = [],
): Promise<Merged & MadeSegment> | undefined {
  const docs = inputs.reduce((sum, { core }) => sum + core.docCount, 0);
  const bytes = inputs.reduce((sum, { core }) => sum + core.contentBytes, 0);
  if (docs < BACKGROUND_DOCS && bytes < BACKGROUND_BYTES) return undefined;
  const described = toJobInputs(inputs);
  if (described === undefined) return undefined;
  return merges.run({ kind: 'merge', name, path, sort, inputs: described })?.then(toMerged);
}

async function toMerged({ sent, sourcesBytes, fileBytes, maps }: Made): Promise<Merged & MadeSegment> {
  const { meta, sections } = await fromSent(sent);
  const readSources = sourcesInMemory(sections) ?? nothingToRead;
  return { data: { meta, sections, readSources }, sourcesBytes, fileBytes, maps };
}
