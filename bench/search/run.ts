// Measures the search engine on a corpus: indexing, opening, each class of queries, memory and disk; beside Lucene, turn by turn on
// the same machine, where its class path is given; and compares hits and scores with a dump of another engine's answers.
// npm run bench -- search CORPUS QUERIES [--lucene JARS] [--expect TOP10] [--rounds 15] [--loads 3] [--merge] [--view LARGEST_SIZE] [--only CLASS,…] [--keep FOLDER]
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fileDirectory } from '../../packages/search/src/directory/file.ts';
import type { Query } from '../../packages/search/src/query/query.ts';
import { digits, printTable } from '../lib/table.ts';
import { compareWithDump } from './compare.ts';
import { openDebian } from './debian-index.ts';
import { type Indexed, Lucene, writeFlat } from './lucene.ts';
import { readCommandLine, readQueries, textOf, toSearch } from './queries.ts';

const { corpus, queryFile, flags } = readCommandLine({
  lucene: { type: 'string' },
  expect: { type: 'string' },
  rounds: { type: 'string' },
  loads: { type: 'string' },
  merge: { type: 'boolean' },
  view: { type: 'string' },
  only: { type: 'string' },
  keep: { type: 'string' },
});
const rounds = Number(flags.rounds ?? 15);
/** How often each engine indexes the corpus, in turn: single loads lie up to a quarter apart on a machine that others share. */
const loads = Number(flags.loads ?? 3);
/** A Java machine warmed less than this is two to three times slower, and no fair peer. */
const WARMING_PASSES = 200;
/** But no longer than this for one class of one engine, in milliseconds. */
const WARMING_TIME = 6000;
/** Milliseconds of one engine's turn: its first pass, after the other had the processor's caches, does not count. */
const TURN = 20;

