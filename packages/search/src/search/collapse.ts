// `collapse`: the field that hits are grouped by, what of it each hit shows, and the hits inside a group, which are a search of their
// own over all indices of the request.
import { checkInnerHits } from '../dsl/read-body.ts';
import type { Hit, SearchRequest } from '../collect/search-request.ts';
import { asObject, asString, isObject, type Json, toList } from '../json/json.ts';
import { checked, INTEGER, type Member, parseObject, TEXT, within } from '../json/object-parser.ts';
import { isNumeric, printTerm } from '../mapping/field-type.ts';
import { isMetadata } from '../mapping/metadata-fields.ts';
import type { Query } from '../query/query.ts';
import { illegalArgument, parsingError, searchFailure, shardArgument } from '../errors/request-error.ts';
import { readSearchBody, type SearchBody } from './search-body.ts';
import type { Target } from '../fetch/target.ts';

/** @throws RequestError for what no mapping makes right */
export function checkCollapse(collapse: Json): void {
  parseObject(collapse, 'collapse', MEMBERS);
}

const MEMBERS = {
  field: TEXT,
  inner_hits: {
    kind: 'objects',
    read(value) {
      for (const each of toList(value)) {
        if (!isObject(each)) throw parsingError('Invalid token in inner_hits array');
        checkInnerHits(each, true);
        if (isObject(each['collapse'])) checkInner(each['collapse']);
      }
    },
  },
  max_concurrent_group_searches: checked(INTEGER, (most) => {
    if (most < 1) throw illegalArgument('maxConcurrentGroupRequests` must be positive');
  }),
} as const satisfies Readonly<Record<string, Member<unknown>>>;

/** Reads the field for one index. @throws RequestError when it has no column there */
export function readCollapse(body: SearchBody, target: Target): SearchRequest['collapse'] {
  if (body.collapse === undefined) return undefined;
  checkCollapse(body.collapse);
  if (body.searchAfter !== undefined) throw searchFailure('cannot use `collapse` in conjunction with `search_after`');
  if (body.rescore.length > 0) throw searchFailure('cannot use `collapse` in conjunction with `rescore`');
  const name = asString(body.collapse['field'], 'collapse.field');
  const field = target.mapping.field(name);
  if (field === undefined) throw shardArgument(`no mapping found for \`${name}\` in order to collapse on`);
  // Dates, booleans, addresses and scaled numbers Elasticsearch refuses too.
  if (!['keyword', 'number'].includes(field.family) || field.type === 'scaled_float' || isMetadata(field))
    throw shardArgument(`unknown type for collapse field \`${field.path}\`, only keywords and numbers are accepted`);
  if (!field.docValues) throw shardArgument(`cannot collapse on field \`${field.path}\` without \`doc_values\``);
  return { field: field.path, type: isNumeric(field) ? 'number' : 'keyword' };
}

/** What a hit shows of its group, which has a value. */
export function collapseField(collapse: Json, hit: Hit, target: Target): Json {
  const name = asString(collapse['field'], 'field');
  const field = target.mapping.field(name);
  const value = hit.collapse!;
  return { [name]: [typeof value === 'string' && field !== undefined ? printTerm(field, value) : value] };
}

/** Narrows the query of a search on one index. */
export type Narrow = (query: Query, target: Target) => Query;

/** The `inner_hits` of a group by name. @param search runs a search over all indices of the request and answers its `hits` */
export function groupsOf(body: SearchBody, hit: Hit, search: (inner: SearchBody, narrow: Narrow) => unknown): Json {
  const found: Record<string, unknown> = {};
  const name = asString(body.collapse!['field'], 'collapse.field');
  const narrow: Narrow = (query, target) => {
    const must = body.query === undefined ? [] : [query];
    return groupQuery(must, target.mapping.field(name)!.path, hit.collapse ?? null);
  };
  for (const entry of toList(body.collapse!['inner_hits'])) {
    const plan = asObject(entry, 'inner_hits');
    checkInnerHits(plan, true);
    const { name: given, ignore_unmapped: _, stored_fields: stored, ...others } = plan;
    // Elasticsearch passes names on, and no other value.
    const rest = stored === undefined || stored === '_none_' ? others : { ...others, stored_fields: stored };
    if (given === undefined) throw illegalArgument('Field name cannot be null');
    const inner = readSearchBody({ size: 3, ...rest, track_total_hits: true });
    found[asString(given, 'name')] = {
      hits: search({ ...inner, query: body.query, postFilter: body.postFilter }, narrow),
    };
  }
  return found;
}

/** Groups inside of groups end there. */
function checkInner(collapse: Json): void {
  within('inner_hits', 'collapse', () => {
    const keys = Object.keys(collapse);
    if (keys.length !== 1 || keys[0] !== 'field') throw parsingError('Invalid token in the inner collapse');
  });
}

/** The matches of the group of a value; of those without one for null. */
function groupQuery(must: readonly Query[], field: string, value: string | number | null): Query {
  if (value === null) {
    const clauses = must.length === 0 ? { filter: [{ kind: 'match_all' } as const] } : { must };
    return { kind: 'boolean', ...clauses, mustNot: [{ kind: 'exists', field }] };
  }
  const group: Query =
    typeof value === 'number' ? { kind: 'numbers', field, values: [value] } : { kind: 'terms', field, terms: [value] };
  return { kind: 'boolean', ...(must.length === 0 ? {} : { must }), filter: [group] };
}
