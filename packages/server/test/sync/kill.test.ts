import { deepEqual, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { startApp, NOTES_SCHEMA } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const WRITER = fileURLToPath(new URL('writing-child.ts', import.meta.url));
const ROUNDS = 3;

/** Starts the writer and kills it with SIGKILL at some moment after it began to write. */
async function writeUntilKilled(folder: string, after: number): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--disable-warning=ExperimentalWarning', WRITER, folder],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exit = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await new Promise((resolve) => setTimeout(resolve, after));
  child.kill('SIGKILL');
  await exit;
}

test('a process killed at any moment leaves an index that becomes the data again', async (context) => {
  const config = 'export default { search: { commitInterval: 50, refreshInterval: 20 }, csrf: { enabled: false } };';
  const folder = temporaryFolder(context, { 'schema.graphql': NOTES_SCHEMA, 'lockstitch.config.mjs': config });
  for (let round = 0; round < ROUNDS; round++) {
    await writeUntilKilled(folder, 40 + 97 * round);
    const { app, call, close } = await startApp(context, {
      folder,
      data: join(folder, '.lockstitch'),
      files: { 'lockstitch.config.mjs': config },
    });
    const position = String(await app.graph.feed.head());
    const { json } = await call('/notes/_search?size=10000', { headers: { 'lockstitch-min-position': position } });
    const found = new Map(json.hits.hits.map((hit: { _id: string; _source: unknown }) => [hit._id, hit._source]));
    const stored = await app.graph.loadDocuments('Note', { limit: 10_000 });
    ok(stored.length > 0);
    deepEqual(found, new Map(stored.map(({ key, source }) => [key, JSON.parse(source) as unknown])));
    await close();
  }
});
