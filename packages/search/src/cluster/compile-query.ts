// The product's query tree as the JSON of a search cluster, so that what it matches and how it scores depends on the documents of a view
// alone. What that is impossible for is refused by name; query-verdicts.ts says what and why.
import { searchError } from '../errors/search-errors.ts';
import type { Json } from '../json/json.ts';
import type { MappedField } from '../mapping/field-type.ts';
import { termToIp } from '../mapping/ip.ts';
import { expandBlendedBy } from '../query/blended.ts';
import type { Similarity } from '../query/bm25.ts';
import type { Kinds } from '../query/kinds.ts';
import type { PhraseQuery } from '../query/kinds/phrase.ts';
import type { Query } from '../query/query.ts';
import type { IndexView } from '../view/index-view.ts';
import { type ScoreMode, NO_WORD, WORD_BREAK, WORDS_ANALYZER } from './cluster-index.ts';
import { ClusterFields, type FieldLookup } from './cluster-fields.ts';
import { compileFeature, compileFunctionScore } from './compile-functions.ts';
import { compileRange, compileSet } from './compile-values.ts';
import { MATCH_ALL, MATCH_NONE, type QueryCompiler } from './query-compiler.ts';
import { reasonOf } from './query-verdicts.ts';
import { constantOf, idfOf, scoredLeaf } from './score-leaf.ts';
import type { Counting, VisibleStatistics } from './visible-statistics.ts';

const { fround } = Math;

/** Combinations of alternatives of a phrase, each of which is a phrase of its own. */
const MOST_PHRASES = 64;

/** What a query is compiled against. */
export interface ClusterPlace {
  readonly fields: FieldLookup;
  readonly view: IndexView;
  readonly similarity: Similarity;
  readonly mode: ScoreMode;
}

/** The documents that a view shows, as a filter. */
export function compileRows(place: ClusterPlace): Json {
  const { rows } = place.view;
  return rows === undefined ? MATCH_ALL : unguarded(place).filter(rows);
}

/**
 * A query of a caller. Run it under the filter of `compileRows`.
 *
 * @throws ProductError SEARCH_NOT_ON_CLUSTER
 */
export function compileQuery(query: Query, place: ClusterPlace, statistics: VisibleStatistics): Json {
  return new Compiler(place, statistics, 1).scored(query);
}

/** How the values of fields are counted for the statistics of scores, each where the view shows it. */
export function countingOf(place: ClusterPlace, rows: Json): Counting {
  const compiler = new Compiler(place, undefined, 1);
  const { fields } = compiler;
  return {
    rows,
    present: (path) => {
      const length = fields.length(path);
      return compiler.shown(
        path,
        length === undefined ? { exists: { field: path } } : { range: { [length]: { gte: 1 } } },
      );
    },
    words: (path) => {
      const length = fields.length(path);
      return length === undefined ? { value_count: { field: path } } : { sum: { field: length } };
    },
    holding: (field, term) => compiler.filter({ kind: 'term', field, term }),
  };
}

/** A compiler of filters of the caller. */
export function filtersOf(place: ClusterPlace): QueryCompiler {
  return new Compiler(place, undefined, 1);
}

/** A compiler of the queries of the view itself, which may read hidden fields. */
function unguarded(place: ClusterPlace): Compiler {
  return new Compiler({ ...place, view: {} }, undefined, 1);
}

class Compiler implements QueryCompiler {
  readonly fields: ClusterFields;
  readonly boost: number;
  readonly #place: ClusterPlace;
  /** undefined where only filters are compiled. */
  readonly #statistics: VisibleStatistics | undefined;

  constructor(place: ClusterPlace, statistics: VisibleStatistics | undefined, boost: number) {
    this.#place = place;
    this.#statistics = statistics;
    this.boost = boost;
    this.fields = new ClusterFields(place.fields, place.view);
  }

