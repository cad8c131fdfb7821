// Asks Elasticsearch and this engine the same random requests about the same random documents, and names every answer that differs.
// The requests are those of the catalogue (packages/search/src/requests), mistakes among them.
import {
  createRandom,
  fieldsOf,
  type Mistake,
  type Random,
  randomSearchRequest,
  type Surface,
} from '@lockstitch/search/requests';
import { type Answer, askHttp, lines, step, type Step } from './ask.ts';
import { Comparison, type DifferOptions, type Outcome } from './comparison.ts';
import { normalize } from './normalize-answer.ts';
import { startOurs } from './ours.ts';

const INDEX = 'differ';
/** Requests to one index before the next is made. */
const PER_INDEX = 100;

/** Most people make none. */
export const MISTAKES: readonly Mistake[] = ['none', 'none', 'none', 'none', 'none', 'none', 'wrong', 'wrong', 'risky'];

/**
 * Kinds that the free build of 7.10.2 lacks, and chance, which each engine has its own of. What changes documents is no question. Neither are
 * histograms of millions of empty buckets, which 7.10.2 counts only once it has made them: it runs out of memory. What is not here at all
 * (repositories, pipelines, stored scripts, templates of searches, fields and metrics by scripts) is refused by name, which a test of its own asks.
 * One and the same mistake each time, answered by 500 there: artificial documents for term vectors with paths into nested objects and
 * sub-fields, and a slice of a search without a scroll. What nodes tell of their host is asked in histories.
 */
const LEFT_OUT = new RegExp(
  [
    '"(?:pinned|top_metrics|string_stats|boxplot|rate|t_test|cumulative_cardinality|moving_percentiles|normalize|pit|random_score)":',
    '_by_query',
    '/_(?:snapshot|ingest)\\b',
    '"(?:scripted_metric|script_fields|script_heuristic)":',
    `"script":"doc\\['`,
    '/_termvectors.*\\n.*"doc":\\{[^}]*"(?:parts|typed)\\.',
    '/_search(?![^\\n]*[?&]scroll=)[^\\n]*\\n.*"slice":',
    '^GET /_nodes(?!.*filter_path)',
    // A column of this engine's own.
    'feed\\.lag',
    '"fixed_interval":"1ms"',
    '"interval":0\\.00001',
    '"histogram":\\{"field":"(?:when|fine)","interval":[\\d.]{1,3}[,}]',
    '"interval":0\\.5,.*"missing":1000000000',
  ].join('|'),
);

/** Whether a request of the catalogue is asked. */
export function isAsked(target: string, body: unknown): boolean {
  return !LEFT_OUT.test(`${target}\n${unwrapped(JSON.stringify(body))}`);
}

/** With the queries that `wrapper` holds in Base64. */
function unwrapped(text: string | undefined): string {
  return (text ?? '').replaceAll(/\{"wrapper":\{"query":"([\w+/=]+)"\}\}/g, (_, coded: string) =>
    unwrapped(Buffer.from(coded, 'base64').toString()),
  );
}

/** Asks one request of both. */
type AskOne = (comparison: Comparison, random: Random, surface: Surface) => Promise<void>;

/** Compares, index by index. @param url of the other engine */
export function compareEngines(url: string, options: DifferOptions): Promise<Outcome> {
  return compareSearches(url, options, async (comparison, random, surface) => {
    const request = randomSearchRequest(random, surface, random.pick(MISTAKES));
    // What two requests make of each other's answers is compared by the tests of scrolls and pages.
    if (request.kind === 'search' && isAsked(request.target, request.body))
      await comparison.ask(asStep(request), normalize);
  });
}

/** Compares requests about random documents, index by index. @param url of the other engine */
export async function compareSearches(url: string, options: DifferOptions, askOne: AskOne): Promise<Outcome> {
  const theirs = askHttp(url);
  const ours = await startOurs();
  const comparison = new Comparison(theirs, ours.ask, options);
  try {
    for (let at = options.seed; !comparison.isDone; at++) {
      comparison.begin(at);
      const random = createRandom(at);
      const mappings = randomMapping(random);
      const documents = randomDocuments(random);
      await ours.restart();
      await theirs(step(`DELETE /${INDEX}`));
      await fill(comparison, mappings, documents);
      const surface = surfaceOf(mappings, documents);
      for (let i = 0; i < PER_INDEX; i++) await askOne(comparison, random, surface);
    }
  } finally {
    await ours.close();
  }
  return comparison.outcome;
}

/** A request of the catalogue. `GET` with a body is sent as `POST`, which most clients do. */
export function asStep({ target, body }: { readonly target: string; readonly body?: unknown }): Step {
  if (body === undefined) return step(target);
  const sent = target.replace(/^GET /, 'POST ');
  return Array.isArray(body) ? lines(sent, body) : step(sent, body);
}

async function fill(comparison: Comparison, mappings: object, documents: readonly object[]): Promise<void> {
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  await expectOk(comparison, step(`PUT /${INDEX}`, { settings, mappings, aliases: { other: {} } }));
  const actions = documents.flatMap((source, at) => [{ index: { _index: INDEX, _id: String(at) } }, source]);
  for (const { body } of await expectOk(comparison, lines('POST /_bulk?refresh=true', actions)))
    if (body.includes('"errors":true')) throw new Error(`A document was refused: ${body.slice(0, 1000)}`);
}

async function expectOk(comparison: Comparison, asked: Step): Promise<readonly Answer[]> {
  const answers = await comparison.both(asked);
  for (const { body, status } of answers)
    if (status >= 300) throw new Error(`${asked.target}: ${status} ${body.slice(0, 1000)}`);
  return answers;
}

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
    ranks: { type: 'rank_features' },
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
    ranks: random.pick<unknown>([{ pages: 7 }, { pages: 90, links: 0.3 }, [{ pages: 2.5 }, { links: '4' }], {}]),
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
