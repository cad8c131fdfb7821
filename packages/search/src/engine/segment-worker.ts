// The thread that makes segments of buffers and of other segments: takes jobs one after the other and answers each. Started by
// segment-thread.ts.
import { rmSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { flush } from '../index/flush.ts';
import { type Merged, mergeSegments } from '../index/merge.ts';
import { encodeSegment } from '../index/segment-file.ts';
import { allocateTogether } from '../index/shared.ts';
import { type Job, type Made, openJobInputs, type Reply } from './segment-job.ts';
import { openSourcesFile, type SourcesFileOut } from './sources-file-out.ts';

let last = Promise.resolve();
parentPort?.on('message', (job: Job) => {
  last = last.then(() => answer(job));
});

async function answer(job: Job): Promise<void> {
  let reply: Reply;
  try {
    reply = await run(job);
  } catch (error) {
    if (job.path !== undefined) rmSync(job.path, { force: true });
    reply = { id: job.id, kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply);
}

async function run(job: Job): Promise<Made> {
  const { id, path } = job;
  const out = path === undefined ? undefined : openSourcesFile(path);
  try {
    const { data, maps } = allocateTogether(() => make(job, out));
    const sourcesBytes = out?.length;
    let fileBytes: number | undefined;
    if (out !== undefined && job.kind === 'merge') {
      // No commit has to wait for what is known now.
      ({ bytes: fileBytes } = await encodeSegment(data, sourcesBytes, (part) => out.append(part)));
    }
    out?.flush();
    return { id, kind: 'made', meta: data.meta, sections: data.sections, sourcesBytes, fileBytes, maps };
  } finally {
    out?.close();
  }
}

function make(job: Job, out: SourcesFileOut | undefined): Merged {
  return job.kind === 'flush' ? { data: end(flush(job.content, job.name, out)), maps: [] } : merge(job, out);
}

function merge({ inputs, name }: Extract<Job, { kind: 'merge' }>, out: SourcesFileOut | undefined): Merged {
  const opened = openJobInputs(inputs);
  try {
    return end(mergeSegments(opened.segments, name, out));
  } finally {
    opened.close();
  }
}

function end<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
