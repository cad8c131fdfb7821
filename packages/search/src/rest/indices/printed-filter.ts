// How Elasticsearch prints the filter of an alias: with the defaults of its queries. Queries that seldom are filters are printed as they
// were given.
import { isObject, type Json, textOf, toList } from '../../json/json.ts';

const BOOL_CLAUSES = ['must', 'filter', 'must_not', 'should'];

/** Prints a query that was checked when its alias was made. */
export function printedFilter(query: unknown): unknown {
  const [kind, body] = isObject(query) ? (Object.entries(query)[0] ?? []) : [];
  if (kind === undefined || !isObject(body)) return query;
  const { boost = 1, _name, ...rest } = body;
  const more = { boost, ...(_name === undefined ? {} : { _name }) };
  switch (kind) {
    case 'match_all':
    case 'exists':
    case 'terms':
    case 'ids':
      return { [kind]: { ...rest, ...more } };
    case 'term':
    case 'prefix':
      return { [kind]: ofField(body, (value) => ({ value })) };
    case 'wildcard':
      return { [kind]: ofField(body, (wildcard) => ({ wildcard })) };
    case 'range':
      return { [kind]: ofField(body, printedRange) };
    case 'constant_score':
      return { [kind]: { filter: printedFilter(rest['filter']), ...more } };
    case 'bool':
      return { [kind]: { ...printedBool(rest), ...more } };
    default:
      return query;
  }
}

/** A query of one field, whose value may stand alone or among its options. */
function ofField(body: Json, print: (value: unknown) => Json): Json {
  const [[field, given] = ['', undefined]] = Object.entries(body);
  const { value, wildcard, boost = 1, ...rest } = isObject(given) ? given : { value: given };
  return {
    [field]: {
      ...print(value ?? wildcard ?? rest),
      ...(value === undefined && wildcard === undefined ? {} : rest),
      boost,
    },
  };
}

function printedRange(bounds: unknown): Json {
  const {
    from,
    to,
    gt,
    gte,
    lt,
    lte,
    include_lower: lower,
    include_upper: upper,
    ...rest
  } = isObject(bounds) ? bounds : {};
  return {
    from: from ?? gt ?? gte ?? null,
    to: to ?? lt ?? lte ?? null,
    include_lower: lower ?? gt === undefined,
    include_upper: upper ?? lt === undefined,
    ...rest,
  };
}

function printedBool(body: Json): Json {
  const { minimum_should_match: least, adjust_pure_negative: adjusts = true } = body;
  const clauses = BOOL_CLAUSES.filter((name) => body[name] !== undefined).map((name) => [
    name,
    toList(body[name]).map(printedFilter),
  ]);
  return {
    ...Object.fromEntries(clauses),
    adjust_pure_negative: adjusts,
    ...(least === undefined ? {} : { minimum_should_match: textOf(least) }),
  };
}
