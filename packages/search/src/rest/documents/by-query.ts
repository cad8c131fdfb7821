// Deletes or re-indexes every document that a query finds.
import { warnsOfTypes } from '../request/warnings.ts';
import { changes, type Endpoint, type Params, READABLE } from '../request/endpoint.ts';
import { EXPAND, ONLY_SOURCE, QUERY } from '../request/route-params.ts';
import { ByQueryOutcome } from './by-query-outcome.ts';
import {
  batchProblems,
  batchSize,
  checkSearchKeys,
  MostDocuments,
  proceeds,
  readCommonParams,
  slicesOf,
  slicingProblems,
} from './by-query-params.ts';
import { paced } from './paced.ts';
import type { Pace } from './pace.ts';
import type { SearchTarget } from '../../fetch/target.ts';
import { checkPipeline, checkWritable } from './writing.ts';
import { preferredOf, readableIndicesOf, resolveOptions } from '../request/index-names.ts';
import {
  type Answer,
  checkPreference,
  type Call,
  durationParam,
  flagParam,
  integerParam,
  jsonBody,
  param,
} from '../request/request.ts';
import { byTarget, type FoundDocument, foundDocuments } from './found-documents.ts';
import { writtenThrough } from '../ingest/stored-documents.ts';
import { portions } from './portions.ts';
import { openTargets, releaseTargets } from '../request/search-state.ts';
import { checkSearchType, checkSearchBody } from '../search/search-handlers.ts';
import { checkTerminateAfter, withUrl } from '../request/search-url.ts';
import { readSlice, type SearchBody } from '../../search/search-body.ts';
import type { Operation } from '../../index/operation.ts';
import { asInteger, asObject } from '../../json/json.ts';
import { illegalArgument, unsupported, validationError } from '../../errors/request-error.ts';

/** Reads a request, as Elasticsearch does before it looks its indices up. @throws RequestError for its first mistake */
function parseByQuery(kind: Kind): (call: Call) => Promise<void> {
  return async (call) => {
    const { conflicts: _, max_docs: _most, ...search } = asObject(jsonBody(call) ?? {}, `${kind}_by_query`);
    await checkSearchBody(call, search);
    readByQuery(kind, call);
  };
}

type Kind = 'delete' | 'update';

interface ByQuery {
  readonly query: unknown;
  readonly limitEach: number | undefined;
  readonly batch: number;
  readonly proceed: boolean;
}

/** `POST /{index}/_delete_by_query` and `_update_by_query`. */
function byQuery(kind: Kind): (call: Call, pace: Pace) => Promise<Answer> {
  return async (call, pace) => {
    const { plan, slice, limit, problems } = readByQuery(kind, call);
    if (problems.length > 0) throw validationError(...problems);
    const places = preferredOf(call, readableIndicesOf(call));
    const slices = slicesOf(call, () => places.map(({ index }) => index));
    limit.check(limit.value, slices);
    // All are checked before one is written to: a refused request leaves everything as it was.
    for (const { index } of places) checkWritable(index, call);
    const outcome = new ByQueryOutcome(kind === 'delete' ? ['deleted'] : ['updated', 'deleted'], pace, slices);
    for (let id = 0; id < slices; id++) {
      const own = slices === 1 ? slice : { id, max: slices };
      const part = outcome.part(own?.id);
      const targets = openTargets(places, call, own);
      try {
        const most = slices === 1 ? limit.value : Math.floor(limit.value / slices);
        await runPart(kind, call, targets, { ...plan, limit: most }, part, pace);
      } finally {
        releaseTargets(targets);
      }
    }
    for (const { index } of places) outcome.written.add(index);
    if (flagParam(call, 'refresh')) for (const index of outcome.written) await index.refresh();
    return outcome.answer();
  };
}

/** Does one part of a request. */
async function runPart(
  kind: Kind,
  call: Call,
  targets: readonly SearchTarget[],
  plan: ByQuery & { readonly limit: number },
  part: ReturnType<ByQueryOutcome['part']>,
  pace: Pace,
): Promise<void> {
  const time = durationParam(call, 'search_timeout');
  const { total, batches } = await foundDocuments(call, targets, { ...plan, time });
  part.total = total;
  for await (const batch of paced(batches, part, pace, call.request.signal)) {
    for (const group of byTarget(batch)) {
      const { index } = targets[group[0]!.target]!.target;
      for await (const operations of portions(group, (found) => operationOf(kind, found))) {
        const to = { name: index.name, open: () => index };
        for await (const { name, index: written, result } of writtenThrough(call, to, operations)) {
          if (written !== undefined) part.written.add(written);
          if (result.kind === 'done') part.count(kind === 'delete' ? 'deleted' : 'updated');
          else part.refused(result, name, written, plan.proceed);
        }
      }
    }
  }
}

