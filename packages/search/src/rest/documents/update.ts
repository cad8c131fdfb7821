// Partial updates: a document is read, merged and written again. One by itself is read before its write has its turn, so that a large one is
// merged while others write, and is tried again as often as conflicts allow; those of a bulk request are read when their turn has come.
import { countGet } from '../indices/index-counters.ts';
import type { SourceFilter } from '../../fetch/source-filter.ts';
import type { Index } from '../../engine/engine-api.ts';
import { printExactly } from '../../json/exact-json.ts';
import type { Operation, OperationResult, StoredDocument, Update, WriteConditions } from '../../index/operation.ts';
import { type Json, asBoolean, asObject } from '../../json/json.ts';
import { isLarge, LargeJson, whole } from '../../json/large-json.ts';
import { mergeDocument } from '../../json/merge-document.ts';
import { RequestError } from '../../errors/request-error.ts';
import { runJson } from '../../thread/read-json.ts';
import { inShard, readDocument, shown } from './read-document.ts';
import { checkIsOffered, isUpsert } from './update-body.ts';
import { checkType, enriched, written } from './writing.ts';
import { hasType } from '../request/index-state.ts';
import type { Call } from '../request/request.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What is asked of one document. */
export interface UpdateSpec {
  readonly id: string;
  /** As the request names it. */
  readonly type: string;
  readonly body: Json;
  readonly routing: string | undefined;
  /** Replaces the routing that the document has; undefined keeps it. */
  readonly newRouting?: string | undefined;
  readonly condition: WriteConditions;
  /** What the answer shows of the document; undefined: nothing. */
  readonly source: SourceFilter | undefined;
  /** What pipelines make of what is written; they drop it: undefined. @throws what failed */
  readonly pass?: ((write: Written) => Written | undefined) | undefined;
}

/** What is answered. */
export interface UpdateAnswer {
  readonly status: number;
  readonly json: Record<string, unknown>;
  readonly noop: boolean;
}

type Done = OperationResult & { kind: 'done' };

/** Treats a document of another type than that of the index as missing; one that would be made of that type is refused. @throws RequestError */
export function checkUpdatedType(index: Index, call: Call, body: Json, id: string): void {
  const type = call.path['type'];
  if (hasType(index, type)) return;
  if (upsertOf(body) !== undefined) checkType(index, call);
  throw documentMissing(index, type ?? '_doc', id);
}

/** The document that is made where there is none. */
const upsertOf = (body: Json): unknown => body['upsert'] ?? (isUpsert(body) ? body['doc'] : undefined);

function documentMissing(index: Index, type: string, id: string): Error {
  return new RequestError('SEARCH_NOT_FOUND', 'document_missing_exception', `[${type}][${id}]: document missing`, {
    fields: { index_uuid: index.uuid, shard: '0', index: index.name },
  });
}

/** Carries out one update, again after each conflict while `retries` allow. */
export async function update(index: Index, spec: UpdateSpec, retries: number): Promise<UpdateAnswer> {
  checkIsOffered(spec.body);
  for (let attempt = 0; ; attempt++) {
    const current = await countGet(index, readDocument(index, spec.id, true, spec.routing));
    const made = await writeOf(index, spec, current);
    if (made === undefined) {
      const { version, seqNo, primaryTerm } = current!;
      const result: Done = { kind: 'done', id: spec.id, result: 'noop', version, seqNo, primaryTerm };
      return await answered(index, spec, result, current);
    }
    const sent = spec.pass === undefined ? made : spec.pass(made);
    if (sent === undefined) {
      const { version = 0, seqNo = -2, primaryTerm = 0 } = current ?? {};
      return await answered(
        index,
        spec,
        { kind: 'done', id: spec.id, result: 'noop', version, seqNo, primaryTerm },
        current,
      );
    }
    const [result] = await index.apply([sent]);
    if (result!.kind === 'done') return await answered(index, spec, result!, sent);
    const conflict = 'code' in result!.error && result!.error.code === 'SEARCH_VERSION_CONFLICT';
    if (!conflict || attempt >= retries) throw enriched(result!.error, index);
  }
}

/** One of many updates: reads what is asked, and the document, when its turn has come. */
export function laterUpdate(
  index: Index,
  id: string,
  read: () => UpdateSpec,
  forced: boolean,
): { readonly write: Update; readonly answer: (result: Done) => Promise<UpdateAnswer> } {
  let asked: UpdateSpec | undefined;
  /** The document, where the answer shows it. */
  let seen: Written | StoredDocument | undefined;
  const see = (shows: Written | StoredDocument | undefined): void => {
    if (asked?.source?.enabled === true) seen = shows;
  };
  const make = (given: StoredDocument | undefined): ReturnType<Update['make']> => {
    asked = read();
    checkIsOffered(asked.body);
    const current = inShard(index, given, asked.routing);
    const made = writeOf(index, asked, current);
    if (made instanceof Promise) return made.then((later) => (see(later ?? current), later));
    see(made ?? current);
    return made;
  };
  return {
    write: { kind: 'update', id, make },
    answer: async (result) => {
      const { json, ...answer } = await answered(index, asked!, result, seen);
      // One that changed nothing counts its copies here, and only here.
      const { _shards: shards } = written(index, result, false);
      return { ...answer, json: { ...json, ...(forced ? { forced_refresh: true } : {}), _shards: shards } };
    },
  };
}

