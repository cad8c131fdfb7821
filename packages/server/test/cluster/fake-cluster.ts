// HTTP servers that answer as a search cluster has answered, for tests without one.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface Received {
  readonly target: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** `hang`: no answer, `cut`: the connection ends. */
export type Said = { readonly status: number; readonly body?: unknown } | 'hang' | 'cut';

export interface FakeNode {
  readonly url: string;
  readonly received: readonly Received[];
}

/** Starts a node. @param answer what it says, by the request */
export async function startNode(
  context: TestContext,
  answer: (received: Received) => Said | Promise<Said>,
): Promise<FakeNode> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const asked = { target: `${request.method} ${request.url}`, authorization: request.headers.authorization, body };
      received.push(asked);
      const said = await answer(asked);
      if (said === 'cut') request.socket.destroy();
      else if (said !== 'hang') response.writeHead(said.status).end(JSON.stringify(said.body ?? {}));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