  get #isFilter(): boolean {
    return this.#statistics === undefined;
  }

  filter(query: Query): Json {
    return new Compiler(this.#place, undefined, 1).#compile(query);
  }

  scored(query: Query): Json {
    const boost = query.boost === undefined ? this.boost : fround(this.boost * fround(query.boost));
    return new Compiler(this.#place, this.#statistics, boost).#compile(query);
  }

  #compile(query: Query): Json {
    const json = this.#form(query);
    return query.name === undefined || this.#isFilter ? json : { bool: { must: [json], _name: query.name } };
  }

  shown(path: string, leaf: Json): Json {
    const guard = this.fields.guard(path);
    if (guard === 'hidden') return MATCH_NONE;
    if (guard === undefined) return leaf;
    const when = unguarded(this.#place).filter(guard);
    return { bool: this.#isFilter ? { filter: [leaf, when] } : { must: [leaf], filter: [when] } };
  }

  refuse({ kind }: Query): never {
    const reason = reasonOf(kind, this.#isFilter ? 'filter' : 'score');
    throw searchError('SEARCH_NOT_ON_CLUSTER', { what: `a query of the kind [${kind}]`, reason });
  }

  #form(query: Query): Json {
    switch (query.kind) {
      case 'match_all':
        return { match_all: { boost: this.boost } };
      case 'match_none':
        return MATCH_NONE;
      case 'term':
      case 'synonym':
        return this.#words(query.field, query.kind === 'term' ? [query.term] : query.terms, query);
      case 'blended':
        return this.#isFilter
          ? anyOf(query.words.map(({ field, term }) => this.filter({ kind: 'term', field, term })))
          : this.scored({ ...expandBlendedBy(query, this.#needed), boost: 1 });
      case 'phrase':
        return this.#phrase(query);
      case 'numbers':
        return this.#numbers(query);
      case 'terms':
      case 'ids':
      case 'exists':
      case 'prefix':
      case 'wildcard':
      case 'regexp':
      case 'fuzzy':
        return compileSet(query, this);
      case 'number_range':
      case 'term_range':
      case 'ranges':
      case 'geo_box':
      case 'geo_distance':
      case 'geo_polygon':
        return compileRange(query, this);
      case 'boolean':
        return this.#boolean(query);
      case 'constant_score':
        return { constant_score: { filter: this.filter(query.query), boost: this.boost } };
      case 'dis_max':
        return query.queries.length === 0
          ? MATCH_NONE
          : {
              dis_max: { queries: query.queries.map((each) => this.scored(each)), tie_breaker: query.tieBreaker ?? 0 },
            };
      case 'boosting':
        return {
          boosting: {
            positive: this.scored(query.positive),
            negative: this.filter(query.negative),
            negative_boost: query.negativeBoost,
          },
        };
      case 'function_score':
        return compileFunctionScore(query, this);
      case 'distance_feature':
      case 'rank_feature':
        return compileFeature(query, this);
      case 'covering':
      case 'more_like_this':
      case 'nested':
      case 'part':
      case 'intervals':
      case 'span':
        return this.refuse(query);
    }
  }

  get #needed(): VisibleStatistics {
    if (this.#statistics === undefined) throw new TypeError('a filter asks for no statistics');
    return this.#statistics;
  }

  /** One term, or several that count as one. */
  #words(path: string, terms: readonly string[], query: Kinds['term'] | Kinds['synonym']): Json {
    const field = this.fields.field(path);
    if (field === undefined) return MATCH_NONE;
    const values = terms.map((term) => (field.family === 'ip' ? termToIp(term) : term));
    const leaf = (value: string, boost: number): Json => ({ term: { [path]: { value, boost } } });
    if (this.#isFilter || field.family === 'ip')
      return this.shown(path, anyOf(values.map((value) => leaf(value, this.boost))));
    const statistics = this.#needed;
    const given = query.kind === 'term' ? query.docFreq : undefined;
    const docFreq = given ?? Math.max(0, ...terms.map((term) => statistics.docFreq(path, term)));
    return this.#scoredBy(field, [docFreq], 1, (boost) =>
      this.#place.mode === 'exact'
        ? anyOf(values.map((value) => leaf(value, boost)))
        : bestOf(values.map((value) => leaf(value, boost))),
    );
  }

  /** @param terms how often the similarity of the cluster is called for it */
  #scoredBy(field: MappedField, docFreqs: readonly number[], terms: number, leaf: (boost: number) => Json): Json {
    const { mode, similarity } = this.#place;
    const statistics = this.#needed.field(field.path);
    const idf = fround(
      docFreqs.filter((docFreq) => docFreq > 0).reduce((sum, docFreq) => sum + idfOf(docFreq, statistics), 0),
    );
    const { boost } = this;
    if (field.family !== 'text') {
      const constant = constantOf(similarity, boost, idf, statistics);
      return this.shown(field.path, { constant_score: { filter: leaf(1), boost: constant } });
    }
    const length = field.norms ? this.fields.length(field.path) : undefined;
    return this.shown(field.path, scoredLeaf(leaf, { mode, similarity, boost, idf, field: statistics, length, terms }));
  }

  #phrase(query: PhraseQuery): Json {
    const { field: path, prefix, slop = 0, terms: slots } = query;
    const field = this.fields.field(path);
    if (field === undefined || (slots.length === 0 && prefix === undefined)) return MATCH_NONE;
    const count = slots.reduce((product, { terms }) => product * terms.length, 1);
    const words = slots.flatMap(({ terms }) => terms);
    const isOneForm = count === 1 || (slop === 0 && slots.length > 1);
    if (prefix !== undefined || count > MOST_PHRASES || !(isOneForm || this.#isFilter || slots.length === 1))
      this.refuse(query);
    if (words.some((word) => word.includes(WORD_BREAK) || word === NO_WORD)) this.refuse(query);
    if (slots.length === 1) {
      const queries = words.map((term): Query => ({ kind: 'term', field: path, term }));
      return queries.length === 1 ? this.scored(queries[0]!) : anyOf(queries.map((each) => this.scored(each)));
    }
    if (field.family !== 'text' || !field.positions) throw searchError('SEARCH_NO_POSITIONS', { field: path });
    const phrase = (text: string, boost: number): Json => ({
      match_phrase: { [path]: { query: text, analyzer: WORDS_ANALYZER, slop, boost } },
    });
    const texts = textsOf(slots);
    if (this.#isFilter) return this.shown(path, anyOf(texts.map((text) => phrase(text, 1))));
    const statistics = this.#needed;
    const docFreqs = words.map((word) => statistics.docFreq(path, word));
    return this.#scoredBy(field, docFreqs, slots.length, (boost) => {
      const phrases = texts.map((text) => phrase(text, boost));
      return this.#place.mode === 'exact' ? anyOf(phrases) : bestOf(phrases);
    });
  }

  /** Numbers and dates are a set; `true` and `false` score as words. */
  #numbers(query: Kinds['numbers']): Json {
    const field = this.fields.field(query.field);
    const [value] = query.values;
    if (this.#isFilter || query.isBoolean !== true || field === undefined || value === undefined)
      return compileSet(query, this);
    const statistics = this.#needed;
    const docFreq = statistics.docFreq(field.path, value === 0 ? 'false' : 'true');
    return this.#scoredBy(field, [docFreq], 1, () => ({ term: { [field.path]: value !== 0 } }));
  }

  #boolean(query: Kinds['boolean']): Json {
    const { must = [], filter = [], should = [], mustNot = [] } = query;
    if (must.length + filter.length + should.length + mustNot.length === 0) return { match_all: { boost: this.boost } };
    const minimum = query.minimumShouldMatch ?? (must.length + filter.length === 0 && should.length > 0 ? 1 : 0);
    if (minimum > should.length) return MATCH_NONE;
    const scored = (queries: readonly Query[]): readonly Json[] => queries.map((each) => this.scored(each));
    const filtered = (queries: readonly Query[]): readonly Json[] => queries.map((each) => this.filter(each));
    // Where nothing is required, everything matches and has a score of 0 before optional clauses add theirs.
    const isOpen = must.length + filter.length === 0 && minimum === 0;
    return {
      bool: {
        must: scored(must),
        filter: isOpen ? [MATCH_ALL] : filtered(filter),
        should: scored(should),
        must_not: filtered(mustNot),
        minimum_should_match: minimum,
      },
    };
  }
}

/** Any of some leaves; their scores are added. */
function anyOf(queries: readonly Json[]): Json {
  const [only] = queries;
  if (only === undefined) return MATCH_NONE;
  return queries.length === 1 ? only : { bool: { should: queries, minimum_should_match: 1 } };
}

/** Any of some leaves; the best one counts. */
function bestOf(queries: readonly Json[]): Json {
  const [only] = queries;
  return only !== undefined && queries.length === 1 ? only : { dis_max: { queries } };
}

/** Every combination of the alternatives of a phrase, as a text for the analyzer of words. */
function textsOf(slots: PhraseQuery['terms']): readonly string[] {
  let texts: readonly string[] = [''];
  let before = slots[0]!.position - 1;
  for (const { position, terms } of slots) {
    const gap = `${NO_WORD}${WORD_BREAK}`.repeat(position - before - 1);
    texts = texts.flatMap((text) => terms.map((term) => `${text}${gap}${term}${WORD_BREAK}`));
    before = position;
  }
  return texts;
}
