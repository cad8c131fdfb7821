// What a view costs: the same searches by somebody who may see all documents and under views that show 1 %, 10 % and 90 % of
// them, in one process, in turns, warm. A query counts by the median of its turns, a class by the median of its queries.
// npm run bench -- views [--documents 636660] [--corpus FILE --queries FILE] [--rounds 7] [--only CLASS,…] [--rewritten] [--keep FOLDER]
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createEngine, createRestApi, type IndexView, type RestRequest } from '@lockstitch/search';
import { fileDirectory } from '../../packages/search/src/directory/file.ts';

import { digits, printTable } from '../lib/table.ts';
import { corpusLines } from '../search/debian-index.ts';
import { type BenchQuery, readQueries } from '../search/queries.ts';

const { values: flags } = parseArgs({
  options: {
    documents: { type: 'string' },
    corpus: { type: 'string' },
    queries: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    rewritten: { type: 'boolean' },
    keep: { type: 'string' },
  },
});
if ((flags.corpus === undefined) !== (flags.queries === undefined)) throw new Error('Name the corpus and the queries.');
const DOCUMENTS = Number(flags.documents ?? 636_660);
const ROUNDS = Number(flags.rounds ?? 7);
/** Queries of a class. */
const QUERIES = 40;
/**
 * Milliseconds of passes over a class before it is measured. Meanwhile V8 compiles what is measured, and views get their copies: both start
 * again with each other, and 12 passes left common terms at 77 µs, which 60 passes brought to 51 and 200 to 47.
 */
const WARMING_TIME = 6000;
const WORDS = 20_000;

/** A generator of numbers in [0, 1). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** A word by its rank, common ones first: rank r comes up 1/r as often. Words near each other in rank are not alike. */
function word(random: () => number): string {
  const rank = Math.floor(Math.exp(random() * Math.log(WORDS)));
  return (Math.imul(rank, 0x9e3779b1) >>> 0).toString(36);
}

const SHARES: Readonly<Record<string, IndexView | undefined>> = {
  all: undefined,
  '1 %': { rows: { kind: 'term', field: '_policy.r0', term: '0' }, hidden: ['_policy'] },
  '10 %': { rows: { kind: 'terms', field: '_policy.r0', terms: range(0, 10) }, hidden: ['_policy'] },
  '90 %': { rows: { kind: 'terms', field: '_policy.r0', terms: range(0, 90) }, hidden: ['_policy'] },
};

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, at) => String(from + at));
}

type Make = (query: BenchQuery) => object;
const match = ({ terms }: BenchQuery, more: object = {}): object => ({
  query: { match: { text: { query: terms!.join(' '), ...more } } },
});
/** The class of queries in a query file, and the request that is made of one. */
const CLASSES: Readonly<Record<string, readonly [kind: string, make: Make, path?: string]>> = {
  'common term': ['term_common', match],
  'rare term': ['term_rare', match],
  'any of 2–4 words': ['or', match],
  'the same with two of the commonest': ['or_stop', match],
  'all of 2–3 words': ['and', (query) => match(query, { operator: 'and' })],
  'phrase of two': ['phrase', ({ terms }) => ({ query: { match_phrase: { text: terms!.join(' ') } } })],
  prefix: ['prefix', ({ prefix }) => ({ query: { prefix: { text: prefix } } })],
  'one edit': ['fuzzy', ({ term }) => ({ query: { fuzzy: { text: { value: term, fuzziness: 1 } } } })],
  'term and terms aggregation': [
    'agg',
    (query) => ({ ...match(query), size: 0, aggs: { tags: { terms: { field: 'tag' } } } }),
  ],
  'term, terms and statistics inside': [
    'agg',
    (query) => ({
      ...match(query),
      size: 0,
      aggs: { tags: { terms: { field: 'tag' }, aggs: { n: { stats: { field: 'n' } } } } },
    }),
  ],
  'sorted by a number': ['sort', (query) => ({ ...match(query), sort: [{ n: 'desc' }] })],
  'sorted by a keyword': ['sort', (query) => ({ ...match(query), sort: [{ tag: 'asc' }] })],
  'filtered by a range': [
    'or',
    (query) => ({ query: { bool: { must: [match(query)].map((each) => Object.values(each)[0]), filter: [RANGE] } } }),
  ],
  'every document': ['term_common', () => ({ query: { match_all: {} } })],
  '_count of any of 2–4 words': ['or', match, '/t/_count'],
  'exact total of any of 2–4 words': ['or', (query) => ({ ...match(query), track_total_hits: true })],
  'suggested words': [
    'fuzzy',
    ({ term }) => ({ size: 0, suggest: { s: { text: term, term: { field: 'text', suggest_mode: 'always' } } } }),
  ],
};
const RANGE = { range: { n: { gte: 1000, lt: 400_000 } } };

