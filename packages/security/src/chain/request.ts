// The request and response as the chain sees them, whatever the framework. Adapters make these; the chain never
// imports a framework.

/** One request, unparsed: exactly what came over the wire, so that nothing was normalised before the firewall. */
export interface SecurityRequest {
  /** As sent; methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /**
   * The request target that the router behind the chain routes, as on a request line: `/a%2fb?x`, also absolute-form. It
   * is what the client sent, unless a framework rewrote it.
   */
  readonly target: string;
  /** The target as the client sent it, where that is another one. */
  readonly sentTarget?: string | undefined;
  /** Further targets that the router may route or that the client sent. The rules must allow each of them. */
  readonly otherTargets?: readonly string[] | undefined;
  /** Why nobody can know which path will be routed; the firewall refuses the request with it. */
  readonly targetUnknown?: string | undefined;
  /** Names and values in turn, in wire order and with repeats: `['Host', 'a', 'Accept', 'b']`. */
  readonly rawHeaders: readonly string[];
  /** The address of the peer; `''` when the platform does not tell. */
  readonly remoteAddress: string;
  /** Whether the connection is TLS (or a trusted proxy says so). */
  readonly secure: boolean;
  /** The first value of a header, by its lower-case name; undefined when absent, `''` when sent empty. */
  header(name: string): string | undefined;
  /**
   * Reads the whole body, at most `limit` bytes, and leaves it readable for the application.
   *
   * @throws ProductError SECURITY_BODY_TOO_LARGE
   */
  readBody(limit: number): Promise<Uint8Array>;
}

/** The head of the response being prepared. `http.ServerResponse` satisfies it as it stands. */
export interface ResponseHead {
  readonly headersSent: boolean;
  /** Sets a header, replacing earlier values. */
  setHeader(name: string, value: string): unknown;
  /** Sets several headers at once, names and values in turn; the list is not changed and may be kept. */
  setHeaderLines?(lines: readonly string[]): void;
  /** Adds one more line of a header: for `Set-Cookie`, `Vary`. */
  appendHeader(name: string, value: string): unknown;
  getHeader(name: string): number | string | readonly string[] | undefined;
  removeHeader(name: string): void;
  /** Calls back once the response has ended, however it ended. Without it, work for the end runs when the chain settles. */
  once?(event: 'close', listener: () => void): unknown;
}

/** What the chain answers when it stops a request; headers are in the response head. */
export interface Answer {
  readonly status: number;
  readonly body: string | Uint8Array | undefined;
}
