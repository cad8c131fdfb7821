// Partial updates: a document is read, merged and written again, as often as conflicts allow.
import { type Answer, type Call, integerParam, jsonBody, param } from '../request/request.ts';
import { type SourceFilter, readSourceFilter } from '../../api/source-filter.ts';
import type { Engine, Index } from '../../engine/engine-api.ts';
import { printExactly } from '../../exact-json.ts';
import type { OperationResult, StoredDocument, WriteConditions } from '../../index/operation.ts';
import { type Json, asBoolean, asObject, checkKeys } from '../../json.ts';
import { mergeDocument } from '../../merge-document.ts';
import { isLarge, LargeJson, whole } from '../../large-json.ts';
import { mergeInThread } from '../../thread/read-json.ts';
import { RequestError, unsupported, validationError } from '../../request-error.ts';
import { checkId } from './document-id.ts';
import { checkType, conditions, enriched, indexForWrite, refreshAfter, written } from './writing.ts';
import { checkRouting, printed, readDocument, shown, sourceFilterOf } from './read-document.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

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

/** Carries out one update, again after each conflict while `retries` allow. */
export async function update(
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
    const current = readDocument(index, id, true, routing);
    let bytes: Uint8Array;
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
      bytes = textOf(asObject(upsert, 'upsert'));
    } else {
      const { text, changed } = await mergedWith(current, asObject(body['doc'] ?? {}, 'doc'));
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
            ...(await withGet(index, current, spec.source)),
          },
        };
      }
      bytes = text;
      condition = { ifSeqNo: current.seqNo, ifPrimaryTerm: current.primaryTerm };
    }
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
      json: { ...written(index, done, false), ...(await withGet(index, after, spec.source)) },
    };
  }
}

/** A partial document merged into a document, and whether that changed it. */
async function mergedWith(
  current: StoredDocument,
  change: Json,
): Promise<{ readonly text: Uint8Array; readonly changed: boolean }> {
  const { readSource } = current;
  if (readSource !== undefined || isLarge(change)) {
    const source = await (readSource?.() ?? current.source);
    const merged = await mergeInThread(source, change);
    if (merged !== undefined) return { text: merged.text ?? source, changed: merged.text !== undefined };
  }
  const before = JSON.parse(decoder.decode(current.source)) as Json;
  const { merged, changed } = mergeDocument(before, whole(change) as Json);
  return { text: textOf(merged), changed };
}

/** A document as its source. */
function textOf(json: Json): Uint8Array {
  return json instanceof LargeJson ? json.bytes : encoder.encode(printExactly(json));
}

async function withGet(index: Index, document: StoredDocument, filter: SourceFilter | undefined): Promise<Json> {
  if (filter === undefined || !filter.enabled) return {};
  return {
    get: {
      _seq_no: document.seqNo,
      _primary_term: document.primaryTerm,
      ...(document.routing === undefined ? {} : { _routing: document.routing }),
      found: true,
      _source: (await shown(index, document, filter, undefined)).source,
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
    json: await printed(forced && !answer.noop ? { ...answer.json, forced_refresh: true } : answer.json),
  };
}
