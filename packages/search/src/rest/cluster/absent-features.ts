// Endpoints of what this engine does not have, or hardly has: snapshots and scripts. None is there, and none can be
// made: reading answers as Elasticsearch does where there are none, and what would make one is refused by name.
import { changes, type Endpoint, reads } from '../request/endpoint.ts';
import { LOCAL, TIMEOUTS } from '../request/route-params.ts';
import { scriptsOf } from '../search/script-contexts.ts';
import { ACKNOWLEDGED, type Answer, type Call, mapBody } from '../request/request.ts';
import { illegalArgument, RequestError, unsupported, validationError } from '../../errors/request-error.ts';

type Handler = (call: Call) => Answer;

const refuses =
  (what: string): Handler =>
  () => {
    throw unsupported(what);
  };

function notFound(type: string, reason: string): Error {
  return new RequestError('SEARCH_NOT_FOUND', type, reason);
}

/** `GET /_snapshot/{repository}`. */
function repositories({ path }: Call): Answer {
  const missing = path['repository']?.split(',').find((name) => name !== '_all');
  if (missing !== undefined) throw noRepository(missing);
  return { json: {} };
}

const noRepository = (name: string): Error => notFound('repository_missing_exception', `[${name}] missing`);

const ofRepository: Handler = ({ path }) => {
  throw noRepository(path['repository']!);
};

/** `PUT /_snapshot/{repository}`. */
function putRepository(call: Call): Answer {
  const body = mapBody(call, true) ?? {};
  if (body['type'] === undefined) throw validationError('type is missing');
  throw unsupported('[snapshot]');
}

const SNAPSHOTS = '/_snapshot/{repository}/{snapshot}';

const OF_SNAPSHOTS = { ignore_unavailable: 'flag', master_timeout: 'time', verbose: 'flag' } as const;

/** What is not here. */
export const ABSENT_ENDPOINTS: readonly Endpoint[] = [
  reads('GET', '/_snapshot /_snapshot/{repository}', LOCAL, repositories),
  changes('PUT POST', '/_snapshot/{repository}', { verify: 'flag', ...TIMEOUTS }, putRepository),
  changes('DELETE', '/_snapshot/{repository}', TIMEOUTS, (call) =>
    call.path['repository'] === '*' ? ACKNOWLEDGED : ofRepository(call),
  ),
  changes('POST', '/_snapshot/{repository}/_verify /_snapshot/{repository}/_cleanup', TIMEOUTS, ofRepository),
  reads('GET', '/_snapshot/_status /_snapshot/{repository}/_status', OF_SNAPSHOTS, () => ({
    json: { snapshots: [] },
  })),
  reads('GET', `${SNAPSHOTS} ${SNAPSHOTS}/_status`, OF_SNAPSHOTS, ofRepository),
  changes('PUT POST DELETE', SNAPSHOTS, { master_timeout: 'time', wait_for_completion: 'flag' }, ofRepository),
  changes(
    'POST',
    '/_snapshot/{repository}/{snapshot}/_restore',
    { master_timeout: 'time', wait_for_completion: 'flag' },
    ofRepository,
  ),
  changes('PUT', '/_snapshot/{repository}/{snapshot}/_clone/{target}', { master_timeout: 'time' }, ofRepository),
  reads('GET POST', '/_scripts/painless/_execute', {}, refuses('[painless]')),
  reads('GET', '/_script_context /_script_language', {}, scriptsOf),
  reads('GET', '/_dangling', {}, ({ state }) => ({
    json: {
      _nodes: { total: 1, successful: 1, failed: 0 },
      cluster_name: state.identity.clusterName,
      dangling_indices: [],
    },
  })),
  changes('POST DELETE', '/_dangling/{index_uuid}', { accept_data_loss: 'flag', ...TIMEOUTS }, ({ path }) => {
    throw illegalArgument(`No dangling index found for UUID [${path['index_uuid']}]`);
  }),
];
