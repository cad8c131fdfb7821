// Process metrics: memory, processor time and event-loop delay, under the names that Node dashboards use.
import { monitorEventLoopDelay } from 'node:perf_hooks';

import type { Family } from './print-metrics.ts';

/** Measures until closed. */
export interface ProcessMeter {
  families(): readonly Family[];
  close(): void;
}

/** Starts to measure. Each reading reports the delays since the previous reading. */
export function createProcessMeter(): ProcessMeter {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  return {
    families() {
      const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      // The histogram contains the timer's whole interval; the delay is what exceeds it.
      const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - 0.02);
      const families = [
        gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
        gauge('nodejs_heap_size_total_bytes', "Size of V8's heap.", heapTotal),
        gauge('nodejs_heap_size_used_bytes', "What is in use of V8's heap.", heapUsed),
        gauge('nodejs_external_memory_bytes', "Memory outside of V8's heap that its objects hold.", external),
        gauge('nodejs_eventloop_lag_p50_seconds', 'Median delay of the event loop.', seconds(delay.percentile(50))),
        gauge('nodejs_eventloop_lag_p99_seconds', '99th percentile of that delay.', seconds(delay.percentile(99))),
        gauge('nodejs_eventloop_lag_max_seconds', 'Longest such delay.', delay.count === 0 ? 0 : seconds(delay.max)),
        counter('process_cpu_seconds_total', 'Processor time, of user and system.', (user + system) / 1e6),
        gauge('process_start_time_seconds', 'Start of the process, since 1970.', performance.timeOrigin / 1000),
      ];
      delay.reset();
      return families;
    },
    close: () => void delay.disable(),
  };
}

/** A gauge with one value. */
export function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', samples: [{ value }] };
}

function counter(name: string, help: string, value: number): Family {
  return { name, help, type: 'counter', samples: [{ value }] };
}
