// Asks Elasticsearch and this engine to make the same random indices, gives both the same documents, fitting and not, and compares every
// answer: that of the mapping, of each write, and of requests about the fields.
import { createRandom, fieldsOf, type Random, randomSearchRequest, type Surface } from '@lockstitch/search/requests';
import { askHttp, step, type Step } from './ask.ts';
import { Comparison, type DifferOptions, type Outcome } from './comparison.ts';
import { asStep, isAsked, MISTAKES } from './differ.ts';
import { normalize } from './normalize-answer.ts';
import { normalizeStep } from './normalize-step.ts';
import { startOurs } from './ours.ts';
import { randomDocument } from './random-documents.ts';
import { ANALYSIS, type Json, randomField } from './random-fields.ts';
import { randomMapping } from './random-mappings.ts';

const INDEX = 'differ';
const DOCUMENTS = 10;
/** Requests about the fields of one index, and of those of the catalogue. */
const ABOUT_FIELDS = 14;
const OF_CATALOGUE = 6;

/** Compares, index by index. @param url of the other engine */
export async function compareMappings(url: string, options: DifferOptions): Promise<Outcome> {
  const theirs = askHttp(url);
  const ours = await startOurs();
  const comparison = new Comparison(theirs, ours.ask, options);
  try {
    for (let at = options.seed; !comparison.isDone; at++) {
      comparison.begin(at);
      const random = createRandom(at);
      await theirs(step(`DELETE /${INDEX}`));
      await ours.restart();
      await compareOne(random, comparison);
    }
  } finally {
    await ours.close();
  }
  return comparison.outcome;
}

/** One index, up to the first write after which the engines hold different things. */
async function compareOne(random: Random, comparison: Comparison): Promise<void> {
  const asks = (each: Step): Promise<'equal' | 'differs' | 'refused'> => comparison.ask(each, normalizeStep);
  const mapping = randomMapping(random, random.once(3));
  const made = await asks(step(`PUT /${INDEX}`, { mappings: mapping, settings: randomSettings(random) }));
  if (made !== 'equal') return;
  if ((await asks(step(`GET /${INDEX}/_mapping`))) === 'differs') return;
  if (random.once(3)) await asks(step(`GET /${INDEX}/_mapping/field/*?include_defaults=true`));
  if (random.once(2)) {
    const changed = await asks(step(`PUT /${INDEX}/_mapping`, randomChange(random, mapping)));
    if (changed === 'differs') return;
    if (changed === 'equal' && (await asks(step(`GET /${INDEX}/_mapping`))) === 'differs') return;
  }
  const misfit = random.pick([6, 12, 40]);
  for (let id = 0; id < DOCUMENTS; id++) {
    const routing = random.once(20) ? '?routing=r' : '';
    const document = randomDocument(random, mapping, misfit);
    const told = await asks(step(`PUT /${INDEX}/_doc/${id}${routing}`, document));
    if (told === 'differs') return;
  }
  await comparison.both(step(`POST /${INDEX}/_refresh`));
  if ((await asks(step(`GET /${INDEX}/_mapping`))) === 'differs') return;
  const surface = await surfaceOf(comparison);
  const words = [...surface.words];
  const { fields } = surface.indexes[0]!;
  const paths = Object.values(fields).flat();
  for (let i = 0; i < ABOUT_FIELDS && paths.length > 0; i++) {
    const asked = aboutField(random, random.pick(paths), words);
    // Every sort by a range, and every view of its column, is refused for one reason.
    const ofRange = fields.range.some((path) => readsColumn(asked, path));
    if (!ofRange || random.once(10)) await comparison.ask(asked, normalize);
  }
  for (let i = 0; i < OF_CATALOGUE; i++) {
    const request = randomSearchRequest(random, surface, random.pick(MISTAKES));
    // Other requests of the catalogue know nothing of fields.
    if (request.kind === 'search' && request.target.includes('/_search') && isAsked(request.target, request.body))
      await comparison.ask(asStep(request), normalize);
  }
}

function randomSettings(random: Random): Json {
  return {
    number_of_shards: 1,
    number_of_replicas: 0,
    refresh_interval: '-1',
    analysis: ANALYSIS,
    ...(random.once(12) ? { 'mapping.ignore_malformed': random.once(2) } : {}),
    ...(random.once(12) ? { 'mapping.coerce': random.once(2) } : {}),
    ...(random.once(20) ? { 'mapping.total_fields.limit': random.pick([3, 10, 20]) } : {}),
    ...(random.once(30) ? { 'mapping.depth.limit': random.pick([1, 2]) } : {}),
    ...(random.once(30) ? { 'mapping.nested_fields.limit': random.pick([0, 1]) } : {}),
    ...(random.once(30) ? { 'mapping.nested_objects.limit': random.pick([0, 2]) } : {}),
    ...(random.once(30) ? { 'mapping.field_name_length.limit': random.pick([2, 4]) } : {}),
  };
}

