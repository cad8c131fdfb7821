// How the shards of indices lie: `_segments`, `_recovery`, `_shard_stores` and `_search_shards`. All documents of an index are in its first shard, on one node; its
// segments are told as one, for their number would reveal hidden documents.
import { illegalArgument } from '../../errors/request-error.ts';
import type { Index } from '../../engine/engine-api.ts';
import type { Json } from '../../json/json.ts';
import { changes, reads, type Endpoint, READABLE } from '../request/endpoint.ts';
import { EXPAND } from '../request/route-params.ts';
import { nodeEntry, shardOf } from '../cluster/cluster-state.ts';
import { checkBlocks, checkChangeable } from '../request/index-blocks.ts';
import { indicesOf, openIndicesOf, routedShardsOf } from '../request/index-names.ts';
import { aliasesOf } from '../request/resolve-indices.ts';
import { colourOf, primariesOf } from '../request/active-shards.ts';
import { isClosed } from '../request/index-state.ts';
import { printedFilter } from './printed-filter.ts';
import { shardCounts } from './stats-handlers.ts';
import { addressOf, type Answer, type Call, checkPreference, flagParam } from '../request/request.ts';
import { NODE } from '../request/tasks.ts';

/** The numbers of the shards that the settings of an index name; the first one has all documents. */
const numbersOf = (index: Index): readonly number[] => Array.from({ length: primariesOf(index) }, (_, shard) => shard);

/** `GET [/{index}]/_segments`. */
function segments(call: Call): Answer {
  const found = checkBlocks(openIndicesOf(call), 'metadata_read');
  return {
    json: {
      _shards: shardCounts(found),
      indices: Object.fromEntries(
        found.map(({ index }) => {
          const { docs, deleted, bytes, contentBytes, translogOperations } = index.stats();
          const any = docs + deleted > 0 ? 1 : 0;
          const isCommitted = translogOperations === 0;
          const one = {
            generation: 0,
            num_docs: docs,
            deleted_docs: deleted,
            size_in_bytes: bytes,
            memory_in_bytes: contentBytes,
            committed: isCommitted,
            search: true,
            version: '8.7.0',
            compound: true,
            attributes: {},
          };
          const empty = {
            routing: { state: 'STARTED', primary: true, node: NODE },
            num_committed_segments: 0,
            num_search_segments: 0,
            segments: {},
          };
          const first =
            any === 0
              ? empty
              : {
                  ...empty,
                  num_committed_segments: isCommitted ? 1 : 0,
                  num_search_segments: 1,
                  segments: { _0: one },
                };
          const shards = numbersOf(index).map((shard) => [shard, [shard === 0 ? first : empty]] as const);
          return [index.name, { shards: Object.fromEntries(shards) }];
        }),
      ),
    },
  };
}

/** `GET [/{index}]/_recovery`. */
function recovery(call: Call): Answer {
  const found = checkBlocks(indicesOf(call, undefined, 'open,closed'), 'metadata_read').filter(
    () => !flagParam(call, 'active_only'),
  );
  const node = {
    id: NODE,
    host: '127.0.0.1',
    transport_address: addressOf(call),
    ip: '127.0.0.1',
    name: NODE,
  };
  const files = {
    total: 0,
    reused: 0,
    recovered: 0,
    percent: '0.0%',
    ...(flagParam(call, 'detailed') ? { details: [] } : {}),
  };
  return {
    json: Object.fromEntries(
      found.map(({ index }) => [
        index.name,
        {
          shards: numbersOf(index).map((id) => ({
            id,
            type: isClosed(index) ? 'EXISTING_STORE' : 'EMPTY_STORE',
            stage: 'DONE',
            primary: true,
            start_time_in_millis: index.createdAt,
            stop_time_in_millis: index.createdAt,
            total_time_in_millis: 0,
            source: {},
            target: node,
            index: {
              size: { total_in_bytes: 0, reused_in_bytes: 0, recovered_in_bytes: 0, percent: '0.0%' },
              files,
              total_time_in_millis: 0,
              source_throttle_time_in_millis: 0,
              target_throttle_time_in_millis: 0,
            },
            translog: { recovered: 0, total: 0, percent: '100.0%', total_on_start: 0, total_time_in_millis: 0 },
            verify_index: { check_index_time_in_millis: 0, total_time_in_millis: 0 },
          })),
        },
      ]),
    ),
  };
}

