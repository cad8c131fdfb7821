// The thread that makes segments of buffers and of other segments: takes jobs one after the other and answers each. Started by
// job-thread.ts.
import { rmSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { flush } from '../index/flush.ts';
import { mergeSegments } from '../index/merge.ts';
import { allocateTogether } from '../index/shared.ts';
import { type Job, type Made, openJobInputs, type Reply } from './job.ts';
import { openSourcesFile, type SourcesFileOut } from './sources-file-out.ts';

parentPort?.on('message', (job: Job) => {
  let reply: Reply;
  try {
    reply = allocateTogether(() => run(job));
  } catch (error) {
    if (job.path !== undefined) rmSync(job.path, { force: true });
    reply = { id: job.id, kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply);
});

function run(job: Job): Made {
  const { id, name, path } = job;
  const out = path === undefined ? undefined : openSourcesFile(path);
  try {
    const { data, maps } =
      job.kind === 'flush' ? { data: end(flush(job.content, name, out)), maps: [] } : merge(job, out);
    out?.flush();
    return { id, kind: 'made', meta: data.meta, sections: data.sections, sourcesBytes: out?.length, maps };
  } finally {
    out?.close();
  }
}

function merge({ inputs, name }: Extract<Job, { kind: 'merge' }>, out: SourcesFileOut | undefined) {
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
