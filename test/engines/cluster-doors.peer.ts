// The REST API over a search cluster beside the one of the embedded engine over the visible documents alone: equal to the byte, whatever
// hidden documents, histories and shards the cluster has.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createEngine, createRestApi, type Engine, type RestApi } from '@lockstitch/search';
import {
  type ClusterApi,
  type ClusterIndexInfo,
  clusterIndex,
  createClusterApi,
  keyMembers,
} from '@lockstitch/search/cluster';
import type { Json } from '../../packages/search/src/json/json.ts';
import { createRandom } from '../../packages/search/src/requests/index.ts';
import {
  comparable,
  DOCUMENTS,
  HIDDEN,
  knock,
  MAPPINGS,
  readPages,
  REQUESTS,
} from '../../packages/search/test/cluster/doors.ts';
import { startCluster } from './cluster.ts';
import {
  ask,
  MAPPINGS as WORLD_MAPPINGS,
  randomDocuments,
  VIEW,
  type WorldHistory,
  writeWorld,
} from './cluster-worlds.ts';
import { compareDoors } from './compare-doors.ts';
import { CHOSEN, install } from './engines.ts';

interface Recorded {
  readonly asked: string;
  readonly status: number;
  readonly text: string;
}

/** Changes what is asked. */
type Change = (body: Json, path: string) => Json;

interface Opened {
  readonly api: ClusterApi;
  /** What it asked. */
  readonly recorded: Recorded[];
}

/** The API over an index of a cluster. */
async function openApi(
  url: string,
  index: Pick<ClusterIndexInfo, 'name' | 'alias' | 'definition'>,
  change: Change = (body) => body,
): Promise<Opened> {
  const recorded: Recorded[] = [];
  const { version } = (await ask(url, 'GET /')) as { readonly version: Json };
  let position = 0;
  const api = await createClusterApi({
    engine: version['distribution'] === 'opensearch' ? 'opensearch' : 'elasticsearch',
    // Nothing is known from before: each request asks for all that it needs.
    indexes: () => [{ ...index, mode: 'exact', position: position++ }],
    async ask({ body, method, path }) {
      const text = body === undefined ? '' : JSON.stringify(change(body, path));
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url + path, { method, headers, ...(text === '' ? {} : { body: text }) });
      const bytes = Buffer.from(await response.arrayBuffer());
      recorded.push({ asked: `${method} ${path} ${text}`, status: response.status, text: bytes.toString() });
      return { status: response.status, body: bytes };
    },
  });
  return { api, recorded };
}

/** The embedded engine with documents by key. */
async function openEmbedded(
  name: string,
  mappings: object,
  documents: readonly (readonly [key: string, source: string])[],
): Promise<{ readonly rest: RestApi; readonly engine: Engine }> {
  const engine = await createEngine();
  const index = await engine.createIndex(name, { mappings, settings: { refreshInterval: -1 } });
  await index.apply(documents.map(([id, source]) => ({ kind: 'index', id, source: Buffer.from(source) })));
  await index.refresh();
  return { engine, rest: createRestApi(engine) };
}

/** Worlds of the same visible documents. */
const WORLDS: Readonly<Record<string, WorldHistory & { readonly hidden: number }>> = {
  plain: { shards: 1, deleted: 0, rewritten: false, merged: true, hidden: 400 },
  changed: { shards: 1, deleted: 80, rewritten: true, merged: false, hidden: 0 },
  sharded: { shards: 3, deleted: 20, rewritten: true, merged: false, hidden: 700 },
};
const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);
const CASES = Number(process.env['CASES'] ?? 100);

const withoutFilter = (body: Json): Json => ({ ...body, query: { match_all: {} } });
const isCount = ({ size }: Json): boolean => size === 0;

/** What would leak, if the product asked it: a change of its requests, and a search that shows it. */
const LEAKS: Readonly<Record<string, readonly [change: Change, search: Json]>> = {
  'hits of all documents': [
    (body) => (isCount(body) ? body : withoutFilter(body)),
    { query: { match: { title: 'fox' } } },
  ],
  'scores by statistics of all documents': [
    (body) => (isCount(body) ? withoutFilter(body) : body),
    { query: { match: { title: 'amber rare' } } },
  ],
  'totals of all documents': [withoutFilter, { size: 0, track_total_hits: true }],
  'equal scores in the order of the index': [(body) => ({ ...body, sort: ['_score'] }), { size: 20 }],
  'an aggregation of all documents': [
    ({ aggs, ...body }) => ({
      ...body,
      aggs: JSON.parse(
        JSON.stringify(aggs).replace(/"filter":\{"terms":\{[^}]*\}\}/, '"filter":{"match_all":{}}'),
      ) as Json,
    }),
    { size: 0, aggs: { all: { global: {}, aggs: { n: { value_count: { field: 'tag' } } } } } },
  ],
  'buckets without documents': [
    (body) => JSON.parse(JSON.stringify(body).replace('"min_doc_count":1', '"min_doc_count":0')) as Json,
    { size: 0, query: { term: { tag: 'red' } }, aggs: { tags: { terms: { field: 'tag', size: 100 } } } },
  ],
};

