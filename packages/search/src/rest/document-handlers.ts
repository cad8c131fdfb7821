// Single documents and bulk: index, create, get, exists, source, update, delete, mget, bulk.
import { createIndex } from './create-index.ts';
import { causeOf } from './error-shape.ts';
import { isSameShard, isSharded } from './shard-of-routing.ts';
import { aliasesOf, noSuchIndex, writeIndex } from './index-names.ts';
import { isWriteBlocked, settingsOf } from './index-settings.ts';
import { checkIsOpen, hasType, shownType, typeNameOf } from './index-state.ts';
import {
  type Answer,
  bodyIndex,
  bodyLines,
  type Call,
  flagParam,
  integerParam,
  jsonBody,
  listParam,
  param,
} from './request.ts';
import { RawJson } from './print-json.ts';
import { filterSource, readSourceFilter, type SourceFilter } from '../api/source-filter.ts';
import { mappingOf } from '../api/target.ts';
import { valuesAt } from '../api/fetch.ts';
import { searchError } from '../errors.ts';
import type { Engine, Index } from '../engine/engine-api.ts';
import { viewOfIndex } from '../view/viewed-engine.ts';
import type { Operation, OperationResult, StoredDocument, WriteConditions } from '../index/operation.ts';
import {
  asBoolean,
  asChoice,
  asInteger,
  asObject,
  asString,
  checkKeys,
  isObject,
  type Json,
  parseJson,
  toList,
} from '../json.ts';
import { illegalArgument, RequestError, unsupported, validationError } from '../request-error.ts';
import { randomBytes } from 'node:crypto';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const SHARDS = { total: 1, successful: 1, failed: 0 };

const ID_BYTES = 15;
let pool = Buffer.alloc(0);
let poolAt = 0;

/** A new id: 15 random bytes in 20 URL-safe characters, as Elasticsearch's; drawn many at a time. */
function newId(): string {
  if (poolAt + ID_BYTES > pool.length) {
    pool = randomBytes(ID_BYTES * 256);
    poolAt = 0;
  }
  poolAt += ID_BYTES;
  return pool.toString('base64url', poolAt - ID_BYTES, poolAt);
}

function checkId(id: string): void {
  if (id === '') throw illegalArgument('if _id is specified it must not be empty');
  const bytes = Buffer.byteLength(id);
  if (bytes > 512)
    throw validationError(`id [${id.slice(0, 40)}…] is too long, must be no longer than 512 bytes but was: ${bytes}`);
}

/** Refuses writes that the host or a setting forbids, or to a closed index. */
export function checkWritable(index: Index, call: Call): void {
  checkIsOpen(index);
  // A caller who sees only a part could overwrite, or learn of, documents outside it: such an index is only read.
  if (
    viewOfIndex(index) !== undefined ||
    call.request.readOnly?.(index.name) === true ||
    isWriteBlocked(settingsOf(index.definition))
  ) {
    throw searchError('SEARCH_READ_ONLY', { index: index.name }, { hint: call.request.readOnlyHint });
  }
}

async function indexForWrite(
  engine: Engine,
  name: string,
  call: Call,
  requireAlias = flagParam(call, 'require_alias'),
): Promise<Index> {
  const found = writeIndex(engine, name);
  if (requireAlias && (found === undefined || !Object.hasOwn(aliasesOf(found), name))) {
    throw new RequestError(
      'SEARCH_NOT_FOUND',
      'index_not_found_exception',
      `no such index [${name}] and [require_alias] request flag is [true] and [${name}] is not an alias`,
      {
        fields: { index_uuid: '_na_', index: name },
      },
    );
  }
  const index = found ?? (await createIndex(engine, name, {}, call));
  checkWritable(index, call);
  return index;
}