/** One document as it is written, without what rules read. */
interface Source {
  readonly text: string;
  readonly tag: string;
  readonly n: number;
}

function* madeUp(): Generator<Source> {
  const random = generator(7);
  for (let at = 0; at < DOCUMENTS; at++) {
    const text = Array.from({ length: 25 }, () => word(random)).join(' ');
    yield { text, tag: `t${Math.floor(random() * 50)}`, n: Math.floor(random() * 1e6) };
  }
}

function* read(corpus: string): Generator<Source> {
  for (const line of corpusLines(corpus)) {
    const { summary, description, section, installed_size } = JSON.parse(Buffer.from(line).toString()) as Readonly<
      Record<string, string>
    >;
    yield { text: `${summary}\n${description}`, tag: section!, n: Number(installed_size) };
  }
}

/** Queries over the made-up words, in the classes of a query file. */
function makeQueries(): ReadonlyMap<string, readonly BenchQuery[]> {
  const random = generator(99);
  const among = (from: number, to: number): string => {
    for (;;) {
      const rank = Math.floor(Math.exp(random() * Math.log(WORDS)));
      if (rank >= from && rank < to) return (Math.imul(rank, 0x9e3779b1) >>> 0).toString(36);
    }
  };
  const list = (make: () => BenchQuery): BenchQuery[] => Array.from({ length: QUERIES }, make);
  const words = (count: number): string[] => Array.from({ length: count }, () => among(3, WORDS));
  return new Map([
    ['term_common', list(() => ({ terms: [among(3, 300)] }))],
    ['term_rare', list(() => ({ terms: [among(3000, WORDS)] }))],
    ['or', list(() => ({ terms: words(2 + Math.floor(random() * 3)) }))],
    ['or_stop', list(() => ({ terms: [among(1, 2), ...words(2), among(2, 3)] }))],
    ['and', list(() => ({ terms: words(2 + Math.floor(random() * 2)) }))],
    ['phrase', list(() => ({ terms: [among(1, 100), among(1, 100)] }))],
    ['prefix', list(() => ({ prefix: among(3, WORDS).slice(0, 3) }))],
    ['fuzzy', list(() => ({ term: `${among(3, WORDS).slice(0, -1)}q` }))],
    ['agg', list(() => ({ terms: [among(3, 3000)] }))],
    ['sort', list(() => ({ terms: [among(3, 3000)] }))],
  ]);
}

const folder = flags.keep ?? mkdtempSync(join(tmpdir(), 'bench-views-'));
const filled = existsSync(folder) && existsSync(join(folder, 't'));
mkdirSync(folder, { recursive: true });
const engine = await createEngine({ directory: fileDirectory(folder), memoryBudget: 16 * 2 ** 30 });
const rest = createRestApi(engine);
const encoder = new TextEncoder();
async function ask(method: string, path: string, body: Uint8Array, view?: IndexView): Promise<number> {
  const request: RestRequest = {
    method,
    path,
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json' },
    body,
    ...(view === undefined ? {} : { view: () => view }),
  };
  const started = process.hrtime.bigint();
  const { status, body: answer } = await rest.handle(request);
  const took = Number(process.hrtime.bigint() - started) / 1000;
  if (status >= 300) throw new Error(answer);
  return took;
}
const bytes = (body: unknown): Uint8Array => encoder.encode(JSON.stringify(body));

