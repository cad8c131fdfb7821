// `_msearch`: several searches in one request, each with an answer or an error of its own.
import { wordsOf } from '@lockstitch/kernel';
import { warnsOfTypesOnceParsed } from '../request/warnings.ts';
import { errorBody } from '../../json/error-shape.ts';
import { type Answer, bodyIndex, bodyWithLines, type Call, flagOf, integerParam } from '../request/request.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';
import { concatenate } from '../../tasks/copy-bytes.ts';
import { show } from '../../json/java-values.ts';
import { asObject, isObject, type Json, textOf, toList } from '../../json/json.ts';
import { illegalArgument, validationError } from '../../errors/request-error.ts';
import { checkWildcards, reads, type Endpoint } from '../request/endpoint.ts';
import { EXPAND } from '../request/route-params.ts';
import { checkSearchBody, checkSearchParams, checkSearchType, searchJson } from './search-handlers.ts';
import { PrintedJson, printJson } from '../../json/print-json.ts';
import { APART, readJson } from '../../thread/read-json.ts';

/** Searches of one request at most: each may take its time, and the sender waits for all. */
const MOST_SEARCHES = 1000;

/** What the bodies of a multi search are. */
interface Bodies {
  /** The search that a body stands for. @throws RequestError, which fails this search alone */
  toSearch(call: Call, body: Json): Json;
  /** @throws RequestError for a body that fails all searches of the request */
  check(call: Call, body: Json): void | Promise<void>;
  /** Whether each search says its status. */
  readonly hasStatus?: true;
}

const SEARCHES: Bodies = { toSearch: (_, body) => body, check: checkSearchBody, hasStatus: true };

/** `GET|POST [/{index}]/_msearch`. */
export async function multiSearch(call: Call, bodies: Bodies = SEARCHES): Promise<Answer> {
  const started = performance.now();
  const slices = new TimeSlices();
  checkSearchParams(call);
  if ((integerParam(call, 'max_concurrent_searches') ?? 1) < 1)
    throw illegalArgument('maxConcurrentSearchRequests must be positive');
  const lines = await readLines(call, slices);
  const responses: (Json | PrintedJson)[] = [];
  const status = bodies.hasStatus === true ? { status: 200 } : {};
  let isParsed = false;
  for (let at = 0; at < lines.length; at += 2) {
    // Other requests get their turn between the searches.
    await slices.yield();
    const header = await readHeader(lines, at);
    const index = header['index'] ?? header['indices'];
    const named = index === undefined ? undefined : bodyIndex(call, listed(index));
    try {
      checkHeader(header, call);
      const own = callOf(call, header);
      const body = bodies.toSearch(own, asObject(await readJson(lines[at + 1]!, APART), 'search'));
      const response = await searchJson(own, body, named ?? call.path['index']);
      responses.push(response instanceof PrintedJson ? response : { ...response, ...status });
    } catch (error) {
      // A search that cannot be read fails all of them.
      if (!isParsed) await parseMultiSearch(call, bodies);
      isParsed = true;
      const { error: told, ...rest } = errorBody(error).body;
      responses.push({ error: told, ...(bodies.hasStatus === true ? rest : {}) });
    }
  }
  if (responses.length === 0) throw validationError('no requests added');
  return { json: await answerOf(Math.round(performance.now() - started), responses, status) };
}

/** Members of a header that are parameters of its search. */
const HEADER_PARAMS = wordsOf(`
  ignore_unavailable allow_no_indices expand_wildcards routing preference search_type`);

/** The call of one search: the request with the parameters and types of its header. */
function callOf(call: Call, header: Json): Call {
  const query = new URLSearchParams(call.request.query);
  for (const key of HEADER_PARAMS) if (header[key] !== undefined) query.set(key, listed(header[key]));
  const types = typesOf(header);
  const path = types === undefined ? call.path : { ...call.path, type: listed(types) };
  return { ...call, path, request: { ...call.request, query } };
}

// As Java prints them: an object is the name of no index.
const listed = (value: unknown): string => toList(value).map(show).join(',');

/** Reads several searches, as Elasticsearch does before it runs one of them. @throws RequestError for their first mistake */
async function parseMultiSearch(call: Call, bodies = SEARCHES): Promise<void> {
  const slices = new TimeSlices();
  const lines = await readLines(call, slices);
  for (let at = 0; at < lines.length; at += 2) {
    await slices.yield();
    checkHeader(await readHeader(lines, at), call);
    await bodies.check(call, asObject(await readJson(lines[at + 1]!, APART), 'search'));
  }
}

