// A file of a schema's index that is damaged where only a search looks: it is noticed at first use, said, and made good without being asked.
import { equal, match, ok } from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { until } from '../../../kernel/test/until.ts';
import { index as indexCommand } from '../../src/cli/index-command.ts';
import { runHere } from '../cli/run-here.ts';
import { startApp, type TestApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** An application whose 300 notes are on disk, and stopped. */
async function stopped(context: TestContext) {
  const folder = temporaryFolder(context);
  const data = join(folder, '.lockstitch');
  const config = { csrf: { enabled: false } };
  const first = await startApp(context, { folder, data, config });
  await first.graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
  const rows = Array.from({ length: 300 }, (_, at) => ({ title: `note ${at + 1}`, author: 'ada' }));
  await first.app.graph.importRows('Note', [rows]);
  equal(await count(first), 300);
  await first.close();
  return { folder, data, config };
}

async function count({ app, call }: TestApp): Promise<number> {
  const headers = { 'lockstitch-min-position': String(await app.graph.feed.head()) };
  return (await call('/notes/_count', { headers })).json.count;
}

/** Flips a byte in the stored documents of each segment of an index. */
function damageDocuments(data: string, index: string): void {
  const search = join(data, 'search');
  const folder = join(
    search,
    readdirSync(search).findLast((name) => name.split('@')[0] === index)!,
  );
  let damaged = 0;
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.seg'))) {
    const file = join(folder, name);
    const bytes = readFileSync(file);
    const table = bytes.readDoubleLE(bytes.length - 28);
    const { sections } = JSON.parse(
      bytes.subarray(table, table + bytes.readUInt32LE(bytes.length - 20)).toString(),
    ) as { readonly sections: readonly { readonly name: string; readonly offset: number; readonly bytes: number }[] };
    const sources = sections.find((section) => section.name === 'sources')!;
    bytes[sources.offset + (sources.bytes >> 1)]! ^= 0x20;
    writeFileSync(file, bytes);
    damaged++;
  }
  ok(damaged > 0);
}

test('4.5 the first search detects damaged stored documents, logs them, and starts a rebuild', async (context) => {
  const given = await stopped(context);
  damageDocuments(given.data, 'notes');
  const started = await startApp(context, given);
  const all = '/notes/_search?size=1000';
  const first = await started.call(all);
  equal(first.status, 503, first.text);
  equal(first.json.error.type, 'corrupt_index_exception');
  ok(!first.text.includes(given.folder), first.text);
  let found = first;
  await until(
    async () => {
      found = await started.call(all);
      equal(found.status === 200 || found.status === 503, true, found.text);
      return found.status === 200;
    },
    () => found.text,
  );
  equal(found.json.hits.hits.length, 300);
  // It follows the data as before.
  await started.graph('mutation { createNote(input: { title: "after", author: "ada" }) { id } }');
  equal(await count(started), 301);
  await started.close();
  const again = await startApp(context, given);
  equal((await again.call(all)).json.hits.hits.length, 301);
  await again.close();
});

test('4.5 a verification that finds damage rebuilds the index and says so', async (context) => {
  const given = await stopped(context);
  damageDocuments(given.data, 'notes');
  for (const [words, said] of [
    [
      ['index', 'verify', given.folder, 'notes'],
      /^notes: rebuilt\. .* is damaged: stored block \d+ fails its checksum\.\nnotes: 300 documents compared .*: nothing differs\.\n$/,
    ],
    [['index', 'verify', given.folder, 'notes'], /^notes: 300 documents compared .*: nothing differs\.\n$/],
  ] as const) {
    const { code, out, err } = await runHere(indexCommand, words);
    equal(code, 0, err);
    match(out, said);
  }
});

test("4.4 a start rebuilds a damaged index of the schema, whichever file it is; a client's own index is red", async (context) => {
  const given = await stopped(context);
  const started = await startApp(context, given);
  const own = await started.call('/own/_doc/1?refresh=true', { method: 'PUT', json: { a: 1 } });
  equal(own.status, 201);
  await started.close();
  const search = join(given.data, 'search');
  for (const name of readdirSync(search)) {
    if (name.startsWith('notes') || name === 'own') writeFileSync(join(search, name, 'manifest'), 'nothing');
  }
  const again = await startApp(context, given);
  equal(await count(again), 300);
  equal((await again.call('/own/_search')).status, 503);
  equal((await again.call('/own/_doc/2', { method: 'PUT', json: { a: 1 } })).status, 503);
  match((await again.call('/_cat/indices?h=health,index&s=index')).text, /red +own/);
  const deleted = await again.call('/own', { method: 'DELETE' });
  equal(deleted.status, 200, deleted.text);
  await again.close();
});
