// Searching: `_search` and `_count`. What goes on over several requests is in `cursor-handlers.ts`.
import { warnsOfTypesOnceParsed } from '../request/warnings.ts';
import { yieldTurn } from '../../tasks/event-loop-queue.ts';
import { reads, type Endpoint } from '../request/endpoint.ts';
import { EXPAND, QUERY, SOURCE, TYPE } from '../request/route-params.ts';
import { countSearch } from '../indices/index-counters.ts';
import { checkShardCount, indicesOf, preferredOf, searchableIndicesOf } from '../request/index-names.ts';
import type { Found } from '../request/resolve-indices.ts';
import type { FailedShard } from '../request/red-indices.ts';
import { indexLimits } from '../../settings/index-limits.ts';
import { type Answer, type Call, durationParam, flagParam, integerParam, param } from '../request/request.ts';
import { readSearchBody, type SearchBody } from '../../search/search-body.ts';
import type { FailedIndex } from '../../search/failing-indices.ts';
import { shardsOf } from '../../search/print-hits.ts';
import { countShards, mappingOf, type SearchTarget } from '../../fetch/target.ts';
import { isObject, type Json } from '../../json/json.ts';
import {
  asFailedParse,
  illegalArgument,
  parsingError,
  searchFailure,
  shardArgument,
  validationError,
  RequestError,
} from '../../errors/request-error.ts';
import { openTargets, releaseTargets, ownerOf, limitsOf } from '../request/search-state.ts';
import { PrintedJson, withMembers } from '../../json/print-json.ts';

import { objectBody, searchBody } from '../request/object-body.ts';
import { memberPlace } from '../../json/json-place.ts';
import { checkTerminateAfter, queryOf, withUrl } from '../request/search-url.ts';
import { answer } from '../../thread/answer.ts';
import { warnerOf, warnOfQuery, warnOfSearch } from './search-warnings.ts';

/** Bytes of JSON that take about a millisecond to parse. */
const LARGE_BODY = 128 * 1024;

/** What Elasticsearch's messages call parameters. */
const JAVA_NAMES = {
  batched_reduce_size: 'batchedReduceSize',
  max_concurrent_shard_requests: 'maxConcurrentShardRequests',
  pre_filter_shard_size: 'preFilterShardSize',
} as const;

/** Reads the body of a search for its mistakes. @throws RequestError for the first one */
export async function checkSearchBody(call: Call, body: Json): Promise<void> {
  const limits = { ...limitsOf(call), now: call.now };
  await answer('parse', { body, maxAggregations: limits.maxAggregations }, [], limits, call.request.signal);
}

/** Reads a search, as Elasticsearch does before it looks its indices up. @throws RequestError for its first mistake */
async function parseSearch(call: Call): Promise<void> {
  await checkSearchBody(call, searchBody(call));
  checkSearchParams(call);
  readSearchBody(withUrl(call, {}));
}

/** @throws RequestError for a value that a parameter does not take */
export function checkSearchParams(call: Call): void {
  checkSearchType(call);
  flagParam(call, 'request_cache');
  for (const name of ['batched_reduce_size', 'max_concurrent_shard_requests', 'pre_filter_shard_size'] as const) {
    const value = integerParam(call, name);
    const least = name === 'batched_reduce_size' ? 2 : 1;
    if (value !== undefined && value < least)
      throw illegalArgument(
        name === 'batched_reduce_size' ? 'batchedReduceSize must be >= 2' : `${JAVA_NAMES[name]} must be >= 1`,
      );
  }
}

/** @throws RequestError for an unknown `search_type` */
export function checkSearchType(call: Call, type = param(call, 'search_type')): void {
  if (type !== undefined && type !== 'query_then_fetch' && type !== 'dfs_query_then_fetch')
    throw illegalArgument(`No search type for [${type}]`);
}

/** `GET|POST [/{index}[/{type}]]/_search`. */
async function search(call: Call): Promise<Answer> {
  checkSearchParams(call);
  const body = searchBody(call);
  const json = withUrl(call, body);
  // What the URL says instead is read all the same.
  const replaced = Object.entries(body).filter(([key, value]) => json[key] !== value);
  if (replaced.length > 0) await checkSearchBody(call, Object.fromEntries(replaced));
  // Parsing a quarter of a megabyte takes a turn of its own; more is parsed elsewhere.
  if ((call.request.body?.length ?? 0) > LARGE_BODY) await yieldTurn();
  return { json: await searchJson(call, json, call.path['index']) };
}

