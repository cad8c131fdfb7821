// Bodies that a thread reads: nothing but that may tell them from small ones, in what they mean as in what is wrong with them.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { createEngine, createRestApi, type RestApi } from '@lockstitch/search';
import { codePoint } from '../../../kernel/test/code-point.ts';
import { parseJson } from '../../src/json/json.ts';
import { LargeJson, wholeMembers } from '../../src/json/large-json.ts';
import { APART, LARGE, readJson } from '../../src/thread/read-json.ts';

/** What it takes to be read in a thread. */
const padding = ' '.repeat(LARGE);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function outcome(read: () => unknown): Promise<unknown> {
  try {
    const json = await read();
    // Order of members and all, which deepEqual does not look at.
    return JSON.stringify(
      typeof json === 'object' && json !== null && !Array.isArray(json) ? wholeMembers(json) : json,
      // Infinity would be printed as null.
      (_, value: unknown) => (typeof value === 'number' ? String(value) : value),
    );
  } catch (error) {
    const { name, message, code, type } = error as { name: string; message: string; code?: string; type?: string };
    return { name, message, code, type };
  }
}

/** Texts that are JSON, or nearly. */
const texts = fc.oneof(
  fc.json(),
  fc.json({ stringUnit: codePoint }),
  fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '{', ']', ',', ':', '\\', '\u0000', '00', 'é'))
    .map(([json, at, wrong]) => json.slice(0, at % (json.length + 1)) + wrong + json.slice(at % (json.length + 1))),
  fc.constantFrom(
    '{"__proto__":{"a":1},"a":2}',
    '{"a":1,"a":{"b":2},"a":3}',
    '{"2":0,"1":0,"query":{"x":1}}',
    '[1e999,-0,12345678901234567890]',
    '"\\ud83d"',
    `${'['.repeat(201)}${']'.repeat(201)}`,
    `{"query":${'{"bool":'.repeat(250)}`,
  ),
);

test('a large body is the same JSON as a small one, and is refused for the same mistake', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const body = bytes(text + padding);
      deepEqual(await outcome(() => readJson(body, APART)), await outcome(() => parseJson(body)));
    }),
    { numRuns: 200 },
  );
});

test('what is no UTF-8 is refused in large bodies too', async () => {
  const body = bytes(`{"a":"é"}${padding}`);
  body[6] = 0xff;
  deepEqual(await outcome(() => readJson(body, APART)), await outcome(() => parseJson(body)));
});

test('a large member stays text, and what else is large is refused by its name', async () => {
  const ids = Array.from({ length: 100_000 }, (_, at) => `number ${at}`);
  const json = (await readJson(bytes(JSON.stringify({ size: 3, query: { ids: { values: ids } } })), APART)) as {
    size: number;
    query: unknown;
  };
  equal(json.size, 3);
  equal(json.query instanceof LargeJson, true);
  deepEqual(wholeMembers(json).query, { ids: { values: ids } });
  const refused = (await outcome(() => readJson(bytes(JSON.stringify({ ids, query: {} })), APART))) as {
    code: string;
    message: string;
  };
  equal(refused.code, 'SEARCH_TOO_LARGE');
  match(refused.message, /^\[ids\] is too long/);
});

/** Values of which a query needs a thread to be read. */
const many = (extra: string[]): string[] => [
  ...extra,
  ...Array.from({ length: 30_000 }, (_, at) => `none of them ${at}`),
];

async function api(t: { after(end: () => unknown): void }): Promise<RestApi['handle']> {
  const engine = await createEngine();
  const rest = createRestApi(engine);
  t.after(async () => {
    rest.close();
    await engine.close();
  });
  const ask: RestApi['handle'] = (asked) => rest.handle(asked);
  for (const [id, tag] of ['x', 'y', 'z'].entries())
    await ask(request('PUT', `/t/_doc/${id}?refresh=true`, { tag, n: id, text: `some ${tag} words` }));
  return ask;
}

function request(method: string, path: string, body: unknown): Parameters<RestApi['handle']>[0] {
  const [plain, query] = path.split('?');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = path.includes('_msearch') ? 'application/x-ndjson' : 'application/json';
  return {
    method,
    path: plain!,
    query: new URLSearchParams(query),
    headers: { 'content-type': type },
    body: bytes(text),
  };
}

test('a large query is answered as a small one by every endpoint that takes one', async (t) => {
  const ask = await api(t);
  const queryOf = (values: readonly string[]): object => ({ terms: { 'tag.keyword': values } });
  const bad = (values: readonly string[]): object => ({ terms: { 'tag.keyword': values, boots: 2 } });
  type Make = (query: object) => unknown;
  const endpoints: [path: string, body: Make][] = [
    ['/t/_search', (query) => ({ query, sort: ['n'] })],
    ['/t/_search', (query) => ({ post_filter: query, sort: ['n'], aggs: { a: { filter: query } } })],
    ['/t/_search?rest_total_hits_as_int=true', (query) => ({ query, from: -1 })],
    ['/nothing*/_search', (query) => ({ query })],
    ['/nothing*/_count', (query) => ({ query })],
    ['/missing/_search', (query) => ({ query })],
    ['/t/_count', (query) => ({ query })],
    ['/t/_explain/1', (query) => ({ query })],
    ['/t/_validate/query', (query) => ({ query })],
    ['/t/_msearch', (query) => `{}\n${JSON.stringify({ query, sort: ['n'] })}\n`],
    ['/t/_field_caps?fields=*', (query) => ({ index_filter: query })],
    ['/t/_update_by_query?refresh=true', (query) => ({ query })],
    ['/t/_search', (query) => ({ query, unknown: 1 })],
  ];
  const plain = (text: string): string => text.replace(/"took":\d+/g, '"took":0').replace(/none of them \d+/g, '…');
  for (const [path, make] of endpoints) {
    for (const query of [queryOf, bad]) {
      const small = await ask(request('POST', path, make(query(['x', 'z']))));
      const large = await ask(request('POST', path, make(query(many(['x', 'z'])))));
      equal(large.status, small.status, path);
      // Of a terms query the list of terms is told, which differs here.
      if (!path.includes('_explain')) equal(plain(large.body), plain(small.body), path);
    }
  }
});

