// Searching: _search, _count, _msearch, scroll, point in time, _validate/query, _explain, _field_caps.
import { setImmediate } from 'node:timers/promises';
import type { Cursors } from './cursors.ts';
import { causeOf } from './error-shape.ts';
import { checkIsOpen, shownType } from './index-state.ts';
import { indicesOf, openIndicesOf, resolveIndices, targetOf, type Found } from './index-names.ts';
import {
  type Answer,
  bodyIndex,
  bodyLines,
  type Call,
  durationParam,
  flagParam,
  integerParam,
  jsonBody,
  listParam,
  param,
} from './request.ts';
import { standardAnalysis } from '../analysis/analysis-registry.ts';
import { fetchHit, printExplanation } from '../api/fetch.ts';
import { readFetchOptions, readSearchBody, type SearchBody } from '../api/search-body.ts';
import { runCount, runSearch } from '../api/search.ts';
import { type SearchTarget, mappingOf, type Target, targetQuery } from '../api/target.ts';
import { asBoolean, asObject, asString, checkKeys, isObject, type Json, parseJson, toList, textOf } from '../json.ts';
import { globMatches } from '../glob.ts';
import type { Allowance } from '../request-budget.ts';
import { duration } from '../dsl/function-score.ts';
import { Mapping } from '../mapping/mapping.ts';
import { illegalArgument, parsingError, RequestError, validationError } from '../request-error.ts';
import { hasColumn } from '../mapping/field-type.ts';
import { parseQuery } from '../dsl/parse-query.ts';

/** What searches share between requests. */
export interface SearchState {
  readonly cursors: Cursors;
  /** `search.max_buckets`. */
  maxBuckets: number;
  readonly maxAggregations: number;
  readonly allowance: Allowance;
}

function limitsOf(state: SearchState): Pick<SearchState, 'maxBuckets' | 'maxAggregations' | 'allowance'> {
  const { maxBuckets, maxAggregations, allowance } = state;
  return { maxBuckets, maxAggregations, allowance };
}

/** The body of a search with the URL's parameters put in. */
function withUrl(call: Call, body: Json): Json {
  const merged: Record<string, unknown> = { ...body };
  const q = param(call, 'q');
  if (q !== undefined) {
    merged['query'] = {
      query_string: {
        query: q,
        ...(param(call, 'df') === undefined ? {} : { default_field: param(call, 'df') }),
        ...(param(call, 'analyzer') === undefined ? {} : { analyzer: param(call, 'analyzer') }),
        ...(param(call, 'default_operator') === undefined ? {} : { default_operator: param(call, 'default_operator') }),
        ...(param(call, 'lenient') === undefined ? {} : { lenient: flagParam(call, 'lenient') }),
        ...(param(call, 'analyze_wildcard') === undefined
          ? {}
          : { analyze_wildcard: flagParam(call, 'analyze_wildcard') }),
      },
    };
  }
  for (const name of ['from', 'size', 'terminate_after'] as const) {
    const value = integerParam(call, name);
    if (value !== undefined) merged[name] = value;
  }
  for (const name of ['timeout'] as const) if (param(call, name) !== undefined) merged[name] = param(call, name);
  for (const name of ['track_scores', 'version', 'seq_no_primary_term', 'explain'] as const) {
    if (param(call, name) !== undefined) merged[name] = flagParam(call, name);
  }
  const track = param(call, 'track_total_hits');
  if (track !== undefined)
    merged['track_total_hits'] = /^-?\d+$/.test(track)
      ? Number(track)
      : track === ''
        ? true
        : asBoolean(track, 'track_total_hits');
  const sort = listParam(call, 'sort');
  if (sort !== undefined) merged['sort'] = sort;
  const stored = listParam(call, 'stored_fields');
  if (stored !== undefined) merged['stored_fields'] = stored;
  const docvalues = listParam(call, 'docvalue_fields');
  if (docvalues !== undefined) merged['docvalue_fields'] = docvalues;
  const source = param(call, '_source');
  const includes = listParam(call, '_source_includes');
  const excludes = listParam(call, '_source_excludes');
  if (source !== undefined) merged['_source'] = source === 'true' || source === 'false' ? source : source.split(',');
  if (includes !== undefined || excludes !== undefined) {
    merged['_source'] = {
      includes: [
        ...(includes ?? []),
        ...(source === undefined || source === 'true' || source === 'false' ? [] : source.split(',')),
      ],
      excludes: excludes ?? [],
    };
  }
  if (param(call, 'suggest_text') !== undefined || param(call, 'suggest_field') !== undefined) {
    const field = param(call, 'suggest_field');
    merged['suggest'] = {
      [field ?? 'suggest']: {
        text: param(call, 'suggest_text'),
        term: {
          field,
          suggest_mode: param(call, 'suggest_mode') ?? 'missing',
          ...(param(call, 'suggest_size') === undefined ? {} : { size: integerParam(call, 'suggest_size') }),
        },
      },
    };
  }
  return merged;
}

