// `_reindex`: copies the documents that a query finds, as their caller sees them, into another index.
import type { Mapping } from '../../mapping/mapping.ts';
import { requiredObject } from '../request/object-body.ts';
import { changes, type Endpoint, READABLE } from '../request/endpoint.ts';
import { type Answer, bodyIndex, type Call, flagParam } from '../request/request.ts';
import { failedField, unknownField } from '../request/unknown-field.ts';
import { readableIndicesOf, writeIndex } from '../request/index-names.ts';
import type { Found } from '../request/resolve-indices.ts';
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
import { causeOf } from '../../json/error-shape.ts';
import { placeOf } from '../../json/json-place.ts';
import { checkToken } from '../../json/object-parser.ts';
import { ByQueryOutcome } from './by-query-outcome.ts';
import { type FoundDocument, foundDocuments } from './found-documents.ts';
import { type Destination, writtenThrough } from '../ingest/stored-documents.ts';
import { portions } from './portions.ts';
import { openTargets, releaseTargets } from '../request/search-state.ts';
import { checkIsAlias, checkMayBeMade, checkPipeline, indexForWrite, refreshAfter, VERSION_TYPES } from './writing.ts';
import { readSlice, type SearchBody } from '../../search/search-body.ts';
import { filterSource, readSourceFilter, type SourceFilter } from '../../fetch/source-filter.ts';
import type { Index } from '../../engine/engine-api.ts';
import type { Operation } from '../../index/operation.ts';
import type { SegmentReader } from '../../index/segment.ts';
import { asInteger, asObject, asString, type Json, parseJson, toList } from '../../json/json.ts';
import { illegalArgument, RequestError, unsupported, validationError } from '../../errors/request-error.ts';
import { LARGE, runJson } from '../../thread/read-json.ts';

const encoder = new TextEncoder();

/** Documents of one batch, unless the request says how many. */
const BATCH = 1000;

interface Reindex {
  readonly sources: string;
  /** Types that its documents must have; undefined: any. */
  readonly types: readonly string[] | undefined;
  readonly query: unknown;
  readonly filter: SourceFilter;
  readonly to: string;
  readonly create: boolean;
  /** Of the request; undefined: that of the index. */
  readonly pipeline: unknown;
  /** Of the copies, which keep the version of their originals; undefined: versions of their own. */
  readonly versionType: 'external' | 'external_gte' | undefined;
  /** `keep`, `discard`, or a routing for all. */
  readonly routing: string;
  readonly limit: MostDocuments;
  readonly batch: number;
  readonly proceed: boolean;
  readonly slice: SearchBody['slice'];
}

/** `POST /_reindex`. */
export async function reindex(call: Call, pace: Pace): Promise<Answer> {
  const plan = readReindex(call);
  if (flagParam(call, 'require_alias')) checkIsAlias(call.engine, plan.to);
  if (writeIndex(call.engine, plan.to) === undefined) checkMayBeMade(plan.to, call);
  const places = readableIndicesOf(call, plan.sources);
  if (places.some(({ index }) => index.name === plan.to))
    throw validationError(`reindex cannot write into an index its reading from [${plan.to}]`);
  const slices = slicesOf(call, () => places.map(({ index }) => index));
  plan.limit.check(plan.limit.value, slices);
  const outcome = new ByQueryOutcome(['updated', 'created', 'deleted'], pace, slices);
  const limit = slices === 1 ? plan.limit.value : Math.floor(plan.limit.value / slices);
  const to = destinationOf(plan, places, call);
  const typed = plan.types === undefined ? call : { ...call, path: { ...call.path, type: plan.types.join(',') } };
  for (let id = 0; id < slices; id++) {
    const slice = slices === 1 ? plan.slice : { id, max: slices };
    const part = outcome.part(slice?.id);
    const targets = openTargets(places, typed, slice);
    try {
      // Found before anything is written: a query that is wrong leaves no index behind, and an index that is deleted from here on is
      // copied as it was.
      const { query, batch } = plan;
      const { total, batches } = await foundDocuments(call, targets, { query, batch, limit });
      part.total = total;
      // Nothing that is found makes no index.
      if (total === 0) continue;
      if (plan.create && plan.versionType !== undefined)
        throw validationError('create operations only support internal versioning. use index instead');
      if (writeIndex(call.engine, plan.to) !== undefined) await to.open();
      const mappings = targets.map(({ target }) => target.mapping);
      await copy(call, paced(batches, part, pace, call.request.signal), mappings, plan, to, part);
    } finally {
      releaseTargets(targets);
    }
  }
  for (const index of outcome.written) await refreshAfter(index, call);
  return outcome.answer();
}

