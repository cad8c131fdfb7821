// A request as routes see it, after the security chain, from a socket or from inside the process.
import type { Principal } from '@lockstitch/kernel';
import type { SecurityRequest } from '@lockstitch/security';

import type { BodyLimit } from './body.ts';

export interface Incoming {
  readonly method: string;
  /** The canonical, decoded path on which the security rules decided. Routes use no other. */
  readonly path: string;
  /** The same path, percent-encoded again. */
  readonly encodedPath: string;
  /** Parsed on first use. */
  readonly query: URLSearchParams;
  /** By lower-case name; repeated headers are joined as node:http does. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly principal: Principal;
  /** Nonce of the response's Content-Security-Policy; undefined if it has none. */
  readonly cspNonce?: string | undefined;
  /** The request as the chain saw it, for later rechecks. */
  readonly secured: SecurityRequest;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Reads the body; undefined if there is none. @throws ProductError SERVER_BODY_… */
  readBody(limit: BodyLimit): Promise<Uint8Array | undefined>;
}
