// One index that a request is about, with everything needed to answer for it: its mapping and the alias' filter. What
// the caller may not see is not in the index that they are given (view/viewed-engine.ts).
import type { QueryContext } from '../dsl/context.ts';
import { parseQuery } from '../dsl/parse-query.ts';
import type { Index } from '../engine/engine-api.ts';
import type { IndexSearcher } from '../collect/searcher.ts';
import type { Searcher } from '../collect/search-request.ts';
import { Mapping } from '../mapping/mapping.ts';
import { settingsOf } from '../settings/client-settings.ts';
import type { PartQuery } from '../query/kinds/part.ts';
import type { Query } from '../query/query.ts';

/** An index within a request. */
export interface Target {
  readonly index: Index;
  readonly mapping: Mapping;
  /** What hits show as `_type`. */
  readonly typeName: string;
  readonly context: QueryContext;
  /** The filters of the aliases by which the index was named; empty when it was named itself. */
  readonly filters: readonly unknown[];
  /** The part of the index that is meant, by routing or as a slice; undefined: all of it. */
  readonly part: PartQuery | undefined;
}

/** How many shards of its index a search of the target asks, as many as the index says it has. */
export function countShards({ index, part }: Target): number {
  if (part?.wanted !== undefined) return new Set(part.wanted).size;
  return Number(settingsOf(index.definition)['number_of_shards'] ?? 1);
}

/** The mapping of an index made by this package. */
export function mappingOf(index: Index): Mapping {
  if (!(index.mapper instanceof Mapping)) throw new TypeError(`Index [${index.name}] was not made with createMapper.`);
  return index.mapper;
}

/** The query of a request on a target, narrowed by the alias. */
export function targetQuery(target: Target, json: unknown): Query {
  const query: Query = json === undefined || json === null ? { kind: 'match_all' } : parseQuery(json, target.context);
  const narrowing: Query[] = target.part === undefined ? [] : [target.part];
  const filters = target.filters.map((filter) => parseQuery(filter, target.context));
  if (filters.length > 0) narrowing.push(filters.length === 1 ? filters[0]! : { kind: 'boolean', should: filters });
  return narrowing.length === 0 ? query : { kind: 'boolean', must: [query], filter: narrowing };
}

/** The query of a request as it is printed and explained. */
export function explainedQuery({ target, searcher }: SearchTarget, json: unknown): Query {
  const count = (query: Query): number => searcher.count(query);
  return targetQuery({ ...target, context: { ...target.context, count } }, json);
}

/** A target with the state it is searched in. */
export interface SearchTarget {
  readonly target: Target;
  /** The whole state, of which a view may show a part. */
  readonly state: IndexSearcher;
  readonly searcher: Searcher;
}
