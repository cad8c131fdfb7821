import { deepEqual, equal } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SOURCE_FLAGS } from '../../../kernel/test/source-flags.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import { contents, replay } from '../replay.ts';
import { openWriting } from '../writing.ts';

const KILLS = 5;

test('a killed process loses no acknowledged write, and data and feed agree', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crash-'));
  const file = join(folder, 'data.db');
  const acknowledged: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(process.execPath, [...SOURCE_FLAGS, join(import.meta.dirname, 'crash-child.ts'), file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    const wanted = 20 + Math.floor(Math.random() * 60);
    child.stdout.on('data', (part: Buffer) => {
      output += part.toString();
      if (output.split('\n').length > wanted) child.kill('SIGKILL');
    });
    await once(child, 'close');
    // The last line may be cut short.
    acknowledged.push(...output.split('\n').slice(0, -1));

    const store = await openSqliteStore({ file });
    const writing = await openWriting(store);
    deepEqual(await writing.rows('PRAGMA integrity_check'), [['ok']]);
    const stored = new Set((await writing.rows('SELECT id FROM photos')).map((row) => String(row[0] as number)));
    deepEqual(
      acknowledged.filter((key) => !stored.has(key)),
      [],
    );
    deepEqual(await replay(writing.feed), await contents(writing.model, store));
    await store.close();
  }
  equal(acknowledged.length >= KILLS * 20, true);
  await rm(folder, { recursive: true, force: true });
});
