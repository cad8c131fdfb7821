// Kills servers over PostgreSQL, which goes on: the same rounds as over SQLite, with the locks and half-done transactions that a
// killed client leaves to a database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killRounds, tellKills, writeDeepApp } from '../../packages/server/test/sync/kill-rounds.ts';
import { startPostgres } from '../lib/postgres.ts';

const postgres = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), 'feed-kill-'));
try {
  writeDeepApp(folder, { database: { url: postgres.url } });
  tellKills(await killRounds(folder, Number(process.argv[2] ?? 30), Date.now() >>> 0));
} finally {
  rmSync(folder, { recursive: true, force: true });
  await postgres.close();
}