/** `GET [/{index}]/_shard_stores`: those that lack copies, which by default are none, or all. */
function shardStores(call: Call): Answer {
  const status = (call.request.query.get('status') ?? 'yellow,red').split(',');
  const unknown = status.find((each) => !['green', 'yellow', 'red', 'all'].includes(each));
  if (unknown !== undefined) throw illegalArgument(`unknown cluster health status [${unknown}]`);
  const found = checkBlocks(indicesOf(call, undefined, 'open,closed'), 'metadata_read').filter(
    ({ index }) => status.includes('all') || status.includes(colourOf(index)),
  );
  const stores = { stores: [{ ...nodeEntry(call), allocation_id: NODE, allocation: 'primary' }] };
  return {
    json: {
      indices: Object.fromEntries(
        found.map(({ index }) => [
          index.name,
          { shards: Object.fromEntries(numbersOf(index).map((shard) => [shard, stores])) },
        ]),
      ),
    },
  };
}

/** `GET|POST [/{index}]/_search_shards`: where a search of the indices would go. */
function searchShards(call: Call): Answer {
  const preferred = checkPreference(call);
  // Names that are not there are left out, unless the request says otherwise.
  const found = checkBlocks(indicesOf(call, undefined, 'open', undefined, true, false, true), 'metadata_read');
  const entry = ({ index, aliases, named = [] }: (typeof found)[number]): Json => {
    if (aliases.length === 0) return named.length === 0 ? {} : { aliases: [...named].sort() };
    const all = aliasesOf(index);
    const filters = aliases.map((alias) => all[alias]?.['filter']);
    // An alias without a filter opens the whole index.
    const isOpen = filters.includes(undefined);
    const filter = filters.length === 1 ? filters[0] : { bool: { should: filters } };
    return { aliases: [...aliases].sort(), ...(isOpen ? {} : { filter: printedFilter(filter) }) };
  };
  const shards = found.flatMap((each) => {
    const routed = routedShardsOf(each, call);
    return numbersOf(each.index)
      .filter((shard) => preferred?.includes(shard) !== false && routed?.includes(shard) !== false)
      .map((shard) => [shardOf(each.index, shard)]);
  });
  return {
    json: {
      nodes: shards.length === 0 ? {} : nodeEntry(call),
      indices: Object.fromEntries(found.map((each) => [each.index.name, entry(each)])),
      shards,
    },
  };
}

/** `GET [/{index}]/_upgrade`: segments are always of this version. */
function upgradeStatus(call: Call): Answer {
  const sizes = checkBlocks(openIndicesOf(call), 'metadata_read').map(
    ({ index }) => [index.name, index.stats().bytes] as const,
  );
  const none = { size_to_upgrade_in_bytes: 0, size_to_upgrade_ancient_in_bytes: 0 };
  return {
    json: {
      size_in_bytes: sizes.reduce((sum, [, bytes]) => sum + bytes, 0),
      ...none,
      indices: Object.fromEntries(sizes.map(([name, bytes]) => [name, { size_in_bytes: bytes, ...none }])),
    },
  };
}

/** `POST [/{index}]/_upgrade`: nothing is to be done. */
function upgrade(call: Call): Answer {
  const found = openIndicesOf(call);
  checkChangeable(found, call);
  const version = { upgrade_version: call.state.identity.version, oldest_lucene_segment_version: '8.7.0' };
  return {
    json: {
      _shards: shardCounts(found),
      upgraded_indices: Object.fromEntries(found.map(({ index }) => [index.name, version])),
    },
  };
}

/** Shards and their files. */
export const SHARD_ENDPOINTS: readonly Endpoint[] = [
  reads('GET', '/_segments /{index}/_segments', { verbose: 'flag', ...EXPAND }, segments, READABLE),
  reads(
    'GET',
    '/_recovery /{index}/_recovery',
    { ...EXPAND, active_only: 'flag', detailed: 'flag' },
    recovery,
    READABLE,
  ),
  reads('GET', '/_upgrade /{index}/_upgrade', EXPAND, upgradeStatus, READABLE),
  changes('POST', '/_upgrade /{index}/_upgrade', { only_ancient_segments: 'flag', ...EXPAND }, upgrade),
  reads('GET', '/_shard_stores /{index}/_shard_stores', { status: 'text', ...EXPAND }, shardStores),
  reads(
    'GET POST',
    '/_search_shards /{index}/_search_shards',
    { preference: 'text', routing: 'text', local: 'flag', ...EXPAND },
    searchShards,
  ),
];
