// Random requests to both doors of an application, made from its own schema and words: every way in which the search API answers
// about data, over fields that a caller may or may not know of; those to the graph are made in random-operations.ts.
import type { Paged } from './ask-pages.ts';
import type { Random } from './random.ts';
import { METRICS, randomAggregation, randomSort } from './random-aggregations.ts';
import { randomOperation, readingRoots } from './random-operations.ts';
import { randomQuery } from './random-queries.ts';
import { type Surface, Words } from './random-words.ts';

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

/** Makes one request. */
export function randomRequest(random: Random, surface: Surface): Asked {
  const { indexes, model } = surface;
  if (indexes.length === 0 || (readingRoots(model).length > 0 && random.once(4)))
    return { door: 'graph', query: randomOperation(random, surface) };
  return new Search(new Words(random, surface, random.pick(indexes))).request();
}

class Search {
  readonly #words: Words;

  constructor(words: Words) {
    this.#words = words;
  }

  request(): Asked {
    const { name } = this.#words.index;
    const id = encodeURIComponent(this.#words.key());
    const asked = (target: string, body?: unknown): Asked => ({
      door: 'search',
      target,
      ...(body === undefined ? {} : { body }),
    });
    switch (this.#words.random.int(44)) {
      case 0:
        return asked(`POST /${this.#names()}/_count`, { query: randomQuery(this.#words, 2) });
      case 1:
        return asked(`POST /${name}/_explain/${id}`, { query: randomQuery(this.#words, 1) });
      case 2:
        return asked(
          `GET /${name}/_doc/${id}${this.#words.random.pick(['', '?_source_includes=*', '?realtime=true&version=1'])}`,
        );
      case 3:
        return asked(`POST /${name}/_mget`, { ids: [this.#words.key(), this.#words.key(), 'absent'] });
      case 4:
        return asked(`POST /${name}/_validate/query?explain=true`, { query: randomQuery(this.#words, 1) });
      case 5:
        return asked(`GET ${this.#words.random.pick(PLAIN).replaceAll('{index}', name)}`);
      case 6:
        return asked(`POST /${name}/_msearch`, [
          {},
          { query: randomQuery(this.#words, 1) },
          { index: this.#words.random.pick(this.#words.surface.indexes).name },
          this.#search(),
        ]);
      case 7:
        return asked(
          `GET /_search?q=${encodeURIComponent(this.#words.word())}&df=${encodeURIComponent(this.#words.text())}`,
        );
      case 8:
        return this.#pages();
      case 9:
        return asked(`GET /${name}/_source/${id}`);
      case 10:
        return asked(`POST /${name}/_analyze`, { field: this.#words.field(), text: this.#words.word() });
      case 11:
        return asked(`GET /${name}/_termvectors/${id}?term_statistics=true&fields=*`);
      case 12:
        return asked(`POST /${name}/_search?typed_keys=true`, {
          query: randomQuery(this.#words, 1),
          sort: [randomSort(this.#words), '_doc'],
          size: 2,
          search_after: [this.#words.random.int(5), 1],
        });
      case 13:
        return asked(`POST /${name}/_mtermvectors`, {
          docs: [
            { _id: this.#words.key(), field_statistics: true },
            { doc: { [this.#words.text()]: this.#words.word() }, term_statistics: true },
          ],
        });
      case 14:
        return asked(
          `GET /${name}/_field_caps?include_unmapped=true&fields=${encodeURIComponent(this.#words.field())}`,
        );
      case 15:
        return asked(`HEAD /${name}/_doc/${id}`);
      case 16:
        return asked(`POST /${name}/${this.#words.index.path}/_search`, this.#search());
      case 17:
        return asked(`GET /${name}/${this.#words.index.path}/${id}`);
      case 18:
        return this.#write(id);
      case 19:
        return asked(
          `POST /${this.#names()}/_field_caps?fields=${encodeURIComponent(this.#words.random.pick(['*', this.#words.field()]))}`,
          {
            index_filter: randomQuery(this.#words, 1),
          },
        );
      case 20:
        return asked(`GET /${name}/_mapping/field/${encodeURIComponent(this.#words.field())}`);
      case 21:
        return asked(`POST /_mget`, {
          docs: [
            { _index: name, _id: this.#words.key(), _source: [this.#words.field(), '*.name'] },
            {
              _index: this.#words.random.pick(this.#words.surface.indexes).name,
              _id: this.#words.key(),
              stored_fields: ['_source'],
            },
          ],
        });
      case 22:
        return asked(`GET /${name}/_search?${this.#inUrl()}`);
      case 23:
        return asked(`POST /${name}/_termvectors?offsets=false`, {
          doc: { [this.#words.text()]: `${this.#words.word()} ${this.#words.word()}` },
          term_statistics: true,
        });
      case 24:
        return asked(`POST /${this.#names()}/_count?min_score=0.1`, { query: randomQuery(this.#words, 1) });
      case 25:
        return asked(
          `GET /_count?q=${encodeURIComponent(`${this.#words.text()}:${this.#words.plainWord()}`)}&lenient=true`,
        );
      default:
        return asked(`POST /${this.#names()}/_search`, this.#search());
    }
  }

  #pages(): Asked {
    const random = this.#words.random;
    const { name } = this.#words.index;
    const how = random.pick(['scroll', 'slice', 'pit', 'search_after', 'composite', 'copy'] as const);
    const query = randomQuery(this.#words, 1);
    const size = 1 + random.int(2);
    if (how === 'copy') return { door: 'pages', how, index: name, body: { query } };
    if (how !== 'composite')
      return { door: 'pages', how, index: name, body: { query, size, sort: [randomSort(this.#words), '_id'] } };
    const source = { terms: { field: this.#words.keyword(), missing_bucket: random.once(2) } };
    const sources = [
      { k: source },
      ...this.#words.index.numbers.slice(0, 1).map((field) => ({ n: { terms: { field } } })),
    ];
    return { door: 'pages', how, index: name, body: { query, aggs: { c: { composite: { size, sources } } } } };
  }

  /** A write to the index of a type: refused, whether or not there is such a document. */
  #write(id: string): Asked {
    const { name } = this.#words.index;
    const body = { [this.#words.text()]: 'written' };
    const doc = { doc: body };
    const query = { query: randomQuery(this.#words, 0) };
    const [target, sent] = this.#words.random.pick<readonly [string, unknown?]>([
      [`PUT /${name}/_doc/${id}`, body],
      [`PUT /${name}/_doc/${id}?op_type=create`, body],
      [`PUT /${name}/_doc/${id}?if_seq_no=${this.#words.random.int(9)}&if_primary_term=1`, body],
      [`PUT /${name}/_create/${id}`, body],
      [`POST /${name}/_update/${id}`, doc],
      [`DELETE /${name}/_doc/${id}`],
      [`DELETE /${name}/${this.#words.index.path}/${id}`],
      [`POST /${name}/_update_by_query`, query],
      [`POST /${name}/_delete_by_query`, query],
      [
        `POST /_bulk`,
        [
          { update: { _index: name, _id: this.#words.key() } },
          doc,
          { delete: { _index: name, _id: this.#words.key() } },
        ],
      ],
      [`POST /_reindex`, { source: { index: name }, dest: { index: name } }],
      [`PUT /${name}/_mapping`, { properties: { [this.#words.field()]: { type: 'long' } } }],
      [`POST /${name}/_refresh`],
      [`POST /${name}/_forcemerge`],
      [`POST /${name}/_close`],
      [`PUT /${name}/_alias/other`],
      [`PUT /${name}`],
    ]);
    return { door: 'search', target, ...(sent === undefined ? {} : { body: sent }) };
  }

  /** A search all of whose wishes stand in its URL. */
  #inUrl(): string {
    const random = this.#words.random;
    const wishes = new URLSearchParams({ q: `${this.#words.text()}:${this.#words.plainWord()}*`, lenient: 'true' });
    const sometimes = (name: string, value: string): void => {
      if (random.once(3)) wishes.set(name, value);
    };
    sometimes('sort', `${this.#words.keyword()}:desc`);
    sometimes('_source_includes', this.#words.field());
    sometimes('docvalue_fields', this.#words.keyword());
    sometimes('stored_fields', '_source');
    sometimes('explain', 'true');
    sometimes('version', 'true');
    sometimes('track_scores', 'true');
    sometimes('rest_total_hits_as_int', 'true');
    sometimes('analyze_wildcard', 'true');
    if (random.once(3)) {
      wishes.set('suggest_field', this.#words.text());
      wishes.set('suggest_text', `${this.#words.plainWord()}x`);
    }
    return String(wishes);
  }

  /** The index, by its name or by patterns that others may fit, too. */
  #names(): string {
    const { name } = this.#words.index;
    return this.#words.random.once(6)
      ? this.#words.random.pick([`${name.slice(0, 2)}*`, '*', '_all', `*,-${name}`, `absent,${name}`])
      : name;
  }

  #search(): Readonly<Record<string, unknown>> {
    const random = this.#words.random;
    const body: Record<string, unknown> = {};
    const sometimes = (key: string, inSoMany: number, make: () => unknown): void => {
      if (random.once(inSoMany)) body[key] = make();
    };
    sometimes('query', 1, () => randomQuery(this.#words, 2));
    sometimes('size', 3, () => random.pick([0, 1, 2, 100]));
    sometimes('from', 6, () => 1);
    sometimes('aggs', 3, () => ({
      a: randomAggregation(this.#words, 1),
      b: randomAggregation(this.#words, 0),
      ...Object.fromEntries(
        this.#words.index.numbers.map((field, at) => [`n${at}`, { [random.pick(METRICS)]: { field } }]),
      ),
    }));
    sometimes('sort', 4, () => [randomSort(this.#words)]);
    sometimes('post_filter', 8, () => randomQuery(this.#words, 0));
    sometimes('min_score', 8, () => 0.2);
    sometimes('track_total_hits', 6, () => random.pick([true, false, 1]));
    sometimes('collapse', 10, () => ({
      field: this.#words.keyword(),
      inner_hits: {
        name: 'i',
        size: 2,
        highlight: { fields: { '*': {} } },
        collapse: { field: this.#words.keyword() },
      },
    }));
    sometimes('highlight', 4, () => this.#highlight());
    sometimes('explain', 5, () => true);
    sometimes('profile', 12, () => true);
    if (body['sort'] === undefined && body['collapse'] === undefined) {
      sometimes('rescore', 10, () => ({
        window_size: 3,
        query: { rescore_query: randomQuery(this.#words, 1), rescore_query_weight: 2 },
      }));
    }
    sometimes('version', 8, () => true);
    sometimes('track_scores', 8, () => true);
    sometimes('timeout', 16, () => '10s');
    sometimes('terminate_after', 24, () => 1);
    sometimes('stored_fields', 16, () => random.pick<unknown>(['_none_', ['_source'], [this.#words.field()]]));
    sometimes('indices_boost', 16, () => [{ [this.#words.index.name]: 2 }, { '*': 0.5 }]);
    sometimes('stats', 24, () => ['group']);
    sometimes('seq_no_primary_term', 8, () => true);
    sometimes('docvalue_fields', 8, () => [random.pick(['*.keyword', this.#words.keyword(), '_policy.*'])]);
    sometimes('fields', 6, () => [random.pick(['*', this.#words.field()])]);
    sometimes('_source', 5, () =>
      random.pick<unknown>([false, ['*'], [this.#words.field(), '_policy'], { excludes: [this.#words.field()] }]),
    );
    sometimes('suggest', 6, () => ({
      s: {
        text: `${this.#words.word()}x ${this.#words.word()}`,
        term: {
          field: this.#words.text(),
          suggest_mode: random.pick(['always', 'missing', 'popular']),
          min_word_length: 1,
        },
      },
      ...(random.once(2)
        ? {
            p: {
              text: `${this.#words.word()}x ${this.#words.word()}`,
              phrase: {
                field: this.#words.text(),
                confidence: random.pick([0, 1]),
                max_errors: 2,
                gram_size: random.pick([1, 2]),
                smoothing: random.pick<unknown>([{ laplace: {} }, { stupid_backoff: {} }]),
                direct_generator: [{ field: this.#words.text(), suggest_mode: 'always', min_word_length: 1 }],
              },
            },
          }
        : {}),
      ...(random.once(12) ? { c: { prefix: this.#words.word(), completion: { field: this.#words.field() } } } : {}),
    }));
    return body;
  }

  #highlight(): unknown {
    const random = this.#words.random;
    return {
      fields: random.pick<unknown>([
        { '*': {} },
        { [this.#words.text()]: { number_of_fragments: 0 }, '*.keyword': {} },
        { [this.#words.text()]: { matched_fields: [this.#words.text(), this.#words.text()], no_match_size: 20 } },
        [
          { [this.#words.text()]: { highlight_query: randomQuery(this.#words, 0) } },
          { '*': { type: 'plain', fragment_size: 10 } },
        ],
      ]),
      ...(random.once(3) ? { require_field_match: false } : {}),
      ...(random.once(4) ? { highlight_query: randomQuery(this.#words, 0), order: 'score' } : {}),
    };
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
  '/_cat/master',
  '/_cat/nodes?h=node.role,heap.percent',
  '/_cluster/health/{index}?level=shards',
  '/_cluster/settings?include_defaults=true',
  '/_nodes/stats/indices?filter_path=nodes.*.indices',
  '/{index}/_stats/docs,store,search,indexing',
  '/{index}/_stats?fields=*&fielddata_fields=*',
  '/_component_template',
  '/_template',
  '/{index}/_alias',
];