const folder = flags.keep ?? mkdtempSync(join(tmpdir(), 'bench-search-'));
const ours = join(folder, 'ours');
const theirs = join(folder, 'lucene');
const queryLines = join(folder, 'queries.tsv');
try {
  const classes = readQueries(queryFile);
  const only = flags.only?.split(',');
  const kinds = [...classes.keys()].filter((kind) => only === undefined || only.includes(kind));
  await index(corpus);
  await query(classes, kinds);
} finally {
  if (flags.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

/** Indexes the corpus with both engines, unless a kept folder holds it already. */
async function index(file: string): Promise<void> {
  if (existsSync(ours)) return;
  mkdirSync(ours, { recursive: true });
  const program = fileURLToPath(new URL('index-corpus.ts', import.meta.url));
  const load = (...args: readonly string[]): Indexed =>
    JSON.parse(
      execFileSync(process.execPath, ['--conditions=source', program, file, ...args], { encoding: 'utf8' }),
    ) as Indexed;
  // The first start after a change of the sources compiles them, in each thread.
  load(join(folder, 'first'), '-', '20000');
  rmSync(join(folder, 'first'), { recursive: true });
  let lucene: string | undefined;
  if (flags.lucene !== undefined) writeFlat(file, (lucene = join(folder, 'corpus.flat')));
  const own: Indexed[] = [];
  const other: Indexed[] = [];
  for (let round = 0; round < loads; round++) {
    rmSync(ours, { recursive: true });
    own.push(load(ours, ...(flags.merge === true ? ['merge'] : [])));
    if (lucene === undefined) continue;
    rmSync(theirs, { recursive: true, force: true });
    const machine = new Lucene(flags.lucene!);
    other.push(await machine.index(lucene, theirs));
    await machine.close();
  }
  if (lucene !== undefined) rmSync(lucene);
  const row = (name: string, pick: (from: Indexed) => number): (string | number)[] => {
    const ratios = other.map((each, round) => pick(own[round]!) / pick(each)).sort((a, b) => a - b);
    const ofLucene = [digits(median(other.map(pick))), digits(median(ratios)), ratios.map(digits).join(' ')];
    return [name, digits(median(own.map(pick))), ...(lucene === undefined ? [] : ofLucene)];
  };
  printTable(
    `Indexing ${own[0]!.docs} documents, medians of ${loads} loads`,
    ['', 'ours', ...(lucene === undefined ? [] : ['Lucene', 'ours ÷ Lucene', 'of each load'])],
    [
      row('documents a second', ({ docs, seconds }) => docs / seconds),
      row('documents a second of processor', ({ docs, processor }) => docs / processor),
      row('disk, MB', ({ bytes }) => bytes / 1e6),
      row('highest memory, MB', ({ memory }) => memory),
    ],
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

async function query(classes: ReturnType<typeof readQueries>, kinds: readonly string[]): Promise<void> {
  writeFileSync(
    queryLines,
    kinds.flatMap((kind) => classes.get(kind)!.map((each) => `${kind}\t${textOf(each)}\n`)).join(''),
  );
  const opening = performance.now();
  const engine = await openDebian(fileDirectory(ours));
  const opened = performance.now() - opening;
  const searcher = engine.index('debian').searcher();
  const lucene = flags.lucene === undefined ? undefined : new Lucene(flags.lucene);
  const other = await lucene?.open(theirs, queryLines);
  process.stdout.write(
    `\nopened in ${Math.round(opened)} ms; ${searcher.segments.length} segments${other === undefined ? '' : `, Lucene ${other.segments}`}\n`,
  );
  // What the caller may see: packages up to a size, as a share of all.
  const view: Query | undefined =
    flags.view === undefined ? undefined : { kind: 'number_range', field: 'installed_size', to: Number(flags.view) };
  if (view !== undefined)
    process.stdout.write(`the view shows ${searcher.docCount(view)} of ${searcher.docCount()} documents\n`);
  const measured = kinds.map((kind) => {
    const searches = classes.get(kind)!.map((each) => toSearch(searcher, kind, each, view));
    const turn = (passes: number): number[] => {
      const times: number[] = [];
      for (let pass = 0; pass < passes; pass++) {
        for (const search of searches) {
          const before = process.hrtime.bigint();
          search();
          if (pass > 0 || passes === 1) times.push(Number(process.hrtime.bigint() - before) / 1000);
        }
      }
      return times;
    };
    return { kind, turn, passes: 2, own: searches.map((): number[] => []), other: searches.map((): number[] => []) };
  });
  for (const each of measured) {
    const took = await warm(() => Promise.resolve(each.turn(1)));
    if (lucene !== undefined) await warm(() => lucene.turn(each.kind, 1));
    each.passes = Math.max(2, Math.min(9, Math.ceil(TURN / took)));
  }
  for (let round = 0; round < rounds; round++) {
    for (const { kind, turn, passes, own, other } of measured) {
      if (lucene !== undefined)
        (await lucene.turn(kind, passes)).forEach((time, i) => other[i % other.length]!.push(time));
      turn(passes).forEach((time, i) => own[i % own.length]!.push(time));
    }
  }
  const numbers = (lists: readonly (readonly number[])[]): readonly number[] => {
    const medians = lists.map(median).sort((a, b) => a - b);
    const at = (share: number): number => medians[Math.min(medians.length - 1, Math.floor(share * medians.length))]!;
    return [at(0.5), at(0.99), medians.reduce((sum, value) => sum + value, 0) / medians.length];
  };
  const rows = measured.map(({ kind, own, other }) => {
    const mine = numbers(own);
    if (lucene === undefined) return [kind, ...mine.map(digits)];
    const yours = numbers(other);
    return [kind, ...mine.map(digits), ...yours.map(digits), ...mine.map((value, i) => (value / yours[i]!).toFixed(2))];
  });
  const columns = ['median', 'p99', 'mean'];
  printTable(
    'Queries, µs; each query counts by the median of its rounds',
    [
      'class',
      ...columns,
      ...(lucene === undefined
        ? []
        : [...columns.map((name) => `Lucene ${name}`), ...columns.map((name) => `÷ ${name}`)]),
    ],
    rows,
  );
  const highest = Math.round(process.resourceUsage().maxRSS / 1024);
  const lucenes = await lucene?.memory();
  process.stdout.write(
    `\nhighest memory with queries ${highest} MB${lucenes === undefined ? '' : `, Lucene ${lucenes} MB, ratio ${digits(highest / lucenes)}`}\n`,
  );
  await lucene?.close();
  if (flags.expect !== undefined) compareWithDump(searcher, readFileSync(flags.expect, 'utf8'));
  await engine.close();
}

/** Warms up; answers the milliseconds of the last pass. */
async function warm(pass: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  let before = started;
  let took = 0;
  for (let i = 0; i < WARMING_PASSES && before - started < WARMING_TIME; i++) {
    await pass();
    // What the engine puts off to a turn of the event loop gets one.
    await nextTurn();
    const now = performance.now();
    took = now - before;
    before = now;
  }
  return took;
}
