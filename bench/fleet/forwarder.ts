// Runs in a network namespace: passes connections on to sockets of the file system, which no namespace separates. Ends with its parent.
import { createConnection, createServer } from 'node:net';

interface Forwarded {
  readonly host: string;
  readonly port: number;
  /** Of the socket. */
  readonly path: string;
}

process.on('message', (message) => {
  const { host, path, port } = message as Forwarded;
  const server = createServer((near) => {
    const far = createConnection(path);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
  });
  server.listen(port, host, () => process.send?.(port));
});
process.once('disconnect', () => process.exit());