/** Writes documents under their places as ids. */
async function write(documents: Iterable<readonly [number, Source]>): Promise<void> {
  const random = generator(11);
  let lines: string[] = [];
  for (const [id, source] of documents) {
    const r0 = String(Math.floor(random() * 100));
    lines.push(JSON.stringify({ index: { _index: 't', _id: String(id) } }));
    lines.push(JSON.stringify({ ...source, _policy: { r0 } }));
    if (lines.length < 2000) continue;
    await ask('POST', '/_bulk', encoder.encode(`${lines.join('\n')}\n`));
    lines = [];
  }
  if (lines.length > 0) await ask('POST', '/_bulk', encoder.encode(`${lines.join('\n')}\n`));
  await engine.index('t').refresh();
}

if (!filled) {
  const mappings = {
    properties: {
      text: { type: 'text' },
      tag: { type: 'keyword' },
      n: { type: 'long' },
      _policy: { properties: { r0: { type: 'keyword', doc_values: false } } },
    },
  };
  await ask('PUT', '/t', bytes({ settings: { refresh_interval: '-1' }, mappings }));
  const documents = [...(flags.corpus === undefined ? madeUp() : read(flags.corpus))].entries();
  await write(documents);
  await engine.index('t').commit();
}
if (flags.rewritten === true) {
  // A hundredth of the documents again, in no order: the index is not in the order of its keys any more.
  const random = generator(3);
  const total = engine.index('t').stats().docs;
  const again = new Set(Array.from({ length: total / 100 }, () => Math.floor(random() * total)));
  const all = flags.corpus === undefined ? madeUp() : read(flags.corpus);
  const documents = [...all]
    .entries()
    .filter(([at]) => again.has(at))
    .toArray();
  await write(documents.toReversed());
}

// Merges that are due end before anything is measured: they would share the processor and change the segments on the way.
await engine.index('t').forceMerge({ maxSegments: 1000 });
const queries = flags.queries === undefined ? makeQueries() : readQueries(flags.queries);
const only = flags.only?.split(',');
const { docs, segments } = engine.index('t').stats();
const rows: string[][] = [];
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
for (const [name, [kind, make, path = '/t/_search']] of Object.entries(CLASSES)) {
  if (only !== undefined && !only.some((each) => name.startsWith(each))) continue;
  const bodies = queries
    .get(kind)!
    .slice(0, QUERIES)
    .map((query) => bytes(make(query)));
  const times = new Map(Object.keys(SHARES).map((share) => [share, bodies.map((): number[] => [])]));
  const pass = async (share: string, measured: boolean): Promise<void> => {
    for (const [at, body] of bodies.entries()) {
      const time = await ask('POST', path, body, SHARES[share]);
      if (measured) times.get(share)![at]!.push(time);
    }
    // What the engine puts off to a turn of the event loop gets one.
    await nextTurn();
  };
  const started = performance.now();
  for (let round = 0; round < 2 || performance.now() - started < WARMING_TIME; round++) {
    for (const share of Object.keys(SHARES)) await pass(share, false);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const share of Object.keys(SHARES)) {
      // Twice: the first pass brings what it reads back into the processor's caches.
      await pass(share, false);
      await pass(share, true);
    }
  }
  const of = (share: string): number => median(times.get(share)!.map(median));
  const all = of('all');
  rows.push([name, digits(all), ...['1 %', '10 %', '90 %'].map((share) => (of(share) / all).toFixed(2))]);
  process.stderr.write(`${rows.at(-1)!.join('  ')}\n`);
}
printTable(
  `${docs} documents in ${segments} segments${flags.rewritten === true ? ', a hundredth written again' : ''}: µs of a search that sees all, and times that under views of`,
  ['class', 'all', '1 %', '10 %', '90 %'],
  rows,
);
await engine.close();
if (flags.keep === undefined) rmSync(folder, { recursive: true, force: true });
