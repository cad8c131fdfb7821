// Kills a server that writes, indexes and rebuilds at random moments, starts it again, and counts the documents that are not
// as the data says. Ten rounds belong to the tests; more: npm run soak -- feed 200
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { createApp } from '../../src/app.ts';
import { loadApp } from '../../src/config/load-app.ts';
import { NOTES_SCHEMA } from '../start-app.ts';

const WRITER = fileURLToPath(new URL('writing-child.ts', import.meta.url));
const FLAGS = ['--conditions=source', '--disable-warning=ExperimentalWarning'];

/** What the rounds found. */
export interface KillReport {
  readonly rounds: number;
  /** Documents at the end. */
  readonly documents: number;
  /** Documents that are not, or not only once, as the data says. */
  readonly wrong: number;
}

/** Writes an application of notes that commits its index as often as it can. */
export function writeNotesApp(folder: string, config: Readonly<Record<string, unknown>> = {}): void {
  const search = { commitInterval: 20, refreshInterval: 20 };
  writeFileSync(join(folder, 'schema.graphql'), NOTES_SCHEMA);
  writeFileSync(
    join(folder, 'lockstitch.config.mjs'),
    `export default ${JSON.stringify({ search, csrf: { enabled: false }, ...config })};`,
  );
}

/** Starts the writer and kills it some milliseconds after it began to write. */
export async function writeUntilKilled(folder: string, after: number): Promise<void> {
  const child = spawn(process.execPath, [...FLAGS, WRITER, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Half of a round is reading the program.
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compile-cache') },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const began = await Promise.race([
    new Promise<boolean>((resolve) => child.stdout.once('data', () => resolve(true))),
    ended.then(() => false),
  ]);
  if (!began) throw new Error('The writer ended before it began to write.');
  await sleep(after);
  child.kill('SIGKILL');
  await ended;
}

/** Runs the rounds over one data folder, which grows older with each. The folder must hold the application of notes. */
export async function killRounds(folder: string, rounds: number, seed: number): Promise<KillReport> {
  let random = seed;
  let wrong = 0;
  let documents = 0;
  for (let round = 0; round < rounds; round++) {
    random = (Math.imul(random, 1103515245) + 12345) >>> 0;
    await writeUntilKilled(folder, random % 300);
    const app = await createApp(await loadApp(folder, { LOCKSTITCH_USER_PASSWORD: 'x' }, { port: 0 }));
    const position = String(await app.graph.feed.head());
    const headers = {
      authorization: `Basic ${Buffer.from('user:x').toString('base64')}`,
      'lockstitch-min-position': position,
    };
    for (const [index, type] of [
      ['notes', 'Note'],
      ['authors', 'Author'],
    ] as const) {
      const answer = await app.handle({ method: 'GET', target: `/${index}/_search?size=10000`, headers });
      const { hits } = JSON.parse(answer.text()) as { hits: { hits: { _id: string; _source: unknown }[] } };
      const found = new Map(hits.hits.map((hit) => [hit._id, JSON.stringify(hit._source)]));
      const stored = await app.graph.loadDocuments(type, { limit: 10_000 });
      const same = stored.filter(({ key, source }) => found.get(key) === JSON.stringify(JSON.parse(source)));
      wrong += stored.length - same.length + (hits.hits.length - same.length);
      if (index === 'notes') documents = stored.length;
    }
    await app.close();
  }
  return { rounds, documents, wrong };
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'feed-kill-'));
  writeNotesApp(folder);
  const report = await killRounds(folder, Number(process.argv[2] ?? 200), Date.now() >>> 0);
  rmSync(folder, { recursive: true, force: true });
  console.log(`${report.rounds} kills, ${report.documents} documents at the end, ${report.wrong} wrong on the way`);
  if (report.wrong > 0) process.exitCode = 1;
}
