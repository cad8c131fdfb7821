// One point of the growth plot, in a process of its own: indexes the first documents of a corpus, reopens them, runs every class of
// queries, and prints times and memory as one line of JSON. Arguments: CORPUS QUERIES DOCUMENTS
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { fileDirectory } from '../../packages/search/src/directory/file.ts';
import { loadDebian, openDebian } from './debian-index.ts';
import { readQueries, toSearch } from './queries.ts';

const [corpus, queryFile, documents] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'bench-growth-'));
try {
  let engine = await openDebian(fileDirectory(folder));
  const before = process.cpuUsage();
  const { index, docs } = await loadDebian(engine, corpus!, Number(documents));
  await index.commit();
  const { user, system } = process.cpuUsage(before);
  await engine.close();
  engine = await openDebian(fileDirectory(folder));
  const opened = engine.index('debian');
  const searcher = opened.searcher();
  const micros: Record<string, number> = {};
  for (const [kind, list] of readQueries(queryFile!)) {
    const searches = list.map((query) => toSearch(searcher, kind, query, undefined));
    const times = searches.map((): number[] => []);
    for (let round = 0; round < 12; round++) {
      // What searches put off (the order of a dictionary from behind) is done by then.
      if (round === 4) await sleep(1000);
      else await nextTurn();
      searches.forEach((search, i) => {
        const started = performance.now();
        search();
        if (round >= 5) times[i]!.push((performance.now() - started) * 1000);
      });
    }
    micros[kind] = median(times.map(median));
  }
  const bytes = readdirSync(folder, { recursive: true })
    .map((entry) => statSync(join(folder, String(entry))))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
  const { memoryBytes } = opened.stats();
  process.stdout.write(
    `${JSON.stringify({ docs, indexMicros: (user + system) / docs, micros, memory: memoryBytes / 1e6, disk: bytes / 1e6 })}\n`,
  );
  await engine.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[list.length >> 1]!;
}