function operationOf(kind: Kind, { segment, doc }: FoundDocument): Operation | Promise<Operation> {
  const shared = {
    id: segment.id(doc),
    routing: segment.routing(doc),
    ifSeqNo: segment.seqNo(doc),
    ifPrimaryTerm: segment.primaryTerm(doc),
  };
  if (kind === 'delete') return { kind, ...shared };
  const written = (source: Uint8Array): Operation => ({ kind: 'index', source, ...shared });
  const read = segment.readSource(doc);
  return read instanceof Uint8Array ? written(read) : read().then(written);
}

/** What a request wants. */
function readByQuery(
  kind: Kind,
  call: Call,
): {
  readonly limit: MostDocuments;
  readonly slice: SearchBody['slice'];
  readonly plan: ByQuery;
  readonly problems: readonly string[];
} {
  const request = kind === 'delete' ? 'a delete by query' : 'an update by query';
  const body = asObject(jsonBody(call) ?? {}, `${kind}_by_query`);
  for (const key of ['script', 'sort']) if (body[key] !== undefined) throw unsupported(`[${key}] in ${request}`);
  checkSearchKeys(body, ['query', 'max_docs', 'conflicts', 'size', 'slice']);
  checkPipeline(param(call, 'pipeline'));
  // Elasticsearch writes what is left of each document.
  for (const key of Object.keys(ONLY_SOURCE))
    if (kind === 'update' && param(call, key) !== undefined) throw unsupported(`[${key}] in ${request}`);
  if (param(call, 'sort') !== undefined) throw unsupported(`[sort] in ${request}`);
  resolveOptions(call, 'open', true, false);
  const from = integerParam(call, 'from');
  if (from !== undefined && from < -1) throw illegalArgument('[from] parameter cannot be negative');
  if (from !== undefined)
    throw validationError('using [from] is not allowed in a scroll context', 'from is not supported in this context');
  const proceed = proceeds(param(call, 'conflicts') ?? body['conflicts']);
  const limit = new MostDocuments();
  limit.take(body['max_docs']);
  const { query } = withUrl(call, { query: body['query'] });
  const batch = batchSize(
    body['size'] === undefined ? (integerParam(call, 'scroll_size') ?? 1000) : asInteger(body['size'], 'size'),
    'scroll_size',
  );
  const problems = [
    ...batchProblems(batch),
    ...((param(call, 'request_cache') ?? '') === '' ? [] : ['[request_cache] cannot be used in a scroll context']),
    // `null` asks nothing: everything must not be deleted for it.
    ...((query ?? undefined) === undefined && kind === 'delete' ? ['query is missing'] : []),
    ...slicingProblems(call, body['slice']),
  ];
  const slice = readSlice(body['slice']);
  const limitEach = integerParam(call, 'terminate_after');
  checkTerminateAfter(limitEach);
  checkSearchType(call);
  checkPreference(call);
  const plan = { query, limitEach: limitEach === 0 ? undefined : limitEach, batch, proceed };
  readCommonParams(call, limit);
  return { limit, slice, plan, problems };
}

const PARAMS = {
  ...EXPAND,
  ...QUERY,
  ...ONLY_SOURCE,
  conflicts: 'text',
  from: 'integer',
  max_docs: 'integer',
  preference: 'text',
  refresh: 'flag',
  request_cache: 'flag',
  requests_per_second: 'text',
  routing: 'text',
  scroll: 'time',
  scroll_size: 'integer',
  search_timeout: 'time',
  search_type: 'text',
  size: 'integer',
  slices: 'text',
  sort: 'text',
  stats: 'text',
  terminate_after: 'integer',
  timeout: 'time',
  version: 'flag',
  wait_for_active_shards: 'text',
  wait_for_completion: 'flag',
} as const;

function byQueryEndpoint(kind: Kind, params: Params): Endpoint {
  return changes(
    'POST',
    `/{index}/_${kind}_by_query /{index}/{type}/_${kind}_by_query`,
    params,
    (call) =>
      call.state.tasks.run(
        call,
        `indices:data/write/${kind}/byquery`,
        `${kind}-by-query [${call.path['index']}]`,
        byQuery(kind),
      ),
    { ...READABLE, parse: parseByQuery(kind), ...warnsOfTypes('search requests') },
  );
}

/** Writes to what a query finds. */
export const BY_QUERY_ENDPOINTS: readonly Endpoint[] = [
  byQueryEndpoint('delete', PARAMS),
  byQueryEndpoint('update', { ...PARAMS, pipeline: 'text' }),
];
