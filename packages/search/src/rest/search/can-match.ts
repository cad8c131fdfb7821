// Whether a query might find a document of an index, as far as its mapping and the dates in it tell: Elasticsearch's rewriting of queries
// before they are searched. The documents themselves are not asked.
import { isObject, type Json, toList, textOf } from '../../json/json.ts';
import { isLarge } from '../../json/large-json.ts';
import { isConstant } from '../../mapping/metadata-fields.ts';
import type { Target } from '../../fetch/target.ts';
import { parseQuery } from '../../dsl/parse-query.ts';
import { isRewriteError, RequestError } from '../../errors/request-error.ts';

/** Whether a query finds a document. */
type Finds = (query: unknown) => Promise<boolean>;

/**
 * Whether a query, once it has been rewritten, is another than `match_none`.
 *
 * @throws RequestError for one that cannot be read; what does not fit the mapping is no mistake here
 */
export async function canMatch(query: unknown, target: Target, finds: Finds): Promise<boolean> {
  try {
    // A query too large to be read here is read where it is counted; it is one of many values, which documents may have.
    if (isLarge(query)) await finds(query);
    else parseQuery(query, target.context);
  } catch (error) {
    if (isRewriteError(error)) return false;
    if (!(error instanceof RequestError) || error.details.phase !== true) throw error;
  }
  return isLarge(query) || !(await isNone(query, target, finds));
}

/** Queries of one field, of which nothing is found where it is not mapped. */
const OF_ONE_FIELD = ['term', 'terms', 'prefix', 'wildcard', 'fuzzy', 'range'];

async function isNone(query: unknown, target: Target, finds: Finds): Promise<boolean> {
  const [kind, body] = isObject(query) ? (Object.entries(query)[0] ?? []) : [];
  if (kind === undefined || !isObject(body)) return false;
  const inner = (each: unknown): Promise<boolean> => isNone(each, target, finds);
  switch (kind) {
    case 'match_none':
      return true;
    case 'bool':
      return isNoBool(body, inner);
    case 'constant_score':
      return inner(body['filter']);
    case 'boosting':
      return inner(body['positive']);
    case 'function_score':
      return inner(body['query']);
    case 'wrapper':
      return inner(JSON.parse(Buffer.from(textOf(body['query']), 'base64').toString()));
    case 'ids':
      return toList(body['values'] ?? []).length === 0;
    case 'exists': {
      const path = textOf(body['field']);
      return target.mapping.named(path).length === 0 && target.mapping.object(path) === undefined;
    }
    default:
      return OF_ONE_FIELD.includes(kind) && isNoField(kind, body, target, finds);
  }
}

async function isNoBool(body: Json, inner: (query: unknown) => Promise<boolean>): Promise<boolean> {
  const clauses = (...names: readonly string[]): readonly unknown[] =>
    names.flatMap((name) => toList(body[name] ?? []));
  const needed = clauses('must', 'filter');
  for (const each of needed) if (await inner(each)) return true;
  const optional = clauses('should');
  if (needed.length > 0 || optional.length === 0) return false;
  for (const each of optional) if (!(await inner(each))) return false;
  return true;
}

async function isNoField(kind: string, body: Json, target: Target, finds: Finds): Promise<boolean> {
  const [path, given] = Object.entries(body).find(([name]) => name !== 'boost' && name !== '_name') ?? [];
  if (path === undefined) return false;
  if (kind === 'terms' && Array.isArray(given) && given.length === 0) return true;
  const field = target.mapping.field(path);
  if (field === undefined) return true;
  if (kind === 'range') return field.family === 'date' && isObject(given) && isOutside(path, given, finds);
  // Of a fuzzy query the value is not looked at.
  if (!isConstant(field) || kind === 'fuzzy') return false;
  return parseQuery({ [kind]: body }, target.context).kind === 'match_none';
}

/** Whether all dates lie on one side of a range. */
async function isOutside(path: string, range: Json, finds: Finds): Promise<boolean> {
  const bounds = (others: readonly string[]): Json =>
    Object.fromEntries(Object.entries(range).filter(([name]) => !others.includes(name)));
  const sides = [bounds(['lt', 'lte', 'to', 'include_upper']), bounds(['gt', 'gte', 'from', 'include_lower'])];
  try {
    for (const side of sides) if (!(await finds({ range: { [path]: side } }))) return true;
    return false;
  } catch (error) {
    // An index whose dates cannot be compared is left out, too.
    if (error instanceof RequestError && error.status === 400) return true;
    throw error;
  }
}