function conditions(values: { seqNo: unknown; term: unknown; version: unknown; type: unknown }): WriteConditions {
  const { seqNo, term, version, type } = values;
  if ((seqNo === undefined) !== (term === undefined)) {
    throw validationError(
      seqNo === undefined
        ? 'ifSeqNo is unassigned, but primary term is [' + String(term) + ']'
        : 'ifSeqNo is set, but primary term is [0]',
    );
  }
  const kind =
    type === undefined
      ? 'internal'
      : asChoice(type, 'version_type', ['internal', 'external', 'external_gt', 'external_gte']);
  if (version !== undefined && kind === 'internal') {
    throw validationError(
      'internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead',
    );
  }
  if (version === undefined && kind !== 'internal')
    throw validationError(`illegal version value [-3] for version type [${kind.toUpperCase()}]`);
  const number = (value: unknown, name: string): number => {
    const found = asInteger(value, name);
    if (found < 0)
      throw illegalArgument(
        `${name === 'if_seq_no' ? 'sequence numbers' : name} must be non negative. got [${found}].`,
      );
    return found;
  };
  return {
    ...(seqNo === undefined ? {} : { ifSeqNo: number(seqNo, 'if_seq_no') }),
    ...(term === undefined ? {} : { ifPrimaryTerm: number(term, 'if_primary_term') }),
    ...(version === undefined
      ? {}
      : { version: number(version, 'version'), versionType: kind === 'external_gte' ? 'external_gte' : 'external' }),
  };
}

function urlConditions(call: Call): WriteConditions {
  return conditions({
    seqNo: param(call, 'if_seq_no'),
    term: param(call, 'if_primary_term'),
    version: param(call, 'version'),
    type: param(call, 'version_type'),
  });
}

/** A typed path names the type that the index has; indices that were given none take any. */
function checkType(index: Index, call: Call): void {
  const given = call.path['type'];
  if (hasType(index, given)) return;
  throw illegalArgument(
    `Rejecting mapping update to [${index.name}] as the final mapping would have more than 1 type: [${[typeNameOf(index), given].join(', ')}]`,
  );
}

async function refreshAfter(index: Index, value: string | undefined): Promise<boolean> {
  if (value === undefined || value === 'false') return false;
  if (value !== '' && value !== 'true' && value !== 'wait_for') {
    throw illegalArgument(`Unknown value for refresh: [${value}].`);
  }
  await index.refresh();
  return value !== 'wait_for';
}

function written(
  index: Index,
  result: OperationResult & { kind: 'done' },
  forced: boolean,
  type = '_doc',
): Record<string, unknown> {
  return {
    _index: index.name,
    _type: type,
    _id: result.id,
    _version: result.version,
    result: result.result,
    ...(forced ? { forced_refresh: true } : {}),
    _shards: SHARDS,
    _seq_no: result.seqNo,
    _primary_term: result.primaryTerm,
  };
}

function checkRouting(index: Index, id: string, routing: string | undefined): void {
  if (routing === undefined && mappingOf(index).routingRequired) {
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'routing_missing_exception',
      `routing is required for [${index.name}]/[_doc]/[${id}]`,
      {
        fields: { index_uuid: index.uuid, index: index.name },
      },
    );
  }
}

async function applyOne(index: Index, operation: Operation): Promise<OperationResult & { kind: 'done' }> {
  const [result] = await index.apply([operation]);
  if (result === undefined) throw new Error('the engine answered no result');
  if (result.kind === 'failed') throw enriched(result.error, index);
  return result;
}

/** Adds the index to a version conflict, as Elasticsearch does. */
function enriched(error: Error, index: Index): Error {
  if ('code' in error && error.code === 'SEARCH_VERSION_CONFLICT') {
    return new RequestError('SEARCH_CONFLICT', 'version_conflict_engine_exception', error.message, {
      fields: { index_uuid: index.uuid, shard: '0', index: index.name },
    });
  }
  return error;
}

