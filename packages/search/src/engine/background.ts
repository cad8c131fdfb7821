// Makes segments beside the main thread: large buffers and large merges each go to a thread of their own, so that a flush never waits
// behind a merge of half a minute. What is shared between the threads is memory: nothing is copied in either direction. Small work is
// not worth the hand-over; it runs on the main thread in slices (drive.ts).
import type { Merged, MergeInput } from '../index/merge.ts';
import type { SegmentData } from '../index/segment-data.ts';
import type { WriteBuffer } from '../index/write-buffer.ts';
import { JobThread } from './job-thread.ts';
import { fromSent } from './packed-segment.ts';
import { type Job, type Made, toJobInputs } from './segment-job.ts';

/** Documents from which a merge goes to the thread; below, starting it costs more than the merge (measured: 40 ms). */
export const BACKGROUND_DOCS = 5000;

/** Bytes of segments, sources on disk not counted, from which it goes there however few the documents are: one term may have millions of positions. */
const BACKGROUND_BYTES = 4 << 20;

/** What a job makes of objects is young and small; by default three times 16 MB would stay. */
const limits = { maxYoungGenerationSizeMb: 6 };
const flushes = new JobThread<Job, Made>('lockstitch-flush', 'segment-worker', 10_000, limits);
/**
 * Ends with its last job: shared memory counts for nobody's garbage collector, so an idle thread would hold on to the segments it has
 * merged away (200 MB after loading 636,660 documents).
 */
const merges = new JobThread<Job, Made>('lockstitch-merge', 'segment-worker', 0, limits);

/** A segment made in a thread. */
export interface MadeSegment {
  readonly data: SegmentData;
  /** Bytes of the sources in the file that was asked for; undefined: they are among the sections. */
  readonly sourcesBytes: number | undefined;
  /** Bytes of that file when it holds the whole segment. */
  readonly fileBytes: number | undefined;
}

/** Starts the thread that a growing buffer will need, as that takes 0.15 s. */
export function prepareFlush(): void {
  flushes.prepare();
}

/**
 * Makes a segment of a buffer that nobody writes to any more.
 *
 * @param path a new file for the sources; without it they come back in memory
 * @param worth bytes from which the buffer is worth starting a thread for; a quarter of it when the thread runs already
 * @returns undefined when the buffer is too small or there is no thread; rejects when the thread ended or the job failed
 */
export function flushInBackground(
  buffer: WriteBuffer,
  name: string,
  path: string | undefined,
  worth: number,
): Promise<MadeSegment> | undefined {
  if (buffer.used < (flushes.running ? worth / 4 : worth)) return undefined;
  return flushes.run({ kind: 'flush', name, path, content: buffer.content() })?.then(toSegment);
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
): Promise<Merged & MadeSegment> | undefined {
  const docs = inputs.reduce((sum, { core }) => sum + core.docCount, 0);
  const bytes = inputs.reduce((sum, { core }) => sum + core.contentBytes, 0);
  if (docs < BACKGROUND_DOCS && bytes < BACKGROUND_BYTES) return undefined;
  const described = toJobInputs(inputs);
  if (described === undefined) return undefined;
  return merges
    .run({ kind: 'merge', name, path, inputs: described })
    ?.then(async (made) => ({ ...(await toSegment(made)), maps: made.maps }));
}

async function toSegment({ sent, sourcesBytes, fileBytes }: Made): Promise<MadeSegment> {
  const { meta, sections } = await fromSent(sent);
  const readSources = (position: number, length: number): Uint8Array =>
    (sections.get('sources') as Uint8Array).subarray(position, position + length);
  return { data: { meta, sections, readSources }, sourcesBytes, fileBytes };
}