test('what is wrong with a large body is told where it would be of a small one', async (t) => {
  const ask = await api(t);
  const requests: readonly (readonly [method: string, path: string, text: string])[] = [
    ['POST', '/t/_validate/query', '{"query":{}}x'],
    ['POST', '/t/_validate/query', '{"query":{"nope":{}}}'],
    ['GET', '/t/_doc/1', '}'],
    ['POST', '/missing/_search', '{"query":{}}x'],
    ['POST', '/t/_search?size=x', '}'],
  ];
  for (const [method, path, text] of requests) {
    // As far away as the padding of the large one.
    const small = await ask(request(method, path, `${text} `.padEnd(100)));
    const large = await ask(request(method, path, `${text}${padding}`));
    equal(large.status, small.status, path);
    equal(large.body.replaceAll(/ {2,}|\.{3}/g, ''), small.body.replaceAll(/ {2,}|\.{3}/g, ''), path);
  }
});

test('text after a large body is ignored, or refused, as after a small one', async (t) => {
  const ask = await api(t);
  const requests: readonly (readonly [path: string, text: string, status: number])[] = [
    ['PUT /t/_mapping', '{"properties":{"more":{"type":"keyword"}}}}', 200],
    ['PUT /t/_mapping', '{"properties":{},"properties":{}}}', 400],
    ['PUT /t/_mapping', '{"properties":{},"search_after":[12345678901234567890]}}', 400],
    ['PUT /t/_settings', '{"index.max_result_window":20000}x', 200],
    ['POST /_aliases', '{"actions":[{"add":{"index":"t","alias":"u"}}]} {}', 200],
    ['POST /_analyze', '{"text":"a b"}]', 200],
    ['POST /t/_update/1', '{"doc":{"n":1}}}', 200],
    ['POST /t/_bulk', '{"delete":{"_id":"none"}}}', 200],
    ['POST /t/_bulk', '{"delete":{"_id":"none"},}', 200],
    ['POST /t/_bulk', '{"delete":{"_id" "none"}}', 400],
    ['POST /t/_search', '{"query":{"match_all":{}}}}', 400],
    ['POST /t/_search', '{"query":{"match_all":{}}} {"size":0}', 400],
    ['POST /t/_search', '{"size":0,"size":0}}', 400],
    ['POST /t/_msearch', '{}\n{"size":0}}', 400],
  ];
  const plain = ({ body }: { readonly body: string }): string =>
    body.replaceAll(/ {2,}|\.{3}/g, '').replaceAll(/"(took|_version|_seq_no)":\d+/g, '');
  for (const [target, text, status] of requests) {
    const [method = '', path = ''] = target.split(' ');
    const small = await ask(request(method, path, `${text} `.padEnd(100).concat('\n')));
    const large = await ask(request(method, path, `${text}${padding}\n`));
    deepEqual([small.status, large.status], [status, status], `${target} ${text}: ${large.body}`);
    equal(plain(large), plain(small), `${target} ${text}`);
  }
});

test('a scroll of a large query goes on as that of a small one', async (t) => {
  const ask = await api(t);
  const first = await ask(
    request('POST', '/t/_search?scroll=1m', { size: 1, query: { ids: { values: many(['0', '2']) } } }),
  );
  const { _scroll_id: id } = JSON.parse(first.body) as { _scroll_id: string };
  const second = await ask(request('POST', '/_search/scroll', { scroll_id: id }));
  const page = JSON.parse(second.body) as { hits: { hits: { _id: string }[] } };
  deepEqual(
    page.hits.hits.map(({ _id }) => _id),
    ['2'],
  );
});

test('large JSON does not wait for searches that take long, however many there are', async (t) => {
  const engine = await createEngine();
  const rest = createRestApi(engine, { maxSearchTime: 60_000 });
  const abort = new AbortController();
  t.after(async () => {
    abort.abort();
    rest.close();
    await engine.close();
  });
  const letters = 'a b c d e f g h i j'.split(' ');
  const words = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `w${a}${b}${c}`)));
  await rest.handle(request('PUT', '/t/_doc/1?refresh=true', { text: words.join(' ') }));
  // Each word may be any of hundreds of others.
  const generator = { field: 'text', suggest_mode: 'always', size: 1000, prefix_length: 0, max_term_freq: 1e9 };
  const phrase = { field: 'text', max_errors: 20, size: 1000, shard_size: 1000, confidence: 0, token_limit: 50 };
  const long = request('POST', '/t/_search', {
    suggest: { a: { text: words.slice(0, 20).join(' '), phrase: { ...phrase, direct_generator: [generator] } } },
  });
  const endless = { ...long, signal: () => abort.signal };
  const ended: string[] = [];
  const searches = [1, 2, 3].map(async () => {
    await rest.handle(endless);
    ended.push('search');
  });
  await setTimeout(500);
  await readJson(bytes(`{"size":1}${padding}`), APART);
  deepEqual(ended, []);
  abort.abort();
  await Promise.all(searches);
  equal(ended.length, 3);
});
