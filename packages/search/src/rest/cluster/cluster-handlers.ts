// The node and the cluster it pretends to be: `GET /`, health, cluster settings.
import { isProductError } from '@lockstitch/kernel';
import { changes, reads, type Endpoint, READABLE } from '../request/endpoint.ts';
import { EXPAND, LOCAL, TIMEOUTS } from '../request/route-params.ts';
import { BUILD_HASH, CLUSTER_UUID } from './identity.ts';
import { indicesOf } from '../request/index-names.ts';
import { resolveIndices } from '../request/resolve-indices.ts';
import type { Engine } from '../../engine/engine-api.ts';
import { redIndices } from '../request/red-indices.ts';
import { type Answer, type Call, flagParam, jsonBody, missingBody, param } from '../request/request.ts';
import type { Index } from '../../engine/engine-api.ts';
import { asObject, checkKeys, type Json, notANumber } from '../../json/json.ts';
import { illegalArgument, RequestError, validationError } from '../../errors/request-error.ts';
import { readNested } from '../../settings/client-settings.ts';

import { checkCount, primariesOf, replicasOf } from '../request/active-shards.ts';

/** `GET /`. */
function info({ state: { identity } }: Call): Answer {
  return {
    json: {
      name: 'lockstitch',
      cluster_name: identity.clusterName,
      cluster_uuid: CLUSTER_UUID,
      version: {
        number: identity.version,
        build_flavor: 'default',
        build_type: 'npm',
        build_hash: BUILD_HASH,
        build_date: '2021-01-13T00:42:12.435326Z',
        build_snapshot: false,
        lucene_version: '8.7.0',
        minimum_wire_compatibility_version: '6.8.0',
        minimum_index_compatibility_version: '6.0.0-beta1',
      },
      tagline: 'You Know, for Search',
    },
  };
}

/** `GET /_cluster/health[/{index}]`. */
function health(call: Call): Answer {
  const {
    engine,
    state: { identity },
  } = call;
  const waits = readWaits(call);
  const found = indicesOf(
    {
      ...call,
      request: {
        ...call.request,
        query: new URLSearchParams([...call.request.query, ['ignore_unavailable', 'true']]),
      },
    },
    undefined,
    'all',
  );
  const red = redIndices(engine, call.path['index']);
  const level = param(call, 'level');
  const numbers = found.map(({ index }) => shardsOf(index));
  const sum = (pick: (each: (typeof numbers)[number]) => number): number =>
    numbers.reduce((total, each) => total + pick(each), 0);
  const active = sum((each) => each.active);
  const unassigned = sum((each) => each.unassigned) + red.length;
  const missing = call.path['index'] !== undefined && !areThere(engine, call.path['index']);
  const ofFound =
    red.length > 0 || engine.metadataDamage !== undefined || found.some(({ index }) => index.damage !== undefined)
      ? 'red'
      : unassigned > 0
        ? 'yellow'
        : 'green';
  const status = missing ? 'red' : ofFound;
  const tooFew = waits.shards === 'all' ? unassigned > 0 : waits.shards > active;
  // Nothing that is waited for would come with time: there is one node, and its shards are started at once.
  const timedOut = missing || !waits.hasNodes || tooFew || isWorse(status, waits.status);
  return {
    status: timedOut ? 408 : 200,
    json: {
      cluster_name: identity.clusterName,
      status,
      timed_out: timedOut,
      number_of_nodes: 1,
      number_of_data_nodes: 1,
      active_primary_shards: active,
      active_shards: active,
      relocating_shards: 0,
      initializing_shards: 0,
      unassigned_shards: unassigned,
      delayed_unassigned_shards: 0,
      number_of_pending_tasks: 0,
      number_of_in_flight_fetch: 0,
      task_max_waiting_in_queue_millis: 0,
      active_shards_percent_as_number: ofFound === 'green' ? 100 : activePercent(call),
      ...(level === 'indices' || level === 'shards'
        ? {
            indices: Object.fromEntries([
              ...found.map(
                ({ index }, at) =>
                  [
                    index.name,
                    {
                      ...healthOf(numbers[at]!, level === 'shards'),
                      ...(index.damage === undefined ? {} : { status: 'red' }),
                    },
                  ] as const,
              ),
              ...red.map(({ name }) => [name, healthOf(RED, level === 'shards')] as const),
            ]),
          }
        : {}),
    },
  };
}