function open(found: readonly Found[], call: Call): SearchTarget[] {
  return found.map((each) => {
    const target = targetOf(each, call);
    return { target, searcher: target.index.searcher() };
  });
}

function release(targets: readonly SearchTarget[]): void {
  for (const { searcher } of targets) searcher.release();
}

/** Whose an open search is: the caller and what he sees, both now as when it was opened. */
function ownerOf(targets: readonly SearchTarget[], { request }: Call): string {
  const views = targets.map(({ target }) => [target.index.name, request.view?.(target.index.name) ?? null]);
  return JSON.stringify([request.caller ?? null, views]);
}

/** Reads queries against an empty mapping, so that mistakes are told even when there is no index to search. */
function checkWithoutIndex(body: SearchBody, call: Call): void {
  if (body.query === undefined) return;
  parseQuery(body.query, {
    index: '_na_',
    mapping: new Mapping(undefined, standardAnalysis),
    now: call.now,
    defaultField: ['*'],
    aliases: [],
  });
}

/** What Elasticsearch's messages call parameters. */
const JAVA_NAMES = {
  batched_reduce_size: 'batchedReduceSize',
  max_concurrent_shard_requests: 'maxConcurrentShardRequests',
  pre_filter_shard_size: 'preFilterShardSize',
} as const;

/** `GET|POST [/{index}[/{type}]]/_search`. */
export function search(state: SearchState, call: Call): Answer {
  const type = param(call, 'search_type');
  if (type !== undefined && type !== 'query_then_fetch' && type !== 'dfs_query_then_fetch')
    throw illegalArgument(`No search type for [${type}]`);
  for (const name of ['batched_reduce_size', 'max_concurrent_shard_requests', 'pre_filter_shard_size'] as const) {
    const value = integerParam(call, name);
    const least = name === 'batched_reduce_size' ? 2 : 1;
    if (value !== undefined && value < least)
      throw illegalArgument(
        name === 'batched_reduce_size' ? 'batchedReduceSize must be >= 2' : `${JAVA_NAMES[name]} must be >= 1`,
      );
  }
  const body = readSearchBody(withUrl(call, asObject(jsonBody(call) ?? {}, 'search')));
  return { json: searchJson(state, call, body, call.path['index']) };
}

