// The thread that makes segments of buffers and of other segments: takes jobs one after the other and answers each. Started by
// job-thread.ts.
import { rmSync } from 'node:fs';
import { runToEnd } from '../tasks/scheduler.ts';
import { flush } from '../index/flush.ts';
import { type Merged, mergeSegments } from '../index/merge.ts';
import { encodeSegment } from '../index/segment-file.ts';
import { allocateTogether } from '../index/shared.ts';
import { answerJobs } from './job-thread.ts';
import { toSent } from './packed-segment.ts';
import { type Job, type Made, openJobInputs } from './segment-job.ts';
import { openSourcesFile, type SourcesFileOut } from './sources-file-out.ts';

answerJobs(async (job: Job) => {
  try {
    return await run(job);
  } catch (error) {
    if (job.path !== undefined) rmSync(job.path, { force: true });
    throw error;
  }
});

async function run(job: Job): Promise<Made> {
  const { path } = job;
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
    return { sent: toSent(data), sourcesBytes, fileBytes, maps };
  } finally {
    out?.close();
  }
}

function make(job: Job, out: SourcesFileOut | undefined): Merged {
  return job.kind === 'flush' ? { data: runToEnd(flush(job.content, job.name, out)), maps: [] } : merge(job, out);
}

function merge({ inputs, name }: Extract<Job, { kind: 'merge' }>, out: SourcesFileOut | undefined): Merged {
  const opened = openJobInputs(inputs);
  try {
    return runToEnd(mergeSegments(opened.segments, name, out));
  } finally {
    opened.close();
  }
}
