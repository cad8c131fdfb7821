// Replays requests to an empty engine and compares with what Elasticsearch 7.10.2 answered. A line of a `.jsonl` file is a test: what it is
// about, and each request with its answer as `shownAnswer` prints it.
import { deepEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startRest } from '../rest/harness.ts';
import { shownAnswer } from './shown-answer.ts';

interface Scenario {
  readonly test: string;
  readonly steps: readonly (readonly [target: string, body: unknown, answer: unknown])[];
}

for (const file of readdirSync(import.meta.dirname).filter((name) => name.endsWith('.jsonl'))) {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  for (const line of lines) {
    const { steps, test: name } = JSON.parse(line) as Scenario;
    test(`1.2 ${name}`, async () => {
      const ask = await startRest();
      for (const [target, body, answer] of steps) {
        const { json, status } = await ask(target, body ?? undefined);
        deepEqual(shownAnswer(status, json), answer, `${target} ${JSON.stringify(body)}`);
      }
    });
  }
}
