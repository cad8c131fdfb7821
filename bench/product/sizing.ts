// What does an application of a given number of rows need? Disk, memory, time to start and to build, rates of requests.
// npm run bench -- sizing [ROWS,…] [WORDS]; default 10000,100000,1000000 rows of 25 words.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { digits, printTable } from '../lib/table.ts';

const [sizes = '10000,100000,1000000', words = '25'] = process.argv.slice(2);
const MAIN = fileURLToPath(new URL('../../packages/server/src/cli/main.ts', import.meta.url));
const AUTHORS = 1000;
/** As deploy/ sets them. */
const MEMORY_SETTINGS = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536', MALLOC_MMAP_THRESHOLD_: '65536' };

const SCHEMA = `
  scalar DateTime
  type Note @entity {
    id: ID!
    title: String! @search
    text: String! @search
    likes: Int! @search
    created: DateTime! @search
    author: Author!
  }
  type Author @entity { login: ID! @id @search  name: String @search  notes: [Note!]! }
  type Query { note(id: ID!): Note }
`;

/** Rows written by the seed of the application: words drawn by a generator that always draws the same. */
const SEED = `
  export default async ({ write }) => {
    let state = 1;
    const draw = (limit) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % limit;
    // The square makes some words common and most rare, as in texts.
    const word = () => 'w' + Math.floor((draw(65536) / 65536) ** 3 * 50000).toString(36);
    const text = (length) => Array.from({ length }, word).join(' ');
    await write('Author', Array.from({ length: ${AUTHORS} }, (_, at) => ({ login: 'a' + at, name: 'Author ' + at })));
    const rows = Number(process.env.ROWS);
    for (let from = 0; from < rows; from += 10000)
      await write('Note', Array.from({ length: Math.min(10000, rows - from) }, (_, at) => ({
        id: from + at + 1,
        title: text(4),
        text: text(${Number(words)}),
        likes: draw(1000),
        created: new Date(1.7e12 + (from + at) * 1000).toISOString(),
        author: 'a' + draw(${AUTHORS}),
      })));
  };
`;

interface Started {
  readonly url: string;
  /** Seconds until it serves. */
  readonly took: number;
  stop(): Promise<void>;
}

async function start(folder: string, rows: number): Promise<Started> {
  const began = performance.now();
  const flags = ['--conditions=source', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, MAIN, 'start', folder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...MEMORY_SETTINGS, ROWS: String(rows), LOCKSTITCH_USER_PASSWORD: 'bench' },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /(http:\S+)\/graphql/.exec(line)?.[1];
    if (url === undefined) continue;
    return {
      url,
      took: (performance.now() - began) / 1000,
      async stop() {
        child.kill();
        await once(child, 'exit');
      },
    };
  }
  throw new Error('The server did not start.');
}

const HEADERS = { authorization: `Basic ${btoa('user:bench')}`, 'content-type': 'application/json' };

async function metric(url: string, pattern: RegExp): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: HEADERS })).text();
  return [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
}

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
    writeFileSync(join(folder, 'schema.graphql'), SCHEMA);
    writeFileSync(join(folder, 'seed.mjs'), SEED);
    const config = { seed: './seed.mjs', csrf: { enabled: false }, console: false };
    writeFileSync(join(folder, 'lockstitch.config.mjs'), `export default ${JSON.stringify(config)};`);
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
