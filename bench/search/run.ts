// Measures the search engine on a corpus: indexing, opening, each class of queries, memory and disk; and compares hits and scores with
// a dump of another engine's answers where one is given.
// node --conditions=source bench/search/run.ts <corpus.jsonl> <queries.json> [--expect top10.tsv] [--rounds 20] [--merge] [--view <largest installed_size shown>]
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Collector } from '../../packages/search/src/collect/collector.ts';
import { fileDirectory } from '../../packages/search/src/directory/file.ts';
import type { Searcher, SearchRequest } from '../../packages/search/src/index/search-request.ts';
import type { Query } from '../../packages/search/src/query/query.ts';
import { loadDebian, openDebian } from './debian-index.ts';

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    expect: { type: 'string' },
    rounds: { type: 'string' },
    merge: { type: 'boolean' },
    view: { type: 'string' },
  },
});
const [corpus, queryFile] = positionals;
if (corpus === undefined || queryFile === undefined) throw new Error('Name the corpus and the queries.');
const rounds = Number(flags.rounds ?? 20);

interface BenchQuery {
  readonly terms?: readonly string[];
  readonly prefix?: string;
  readonly term?: string;
}

const term = (text: string): Query => ({ kind: 'term', field: 'body', term: text });

function toQuery(kind: string, { terms = [], prefix, term: near }: BenchQuery): Query {
  switch (kind) {
    case 'or':
    case 'or_stop':
      return { kind: 'boolean', should: terms.map(term) };
    case 'and':
      return { kind: 'boolean', must: terms.map(term) };
    case 'phrase':
      return { kind: 'phrase', field: 'body', terms: terms.map((text, position) => ({ position, terms: [text] })) };
    case 'prefix':
      return { kind: 'prefix', field: 'body', prefix: prefix! };
    case 'fuzzy':
      return { kind: 'fuzzy', field: 'body', term: near!, maxEdits: 1 };
    default:
      return term(terms[0]!);
  }
}

/** Counts the documents of each section: what a terms aggregation costs at least. */
function sections(): Collector {
  return {
    needsScores: false,
    segment(segment) {
      const column = segment.keyword('section');
      if (column === undefined) return undefined;
      const { ordinals, terms } = column;
      const counts = new Int32Array(terms.size + 1);
      return {
        collect(docs, count) {
          for (let i = 0; i < count; i++) counts[ordinals[docs[i]!]!]!++;
        },
      };
    },
  };
}

/** What the caller may see: packages up to a size, as a share of all. */
const view: Query | undefined =
  flags.view === undefined ? undefined : { kind: 'number_range', field: 'installed_size', to: Number(flags.view) };

function toRequest(kind: string, query: Query): () => SearchRequest {
  // 1,000 as Lucene's own default, which the expected figures were measured with.
  const base: SearchRequest = { query, trackTotalHits: 1000, view };
  if (kind === 'agg') return () => ({ ...base, collectors: [sections()] });
  if (kind === 'sort') {
    return () => ({ ...base, sort: [{ kind: 'field', field: 'installed_size', type: 'number', order: 'desc' }] });
  }
  return () => base;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-search-'));
const rss = (): number => Math.round(process.memoryUsage().rss / 2 ** 20);
try {
  let engine = await openDebian(fileDirectory(folder));
  const started = performance.now();
  const { index, docs } = await loadDebian(engine, corpus);
  const indexed = performance.now();
  if (flags.merge === true) await index.forceMerge();
  await index.commit();
  const committed = performance.now();
  const stats = index.stats();
  await engine.close();
  let disk = 0;
  for (const entry of readdirSync(folder, { recursive: true })) disk += statSync(join(folder, String(entry))).size;
  console.log(
    `indexed ${docs} documents at ${Math.round(docs / ((indexed - started) / 1000))}/s, commit ${Math.round(committed - indexed)} ms,`,
    `${stats.segments} segments, disk ${(disk / 1e6).toFixed(1)} MB, memory ${(stats.memoryBytes / 1e6).toFixed(1)} MB, RSS ${rss()} MB`,
  );
  const opening = performance.now();
  engine = await openDebian(fileDirectory(folder));
  console.log(`opened in ${Math.round(performance.now() - opening)} ms`);
  const searcher = engine.index('debian').searcher();

  if (view !== undefined) console.log(`the view shows ${searcher.docCount(view)} of ${searcher.docCount()} documents`);
  const classes = JSON.parse(readFileSync(queryFile, 'utf8')) as Record<string, BenchQuery[]>;
  if (flags.expect !== undefined) compare(searcher, readFileSync(flags.expect, 'utf8'));
  for (const [kind, list] of Object.entries(classes)) {
    const requests = list.map((query) => toRequest(kind, toQuery(kind, query)));
    const times = requests.map(() => [] as number[]);
    for (let round = 0; round < rounds; round++) {
      requests.forEach((request, i) => {
        const before = process.hrtime.bigint();
        searcher.search(request());
        const micros = Number(process.hrtime.bigint() - before) / 1000;
        if (round >= rounds / 2) times[i]!.push(micros);
      });
    }
    const medians = times.map((list) => list.sort((a, b) => a - b)[list.length >> 1]!).sort((a, b) => a - b);
    const at = (share: number): string =>
      medians[Math.min(medians.length - 1, Math.floor(share * medians.length))]!.toFixed(1);
    console.log(
      `${kind.padEnd(12)} median ${at(0.5).padStart(8)} µs   p90 ${at(0.9).padStart(8)}   p99 ${at(0.99).padStart(8)}`,
    );
  }
  console.log(`RSS ${rss()} MB`);
  await engine.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Compares hit counts, the first ten and their scores with a dump: class, query, hits, then name=score. */
function compare(searcher: Searcher, dump: string): void {
  let same = 0;
  let lines = 0;
  const shown: string[] = [];
  for (const line of dump.split('\n')) {
    if (line === '') continue;
    const [kind, text, hits, ...tops] = line.split('\t');
    const query = toQuery(kind!, { terms: text!.split(' '), prefix: text!, term: text! });
    const exact = searcher.search({ query, trackTotalHits: true });
    const pruned = searcher.search({ query, trackTotalHits: 1 });
    const print = (result: typeof exact): string =>
      result.hits.map((hit) => `${hit.id}=${printFloat(hit.score)}`).join('\t');
    const wanted = tops
      .map((top) => {
        const at = top.lastIndexOf('=');
        return `${top.slice(0, at)}=${printFloat(Number(top.slice(at + 1)))}`;
      })
      .join('\t');
    lines++;
    if (exact.total!.value === Number(hits) && print(exact) === wanted && print(pruned) === wanted) same++;
    else if (shown.length < 6)
      shown.push(
        `${kind} "${text}": ${exact.total!.value} hits, expected ${hits}\n  ours     ${print(exact).slice(0, 300)}\n  pruned   ${print(pruned).slice(0, 300)}\n  expected ${wanted.slice(0, 300)}`,
      );
  }
  console.log(`${same} of ${lines} answers equal to the bit`);
  for (const text of shown) console.log(text);
}

/** A float32 to the bit. */
function printFloat(value: number): string {
  return String(Math.fround(value));
}
