// What every write of a document has in common: which index may be written, under which conditions, and what is answered.
import { createIndex } from '../indices/create-index.ts';
import { writeIndex } from '../request/index-names.ts';
import { aliasesOf } from '../request/resolve-indices.ts';
import { checkBlocks } from '../request/index-blocks.ts';
import { changedCustom, checkIsOpen, hasType, ownTypeOf } from '../request/index-state.ts';
import { type Answer, type Call, flagParam, param } from '../request/request.ts';
import { checkActive, replicasOf } from '../request/active-shards.ts';
import { searchError } from '../../errors/search-errors.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { viewOfIndex } from '../../view/filtered-index.ts';
import type { Operation, OperationResult, WriteConditions } from '../../index/operation.ts';
import { asLong, textOf } from '../../json/json.ts';
import { RequestError, illegalArgument, validationError } from '../../errors/request-error.ts';

/** Refuses writes that the host or a setting forbids, or to a closed index. */
export function checkWritable(index: Index, call: Call): void {
  checkIsOpen(index);
  if (isOnlyRead(index, call)) throw readOnly(index.name, call);
  checkBlocks([{ index }], 'write');
  checkActive(index, call);
}

/** Refuses callers who may not write to what they name, before anything runs for them. */
export function checkMayWrite(name: string, call: Call): void {
  const index = writeIndex(call.engine, name);
  if (index === undefined ? call.request.readOnly?.(name) === true : isOnlyRead(index, call))
    throw readOnly(index?.name ?? name, call);
}

/** A caller who sees only a part could overwrite, or learn of, documents outside it: such an index is only read. */
const isOnlyRead = (index: Index, call: Call): boolean =>
  viewOfIndex(index) !== undefined || call.request.readOnly?.(index.name) === true;

const readOnly = (index: string, call: Call): Error =>
  searchError('SEARCH_READ_ONLY', { index }, { hint: call.request.readOnlyHint });

/** Returns the writable index of a name; creates it if it is new. */
export async function indexForWrite(
  engine: Engine,
  name: string,
  call: Call,
  requireAlias = flagParam(call, 'require_alias'),
): Promise<Index> {
  const found = writeIndex(engine, name);
  if (requireAlias) checkIsAlias(engine, name);
  if (found === undefined) checkMayBeMade(name, call);
  const index = found ?? (await made(engine, name, call));
  checkWritable(index, call);
  return index;
}

/** @throws RequestError for an index that no write may create */
export function checkMayBeMade(name: string, call: Call): void {
  const reason = call.state.settings.whyNotCreated(name);
  if (reason !== undefined)
    throw new RequestError('SEARCH_NOT_FOUND', 'index_not_found_exception', `no such index [${name}] and ${reason}`, {
      fields: { index_uuid: '_na_', index: name },
    });
}

/** @throws RequestError for what is no alias, where one is required */
export function checkIsAlias(engine: Engine, name: string): void {
  if (!engine.has(name) && engine.indices().some((index) => Object.hasOwn(aliasesOf(index), name))) return;
  throw new RequestError(
    'SEARCH_NOT_FOUND',
    'index_not_found_exception',
    `no such index [${name}] and [require_alias] request flag is [true] and [${name}] is not an alias`,
    { fields: { index_uuid: '_na_', index: name } },
  );
}

/** The index made for its first document; others' first ones may come at the same time. */
async function made(engine: Engine, name: string, call: Call): Promise<Index> {
  try {
    return await createIndex(engine, name, {}, call);
  } catch (error) {
    const index = writeIndex(engine, name);
    if (index === undefined) throw error;
    return index;
  }
}

/** What a write asks of the document that is there; null counts as not given. */
interface Asked {
  readonly seqNo: unknown;
  readonly term: unknown;
  readonly version: unknown;
  readonly type: unknown;
}

export const VERSION_TYPES = ['internal', 'external', 'external_gt', 'external_gte'] as const;

export function asVersionType(type: unknown): (typeof VERSION_TYPES)[number] {
  const found = VERSION_TYPES.find((each) => each === type);
  if (found === undefined) throw illegalArgument(`No version type match [${textOf(type)}]`);
  return found;
}

/** Conditions of a write, and what contradicts itself in them. */
export function readConditions(
  asked: Asked,
  creates = false,
): { readonly condition: WriteConditions; readonly problems: readonly string[] } {
  const given = (value: unknown): unknown => value ?? undefined;
  const kind = given(asked.type) === undefined ? 'internal' : asVersionType(asked.type);
  const number = (value: unknown, name: string): number | undefined =>
    given(value) === undefined ? undefined : asLong(value, name);
  const seqNo = number(asked.seqNo, 'if_seq_no');
  const term = number(asked.term, 'if_primary_term');
  const version = number(asked.version, 'version');
  if (seqNo !== undefined && seqNo < 0) throw illegalArgument(`sequence numbers must be non negative. got [${seqNo}].`);
  if (term !== undefined && term < 0) throw illegalArgument(`primary term must be non negative. got [${term}]`);
  const problems: string[] = [];
  const isVersioned = kind !== 'internal' || version !== undefined;
  if (creates && kind !== 'internal')
    problems.push('create operations only support internal versioning. use index instead');
  else if (creates && version !== undefined)
    problems.push('create operations do not support explicit versions. use index instead');
  else if (creates && (seqNo !== undefined || (term ?? 0) !== 0))
    problems.push('create operations do not support compare and set. use index instead');
  else {
    if (kind === 'internal' ? version !== undefined && version < 1 : version === undefined || version < 0)
      problems.push(`illegal version value [${version ?? -3}] for version type [${kind.toUpperCase()}]`);
    if (kind === 'internal' && version !== undefined)
      problems.push(
        'internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead',
      );
    if (seqNo !== undefined && isVersioned) problems.push('compare and write operations can not use versioning');
    if (seqNo !== undefined && (term ?? 0) === 0) problems.push('ifSeqNo is set, but primary term is [0]');
    if (seqNo === undefined && (term ?? 0) !== 0)
      problems.push(`ifSeqNo is unassigned, but primary term is [${String(term)}]`);
  }
  return {
    condition: {
      ...(seqNo === undefined ? {} : { ifSeqNo: seqNo }),
      ...(seqNo === undefined || term === undefined ? {} : { ifPrimaryTerm: term }),
      ...(kind === 'internal' || version === undefined
        ? {}
        : { version, versionType: kind === 'external_gte' ? 'external_gte' : 'external' }),
    },
    problems,
  };
}