/** What a request for the health waits for. */
interface Waits {
  readonly status: string | undefined;
  readonly shards: number | 'all';
  /** Whether one node is as many as it wants. */
  readonly hasNodes: boolean;
}

const EVENTS = ['immediate', 'urgent', 'high', 'normal', 'low', 'languid'];

/** @throws RequestError for what cannot be waited for */
function readWaits(call: Call): Waits {
  const named = (name: string, known: readonly (string | undefined)[], java: string): string | undefined => {
    const value = param(call, name)?.toLowerCase();
    if (value !== undefined && !known.includes(value))
      throw illegalArgument(`No enum constant org.elasticsearch.${java}.${value.toUpperCase()}`);
    return value;
  };
  const status = named('wait_for_status', COLOURS, 'cluster.health.ClusterHealthStatus');
  checkCount(call);
  const shards = param(call, 'wait_for_active_shards') ?? '0';
  const hasNodes = isOneNode(param(call, 'wait_for_nodes') || '1');
  named('wait_for_events', EVENTS, 'common.Priority');
  if (param(call, 'wait_for_relocating_shards') !== undefined)
    throw illegalArgument(
      'wait_for_relocating_shards has been removed, use wait_for_no_relocating_shards [true/false] instead',
    );
  return { status, shards: shards === 'all' ? 'all' : Number(shards), hasNodes };
}

/** Whether one node is as many as `>=1`, `lt(2)` or `1` want. @throws RequestError for what is no number */
function isOneNode(wanted: string): boolean {
  const [, sign = '', named, count = wanted] = /^(?:(>=|<=|>|<)|(ge|le|gt|lt)\()(.*?)\)?$/s.exec(wanted) ?? [];
  if (!/^[+-]?\d+$/.test(count)) {
    const { type, reason } = notANumber(count);
    throw new RequestError('SEARCH_ILLEGAL_ARGUMENT', type, reason);
  }
  const number = Number(count);
  switch (named ?? sign) {
    case '>=':
    case 'ge':
      return number <= 1;
    case '<=':
    case 'le':
      return number >= 1;
    case '>':
    case 'gt':
      return number < 1;
    case '<':
    case 'lt':
      return number > 1;
    default:
      return number === 1;
  }
}

/** Of all shards that the caller knows of, whichever indices were asked for. */
function activePercent({ engine }: Call): number {
  const all = engine.indices().map(shardsOf);
  const sum = (pick: (each: (typeof all)[number]) => number): number =>
    all.reduce((total, each) => total + pick(each), 0);
  const active = sum((each) => each.active);
  const rest = sum((each) => each.unassigned) + engine.damaged().length;
  return rest === 0 ? 100 : (active / (active + rest)) * 100;
}

const COLOURS: readonly (string | undefined)[] = ['green', 'yellow', 'red'];

/** Whether a status is worse than the one that is waited for. */
function isWorse(status: string, wanted: string | undefined): boolean {
  return wanted !== undefined && COLOURS.indexOf(status) > COLOURS.indexOf(wanted);
}

/** Of a damaged index. */
const RED: Shards = { primaries: 1, replicas: 0, active: 0, unassigned: 1 };

interface Shards {
  readonly primaries: number;
  readonly replicas: number;
  readonly active: number;
  readonly unassigned: number;
}