/** `PUT|POST /{index}/_doc[/{id}]` and `_create`. */
export async function indexDocument(engine: Engine, call: Call): Promise<Answer> {
  if (param(call, 'pipeline') !== undefined && param(call, 'pipeline') !== '_none') throw unsupported('[pipeline]');
  const given = call.path['id'];
  if (call.path['type'] === '_all') throw illegalArgument("mapping type name [_all] can't start with '_'");
  if (given !== undefined) checkId(given);
  const id = given ?? newId();
  const opType = param(call, 'op_type');
  const create =
    call.path['create'] !== undefined ||
    (opType === undefined ? false : asChoice(opType, 'op_type', ['index', 'create']) === 'create');
  const { body } = call.request;
  if (body === undefined || body.length === 0) throw validationError('source is missing');
  const condition = urlConditions(call);
  if (create && condition.ifSeqNo !== undefined)
    throw validationError('create operations do not support compare and set. use index instead');
  if (create && condition.version !== undefined) {
    throw validationError('create operations only support internal versioning. use index instead');
  }
  const parsed = parseJson(body);
  if (!isObject(parsed))
    throw new RequestError('SEARCH_MAPPING', 'mapper_parsing_exception', 'failed to parse', {
      causedBy: {
        type: 'not_x_content_exception',
        reason: 'Compressor detection can only be called on some xcontent bytes or compressed xcontent bytes',
      },
    });
  const index = await indexForWrite(engine, call.path['index']!, call);
  checkType(index, call);
  const routing = param(call, 'routing');
  checkRouting(index, id, routing);
  const result = await applyOne(index, {
    kind: 'index',
    id,
    source: body,
    routing,
    create: create || given === undefined,
    ...condition,
  });
  const forced = await refreshAfter(index, param(call, 'refresh'));
  return {
    status: result.result === 'created' ? 201 : 200,
    json: written(index, result, forced, shownType(index, call.path['type'])),
  };
}

/** `DELETE /{index}/_doc/{id}`. */
export async function deleteDocument(engine: Engine, call: Call): Promise<Answer> {
  const id = call.path['id']!;
  const name = call.path['index']!;
  const condition = urlConditions(call);
  const index = condition.version === undefined ? writeIndex(engine, name) : await indexForWrite(engine, name, call);
  if (index === undefined) throw noSuchIndex(name);
  checkWritable(index, call);
  checkType(index, call);
  const routing = param(call, 'routing');
  checkRouting(index, id, routing);
  const result = isElsewhere(index, id, routing)
    ? notThere(id)
    : await applyOne(index, { kind: 'delete', id, routing, ...condition });
  const forced = await refreshAfter(index, param(call, 'refresh'));
  return {
    status: result.result === 'not_found' ? 404 : 200,
    json: written(index, result, forced, shownType(index, call.path['type'])),
  };
}

/** A document as the caller may see it, where the routing leads to it. */
function read(index: Index, id: string, realtime: boolean, routing: string | undefined): StoredDocument | undefined {
  const document = readAny(index, id, realtime);
  return document !== undefined && isSameShard(index, id, document.routing, routing) ? document : undefined;
}

/** Whether a document is there, in a shard that the routing does not lead to: deleting it by that routing must not. */
function isElsewhere(index: Index, id: string, routing: string | undefined): boolean {
  return isSharded(index) && readAny(index, id, true) !== undefined && read(index, id, true, routing) === undefined;
}

/** What deleting a document answers that is not in the shard. */
function notThere(id: string): OperationResult & { kind: 'done' } {
  return { kind: 'done', id, result: 'not_found', version: 1, seqNo: -2, primaryTerm: 0 };
}

function readAny(index: Index, id: string, realtime: boolean): StoredDocument | undefined {
  if (realtime) return index.get(id);
  const searcher = index.searcher();
  try {
    const place = searcher.find(id);
    if (place === undefined) return undefined;
    const { segment, doc } = place;
    return {
      id,
      source: segment.source(doc),
      version: segment.version(doc),
      seqNo: segment.seqNo(doc),
      primaryTerm: segment.primaryTerm(doc),
      routing: segment.routing(doc),
    };
  } finally {
    searcher.release();
  }
}

function sourceFilterOf(call: Call): SourceFilter {
  const given = param(call, '_source');
  const base =
    given === undefined || given === ''
      ? readSourceFilter(undefined)
      : readSourceFilter(given === 'true' || given === 'false' ? given : given.split(','));
  return {
    enabled: base.enabled,
    includes: [...base.includes, ...(listParam(call, '_source_includes') ?? [])],
    excludes: listParam(call, '_source_excludes') ?? [],
  };
}

