// Writing single documents: index, create, delete.
import { warnsOfTypes } from '../request/warnings.ts';
import { changes, type Endpoint } from '../request/endpoint.ts';
import { DELETE, WRITE } from '../request/route-params.ts';
import { writeIndex } from '../request/index-names.ts';
import { noSuchIndex } from '../request/resolve-indices.ts';
import { checkCount } from '../request/active-shards.ts';
import { shownType } from '../request/index-state.ts';
import { type Answer, type Call, missingBody, param } from '../request/request.ts';
import { isJsonObject } from '../../engine/document-thread.ts';
import { endOfValue } from '../../json/json.ts';
import { RequestError, illegalArgument, mapperParsing, validationError } from '../../errors/request-error.ts';

import { ANY_VERSION, droppedDocument, NO_VERSION, targetOf } from '../ingest/bulk-pipelines.ts';
import { pipelinesOf } from '../ingest/pipelines.ts';
import { type Outgoing, throughPipelines } from '../ingest/through-pipelines.ts';
import { checkId, newId } from './document-id.ts';
import {
  adoptType,
  typeAdopter,
  applyOne,
  checkPipeline,
  checkRefresh,
  checkType,
  checkMayWrite,
  checkWritable,
  indexForWrite,
  refreshAfter,
  urlConditions,
  versionedBy,
  written,
  writtenAnswer,
} from './writing.ts';
import { isElsewhere, notThere, routingOf } from './read-document.ts';

/** `PUT|POST /{index}/_doc[/{id}]` and `_create`. */
async function indexDocument(call: Call, isCreate = false): Promise<Answer> {
  const { engine } = call;
  checkRefresh(call);
  checkCount(call);
  const given = call.path['id'];
  const type = call.path['type'];
  if (type === '') throw validationError('type is missing');
  const { body } = call.request;
  if (type?.startsWith('_') === true && type !== '_doc' && body !== undefined && body.length > 0)
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'invalid_type_name_exception',
      `mapping type name [${type}] can't start with '_' unless it is called [_doc]`,
    );
  if (given !== undefined) checkId(given);
  const opType = param(call, 'op_type');
  if (isCreate && opType !== undefined && opType.toLowerCase() !== 'create')
    throw illegalArgument(`opType must be 'create', found: [${opType}]`);
  if (opType !== undefined && opType !== 'index' && opType !== 'create')
    throw illegalArgument(`opType must be 'create' or 'index', found: [${opType}]`);
  const create = isCreate || opType === 'create' || (given === undefined && opType === undefined);
  if (body === undefined || body.length === 0) throw missingBody();
  checkPipeline(param(call, 'pipeline'));
  const asked = urlConditions(call, create);
  const own = call.path['index']!;
  const pipelines = pipelinesOf(engine, own, param(call, 'pipeline'));
  if (pipelines === undefined) await checkDocument(body);
  else checkMayWrite(own, call);
  const sent = pipelines === undefined ? plainly(call, body) : throughPipelines(call, plainly(call, body), pipelines);
  if (sent === undefined)
    return { json: droppedDocument(own, given, Number(param(call, 'version') ?? (create ? NO_VERSION : ANY_VERSION))) };
  const name = targetOf(call, own, sent);
  const id = sent.id ?? newId();
  checkId(id);
  const condition = pipelines === undefined ? asked : versionedBy(sent, asked);
  const index = await indexForWrite(engine, name, call);
  const adopt = typeAdopter(index, call);
  checkType(index, call);
  const result = await applyOne(index, {
    kind: 'index',
    id,
    source: sent.source,
    routing: routingOf(index, name, id, sent.routing),
    create: create || sent.id === undefined,
    ...condition,
  });
  await adopt();
  const forced = await refreshAfter(index, call);
  return writtenAnswer(written(index, result, forced, shownType(index, call.path['type'])), call);
}

/** The document of a request as it stands. */
const plainly = (call: Call, source: Uint8Array): Outgoing => ({
  index: call.path['index']!,
  id: call.path['id'],
  routing: param(call, 'routing'),
  source,
  version: param(call, 'version'),
  versionType: param(call, 'version_type'),
});

/** @throws RequestError for a document that is no JSON object */
async function checkDocument(body: Uint8Array): Promise<void> {
  const begin = decoder.decode(body.subarray(0, 64)).trimStart();
  if (!begin.startsWith('{'))
    throw mapperParsing('failed to parse', {
      type: 'not_x_content_exception',
      reason: 'Compressor detection can only be called on some xcontent bytes or compressed xcontent bytes',
    });
  try {
    await isJsonObject(body);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const end = endOfValue(error.message);
    const next = end === undefined ? undefined : decoder.decode(body.subarray(end, end + 1));
    const extra = next === undefined ? undefined : EXTRA[next];
    throw mapperParsing(
      'failed to parse',
      extra === undefined
        ? { type: error.type, reason: error.message }
        : { type: 'illegal_argument_exception', reason: `Malformed content, found extra data after parsing: ${extra}` },
    );
  }
}

const decoder = new TextDecoder();
/** Tokens that may follow a document, by their first character. */
const EXTRA: Readonly<Record<string, string>> = { '{': 'START_OBJECT', '[': 'START_ARRAY', '"': 'VALUE_STRING' };

/** `DELETE /{index}/_doc/{id}`. */
async function deleteDocument(call: Call): Promise<Answer> {
  const { engine } = call;
  const id = call.path['id']!;
  const name = call.path['index']!;
  checkRefresh(call);
  checkCount(call);
  const condition = urlConditions(call);
  const index = condition.version === undefined ? writeIndex(engine, name) : await indexForWrite(engine, name, call);
  if (index === undefined) throw noSuchIndex(name);
  checkWritable(index, call);
  await adoptType(index, call);
  checkType(index, call);
  const routing = routingOf(index, call.path['index']!, id, param(call, 'routing'));
  const result = (await isElsewhere(index, id, routing))
    ? notThere(id)
    : await applyOne(index, { kind: 'delete', id, routing, ...condition });
  const forced = await refreshAfter(index, call);
  return {
    status: result.result === 'not_found' ? 404 : 200,
    json: written(index, result, forced, shownType(index, call.path['type'])),
  };
}

const INDEX_TYPES = warnsOfTypes(
  'document index requests',
  ', use the typeless endpoints instead (/{index}/_doc/{id}, /{index}/_doc, or /{index}/_create/{id})',
);

/** Writes of single documents. */
export const DOCUMENT_ENDPOINTS: readonly Endpoint[] = [
  changes(
    'PUT POST',
    '/{index}/_create/{id} /{index}/{type}/{id}/_create',
    WRITE,
    (call) => indexDocument(call, true),
    { readsBody: true, ...INDEX_TYPES },
  ),
  changes('PUT POST', '/{index}/{type}/{id}', WRITE, indexDocument, { readsBody: true, ...INDEX_TYPES }),
  changes('POST', '/{index}/{type}', WRITE, indexDocument, { readsBody: true, ...INDEX_TYPES }),
  changes(
    'DELETE',
    '/{index}/{type}/{id}',
    DELETE,
    deleteDocument,
    warnsOfTypes('document index requests', ', use the /{index}/_doc/{id} endpoint instead'),
  ),
];
