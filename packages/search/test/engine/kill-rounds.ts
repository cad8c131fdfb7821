// Kills a writing process at random moments and counts what is missing afterwards. Ten rounds belong to the tests; run this file
// itself for more: node --conditions=source packages/search/test/engine/kill-rounds.ts 200
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SOURCE_FLAGS } from '../../../kernel/test/source-flags.ts';
import { fileDirectory } from '../../src/directory/file.ts';
import { getNow, openTestEngine } from './test-index.ts';

/** What the rounds found. */
export interface KillReport {
  readonly rounds: number;
  /** Documents that an acknowledged batch wrote or deleted and that stand otherwise. */
  readonly lost: number;
  /** Documents that stand as no batch begun ever left them. */
  readonly invented: number;
  readonly acknowledged: number;
}

/** The state after a number of batches: by key, the batch that wrote it, or undefined where deleted. Mirrors kill-writer.ts. */
function stateAfter(batches: number): Map<string, number | undefined> {
  const state = new Map<string, number | undefined>();
  for (let batch = 0; batch < batches; batch++) {
    for (const key of [batch % 50, (batch * 7) % 50, 50 + (batch % 500)]) {
      state.set(String(key), batch % 10 === 9 ? undefined : batch);
    }
  }
  return state;
}

/** Runs the rounds over one directory, which grows older with each. */
export async function killRounds(options: {
  readonly folder: string;
  readonly rounds: number;
  readonly seed: number;
}): Promise<KillReport> {
  let lost = 0;
  let invented = 0;
  let done = 0;
  let random = options.seed;
  for (let round = 0; round < options.rounds; round++) {
    random = (Math.imul(random, 1103515245) + 12345) >>> 0;
    // By turns segments are made on the main thread of the writer and in threads.
    const where = round % 2 === 0 ? 'here' : 'threads';
    const child = fork(new URL('./kill-writer.ts', import.meta.url), [options.folder, String(done), where], {
      execArgv: [...SOURCE_FLAGS],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    let acknowledged = done;
    let begun = done;
    child.on('message', (message: { kind: string; batch: number }) => {
      if (message.kind === 'acknowledged') acknowledged = message.batch + 1;
      if (message.kind === 'begun') begun = message.batch + 1;
    });
    const exited = once(child, 'exit');
    await Promise.race([once(child, 'message'), exited]);
    await sleep(5 + (random % 180));
    child.kill('SIGKILL');
    await exited;

    const engine = await openTestEngine(fileDirectory(options.folder));
    const index = engine.index('kill');
    // The batch in flight when the process died may be there or not, but as a whole: the position tells.
    const { position } = index;
    if (position < acknowledged) lost++;
    if (position > begun) invented++;
    const expected = stateAfter(position);
    const searcher = index.searcher();
    for (let key = 0; key < 550; key++) {
      const id = String(key);
      const source = getNow(index, id)?.source;
      const found = source === undefined ? undefined : (JSON.parse(Buffer.from(source).toString()) as { n: number }).n;
      if (found !== expected.get(id)) lost++;
      // Searches see the same.
      const hits = searcher.search({ query: { kind: 'ids', ids: [id] }, size: 5 }).hits;
      if (hits.length !== (found === undefined ? 0 : 1)) invented++;
    }
    done = position;
    await engine.close();
  }
  return { rounds: options.rounds, lost, invented, acknowledged: done };
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'search-kill-'));
  const report = await killRounds({ folder, rounds: Number(process.argv[2] ?? 200), seed: Date.now() >>> 0 });
  rmSync(folder, { recursive: true, force: true });
  console.log(
    `${report.rounds} kills, ${report.acknowledged} batches acknowledged, ${report.lost} lost, ${report.invented} invented`,
  );
  if (report.lost + report.invented > 0) process.exitCode = 1;
}
