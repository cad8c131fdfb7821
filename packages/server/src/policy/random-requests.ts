// Random requests to both doors of an application, made from its own schema and words: every way in which the search API and
// the graph answer about data, over fields that a caller may or may not know of.
import type { Entity, Model, RootBinding } from '@lockstitch/graph';
import { searchDocumentShape } from '@lockstitch/graph';

import { fieldType } from '../sync/mapping.ts';
import type { Random } from './random.ts';

/** One request. */
export type Asked =
  | { readonly door: 'search'; readonly target: string; readonly body?: unknown }
  | { readonly door: 'graph'; readonly query: string };

/** What requests are made of. */
export interface Surface {
  readonly model: Model;
  readonly indexes: readonly IndexSurface[];
  /** Words and values that occur in the data, hidden ones among them. */
  readonly words: readonly string[];
  /** Keys by type. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
}

/** One index. */
export interface IndexSurface {
  readonly name: string;
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
  const roots = [...surface.model.roots].filter(([name, { kind }]) => name.startsWith('Query.') && READS.has(kind));
  if (surface.indexes.length === 0 || (roots.length > 0 && random.once(4))) {
    return { door: 'graph', query: `{ ${new Operation(random, surface).root(...random.pick(roots))} }` };
  }
  return new Search(random, surface, random.pick(surface.indexes)).request();
}

const READS: ReadonlySet<RootBinding['kind']> = new Set(['lookup', 'list', 'connection', 'count', 'search']);

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
    switch (this.#random.int(24)) {
      case 0:
        return asked(`POST /${name}/_count`, { query: this.#query(2) });
      case 1:
        return asked(`POST /${name}/_explain/${id}`, { query: this.#query(1) });
      case 2:
        return asked(`GET /${name}/_doc/${id}`);
      case 3:
        return asked(`POST /${name}/_mget`, { ids: [this.#key(), this.#key(), 'absent'] });
      case 4:
        return asked(`POST /${name}/_validate/query?explain=true`, { query: this.#query(1) });
      case 5:
        return asked(`GET ${this.#random.pick(PLAIN).replaceAll('{index}', name)}`);
      case 6:
        return asked(`POST /${name}/_msearch`, [{}, { query: this.#query(1) }, {}, { query: this.#query(0) }]);
      case 7:
        return asked(`GET /_search?q=${encodeURIComponent(this.#word())}`);
      case 8:
        return asked(`POST /${name}/_search?scroll=1m`, { size: 1, query: this.#query(1) });
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
      default:
        return asked(`POST /${name}/_search`, this.#search());
    }
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
    sometimes('aggs', 3, () => ({ a: this.#aggregation(1), b: this.#aggregation(0) }));
    sometimes('sort', 4, () => [this.#sort()]);
    sometimes('post_filter', 8, () => this.#query(0));
    sometimes('min_score', 8, () => 0.2);
    sometimes('track_total_hits', 6, () => random.pick([true, false, 1]));
    sometimes('collapse', 10, () => ({ field: this.#keyword(), inner_hits: { name: 'i', size: 2 } }));
    sometimes('highlight', 4, () => ({ fields: { '*': {} } }));
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
      ])();
    }
    const [text, keyword, word] = [this.#text(), this.#keyword(), this.#word()];
    return random.pick<unknown>([
      { match_all: {} },
      { match: { [text]: `${word} ${this.#word()}` } },
      { match: { [text]: { query: word, fuzziness: 'AUTO' } } },
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
      { terms: { field: keyword, size: 1 }, aggs: { top: { top_hits: { size: 1 } } } },
      { significant_terms: { field: keyword } },
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
];

class Operation {
  readonly #random: Random;
  readonly #surface: Surface;

  constructor(random: Random, surface: Surface) {
    this.#random = random;
    this.#surface = surface;
  }

  root(coordinate: string, binding: RootBinding): string {
    const field = coordinate.slice(coordinate.indexOf('.') + 1);
    const { model, keys } = this.#surface;
    const entityName = 'entity' in binding ? binding.entity : 'type' in binding ? binding.type : '';
    const entity = model.entities.get(entityName);
    const given: string[] = [];
    for (const [name, role] of 'arguments' in binding ? binding.arguments : []) {
      if (role.kind === 'equals' && entity !== undefined && !role.list) {
        const values = role.field === entity.key.name ? (keys.get(entity.name) ?? []) : this.#surface.words;
        if (values.length > 0 && (binding.kind === 'lookup' || this.#random.once(3)))
          given.push(`${name}: ${JSON.stringify(this.#random.pick(values))}`);
      }
    }
    const query = model.schema.getQueryType()?.getFields()[field];
    for (const argument of query?.args ?? []) {
      if (argument.name === 'query' && binding.kind === 'search')
        given.push(`query: ${JSON.stringify(this.#random.pick([...this.#surface.words, 'a']))}`);
    }
    const call = `${field}${given.length === 0 ? '' : `(${given.join(', ')})`}`;
    if (binding.kind === 'count' || entity === undefined)
      return binding.kind === 'count' ? call : `${call} { __typename }`;
    const selection = this.#selection(entity, 2);
    if (binding.kind === 'connection') return `${call} { edges { node { ${selection} } } totalCount }`;
    if (binding.kind === 'search')
      return `${call} { totalCount edges { score node { ${selection} } highlights { field fragments } } }`;
    return `${call} { ${selection} }`;
  }

  #selection(entity: Entity, depth: number): string {
    const parts: string[] = [];
    for (const field of entity.fields.values()) {
      if (field.kind === 'resolver') continue;
      if (field.kind === 'column') {
        if (this.#surface.model.entities.has(field.typeName) || this.#random.once(4)) continue;
        const type = this.#surface.model.schema.getType(field.typeName);
        // Stored objects have fields of their own.
        if (type !== undefined && 'getFields' in type) continue;
        parts.push(field.name);
        continue;
      }
      const target = this.#surface.model.entities.get(field.target);
      if (target === undefined || depth === 0 || field.connection || this.#random.once(2)) continue;
      parts.push(`${field.name} { ${this.#selection(target, depth - 1)} }`);
    }
    return ['__typename', ...parts].join(' ');
  }
}