/** The shards an index was asked to have. Replicas have no node to be on. */
function shardsOf(index: Index): Shards {
  const primaries = primariesOf(index);
  const replicas = replicasOf(index);
  return { primaries, replicas, active: primaries, unassigned: primaries * replicas };
}

/** Whether all indices that are named are there. */
function areThere(engine: Engine, expression: string): boolean {
  try {
    resolveIndices(engine, expression, { skipRed: true });
    return true;
  } catch (error) {
    if (isProductError(error)) return false;
    throw error;
  }
}

function healthOf({ primaries, replicas, active, unassigned }: Shards, withShards: boolean): Json {
  const status = active === 0 ? 'red' : unassigned > 0 ? 'yellow' : 'green';
  const counts = { relocating_shards: 0, initializing_shards: 0 };
  const shard = {
    status,
    primary_active: active > 0,
    active_shards: active > 0 ? 1 : 0,
    ...counts,
    unassigned_shards: active > 0 ? replicas : 1,
  };
  return {
    status,
    number_of_shards: primaries,
    number_of_replicas: replicas,
    active_primary_shards: active,
    active_shards: active,
    ...counts,
    unassigned_shards: unassigned,
    ...(withShards
      ? { shards: Object.fromEntries(Array.from({ length: primaries }, (_, at) => [String(at), shard])) }
      : {}),
  };
}

/** `PUT /_cluster/settings`. */
async function putClusterSettings(call: Call): Promise<Answer> {
  // They hold for everybody: who keeps indexes to himself keeps them, too.
  if (call.request.readOnly !== undefined)
    throw new RequestError(
      'SEARCH_FORBIDDEN',
      'security_exception',
      'The settings of the cluster are those of the server and cannot be changed by requests.',
    );
  if ((call.request.body?.length ?? 0) === 0) throw missingBody();
  const body = asObject(jsonBody(call) ?? {}, 'cluster_settings');
  const persistent = asObject(body['persistent'] ?? {}, 'persistent');
  const transient = asObject(body['transient'] ?? {}, 'transient');
  if (Object.keys(persistent).length + Object.keys(transient).length === 0)
    throw validationError('no settings to update');
  checkKeys(body, 'cluster_settings', ['persistent', 'transient']);
  const applied = await call.state.settings.update({ persistent, transient });
  const shown = shape(call);
  return {
    json: { acknowledged: true, persistent: shown(applied.persistent), transient: shown(applied.transient) },
  };
}

/** `GET /_cluster/settings`. */
function getClusterSettings(call: Call): Answer {
  const shown = shape(call);
  return {
    json: {
      persistent: shown(call.state.settings.group('persistent')),
      transient: shown(call.state.settings.group('transient')),
      ...(flagParam(call, 'include_defaults') ? { defaults: shown(call.state.settings.defaults()) } : {}),
    },
  };
}

/** Settings flat or nested, as the request wants them. */
function shape(call: Call): (settings: Json) => Json {
  return (settings) => (flagParam(call, 'flat_settings') ? settings : readNested(Object.entries(settings)));
}

/** The cluster and what it says of itself. */
export const CLUSTER_ENDPOINTS: readonly Endpoint[] = [
  reads('GET HEAD', '/', {}, info),
  reads(
    'GET',
    '/_cluster/health /_cluster/health/{index}',
    {
      level: 'text',
      wait_for_status: 'text',
      wait_for_nodes: 'text',
      wait_for_no_relocating_shards: 'flag',
      wait_for_no_initializing_shards: 'flag',
      wait_for_events: 'text',
      wait_for_active_shards: 'text',
      wait_for_relocating_shards: 'text',
      ...TIMEOUTS,
      local: 'flag',
      ...EXPAND,
    },
    health,
    READABLE,
  ),
  reads('GET', '/_cluster/settings', { flat_settings: 'flag', include_defaults: 'flag', ...LOCAL }, getClusterSettings),
  changes('PUT', '/_cluster/settings', { flat_settings: 'flag', ...TIMEOUTS }, putClusterSettings),
];
