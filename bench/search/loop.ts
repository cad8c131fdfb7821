// How long anything holds the event loop on a large corpus: the processor time that the main thread spends between two turns of the
// loop, while the query set runs, documents are written, segments are merged and committed. Processor time and not the clock, so that
// the neighbours on the machine do not count.
// npm run bench -- search-loop CORPUS QUERIES
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileDirectory } from '../../packages/search/src/directory/file.ts';
import type { Index } from '../../packages/search/src/engine/engine-api.ts';
import { digits, printTable } from '../lib/table.ts';
import { loadDebian, openDebian } from './debian-index.ts';
import { readQueries, toSearch } from './queries.ts';

const [corpus, queryFile] = process.argv.slice(2);
if (corpus === undefined || queryFile === undefined) throw new Error('Name the corpus and the queries.');
const classes = readQueries(queryFile);

/** Milliseconds of processor time of this thread. */
function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Watches the turns of the event loop while something runs. */
async function watch(name: string, action: () => Promise<unknown>): Promise<readonly (string | number)[]> {
  const held: number[] = [];
  const done = new AbortController();
  const watching = (async () => {
    let before = spent();
    while (!done.signal.aborted) {
      await nextTurn();
      const now = spent();
      held.push(now - before);
      before = now;
    }
  })();
  const started = performance.now();
  await action();
  const seconds = (performance.now() - started) / 1000;
  done.abort();
  await watching;
  held.sort((a, b) => a - b);
  const at = (share: number): number => held[Math.min(held.length - 1, Math.floor(share * held.length))] ?? 0;
  return [name, digits(seconds), held.length, digits(at(0.99)), digits(at(0.9999)), digits(held.at(-1) ?? 0)];
}

/** Every query once, each in a turn of its own, as requests come. */
async function runQueries(index: Index, slow: Map<string, number>): Promise<void> {
  for (const [kind, list] of classes) {
    for (const query of list) {
      const before = spent();
      toSearch(index.searcher(), kind, query, undefined)();
      slow.set(kind, Math.max(slow.get(kind) ?? 0, spent() - before));
      await nextTurn();
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-loop-'));
try {
  const engine = await openDebian(fileDirectory(folder));
  const rows: (readonly (string | number)[])[] = [];
  rows.push(await watch('indexing and merging', () => loadDebian(engine, corpus)));
  const index = engine.index('debian');
  rows.push(await watch('commit', () => index.commit()));
  const first = new Map<string, number>();
  rows.push(await watch('queries, each for the first time', () => runQueries(index, first)));
  const again = new Map<string, number>();
  rows.push(await watch('queries again', () => runQueries(index, again)));
  rows.push(await watch('merging everything', () => index.forceMerge()));
  rows.push(await watch('commit of the merged', () => index.commit()));
  printTable(
    'Processor time between two turns of the event loop, ms',
    ['while', 'seconds', 'turns', 'p99', 'p99.99', 'longest'],
    rows,
  );
  printTable(
    'Longest query, ms',
    ['class', 'first time', 'again'],
    [...first].map(([kind, time]) => [kind, digits(time), digits(again.get(kind)!)]),
  );
  await engine.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
