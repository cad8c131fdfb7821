// Measures what searches through the REST API cost a search cluster, and this process, in processor time, beside the cluster's own `match`
// on the same data: as it is; with the filter of a view that shows half of the documents; and with that filter and the order by score and
// key, which asks what our searches ask. Each query is asked in turn by every side, so that what else the machine does falls on all of
// them. Needs Linux, Java and Maven; without them it says so.
// npm run bench -- cluster CORPUS QUERIES [--engine opensearch-3.8] [--copies 1] [--rounds 7]
import { readdirSync, readFileSync } from 'node:fs';
import { createClusterApi } from '../../packages/search/src/cluster-api/cluster-api.ts';
import {
  clusterIndex,
  keyMembers,
  SCORE_MODES,
  type ScoreMode,
} from '../../packages/search/src/cluster/cluster-index.ts';
import { ORDER_FIELD } from '../../packages/search/src/query/cluster/leaves.ts';
import { codeOf, required } from '../../packages/kernel/src/index.ts';
import { ClusterClient } from '../../packages/server/src/cluster/cluster-client.ts';
import { ask } from '../../test/engines/cluster-worlds.ts';
import { startCluster } from '../../test/engines/cluster.ts';
import { ENGINES, install } from '../../test/engines/engines.ts';
import { digits, printTable } from '../lib/table.ts';
import { corpusLines } from './debian-index.ts';
import { type BenchQuery, readCommandLine, readQueries, textOf } from './queries.ts';

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

const MAPPINGS = {
  dynamic: 'strict',
  properties: { body: { type: 'text' }, section: { type: 'keyword' }, owner: { type: 'keyword' } },
};
/** With the key in the order of ties. */
const OWN = { dynamic: false, properties: { ...MAPPINGS.properties, [ORDER_FIELD]: { type: 'keyword' } } };
const ORDER = [{ _score: 'desc' }, { [ORDER_FIELD]: 'asc' }];
/** What the callers of our searches see. */
const OWNER = 'a';

/** Threads of a virtual machine that compile or collect. */
const ITS_OWN = /^(?:C[12] Compiler|GC |G1 |VM |Sweeper|Service Thread|Monitor|Common-Cleaner|Signal)/;
const threadNames = new Map<string, string>();

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
    await measure(cluster.url, required(cluster.nodes[0]?.pid, 'a node'), engine.name);
  } finally {
    await cluster.close();
  }
}

/** Indexes the corpus once with the cluster's own similarity and once by mode of scores, all in one segment. */
async function load(url: string): Promise<void> {
  const layout = { shards: 1, replicas: 0 };
  const settings = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: -1 };
  await ask(url, 'PUT /own', { settings, mappings: OWN });
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
      const source = JSON.stringify({ body: `${summary}\n${description}`, section, owner });
      batch.push(`{"index":{"_id":"${id}"}}\n{${keyMembers(id)},${source.slice(1)}\n`);
      if (batch.length === 2000) await send();
    }
  if (batch.length > 0) await send();
  for (const index of ['own', ...SCORE_MODES]) {
    await ask(url, `POST /${index}/_forcemerge?max_num_segments=1`);
    await ask(url, `POST /${index}/_refresh`);
  }
  process.stdout.write(`${at} documents\n`);
}

/** Sends the body of a search. */
type Send = (body: { readonly query: object }) => Promise<unknown>;

/** Our searches; statistics are known from the second time on. */
async function searchesOf(client: ClusterClient, mode: ScoreMode): Promise<Send> {
  const definition = { mappings: MAPPINGS };
  const info = { name: mode, alias: mode, definition, mode, position: 1 };
  const api = await createClusterApi({
    engine: 'opensearch',
    ask: (request) => client.request(request),
    indexes: () => [info],
  });
  const view = { rows: { kind: 'term', field: 'owner', term: OWNER } } as const;
  return async (body) => {
    const answer = await api.handle({
      method: 'POST',
      path: `/${mode}/_search`,
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
      view: () => view,
    });
    if (answer.status !== 200) throw new Error(answer.body);
  };
}