/** The index that is written to; a missing one is made for the first document that its pipelines let through. */
function destinationOf(plan: Reindex, places: readonly Found[], call: Call): Destination {
  let opened: Promise<Index> | undefined;
  const open = async (): Promise<Index> => {
    const to = await indexForWrite(call.engine, plan.to, call);
    if (places.some(({ index }) => index.name === to.name))
      throw validationError(`reindex cannot write into an index its reading from [${to.name}]`);
    return to;
  };
  return { name: plan.to, open: () => (opened ??= open()) };
}

async function copy(
  call: Call,
  found: AsyncIterable<readonly FoundDocument[]>,
  mappings: readonly Mapping[],
  plan: Reindex,
  to: Destination,
  part: ReturnType<ByQueryOutcome['part']>,
): Promise<void> {
  for await (const batch of found) {
    const copy = ({ target, segment, doc }: FoundDocument): ReturnType<typeof copied> =>
      copied(plan, filtersOf(mappings[target]!, plan), segment, doc);
    for await (const operations of portions(batch, copy)) {
      for await (const { name, index, result } of writtenThrough(call, to, operations, plan.pipeline)) {
        if (index !== undefined) part.written.add(index);
        if (result.kind === 'done') part.count(result.result === 'created' ? 'created' : 'updated');
        else part.refused(result, name, index, plan.proceed);
      }
    }
  }
}

/** What is left out of a source: what the mapping keeps nothing of, and what the request does not want. */
function filtersOf({ sourceSetting }: Mapping, { filter }: Reindex): readonly SourceFilter[] {
  return [sourceSetting, filter].filter(({ includes, excludes }) => includes.length + excludes.length > 0);
}

function copied(
  plan: Reindex,
  filters: readonly SourceFilter[],
  segment: SegmentReader,
  doc: number,
): Operation | Promise<Operation> {
  const id = segment.id(doc);
  const routing =
    plan.routing === 'keep' ? segment.routing(doc) : plan.routing === 'discard' ? undefined : plan.routing.slice(1);
  const read = segment.readSource(doc);
  const written = (source: Uint8Array): Operation => ({
    kind: 'index',
    id,
    source,
    routing,
    ...(plan.create ? { create: true } : {}),
    ...(plan.versionType === undefined ? {} : { version: segment.version(doc), versionType: plan.versionType }),
  });
  if (!(read instanceof Uint8Array) || read.length >= LARGE) return copiedLarge(filters, read).then(written);
  if (read.length === 0) throw illegalArgument(`[${id}] has no [_source], which reindexing copies`);
  return written(filters.length === 0 ? read : filteredHere(filters, read));
}

function filteredHere(filters: readonly SourceFilter[], stored: Uint8Array): Uint8Array {
  return encoder.encode(JSON.stringify(filters.reduce(filterSource, asObject(parseJson(stored), '_source'))));
}

/** What is copied of a large source, which is filtered in a thread. */
async function copiedLarge(
  filters: readonly SourceFilter[],
  read: Uint8Array | (() => Promise<Uint8Array>),
): Promise<Uint8Array> {
  const stored = read instanceof Uint8Array ? read : await read();
  if (filters.length === 0) return stored;
  const shown = await runJson('show', { source: stored, filters, paths: [] });
  return shown?.text ?? filteredHere(filters, stored);
}

const SOURCE_KEYS = ['index', 'type', 'query', 'size', '_source', 'remote', 'slice', 'sort'];
const DEST_KEYS = ['index', 'type', 'op_type', 'version_type', 'routing', 'pipeline'];

