// The product's query tree as the JSON of a search cluster, so that what it matches and how it scores depends on the documents of a view
// alone. What that is impossible for is refused by name; the definitions of kinds (query/kinds) say what, and why.
import { searchError } from '../errors/search-errors.ts';
import type { Json } from '../json/json.ts';
import type { MappedField } from '../mapping/field-type.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Frequencies } from '../query/blended.ts';
import type { Similarity } from '../query/bm25.ts';
import type { ClusterCompiler } from '../query/cluster/cluster-compiler.ts';
import { MATCH_ALL, MATCH_NONE } from '../query/cluster/leaves.ts';
import { reasonOf } from '../query/cluster/verdict.ts';
import { kindOf, KINDS } from '../query/kinds.ts';
import type { Query } from '../query/query.ts';
import type { IndexView } from '../view/index-view.ts';
import type { ScoreMode } from './cluster-index.ts';
import { ClusterFields } from './cluster-fields.ts';
import { constantOf, idfOf, scoredLeaf } from './score-leaf.ts';
import type { Counting } from './visible-statistics.ts';

const { fround } = Math;

/** The greatest product of boosts: times an idf it is still a number of 32 bits. */
const MOST_BOOST = 1e30;

/** What a query is compiled against. */
export interface ClusterPlace {
  readonly fields: Mapping;
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
export function compileQuery(query: Query, place: ClusterPlace, statistics: Frequencies): Json {
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
export function filtersOf(place: ClusterPlace): ClusterCompiler {
  return new Compiler(place, undefined, 1);
}

/** A compiler of the queries of the view itself, which may read hidden fields. */
function unguarded(place: ClusterPlace): Compiler {
  return new Compiler({ ...place, view: {} }, undefined, 1);
}

class Compiler implements ClusterCompiler {
  readonly fields: ClusterFields;
  readonly boost: number;
  readonly #place: ClusterPlace;
  /** undefined where only filters are compiled. */
  readonly #statistics: Frequencies | undefined;

  constructor(place: ClusterPlace, statistics: Frequencies | undefined, boost: number) {
    this.#place = place;
    this.#statistics = statistics;
    this.boost = boost;
    this.fields = new ClusterFields(place.fields, place.view);
  }

  get isFilter(): boolean {
    return this.#statistics === undefined;
  }

  get isExact(): boolean {
    return this.#place.mode === 'exact';
  }

  get statistics(): Frequencies {
    if (this.#statistics === undefined) throw new TypeError('a filter asks for no statistics');
    return this.#statistics;
  }

  filter(query: Query): Json {
    return new Compiler(this.#place, undefined, 1).#compile(query);
  }

  scored(query: Query): Json {
    const boost = query.boost === undefined ? this.boost : fround(this.boost * fround(query.boost));
    // Infinity has no JSON.
    if (boost > MOST_BOOST)
      throw searchError('SEARCH_NOT_ON_CLUSTER', {
        what: `A product of boosts of ${boost}`,
        reason: `its scores are no numbers of 32 bits; ${MOST_BOOST} is the most`,
      });
    return new Compiler(this.#place, this.#statistics, boost).#compile(query);
  }

  #compile(query: Query): Json {
    const json = kindOf(query).cluster.compile(query, this);
    return query.name === undefined || this.isFilter ? json : { bool: { must: [json], _name: query.name } };
  }

  shown(path: string, leaf: Json): Json {
    const guard = this.fields.guard(path);
    if (guard === 'hidden') return MATCH_NONE;
    if (guard === undefined) return leaf;
    const when = unguarded(this.#place).filter(guard);
    return { bool: this.isFilter ? { filter: [leaf, when] } : { must: [leaf], filter: [when] } };
  }

  refuse({ kind }: Query): never {
    const reason = reasonOf(KINDS[kind].cluster[this.isFilter ? 'filter' : 'score']);
    throw searchError('SEARCH_NOT_ON_CLUSTER', { what: `a query of the kind [${kind}]`, reason });
  }

  scoredBy(field: MappedField, docFreqs: readonly number[], terms: number, leaf: (boost: number) => Json): Json {
    const { mode, similarity } = this.#place;
    const statistics = this.statistics.field(field.path);
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
}
