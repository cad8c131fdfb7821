import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { temporaryFolder } from '../temporary-folder.ts';
import { killRounds, writeDeepApp } from './kill-rounds.ts';

test('a server killed at any moment has an index that equals the data after the restart', async (context) => {
  const folder = temporaryFolder(context);
  writeDeepApp(folder);
  const { documents, rebuilds, wrong } = await killRounds(folder, 6, 4711);
  ok(documents > 0 && rebuilds > 0);
  equal(wrong, 0);
});
