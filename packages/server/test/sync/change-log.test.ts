import { deepEqual, equal, rejects } from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { startApp, type TestApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** The lines of the file, once the last change is in it. */
async function readLines({ app, folder }: TestApp): Promise<Record<string, unknown>[]> {
  const head = await app.graph.feed.head();
  for (;;) {
    const lines = readFileSync(join(folder, 'changes.jsonl'), 'utf8').split('\n').slice(0, -1);
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    if (parsed.at(-1)?.['position'] === head) return parsed;
    await sleep(10);
  }
}

test('the change log has every change once, with user, time and fields, across restarts and torn lines', async (context) => {
  const folder = temporaryFolder(context);
  const options = { folder, data: join(folder, 'data'), config: { audit: { changes: 'changes.jsonl' } } };
  const first = await startApp(context, options);
  await first.graph(`mutation {
    a: createAuthor(input: { login: "ada", name: "secret name" }) { login }
    b: createNote(input: { title: "one", author: "ada" }) { id }
    c: updateNote(id: 1, input: { title: "two" }) { id }
  }`);
  const lines = await readLines(first);
  deepEqual(
    lines.map(({ principal, operation, type, key, fields }) => [principal, operation, type, key, fields]),
    [
      ['user', 'created', 'Author', 'ada', undefined],
      ['user', 'created', 'Note', '1', undefined],
      ['user', 'updated', 'Note', '1', ['title']],
    ],
  );
  const file = join(folder, 'changes.jsonl');
  equal(readFileSync(file, 'utf8').includes('secret name'), false);
  equal(statSync(file).mode & 0o777, 0o600);

  // As after a crash in the middle of a line, and before the reader had moved on.
  const { feed } = first.app.graph;
  const reader = feed.reader((await feed.readers()).find(({ name }) => name.startsWith('changes-'))!.name);
  // It moves on after the lines are on disk.
  while ((await reader.position()) < 3) await sleep(10);
  await reader.remove();
  await first.close();
  appendFileSync(file, '{"position":4,"ti');
  const second = await startApp(context, options);
  await second.graph('mutation { deleteNote(id: 1) { id } }');
  const all = await readLines(second);
  deepEqual(
    all.map(({ position }) => position),
    [1, 2, 3, 4],
  );
  deepEqual([all[3]!['operation'], all[3]!['principal']], ['deleted', 'user']);
  await second.close();
});

test('a record that cannot be written ends the start', async (context) => {
  const config = { audit: { changes: 'no/such/folder/changes.jsonl' } };
  await rejects(startApp(context, { config }), (error: Error & { code?: string }) => {
    equal(error.code, 'SERVER_AUDIT_NOT_WRITABLE');
    return true;
  });
});
