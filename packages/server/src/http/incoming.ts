// A request as routes see it, after the security chain: wherever it came from, a socket or a caller in the process.
import type { Principal } from '@lockstitch/kernel';
import type { SecurityRequest } from '@lockstitch/security';

import type { BodyLimit } from './body.ts';

/** One request that the security chain let pass. */
export interface Incoming {
  readonly method: string;
  /** The canonical path, decoded: the one that the security rules decided on. Routes use nothing else. */
  readonly path: string;
  /** The same path, percent-encoded again. */
  readonly encodedPath: string;
  /** Parsed when first asked for. */
  readonly query: URLSearchParams;
  /** By lower-case name; of a repeated header what node:http makes of it. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly principal: Principal;
  /** The nonce of the answer's Content-Security-Policy; undefined when it has none. */
  readonly cspNonce?: string | undefined;
  /** The request as the chain decided on it, for those who ask it again later. */
  readonly secured: SecurityRequest;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** Reads the body; undefined when there is none. @throws ProductError SERVER_BODY_… */
  readBody(limit: BodyLimit): Promise<Uint8Array | undefined>;
}
