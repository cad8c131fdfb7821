// Searches of an index on a cluster under a view: at most two requests each, one for statistics of its scores that are not known yet, and
// one for its hits. Hits are made of primitives. Aggregations are those of the cluster, cut down to the names of the request.
import { isObject, type Json } from '../json/json.ts';
import { KEY_FIELD } from '../query/cluster/leaves.ts';
import type { Query } from '../query/query.ts';
import { compileAggregations } from './compile-aggregations.ts';
import { type ClusterPlace, compileRows, filtersOf } from './compile-query.ts';
import { compileScored } from './compile-scored.ts';
import { totalOf } from './search-target.ts';
import { KnownStatistics } from './visible-statistics.ts';

/** Sends a body to `_search` of the index. @throws Error for an answer that is partial, or none */
export type AskSearch = (body: Json) => Promise<Json>;

export interface ClusterHits {
  /** Absent where it is not counted; `gte`: as far as it was counted. */
  readonly total?: { readonly value: number; readonly relation: 'eq' | 'gte' };
  readonly hits: readonly { readonly id: string; readonly score: number }[];
  /** As a response of Elasticsearch shows them; present where the search has some. */
  readonly aggregations?: Json;
}

export interface SearchOptions {
  readonly size: number;
  readonly trackTotalHits: boolean | number;
  /** The aggregations of the request, which is right, and how queries in them are read. */
  readonly aggregations?: { readonly json: Json; readonly parseQuery: (json: unknown) => Query };
}

/** An index on a cluster under one view, at one state of its data. After a refresh, open another: statistics are kept. */
export class ClusterSearcher {
  readonly #ask: AskSearch;
  readonly #place: ClusterPlace;
  readonly #known = new KnownStatistics();
  readonly #rows: Json;

  constructor(ask: AskSearch, place: ClusterPlace) {
    this.#ask = ask;
    this.#place = place;
    this.#rows = compileRows(place);
  }

  /** @throws ProductError SEARCH_NOT_ON_CLUSTER */
  async search(query: Query, { aggregations, size, trackTotalHits }: SearchOptions): Promise<ClusterHits> {
    const { parseQuery } = aggregations ?? {};
    const computed =
      aggregations &&
      parseQuery &&
      compileAggregations(aggregations.json, { compiler: filtersOf(this.#place), rows: this.#rows, parseQuery });
    this.#known.trim();
    const compiled = await compileScored(query, this.#place, this.#known, this.#rows, this.#ask);
    const answer = await this.#ask({
      query: { bool: { must: [compiled], filter: [this.#rows] } },
      size,
      track_total_hits: trackTotalHits,
      // The key breaks ties: the order of the index is that of writes, and shows those of hidden documents.
      sort: [{ _score: 'desc' }, { [KEY_FIELD]: 'asc' }],
      _source: false,
      ...(computed && { aggs: computed.json }),
    });
    const found = readHits(answer);
    if (computed === undefined) return found;
    return { ...found, aggregations: computed.read(isObject(answer['aggregations']) ? answer['aggregations'] : {}) };
  }
}

function readHits({ hits }: Json): ClusterHits {
  const found = isObject(hits) ? hits['hits'] : undefined;
  if (!isObject(hits) || !Array.isArray(found)) throw new TypeError('the answer of the cluster has no hits');
  const total = totalOf(hits['total']);
  return {
    ...(total && { total }),
    hits: found.map((hit: unknown) => {
      const { _score: score, sort } = isObject(hit) ? hit : {};
      const id: unknown = Array.isArray(sort) ? sort[1] : undefined;
      if (typeof id !== 'string' || typeof score !== 'number')
        throw new TypeError('a hit of the cluster has no score or no key');
      return { id, score };
    }),
  };
}