function shownSource(index: Index, document: StoredDocument, filter: SourceFilter): unknown {
  const own = mappingOf(index).sourceSetting;
  if (!own.enabled) return undefined;
  const plain = own.includes.length + own.excludes.length + filter.includes.length + filter.excludes.length === 0;
  if (plain) return new RawJson(decoder.decode(document.source));
  const parsed = JSON.parse(decoder.decode(document.source)) as Json;
  return filterSource(filterSource(parsed, { enabled: true, includes: own.includes, excludes: own.excludes }), filter);
}

function found(
  index: Index,
  document: StoredDocument,
  filter: SourceFilter,
  storedFields: readonly string[] | undefined,
  type: string,
): Json {
  const source = filter.enabled ? shownSource(index, document, filter) : undefined;
  const fields: Record<string, unknown> = {};
  if (storedFields !== undefined) {
    const parsed = JSON.parse(decoder.decode(document.source)) as Json;
    for (const pattern of storedFields) {
      for (const field of mappingOf(index).matching(pattern)) {
        if (field.definition['store'] !== true && field.definition['store'] !== 'true') continue;
        const values = valuesAt(parsed, field.path.split('.'));
        if (values.length > 0) fields[field.path] = values;
      }
    }
  }
  return {
    _index: index.name,
    _type: type,
    _id: document.id,
    _version: document.version,
    _seq_no: document.seqNo,
    _primary_term: document.primaryTerm,
    ...(document.routing === undefined ? {} : { _routing: document.routing }),
    found: true,
    ...(source === undefined ? {} : { _source: source }),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
  };
}

function oneIndex(engine: Engine, name: string): Index {
  const index = findIndex(engine, name);
  checkIsOpen(index);
  return index;
}

function findIndex(engine: Engine, name: string): Index {
  if (engine.has(name)) return engine.index(name);
  const behind = engine.indices().filter((index) => Object.hasOwn(aliasesOf(index), name));
  if (behind.length > 1) {
    throw illegalArgument(
      `Alias [${name}] has more than one index associated with it [${behind.map((index) => index.name).join(', ')}], can't execute a single index op`,
    );
  }
  if (behind[0] === undefined) throw noSuchIndex(name);
  return behind[0];
}

function checkVersion(document: StoredDocument, call: Call): void {
  const version = integerParam(call, 'version');
  if (version !== undefined && version !== document.version) {
    throw new RequestError(
      'SEARCH_CONFLICT',
      'version_conflict_engine_exception',
      `[${document.id}]: version conflict, current version [${document.version}] is different than the one provided [${version}]`,
    );
  }
}

/** `GET|HEAD /{index}/_doc/{id}`. */
export async function getDocument(engine: Engine, call: Call): Promise<Answer> {
  const index = oneIndex(engine, call.path['index']!);
  const id = call.path['id']!;
  checkRouting(index, id, param(call, 'routing'));
  if (flagParam(call, 'refresh')) await index.refresh();
  const type = call.path['type'];
  const document = hasType(index, type)
    ? read(index, id, flagParam(call, 'realtime', true), param(call, 'routing'))
    : undefined;
  if (document === undefined)
    return { status: 404, json: { _index: index.name, _type: shownType(index, type), _id: id, found: false } };
  checkVersion(document, call);
  const filter = sourceFilterOf(call);
  const stored = listParam(call, 'stored_fields');
  const hidden =
    stored !== undefined &&
    !stored.includes('_source') &&
    param(call, '_source') === undefined &&
    filter.includes.length === 0;
  return {
    json: found(index, document, hidden ? { ...filter, enabled: false } : filter, stored, shownType(index, type)),
  };
}

/** `GET|HEAD /{index}/_source/{id}`. */
export async function getSource(engine: Engine, call: Call): Promise<Answer> {
  const index = oneIndex(engine, call.path['index']!);
  const id = call.path['id']!;
  checkRouting(index, id, param(call, 'routing'));
  if (flagParam(call, 'refresh')) await index.refresh();
  const document = read(index, id, flagParam(call, 'realtime', true), param(call, 'routing'));
  const filter = sourceFilterOf(call);
  const source = document === undefined || !filter.enabled ? undefined : shownSource(index, document, filter);
  if (document === undefined || source === undefined) {
    throw new RequestError(
      'SEARCH_NOT_FOUND',
      'resource_not_found_exception',
      document === undefined
        ? `Document not found [${index.name}]/[_doc]/[${id}]`
        : `Source not found [${index.name}]/[_doc]/[${id}]`,
    );
  }
  checkVersion(document, call);
  return { json: source };
}