function searchJson(state: SearchState, call: Call, body: SearchBody, expression: string | undefined): Json {
  const totalHitsAsInt = flagParam(call, 'rest_total_hits_as_int');
  if (totalHitsAsInt && typeof body.trackTotalHits === 'number' && body.trackTotalHits !== 10_000) {
    throw illegalArgument(
      `[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got ${body.trackTotalHits}`,
    );
  }
  const counted: SearchBody =
    totalHitsAsInt && typeof body.trackTotalHits === 'number' ? { ...body, trackTotalHits: true } : body;
  const options = {
    now: call.now,
    ...limitsOf(state),
    typedKeys: flagParam(call, 'typed_keys'),
    totalHitsAsInt,
  };
  const scroll = durationParam(call, 'scroll');
  if (body.pit !== undefined) {
    if (expression !== undefined) throw validationError('[indices] cannot be used with point in time');
    if (scroll !== undefined) throw validationError('using [point in time] is not allowed in a scroll context');
    const cursor = state.cursors.use(body.pit.id, call.now, body.pit.keepAlive, (found) =>
      ownerOf(found.targets, call),
    );
    return { pit_id: body.pit.id, ...runSearch(counted, cursor.targets, options).response };
  }
  const found = openIndicesOf(call.engine, call, expression);
  if (found.length === 0) checkWithoutIndex(body, call);
  // A name that no index has is a mistake, and no less one where it only weighs hits.
  for (const [name] of body.indicesBoost) if (!name.includes('*')) indicesOf(call.engine, call, name);
  const targets = open(found, call);
  if (scroll === undefined) {
    try {
      return runSearch(counted, targets, options).response;
    } finally {
      release(targets);
    }
  }
  let keep = false;
  try {
    if (body.from > 0) throw validationError('using [from] is not allowed in a scroll context');
    if (body.size === 0) throw validationError('[size] cannot be [0] in a scroll context');
    if (flagParam(call, 'request_cache')) throw validationError('[request_cache] cannot be used in a scroll context');
    if (body.rescore.length > 0) throw validationError('using [rescore] is not allowed in a scroll context');
    if (body.searchAfter !== undefined) throw validationError('`search_after` cannot be used in a scroll context.');
    if (body.collapse !== undefined) throw illegalArgument('cannot use `collapse` in a scroll context');
    if (body.trackTotalHits === false)
      throw validationError('disabling [track_total_hits] is not allowed in a scroll context');
    const limit = Math.min(...found.map(({ index }) => index.settings.maxResultWindow));
    if (body.size > limit) {
      throw illegalArgument(
        `Batch size is too large, size must be less than or equal to: [${limit}] but was [${body.size}]. Scroll batch sizes cost as much memory as result windows so they are controlled by the [index.max_result_window] index level setting.`,
      );
    }
    const exact: SearchBody = { ...counted, trackTotalHits: true };
    const outcome = runSearch(exact, targets, { ...options, scroll: targets.map(() => undefined) });
    const id = state.cursors.add(
      {
        targets,
        body: { ...exact, aggregations: undefined, suggest: undefined },
        positions: outcome.positions,
        owner: ownerOf(targets, call),
        keepAlive: scroll,
        total: undefined,
      },
      call.now,
    );
    keep = true;
    return { _scroll_id: id, ...outcome.response };
  } finally {
    if (!keep) release(targets);
  }
}

/** `GET|POST /_search/scroll[/{scroll_id}]`. */
export function scrollOn(state: SearchState, call: Call): Answer {
  const body = asObject(jsonBody(call) ?? {}, 'scroll');
  checkKeys(body, 'scroll', ['scroll_id', 'scroll']);
  const id = body['scroll_id'] ?? param(call, 'scroll_id') ?? call.path['scroll_id'];
  if (id === undefined || id === '') throw validationError('scrollId is missing');
  const keepAlive = body['scroll'] === undefined ? durationParam(call, 'scroll') : duration(body['scroll']);
  const cursor = state.cursors.use(asString(id, 'scroll_id'), call.now, keepAlive, (found) =>
    ownerOf(found.targets, call),
  );
  if (cursor.body === undefined) throw illegalArgument(`[${textOf(id)}] is a point in time, not a scroll`);
  const outcome = runSearch(cursor.body, cursor.targets, {
    now: call.now,
    ...limitsOf(state),
    typedKeys: flagParam(call, 'typed_keys'),
    totalHitsAsInt: flagParam(call, 'rest_total_hits_as_int'),
    scroll: cursor.positions,
  });
  cursor.positions = outcome.positions;
  return { json: { _scroll_id: textOf(id), ...outcome.response } };
}

