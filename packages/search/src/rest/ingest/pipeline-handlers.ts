// `_ingest/pipeline`: storing, showing and deleting pipelines.
import { illegalArgument, RequestError, unsupported } from '../../errors/request-error.ts';
import { readPipeline } from '../../ingest/read-pipeline.ts';
import { globMatches } from '../../text/glob.ts';
import { checkMayChange } from '../request/check-admin.ts';
import { changes, reads, type Endpoint } from '../request/endpoint.ts';
import { ACKNOWLEDGED, type Answer, type Call, mapBody, missingBody } from '../request/request.ts';
import { TIMEOUTS } from '../request/route-params.ts';
import { readPipelines, storePipelines } from './pipelines.ts';
import { simulate } from './simulate-pipeline.ts';

/** Pipelines at most, and bytes of one: each change writes them all. */
const MOST_PIPELINES = 1000;
const MOST_BYTES = 500_000;

/** `PUT /_ingest/pipeline/{name}`. */
async function putPipeline(call: Call): Promise<Answer> {
  const { engine, path, request } = call;
  const name = path['name']!;
  const length = request.body?.length ?? 0;
  if (length === 0) throw missingBody(true);
  if (length > MOST_BYTES) throw illegalArgument(`a pipeline has at most [${MOST_BYTES}] bytes`);
  const body = mapBody(call, true)!;
  readPipeline(name, body);
  checkMayChange(call);
  const known = readPipelines(engine) ?? {};
  if (!Object.hasOwn(known, name) && Object.keys(known).length >= MOST_PIPELINES)
    throw illegalArgument(`there are [${MOST_PIPELINES}] pipelines, and no more can be stored`);
  await storePipelines(engine, { ...known, [name]: body });
  return ACKNOWLEDGED;
}

function matching(call: Call, name: string): readonly string[] {
  const patterns = name.split(',').map((pattern) => (pattern === '_all' ? '*' : pattern));
  return Object.keys(readPipelines(call.engine) ?? {}).filter((own) =>
    patterns.some((pattern) => globMatches(pattern, own)),
  );
}

/** `GET /_ingest/pipeline[/{name}]`. */
function getPipelines(call: Call): Answer {
  const all = readPipelines(call.engine) ?? {};
  const found = matching(call, call.path['name'] ?? '*');
  return {
    status: found.length > 0 ? 200 : 404,
    json: Object.fromEntries(found.map((name) => [name, all[name]])),
  };
}

/** `DELETE /_ingest/pipeline/{name}`. */
async function deletePipelines(call: Call): Promise<Answer> {
  const { engine } = call;
  const name = call.path['name']!;
  const all = readPipelines(engine);
  // A cluster that never had one says so of any.
  if (all === undefined) return ACKNOWLEDGED;
  const found = matching(call, name);
  if (found.length === 0 && name !== '*')
    throw new RequestError('SEARCH_NOT_FOUND', 'resource_not_found_exception', `pipeline [${name}] is missing`);
  if (found.length === 0) return ACKNOWLEDGED;
  checkMayChange(call);
  await storePipelines(engine, Object.fromEntries(Object.entries(all).filter(([own]) => !found.includes(own))));
  return ACKNOWLEDGED;
}

/** Pipelines. */
export const INGEST_ENDPOINTS: readonly Endpoint[] = [
  reads('GET', '/_ingest/pipeline /_ingest/pipeline/{name}', { master_timeout: 'time' }, getPipelines),
  changes('PUT', '/_ingest/pipeline/{name}', TIMEOUTS, putPipeline),
  changes('DELETE', '/_ingest/pipeline/{name}', TIMEOUTS, deletePipelines),
  reads('GET POST', '/_ingest/pipeline/_simulate /_ingest/pipeline/{name}/_simulate', { verbose: 'flag' }, simulate),
  reads('GET', '/_ingest/processor/grok', {}, () => {
    throw unsupported('[grok] of pipelines');
  }),
];
