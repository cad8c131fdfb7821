// What a search request says, read once and independent of any index: members checked by name, defaults filled in.
// Queries, sorts and aggregations stay JSON here: they mean something only together with a mapping.
import { wordsOf } from '@lockstitch/kernel';
import { readTime } from '../json/time-value.ts';
import {
  asBoolean,
  asNumber,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
  knownHere,
  tokenOf,
  toList,
} from '../json/json.ts';
import { checked, coercedInteger, INTEGER, parseObject, TEXT } from '../json/object-parser.ts';
import { contentError, illegalArgument, parsingError, RequestError, unsupported } from '../errors/request-error.ts';
import { type FetchOptions, readFetchOptions } from '../fetch/fetch-options.ts';
import { readRescore, type Rescore } from './rescore.ts';
import { readSuggest } from '../suggest/read-suggest.ts';

/** A search, as asked. */
export interface SearchBody {
  readonly query: unknown;
  readonly postFilter: unknown;
  readonly aggregations: Json | undefined;
  readonly from: number;
  readonly size: number;
  readonly sort: unknown;
  readonly trackScores: boolean;
  readonly trackTotalHits: boolean | number;
  readonly minScore: number | undefined;
  readonly searchAfter: readonly unknown[] | undefined;
  readonly terminateAfter: number;
  readonly timeout: number | undefined;
  readonly highlight: Json | undefined;
  readonly suggest: Json | undefined;
  readonly collapse: Json | undefined;
  readonly rescore: readonly Rescore[];
  readonly indicesBoost: readonly (readonly [string, number])[];
  readonly pit: { readonly id: string; readonly keepAlive: number | undefined } | undefined;
  readonly fetch: FetchOptions;
  readonly profile: boolean;
  /** Names that the search is counted under. */
  readonly stats: readonly string[];
  readonly slice: { readonly id: number; readonly max: number; readonly field?: string } | undefined;
}

const KEYS = wordsOf(`
  query post_filter aggs aggregations from size sort track_scores track_total_hits min_score search_after
  terminate_after timeout highlight suggest collapse indices_boost pit _source stored_fields docvalue_fields fields
  version seq_no_primary_term explain profile slice stats rescore script_fields ext runtime_mappings`);

/** Members that Elasticsearch knows and this engine refuses. */
export const REFUSED_SEARCH_KEYS: readonly string[] = ['script_fields', 'runtime_mappings', 'ext'];

/** Members a search body may have; for docs/compatibility.md. */
export const SEARCH_KEYS: readonly string[] = KEYS.filter((key) => !REFUSED_SEARCH_KEYS.includes(key));

/** Reads `track_total_hits`. */
function trackTotal(value: unknown): boolean | number {
  if (value === undefined) return 10_000;
  if (typeof value === 'boolean' || value === 'true' || value === 'false') return asBoolean(value, 'track_total_hits');
  const count = coercedInteger(value, 'track_total_hits');
  // -1 is how clients of 6 said that nothing is to be counted.
  return count === -1 ? false : count;
}

/** Reads a search body. @throws RequestError naming what is not understood */
export function readSearchBody(json: unknown): SearchBody {
  const body = json === undefined || json === null ? {} : asObject(json, 'search');
  checkSearchKeys(body);
  for (const key of REFUSED_SEARCH_KEYS) checkRefused(key, body[key]);
  checkScalars(body);
  // -1 is as good as nothing.
  const [from, size] = (['from', 'size'] as const).map((key) => {
    const given = body[key] === undefined ? -1 : coercedInteger(body[key], key);
    return given === -1 ? (key === 'from' ? 0 : 10) : given;
  }) as [number, number];
  checkPage(from, size);
  const after = body['search_after'];
  if (after !== undefined && !Array.isArray(after))
    throw parsingError(`Unknown key for a ${tokenOf(after)} in [search_after].`);
  if (after?.length === 0) throw illegalArgument('Values must contains at least one value.');
  if (after?.some((value) => typeof value === 'object' && value !== null) === true)
    throw parsingError(
      'Expected [VALUE_STRING] or [VALUE_NUMBER] or [VALUE_BOOLEAN] or [VALUE_NULL] in [search_after]',
    );
  const aggregations = body['aggs'] ?? body['aggregations'];
  const fetch = readFetchOptions(body);
  checkNothingStored(body, fetch);
  return {
    query: body['query'],
    postFilter: body['post_filter'],
    aggregations: aggregations === undefined ? undefined : asObject(aggregations, 'aggs'),
    from,
    size,
    sort: body['sort'],
    trackScores: flagIn(body, 'track_scores'),
    trackTotalHits: trackTotal(body['track_total_hits']),
    minScore: body['min_score'] === undefined ? undefined : asNumber(body['min_score'], 'min_score'),
    searchAfter: after,
    terminateAfter:
      body['terminate_after'] === undefined ? 0 : coercedInteger(body['terminate_after'], 'terminate_after'),
    timeout: body['timeout'] === undefined ? undefined : readTime(body['timeout'], 'timeout') || undefined,
    highlight: body['highlight'] === undefined ? undefined : asObject(body['highlight'], 'highlight'),
    suggest: suggestOf(body['suggest']),
    rescore: readRescore(body['rescore']),
    collapse: body['collapse'] === undefined ? undefined : asObject(body['collapse'], 'collapse'),
    indicesBoost: readIndicesBoost(body['indices_boost']),
    pit: readPit(body['pit']),
    fetch,
    profile: flagIn(body, 'profile'),
    stats: readStats(body['stats']),
    slice: readSlice(body['slice']),
  };
}

