// Asks Elasticsearch and this engine the same random requests about the same random documents, and names every answer that differs.
// The requests are those of the catalogue (packages/search/src/requests), mistakes among them.
import { createEngine, createRestApi } from '@lockstitch/search';
import {
  createRandom,
  fieldsOf,
  type Mistake,
  printSearchAsked,
  type Random,
  randomSearchRequest,
  type Surface,
} from '@lockstitch/search/requests';
import { KNOWN_DIFFERENCES } from '../../packages/search/test/compatibility/known-differences.ts';
import { normalize } from './normalize-answer.ts';

/** Share of the requests that the rows of docs/compatibility.md may explain. */
export const MOST_KNOWN = 0.02;

/** What one engine says. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

export type Ask = (target: string, body?: unknown) => Promise<Answer>;

/** An answer that differs. */
export interface Difference {
  readonly seed: number;
  readonly request: string;
  readonly theirs: Answer;
  readonly ours: Answer;
}

export interface Outcome {
  readonly asked: number;
  /** Those that no row explains. */
  readonly differences: readonly Difference[];
  /** How many others a row explains. */
  readonly known: number;
}

export interface DifferOptions {
  /** Requests in all. */
  readonly cases: number;
  readonly seed: number;
  /** Requests to one index before the next is made; 100 by default. */
  readonly perIndex?: number;
  /** Only requests whose text it matches are asked; all when absent. */
  readonly only?: RegExp | undefined;
  readonly onProgress?: (done: number, differences: number) => void;
}

const INDEX = 'differ';

/** Most people make none. */
const MISTAKES: readonly Mistake[] = ['none', 'none', 'none', 'none', 'none', 'none', 'wrong', 'wrong', 'risky'];

/**
 * Kinds that the free build of 7.10.2 lacks, and chance, which each engine has its own of. What changes documents is no question. Neither are
 * histograms of millions of empty buckets, which 7.10.2 counts only once it has made them: it runs out of memory.
 */
const LEFT_OUT = new RegExp(
  [
    '"(?:pinned|top_metrics|string_stats|boxplot|rate|t_test|cumulative_cardinality|moving_percentiles|normalize|pit|random_score)":',
    '_by_query',
    '"fixed_interval":"1ms"',
    '"interval":0\\.00001',
    '"interval":0\\.5,.*"missing":1000000000',
  ].join('|'),
);

/** Compares, index by index. @param url of the other engine */
export async function compareEngines(
  url: string,
  { cases, seed, perIndex = 100, only, onProgress }: DifferOptions,
): Promise<Outcome> {
  const differences: Difference[] = [];
  const theirs = askOver(url);
  let asked = 0;
  let known = 0;
  for (let at = seed; asked < cases; at++) {
    const random = createRandom(at);
    const mappings = randomMapping(random);
    const documents = randomDocuments(random);
    const engine = await createEngine();
    const rest = createRestApi(engine);
    const ours: Ask = async (target, body) => {
      const { method, path, query } = split(target);
      const text = asText(body);
      const headers = { 'content-type': typeOf(body) };
      const answer = await rest.handle({
        method,
        path,
        query,
        headers,
        ...(text === undefined ? {} : { body: Buffer.from(text) }),
      });
      return {
        status: answer.status,
        body: answer.bytes === undefined ? answer.body : Buffer.from(answer.bytes).toString(),
      };
    };
    try {
      for (const ask of [theirs, ours]) await fill(ask, mappings, documents);
      const surface = surfaceOf(mappings, documents);
      for (let i = 0; i < perIndex && asked < cases; i++) {
        const request = randomSearchRequest(random, surface, random.pick(MISTAKES));
        const text = printSearchAsked(request);
        // What two requests make of each other's answers is compared by the tests of scrolls and pages.
        if (request.door !== 'search' || LEFT_OUT.test(text) || only?.test(text) === false) continue;
        asked += 1;
        const [a, b] = [await theirs(request.target, request.body), await ours(request.target, request.body)];
        if (normalize(a, request.target) !== normalize(b, request.target)) {
          const difference = { seed: at, request: text, theirs: a, ours: b };
          if (KNOWN_DIFFERENCES.some(({ covers }) => covers(difference))) known += 1;
          else differences.push(difference);
        }
        onProgress?.(asked, differences.length);
      }
    } finally {
      rest.close();
      await engine.close();
    }
  }
  return { asked, differences, known };
}

async function fill(ask: Ask, mappings: object, documents: readonly object[]): Promise<void> {
  await ask(`DELETE /${INDEX}`);
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  await expectOk(ask, `PUT /${INDEX}`, { settings, mappings, aliases: { other: {} } });
  const lines = documents.flatMap((source, at) => [{ index: { _index: INDEX, _id: String(at) } }, source]);
  const { body } = await expectOk(ask, 'POST /_bulk?refresh=true', lines);
  if (body.includes('"errors":true')) throw new Error(`A document was refused: ${body.slice(0, 1000)}`);
}

async function expectOk(ask: Ask, target: string, body: unknown): Promise<Answer> {
  const answer = await ask(target, body);
  if (answer.status >= 300) throw new Error(`${target}: ${answer.status} ${answer.body.slice(0, 1000)}`);
  return answer;
}

