// Process metrics: memory, processor time, files and event-loop delay, under the names that Node dashboards use.
import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

import { readVersion } from '../own-package.ts';
import { counter, type Family, gauge } from './print-metrics.ts';

/** Measures until closed. */
export interface ProcessMeter {
  families(): readonly Family[];
  close(): void;
}

/** Starts to measure. Each reading reports the delays since the previous reading. */
export function createProcessMeter(): ProcessMeter {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let utilization = performance.eventLoopUtilization();
  return {
    families() {
      const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      // The histogram contains the timer's whole interval; the delay is what exceeds it.
      const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - 0.02);
      const before = utilization;
      utilization = performance.eventLoopUtilization();
      const busy = performance.eventLoopUtilization(utilization, before).utilization;
      const families = [
        buildInfo(),
        gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
        gauge('nodejs_heap_size_total_bytes', "Size of V8's heap.", heapTotal),
        gauge('nodejs_heap_size_used_bytes', "What is in use of V8's heap.", heapUsed),
        gauge('nodejs_heap_size_limit_bytes', "Size at which V8's heap is full.", getHeapStatistics().heap_size_limit),
        gauge('nodejs_external_memory_bytes', "Memory outside of V8's heap that its objects hold.", external),
        gauge('nodejs_eventloop_lag_p50_seconds', 'Median delay of the event loop.', seconds(delay.percentile(50))),
        gauge('nodejs_eventloop_lag_p99_seconds', '99th percentile of that delay.', seconds(delay.percentile(99))),
        gauge('nodejs_eventloop_lag_max_seconds', 'Longest such delay.', delay.count === 0 ? 0 : seconds(delay.max)),
        gauge('nodejs_eventloop_utilization', 'Share of the time since the last reading that it was busy.', busy),
        counter('process_cpu_seconds_total', 'Processor time, of user and system.', (user + system) / 1e6),
        gauge('process_start_time_seconds', 'Start of the process, since 1970.', performance.timeOrigin / 1000),
        ...fileFamilies(),
      ];
      delay.reset();
      return families;
    },
    close: () => void delay.disable(),
  };
}

function buildInfo(): Family {
  const labels = { version: readVersion(), node: process.versions.node };
  return { name: 'lockstitch_build_info', help: 'Always 1.', type: 'gauge', samples: [{ labels, value: 1 }] };
}

/** Open files and sockets; empty where there is no `/proc`. */
function fileFamilies(): readonly Family[] {
  try {
    const open = readdirSync('/proc/self/fd').length;
    const most = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return [
      gauge('process_open_fds', 'Open files and sockets.', open),
      ...(most === undefined ? [] : [gauge('process_max_fds', 'Largest number of them.', Number(most))]),
    ];
  } catch {
    return [];
  }
}