/** `DELETE /_search/scroll[/{scroll_id}]`. */
export function clearScroll(state: SearchState, call: Call): Answer {
  const body =
    call.request.body === undefined || call.request.body.length === 0
      ? undefined
      : asObject(jsonBody(call), 'clear_scroll');
  if (body !== undefined) checkKeys(body, 'clear_scroll', ['scroll_id']);
  const given = body?.['scroll_id'] ?? call.path['scroll_id']?.split(',') ?? listParam(call, 'scroll_id');
  if (given === undefined) throw validationError('no scroll ids specified');
  const ids = toList(given).map((id) => asString(id, 'scroll_id'));
  if (ids.length === 1 && ids[0] === '_all') {
    const freed = state.cursors.closeAll((found) => ownerOf(found.targets, call));
    return { json: { succeeded: true, num_freed: freed } };
  }
  const freed = ids.filter((id) => state.cursors.close(id, (found) => ownerOf(found.targets, call))).length;
  return { status: freed === 0 ? 404 : 200, json: { succeeded: true, num_freed: freed } };
}

/** `POST /{index}/_pit`. */
export function openPointInTime(state: SearchState, call: Call): Answer {
  const keepAlive = durationParam(call, 'keep_alive');
  if (keepAlive === undefined) throw validationError('[keep_alive] is not specified');
  const targets = open(openIndicesOf(call.engine, call), call);
  const id = state.cursors.add(
    { targets, body: undefined, positions: [], owner: ownerOf(targets, call), keepAlive, total: undefined },
    call.now,
  );
  return { json: { id } };
}

/** `DELETE /_pit`. */
export function closePointInTime(state: SearchState, call: Call): Answer {
  const body = asObject(jsonBody(call) ?? {}, 'pit');
  checkKeys(body, 'pit', ['id']);
  const freed = state.cursors.close(asString(body['id'], 'id'), (found) => ownerOf(found.targets, call)) ? 1 : 0;
  return { status: freed === 0 ? 404 : 200, json: { succeeded: freed === 1, num_freed: freed } };
}

/** `GET|POST [/{index}[/{type}]]/_count`. */
export function count(state: SearchState, call: Call): Answer {
  const body = asObject(jsonBody(call) ?? {}, 'count');
  for (const key of Object.keys(body)) if (key !== 'query') throw parsingError(`request does not support [${key}]`);
  const query = withUrl(call, body)['query'];
  const found = openIndicesOf(call.engine, call);
  const targets = open(found, call);
  try {
    if (targets.length === 0) checkWithoutIndex(readSearchBody({ query }), call);
    return {
      json: {
        count: countAbove(state, runCount(query, targets, state.allowance), targets, query, call),
        _shards: { total: targets.length, successful: targets.length, skipped: 0, failed: 0 },
      },
    };
  } finally {
    release(targets);
  }
}

function countAbove(
  state: SearchState,
  total: number,
  targets: readonly SearchTarget[],
  query: unknown,
  call: Call,
): number {
  const minScore = param(call, 'min_score');
  if (minScore === undefined) return total;
  const { response } = runSearch(
    readSearchBody({ query, size: 0, min_score: Number(minScore), track_total_hits: true }),
    targets,
    {
      now: call.now,
      ...limitsOf(state),
      typedKeys: false,
      totalHitsAsInt: true,
    },
  );
  return Number((response['hits'] as Json)['total']);
}

/** Milliseconds that searches of one request run one after another before others get their turn. */
const LONGEST_TURN = 20;