/** A search as it was asked for. */
interface Asked {
  readonly call: Call;
  readonly json: unknown;
  readonly body: SearchBody;
  /** The body with the limits and the count of the cluster's settings and the request's parameters. */
  readonly counted: SearchBody;
  readonly options: ReturnType<typeof optionsOf>;
}

/** What a search runs on. */
interface Opened {
  readonly targets: readonly SearchTarget[];
  readonly found: readonly Found[];
  readonly failures: readonly FailedShard[];
}

/** Runs a search and answers its JSON. */
export async function searchJson(
  call: Call,
  json: unknown,
  expression: string | undefined,
): Promise<Json | PrintedJson> {
  const asked = readAsked(call, json);
  const { body } = asked;
  const scroll = durationParam(call, 'scroll');
  if (body.pit !== undefined) {
    if (expression !== undefined) throw validationError('[indices] cannot be used with point in time');
    if (scroll !== undefined) throw validationError('using [point in time] is not allowed in a scroll context');
    return await searchPointInTime(asked, body.pit);
  }
  const { found: named, failures } = searchableIndicesOf(call, expression);
  const found = preferredOf(call, named);
  checkShardCount(call, found);
  if (found.length === 0) await checkSearchBody(call, isObject(json) ? json : {});
  // A name that no index has is a mistake, and no less one where it only weighs hits.
  for (const [name] of body.indicesBoost) if (!name.includes('*')) indicesOf(call, name);
  for (const { index } of found) {
    if (body.fetch.fields.length > 0 && !mappingOf(index).sourceSetting.enabled)
      throw shardArgument(
        `Unable to retrieve the requested [fields] since _source is disabled in the mappings for index [${index.name}]`,
      );
  }
  if (scroll !== undefined) checkSlice(body, found);
  const opened = { targets: openTargets(found, call, body.slice), found, failures };
  return scroll === undefined ? await searchOnce(asked, opened) : await openScroll(asked, opened, scroll);
}

/** Reads a search. @throws RequestError for its first mistake */
function readAsked(call: Call, json: unknown): Asked {
  const body = readSearchBody(json);
  checkSearchType(call);
  const totalHitsAsInt = flagParam(call, 'rest_total_hits_as_int');
  if (totalHitsAsInt && typeof body.trackTotalHits === 'number' && body.trackTotalHits !== 10_000)
    throw illegalArgument(
      `[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got ${body.trackTotalHits}`,
    );
  const counted: SearchBody = {
    ...body,
    timeout: body.timeout ?? call.state.settings.searchTimeout,
    ...(totalHitsAsInt && typeof body.trackTotalHits === 'number' ? { trackTotalHits: true } : {}),
  };
  return { call, json, body, counted, options: optionsOf(call, totalHitsAsInt) };
}

function optionsOf(call: Call, totalHitsAsInt: boolean) {
  return {
    now: call.now,
    ...limitsOf(call),
    typedKeys: (param(call, 'typed_keys') ?? 'false') !== 'false',
    totalHitsAsInt,
    reducedTogether: integerParam(call, 'batched_reduce_size'),
    ...(flagParam(call, 'allow_partial_search_results', call.state.settings.allowsPartialResults)
      ? {}
      : { wantsAll: true }),
  };
}

async function searchPointInTime(
  { call, counted, options }: Asked,
  pit: NonNullable<SearchBody['pit']>,
): Promise<Json | PrintedJson> {
  const cursor = call.state.cursors.use(pit.id, call.now, pit.keepAlive, (found) => ownerOf(found.targets, call));
  const { keepAlive } = cursor;
  const { response } = await call.state.backend.search(
    { body: counted, ...options },
    cursor.targets,
    { ...options, keepAlive },
    call.request.signal,
  );
  return await withMembers({ pit_id: pit.id }, response);
}

/** Counts a search, and warns of what it uses: not if it was refused. */
function countAnswered({ body, call, json }: Asked, found: readonly Found[]): void {
  if (isObject(json)) warnOfSearch(json, warnerOf(call, found.length > 0));
  for (const { index } of found) countSearch(index, body.stats);
}

