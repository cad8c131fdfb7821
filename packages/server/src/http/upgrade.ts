// A socket that asks to become a WebSocket: it goes through the same security chain as every request, and its page must be
// of this origin or of one that CORS allows. Browsers apply CORS to no WebSocket, so a page of any origin could else open
// one with its visitor's cookies.
import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

import type { Log, Principal } from '@lockstitch/kernel';
import type { Security, SecurityRequest } from '@lockstitch/security';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';
import { errorAnswer } from './answer.ts';

/** What the listener is made of. */
export interface UpgradeParts {
  readonly security: Security;
  readonly config: Pick<ResolvedConfig, 'cors'>;
  /** The one path that speaks WebSocket. */
  readonly path: string;
  readonly accept: (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    principal: Principal,
    secured: SecurityRequest,
  ) => void | Promise<void>;
  readonly log: Log;
}

/** Makes the listener for `upgrade`. */
export function createUpgradeListener({
  security,
  config,
  path,
  accept,
  log,
}: UpgradeParts): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const allowedOrigins = new Set(config.cors.flatMap((policy) => policy.allowedOrigins));
  const decide = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const secured = toSecurityRequest(request);
    const outcome = await security.handle(secured);
    if (outcome.kind === 'answer') return refuse(socket, outcome.status, outcome.headers, outcome.body);
    const { exchange } = outcome;
    await exchange.finish();
    if (exchange.path !== path) return refuseWith('SERVER_NOT_FOUND', exchange.path, socket);
    if (!isOwnOrigin(request) && !allowedOrigins.has(request.headers.origin!)) {
      return refuseWith('SERVER_ORIGIN_REFUSED', exchange.path, socket);
    }
    await accept(request, socket, head, exchange.principal, secured);
  };
  return (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    decide(request, socket, head).catch((error: unknown) => {
      log.write('error', 'An upgrade failed', { error });
      socket.destroy();
    });
  };
}

/** A request that has no response of node:http and no body: its socket belongs to whoever takes the upgrade. */
function toSecurityRequest({ method, url, rawHeaders, socket }: IncomingMessage): SecurityRequest {
  return {
    method: method ?? '',
    target: url ?? '',
    rawHeaders,
    remoteAddress: socket.remoteAddress ?? '',
    secure: false,
    header(name) {
      const at = rawHeaders.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
      return at === -1 ? undefined : rawHeaders[at + 1];
    },
    readBody: () => Promise.resolve(new Uint8Array()),
  };
}

/** Programs send no Origin; a page sends the one it came from. */
function isOwnOrigin({ headers }: IncomingMessage): boolean {
  if (headers.origin === undefined) return true;
  try {
    return new URL(headers.origin).host === headers.host?.toLowerCase();
  } catch {
    return false;
  }
}

function refuseWith(code: 'SERVER_NOT_FOUND' | 'SERVER_ORIGIN_REFUSED', path: string, socket: Duplex): void {
  const { status, headers, body } = errorAnswer(serverErrors.create(code, { path }), path);
  refuse(socket, status, Object.entries(headers), body as string);
}

function refuse(
  socket: Duplex,
  status: number,
  headers: readonly (readonly [string, string])[],
  body: string | Uint8Array | undefined,
): void {
  const bytes = Buffer.from(body ?? '');
  const lines = headers
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    .map(([name, value]) => `${name}: ${value}\r\n`);
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}`;
  socket.end(
    Buffer.concat([Buffer.from(`${start}Content-Length: ${bytes.length}\r\nConnection: close\r\n\r\n`), bytes]),
  );
}