/** `GET|POST /_mget`. */
export async function multiGet(engine: Engine, call: Call): Promise<Answer> {
  const body = jsonBody(call);
  if (!isObject(body)) throw validationError('no documents to get');
  checkKeys(body, 'mget', ['docs', 'ids']);
  const base = call.path['index'];
  const entries: Json[] = [
    ...toList(body['docs'] ?? []).map((entry) => (isObject(entry) ? entry : { _id: entry })),
    ...toList(body['ids'] ?? []).map((id) => ({ _id: id })),
  ];
  if (entries.length === 0) throw validationError('no documents to get');
  const defaults = sourceFilterOf(call);
  const problems: string[] = [];
  for (const [at, entry] of entries.entries()) {
    checkKeys(entry, 'docs', [
      '_index',
      '_type',
      '_id',
      '_source',
      'stored_fields',
      'routing',
      'version',
      'version_type',
    ]);
    if (entry['_index'] === undefined && base === undefined) problems.push(`index is missing for doc ${at}`);
    if (entry['_id'] === undefined) problems.push(`id is missing for doc ${at}`);
  }
  if (problems.length > 0) {
    throw new RequestError(
      'SEARCH_VALIDATION',
      'action_request_validation_exception',
      `Validation Failed: ${problems.map((each, at) => `${at + 1}: ${each};`).join('')}`,
    );
  }
  const docs = await Promise.all(
    entries.map(async (entry) => {
      const name = entry['_index'] === undefined ? base! : bodyIndex(call, asString(entry['_index'], '_index'));
      const id = asString(entry['_id'], '_id');
      const type = entry['_type'] === undefined ? call.path['type'] : asString(entry['_type'], '_type');
      try {
        const index = oneIndex(engine, name);
        const given = entry['routing'] ?? param(call, 'routing');
        const routing = given === undefined ? undefined : asString(given, 'routing');
        checkRouting(index, id, routing);
        if (flagParam(call, 'refresh')) await index.refresh();
        const document = hasType(index, type) ? read(index, id, flagParam(call, 'realtime', true), routing) : undefined;
        if (document === undefined) {
          return { _index: index.name, _type: shownType(index, type), _id: id, found: false };
        }
        const stored =
          entry['stored_fields'] === undefined
            ? listParam(call, 'stored_fields')
            : toList(entry['stored_fields']).map(String);
        const filter = entry['_source'] === undefined ? defaults : readSourceFilter(entry['_source']);
        const hidden =
          stored !== undefined &&
          !stored.includes('_source') &&
          entry['_source'] === undefined &&
          param(call, '_source') === undefined;
        return found(
          index,
          document,
          hidden ? { ...filter, enabled: false } : filter,
          stored,
          // Without a type in the request it is the index's own.
          shownType(index, type ?? '_all'),
        );
      } catch (error) {
        const cause = causeOf(error).error;
        return { _index: name, _type: type ?? null, _id: id, error: { root_cause: [cause], ...cause } };
      }
    }),
  );
  return { json: { docs } };
}

interface UpdateSpec {
  readonly id: string;
  readonly body: Json;
  readonly routing: string | undefined;
  readonly condition: WriteConditions;
  readonly retries: number;
  readonly source: SourceFilter | undefined;
}

const UPDATE_KEYS = [
  'doc',
  'upsert',
  'doc_as_upsert',
  'detect_noop',
  '_source',
  'if_seq_no',
  'if_primary_term',
  'lang',
  'params',
];

/** Merges a partial document into a document, objects deeply, everything else replaced. */
function mergeDocument(base: Json, change: Json): { readonly merged: Json; readonly changed: boolean } {
  const merged: Record<string, unknown> = { ...base };
  let changed = false;
  for (const [key, value] of Object.entries(change)) {
    const before = merged[key];
    if (isObject(before) && isObject(value)) {
      const inner = mergeDocument(before, value);
      merged[key] = inner.merged;
      changed ||= inner.changed;
    } else if (!Object.hasOwn(merged, key) || JSON.stringify(before) !== JSON.stringify(value)) {
      merged[key] = value;
      changed = true;
    }
  }
  return { merged, changed };
}

