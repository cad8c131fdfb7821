// Memory, load and disk of the machine, as monitoring asks for them. Callers who see only a part of an index get zeros: memory in
// use and load would reveal documents that are hidden from them.
import { statfsSync } from 'node:fs';
import { availableParallelism, cpus, freemem, loadavg, totalmem } from 'node:os';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import type { Call } from '../request/request.ts';

/** Sizes are bytes. */
export interface Machine {
  readonly heap: { readonly used: number; readonly max: number; readonly young: number; readonly old: number };
  readonly outsideHeap: number;
  readonly memory: { readonly total: number; readonly free: number };
  /** Of 100. */
  readonly cpu: number;
  /** Milliseconds that the process computed. */
  readonly computed: number;
  /** Of the last one, five and fifteen minutes. */
  readonly load: readonly [number, number, number];
  readonly disk: { readonly total: number; readonly free: number; readonly available: number };
  readonly processors: number;
  /** Milliseconds since the process started. */
  readonly uptime: number;
}

const WITHHELD: Machine = {
  heap: { used: 0, max: 0, young: 0, old: 0 },
  outsideHeap: 0,
  memory: { total: 0, free: 0 },
  cpu: 0,
  computed: 0,
  load: [0, 0, 0],
  disk: { total: 0, free: 0, available: 0 },
  processors: 1,
  uptime: 0,
};

/** What the caller may know of the machine. */
export function machineOf({ engine, request }: Call): Machine {
  if (request.view !== undefined && engine.indices().some(({ name }) => request.view!(name) !== undefined))
    return WITHHELD;
  const heap = getHeapStatistics();
  const space = (name: string): number =>
    getHeapSpaceStatistics().find((each) => each.space_name === name)?.space_used_size ?? 0;
  const { user, system } = process.cpuUsage();
  const [one = 0, five = 0, fifteen = 0] = loadavg();
  return {
    heap: {
      used: heap.used_heap_size,
      max: heap.heap_size_limit,
      young: space('new_space'),
      old: space('old_space'),
    },
    outsideHeap: heap.external_memory,
    memory: { total: totalmem(), free: freemem() },
    cpu: busyness(),
    computed: Math.round((user + system) / 1000),
    load: [one, five, fifteen],
    disk: diskOf(engine.folder ?? '.'),
    processors: availableParallelism(),
    uptime: Math.round(process.uptime() * 1000),
  };
}

let before = { busy: 0, all: 0 };

/** How busy the processors were since it was asked last, of 100. */
function busyness(): number {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const sum = times.user + times.nice + times.sys + times.idle + times.irq;
    busy += sum - times.idle;
    all += sum;
  }
  const percent = Math.round((100 * (busy - before.busy)) / Math.max(1, all - before.all));
  before = { busy, all };
  return Math.min(100, Math.max(0, percent));
}

function diskOf(folder: string): Machine['disk'] {
  try {
    const { blocks, bfree, bavail, bsize } = statfsSync(folder);
    return { total: blocks * bsize, free: bfree * bsize, available: bavail * bsize };
  } catch {
    // A system that cannot say it.
    return WITHHELD.disk;
  }
}

/** A part of a whole, of 100. */
export const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((100 * part) / whole));
