// Which aggregations Elasticsearch rewrites before the shards run them: those with a query inside that stands for another one or is decided
// by the mapping alone, and those around them. It shows: a rewritten aggregation has `meta`, be it empty.
import { isObject, type Json } from '../json/json.ts';
import { queriesIn } from './definitions.ts';

/** What is mapped. */
export interface Mapped {
  field(path: string): unknown;
  object(path: string): unknown;
}

/** Whether an aggregation, by its members, or one that stands in it is rewritten. */
export function isRewritten(body: Json, mapped: Mapped): boolean {
  return Object.entries(body).some(([kind, value]) => {
    if (!isObject(value)) return false;
    if (kind === 'aggs' || kind === 'aggregations')
      return Object.values(value).some((inner) => isObject(inner) && isRewritten(inner, mapped));
    return queriesIn(kind, value).some((query) => isQueryRewritten(query, mapped));
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

/** Queries of one field, which are rewritten where the field is not there, or has one value in all documents. */
const OF_ONE_FIELD = ['term', 'prefix', 'wildcard', 'fuzzy', 'range'];
const OF_ALL_DOCUMENTS = ['_index', '_type'];

function isQueryRewritten(json: unknown, mapped: Mapped): boolean {
  if (!isObject(json)) return false;
  const [kind = '', value] = Object.entries(json)[0] ?? [];
  if (!isObject(value)) return false;
  const isAnyRewritten = (queries: readonly unknown[]): boolean =>
    queries.some((query) => isQueryRewritten(query, mapped));
  const isDecided = (field: string): boolean => OF_ALL_DOCUMENTS.includes(field) || mapped.field(field) === undefined;
  if (OF_ONE_FIELD.includes(kind)) return Object.keys(value).slice(0, 1).some(isDecided);
  switch (kind) {
    case 'wrapper':
      return true;
    case 'exists':
      return typeof value['field'] === 'string' && isAbsent(value['field'], mapped);
    case 'ids':
      return Array.isArray(value['values']) && value['values'].length === 0;
    case 'terms':
      return Object.entries(value).some(
        ([field, terms]) => isObject(terms) || (Array.isArray(terms) && (terms.length === 0 || isDecided(field))),
      );
    case 'geo_shape':
      return Object.values(value).some((field) => isObject(field) && field['indexed_shape'] !== undefined);
    case 'bool': {
      const clauses = CLAUSES.flatMap((name) => listOf(value[name]));
      const required = [...listOf(value['must']), ...listOf(value['filter'])];
      return clauses.length === 0 || required.some(isNone) || isAnyRewritten(clauses);
    }
    case 'constant_score':
      return isNone(value['filter']) || isAnyRewritten([value['filter']]);
    case 'function_score': {
      const filters = listOf(value['functions']).map((each) => (isObject(each) ? each['filter'] : undefined));
      return isAnyRewritten([value['query'], ...filters]);
    }
    default:
      return (AROUND[kind] ?? []).some((member) => isAnyRewritten(listOf(value[member])));
  }
}

/** Whether there is neither a field nor an object; of patterns there may be. */
function isAbsent(name: string, mapped: Mapped): boolean {
  if (name.includes('*') || mapped.field(name) !== undefined) return false;
  return mapped.object(name) === undefined;
}
const CLAUSES = ['must', 'filter', 'should', 'must_not'];
const isNone = (query: unknown): boolean => isObject(query) && query['match_none'] !== undefined;
const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
