// One document's partial update, as a request of its own.
import { type Answer, type Call, integerParam, jsonBody, param } from '../request/request.ts';
import { readSourceFilter } from '../../api/source-filter.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { asObject } from '../../json.ts';
import { checkId } from './document-id.ts';
import { checkRouting, printed, sourceFilterOf } from './read-document.ts';
import { update, type UpdateSpec } from './update.ts';
import { checkType, conditions, indexForWrite, refreshAfter } from './writing.ts';

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
  const spec: UpdateSpec = {
    id,
    body,
    routing,
    condition: conditions({
      seqNo: param(call, 'if_seq_no') ?? body['if_seq_no'],
      term: param(call, 'if_primary_term') ?? body['if_primary_term'],
      version: param(call, 'version'),
      type: param(call, 'version_type'),
    }),
    source:
      body['_source'] === undefined
        ? wantsSource
          ? sourceFilterOf(call)
          : undefined
        : readSourceFilter(body['_source']),
  };
  const answer = await update(index, spec, integerParam(call, 'retry_on_conflict') ?? 0);
  const forced = await refreshAfter(index, param(call, 'refresh'));
  return {
    status: answer.status,
    json: await printed(forced && !answer.noop ? { ...answer.json, forced_refresh: true } : answer.json),
  };
}
