// What does an application of a given number of rows need? Disk, memory, time to start and to build, rates of requests.
// npm run bench -- sizing [ROWS,…] [WORDS]; default 10000,100000,1000000 rows of 25 words.
import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { digits, printTable } from '../lib/table.ts';
import { HEADERS, metric, start, writeApp } from './sized-app.ts';

const [sizes = '10000,100000,1000000', words = '25'] = process.argv.slice(2);
const RSS = /^process_resident_memory_bytes (\S+)$/gm;
const CPU = /^process_cpu_seconds_total (\S+)$/gm;

/** Milliseconds of processor of one search of two words with a facet, over 300 of them, each of other words. */
async function search(url: string): Promise<number> {
  const before = await metric(url, CPU);
  for (let at = 0; at < 300; at++) {
    const query = { match: { text: `w${(at * 37).toString(36)} w${(at * 101).toString(36)}` } };
    const body = JSON.stringify({ query, aggs: { authors: { terms: { field: 'author.login' } } } });
    const response = await fetch(`${url}/notes/_search`, { method: 'POST', headers: HEADERS, body });
    if (response.status !== 200) throw new Error(await response.text());
    await response.arrayBuffer();
  }
  return ((await metric(url, CPU)) - before) / 0.3;
}

function bytesOf(folder: string, pattern: string): number {
  return globSync(pattern, { cwd: folder }).reduce((sum, file) => {
    const found = statSync(join(folder, file));
    return found.isFile() ? sum + found.size : sum;
  }, 0);
}

const table: string[][] = [];
for (const rows of sizes.split(',').map(Number)) {
  const folder = mkdtempSync(join(tmpdir(), 'lockstitch-sizing-'));
  try {
    writeApp(folder, Number(words));
    const first = await start(folder, rows);
    const building = await metric(first.url, RSS);
    await first.stop();
    const data = join(folder, '.lockstitch');
    const database = bytesOf(data, 'data.sqlite*');
    const index = bytesOf(data, 'search/**/*');
    const second = await start(folder, rows);
    const idle = await metric(second.url, RSS);
    const each = await search(second.url);
    const busy = await metric(second.url, RSS);
    await second.stop();
    const mega = (bytes: number): string => digits(bytes / 1e6);
    table.push([
      rows.toLocaleString('en-US'),
      mega(database),
      mega(index),
      digits((database + index) / rows),
      digits(first.took),
      mega(building),
      digits(second.took),
      mega(idle),
      mega(busy),
      digits(each),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
printTable(
  `Rows of ${words} words on SQLite, each a document with its author`,
  [
    'rows',
    'database, MB',
    'index, MB',
    'bytes a row',
    'first start, s',
    'memory after it, MB',
    'start, s',
    'memory, MB',
    'after searches, MB',
    'ms of processor a search',
  ],
  table,
);
