// WebSocket upgrades: they pass the same security chain as every request, and the page must be of this origin or one
// that CORS allows. Browsers do not apply CORS to WebSockets, so a page of any origin could otherwise open one with its
// visitor's cookies.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { Log, Principal } from '@lockstitch/kernel';
import {
  compileMatcher,
  EXACT,
  NodeRequest,
  type Security,
  type SecurityRequest,
  viewPath,
} from '@lockstitch/security';

import type { ResolvedConfig } from '../config/config.ts';
import { serverErrors } from '../errors.ts';
import { errorResponse } from './route-response.ts';
import { logSocketFailure } from './client-gone.ts';
import { nodeHttp } from '../node-http.ts';

export interface UpgradeParts {
  readonly security: Security;
  readonly config: Pick<ResolvedConfig, 'cors' | 'chains' | 'trustProxy'>;
  /** The path that accepts WebSockets. */
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

/** Creates the listener for `upgrade`. */
export function createUpgradeListener({
  security,
  config,
  path,
  accept,
  log,
}: UpgradeParts): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const allowedOrigins = originsFor(path, config);
  const decide = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const secured = new UpgradeRequest(request, { trustProxy: config.trustProxy });
    const outcome = await security.handle(secured);
    if (outcome.kind === 'answer') return refuse(socket, outcome.status, outcome.headers, outcome.body);
    const { exchange } = outcome;
    await exchange.finish()?.catch(exchange.onLateError);
    if (exchange.path !== path) return refuseWith('SERVER_NOT_FOUND', exchange.path, socket);
    if (!isOwnOrigin(request) && !allowedOrigins.has(request.headers.origin ?? ''))
      return refuseWith('SERVER_ORIGIN_REFUSED', exchange.path, socket);
    await accept(request, socket, head, exchange.principal, secured);
  };
  return (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    decide(request, socket, head).catch((error: unknown) => {
      logSocketFailure(log, 'An upgrade failed', error);
      socket.destroy();
    });
  };
}

/** A request without response and body: its socket belongs to the code that accepts the upgrade. */
class UpgradeRequest extends NodeRequest {
  override readBody(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array());
  }
}

/** Origins that the CORS policy of this path allows, in the chain that handles it. */
function originsFor(path: string, { cors, chains }: UpgradeParts['config']): ReadonlySet<string> {
  const view = viewPath(path);
  const takes = (patterns: string | readonly string[]): boolean =>
    [patterns].flat().some((pattern) => compileMatcher({ kind: 'ant', pattern }, EXACT).matches('GET', view, ''));
  const policies = chains.find((chain) => takes(chain.path))?.cors ?? cors;
  return new Set(policies.find((policy) => takes(policy.path))?.allowedOrigins);
}

/** Programs send no Origin; a page sends its own. */
function isOwnOrigin({ headers }: IncomingMessage): boolean {
  if (headers.origin === undefined) return true;
  try {
    return new URL(headers.origin).host === headers.host?.toLowerCase();
  } catch {
    // An origin that is not a URL, such as "null".
    return false;
  }
}

function refuseWith(code: 'SERVER_NOT_FOUND' | 'SERVER_ORIGIN_REFUSED', path: string, socket: Duplex): void {
  const { status, headers, body } = errorResponse(serverErrors.create(code, { path }), path);
  refuse(socket, status, Object.entries(headers), body);
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
  const start = `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status] ?? ''}\r\n${lines.join('')}`;
  socket.end(
    Buffer.concat([Buffer.from(`${start}Content-Length: ${bytes.length}\r\nConnection: close\r\n\r\n`), bytes]),
  );
}