/** The members of a request, read in the order in which they stand, as Elasticsearch does: the first mistake is told. */
function readMembers(
  body: Json,
  call: Call,
): { readonly limit: MostDocuments; readonly proceed: boolean; readonly source: Json; readonly dest: Json } {
  const limit = new MostDocuments();
  let proceed = false;
  let source: Json = {};
  let dest: Json = {};
  const readers: Readonly<Record<string, (value: unknown) => void>> = {
    source: (value) => checkSearchKeys((source = asObject(value, 'source')), SOURCE_KEYS),
    dest: (value) => checkDestination((dest = asObject(value, 'dest'))),
    conflicts: (value) => void (proceed = proceeds(value)),
    max_docs: (value) => limit.take(value),
    size: (value) => {
      call.warn(
        `[reindex]${placeOf(call.request.body, ['size'])} Deprecated field [size] used, expected [max_docs] instead`,
      );
      limit.take(value);
    },
    script: () => undefined,
  };
  for (const [member, value] of Object.entries(body)) {
    const read = Object.hasOwn(readers, member) ? readers[member] : undefined;
    if (read === undefined) throw unknownField('reindex', member, Object.keys(readers), call.request.body);
    if (member === 'source' || member === 'dest') checkToken('reindex', member, value, 'object');
    try {
      read(value);
    } catch (error) {
      const { type, reason } = causeOf(error).error;
      const place = placeOf(call.request.body, [member], true);
      throw new RequestError(
        'SEARCH_PARSING',
        'x_content_parse_exception',
        `${place} [reindex] failed to parse field [${member}]`,
        { causedBy: { type, reason } },
      );
    }
  }
  return { limit, proceed, source, dest };
}

function checkDestination(dest: Json): void {
  for (const [key, value] of Object.entries(dest)) {
    if (!DEST_KEYS.includes(key)) throw unknownField('dest', key, DEST_KEYS);
    if (key === 'op_type' && value !== 'index' && value !== 'create') throw failedField('dest', key);
    if (key === 'version_type' && !VERSION_TYPES.some((type) => type === value)) throw failedField('dest', key);
  }
}

function readReindex(call: Call): Reindex {
  const body = requiredObject(call, 'reindex');
  const { limit, proceed, source, dest } = readMembers(body, call);
  if (body['script'] !== undefined) throw unsupported('[script] in a reindex');
  if (source['type'] !== undefined || dest['type'] !== undefined)
    call.warn('[types removal] Specifying types in reindex requests is deprecated.');
  for (const key of ['remote', 'sort'])
    if (source[key] !== undefined) throw unsupported(`[${key}] in the source of a reindex`);
  const create = dest['op_type'] === 'create';
  const { version_type: versionType = 'internal' } = dest;
  checkPipeline(dest['pipeline']);
  if (dest['type'] !== undefined && dest['type'] !== '_doc')
    throw unsupported('[type] in the destination of a reindex');
  const batch = batchSize(source['size'] === undefined ? BATCH : asInteger(source['size'], 'size'), 'size');
  const routing = dest['routing'] === undefined ? 'keep' : asString(dest['routing'], 'routing');
  const filter = readSourceFilter(source['_source']);
  const names = source['index'] === undefined ? [] : toList(source['index']).map((name) => asString(name, 'index'));
  const problems = [
    ...batchProblems(batch),
    ...slicingProblems(call, source['slice']),
    ...(names.length === 0 || names.includes('')
      ? ['use _all if you really want to copy from all existing indexes']
      : []),
    ...(filter.enabled ? [] : ['_source:false is not supported in this context']),
    ...(dest['index'] === undefined ? ['index must be specified'] : []),
    ...(routing === 'keep' || routing === 'discard' || routing.startsWith('=')
      ? []
      : ['routing must be unset, [keep], [discard] or [=<some new value>]']),
  ];
  readCommonParams(call, limit);
  if (problems.length > 0) throw validationError(...problems);
  return {
    sources: bodyIndex(call, names.join(',')),
    types: source['type'] === undefined ? undefined : toList(source['type']).map((type) => asString(type, 'type')),
    query: source['query'],
    filter,
    to: bodyIndex(call, asString(dest['index'], 'index')),
    create,
    pipeline: dest['pipeline'],
    versionType: versionType === 'internal' ? undefined : versionType === 'external_gte' ? 'external_gte' : 'external',
    routing,
    limit,
    batch,
    proceed,
    slice: readSlice(source['slice']),
  };
}

/** Copies of documents. */
export const REINDEX_ENDPOINTS: readonly Endpoint[] = [
  changes(
    'POST',
    '/_reindex',
    {
      refresh: 'flag',
      wait_for_completion: 'flag',
      max_docs: 'integer',
      scroll: 'time',
      slices: 'text',
      requests_per_second: 'text',
      timeout: 'time',
      wait_for_active_shards: 'text',
      require_alias: 'flag',
    },
    (call) => call.state.tasks.run(call, 'indices:data/write/reindex', 'reindex', reindex),
    READABLE,
  ),
];