async function update(
  index: Index,
  spec: UpdateSpec,
): Promise<{ readonly status: number; readonly json: Record<string, unknown>; readonly noop: boolean }> {
  const { body, id, routing } = spec;
  if (body['script'] !== undefined || body['scripted_upsert'] !== undefined) throw unsupported('[script] in an update');
  checkKeys(body, 'UpdateRequest', UPDATE_KEYS);
  if (body['doc'] === undefined && body['upsert'] === undefined) throw validationError('script or doc is missing');
  const asUpsert = body['doc_as_upsert'] !== undefined && asBoolean(body['doc_as_upsert'], 'doc_as_upsert');
  if (asUpsert && body['doc'] === undefined) throw validationError('doc must be specified if doc_as_upsert is enabled');
  for (let attempt = 0; ; attempt++) {
    const current = read(index, id, true, routing);
    let source: Json;
    let condition = spec.condition;
    if (current === undefined) {
      const upsert = body['upsert'] ?? (asUpsert ? body['doc'] : undefined);
      if (upsert === undefined) {
        throw new RequestError('SEARCH_NOT_FOUND', 'document_missing_exception', `[_doc][${id}]: document missing`, {
          fields: { index_uuid: index.uuid, shard: '0', index: index.name },
        });
      }
      if (condition.ifSeqNo !== undefined) {
        throw new RequestError('SEARCH_NOT_FOUND', 'document_missing_exception', `[_doc][${id}]: document missing`);
      }
      source = asObject(upsert, 'upsert');
    } else {
      const before = JSON.parse(decoder.decode(current.source)) as Json;
      const { merged, changed } = mergeDocument(before, asObject(body['doc'] ?? {}, 'doc'));
      const detect = body['detect_noop'] === undefined || asBoolean(body['detect_noop'], 'detect_noop');
      if (
        condition.ifSeqNo !== undefined &&
        (condition.ifSeqNo !== current.seqNo || condition.ifPrimaryTerm !== current.primaryTerm)
      ) {
        throw new RequestError(
          'SEARCH_CONFLICT',
          'version_conflict_engine_exception',
          `[${id}]: version conflict, required seqNo [${condition.ifSeqNo}], primary term [${condition.ifPrimaryTerm}]. current document has seqNo [${current.seqNo}] and primary term [${current.primaryTerm}]`,
          { fields: { index_uuid: index.uuid, shard: '0', index: index.name } },
        );
      }
      if (!changed && detect) {
        return {
          status: 200,
          noop: true,
          json: {
            _index: index.name,
            _type: '_doc',
            _id: id,
            _version: current.version,
            result: 'noop',
            _shards: { total: 0, successful: 0, failed: 0 },
            _seq_no: current.seqNo,
            _primary_term: current.primaryTerm,
            ...withGet(index, current, spec.source),
          },
        };
      }
      source = merged;
      condition = { ifSeqNo: current.seqNo, ifPrimaryTerm: current.primaryTerm };
    }
    const bytes = encoder.encode(JSON.stringify(source));
    const [result] = await index.apply([
      {
        kind: 'index',
        id,
        source: bytes,
        routing: routing ?? current?.routing,
        create: current === undefined,
        ...condition,
      },
    ]);
    if (result!.kind === 'failed') {
      const conflict = 'code' in result!.error && result!.error.code === 'SEARCH_VERSION_CONFLICT';
      if (conflict && attempt < spec.retries) continue;
      throw enriched(result!.error, index);
    }
    const done = result as OperationResult & { kind: 'done' };
    const after = {
      id,
      source: bytes,
      version: done.version,
      seqNo: done.seqNo,
      primaryTerm: done.primaryTerm,
      routing: routing ?? current?.routing,
    };
    return {
      status: done.result === 'created' ? 201 : 200,
      noop: false,
      json: { ...written(index, done, false), ...withGet(index, after, spec.source) },
    };
  }
}

