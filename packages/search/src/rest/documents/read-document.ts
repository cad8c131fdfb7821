// One document as a caller sees it: where a name and a routing lead, and which parts of it are shown.
import { isSameShard, isSharded } from '../request/shard-of-routing.ts';
import { aliasesOf, checkReadable, noSuchIndex } from '../request/index-names.ts';
import { checkIsOpen } from '../request/index-state.ts';
import { type Call, integerParam, listParam, param } from '../request/request.ts';
import { RawJson } from '../../print-json.ts';
import { type SourceFilter, filterSource, readSourceFilter } from '../../api/source-filter.ts';
import { mappingOf } from '../../api/target.ts';
import { valuesAt } from '../../values-at.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import type { OperationResult, StoredDocument } from '../../index/operation.ts';
import { storedIn } from '../../index/stored-in.ts';
import { asChoice, type Json } from '../../json.ts';
import { RequestError, illegalArgument } from '../../request-error.ts';

const decoder = new TextDecoder();

/** Refuses a request without the routing that the mapping requires. */
export function checkRouting(index: Index, id: string, routing: string | undefined): void {
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

/** A document as the caller may see it, where the routing leads to it. */
export function readDocument(
  index: Index,
  id: string,
  realtime: boolean,
  routing: string | undefined,
): StoredDocument | undefined {
  const document = readAny(index, id, realtime);
  return document !== undefined && isSameShard(index, id, document.routing, routing) ? document : undefined;
}

/** Whether a document is there, in a shard that the routing does not lead to: deleting it by that routing must not. */
export function isElsewhere(index: Index, id: string, routing: string | undefined): boolean {
  return (
    isSharded(index) && readAny(index, id, true) !== undefined && readDocument(index, id, true, routing) === undefined
  );
}

/** What deleting a document answers that is not in the shard. */
export function notThere(id: string): OperationResult & { kind: 'done' } {
  return { kind: 'done', id, result: 'not_found', version: 1, seqNo: -2, primaryTerm: 0 };
}

function readAny(index: Index, id: string, realtime: boolean): StoredDocument | undefined {
  if (realtime) return index.get(id);
  const searcher = index.searcher(false);
  try {
    return storedIn(searcher, id);
  } finally {
    searcher.release();
  }
}

/** Which parts of `_source` the URL asks for. */
export function sourceFilterOf(call: Call): SourceFilter {
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

/** The source as mapping and request show it; undefined where the mapping keeps none. */
export function shownSource(index: Index, document: StoredDocument, filter: SourceFilter): unknown {
  const own = mappingOf(index).sourceSetting;
  if (!own.enabled) return undefined;
  const plain = own.includes.length + own.excludes.length + filter.includes.length + filter.excludes.length === 0;
  if (plain) return new RawJson(decoder.decode(document.source));
  const parsed = JSON.parse(decoder.decode(document.source)) as Json;
  return filterSource(filterSource(parsed, { enabled: true, includes: own.includes, excludes: own.excludes }), filter);
}

/** A document as get and mget print it. */
export function found(
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

/** The open index that a name or an alias of one index stands for. */
export function oneIndex(engine: Engine, name: string): Index {
  const index = findIndex(engine, name);
  checkIsOpen(index);
  checkReadable(index);
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

/** Refuses when the URL names another version. */
export function checkVersion(document: StoredDocument, call: Call): void {
  const version = integerParam(call, 'version');
  // Whatever its type, a version that is read has to be the one that is named.
  if (param(call, 'version_type') !== undefined)
    asChoice(param(call, 'version_type'), 'version_type', ['internal', 'external', 'external_gte']);
  if (version !== undefined && version !== document.version) {
    throw new RequestError(
      'SEARCH_CONFLICT',
      'version_conflict_engine_exception',
      `[${document.id}]: version conflict, current version [${document.version}] is different than the one provided [${version}]`,
    );
  }
}
