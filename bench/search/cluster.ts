// Measures what scores that depend on visible documents alone cost a search cluster in processor time, beside the cluster's own `match` on the same data:
// without a filter, and with the filter of a view that shows half of the documents. Needs Java and Maven; without them it says so.
// npm run bench -- cluster CORPUS QUERIES [--engine opensearch-3.8] [--copies 1] [--rounds 7]
import { setTimeout as pause } from 'node:timers/promises';
import { ClusterSearcher } from '../../packages/search/src/cluster/cluster-search.ts';
import {
  clusterIndex,
  KEY_FIELD,
  SCORE_MODES,
  type ScoreMode,
} from '../../packages/search/src/cluster/cluster-index.ts';
import { createMapper } from '../../packages/search/src/mapping/create-mapper.ts';
import type { Query } from '../../packages/search/src/query/query.ts';
import { ask } from '../../test/engines/cluster-worlds.ts';
import { startCluster } from '../../test/engines/cluster.ts';
import { ENGINES, install } from '../../test/engines/engines.ts';
import { digits, printTable } from '../lib/table.ts';
import { corpusLines } from './debian-index.ts';
import { readCommandLine, readQueries, textOf, toQuery } from './queries.ts';

const { corpus, queryFile, flags } = readCommandLine({
  engine: { type: 'string' },
  copies: { type: 'string' },
  rounds: { type: 'string' },
});
const copies = Number(flags.copies ?? 1);
const rounds = Number(flags.rounds ?? 7);
/** Rounds that warm the machine, the caches and the statistics: what is compiled meanwhile would count. */
const WARMING = 6;
/** Queries of a class that are asked. */
const QUERIES = 60;
const KINDS = ['term_common', 'term_rare', 'and', 'or', 'or_stop', 'phrase'];

/** Milliseconds for which a node keeps its statistics. */
const STATISTICS_AGE = 1100;

const MAPPINGS = {
  dynamic: 'strict',
  properties: { body: { type: 'text' }, section: { type: 'keyword' }, owner: { type: 'keyword' } },
};
const ROWS: Query = { kind: 'term', field: 'owner', term: 'a' };

for (const engine of ENGINES) {
  if (flags.engine !== undefined && engine.name !== flags.engine) continue;
  const installed = install(engine);
  if (typeof installed === 'string') {
    process.stdout.write(`skipped: ${installed}\n`);
    continue;
  }
  const cluster = await startCluster(engine, installed, { heap: 1024 });
  try {
    await load(cluster.url);
    await measure(cluster.url, engine.name);
  } finally {
    await cluster.close();
  }
}

/** Indexes the corpus once with the cluster's own similarity and once by mode of scores, all in one segment. */
async function load(url: string): Promise<void> {
  const layout = { shards: 1, replicas: 0 };
  const own = { ...MAPPINGS.properties, [KEY_FIELD]: { type: 'keyword' } };
  const settings = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: -1 };
  await ask(url, 'PUT /own', { settings, mappings: { properties: own } });
  for (const mode of SCORE_MODES) await ask(url, `PUT /${mode}`, clusterIndex({ mappings: MAPPINGS }, mode, layout));
  let batch: string[] = [];
  let at = 0;
  const send = async (): Promise<void> => {
    for (const index of ['own', ...SCORE_MODES]) await ask(url, `POST /${index}/_bulk`, batch.join(''));
    batch = [];
  };
  for (let copy = 0; copy < copies; copy++)
    for (const line of corpusLines(corpus)) {
      const { description, section, summary } = JSON.parse(line.toString()) as Readonly<Record<string, string>>;
      const id = String(at++).padStart(9, '0');
      // Hidden and visible documents lie among each other.
      const owner = Math.imul(at, 0x9e3779b1) >>> 31 === 0 ? 'a' : 'b';
      const source = { body: `${summary}\n${description}`, section, owner, [KEY_FIELD]: id };
      batch.push(`{"index":{"_id":"${id}"}}\n${JSON.stringify(source)}\n`);
      if (batch.length === 2000) await send();
    }
  if (batch.length > 0) await send();
  for (const index of ['own', ...SCORE_MODES]) {
    await ask(url, `POST /${index}/_forcemerge?max_num_segments=1`);
    await ask(url, `POST /${index}/_refresh`);
  }
  process.stdout.write(`${at} documents\n`);
}

type Search = (kind: string, query: Parameters<typeof toQuery>[1]) => Promise<unknown>;

/** Our searches; their statistics are known from the second time on. */
function searchesOf(url: string, mode: ScoreMode): Search {
  const fields = createMapper({ mappings: MAPPINGS });
  const similarity = { k1: 1.2, b: 0.75, scaleByK1: true };
  const place = { fields, mode, similarity, view: { rows: ROWS } };
  const searcher = new ClusterSearcher((body) => ask(url, `POST /${mode}/_search`, body), place);
  return (kind, query) => searcher.search(toQuery(kind, query), { size: 10, trackTotalHits: 10_000 });
}

function ownSearches(url: string, isFiltered: boolean): Search {
  return (kind, query) => {
    const text = textOf(query);
    const own =
      kind === 'phrase'
        ? { match_phrase: { body: text } }
        : { match: { body: { query: text, operator: kind === 'and' ? 'and' : 'or' } } };
    const filtered = { bool: { must: [own], filter: [{ term: { owner: 'a' } }] } };
    const body = { query: isFiltered ? filtered : own, size: 10, _source: false };
    return ask(url, 'POST /own/_search', body);
  };
}

async function measure(url: string, title: string): Promise<void> {
  const classes = readQueries(queryFile);
  const sides: Readonly<Record<string, Search>> = {
    match: ownSearches(url, false),
    'match, filtered': ownSearches(url, true),
    fast: searchesOf(url, 'fast'),
    exact: searchesOf(url, 'exact'),
  };
  const rows: string[][] = [];
  for (const kind of KINDS) {
    const queries = (classes.get(kind) ?? []).slice(0, QUERIES);
    let before = await processorTime(url);
    const times = new Map<string, number[]>(Object.keys(sides).map((name) => [name, []]));
    for (let round = -WARMING; round < rounds; round++)
      for (const [name, search] of Object.entries(sides)) {
        for (const query of queries) await search(kind, query);
        const now = await processorTime(url);
        const taken = now - before;
        before = now;
        if (round >= 0) times.get(name)!.push(taken / queries.length);
      }
    const found = Object.keys(sides).map((name) => median(times.get(name)!));
    const filtered = found[1]!;
    rows.push([kind, ...found.map(digits), ...found.slice(2).map((each) => digits(each / filtered))]);
  }
  const head = ['class', 'match', 'filtered', 'fast', 'exact', 'fast / filtered', 'exact / filtered'];
  printTable(`${title}: milliseconds of processor a search`, head, rows);
}

/** Milliseconds that the node has computed so far, all threads. Clocks say little on a machine that others share. */
async function processorTime(url: string): Promise<number> {
  await pause(STATISTICS_AGE);
  const { nodes } = await ask(url, 'GET /_nodes/stats/process');
  const [node] = Object.values(nodes as Readonly<Record<string, NodeStats>>);
  return node!.process.cpu.total_in_millis;
}

interface NodeStats {
  readonly process: { readonly cpu: { readonly total_in_millis: number } };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}
