// The thread that merges large segments: takes jobs one after the other and answers each. Started by background-merge.ts.
import { parentPort } from 'node:worker_threads';
import { mergeSegments } from '../index/merge.ts';
import { type MergeJob, type MergeReply, openJobInputs } from './merge-job.ts';

parentPort?.on('message', (job: MergeJob) => {
  const { id, name } = job;
  let reply: MergeReply;
  try {
    const opened = openJobInputs(job.inputs);
    try {
      const steps = mergeSegments(opened.segments, name);
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      const { data, maps } = step.value;
      reply = { id, kind: 'merged', meta: data.meta, sections: data.sections, maps };
    } finally {
      opened.close();
    }
  } catch (error) {
    reply = { id, kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply);
});