function askOver(url: string): Ask {
  return async (target, body) => {
    const [method, path] = target.split(' ', 2) as [string, string];
    const text = asText(body);
    // `fetch` sends no body with GET; the API takes it by POST as well, and in the URL.
    const sent = method === 'GET' && text !== undefined ? 'POST' : method;
    const init = {
      method: sent,
      headers: { 'content-type': typeOf(body) },
      ...(text === undefined ? {} : { body: text }),
    };
    const response = await fetch(url + path, init);
    return { status: response.status, body: await response.text() };
  };
}

function split(target: string): { readonly method: string; readonly path: string; readonly query: URLSearchParams } {
  const [method, path] = target.split(' ', 2) as [string, string];
  const parsed = new URL(path, 'http://localhost');
  return { method, path: parsed.pathname, query: parsed.searchParams };
}

const asText = (body: unknown): string | undefined =>
  body === undefined
    ? undefined
    : Array.isArray(body)
      ? body.map((line) => `${JSON.stringify(line)}\n`).join('')
      : JSON.stringify(body);
const typeOf = (body: unknown): string => (Array.isArray(body) ? 'application/x-ndjson' : 'application/json');

/** Fields of every kind that the free build of Elasticsearch has. */
function randomMapping(random: Random): { readonly properties: Readonly<Record<string, object>> } {
  const text = random.pick(['standard', 'english', 'whitespace', 'simple', 'german', 'french', 'keyword', 'stop']);
  const all: Readonly<Record<string, object>> = {
    text: { type: 'text', analyzer: text, fields: { keyword: { type: 'keyword', ignore_above: 12 } } },
    body: {
      type: 'text',
      term_vector: random.pick(['no', 'yes', 'with_positions_offsets']),
      fielddata: random.once(2),
    },
    tag: { type: 'keyword' },
    n: { type: random.pick(['long', 'integer', 'short', 'byte', 'double', 'float', 'half_float']) },
    scaled: { type: 'scaled_float', scaling_factor: 10 },
    when: { type: 'date' },
    fine: { type: 'date_nanos' },
    flag: { type: 'boolean' },
    span: { type: random.pick(['integer_range', 'long_range', 'double_range', 'float_range']) },
    rank: { type: 'rank_feature' },
    place: { type: 'geo_point' },
    address: { type: 'ip' },
    typed: { type: 'search_as_you_type' },
    start: { type: 'completion' },
    label: { type: 'alias', path: 'tag' },
    parts: { type: 'nested', properties: { kind: { type: 'keyword' }, v: { type: 'long' }, note: { type: 'text' } } },
    poster: { properties: { login: { type: 'keyword' }, name: { type: 'text' } } },
  };
  return { properties: all };
}

const WORDS = ['red', 'blue', 'fox', 'dog', 'rex', 'foxes', 'running', 'café', 'naïve', 'the', 'a', 'x', 'New', 'York'];

function randomDocuments(random: Random): readonly object[] {
  const words = (most: number): string =>
    Array.from({ length: random.int(most + 1) }, () => random.pick(WORDS)).join(' ');
  const maybe = (make: () => unknown): unknown => (random.once(4) ? null : make());
  return Array.from({ length: 3 + random.int(25) }, () => ({
    text: words(6),
    body: random.once(5) ? [words(3), words(4)] : words(9),
    tag: maybe(() => random.pick<unknown>(['x', 'y', 'zed', ['x', 'zed']])),
    n: maybe(() => random.pick<unknown>([random.int(6), random.int(100), [1, 5]])),
    scaled: maybe(() => random.int(50) / 10),
    when: maybe(() => random.pick(['2026-01-01', '2026-01-03', '2025-12-31T23:59:59.999Z'])),
    fine: maybe(() => random.pick(['2026-01-01T00:00:00.000000001Z', '2026-01-01T00:00:00.000000002Z'])),
    flag: maybe(() => random.once(2)),
    span: maybe(() => ({ gte: random.int(3), lt: 3 + random.int(4) })),
    rank: random.pick([1, 7, 90]),
    place: maybe(() => ({ lat: random.int(4), lon: random.int(4) })),
    address: maybe(() => random.pick(['10.0.0.1', '10.0.0.9', 'fe80::1'])),
    typed: words(4),
    start: maybe(() => random.pick<unknown>(['red fox', 'blue', ['red', 'rex']])),
    parts: Array.from({ length: random.int(4) }, () => ({
      kind: random.pick(['x', 'y']),
      v: random.int(4),
      note: words(3),
    })),
    poster: maybe(() => ({ login: random.pick(['ann', 'bob', 'cid']), name: words(3) })),
  }));
}

function surfaceOf(
  mappings: { readonly properties: Readonly<Record<string, object>> },
  documents: readonly object[],
): Surface {
  const ids = documents.map((_, at) => String(at));
  const index = { name: INDEX, aliases: ['other'], type: '_doc', ...fieldsOf(mappings), ids };
  return { indexes: [index], words: WORDS, isReadOnly: false };
}
