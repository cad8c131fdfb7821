// A real server on a random port with a security layer in front of a handler that says who it saw.
import { createServer, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import {
  createSecurity,
  nodeHandler,
  type Security,
  type SecuredListener,
  type SecurityConfig,
} from '@lockstitch/security';
import { createNoOpEncoder } from '../../src/password/noop-encoder.ts';
import { userNamed } from '../../src/users/user.ts';
import { type RawRequest, type RawResponse, send } from './raw-socket.ts';

/** john: read; jane: read, write, ROLE_USER; admin: ROLE_ADMIN. Every password is `secret`. */
export const USERS = {
  users: [
    userNamed('john').password('secret').authorities('read').build(),
    userNamed('jane').password('secret').authorities('read', 'write', 'ROLE_USER').build(),
    userNamed('admin').password('secret').authorities('ROLE_ADMIN').build(),
  ],
  passwordEncoder: createNoOpEncoder(),
} satisfies SecurityConfig;

export function basic(user: string, password = 'secret'): readonly [string, string] {
  return ['Authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`];
}

export interface Served {
  readonly port: number;
  readonly security: Security;
  readonly send: (target: string, request?: RawRequest) => Promise<RawResponse>;
  /** The status of a GET; `reached <user>` when the handler ran. */
  readonly ask: (target: string, user?: string, method?: string) => Promise<string>;
}

export async function serve(
  t: TestContext,
  config: SecurityConfig,
  listener: SecuredListener = sayWho,
  options: ServerOptions = {},
): Promise<Served> {
  const security = createSecurity({ ...USERS, ...config });
  const server = createServer(options, nodeHandler(security, listener));
  const port = await listen(t, server);
  return { port, security, ...asking(port) };
}

export function asking(port: number): Pick<Served, 'send' | 'ask'> {
  return {
    send: (target, request) => send(port, target, request),
    async ask(target, user, method = 'GET') {
      const { status, body } = await send(port, target, { method, headers: user === undefined ? [] : [basic(user)] });
      return status === 200 && body.startsWith('reached ') ? body : String(status);
    },
  };
}

/** Where what must be closed is left; a test, or a program that closes things itself. */
export interface Cleaning {
  after(close: () => unknown): void;
}

export async function listen(t: Cleaning, server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const sayWho: SecuredListener = (_, response, exchange) => {
  response.end(`reached ${exchange.principal.name}`);
};