/** What random requests show of worlds, and planted leaks. */
async function checkWorlds(url: string, ownMembers: readonly string[]): Promise<void> {
  const definition = { mappings: WORLD_MAPPINGS };
  const openWorlds = async (change?: Change): Promise<readonly ClusterApi[]> => {
    const opened: ClusterApi[] = [];
    for (const name of Object.keys(WORLDS))
      opened.push((await openApi(url, { name: 'world', alias: `doors-${name}`, definition }, change)).api);
    return opened;
  };
  for (const [at, [name, { hidden, ...history }]] of Object.entries(WORLDS).entries()) {
    const documents = randomDocuments(createRandom(SEED), 300, { random: createRandom(SEED + 1 + at), count: hidden });
    await writeWorld(url, `doors-${name}`, documents, history, 'exact');
  }
  const visible = randomDocuments(createRandom(SEED), 300, { random: createRandom(0), count: 0 });
  const { engine, rest } = await openEmbedded(
    'world',
    WORLD_MAPPINGS,
    visible.map(({ id, source }) => [id, JSON.stringify(source)]),
  );
  const apis = await openWorlds();
  const embedded = { door: rest, ownMembers };
  const { asked, differences, leaks, refused } = await compareDoors(apis, embedded, createRandom(SEED), CASES);
  process.stdout.write(`from seed ${SEED}: ${asked} asked, ${refused} refused\n`);
  assert.deepEqual(leaks, []);
  assert.deepEqual(differences, []);
  assert.ok(asked >= CASES / 2, `only ${asked} requests were asked`);
  for (const [name, [change, search]] of Object.entries(LEAKS)) {
    const leaking = await openWorlds((body, path) => (path.includes('_search') ? change(body, path) : body));
    const answers = new Set<string>();
    for (const api of leaking)
      answers.add(comparable(await knock(api, ['POST /world/_search', search], { view: VIEW })));
    assert.notEqual(answers.size, 1, `not found: ${name}`);
    for (const api of leaking) await api.close();
  }
  for (const api of apis) await api.close();
  rest.close();
  await engine.close();
}

for (const engine of CHOSEN)
  test(`${engine.name} answers through the doors as the embedded engine does`, async (context) => {
    const installed = install(engine);
    if (typeof installed === 'string') return context.skip(installed);
    const cluster = await startCluster(engine, installed);
    context.after(() => cluster.close());
    const { url } = cluster;
    await ask(url, 'PUT /doors', clusterIndex({ mappings: MAPPINGS }, 'exact', { shards: 3, replicas: 0 }));
    const lines = Object.entries(DOCUMENTS).map(
      ([key, source]) => `{"index":{"_id":"${key}"}}\n{${keyMembers(key)},${source.slice(1)}\n`,
    );
    await ask(url, 'POST /doors/_bulk?refresh=true', lines.join(''));
    const { api, recorded } = await openApi(url, { name: 'w', alias: 'doors', definition: { mappings: MAPPINGS } });
    const visible = Object.entries(DOCUMENTS).filter(([id]) => id !== HIDDEN);
    const { engine: embedded, rest } = await openEmbedded('w', MAPPINGS, visible);
    for (const request of REQUESTS)
      assert.equal(comparable(await knock(api, request)), comparable(await knock(rest, request)));
    assert.deepEqual(await readPages(api, 'scroll'), await readPages(rest, 'scroll'));
    if (engine.name !== 'elasticsearch-7.10')
      assert.deepEqual(await readPages(api, 'pit'), await readPages(rest, 'pit'));
    if (process.env['RECORD'] !== undefined && engine.name === 'elasticsearch-7.10') record(recorded);
    await api.close();
    rest.close();
    await embedded.close();
    if (process.env['RECORD'] === undefined)
      await context.test(`whatever is hidden, from seed ${SEED}`, () => checkWorlds(url, engine.ownMembers));
  });

function record(recorded: readonly Recorded[]): void {
  // Pages of a scroll are asked for by equal requests; of others one is enough.
  const isPage = ({ asked }: Recorded): boolean => asked.startsWith('POST /_search/scroll');
  const known = new Map(recorded.map((each, at) => [isPage(each) ? at : each.asked, each]));
  const file = new URL('../../packages/search/test/cluster/recorded-answers.json', import.meta.url);
  writeFileSync(file, `${JSON.stringify([...known.values()], null, 2)}\n`);
}