async function searchOnce(asked: Asked, { failures, found, targets }: Opened): Promise<Json | PrintedJson> {
  const { call, counted, options } = asked;
  try {
    const request = { body: counted, ...options, failures };
    const { response } = await call.state.backend.search(request, targets, options, call.request.signal);
    countAnswered(asked, found);
    return response;
  } finally {
    releaseTargets(targets);
  }
}

/** Answers the first page of a scroll. @param keepAlive milliseconds that the client has to ask for the next one */
async function openScroll(
  asked: Asked,
  { failures, found, targets }: Opened,
  keepAlive: number,
): Promise<Json | PrintedJson> {
  const { call, counted, options } = asked;
  const { backend, cursors } = call.state;
  let keep = false;
  try {
    checkScroll(asked, found);
    const exact: SearchBody = { ...counted, trackTotalHits: true };
    const first = { ...options, failures, scroll: targets.map(() => undefined) };
    const outcome = await backend.search(
      { body: exact, ...first },
      targets,
      { ...options, keepAlive },
      call.request.signal,
    );
    countAnswered(asked, found);
    const id = cursors.add(
      {
        targets,
        body: { ...exact, aggregations: undefined, suggest: undefined },
        positions: outcome.positions,
        owner: ownerOf(targets, call),
        keepAlive,
        total: undefined,
      },
      call.now,
      call.request.caller,
    );
    keep = true;
    return await withMembers({ _scroll_id: id }, outcome.response);
  } finally {
    if (!keep) {
      backend.release(targets);
      releaseTargets(targets);
    }
  }
}

/** @throws RequestError for what a scroll cannot do */
function checkScroll({ body, call }: Asked, found: readonly Found[]): void {
  if (body.from > 0) throw validationError('using [from] is not allowed in a scroll context');
  if (body.size === 0) throw validationError('[size] cannot be [0] in a scroll context');
  if (flagParam(call, 'request_cache')) throw validationError('[request_cache] cannot be used in a scroll context');
  if (body.rescore.length > 0) throw validationError('using [rescore] is not allowed in a scroll context');
  if (body.searchAfter !== undefined) throw searchFailure('`search_after` cannot be used in a scroll context.');
  if (body.collapse !== undefined) throw searchFailure('cannot use `collapse` in a scroll context');
  if (body.trackTotalHits === false)
    throw validationError('disabling [track_total_hits] is not allowed in a scroll context');
  const limit = Math.min(...found.map(({ index }) => index.settings.maxResultWindow));
  if (body.size > limit)
    throw illegalArgument(
      `Batch size is too large, size must be less than or equal to: [${limit}] but was [${body.size}]. Scroll batch sizes cost as much memory as result windows so they are controlled by the [index.max_result_window] index level setting.`,
    );
}

/** @throws RequestError for a slice of more than an index allows */
function checkSlice({ slice }: SearchBody, found: readonly Found[]): void {
  if (slice === undefined) return;
  for (const { index } of found) {
    const limit = indexLimits(index.definition).slices;
    if (slice.max > limit)
      throw shardArgument(
        `The number of slices [${slice.max}] is too large. It must be less than [${limit}]. This limit can be set by changing the [index.max_slices_per_scroll] index level setting.`,
      );
  }
}

/** Reads a request that is a query alone. @throws RequestError for its first mistake */
export function parseQueryAlone(call: Call): Promise<void> {
  return parseQueryOf(call, queryAlone(call));
}

/** Reads a body with a query. @throws RequestError for the first mistake in it */
export async function parseQueryOf(call: Call, body: Json): Promise<void> {
  try {
    await checkSearchBody(call, body);
  } catch (error) {
    throw asFailedParse(error);
  }
}

function readAlone(call: Call): Json {
  try {
    return objectBody(call) ?? {};
  } catch (error) {
    throw error instanceof RequestError && error.type.startsWith('json_') ? asFailedParse(error) : error;
  }
}

/** The body of a request that is a query alone. @throws RequestError for one that is more, or no JSON */
export function queryAlone(call: Call): Json {
  const body = readAlone(call);
  const odd = Object.keys(body).find((key) => key !== 'query');
  if (odd !== undefined)
    throw parsingError(`request does not support [${odd}]`, { fields: memberPlace(call.request.body, [odd]) });
  return body;
}