/** The lines of the request: a header and a body for each search. */
async function readLines(call: Call, slices: TimeSlices): Promise<readonly Uint8Array[]> {
  const lines: Uint8Array[] = [];
  const all = bodyWithLines(call, 'msearch');
  let last: Uint8Array | undefined;
  for (let line = all.next(); line !== undefined; line = all.next()) {
    // What is counted only need not be kept.
    if (lines.length <= 2 * MOST_SEARCHES) lines.push(line);
    if (slices.isOver) await slices.yield();
    last = line;
  }
  const count = last?.length === 0 ? all.number - 1 : all.number;
  if (count > 2 * MOST_SEARCHES)
    throw illegalArgument(
      `Too many searches in one request: at most [${MOST_SEARCHES}] are allowed but there were [${Math.ceil(count / 2)}]. Ask in several requests.`,
    );
  // A header without a search behind it is not read, nor is an empty line before the first header.
  const first = lines[0]?.length === 0 ? 1 : 0;
  if (first > 0)
    call.warn(
      'support for empty first line before any action metadata in msearch API is deprecated and will be removed in the next major version',
    );
  return lines.slice(first, count - ((count - first) % 2));
}

async function readHeader(lines: readonly Uint8Array[], at: number): Promise<Json> {
  const given = lines[at]!.length === 0 ? {} : await readJson(lines[at]!, []);
  // What is no object says nothing (MultiSearchRequest.readMultiLineFormat).
  const header = isObject(given) ? given : {};
  if (lines[at + 1] === undefined) throw illegalArgument('The msearch request must be terminated by a newline [\\n]');
  return header;
}

const HEADER_KEYS = wordsOf(`
  index indices type types search_type preference routing request_cache ignore_unavailable allow_no_indices
  expand_wildcards ccs_minimize_roundtrips allow_partial_search_results ignore_throttled`);

const HEADER_FLAGS: readonly string[] = wordsOf(`
  request_cache ignore_unavailable allow_no_indices allow_partial_search_results ignore_throttled`);

/** @throws RequestError for a member that no header has, or a value that it does not take */
function checkHeader(header: Json, call: Call): void {
  for (const [key, value] of Object.entries(header)) {
    if (!HEADER_KEYS.includes(key)) throw illegalArgument(`key [${key}] is not supported in the metadata section`);
    if (HEADER_FLAGS.includes(key)) checkHeaderFlag(key, value);
    if (key === 'ccs_minimize_roundtrips') flagOf(textOf(value));
    if (key === 'search_type') checkSearchType(call, textOf(value));
    if (key === 'expand_wildcards' && value !== null) checkWildcards(toList(value).map(textOf).join(','));
  }
  if (typesOf(header) !== undefined) call.warn(MULTI_TYPES.warns.type);
}

function checkHeaderFlag(key: string, value: unknown): void {
  const text = textOf(value);
  if (value === null || text === 'true' || text === 'false') return;
  const reason = `Failed to parse value [${text}] as only [true] or [false] are allowed.`;
  throw illegalArgument(`Could not convert [${key}] to boolean`, {
    causedBy: { type: 'illegal_argument_exception', reason },
  });
}

const typesOf = (header: Json): unknown => header['type'] ?? header['types'];

/** The answer; printed where one of its parts is printed already. @param more members of each part that is */
async function answerOf(
  took: number,
  responses: readonly (Json | PrintedJson)[],
  more: Json,
): Promise<Json | PrintedJson> {
  if (!responses.some((each) => each instanceof PrintedJson)) return { took, responses };
  const end = Object.entries(more).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const parts = responses.flatMap((each, at): Uint8Array[] => {
    const separator = encoder.encode(at === 0 ? `{"took":${took},"responses":[` : ',');
    if (!(each instanceof PrintedJson)) return [separator, encoder.encode(printJson(each, false))];
    return [separator, each.bytes.subarray(0, -1), encoder.encode(`${end.join('')}}`)];
  });
  return new PrintedJson(await concatenate([...parts, encoder.encode(']}')], new TimeSlices()));
}

const encoder = new TextEncoder();

const MULTI_TYPES = warnsOfTypesOnceParsed('multi search requests');

/** Parameters of multi searches. */
export const MULTI_PARAMS = {
  rest_total_hits_as_int: 'flag',
  typed_keys: 'text',
  max_concurrent_searches: 'integer',
  max_concurrent_shard_requests: 'integer',
  pre_filter_shard_size: 'integer',
  search_type: 'text',
  routing: 'text',
  ccs_minimize_roundtrips: 'flag',
  ...EXPAND,
} as const;

/** Multi-search endpoints. */
export const MULTI_SEARCH_ENDPOINTS: readonly Endpoint[] = [
  reads('GET POST', '/_msearch /{index}/_msearch /{index}/{type}/_msearch', MULTI_PARAMS, (call) => multiSearch(call), {
    readsBody: true,
    parse: (call) => parseMultiSearch(call),
    ...MULTI_TYPES,
  }),
];