/** A later change: of a field that there is, or a new one. */
function randomChange(random: Random, mapping: Json): Json {
  const properties = mapping['properties'] as Json;
  const name = random.pick(Object.keys(properties));
  const was = properties[name] as Json;
  const other = randomField(random, random.once(6) ? 'value' : 'none') as Json;
  return random.pick<() => Json>([
    () => ({ properties: { [name]: was } }),
    () => ({ properties: { [name]: { ...other, ...was } } }),
    () => ({ properties: { [name]: { ...was, ...other, type: was?.['type'] } } }),
    () => ({ properties: { [name]: other } }),
    () => ({ properties: { [name]: { type: was?.['type'], fields: { more: randomField(random, 'none', true) } } } }),
    () => ({ properties: { extra: other } }),
    () => ({ properties: { obj: { properties: { extra: other } } } }),
    () => ({ properties: { parts: { properties: { extra: other } } } }),
    () => ({ properties: { [name]: { properties: { extra: other } } } }),
    () => ({ properties: { [name]: { type: 'object' } } }),
    () => randomMapping(random, random.once(3)),
    () => ({ ...randomMapping(random, true), properties: {} }),
  ])();
}

/** Fields as both know them, and words that documents hold. */
async function surfaceOf(comparison: Comparison): Promise<Surface> {
  const [{ body }] = await comparison.both(step(`GET /${INDEX}/_mapping`));
  const { mappings } = (JSON.parse(body) as Readonly<Record<string, { readonly mappings: Json }>>)[INDEX]!;
  const ids = Array.from({ length: DOCUMENTS }, (_, at) => String(at));
  return {
    indexes: [{ name: INDEX, aliases: [], type: '_doc', ...fieldsOf(mappings), ids }],
    words: ['red', 'fox', 'x', 'the', 'café', 'blue', 'brown', '7'],
    isReadOnly: false,
  };
}

/** Values that are looked for in fields of any type. */
const VALUES: readonly unknown[] = [
  'red',
  'x',
  'Quick',
  5,
  7,
  1,
  '2026-01-01',
  1767225600000,
  true,
  'true',
  '10.0.0.1',
  '1,2',
  2.5,
  'fe80::1',
  '10.0.0.0/8',
  '',
  'zed',
  'cmVk',
  -1,
  1e20,
  null,
];

/** Whether a request sorts by a field or shows its column. */
function readsColumn({ body = '' }: Step, path: string): boolean {
  return body.includes(`"sort":[{"${path}":`) || (body.includes('"docvalue_fields":') && body.includes(`"${path}"`));
}

function aboutField(random: Random, field: string, words: readonly string[]): Step {
  const value = random.pick(VALUES);
  const find = (query: unknown, more: object = {}): Step =>
    step(`POST /${INDEX}/_search`, { size: 20, query, sort: ['_doc'], track_scores: true, _source: false, ...more });
  const sums = (aggs: unknown): Step => step(`POST /${INDEX}/_search`, { size: 0, aggs: { a: aggs } });
  const all = { match_all: {} };
  return random.pick<() => Step>([
    () => find({ exists: { field } }),
    () => find({ exists: { field } }),
    () => find({ term: { [field]: { value } } }),
    () => find({ terms: { [field]: [value, random.pick(VALUES)] } }),
    () => find({ match: { [field]: value } }),
    () => find({ match_phrase: { [field]: `${random.pick(words)} ${random.pick(words)}` } }),
    () => find({ match_phrase_prefix: { [field]: `${random.pick(words)} ${random.pick(words).slice(0, 1)}` } }),
    () => find({ prefix: { [field]: random.pick(words).slice(0, 2) } }),
    () => find({ wildcard: { [field]: '*e*' } }),
    () => find({ range: { [field]: { gte: value } } }),
    () => find({ range: { [field]: { lt: value } } }),
    () => find(all, { sort: [{ [field]: { order: random.pick(['asc', 'desc']) } }, '_doc'] }),
    () =>
      find(all, {
        sort: [
          { [field]: { missing: random.pick<unknown>(['_first', 5]), mode: random.pick(['min', 'max', 'sum']) } },
          '_doc',
        ],
      }),
    () => find(all, { docvalue_fields: [field] }),
    () => find(all, { docvalue_fields: [{ field, format: random.pick(['yyyy', 'epoch_millis', '0.00']) }] }),
    () => find(all, { fields: [field] }),
    () => find(all, { fields: ['*'] }),
    () => find(all, { stored_fields: [field, '_source'] }),
    () => find(all, { stored_fields: ['*'], sort: ['_id'] }),
    () => find(all, { _source: true, version: true }),
    () => sums({ terms: { field } }),
    () => sums({ terms: { field, missing: value } }),
    () => sums({ value_count: { field } }),
    () => sums({ cardinality: { field } }),
    () => sums({ missing: { field } }),
    () => sums({ stats: { field } }),
    () => sums({ date_histogram: { field, calendar_interval: 'month' } }),
    () => step(`GET /${INDEX}/_field_caps?fields=${encodeURIComponent(random.pick([field, '*']))}`),
    () => step(`GET /${INDEX}/_mapping/field/${encodeURIComponent(field)}?include_defaults=true`),
    () => step(`GET /${INDEX}/_doc/${random.int(DOCUMENTS)}?stored_fields=${encodeURIComponent(field)}`),
    () => step(`GET /${INDEX}/_doc/${random.int(DOCUMENTS)}`),
    () => step(`GET /${INDEX}/_termvectors/${random.int(DOCUMENTS)}?fields=${encodeURIComponent(field)}`),
    () => step(`POST /${INDEX}/_analyze`, { field, text: 'The Quick Café 7' }),
    () =>
      step(`POST /${INDEX}/_search`, {
        query: { match: { [field]: random.pick(words) } },
        highlight: { fields: { [field]: {} } },
        sort: ['_doc'],
      }),
  ])();
}
