// Random requests to both doors of an application, made from its own schema and words: every way in which the search API answers
// about data, over fields that a caller may or may not know of; those to the graph are made in random-operations.ts.
import type { Model } from '@lockstitch/graph';
import { searchDocumentShape } from '@lockstitch/graph';

import { fieldType } from '../sync/mapping.ts';
import type { Paged } from './ask-pages.ts';
import type { Random } from './random.ts';
import { type OperationSurface, randomOperation, readingRoots } from './random-operations.ts';

/** One request. */
export type Asked =
  | { readonly door: 'search'; readonly target: string; readonly body?: unknown }
  | ({ readonly door: 'pages' } & Paged)
  | { readonly door: 'graph'; readonly query: string };

/** A request as text. */
export function printAsked(asked: Asked): string {
  if (asked.door === 'graph') return asked.query;
  const { body } = asked;
  const target = asked.door === 'search' ? asked.target : `POST /${asked.index}/_search, in pages by ${asked.how}`;
  return body === undefined ? target : `${target}\n${JSON.stringify(body)}`;
}

/** What requests are made of. */
export interface Surface extends OperationSurface {
  readonly indexes: readonly IndexSurface[];
}

/** One index. */
export interface IndexSurface {
  readonly name: string;
  /** The second segment of its typed path. */
  readonly path: string;
  readonly type: string;
  readonly texts: readonly string[];
  /** Columns of strings. */
  readonly keywords: readonly string[];
  readonly numbers: readonly string[];
  readonly dates: readonly string[];
  /** Objects and everything else that could be named. */
  readonly others: readonly string[];
}

/** Describes the indexes of a model. */
export function readSurface(model: Model): readonly IndexSurface[] {
  const found: IndexSurface[] = [];
  for (const entity of model.entities.values()) {
    if (entity.searchIndex === undefined) continue;
    const shape = searchDocumentShape(model, entity);
    const of = (test: (type: string) => boolean): string[] =>
      shape.filter((field) => test(fieldType(field))).map(({ path }) => path);
    const texts = of((type) => type === 'text');
    found.push({
      name: entity.searchIndex.index,
      path: entity.searchIndex.type,
      type: entity.name,
      texts,
      keywords: [...of((type) => type === 'keyword'), ...texts.map((path) => `${path}.keyword`)],
      numbers: of((type) => NUMBERS.has(type)),
      dates: of((type) => type === 'date'),
      others: [
        ...new Set(shape.map(({ path }) => path.split('.')[0]!)),
        '_policy',
        '_policy.r0',
        '_ignored',
        '_id',
        'absent',
      ],
    });
  }
  return found;
}

const NUMBERS: ReadonlySet<string> = new Set(['long', 'integer', 'short', 'byte', 'double', 'float']);

/** Makes one request. */
export function randomRequest(random: Random, surface: Surface): Asked {
  const { indexes, model } = surface;
  if (indexes.length === 0 || (readingRoots(model).length > 0 && random.once(4)))
    return { door: 'graph', query: randomOperation(random, surface) };
  return new Search(random, surface, random.pick(indexes)).request();
}

class Search {
  readonly #random: Random;
  readonly #surface: Surface;
  readonly #index: IndexSurface;

  constructor(random: Random, surface: Surface, index: IndexSurface) {
    this.#random = random;
    this.#surface = surface;
    this.#index = index;
  }