export type Written = Operation & { kind: 'index' };

/** The write that an update of a document comes to; undefined when it changes nothing. At once unless something is large. */
function writeOf(
  index: Index,
  { id, type, body, routing, newRouting, condition }: UpdateSpec,
  current: StoredDocument | undefined,
): Written | undefined | Promise<Written | undefined> {
  if (current === undefined) {
    const upsert = upsertOf(body);
    if (upsert === undefined || condition.ifSeqNo !== undefined) throw documentMissing(index, type, id);
    return { kind: 'index', id, source: textOf(asObject(upsert, 'upsert')), routing, create: true, ...condition };
  }
  const { seqNo: ifSeqNo, primaryTerm: ifPrimaryTerm } = current;
  const whole = ({ text, changed }: Merged): Written | undefined => {
    const detect = body['detect_noop'] === undefined || asBoolean(body['detect_noop'], 'detect_noop');
    if (condition.ifSeqNo !== undefined && (condition.ifSeqNo !== ifSeqNo || condition.ifPrimaryTerm !== ifPrimaryTerm))
      throw new RequestError(
        'SEARCH_CONFLICT',
        'version_conflict_engine_exception',
        `[${id}]: version conflict, required seqNo [${condition.ifSeqNo}], primary term [${condition.ifPrimaryTerm}]. current document has seqNo [${ifSeqNo}] and primary term [${ifPrimaryTerm}]`,
        { fields: { index_uuid: index.uuid, shard: '0', index: index.name } },
      );
    if (!changed && detect) return undefined;
    return { kind: 'index', id, source: text, routing: newRouting ?? current.routing, ifSeqNo, ifPrimaryTerm };
  };
  if (current.readSource === undefined && current.source.length === 0)
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'document_source_missing_exception',
      `[_doc][${id}]: document source missing`,
      { fields: { index_uuid: index.uuid, shard: '0', index: index.name } },
    );
  const merged = mergedWith(current, asObject(body['doc'] ?? {}, 'doc'));
  return merged instanceof Promise ? merged.then(whole) : whole(merged);
}

interface Merged {
  readonly text: Uint8Array;
  readonly changed: boolean;
}

/** A partial document merged into a document, and whether that changed it. */
function mergedWith(current: StoredDocument, change: Json): Merged | Promise<Merged> {
  const { readSource } = current;
  if (readSource === undefined && !isLarge(change)) return mergedHere(current.source, change);
  return mergedLarge(current, change);
}

async function mergedLarge(current: StoredDocument, change: Json): Promise<Merged> {
  const source = await (current.readSource?.() ?? current.source);
  const merged = await runJson('merge', { source, change });
  if (merged === undefined) return mergedHere(current.source, change);
  return { text: merged.text ?? source, changed: merged.text !== undefined };
}

function mergedHere(source: Uint8Array, change: Json): Merged {
  const before = JSON.parse(decoder.decode(source)) as Json;
  const { merged, changed } = mergeDocument(before, whole(change) as Json);
  return { text: textOf(merged), changed };
}

/** A document as its source. */
function textOf(json: Json): Uint8Array {
  return json instanceof LargeJson ? json.bytes : encoder.encode(printExactly(json));
}

/** What is answered of an update. @param seen what was written; of one that changed nothing, the document */
async function answered(
  index: Index,
  { type, source: filter }: UpdateSpec,
  result: Done,
  seen: Written | StoredDocument | undefined,
): Promise<UpdateAnswer> {
  const noop = result.result === 'noop';
  const json = {
    ...written(index, result, false, type),
    ...(noop ? { _shards: { total: 0, successful: 0, failed: 0 } } : {}),
  };
  const status = result.result === 'created' ? 201 : 200;
  if (filter?.enabled !== true || seen === undefined) return { status, noop, json };
  const { id, version, seqNo, primaryTerm } = result;
  // Passed on unread: a large document reads its source on demand.
  const document =
    'kind' in seen ? { id, source: seen.source, routing: seen.routing, version, seqNo, primaryTerm } : seen;
  const get = {
    _seq_no: seqNo,
    _primary_term: primaryTerm,
    found: true,
    _source: (await shown(index, document, filter, undefined)).source,
  };
  return { status, noop, json: { ...json, get } };
}
