// Which aggregations Elasticsearch rewrites before it asks the shards: those with a query inside that stands for another one, and those
// around them. It shows: a rewritten aggregation has `meta`, be it empty.
import { isObject, type Json } from '../json/json.ts';
import { queriesIn } from './definitions.ts';

/** Whether an aggregation, by its members, or one that stands in it is rewritten. */
export function isRewritten(body: Json): boolean {
  return Object.entries(body).some(([kind, value]) => {
    if (!isObject(value)) return false;
    if (kind === 'aggs' || kind === 'aggregations')
      return Object.values(value).some((inner) => isObject(inner) && isRewritten(inner));
    return queriesIn(kind, value).some(isQueryRewritten);
  });
}

/** Queries that are rewritten with what they hold, and the members that hold it. */
const AROUND: Readonly<Record<string, readonly string[]>> = {
  boosting: ['positive', 'negative'],
  constant_score: ['filter'],
  dis_max: ['queries'],
  nested: ['query'],
  script_score: ['query'],
};

function isQueryRewritten(json: unknown): boolean {
  if (!isObject(json)) return false;
  const [kind = '', value] = Object.entries(json)[0] ?? [];
  if (!isObject(value)) return false;
  switch (kind) {
    case 'wrapper':
      return true;
    case 'terms':
      return Object.values(value).some(isObject);
    case 'geo_shape':
      return Object.values(value).some((field) => isObject(field) && field['indexed_shape'] !== undefined);
    case 'bool': {
      const clauses = CLAUSES.flatMap((name) => listOf(value[name]));
      const required = [...listOf(value['must']), ...listOf(value['filter'])];
      return clauses.length === 0 || required.some(isNone) || clauses.some(isQueryRewritten);
    }
    case 'constant_score':
      return isNone(value['filter']) || isQueryRewritten(value['filter']);
    case 'function_score': {
      const filters = listOf(value['functions']).map((each) => (isObject(each) ? each['filter'] : undefined));
      return [value['query'], ...filters].some(isQueryRewritten);
    }
    default:
      return (AROUND[kind] ?? []).some((member) => listOf(value[member]).some(isQueryRewritten));
  }
}

const CLAUSES = ['must', 'filter', 'should', 'must_not'];
const isNone = (query: unknown): boolean => isObject(query) && query['match_none'] !== undefined;
const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
