// The child's side of bench/lib/load.ts: tells the parent where it listens, and its memory and processor time when asked.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Announces a listening server to the parent process and answers its questions. */
export function announce(url: string): void {
  process.on('message', (question) => {
    const { user, system } = process.cpuUsage();
    process.send!(question === 'cpu' ? user + system : process.memoryUsage.rss());
  });
  process.on('disconnect', () => process.exit(0));
  process.send!({ url });
}

/** Listens on a free port of the loopback address and announces it. */
export function serveBench(server: Server): void {
  server.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}