/** Conditions of a write; what contradicts itself is refused. */
function conditions(asked: Asked, creates = false): WriteConditions {
  const { condition, problems } = readConditions(asked, creates);
  if (problems.length > 0) throw validationError(...problems);
  return condition;
}

/** The conditions of a write that pipelines gave a version. @param before those that it has without */
export function versionedBy(
  { version, versionType: type }: { readonly version?: unknown; readonly versionType?: unknown },
  before: WriteConditions,
): WriteConditions {
  if (version === undefined) return before;
  const { ifSeqNo: seqNo, ifPrimaryTerm: term } = before;
  return { ...before, ...conditions({ seqNo, term, version, type }) };
}

/** The conditions that the URL names. */
export function urlConditions(call: Call, creates = false): WriteConditions {
  return conditions(
    {
      seqNo: param(call, 'if_seq_no'),
      term: param(call, 'if_primary_term'),
      version: param(call, 'version'),
      type: param(call, 'version_type'),
    },
    creates,
  );
}

/** The first document written by a typed path gives an index without a mapping its type. */
export async function adoptType(index: Index, call: Call): Promise<void> {
  await typeAdopter(index, call)();
}

/** As `adoptType`, for after the write: a refused one gives no type. Called before it, as its fields make a mapping. */
export function typeAdopter(index: Index, call: Call): () => Promise<void> {
  const given = call.path['type'];
  if (given === undefined || given === '_doc' || ownTypeOf(index) !== undefined) return () => Promise.resolve();
  return async () => {
    await index.updateDefinition({ custom: changedCustom(index, { typeName: given }) });
  };
}

/** A typed path names the type that the index has; indices that were given none take any. */
export function checkType(index: Index, call: Call): void {
  const given = call.path['type'];
  if (hasType(index, given)) return;
  throw illegalArgument(
    `Rejecting mapping update to [${index.name}] as the final mapping would have more than 1 type: [${[ownTypeOf(index), given].join(', ')}]`,
  );
}

/** @throws RequestError for a name that no pipeline can have; `_none` asks for none */
export function checkPipeline(name: unknown): void {
  if (name === '') throw validationError('pipeline cannot be an empty string');
}

/** @throws RequestError for a `refresh` that is none; asked before anything is written */
export function checkRefresh(call: Call): void {
  const value = param(call, 'refresh');
  if (value !== undefined && !['', 'true', 'false', 'wait_for'].includes(value))
    throw illegalArgument(`Unknown value for refresh: [${value}].`);
}

/** Whether the request forces a refresh, which its answer says. */
export function forcesRefresh(call: Call): boolean {
  const value = param(call, 'refresh');
  return value === '' || value === 'true';
}

/** Refreshes as `refresh` asks; answers whether it was forced. */
export async function refreshAfter(index: Index, call: Call): Promise<boolean> {
  const value = param(call, 'refresh');
  if (value === undefined || value === 'false') return false;
  await index.refresh();
  return forcesRefresh(call);
}

/** What a write answers. */
export function written(
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
    _shards: { total: 1 + replicasOf(index), successful: 1, failed: 0 },
    _seq_no: result.seqNo,
    _primary_term: result.primaryTerm,
  };
}

/** The answer to one write; of a document that it made, with where that is. */
export function writtenAnswer(json: Readonly<Record<string, unknown>>, call: Call): Answer {
  if (json['result'] !== 'created') return { json };
  const routing = param(call, 'routing');
  const path = ['_index', '_type', '_id'].map((name) => `/${encoded(textOf(json[name]))}`).join('');
  return {
    status: 201,
    json,
    headers: { Location: routing === undefined ? path : `${path}?routing=${encoded(routing)}` },
  };
}

/** As `java.net.URLEncoder` does. */
const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replaceAll(/[!'()~]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/** Writes one document; a failure is thrown. */
export async function applyOne(index: Index, operation: Operation): Promise<OperationResult & { kind: 'done' }> {
  const [result] = await index.apply([operation]);
  if (result === undefined) throw new Error('the engine answered no result');
  if (result.kind === 'failed') throw enriched(result.error, index);
  return result;
}

/** Adds the index to a version conflict, as Elasticsearch does. */
export function enriched(error: Error, index: Index): Error {
  if ('code' in error && error.code === 'SEARCH_VERSION_CONFLICT')
    return new RequestError('SEARCH_CONFLICT', 'version_conflict_engine_exception', error.message, {
      fields: { index_uuid: index.uuid, shard: '0', index: index.name },
    });
  return error;
}
