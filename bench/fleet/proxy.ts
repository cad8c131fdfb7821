// A connection between two parts of a fleet that can be cut, or whose requests can be held back: while it is cut, bytes go nowhere and nobody is
// told, as with a network that drops packets; what is held back arrives when it is released, whatever its sender does.
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

interface Connection {
  readonly near: Socket;
  readonly far: Socket;
  /** Bytes of the near side that wait; undefined: they go on. */
  held: Buffer[] | undefined;
}

export class Proxy {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #isCut = false;
  /** What a request contains that is held back, with all that its connection sends afterwards. */
  #heldFrom: string | undefined;

  private constructor(target: URL) {
    this.#server = createServer((near) => {
      const far = createConnection({ host: target.hostname, port: Number(target.port) });
      const connection: Connection = { near, far, held: undefined };
      this.#connections.add(connection);
      near.on('data', (bytes: Buffer) => {
        if (this.#heldFrom !== undefined && bytes.includes(this.#heldFrom)) connection.held ??= [];
        if (connection.held !== undefined) connection.held.push(bytes);
        else if (!far.write(bytes)) {
          near.pause();
          far.once('drain', () => void (this.#isCut || near.resume()));
        }
      });
      far.pipe(near);
      near.on('error', () => undefined).on('close', () => void (connection.held === undefined && far.end()));
      far
        .on('error', () => undefined)
        .on('close', () => {
          this.#connections.delete(connection);
          near.destroy();
        });
      if (this.#isCut) this.#pause(connection);
    });
  }

  /** @param target address with a port; @param path of a socket of the file system to listen on, instead of a port */
  static async to(target: string, path?: string): Promise<Proxy> {
    const proxy = new Proxy(new URL(target));
    await new Promise<void>((resolve) => {
      if (path === undefined) proxy.#server.listen(0, '127.0.0.1', resolve);
      else proxy.#server.listen(path, resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#isCut = true;
    for (const connection of this.#connections) this.#pause(connection);
  }

  /** What was cut stays lost, as a network forgets it: its ends find out. */
  heal(): void {
    this.#isCut = false;
    for (const { far, near } of this.#connections) for (const socket of [near, far]) socket.destroy();
  }

  /** Holds back a request of the near side that contains a text, and what its connection sends afterwards. */
  hold(text: string): void {
    this.#heldFrom = text;
  }

  /** What is held back. */
  get held(): string {
    return [...this.#connections].map(({ held = [] }) => Buffer.concat(held).toString()).join('\n');
  }

  /** Sends it on, also where its sender is gone. @param change what to send instead */
  release(change: (request: string) => string = (request) => request): void {
    this.#heldFrom = undefined;
    for (const connection of this.#connections) {
      const { far, held = [], near } = connection;
      connection.held = undefined;
      if (held.length > 0) far.write(change(Buffer.concat(held).toString()));
      if (near.destroyed) far.end();
    }
  }

  close(): void {
    this.#server.close();
    for (const { far, near } of this.#connections) for (const socket of [near, far]) socket.destroy();
  }

  #pause({ far, near }: Connection): void {
    near.pause();
    far.pause();
  }
}