function withGet(index: Index, document: StoredDocument, filter: SourceFilter | undefined): Json {
  if (filter === undefined || !filter.enabled) return {};
  return {
    get: {
      _seq_no: document.seqNo,
      _primary_term: document.primaryTerm,
      ...(document.routing === undefined ? {} : { _routing: document.routing }),
      found: true,
      _source: shownSource(index, document, filter),
    },
  };
}

/** `POST /{index}/_update/{id}`. */
export async function updateDocument(engine: Engine, call: Call): Promise<Answer> {
  const id = call.path['id']!;
  checkId(id);
  const body = asObject(jsonBody(call) ?? {}, 'UpdateRequest');
  const index = await indexForWrite(engine, call.path['index']!, call);
  checkType(index, call);
  const routing = param(call, 'routing');
  checkRouting(index, id, routing);
  const wantsSource =
    param(call, '_source') !== undefined ||
    param(call, '_source_includes') !== undefined ||
    param(call, '_source_excludes') !== undefined;
  const answer = await update(index, {
    id,
    body,
    routing,
    condition: conditions({
      seqNo: param(call, 'if_seq_no') ?? body['if_seq_no'],
      term: param(call, 'if_primary_term') ?? body['if_primary_term'],
      version: param(call, 'version'),
      type: param(call, 'version_type'),
    }),
    retries: integerParam(call, 'retry_on_conflict') ?? 0,
    source:
      body['_source'] === undefined
        ? wantsSource
          ? sourceFilterOf(call)
          : undefined
        : readSourceFilter(body['_source']),
  });
  const forced = await refreshAfter(index, param(call, 'refresh'));
  return {
    status: answer.status,
    json: forced && !answer.noop ? { ...answer.json, forced_refresh: true } : answer.json,
  };
}

const ACTION_KEYS = [
  '_index',
  '_type',
  '_id',
  'routing',
  'version',
  'version_type',
  'if_seq_no',
  'if_primary_term',
  'retry_on_conflict',
  'pipeline',
  '_source',
  'require_alias',
  'op_type',
];

interface BulkItem {
  readonly action: 'index' | 'create' | 'delete' | 'update';
  readonly meta: Json;
  readonly source: Uint8Array | undefined;
}

