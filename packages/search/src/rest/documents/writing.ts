// What every write of a document has in common: which index may be written, under which conditions, and what is answered.
import { createIndex } from '../indices/create-index.ts';
import { aliasesOf, writeIndex } from '../request/index-names.ts';
import { isWriteBlocked } from '../indices/index-settings.ts';
import { settingsOf } from '../../client-settings.ts';
import { changedCustom, checkIsOpen, hasType, typeNameOf } from '../request/index-state.ts';
import { type Call, flagParam, param } from '../request/request.ts';
import { checkActive } from '../request/active-shards.ts';
import { searchError } from '../../errors.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { viewOfIndex } from '../../view/stand-in.ts';
import { mappingOf } from '../../api/target.ts';
import type { Operation, OperationResult, WriteConditions } from '../../index/operation.ts';
import { asChoice, asInteger } from '../../json.ts';
import { RequestError, illegalArgument, validationError } from '../../request-error.ts';

const SHARDS = { total: 1, successful: 1, failed: 0 };

/** Refuses writes that the host or a setting forbids, or to a closed index. */
export function checkWritable(index: Index, call: Call): void {
  checkIsOpen(index);
  checkActive(index, call);
  // A caller who sees only a part could overwrite, or learn of, documents outside it: such an index is only read.
  if (
    viewOfIndex(index) !== undefined ||
    call.request.readOnly?.(index.name) === true ||
    isWriteBlocked(settingsOf(index.definition))
  ) {
    throw searchError('SEARCH_READ_ONLY', { index: index.name }, { hint: call.request.readOnlyHint });
  }
}

/** The index that a name stands for, made if it is new, and writable. */
export async function indexForWrite(
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
  if (found === undefined) {
    const reason = call.settings.whyNotCreated(name);
    if (reason !== undefined)
      throw new RequestError('SEARCH_NOT_FOUND', 'index_not_found_exception', `no such index [${name}] and ${reason}`, {
        fields: { index_uuid: '_na_', index: name },
      });
  }
  const index = found ?? (await made(engine, name, call));
  checkWritable(index, call);
  return index;
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

/** Conditions of a write; what contradicts itself is refused. */
export function conditions(values: {
  seqNo: unknown;
  term: unknown;
  version: unknown;
  type: unknown;
}): WriteConditions {
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

/** The conditions that the URL names. */
export function urlConditions(call: Call): WriteConditions {
  return conditions({
    seqNo: param(call, 'if_seq_no'),
    term: param(call, 'if_primary_term'),
    version: param(call, 'version'),
    type: param(call, 'version_type'),
  });
}

/** The first document written by a typed path gives an index without a mapping its type. */
export async function adoptType(index: Index, call: Call): Promise<void> {
  const given = call.path['type'];
  if (given === undefined || given === '_doc' || typeNameOf(index) !== undefined) return;
  if (Object.keys(mappingOf(index).toJSON()).length > 0) return;
  await index.updateDefinition({ custom: changedCustom(index, { typeName: given }) });
}

/** A typed path names the type that the index has; indices that were given none take any. */
export function checkType(index: Index, call: Call): void {
  const given = call.path['type'];
  if (hasType(index, given)) return;
  throw illegalArgument(
    `Rejecting mapping update to [${index.name}] as the final mapping would have more than 1 type: [${[typeNameOf(index), given].join(', ')}]`,
  );
}

/** Refreshes as `refresh` asks; answers whether it was forced. */
export async function refreshAfter(index: Index, value: string | undefined): Promise<boolean> {
  if (value === undefined || value === 'false') return false;
  if (value !== '' && value !== 'true' && value !== 'wait_for') {
    throw illegalArgument(`Unknown value for refresh: [${value}].`);
  }
  await index.refresh();
  return value !== 'wait_for';
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
    _shards: SHARDS,
    _seq_no: result.seqNo,
    _primary_term: result.primaryTerm,
  };
}

/** Writes one document; a failure is thrown. */
export async function applyOne(index: Index, operation: Operation): Promise<OperationResult & { kind: 'done' }> {
  const [result] = await index.apply([operation]);
  if (result === undefined) throw new Error('the engine answered no result');
  if (result.kind === 'failed') throw enriched(result.error, index);
  return result;
}

/** Adds the index to a version conflict, as Elasticsearch does. */
export function enriched(error: Error, index: Index): Error {
  if ('code' in error && error.code === 'SEARCH_VERSION_CONFLICT') {
    return new RequestError('SEARCH_CONFLICT', 'version_conflict_engine_exception', error.message, {
      fields: { index_uuid: index.uuid, shard: '0', index: index.name },
    });
  }
  return error;
}
