// Merges large segments in a thread of its own, which is started with the first such merge and ends when there was none for a while.
// Segments lie in shared memory: both threads read them, and what comes back is not copied. Small merges are not worth
// the hand-over; they run on the main thread in slices (drive.ts).
import { Worker } from 'node:worker_threads';
import type { MergeInput, Merged } from '../index/merge.ts';
import { type MergeJob, type MergeReply, toJobInputs } from './merge-job.ts';

/** Documents from which a merge goes to the thread; below, starting it costs more than the merge (measured: 40 ms). */
export const BACKGROUND_DOCS = 5000;
/** Milliseconds that the thread waits for another merge before it ends. */
const IDLE = 10_000;

interface Waiting {
  readonly resolve: (merged: Merged) => void;
  readonly reject: (error: Error) => void;
}

let worker: Worker | undefined;
/** Set when threads cannot be had (a permission model, no memory): every merge runs on the main thread then. */
let unavailable = false;
let idleTimer: NodeJS.Timeout | undefined;
let nextId = 0;
const waiting = new Map<number, Waiting>();

/** The thread ended under way; the merge can be run elsewhere. */
export class ThreadLost extends Error {}

/**
 * Merges in the background.
 *
 * @returns undefined when the merge is too small, or there is no thread, or it could not read the segments; rejects with `ThreadLost`
 *   when the thread ended
 */
export function mergeInBackground(inputs: readonly MergeInput[], name: string): Promise<Merged> | undefined {
  const docs = inputs.reduce((sum, { core }) => sum + core.docCount, 0);
  if (docs < BACKGROUND_DOCS) return undefined;
  const described = toJobInputs(inputs);
  const thread = described === undefined ? undefined : start();
  if (described === undefined || thread === undefined) return undefined;
  const job: MergeJob = { id: nextId++, name, inputs: described };
  clearTimeout(idleTimer);
  thread.ref();
  return new Promise((resolve, reject) => {
    waiting.set(job.id, { resolve, reject });
    thread.postMessage(job);
  });
}

function start(): Worker | undefined {
  if (worker !== undefined || unavailable) return worker;
  try {
    // Sources while developing, JavaScript where the package is installed.
    const file = import.meta.url.endsWith('.ts') ? './merge-worker.ts' : './merge-worker.js';
    const started = new Worker(new URL(file, import.meta.url), { name: 'lockstitch-merge' });
    started.on('message', (reply: MergeReply) => take(started, reply));
    started.on('error', (error: unknown) => lose(started, error));
    started.on('exit', () => lose(started, undefined));
    worker = started;
  } catch {
    unavailable = true;
  }
  return worker;
}

function take(thread: Worker, reply: MergeReply): void {
  const job = waiting.get(reply.id);
  waiting.delete(reply.id);
  if (waiting.size === 0) {
    thread.unref();
    idleTimer = setTimeout(() => end(thread), IDLE).unref();
  }
  if (job === undefined) return;
  if (reply.kind === 'failed') {
    job.reject(new Error(reply.reason));
    return;
  }
  const { meta, sections, maps } = reply;
  const readSources = (position: number, length: number): Uint8Array =>
    (sections.get('sources') as Uint8Array).subarray(position, position + length);
  job.resolve({ data: { meta, sections, readSources }, maps });
}

function end(thread: Worker): void {
  if (worker !== thread || waiting.size > 0) return;
  worker = undefined;
  void thread.terminate();
}

function lose(thread: Worker, cause: unknown): void {
  if (worker !== thread) return;
  worker = undefined;
  // It ended with work in hand, so it would again.
  unavailable = waiting.size > 0;
  for (const job of waiting.values()) job.reject(new ThreadLost('The merge thread ended.', { cause }));
  waiting.clear();
}