/** `POST /_bulk`. Items are answered one by one; one failing leaves the others alone. */
export async function bulk(engine: Engine, call: Call): Promise<Answer> {
  const started = performance.now();
  const items = readBulk(bodyLines(call));
  if (items.length === 0) throw validationError('no requests added');
  const answers: Json[] = [];
  const touched = new Set<Index>();
  let errors = false;
  // Runs of plain writes to one index go to the engine together; an update needs what came before it.
  let run: { index: Index; operations: Operation[]; items: BulkItem[] } | undefined;
  const flush = async (): Promise<void> => {
    if (run === undefined) return;
    const { index, operations, items: own } = run;
    run = undefined;
    const results = await index.apply(operations);
    results.forEach((result, at) => {
      const { action } = own[at]!;
      if (result.kind === 'failed') {
        errors = true;
        answers.push({ [action]: failure(index.name, result.id, enriched(result.error, index)) });
      } else {
        const status = result.result === 'created' ? 201 : result.result === 'not_found' ? 404 : 200;
        answers.push({ [action]: { ...written(index, result, false), status } });
      }
    });
  };
  // All of them before the first is written: a refused request leaves nothing behind.
  for (const { meta } of items) if (meta['_index'] !== undefined) bodyIndex(call, asString(meta['_index'], '_index'));
  for (const item of items) {
    const { action, meta } = item;
    const name = meta['_index'] === undefined ? call.path['index'] : asString(meta['_index'], '_index');
    const given = meta['_id'] === undefined || meta['_id'] === null ? undefined : asString(meta['_id'], '_id');
    try {
      if (name === undefined) throw validationError('index is missing');
      if (given !== undefined) checkId(given);
      if (given === undefined && action !== 'index' && action !== 'create') throw validationError('id is missing');
      if (meta['pipeline'] !== undefined) throw unsupported('[pipeline]');
      const requireAlias =
        meta['require_alias'] === undefined ? undefined : asBoolean(meta['require_alias'], 'require_alias');
      const index = await indexForWrite(engine, name, call, requireAlias);
      touched.add(index);
      const id = given ?? newId();
      const routingValue = meta['routing'] ?? param(call, 'routing');
      const routing = routingValue === undefined ? undefined : asString(routingValue, 'routing');
      checkRouting(index, id, routing);
      const condition = conditions({
        seqNo: meta['if_seq_no'],
        term: meta['if_primary_term'],
        version: meta['version'],
        type: meta['version_type'],
      });
      if (action === 'update') {
        await flush();
        const retries = meta['retry_on_conflict'];
        const body = asObject(parseJson(item.source!), 'UpdateRequest');
        const url = ['_source', '_source_includes', '_source_excludes'].some((name) => param(call, name) !== undefined);
        const source = body['_source'] ?? meta['_source'];
        const answer = await update(index, {
          id,
          body,
          routing,
          condition,
          retries: retries === undefined ? 0 : asInteger(retries, 'retry_on_conflict'),
          source:
            source === undefined
              ? url
                ? sourceFilterOf(call)
                : undefined
              : readSourceFilter(
                  Array.isArray(source) && source.length === 1 && /^(?:true|false)$/.test(String(source[0]))
                    ? source[0]
                    : source,
                ),
        });
        answers.push({ update: { ...answer.json, status: answer.status } });
        continue;
      }
      if (action === 'delete' && isSharded(index)) {
        await flush();
        if (isElsewhere(index, id, routing)) {
          answers.push({ delete: { ...written(index, notThere(id), false), status: 404 } });
          continue;
        }
      }
      if (run !== undefined && run.index !== index) await flush();
      run ??= { index, operations: [], items: [] };
      run.items.push(item);
      run.operations.push(
        action === 'delete'
          ? { kind: 'delete', id, routing, ...condition }
          : {
              kind: 'index',
              id,
              source: item.source!,
              routing,
              create: action === 'create',
              ...condition,
            },
      );
    } catch (error) {
      await flush();
      errors = true;
      answers.push({ [action]: failure(name ?? '', given ?? null, error) });
    }
  }
  await flush();
  for (const index of touched) await refreshAfter(index, param(call, 'refresh'));
  return { json: { took: Math.round(performance.now() - started), errors, items: answers } };
}

function failure(index: string, id: string | null, error: unknown): Json {
  const cause = causeOf(error);
  return { _index: index, _type: '_doc', _id: id, status: cause.status, error: cause.error };
}

function readBulk(lines: readonly Uint8Array[]): BulkItem[] {
  const items: BulkItem[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.length === 0) continue;
    const head = parseJson(line);
    const number = at + 1;
    if (!isObject(head) || Object.keys(head).length !== 1) {
      const empty = isObject(head) && Object.keys(head).length === 0;
      throw illegalArgument(
        `Malformed action/metadata line [${number}], expected ${empty ? 'FIELD_NAME but found [END_OBJECT]' : 'START_OBJECT or END_OBJECT but found [VALUE_STRING]'}`,
      );
    }
    const [action, value] = Object.entries(head)[0]!;
    if (action !== 'index' && action !== 'create' && action !== 'delete' && action !== 'update') {
      throw illegalArgument(
        `Malformed action/metadata line [${number}], expected field [create], [delete], [index] or [update] but found [${action}]`,
      );
    }
    if (!isObject(value))
      throw illegalArgument(
        `Malformed action/metadata line [${number}], expected START_OBJECT but found [VALUE_STRING]`,
      );
    for (const key of Object.keys(value)) {
      if (!ACTION_KEYS.includes(key))
        throw illegalArgument(`Action/metadata line [${number}] contains an unknown parameter [${key}]`);
    }
    if (action === 'delete') {
      items.push({ action, meta: value, source: undefined });
      continue;
    }
    const source = lines[++at];
    if (source === undefined || source.length === 0)
      throw illegalArgument('The bulk request must be terminated by a newline [\\n]');
    const opType = action === 'index' ? asChoice(value['op_type'] ?? 'index', 'op_type', ['index', 'create']) : action;
    items.push({ action: opType, meta: value, source });
  }
  return items;
}