/** `GET|POST [/{index}]/_msearch`. */
export async function multiSearch(state: SearchState, call: Call): Promise<Answer> {
  const started = performance.now();
  let resumed = started;
  const lines = bodyLines(call).filter((line, at, all) => line.length > 0 || at < all.length - 1);
  const responses: Json[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    // Other requests get their turn between the searches.
    if (performance.now() - resumed > LONGEST_TURN) {
      await setImmediate();
      resumed = performance.now();
    }
    const header = lines[at]!.length === 0 ? {} : asObject(parseJson(lines[at]!), 'msearch');
    const text = lines[at + 1];
    if (text === undefined) throw illegalArgument('The msearch request must be terminated by a newline [\\n]');
    const index = header['index'] ?? header['indices'];
    const named = index === undefined ? undefined : bodyIndex(call, toList(index).map(String).join(','));
    try {
      checkKeys(header, 'msearch', [
        'index',
        'indices',
        'type',
        'types',
        'search_type',
        'preference',
        'routing',
        'request_cache',
        'ignore_unavailable',
        'allow_no_indices',
        'expand_wildcards',
        'ccs_minimize_roundtrips',
        'allow_partial_search_results',
        'ignore_throttled',
      ]);
      const expression = named ?? call.path['index'];
      const query = new URLSearchParams(call.request.query);
      for (const key of ['ignore_unavailable', 'allow_no_indices', 'expand_wildcards'] as const) {
        if (header[key] !== undefined) query.set(key, toList(header[key]).map(String).join(','));
      }
      const own: Call = { ...call, request: { ...call.request, query } };
      const response = searchJson(state, own, readSearchBody(parseJson(text)), expression);
      responses.push({ ...response, status: 200 });
    } catch (error) {
      const phase = error instanceof RequestError && error.details.phase === true;
      const cause = causeOf(error);
      const { caused_by: _, ...root } = cause.error;
      responses.push({
        error: phase
          ? {
              root_cause: [root],
              type: 'search_phase_execution_exception',
              reason: 'all shards failed',
              phase: 'query',
              grouped: true,
              failed_shards: [],
            }
          : { root_cause: [root], ...cause.error },
        status: cause.status,
      });
    }
  }
  if (responses.length === 0) throw validationError('no requests added');
  return { json: { took: Math.round(performance.now() - started), responses } };
}

/** `GET|POST [/{index}]/_validate/query`. */
export function validateQuery(call: Call): Answer {
  const explain = flagParam(call, 'explain');
  const shards = { total: 1, successful: 1, failed: 0 };
  const found = openIndicesOf(call.engine, call);
  try {
    const body = asObject(jsonBody(call) ?? {}, 'validate');
    for (const key of Object.keys(body)) if (key !== 'query') throw parsingError(`request does not support [${key}]`);
    const query = withUrl(call, body)['query'];
    const explanations = found.map((each) => {
      const target = targetOf(each, call);
      return { index: target.index.name, valid: true, explanation: JSON.stringify(targetQuery(target, query)) };
    });
    return { json: { _shards: shards, valid: true, ...(explain ? { explanations } : {}) } };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return {
      json: { valid: false, ...(explain ? { error: `${error.type}: ${error.message}` } : {}), _shards: shards },
    };
  }
}

/** `GET|POST /{index}/_explain/{id}`. */
export function explain(call: Call): Answer {
  const [found] = resolveIndices(call.engine, call.path['index']);
  checkIsOpen(found!.index);
  const target: Target = targetOf(found!, call);
  const body = asObject(jsonBody(call) ?? {}, 'explain');
  for (const key of Object.keys(body)) if (key !== 'query') throw parsingError(`request does not support [${key}]`);
  const json = withUrl(call, body);
  if (json['query'] === undefined) throw validationError('query is missing');
  const query = targetQuery(target, json['query']);
  const id = call.path['id']!;
  const searcher = target.index.searcher();
  try {
    const place = searcher.find(id);
    const head = { _index: target.index.name, _type: shownType(target.index, call.path['type']), _id: id };
    if (place === undefined) return { status: 404, json: { ...head, matched: false } };
    const explanation = searcher.explain(query, place.segment, place.doc);
    const wantsGet = json['_source'] !== undefined || json['stored_fields'] !== undefined;
    const hit = wantsGet
      ? fetchHit(target, searcher, place.segment, place.doc, Number.NaN, readFetchOptions(json), undefined)
      : {};
    return {
      json: {
        ...head,
        matched: explanation !== undefined,
        explanation: printExplanation(explanation),
        ...(wantsGet
          ? {
              get: {
                _seq_no: place.segment.seqNo(place.doc),
                _primary_term: place.segment.primaryTerm(place.doc),
                found: true,
                ...(hit['_source'] === undefined ? {} : { _source: hit['_source'] }),
                ...(hit['fields'] === undefined ? {} : { fields: hit['fields'] }),
              },
            }
          : {}),
      },
    };
  } finally {
    searcher.release();
  }
}