/** @throws RequestError for hits that are to show nothing of what is stored, and something of it */
function checkNothingStored(body: Json, { storedFields }: FetchOptions): void {
  if (storedFields?.includes('_none_') !== true) return;
  const fail = (reason: string): Error =>
    new RequestError('SEARCH_SHARD_FAILURE', 'search_exception', `[stored_fields] cannot be disabled ${reason}`, {
      phase: true,
    });
  if (body['_source'] !== undefined && body['_source'] !== false) throw fail('if [_source] is requested');
  if (body['fields'] !== undefined) throw fail('when using the [fields] option');
}

/** @throws RequestError for a page before the first hit, which in a body only a shard notices */
function checkPage(from: number, size: number): void {
  const fail = (type: string, reason: string): Error =>
    new RequestError('SEARCH_SHARD_FAILURE', type, reason, { phase: true });
  if (size < 0)
    throw fail(
      'illegal_argument_exception',
      'numHits must be > 0; please use TotalHitCountCollector if you just need the total hit count',
    );
  if (from < 0) throw fail('array_index_out_of_bounds_exception', `[from] is [${from}]`);
}

/** A flag; an empty text is none. */
function flagIn(body: Json, key: string): boolean {
  const value = body[key];
  return value !== undefined && value !== '' && asBoolean(value, key);
}

/** Checks `suggest`, which is read again where it is answered. */
function suggestOf(value: unknown): Json | undefined {
  if (value === undefined) return undefined;
  const body = asObject(value, 'suggest');
  readSuggest(body);
  return body;
}

/** @throws RequestError for what a member that is not offered holds; without any it changes nothing */
function checkRefused(key: string, value: unknown): void {
  if (value === undefined) return;
  if (!isObject(value)) throw parsingError(`Unknown key for a ${tokenOf(value)} in [${key}].`);
  if (key === 'runtime_mappings') throw unsupported(`[${key}] in a search request`);
  for (const [name, each] of Object.entries(value)) {
    if (key === 'ext')
      throw contentError(
        'unknown named object category [org.elasticsearch.search.SearchExtBuilder]: [ext] in a search request is not supported',
      );
    if (!isObject(each)) throw parsingError(`Expected [START_OBJECT] in [${name}] but found [${tokenOf(each)}]`);
    throw unsupported(`[${key}] in a search request`);
  }
}

function checkSearchKeys(body: Json): void {
  for (const key of Object.keys(body)) {
    if (!KEYS.includes(key)) {
      const value = body[key];
      throw parsingError(`Unknown key for a ${tokenOf(value)} in [${key}].`, knownHere(key, SEARCH_KEYS));
    }
  }
}

/** Members that are one value each. */
const SCALARS = wordsOf(`
  from size terminate_after min_score timeout version explain profile track_scores track_total_hits
  seq_no_primary_term`);

const NEVER_NULL = wordsOf(`
  query post_filter aggs aggregations highlight suggest collapse rescore sort slice`);

/** @throws RequestError for such a member that is none, and for a null */
function checkScalars(body: Json): void {
  for (const key of SCALARS) {
    const value = body[key];
    if (value !== undefined && (value === null || typeof value === 'object'))
      throw parsingError(`Unknown key for a ${tokenOf(value)} in [${key}].`);
  }
  for (const key of NEVER_NULL) if (body[key] === null) throw parsingError(`Unknown key for a VALUE_NULL in [${key}].`);
}

function readIndicesBoost(value: unknown): (readonly [string, number])[] {
  if (value === undefined) return [];
  return toList(value).flatMap((entry) =>
    Object.entries(asObject(entry, 'indices_boost')).map(([name, boost], at) => {
      if (Array.isArray(value) && at > 0)
        throw parsingError('Expected [END_OBJECT] in [indices_boost] but found [FIELD_NAME]');
      if (typeof boost !== 'number')
        throw parsingError(`Expected [VALUE_NUMBER] in [indices_boost] but found [${tokenOf(boost)}]`);
      return [name, boost] as const;
    }),
  );
}

function readStats(value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw parsingError(`Unknown key for a ${tokenOf(value)} in [stats].`);
  return value.map((each: unknown) => {
    if (typeof each === 'string') return each;
    throw parsingError(`Expected [VALUE_STRING] in [stats] but found [${tokenOf(each)}]`);
  });
}

function readPit(value: unknown): SearchBody['pit'] {
  if (value === undefined) return undefined;
  const body = asObject(value, 'pit');
  checkKeys(body, 'pit', ['id', 'keep_alive']);
  return {
    id: asString(body['id'], 'pit.id'),
    keepAlive: body['keep_alive'] === undefined ? undefined : readTime(body['keep_alive'], 'keep_alive'),
  };
}

/** Reads `slice`: one of several parts of an index. */
export function readSlice(value: unknown): SearchBody['slice'] {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw parsingError(`Unknown key for a ${tokenOf(value)} in [slice].`);
  const isLess = (id = -1, max = -1): boolean => id < 0 || max < 0 || id < max;
  const refuse = (reason: string): never => {
    throw illegalArgument(reason);
  };
  let least: number | undefined;
  let most: number | undefined;
  const { field = '_id' } = parseObject(value, 'slice', {
    field: TEXT,
    id: checked(INTEGER, (id) => {
      if (id < 0) refuse('id must be greater than or equal to 0');
      if (!isLess((least = id), most)) refuse('max must be greater than id');
    }),
    max: checked(INTEGER, (max) => {
      if (max < 2) refuse('max must be greater than 1');
      if (!isLess(least, (most = max))) refuse('max must be greater than id');
    }),
  });
  return { id: least ?? -1, max: most ?? -1, ...(field === '_id' ? {} : { field }) };
}
