// What becomes of jobs whose thread ends under them.
import { equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import type { DocumentJob, DocumentMade } from '../../src/engine/document-job.ts';
import { JobThread, wasMemory } from '../../src/engine/job-thread.ts';

test('a job that takes all memory of its thread is told apart, and the next has a thread again', async () => {
  const limits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 };
  const thread = new JobThread<DocumentJob, DocumentMade>('test-documents', 'document-worker', 100, limits);
  const check = (text: string): Promise<DocumentMade> | undefined =>
    thread.run({ kind: 'check', source: new TextEncoder().encode(text) });
  await rejects(check(`{"a":[${'{},'.repeat(2_000_000)}{}]}`)!, wasMemory);
  equal((await check('{}'))?.outcome, 'checked');
});