/** `GET|POST [/{index}]/_field_caps`. */
export function fieldCaps(call: Call): Answer {
  const patterns = listParam(call, 'fields');
  if (patterns === undefined || patterns.length === 0) throw validationError('no fields specified');
  const body = jsonBody(call);
  const filter = isObject(body) ? body['index_filter'] : undefined;
  if (isObject(body)) checkKeys(body, 'field_caps', ['index_filter']);
  const unmapped = flagParam(call, 'include_unmapped');
  const found = openIndicesOf(call.engine, call).filter((each) => {
    if (filter === undefined) return true;
    const target = targetOf(each, call);
    const searcher = target.index.searcher();
    try {
      return searcher.count(targetQuery(target, filter)) > 0;
    } finally {
      searcher.release();
    }
  });
  const fields = new Map<string, Map<string, { searchable: boolean[]; aggregatable: boolean[]; indices: string[] }>>();
  const matches = (name: string): boolean => patterns.some((pattern) => globMatches(pattern, name));
  const add = (name: string, type: string, searchable: boolean, aggregatable: boolean, index: string): void => {
    const types = fields.get(name) ?? new Map();
    const entry = types.get(type) ?? { searchable: [], aggregatable: [], indices: [] };
    entry.searchable.push(searchable);
    entry.aggregatable.push(aggregatable);
    entry.indices.push(index);
    types.set(type, entry);
    fields.set(name, types);
  };
  for (const { index } of found) {
    const mapping = mappingOf(index);
    for (const field of mapping.fields.values()) {
      if (matches(field.path))
        add(
          field.path,
          field.type,
          field.index,
          hasColumn(field) || (field.family === 'geo' && field.docValues),
          index.name,
        );
    }
    for (const [path, type] of mapping.objects()) if (matches(path)) add(path, type, false, false, index.name);
  }
  const printed: Record<string, unknown> = {};
  for (const [name, types] of [...fields].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const having = [...types.values()].flatMap((entry) => entry.indices);
    if (unmapped) {
      const lacking = found.map(({ index }) => index.name).filter((index) => !having.includes(index));
      if (lacking.length > 0) types.set('unmapped', { searchable: [false], aggregatable: [false], indices: lacking });
    }
    printed[name] = Object.fromEntries(
      [...types].map(([type, entry]) => {
        const searchable = entry.searchable.every(Boolean);
        const aggregatable = entry.aggregatable.every(Boolean);
        const not = (list: readonly boolean[]): string[] => entry.indices.filter((_, at) => list[at] === false);
        return [
          type,
          {
            type,
            searchable,
            aggregatable,
            ...(types.size > 1 ? { indices: entry.indices } : {}),
            ...(searchable || entry.searchable.every((each) => !each)
              ? {}
              : { non_searchable_indices: not(entry.searchable) }),
            ...(aggregatable || entry.aggregatable.every((each) => !each)
              ? {}
              : { non_aggregatable_indices: not(entry.aggregatable) }),
          },
        ];
      }),
    );
  }
  return { json: { indices: found.map(({ index }) => index.name), fields: printed } };
}
