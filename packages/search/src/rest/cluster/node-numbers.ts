// The numbers of the node in `_nodes`, `_nodes/stats` and `_cluster/stats`, in Elasticsearch's shape. The heap is that of V8.
import { arch, release, type as systemName } from 'node:os';
import type { Json } from '../../json/json.ts';
import type { Call } from '../request/request.ts';
import { POOLS } from './cat-node-tables.ts';
import { type Machine, machineOf, percentOf } from './machine.ts';

const memoryOf = ({ memory: { total, free } }: Machine): Json => ({
  total_in_bytes: total,
  free_in_bytes: free,
  used_in_bytes: total - free,
  free_percent: percentOf(free, total),
  used_percent: percentOf(total - free, total),
});

const diskOf = ({ disk }: Machine): Json => ({
  total_in_bytes: disk.total,
  free_in_bytes: disk.free,
  available_in_bytes: disk.available,
});

function jvmOf(machine: Machine, timestamp: number): Json {
  const { heap, outsideHeap, uptime } = machine;
  const pool = (used: number): Json => ({
    used_in_bytes: used,
    max_in_bytes: 0,
    peak_used_in_bytes: used,
    peak_max_in_bytes: 0,
  });
  const none = { collection_count: 0, collection_time_in_millis: 0 };
  const buffers = { count: 0, used_in_bytes: 0, total_capacity_in_bytes: 0 };
  return {
    timestamp,
    uptime_in_millis: uptime,
    mem: {
      heap_used_in_bytes: heap.used,
      heap_used_percent: percentOf(heap.used, heap.max),
      heap_committed_in_bytes: heap.used,
      heap_max_in_bytes: heap.max,
      non_heap_used_in_bytes: outsideHeap,
      non_heap_committed_in_bytes: outsideHeap,
      pools: { young: pool(heap.young), old: pool(heap.old), survivor: pool(0) },
    },
    threads: { count: 1, peak_count: 1 },
    gc: { collectors: { young: none, old: none } },
    buffer_pools: { mapped: buffers, direct: buffers },
    classes: { current_loaded_count: 0, total_loaded_count: 0, total_unloaded_count: 0 },
  };
}

/** Numbers of what does not happen here: one node has no other states, copies and queues, and compiles no scripts. */
const NEVER: Readonly<Record<string, Json>> = {
  thread_pool: Object.fromEntries(
    Object.keys(POOLS).map((name) => [
      name,
      { threads: 0, queue: 0, active: 0, rejected: 0, largest: 0, completed: 0 },
    ]),
  ),
  script: { compilations: 0, cache_evictions: 0, compilation_limit_triggered: 0 },
  script_cache: { sum: { compilations: 0, cache_evictions: 0, compilation_limit_triggered: 0 }, contexts: [] },
  discovery: {
    cluster_state_queue: { total: 0, pending: 0, committed: 0 },
    published_cluster_states: { full_states: 0, incompatible_diffs: 0, compatible_diffs: 0 },
  },
  adaptive_selection: {},
};

/** The metrics of `_nodes/stats` besides `indices`. */
export function nodeNumbers(call: Call): Readonly<Record<string, Json>> {
  const machine = machineOf(call);
  const timestamp = call.now;
  const [one, five, fifteen] = machine.load;
  return {
    os: {
      timestamp,
      cpu: { percent: machine.cpu, load_average: { '1m': one, '5m': five, '15m': fifteen } },
      mem: memoryOf(machine),
      swap: { total_in_bytes: 0, free_in_bytes: 0, used_in_bytes: 0 },
    },
    process: {
      timestamp,
      open_file_descriptors: -1,
      max_file_descriptors: -1,
      cpu: { percent: machine.cpu, total_in_millis: machine.computed },
      mem: { total_virtual_in_bytes: machine.heap.max },
    },
    jvm: jvmOf(machine, timestamp),
    fs: {
      timestamp,
      total: diskOf(machine),
      data: [{ path: 'data', mount: '/', type: 'unknown', ...diskOf(machine) }],
    },
    transport: {
      server_open: 0,
      total_outbound_connections: 0,
      rx_count: 0,
      rx_size_in_bytes: 0,
      tx_count: 0,
      tx_size_in_bytes: 0,
    },
    ...NEVER,
  };
}

/** The metrics of `_nodes` about the machine. */
export function nodeFacts(call: Call): Readonly<Record<string, Json>> {
  const { heap, processors, uptime } = machineOf(call);
  return {
    os: {
      refresh_interval_in_millis: 1000,
      name: systemName(),
      pretty_name: `${systemName()} ${release()}`,
      arch: arch(),
      version: release(),
      available_processors: processors,
      allocated_processors: processors,
    },
    process: { refresh_interval_in_millis: 1000, id: process.pid, mlockall: false },
    jvm: {
      pid: process.pid,
      version: process.versions.node,
      vm_name: 'Node.js',
      vm_version: process.versions.v8,
      vm_vendor: 'OpenJS Foundation',
      bundled_jdk: false,
      using_bundled_jdk: null,
      start_time_in_millis: uptime === 0 ? 0 : call.now - uptime,
      mem: {
        heap_init_in_bytes: 0,
        heap_max_in_bytes: heap.max,
        non_heap_init_in_bytes: 0,
        non_heap_max_in_bytes: 0,
        direct_max_in_bytes: 0,
      },
      gc_collectors: [],
      memory_pools: [],
      input_arguments: [],
    },
    thread_pool: Object.fromEntries(
      Object.entries(POOLS).map(([name, { queue = -1, ...pool }]) => [name, { ...pool, queue_size: queue }]),
    ),
  };
}

/** The `nodes` object of `_cluster/stats`: one node. */
export function clusterNumbers(call: Call): Json {
  const machine = machineOf(call);
  const name = systemName();
  return {
    os: {
      available_processors: machine.processors,
      allocated_processors: machine.processors,
      names: [{ name, count: 1 }],
      pretty_names: [{ pretty_name: `${name} ${release()}`, count: 1 }],
      mem: memoryOf(machine),
    },
    process: { cpu: { percent: machine.cpu }, open_file_descriptors: { min: -1, max: -1, avg: -1 } },
    jvm: {
      max_uptime_in_millis: machine.uptime,
      versions: [
        {
          version: process.versions.node,
          vm_name: 'Node.js',
          vm_version: process.versions.v8,
          vm_vendor: 'OpenJS Foundation',
          bundled_jdk: false,
          using_bundled_jdk: null,
          count: 1,
        },
      ],
      mem: { heap_used_in_bytes: machine.heap.used, heap_max_in_bytes: machine.heap.max },
      threads: 1,
    },
    fs: diskOf(machine),
  };
}