/** @param asked what is sent for a query */
function ownSearches(client: ClusterClient, asked: (query: object) => object): Send {
  return ({ query }) => client.json({ method: 'POST', path: '/own/_search', body: asked(query), isRepeatable: true });
}

function underView(query: object): object {
  return { bool: { must: [query], filter: [{ term: { owner: OWNER } }] } };
}

/** The query that all sides are asked. */
function bodyOf(kind: string, query: BenchQuery): { readonly query: object } {
  const text = textOf(query);
  if (kind === 'phrase') return { query: { match_phrase: { body: text } } };
  return { query: { match: { body: { query: text, operator: kind === 'and' ? 'and' : 'or' } } } };
}

async function measure(url: string, pid: number, title: string): Promise<void> {
  const classes = readQueries(queryFile);
  const client = new ClusterClient({ nodes: [url] });
  const sides = new Map<string, Send>([
    ['match', ownSearches(client, (query) => ({ query }))],
    ['filtered', ownSearches(client, (query) => ({ query: underView(query) }))],
    ['ordered', ownSearches(client, (query) => ({ query: underView(query), sort: ORDER }))],
    ...(await Promise.all(
      SCORE_MODES.map(async (mode): Promise<[string, Send]> => [mode, await searchesOf(client, mode)]),
    )),
  ]);
  const tables = { node: [] as string[][], own: [] as string[][] };
  for (const kind of KINDS) {
    const queries = (classes.get(kind) ?? []).slice(0, QUERIES).map((query) => bodyOf(kind, query));
    const taken = queries.map(
      () => new Map([...sides.keys()].map((name) => [name, { node: [] as number[], own: [] as number[] }])),
    );
    for (let round = -WARMING; round < rounds; round++)
      for (const [at, body] of queries.entries())
        for (const [name, send] of inTurn([...sides], round + WARMING + at)) {
          const [node, own] = [computedBy(pid), process.cpuUsage()];
          await send(body);
          const { system, user } = process.cpuUsage(own);
          if (round < 0) continue;
          const times = required(taken[at]?.get(name), name);
          times.node.push((computedBy(pid) - node) / 1e6);
          times.own.push((system + user) / 1e3);
        }
    for (const part of ['node', 'own'] as const) {
      const found = [...sides.keys()].map((name) =>
        mean(taken.map((each) => median(required(each.get(name), name)[part]))),
      );
      const [match = 0, , ordered = 0, ...ours] = found;
      const ratios = [match, ordered].flatMap((own) => ours.map((each) => digits(each / own)));
      tables[part].push([kind, ...found.map(digits), ...ratios]);
    }
  }
  client.close();
  const against = (side: string): string[] => SCORE_MODES.map((mode) => `${mode} / ${side}`);
  const head = ['class', ...sides.keys(), ...against('match'), ...against('ordered')];
  printTable(`${title}: milliseconds of the node's processor a search`, head, tables.node);
  printTable(`${title}: milliseconds of this process a search`, head, tables.own);
}

/** A list that starts at another of its members. */
function inTurn<T>(all: readonly T[], start: number): readonly T[] {
  const first = start % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

/** Nanoseconds that the node has computed for requests so far, which clocks do not tell on a machine that others share. */
function computedBy(pid: number): number {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const place = `/proc/${pid}/task/${thread}`;
    try {
      const name = threadNames.get(thread) ?? readFileSync(`${place}/comm`, 'utf8');
      threadNames.set(thread, name);
      if (!ITS_OWN.test(name)) sum += Number.parseInt(readFileSync(`${place}/schedstat`, 'utf8'), 10);
    } catch (error) {
      // A thread that has ended.
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ESRCH') throw error;
    }
  }
  return sum;
}

function median(numbers: readonly number[]): number {
  return required(numbers.toSorted((a, b) => a - b)[numbers.length >> 1], 'a number');
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
