// One document's partial update, as a request of its own.
import { warnsOfTypes } from '../request/warnings.ts';
import { objectBody } from '../request/object-body.ts';
import { changes, type Endpoint } from '../request/endpoint.ts';
import { ONLY_SOURCE, DELETE } from '../request/route-params.ts';
import { type Answer, type Call, durationParam, flagParam, integerParam, param } from '../request/request.ts';
import { checkCount } from '../request/active-shards.ts';
import { checkNoClosedAlias } from '../request/index-names.ts';
import type { Json } from '../../json/json.ts';
import { readSourceFilter } from '../../fetch/source-filter.ts';
import { unsupported, validationError } from '../../errors/request-error.ts';
import { pipelinesOf } from '../ingest/pipelines.ts';
import { throughPipelines } from '../ingest/through-pipelines.ts';

import { checkId } from './document-id.ts';
import { printed, routingOf, asksForSource, sourceFilterOf } from './read-document.ts';
import { checkUpdatedType, update, type UpdateSpec } from './update.ts';
import { checkUpdateBody, updateProblems } from './update-body.ts';
import { checkRefresh, indexForWrite, readConditions, refreshAfter, typeAdopter, writtenAnswer } from './writing.ts';

interface UpdateRequest {
  readonly body: Json;
  readonly asked: ReturnType<typeof readConditions>;
  readonly retries: number;
  readonly source: UpdateSpec['source'];
}

/** What a request says before its index is looked at. @throws RequestError for the first mistake, as Elasticsearch reads it */
function readUpdate(call: Call): UpdateRequest {
  durationParam(call, 'timeout');
  checkRefresh(call);
  checkCount(call);
  const source = asksForSource(call) ? sourceFilterOf(call) : undefined;
  const retries = integerParam(call, 'retry_on_conflict') ?? 0;
  const [version, versionType] = [param(call, 'version'), param(call, 'version_type')];
  if (version !== undefined || versionType !== undefined)
    throw validationError(
      'internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and `if_primary_term` instead',
    );
  const urlConditions = { seqNo: param(call, 'if_seq_no'), term: param(call, 'if_primary_term') };
  readConditions({ ...urlConditions, version, type: versionType });
  flagParam(call, 'require_alias');
  const body = objectBody(call, 'UpdateRequest') ?? {};
  checkUpdateBody(body, call.request.body);
  const asked = readConditions({
    seqNo: body['if_seq_no'] ?? urlConditions.seqNo,
    term: body['if_primary_term'] ?? urlConditions.term,
    version: undefined,
    type: undefined,
  });
  return { asked, body, retries, source };
}

/** `POST /{index}/_update/{id}`. */
async function updateDocument(call: Call): Promise<Answer> {
  const { engine } = call;
  const id = call.path['id']!;
  const { asked, body, retries, source } = readUpdate(call);
  const problems = [...(call.path['type'] === '' ? ['type is missing'] : []), ...updateProblems(body, asked, retries)];
  if (problems.length > 0) throw validationError(...problems);
  checkId(id);
  checkNoClosedAlias(engine, call.path['index']!);
  const index = await indexForWrite(engine, call.path['index']!, call);
  checkUpdatedType(index, call, body, id);
  const routing = routingOf(index, call.path['index']!, id, param(call, 'routing'));
  const spec: UpdateSpec = {
    id,
    type: call.path['type'] ?? '_doc',
    body,
    routing,
    newRouting: param(call, 'routing'),
    condition: asked.condition,
    pass: passerOf(call, index.name),
    source: body['_source'] === undefined ? source : readSourceFilter(body['_source']),
  };
  const adopt = typeAdopter(index, call);
  const answer = await update(index, spec, retries);
  if (answer.status === 201) await adopt();
  const forced = await refreshAfter(index, call);
  const json = forced && !answer.noop ? { ...answer.json, forced_refresh: true } : answer.json;
  return { ...writtenAnswer(json, call), json: await printed(json) };
}

/** Sends the document that an update writes through the pipelines of its index. */
function passerOf(call: Call, name: string): UpdateSpec['pass'] {
  const pipelines = pipelinesOf(call.engine, name, undefined);
  if (pipelines === undefined) return undefined;
  return (write) => {
    const { id, source, routing } = write;
    const passed = throughPipelines(call, { index: name, id, routing, source }, pipelines);
    if (passed === undefined) return undefined;
    if (passed.index !== name || passed.id !== id)
      throw unsupported('a pipeline that gives an updated document another index or id');
    return { ...write, source: passed.source, routing: passed.routing };
  };
}

/** Partial updates. */
export const UPDATE_ENDPOINTS: readonly Endpoint[] = [
  changes(
    'POST',
    '/{index}/_update/{id} /{index}/{type}/{id}/_update',
    // The handler reads the number: others are read before it.
    { ...DELETE, ...ONLY_SOURCE, require_alias: 'flag', retry_on_conflict: 'text' },
    updateDocument,
    {
      parse: (call) => void readUpdate(call),
      ...warnsOfTypes('document update requests', ', use the endpoint /{index}/_update/{id} instead'),
    },
  ),
];
