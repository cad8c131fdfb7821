// The child's side of bench/lib/load.ts: tells the parent where it listens, and its memory and processor time when asked.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getHeapStatistics } from 'node:v8';

/** Announces a listening server to the parent process and answers its questions. */
export function announce(url: string): void {
  process.on('message', (question) => {
    const { user, system } = process.cpuUsage();
    if (question === 'cpu') process.send!(user + system);
    else if (question === 'heap') process.send!(measureHeap());
    // Since the start, what was collected meanwhile included; buffers outside the heap do not count.
    else if (question === 'allocated') process.send!(getHeapStatistics().total_allocated_bytes);
    else process.send!(process.memoryUsage.rss());
  });
  process.on('disconnect', () => process.exit(0));
  process.send!({ url });
}

/** What is in use after a collection; buffers outside the heap count. */
function measureHeap(): number {
  if (gc === undefined) throw new Error('The heap is measured in processes that were started with --expose-gc.');
  // Twice: finalizers of the first free what the second collects.
  gc();
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Listens on a free port of the loopback address and announces it. */
export function serveBench(server: Server): void {
  server.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}
