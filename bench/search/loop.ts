// How long anything holds the event loop on a large corpus: the processor time that the main thread spends between two turns of the
// loop, while documents are written, segments are merged and committed, and for every kind of request at least one hard one is answered.
// Processor time and not the clock, so that the neighbours on the machine do not count.
// npm run bench -- search-loop CORPUS [--keep FOLDER] [--only TEXT] [--rounds 3]
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { digits, printTable } from '../lib/table.ts';
import { type HardRequest, hardRequests } from './hard-requests.ts';
import { encode, type LoopIndex, openLoopIndex } from './loop-index.ts';

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'string' }, only: { type: 'string' }, rounds: { type: 'string' } },
});
const [corpus] = positionals;
if (corpus === undefined) throw new Error('Name the corpus.');
const rounds = Number(flags.rounds ?? 3);

/** Milliseconds of processor time of this thread. */
function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

interface Watched {
  readonly millis: number;
  readonly turns: number;
  readonly longest: number;
  /** Milliseconds that so many of ten thousand turns took at most. */
  readonly at: (tenThousandth: number) => number;
}

/** Turns by their length in steps of 0.1 ms; the last place holds all longer ones. Made once, so that watching leaves no garbage. */
const lengths = new Int32Array(10_000);

/**
 * Watches the turns of the event loop while something runs. A timer that is always due marks where a turn ends; between the turns the
 * thread sleeps, whereby the system brings its clock of the thread up to date.
 */
async function watch(action: () => Promise<unknown>): Promise<Watched> {
  lengths.fill(0);
  let longest = 0;
  let turns = 0;
  await sleep(20);
  let before = spent();
  const look = (): void => {
    const now = spent();
    const held = now - before;
    before = now;
    turns++;
    lengths[Math.min(lengths.length - 1, Math.floor(held * 10))]!++;
    if (held > longest) longest = held;
  };
  const watching = setInterval(look, 1);
  const started = performance.now();
  await action();
  const millis = performance.now() - started;
  // What the answer leaves behind for the next turns counts, too.
  await sleep(5);
  clearInterval(watching);
  const own = lengths.slice();
  const all = turns;
  const at = (tenThousandth: number): number => {
    let left = (all * (10_000 - tenThousandth)) / 10_000;
    let place = own.length - 1;
    while (place > 0 && (left -= own[place]!) >= 0) place--;
    return (place + 1) / 10;
  };
  return { millis, turns: all, longest, at };
}

function row(name: string, { millis, turns, longest, at }: Watched): readonly (string | number)[] {
  return [name, digits(millis / 1000), turns, digits(at(9900)), digits(at(9999)), digits(longest)];
}

/** Every request alone, several times; the longest turn of the first time and of all later ones. */
async function runRequests(
  index: LoopIndex,
  requests: readonly HardRequest[],
): Promise<readonly (string | number)[][]> {
  const rows: (string | number)[][] = [];
  for (const { name, method = 'POST', path, body, view } of requests) {
    const encoded = encode(body);
    const longest: number[] = [];
    const millis: number[] = [];
    let refused = '';
    for (let round = 0; round < rounds; round++) {
      const watched = await watch(async () => {
        await index.call(method, path, encoded, view).catch((error: unknown) => {
          refused = /"type":"(\w+)/.exec(String(error))?.[1] ?? String(error);
        });
      });
      longest.push(watched.longest);
      millis.push(watched.millis);
    }
    const again = Math.max(0, ...longest.slice(1));
    rows.push([name, digits(longest[0]!), digits(again), digits(millis[0]!), digits(Math.min(...millis)), refused]);
  }
  return rows;
}

const folder = flags.keep ?? mkdtempSync(join(tmpdir(), 'bench-loop-'));
try {
  const made = existsSync(join(folder, 'packages'));
  let index!: LoopIndex;
  const opening = await watch(async () => {
    index = await openLoopIndex(folder, corpus);
  });
  const packages = index.engine.index('packages');
  const requests = hardRequests(packages).filter(({ name }) => flags.only === undefined || name.includes(flags.only));
  const asked = await runRequests(index, requests);
  printTable(
    'Every kind of request. Longest turn of the main thread, ms of processor: the first time and later; until the answer, ms: the first time and at best',
    ['request', 'first', 'later', 'answer', 'best', 'refused'],
    asked,
  );
  const rows = [row(made ? 'opening' : 'indexing, merging and commits', opening)];
  if (!made) {
    rows.push(row('merging everything', await watch(() => packages.forceMerge())));
    rows.push(row('commit of the merged', await watch(() => packages.commit())));
  }
  printTable(
    'Processor time between two turns of the event loop, ms',
    ['while', 'seconds', 'turns', 'p99', 'p99.99', 'longest'],
    rows,
  );
  index.rest.close();
  await index.engine.close();
} finally {
  if (flags.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