/** `GET|POST [/{index}[/{type}]]/_count`. */
export async function count(call: Call): Promise<Answer> {
  const body = queryAlone(call);
  const query = queryOf(call, body);
  const most = integerParam(call, 'terminate_after') ?? 0;
  checkTerminateAfter(most);
  const { found, failures } = searchableIndicesOf(call);
  const preferred = preferredOf(call, found);
  checkShardCount(call, preferred);
  const targets = openTargets(preferred, call);
  try {
    warnOfQuery(query, warnerOf(call, targets.length > 0), ['query']);
    if (targets.length === 0) await checkSearchBody(call, body);
    const { failures: failed, ...counted } = await countAll(targets, query, call, most);
    const all = [...failures, ...failed];
    const isFailed = ({ target }: SearchTarget): boolean => failed.some(({ index }) => index === target.index.name);
    const counts = targets.map((each) => ({ failed: isFailed(each), shards: countShards(each.target) }));
    const sumOf = (isOf: boolean): number =>
      counts.reduce((sum, each) => sum + (each.failed === isOf ? each.shards : 0), 0);
    return { json: { ...counted, _shards: shardsOf(sumOf(false), all, failures.length + sumOf(true)) } };
  } finally {
    releaseTargets(targets);
  }
}

async function countAll(
  targets: readonly SearchTarget[],
  query: unknown,
  call: Call,
  terminateAfter: number,
): Promise<Json & { readonly failures: readonly FailedIndex[] }> {
  const { signal } = call.request;
  const minScore = param(call, 'min_score');
  if (minScore === undefined && terminateAfter === 0)
    return { ...(await call.state.backend.count({ query }, targets, { ...limitsOf(call), now: call.now }, signal)) };
  const body = readSearchBody({
    query,
    size: 0,
    ...(minScore === undefined ? {} : { min_score: Number(minScore) }),
    terminate_after: terminateAfter,
    track_total_hits: true,
  });
  const options = { now: call.now, ...limitsOf(call), typedKeys: false, totalHitsAsInt: true };
  const { response } = await call.state.backend.search({ body, ...options }, targets, options, signal);
  const printed = (response instanceof PrintedJson ? JSON.parse(response.text) : response) as Json;
  return {
    count: Number((printed['hits'] as Json)['total']),
    failures: ((printed['_shards'] as Json)['failures'] ?? []) as readonly FailedIndex[],
    ...(terminateAfter === 0 ? {} : { terminated_early: printed['terminated_early'] }),
  };
}

/** Parameters of searches, besides those of queries, indices and sources. */
export const SEARCH_PARAMS = {
  from: 'integer',
  size: 'integer',
  sort: 'text',
  scroll: 'time',
  search_type: 'text',
  routing: 'text',
  preference: 'text',
  timeout: 'time',
  terminate_after: 'integer',
  track_scores: 'flag',
  track_total_hits: 'text',
  rest_total_hits_as_int: 'flag',
  typed_keys: 'text',
  version: 'flag',
  seq_no_primary_term: 'flag',
  explain: 'flag',
  docvalue_fields: 'text',
  stats: 'text',
  suggest_field: 'text',
  suggest_mode: 'text',
  suggest_size: 'integer',
  suggest_text: 'text',
  request_cache: 'flag',
  batched_reduce_size: 'integer',
  max_concurrent_shard_requests: 'integer',
  pre_filter_shard_size: 'integer',
  allow_partial_search_results: 'flag',
  ccs_minimize_roundtrips: 'flag',
} as const;

/** Searches and counts. */
export const SEARCH_ENDPOINTS: readonly Endpoint[] = [
  reads(
    'GET POST',
    '/_search /{index}/_search /{index}/{type}/_search',
    {
      ...TYPE,
      ...EXPAND,
      ...QUERY,
      ...SOURCE,
      ...SEARCH_PARAMS,
    },
    search,
    { parse: parseSearch, ...warnsOfTypesOnceParsed('search requests') },
  ),
  reads(
    'GET POST',
    '/_count /{index}/_count /{index}/{type}/_count',
    { ...EXPAND, ...QUERY, min_score: 'float', routing: 'text', preference: 'text', terminate_after: 'integer' },
    count,
    { parse: parseQueryAlone, ...warnsOfTypesOnceParsed('count requests') },
  ),
];
