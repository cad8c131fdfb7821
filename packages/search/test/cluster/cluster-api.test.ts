// The REST API over a search cluster, whose answers were recorded from Elasticsearch 7.10 and come over HTTP.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { after, before, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createEngine, createRestApi, type Engine, type RestApi } from '@lockstitch/search';
import { type ClusterApi, createClusterApi, keyMembers } from '@lockstitch/search/cluster';
import { OutageLog } from '../../src/cluster/outage-log.ts';
import type { AskCluster } from '../../src/cluster/whole-answer.ts';
import { OpenScrolls } from '../../src/cluster-api/open-scrolls.ts';
import type { SearchTarget } from '../../src/fetch/target.ts';
import type { Json } from '../../src/json/json.ts';
import { yieldTurn } from '../../src/tasks/event-loop-queue.ts';
import { comparable, DOCUMENTS, HIDDEN, knock, MAPPINGS, readPages, REQUESTS } from './doors.ts';

interface Recorded {
  readonly asked: string;
  readonly status: number;
  readonly text: string;
}

const RECORDED = JSON.parse(
  readFileSync(new URL('recorded-answers.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

/** What the cluster does instead of answering as recorded. */
let fault: ((text: string) => { readonly status: number; readonly text: string } | 'hang up') | undefined;
let asked = 0;
/** The bodies of what was asked last. */
let bodies: string[] = [];
let logged = '';
let turn = 0;
const closed = Promise.withResolvers<string>();
let server: Server;
let url: string;
let api: ClusterApi;
let engine: Engine;
let embedded: RestApi;
let position = 0;

const ask: AskCluster = async ({ body, method, path }) => {
  const response = await fetch(url + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
};

before(async () => {
  server = createServer((request, response) => {
    asked++;
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      bodies = [...bodies.slice(-9), body];
      const all = RECORDED.filter((each) => each.asked === `${request.method} ${request.url} ${body}`);
      if (request.method === 'DELETE') closed.resolve(body);
      // The pages of a scroll are asked for by equal requests.
      const found = all.length > 1 ? all[turn++] : all[0];
      const recorded = { status: found?.status ?? 500, text: found?.text ?? '{"error":"never recorded"}' };
      const sent = fault?.(recorded.text) ?? recorded;
      if (sent === 'hang up') response.destroy();
      else response.writeHead(sent.status).end(sent.text);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const definition = { mappings: MAPPINGS };
  api = await createClusterApi({
    ask,
    log: { write: (...line) => (logged += JSON.stringify(line)) },
    engine: 'elasticsearch',
    indexes: () => [{ name: 'w', alias: 'doors', definition, mode: 'exact', position }],
  });
  engine = await createEngine();
  const index = await engine.createIndex('w', { mappings: MAPPINGS, settings: { refreshInterval: -1 } });
  const visible = Object.entries(DOCUMENTS).filter(([id]) => id !== HIDDEN);
  await index.apply(visible.map(([id, source]) => ({ kind: 'index', id, source: Buffer.from(source) })));
  await index.refresh();
  embedded = createRestApi(engine);
});

after(async () => {
  await api.close();
  embedded.close();
  await engine.close();
  server.close();
});

for (const request of REQUESTS)
  test(`the answer is that of the embedded engine over the visible documents: ${JSON.stringify(request)}`, async () => {
    asked = 0;
    position++;
    assert.equal(comparable(await knock(api, request)), comparable(await knock(embedded, request)));
    assert.ok(asked <= 2 * (request[0].includes('msearch') ? 2 : 1), `the cluster was asked ${asked} times`);
  });

test('a scroll goes on for its caller alone, and is closed on the cluster', async () => {
  assert.deepEqual(await readPages(api, 'scroll'), await readPages(embedded, 'scroll'));
  assert.match(await closed.promise, /^\{"scroll_id":\["[^"]+"\]\}$/);
});

test('a histogram of too many empty buckets is refused before the cluster makes them', async (context) => {
  const ends = { doc_count: 4, min: { value: 1767225600000 }, max: { value: 1798761600000 } };
  fault = () => ({
    status: 200,
    text: JSON.stringify({ timed_out: false, _shards: { failed: 0 }, hits: { hits: [] }, aggregations: { 0: ends } }),
  });
  context.after(() => (fault = undefined));
  const histogram = { date_histogram: { field: 'at', fixed_interval: '1s' } };
  for (const aggs of [{ a: histogram }, { t: { terms: { field: 'tag' }, aggs: { a: histogram } } }]) {
    asked = 0;
    const { body, status } = await knock(api, ['POST /w/_search', { size: 0, aggs }]);
    assert.equal(status, 400);
    assert.match(body, /too_many_buckets_exception.*Must be less than or equal to: \[65535\] but was \[100001\]/);
    assert.equal(asked, 1);
  }
});

test('a search that is refused asks the cluster nothing', async () => {
  const query = { span_first: { match: { span_term: { tag: 'rare' } }, end: 2 } };
  const aggs = { a: { date_histogram: { field: 'at', fixed_interval: '1s' } } };
  for (const search of [{ query }, { post_filter: query }, { post_filter: query, query: { match_all: {} } }]) {
    asked = 0;
    const { body, status } = await knock(api, ['POST /w/_search', { ...search, size: 0, aggs }]);
    assert.equal(status, 400);
    assert.match(body, /cannot be asked of a search cluster/);
    assert.equal(asked, 0);
  }
});

const lengths = (min: number, max: number) => () => {
  const aggregations = { 0: { doc_count: 4, min: { value: min }, max: { value: max } } };
  const rest = { timed_out: false, _shards: { failed: 0 }, hits: { hits: [] } };
  return { status: 200, text: JSON.stringify({ ...rest, aggregations }) };
};

test('the bounds of a histogram count for its buckets: extended ones add some, hard ones leave some out', async (context) => {
  context.after(() => (fault = undefined));
  const dates = { date_histogram: { field: 'at', fixed_interval: '1m' } };
  const days = { min: '2026-01-01', max: '2026-01-02' };
  const far = { histogram: { field: 'views', interval: 1, extended_bounds: { min: 1e9, max: 1e9 } } };
  for (const [ends, histogram, status] of [
    [[0, 0], { date_histogram: { ...dates.date_histogram, extended_bounds: days } }, 400],
    [[0, 0], far, 400],
    [[0, 1e12], { date_histogram: { ...dates.date_histogram, hard_bounds: days } }, 200],
  ] as const) {
    fault = lengths(ends[0], ends[1]);
    asked = 0;
    const found = await knock(api, ['POST /w/_search', { size: 0, aggs: { a: histogram } }]);
    assert.equal(found.status, status, found.body);
    assert.equal(/too_many_buckets_exception/.test(found.body), status === 400);
    assert.equal(asked, status === 400 ? 1 : 2);
  }
});

test('a histogram beside hits has room for its buckets where the documents that are found have it', async (context) => {
  fault = lengths(0, 0);
  context.after(() => (fault = undefined));
  const aggs = { h: { histogram: { field: 'views', interval: 1 } } };
  await knock(api, ['POST /w/_search', { query: { constant_score: { filter: { term: { tag: 'rare' } } } }, aggs }]);
  const [check] = bodies.slice(-2);
  assert.match(check!, /"aggs":\{"0":\{"filter":\{"bool":\{"filter":\[.{0,80}"rare"/);
});

test('buckets that the cluster finds too many are that error, not one of a cluster that is away', async (context) => {
  const caused_by = { type: 'too_many_buckets_exception', reason: 'secret', max_buckets: 10_000 };
  const text = JSON.stringify({ error: { type: 'search_phase_execution_exception', root_cause: [], caused_by } });
  fault = () => ({ status: 503, text });
  context.after(() => (fault = undefined));
  const aggs = { a: { terms: { field: 'tag' } } };
  const { body, status } = await knock(api, ['POST /w/_search', { size: 0, aggs }]);
  assert.equal(status, 400);
  assert.match(body, /too_many_buckets_exception.*Must be less than or equal to: \[10000\]/);
  assert.doesNotMatch(body, /secret/);
});

test('the log names the errors of shards by their types, without words that may quote documents', async (context) => {
  const reason = { type: 'script_exception', reason: 'secret words of s3' };
  fault = () => ({
    status: 200,
    text: JSON.stringify({ _shards: { total: 2, failed: 1, failures: [{ shard: 0, reason }] } }),
  });
  context.after(() => (fault = undefined));
  logged = '';
  assert.equal((await knock(api, ['GET /w/_count'])).status, 503);
  assert.match(logged, /"total":2,"failed":1,"types":\["script_exception"\]/);
  assert.doesNotMatch(logged, /s3/);
});

/** An API over two indexes on a cluster, and what the cluster is asked. */
async function several(
  context: TestContext,
  {
    answer,
    indexes = ['w', 'v'],
  }: { readonly answer: (path: string, body: Json) => unknown; readonly indexes?: readonly string[] },
): Promise<{ readonly api: ClusterApi; readonly paths: string[] }> {
  const paths: string[] = [];
  const definition = { mappings: MAPPINGS };
  const over = await createClusterApi({
    engine: 'elasticsearch',
    // No scroll ends here, however slow the machine is.
    clock: { now: () => 0 },
    indexes: () => indexes.map((name) => ({ name, alias: `on-${name}`, definition, mode: 'exact', position: 0 })),
    ask: ({ body = {}, method, path }) => {
      paths.push(`${method} ${path.split('?')[0]} ${JSON.stringify(body['scroll_id'] ?? '')}`);
      const answered = answer(path, body);
      const text = JSON.stringify(answered ?? {});
      return Promise.resolve({ status: answered === undefined ? 503 : 200, body: Buffer.from(text) });
    },
  });
  context.after(() => over.close());
  return { api: over, paths };
}

/** Documents of a page of a scroll: their prices, and what fills them. */
function pageOf(scroll: string, prices: readonly number[], title = ''): unknown {
  const hits = prices.map((price) => ({
    _id: `${scroll}${price}`,
    _score: null,
    _source: { ...(JSON.parse(`{${keyMembers(`${scroll}${price}`)}}`) as Json), price, title, owner: 'ann' },
    sort: [price],
  }));
  const rest = { timed_out: false, _shards: { failed: 0 }, _scroll_id: scroll };
  return { ...rest, hits: { total: { value: 9, relation: 'eq' }, max_score: null, hits } };
}

const SCROLL = { size: 2, sort: ['price'] };
const NO_FIELDS = { mappings: {} };

test('scrolls that were opened are closed where another index fails', async (context) => {
  const { api: over, paths } = await several(context, {
    answer: (path) => (path.includes('on-w') ? pageOf('SW', [1, 2]) : path.includes('on-v') ? undefined : {}),
  });
  assert.equal((await knock(over, ['POST /w,v/_search?scroll=1m', SCROLL])).status, 503);
  assert.ok(paths.includes('DELETE /_search/scroll ["SW"]'), paths.join('\n'));
});

test('a scroll over several indices goes on in each before its time is over', async (context) => {
  let next = 3;
  const { api: over, paths } = await several(context, {
    answer(path, body) {
      if (path.includes('on-w')) return pageOf('SW', [1, 2]);
      if (path.includes('on-v')) return pageOf('SV', [1000, 1001]);
      return body['scroll_id'] === 'SW' ? pageOf('SW', [next++, next++]) : pageOf('SV', [1002, 1003]);
    },
  });
  const first = await knock(over, ['POST /w,v/_search?scroll=40ms', SCROLL]);
  const { _scroll_id: id } = JSON.parse(first.body) as { readonly _scroll_id: string };
  const asksOfV = (): number => paths.filter((path) => path === 'POST /_search/scroll "SV"').length;
  await knock(over, ['POST /_search/scroll', { scroll_id: id, scroll: '10m' }]);
  await pause(25);
  await knock(over, ['POST /_search/scroll', { scroll_id: id, scroll: '10m' }]);
  assert.equal(asksOfV(), 1);
  await knock(over, ['POST /_search/scroll', { scroll_id: id, scroll: '10m' }]);
  assert.equal(asksOfV(), 1);
});

test('hits that wait in open scrolls have a limit for each caller and for all', () => {
  const scrolls = new OpenScrolls(1000);
  const open = (caller: string, length: number): void => {
    const targets: readonly SearchTarget[] = [];
    const hit = { document: { key: 'k', source: 'x'.repeat(length) }, score: Number.NaN };
    const part = { id: 's', total: undefined, maxScore: 0, renewAt: 0 };
    scrolls.add(
      targets,
      [
        { ...part, rest: [hit, hit] },
        { ...part, rest: [] },
      ],
      caller,
    );
    try {
      scrolls.advance(targets, [1, 0]);
    } catch (error) {
      scrolls.delete(targets);
      throw error;
    }
  };
  const tooMany = { code: 'SEARCH_TOO_MANY_REQUESTS', status: 429 };
  assert.throws(() => open('ann', 201), tooMany);
  open('ann', 150);
  assert.throws(() => open('ann', 51), tooMany);
  for (const caller of ['bob', 'cyd', 'dan', 'eve']) open(caller, 200);
  assert.throws(() => open('fay', 51), tooMany);
  open('fay', 50);
});

test('an index whose definition is broken is a 503 until it is a good one, and others are answered', async (context) => {
  let type = 'nothing';
  const definitions = new Map<string, { readonly mappings: Json }>();
  const definitionOf = (own: string): { readonly mappings: Json } => {
    const found = definitions.get(own) ?? {
      mappings: { properties: { owner: { type: 'keyword' }, a: { type: own } } },
    };
    definitions.set(own, found);
    return found;
  };
  const lines: string[] = [];
  const over = await createClusterApi({
    engine: 'elasticsearch',
    log: { write: (level, message) => void lines.push(`${level} ${message}`) },
    indexes: () =>
      [
        { name: 'v', own: type },
        { name: 'w', own: 'keyword' },
      ].map(({ name, own }) => ({
        name,
        alias: name,
        definition: definitionOf(own),
        mode: 'exact' as const,
        position: 0,
      })),
    ask: () => Promise.resolve({ status: 200, body: Buffer.from(JSON.stringify(pageOf('S', []))) }),
  });
  context.after(() => over.close());
  const statuses = async (): Promise<readonly number[]> =>
    await Promise.all(
      ['GET /v/_count', 'GET /w/_count', 'GET /_count', 'GET /v/_doc/1'].map(
        async (target) => (await knock(over, [target])).status,
      ),
    );
  assert.deepEqual(await statuses(), [503, 200, 503, 503]);
  assert.deepEqual(await statuses(), [503, 200, 503, 503]);
  assert.equal(lines.length, 1);
  // Each request tries to make it again. On a busy event loop the others run meanwhile, and find it all the same.
  const answered = new AbortController();
  const work = async (): Promise<void> => {
    while (!answered.signal.aborted) await yieldTurn();
  };
  const working = Promise.all([work(), work()]);
  const counts = await Promise.all(Array.from({ length: 8 }, () => knock(over, ['GET /_count'])));
  answered.abort();
  await working;
  assert.deepEqual(
    counts.map(({ status }) => status),
    counts.map(() => 503),
  );
  type = 'keyword';
  assert.deepEqual(await statuses(), [200, 200, 200, 404]);
});

test('an index that is not on the cluster is a 503 that names it, asked for alone or with others', async (context) => {
  const paths: string[] = [];
  const lines: string[] = [];
  const over = await createClusterApi({
    engine: 'elasticsearch',
    log: { write: (level, message) => void lines.push(`${level} ${message}`) },
    indexes: () =>
      ['v', 'w'].map((name) => ({
        name,
        alias: name === 'v' ? undefined : 'on-w',
        definition: NO_FIELDS,
        mode: 'exact' as const,
        position: 0,
      })),
    ask: ({ path }) => {
      paths.push(path);
      return Promise.resolve({ status: 200, body: Buffer.from(JSON.stringify(pageOf('S', []))) });
    },
  });
  context.after(() => over.close());
  for (const target of ['GET /v/_search', 'GET /v,w/_count', 'GET /v/_doc/1', 'POST /v/_search?scroll=1m']) {
    const { body, status } = await knock(over, [target]);
    assert.equal(status, 503, target);
    assert.match(body, /the index \[v\] is not there/, target);
  }
  assert.equal((await knock(over, ['GET /w/_count'])).status, 200);
  assert.ok(paths.every((path) => path.startsWith('/on-w/')));
  assert.deepEqual(lines, []);
});

test('an outage of the cluster is a line of the log at its begin, for each new reason, and at its end', () => {
  const lines: unknown[] = [];
  let now = 0;
  const outage = new OutageLog({ write: (level, _, facts) => void lines.push([level, facts]) }, () => now);
  const failure = (reason: string) => ({ method: 'POST', path: '/w/_search', reason, error: 'none' });
  for (let search = 0; search < 400; search++, now += 100) outage.failed(failure('it cannot be reached'));
  outage.answered();
  outage.failed(failure('it is busy'));
  outage.failed(failure('it cannot be reached'));
  now += 5000;
  outage.answered();
  outage.answered();
  outage.failed(failure('it is busy'));
  assert.deepEqual(lines, [
    ['warn', failure('it cannot be reached')],
    ['warn', failure('it is busy')],
    ['info', { failed: 402, seconds: 40 }],
    ['warn', failure('it is busy')],
  ]);
});

test('documents are asked for by the names that the endpoint reads', async (context) => {
  fault = () => ({ status: 200, text: '{"timed_out":false,"_shards":{"failed":0},"hits":{"hits":[]}}' });
  context.after(() => (fault = undefined));
  for (const [path, body, id] of [
    ['/_mget', { docs: [{ _index: '<w>', _id: '1' }] }, '1'],
    ['/w/_mget', { ids: [true] }, 'true'],
  ] as const) {
    asked = 0;
    const found = await knock(api, [`POST ${path}`, body]);
    assert.deepEqual(JSON.parse(found.body), { docs: [{ _index: 'w', _type: '_doc', _id: id, found: false }] });
    assert.equal(asked, 1);
    assert.ok(bodies.at(-1)!.includes(`"${id}"`));
  }
});

test('a search whose statistics are known is one request, until the data changes', async () => {
  const counts: number[] = [];
  for (const change of [1, 0, 0, 1]) {
    position += change;
    asked = 0;
    await knock(api, REQUESTS[0]!);
    counts.push(asked);
  }
  assert.deepEqual(counts, [2, 1, 1, 2]);
});

const FAULTS: Readonly<Record<string, NonNullable<typeof fault>>> = {
  'a shard failed': (text) => ({ status: 200, text: text.replace('"failed":0', '"failed":1') }),
  'it did not answer in time': (text) => ({ status: 200, text: text.replace('"timed_out":false', '"timed_out":true') }),
  'it is busy': () => ({ status: 429, text: error('es_rejected_execution_exception') }),
  'it failed': () => ({ status: 500, text: error('script_exception') }),
  'shards are missing': () => ({ status: 503, text: error('search_phase_execution_exception') }),
  'the index is gone': () => ({ status: 404, text: error('index_not_found_exception') }),
  'it is denied': () => ({ status: 403, text: error('security_exception') }),
  'it hangs up': () => 'hang up',
  'it answers with something else': () => ({ status: 200, text: '<html>' }),
  'it answers with half of the text': (text) => ({ status: 200, text: text.slice(0, text.length >> 1) }),
  'it answers without hits': () => ({ status: 200, text: '{"timed_out":false,"_shards":{"failed":0}}' }),
  'it answers with a document of somebody else': (text) => ({
    status: 200,
    text: text.replaceAll('"_order"', '"order"'),
  }),
};

function error(type: string): string {
  const cause = { type, reason: 'secret words of s3' };
  return JSON.stringify({ error: { root_cause: [cause], ...cause }, status: 0 });
}

for (const [name, broken] of Object.entries(FAULTS))
  test(`an answer that is not whole is a 503 without words of the cluster: ${name}`, async (context) => {
    fault = broken;
    context.after(() => (fault = undefined));
    const plain = { sort: ['price'], _source: ['price'] };
    for (const request of [['POST /w/_search', plain], ['GET /w/_doc/1']] as const) {
      const { body, status } = await knock(api, request);
      assert.equal(status, 503, body);
      assert.doesNotMatch(body, /s3|secret|bob/);
      assert.match(body, /"type":"no_shard_available_action_exception"/);
    }
  });

test('a hidden document in the answer of a cluster is shown by no request', async (context) => {
  fault = (text) => ({ status: 200, text: text.replaceAll('"owner":"ann"', '"owner":"bob"') });
  context.after(() => (fault = undefined));
  const search = await knock(api, ['POST /w/_search', { sort: ['price'], _source: ['price'] }]);
  assert.equal(search.status, 503, search.body);
  const get = await knock(api, ['GET /w/_doc/1']);
  assert.equal(get.body, '{"_index":"w","_type":"_doc","_id":"1","found":false}');
});

test('a cluster that does not answer in time is a 503, and the request to it ends', async (context) => {
  const definition = { mappings: MAPPINGS };
  let ended = false;
  const slow = await createClusterApi({
    engine: 'opensearch',
    indexes: () => [{ name: 'w', alias: 'doors', definition, mode: 'exact', position: 0 }],
    maxSearchTime: 20,
    ask: ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          ended = true;
          reject(new Error('aborted'));
        });
      }),
  });
  context.after(() => slow.close());
  const { body, status } = await knock(slow, ['GET /w/_count']);
  assert.equal(status, 503);
  assert.match(body, /it did not answer in time/);
  assert.ok(ended);
});

test('many hits are printed in turns, and come in the order of the cluster', async (context) => {
  const hits = Array.from({ length: 450 }, (_, at) => {
    const source = `{${keyMembers(`k${at}`)},"price":${at}.0,"owner":"ann"}`;
    return `{"_id":"k${at}","_score":null,"_source":${source},"sort":[${at}]}`;
  });
  const found = `{"total":{"value":450,"relation":"eq"},"max_score":null,"hits":[${hits.join()}]}`;
  fault = () => ({ status: 200, text: `{"timed_out":false,"_shards":{"failed":0},"hits":${found}}` });
  context.after(() => (fault = undefined));
  const { body } = await knock(api, ['POST /w/_search', { size: 1000, sort: ['price'] }]);
  const shown = hits.map(
    (_, at) => `{"_index":"w","_type":"_doc","_id":"k${at}","_score":null,"_source":{"price":${at}.0},"sort":[${at}]}`,
  );
  assert.equal(
    body.replace(/"took":\d+/, '"took":0'),
    `{"took":0,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":{"total":{"value":450,"relation":"eq"},"max_score":null,"hits":[${shown.join()}]}}`,
  );
});

test('documents that are asked for by many keys come in several answers', async (context) => {
  const ids = ['1', ...Array.from({ length: 10_000 }, (_, at) => `none${at}`)];
  fault = () => ({ status: 200, text: '{"timed_out":false,"_shards":{"failed":0},"hits":{"hits":[]}}' });
  context.after(() => (fault = undefined));
  asked = 0;
  assert.equal((await knock(api, ['POST /w/_mget', { ids }])).status, 200);
  assert.equal(asked, 2);
});

test('what the cluster finds too much is refused without its words', async (context) => {
  fault = () => ({ status: 400, text: error('too_many_clauses') });
  context.after(() => (fault = undefined));
  const { body, status } = await knock(api, ['GET /w/_count?q=fox']);
  assert.equal(status, 400);
  assert.doesNotMatch(body, /s3/);
});

for (const [target, body, words] of [
  ['PUT /w/_doc/1', {}, 'not offered with search.engine [elasticsearch]'],
  ['POST /_bulk', '{"index":{"_index":"w"}}\n{}\n', 'not offered with search.engine [elasticsearch]'],
  ['GET /_cat/indices', undefined, 'not offered with search.engine [elasticsearch]'],
  ['GET /w/_stats', undefined, 'not offered with search.engine [elasticsearch]'],
  ['GET /w/_explain/1', { query: { match_all: {} } }, 'not offered with search.engine [elasticsearch]'],
  ['POST /w/_search', { explain: true }, '[explain] cannot be asked of a search cluster'],
  ['POST /w/_search', { profile: true }, '[profile] cannot be asked'],
  ['POST /w/_search', { suggest: { s: { text: 'a', term: { field: 'title' } } } }, '[suggest] cannot be asked'],
  ['POST /w/_search', { terminate_after: 1 }, '[terminate_after] cannot be asked'],
  ['POST /w/_search', { rescore: { query: { rescore_query: { match_all: {} } } } }, '[rescore] cannot be asked'],
  ['POST /w/_search', { sort: ['note.x'] }, 'No mapping found for [note.x]'],
  ['POST /w/_search', { sort: ['views'], search_after: [2 ** 53] }, 'to the last digit'],
  ['POST /w/_search', { sort: ['secret'] }, 'No mapping found for [secret]'],
  ['POST /w/_search', { query: { more_like_this: { like: 'fox', fields: ['title'] } } }, 'cannot be asked'],
  ['POST /w/_search', { query: { terms: { tag: { index: 'w', id: '1', path: 'tag' } } } }, 'name its values'],
  ['POST /w/_search', { aggs: { a: { top_hits: {} } } }, 'cannot be asked'],
  ['POST /w/_search', { aggs: { a: { nothing: {} } } }, 'Unknown aggregation type [nothing]'],
] as const)
  test(`refused by name, and nothing is asked: ${target} ${JSON.stringify(body) ?? ''}`, async () => {
    asked = 0;
    const { body: text, status } = await knock(api, [target, body]);
    assert.equal(status, 400, text);
    assert.ok(text.includes(words), text);
    assert.equal(asked, 0);
  });

test('what is known without documents is answered without the cluster', async () => {
  asked = 0;
  for (const target of [
    'GET /',
    'HEAD /',
    'HEAD /w',
    'HEAD /none',
    'GET /w/_mapping',
    'GET /_alias',
    'GET /w/_analyze?text=Red&field=title',
  ]) {
    const [found, expected] = [await knock(api, [target]), await knock(embedded, [target])];
    assert.equal(comparable(found), comparable(expected));
  }
  assert.equal(asked, 0);
  assert.doesNotMatch((await knock(api, ['GET /w'])).body, /secret|owner/);
});