  request(): Asked {
    const { name } = this.#index;
    const id = encodeURIComponent(this.#key());
    const asked = (target: string, body?: unknown): Asked => ({
      door: 'search',
      target,
      ...(body === undefined ? {} : { body }),
    });
    switch (this.#random.int(32)) {
      case 0:
        return asked(`POST /${this.#names()}/_count`, { query: this.#query(2) });
      case 1:
        return asked(`POST /${name}/_explain/${id}`, { query: this.#query(1) });
      case 2:
        return asked(
          `GET /${name}/_doc/${id}${this.#random.pick(['', '?_source_includes=*', '?realtime=true&version=1'])}`,
        );
      case 3:
        return asked(`POST /${name}/_mget`, { ids: [this.#key(), this.#key(), 'absent'] });
      case 4:
        return asked(`POST /${name}/_validate/query?explain=true`, { query: this.#query(1) });
      case 5:
        return asked(`GET ${this.#random.pick(PLAIN).replaceAll('{index}', name)}`);
      case 6:
        return asked(`POST /${name}/_msearch`, [
          {},
          { query: this.#query(1) },
          { index: this.#random.pick(this.#surface.indexes).name },
          this.#search(),
        ]);
      case 7:
        return asked(`GET /_search?q=${encodeURIComponent(this.#word())}&df=${encodeURIComponent(this.#text())}`);
      case 8:
        return {
          door: 'pages',
          how: this.#random.pick(['scroll', 'pit', 'search_after']),
          index: name,
          body: { query: this.#query(1), size: 1 + this.#random.int(2), sort: [this.#sort(), '_id'] },
        };
      case 9:
        return asked(`GET /${name}/_source/${id}`);
      case 10:
        return asked(`POST /${name}/_analyze`, { field: this.#field(), text: this.#word() });
      case 11:
        return asked(`GET /${name}/_termvectors/${id}?term_statistics=true&fields=*`);
      case 12:
        return asked(`POST /${name}/_search?typed_keys=true`, {
          query: this.#query(1),
          sort: [this.#sort(), '_doc'],
          size: 2,
          search_after: [this.#random.int(5), 1],
        });
      case 13:
        return asked(`POST /${name}/_mtermvectors`, {
          docs: [
            { _id: this.#key(), field_statistics: true },
            { doc: { [this.#text()]: this.#word() }, term_statistics: true },
          ],
        });
      case 14:
        return asked(`GET /${name}/_field_caps?include_unmapped=true&fields=${encodeURIComponent(this.#field())}`);
      case 15:
        return asked(`HEAD /${name}/_doc/${id}`);
      case 16:
        return asked(`POST /${name}/${this.#index.path}/_search`, this.#search());
      case 17:
        return asked(`GET /${name}/${this.#index.path}/${id}`);
      default:
        return asked(`POST /${this.#names()}/_search`, this.#search());
    }
  }

  /** The index, by its name or by patterns that others may fit, too. */
  #names(): string {
    const { name } = this.#index;
    return this.#random.once(6)
      ? this.#random.pick([`${name.slice(0, 2)}*`, '*', '_all', `*,-${name}`, `absent,${name}`])
      : name;
  }

  #search(): Readonly<Record<string, unknown>> {
    const random = this.#random;
    const body: Record<string, unknown> = {};
    const sometimes = (key: string, inSoMany: number, make: () => unknown): void => {
      if (random.once(inSoMany)) body[key] = make();
    };
    sometimes('query', 1, () => this.#query(2));
    sometimes('size', 3, () => random.pick([0, 1, 2, 100]));
    sometimes('from', 6, () => 1);
    sometimes('aggs', 3, () => ({
      a: this.#aggregation(1),
      b: this.#aggregation(0),
      ...Object.fromEntries(this.#index.numbers.map((field, at) => [`n${at}`, { [random.pick(METRICS)]: { field } }])),
    }));
    sometimes('sort', 4, () => [this.#sort()]);
    sometimes('post_filter', 8, () => this.#query(0));
    sometimes('min_score', 8, () => 0.2);
    sometimes('track_total_hits', 6, () => random.pick([true, false, 1]));
    sometimes('collapse', 10, () => ({
      field: this.#keyword(),
      inner_hits: { name: 'i', size: 2, highlight: { fields: { '*': {} } }, collapse: { field: this.#keyword() } },
    }));
    sometimes('highlight', 4, () => this.#highlight());
    sometimes('explain', 5, () => true);
    sometimes('profile', 12, () => true);
    if (body['sort'] === undefined && body['collapse'] === undefined) {
      sometimes('rescore', 10, () => ({
        window_size: 3,
        query: { rescore_query: this.#query(1), rescore_query_weight: 2 },
      }));
    }
    sometimes('version', 8, () => true);
    sometimes('seq_no_primary_term', 8, () => true);
    sometimes('docvalue_fields', 8, () => [random.pick(['*.keyword', this.#keyword(), '_policy.*'])]);
    sometimes('fields', 6, () => [random.pick(['*', this.#field()])]);
    sometimes('_source', 5, () =>
      random.pick<unknown>([false, ['*'], [this.#field(), '_policy'], { excludes: [this.#field()] }]),
    );
    sometimes('suggest', 6, () => ({
      s: {
        text: `${this.#word()}x ${this.#word()}`,
        term: { field: this.#text(), suggest_mode: 'always', min_word_length: 1 },
      },
    }));
    return body;
  }

  #highlight(): unknown {
    const random = this.#random;
    return {
      fields: random.pick<unknown>([
        { '*': {} },
        { [this.#text()]: { number_of_fragments: 0 }, '*.keyword': {} },
        { [this.#text()]: { matched_fields: [this.#text(), this.#text()], no_match_size: 20 } },
        [{ [this.#text()]: { highlight_query: this.#query(0) } }, { '*': { type: 'plain', fragment_size: 10 } }],
      ]),
      ...(random.once(3) ? { require_field_match: false } : {}),
      ...(random.once(4) ? { highlight_query: this.#query(0), order: 'score' } : {}),
    };
  }

  #query(depth: number): unknown {
    const random = this.#random;
    if (depth > 0 && random.once(2)) {
      const inner = (): unknown => this.#query(depth - 1);
      return random.pick<() => unknown>([
        () => ({ bool: { must: [inner()], should: [inner(), inner()] } }),
        () => ({ bool: { filter: [inner()], must_not: [inner()] } }),
        () => ({ bool: { should: [inner(), inner()], minimum_should_match: 1 } }),
        () => ({ dis_max: { queries: [inner(), inner()], tie_breaker: 0.3 } }),
        () => ({ constant_score: { filter: inner() } }),
        () => ({ boosting: { positive: inner(), negative: inner(), negative_boost: 0.5 } }),
        () => ({ function_score: { query: inner(), functions: [{ filter: inner(), weight: 3 }] } }),
        () => ({
          function_score: { query: inner(), random_score: { seed: 7, field: this.#field() }, boost_mode: 'replace' },
        }),
      ])();
    }
    const [text, keyword, word] = [this.#text(), this.#keyword(), this.#word()];
    return random.pick<unknown>([
      { match_all: {} },
      { match: { [text]: `${word} ${this.#word()}` } },
      { match: { [text]: { query: word, fuzziness: 'AUTO' } } },
      { match_bool_prefix: { [text]: `${this.#word()} ${word.slice(0, 2)}` } },
      { match: { [text]: { query: `${word} ${this.#word()} absent`, minimum_should_match: 2 } } },
      { terms: { [keyword]: { index: this.#index.name, id: this.#key(), path: this.#field() } } },
      { match_phrase: { [text]: { query: `${word} ${this.#word()}`, slop: 1 } } },
      { match_phrase_prefix: { [text]: { query: word, max_expansions: 1 } } },
      { multi_match: { query: word, fields: ['*'], lenient: true } },
      { multi_match: { query: `${word} ${this.#word()}`, fields: [text, this.#text()], type: 'cross_fields' } },
      { query_string: { query: word.replaceAll(/[^\p{L}\p{N} ]/gu, ' ').trim() || 'a', lenient: true } },
      {
        query_string: {
          query: `${this.#field().replaceAll('*', '')}:${word.replaceAll(/[^\p{L}\p{N}]/gu, '') || 'a'}`,
          lenient: true,
        },
      },
      { simple_query_string: { query: `${word.slice(0, 2)}*`, lenient: true } },
      { term: { [keyword]: word } },
      { terms: { [keyword]: [word, this.#word()] } },
      { range: { [keyword]: { gte: word } } },
      { prefix: { [keyword]: word.slice(0, 1) } },
      { wildcard: { [keyword]: `*${word.slice(1, 3)}*` } },
      { regexp: { [keyword]: `${word.slice(0, 1).replaceAll(/[^\p{L}\p{N}]/gu, '.')}.*` } },
      { prefix: { [text]: { value: word.slice(0, 1).toLowerCase(), rewrite: 'top_terms_1' } } },
      { fuzzy: { [text]: { value: word.toLowerCase(), max_expansions: 1 } } },
      { exists: { field: this.#field() } },
      { ids: { values: [this.#key(), this.#key()] } },
      { intervals: { [text]: { match: { query: `${word} ${this.#word()}`, ordered: random.once(2), max_gaps: 2 } } } },
      {
        intervals: {
          [text]: {
            any_of: { intervals: [{ prefix: { prefix: word.slice(0, 1) } }, { fuzzy: { term: `${word}x` } }] },
          },
        },
      },
      {
        more_like_this: {
          fields: [text],
          like: [{ _id: this.#key() }, word],
          min_term_freq: 1,
          min_doc_freq: 1,
          max_query_terms: 2,
        },
      },
      ...this.#index.numbers.map((field) => ({
        terms_set: { [keyword]: { terms: [word, this.#word()], minimum_should_match_field: field } },
      })),
      ...this.#index.numbers.map((field) => ({
        function_score: { gauss: { [field]: { origin: 3, scale: 2 } }, boost_mode: 'sum' },
      })),
      ...this.#index.numbers.map((field) => ({ function_score: { field_value_factor: { field, missing: 1 } } })),
      ...this.#index.dates.map((field) => ({ distance_feature: { field, origin: '2026-01-01', pivot: '30d' } })),
      ...this.#index.numbers.map((field) => ({ range: { [field]: { gte: random.int(5) } } })),
    ]);
  }

  #aggregation(depth: number): unknown {
    const random = this.#random;
    const keyword = this.#keyword();
    const inner = depth > 0 ? { aggs: { i: this.#aggregation(depth - 1) } } : {};
    return random.pick<unknown>([
      { terms: { field: keyword }, ...inner },
      { terms: { field: keyword, min_doc_count: 0, order: { _key: 'asc' } } },
      {
        terms: { field: keyword, size: 1 },
        aggs: { top: { top_hits: { size: 1, highlight: { fields: { '*': {} } } } } },
      },
      { terms: { field: keyword, include: '[a-m].*', missing: 'none' } },
      { rare_terms: { field: keyword, max_doc_count: 2 } },
      { significant_terms: { field: keyword, min_doc_count: 1 } },
      { significant_terms: { field: keyword, min_doc_count: 1, background_filter: this.#query(0), gnd: {} } },
      { adjacency_matrix: { filters: { a: this.#query(0), b: this.#query(0) } } },
      {
        filter: { match_all: {} },
        aggs: { t: { terms: { field: keyword } }, s: { stats_bucket: { buckets_path: 't>_count' } } },
      },
      { cardinality: { field: keyword } },
      { missing: { field: this.#field() }, ...inner },
      { value_count: { field: keyword } },
      { filter: this.#query(1), ...inner },
      { global: {}, ...inner },
      { composite: { size: 2, sources: [{ k: { terms: { field: keyword, missing_bucket: true } } }] } },
      { filters: { filters: { a: this.#query(0), b: { exists: { field: this.#field() } } } }, ...inner },
      {
        terms: { field: keyword },
        aggs: { i: { value_count: { field: this.#keyword() } }, s: { bucket_sort: { sort: ['_count'], size: 2 } } },
      },
      ...this.#index.numbers.map((field) => ({
        histogram: { field, interval: 1 },
        aggs: { c: { cumulative_sum: { buckets_path: '_count' } }, d: { derivative: { buckets_path: 'c' } } },
      })),
      ...this.#index.numbers.map((field) => ({ percentiles: { field } })),
      ...this.#index.numbers.map((field) => ({ percentile_ranks: { field, values: [1, 3] } })),
      ...this.#index.numbers.map((field) => ({ [random.pick(METRICS)]: { field } })),
      ...this.#index.numbers.map((field) => ({ range: { field, ranges: [{ to: 2 }, { from: 2 }] }, ...inner })),
      ...this.#index.numbers.map((field) => ({ significant_terms: { field, min_doc_count: 1 } })),
      ...this.#index.numbers.map((field) => ({
        composite: { sources: [{ h: { histogram: { field, interval: 2 } } }, { k: { terms: { field: keyword } } }] },
      })),
      ...this.#index.dates.map((field) => ({
        date_range: { field, ranges: [{ to: '2026-06-01' }, { from: '2026-06-01' }] },
        ...inner,
      })),
      ...this.#index.numbers.map((field) => ({ stats: { field } })),
      ...this.#index.numbers.map((field) => ({ histogram: { field, interval: 2 } })),
      ...this.#index.dates.map((field) => ({ date_histogram: { field, calendar_interval: 'year' } })),
    ]);
  }

  #sort(): unknown {
    const random = this.#random;
    return random.pick<unknown>([
      '_doc',
      '_score',
      { [this.#keyword()]: { order: random.pick(['asc', 'desc']), unmapped_type: 'keyword' } },
      ...this.#index.numbers.map((field) => ({ [field]: { order: 'desc', missing: '_first', unmapped_type: 'long' } })),
    ]);
  }

  #text(): string {
    const { texts } = this.#index;
    return texts.length === 0 ? 'absent' : this.#random.pick(texts);
  }

  #keyword(): string {
    const { keywords } = this.#index;
    return keywords.length === 0 || this.#random.once(12)
      ? this.#random.pick(this.#index.others)
      : this.#random.pick(keywords);
  }

  #field(): string {
    const { keywords, numbers, others, texts } = this.#index;
    return this.#random.pick([...texts, ...keywords, ...numbers, ...others]);
  }

  #word(): string {
    return this.#surface.words.length === 0 ? 'word' : this.#random.pick(this.#surface.words);
  }

  #key(): string {
    const keys = this.#surface.keys.get(this.#index.type) ?? [];
    return keys.length === 0 || this.#random.once(10) ? 'absent' : this.#random.pick(keys);
  }
}

const METRICS: readonly string[] = [
  'avg',
  'sum',
  'min',
  'max',
  'extended_stats',
  'median_absolute_deviation',
  'cardinality',
];

const PLAIN: readonly string[] = [
  '/{index}/_mapping',
  '/{index}/_mapping/field/*',
  '/{index}',
  '/{index}/_settings',
  '/{index}/_stats',
  '/_stats',
  '/_cat/indices?h=index,docs.count,docs.deleted,store.size',
  '/_cat/count?h=count',
  '/_cluster/health',
  '/',
  '/{index}/_field_caps?fields=*',
  '/_resolve/index/*',
  '/_cat/indices?format=json&bytes=b',
  '/_cat/aliases',
  '/_cat/health?h=status,node.total,shards',
  '/_alias',
  '/_tasks',
  '/_mapping',
  '/_cat/indices?v&h=health,status,index,pri,rep,docs.count,docs.deleted,store.size,feed.lag',
  '/_cat/shards?h=index,shard,prirep,state,docs,store',
  '/_cat/count/{index}?h=count',
  '/_cat/templates',
  '/_nodes/stats?filter_path=nodes.*.indices',
  '/_nodes?filter_path=nodes.*.roles',
  '/_field_caps?fields=*',
  '/_index_template',
  '/{index}/_segments',
];
