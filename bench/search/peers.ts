// The engine beside the libraries that Node projects search with: MiniSearch, Orama, FlexSearch and SQLite's FTS5, turn by turn on one
// machine. They rank by other formulas and index less (one text, no store, nothing durable); what is compared is the time to the
// first ten answers. The peers are installed on the first run into a folder that is not part of the project.
// npm run bench -- search-peers CORPUS QUERIES [--queries 10] [--rounds 5]
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { memoryDirectory } from '../../packages/search/src/directory/memory.ts';
import { digits, printTable } from '../lib/table.ts';
import { loadDebian, openDebian } from './debian-index.ts';
import { readCommandLine, readQueries, toSearch } from './queries.ts';

const { corpus, queryFile, flags } = readCommandLine({ queries: { type: 'string' }, rounds: { type: 'string' } });
const share = Number(flags.queries ?? 10);
const rounds = Number(flags.rounds ?? 5);
const NAMES = ['minisearch', 'orama', 'flexsearch', 'sqlite'];

const folder = fileURLToPath(new URL('peers', import.meta.url));
if (!existsSync(`${folder}/node_modules`)) {
  const { status } = spawnSync('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The peers could not be installed.');
}

interface Peer {
  readonly name: string;
  readonly child: ChildProcess;
  readonly docsPerSecond: number;
  /** Highest resident memory, MB. */
  readonly memory: number;
}

async function startPeer(name: string): Promise<Peer> {
  const child = fork(`${folder}/peer.mjs`, [name, corpus, queryFile, String(share)], {
    execArgv: ['--max-old-space-size=8192'],
  });
  const [ready] = (await once(child, 'message')) as [Pick<Peer, 'docsPerSecond' | 'memory'>];
  return { name, child, ...ready };
}

const classes = readQueries(queryFile);
const engine = await openDebian(memoryDirectory());
const started = performance.now();
const { index, docs } = await loadDebian(engine, corpus);
const own = docs / ((performance.now() - started) / 1000);
await index.commit();
const searcher = index.searcher();
const peers: Peer[] = [];
for (const name of NAMES) peers.push(await startPeer(name));

const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1]!;
const rows: (string | number)[][] = [];
for (const [kind, list] of classes) {
  const searches = list.slice(0, share).map((query) => toSearch(searcher, kind, query, undefined));
  const runOurs = (): number[] =>
    searches.map((search) => {
      const before = performance.now();
      search();
      return (performance.now() - before) * 1000;
    });
  // The engine is warmed as often as it takes to be compiled; the peers by a pass, which for them is hundreds of times the work.
  for (let pass = 0; pass < 200; pass++) runOurs();
  const ours: number[] = [];
  const theirs = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const { name, child } of peers) {
      child.send(kind);
      const [times] = (await once(child, 'message')) as [number[]];
      if (round > 0) theirs.set(name, [...(theirs.get(name) ?? []), ...times]);
    }
    runOurs();
    ours.push(...runOurs());
  }
  const base = median(ours);
  rows.push([
    kind,
    digits(base),
    ...peers.map(({ name }) => {
      const times = theirs.get(name) ?? [];
      return times.length === 0 ? '–' : digits(median(times) / base);
    }),
  ]);
}
printTable(
  `${docs} documents: median of ours in µs, and how many times as long the others take`,
  ['class', 'ours', ...NAMES],
  rows,
);
printTable(
  'Indexing, documents a second; highest memory of each process, MB',
  ['', 'ours', ...NAMES],
  [
    ['documents a second', ...[own, ...peers.map(({ docsPerSecond }) => docsPerSecond)].map(digits)],
    ['memory', Math.round(process.resourceUsage().maxRSS / 1024), ...peers.map(({ memory }) => memory)],
  ],
);
for (const { child } of peers) child.disconnect();
await engine.close();
