// The thread that makes segments of buffers and of other segments: takes jobs one after the other and answers each. Started by
// job-thread.ts.
import { rmSync } from 'node:fs';
import { runToEnd } from '../tasks/scheduler.ts';
import { flush } from '../index/flush.ts';
import { type Merged, mergeSegments, sortSegment } from '../index/merge.ts';
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

type JobOf<Kind extends Job['kind']> = Extract<Job, { readonly kind: Kind }>;

async function run(job: Job): Promise<Made> {
  const { path } = job;
  const out = path === undefined ? undefined : openSourcesFile(path);
  try {
    const { data, maps } = job.kind === 'flush' ? makeOfBuffer(job, out) : allocateTogether(() => merge(job, out));
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

function makeOfBuffer({ content, name, sort }: JobOf<'flush'>, out: SourcesFileOut | undefined): Merged {
  const flushed = allocateTogether(() => runToEnd(flush(content, name, sort.length === 0 ? out : undefined)));
  if (sort.length === 0) return { data: flushed, maps: [] };
  return allocateTogether(() => runToEnd(sortSegment(flushed, sort, out)));
}

function merge({ inputs, name, sort }: JobOf<'merge'>, out: SourcesFileOut | undefined): Merged {
  const opened = openJobInputs(inputs);
  try {
    return runToEnd(mergeSegments(opened.segments, name, { out, sort }));
  } finally {
    opened.close();
  }
}
