// Request and response as the chain sees them, independent of frameworks. Adapters create them.

/** A raw request, exactly as on the wire: nothing was normalised before the firewall. */
export interface SecurityRequest {
  /** As sent; methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /**
   * Request target that the router behind the chain routes, as on a request line: `/a%2fb?x`, also in absolute form. It
   * is what the client sent, unless a framework rewrote it.
   */
  readonly target: string;
  /** The target as the client sent it, if that differs. */
  readonly sentTarget?: string | undefined;
  /** Further targets that the router may route or the client sent. The rules must allow each of them. */
  readonly otherTargets?: readonly string[] | undefined;
  /** Set if the routed path is unknown: the reason. The firewall then rejects the request. */
  readonly targetUnknown?: string | undefined;
  /** Alternating names and values, in wire order with repeats: `['Host', 'a', 'Accept', 'b']`. */
  readonly rawHeaders: readonly string[];
  /** Address of the peer; `''` if the platform does not report it. */
  readonly remoteAddress: string;
  /** Whether the connection is TLS, or a trusted proxy says so. */
  readonly secure: boolean;
  /** First value of a header by lower-case name; undefined if absent, `''` if sent empty. */
  header(name: string): string | undefined;
  /**
   * Reads the whole body, at most `limit` bytes, and leaves it readable for the application.
   *
   * @throws ProductError SECURITY_BODY_TOO_LARGE
   */
  readBody(limit: number): Promise<Uint8Array>;
}

/** Head of the response being prepared. `http.ServerResponse` implements it. */
export interface ResponseHead {
  readonly headersSent: boolean;
  /** Sets a header and replaces earlier values. */
  setHeader(name: string, value: string): unknown;
  /** Sets several headers: alternating names and values. The list is not changed and may be cached. */
  setHeaderLines?(lines: readonly string[]): void;
  /** Adds one more line of a header: for `Set-Cookie`, `Vary`. */
  appendHeader(name: string, value: string): unknown;
  getHeader(name: string): number | string | readonly string[] | undefined;
  removeHeader(name: string): void;
  /**
   * Calls back once the response has ended for any reason. Without it, end-of-request work runs when the chain settles.
   */
  once?(event: 'close', listener: () => void): unknown;
}

/** The chain's response when it stops a request; headers are in the response head. */
export interface Answer {
  readonly status: number;
  readonly body: string | Uint8Array | undefined;
}
