// A lasting connection: its caller, whether the caller is still allowed, and its limits. One for each WebSocket and
// event stream. Operations are operations.ts.
import {
  isProductError,
  limitRepeats,
  type Log,
  type Principal,
  type ProductError,
  reasonOf,
  systemClock,
} from '@lockstitch/kernel';
import type { SecurityRequest } from '@lockstitch/security';

import { serverErrors } from '../errors.ts';
import { createErrorId } from '../http/route-response.ts';
import type { CreateRecheck, Recheck } from '../http/recheck.ts';

/** Limits of operations, and the interval of rechecks. */
export interface ConnectionLimits {
  /** Concurrent operations on one connection. */
  readonly perConnection: number;
  /** Lasting operations of all connections of the process. */
  readonly total: number;
  /** Milliseconds between two rechecks of the caller's rights. */
  readonly recheck: number;
}

/** The caller as the security chain saw it. */
export interface Caller {
  readonly principal: Principal;
  readonly secured: SecurityRequest;
}

export interface CommonParts {
  readonly limits: ConnectionLimits;
  readonly log: Log;
  readonly recheck: CreateRecheck;
}

/** Consecutive failed rechecks after which a connection is closed. */
const FAILURES = 3;

export interface Connections {
  /**
   * Opens a connection, which must be closed. `onRefused` is called after it was closed because the caller lost the
   * right to it.
   */
  open(caller: Caller, onRefused?: (reason: ProductError) => void): Connection;
  /** Number of lasting operations. */
  lasting(): number;
  /** Closes all connections. */
  close(): void;
}

export interface Connection {
  /** The caller's current principal. */
  readonly principal: Principal;
  /** Aborts when the connection closes. */
  readonly signal: AbortSignal;
  /** Set if the server closed the connection: the reason. */
  readonly reason: ProductError | undefined;
  /** Subscribes to changes of the caller's rights. Returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /**
   * Reserves one operation. The returned function releases it, once.
   *
   * @throws ProductError SERVER_TOO_MANY_OPERATIONS, SERVER_TOO_MANY_SUBSCRIPTIONS
   */
  claim(lasts: boolean): () => void;
  close(): void;
}

export function createConnections({ log, ...others }: CommonParts): Connections {
  const common = { ...others, log: limitRepeats(log, systemClock) };
  const all = new Set<OpenConnection>();
  const count = { lasting: 0 };
  return {
    open(caller, onRefused = () => undefined) {
      const connection = new OpenConnection({
        ...common,
        caller,
        onRefused,
        count,
        onClose: () => all.delete(connection),
      });
      all.add(connection);
      return connection;
    },
    lasting: () => count.lasting,
    close() {
      for (const connection of all) connection.close();
    },
  };
}

interface Parts extends CommonParts {
  readonly caller: Caller;
  readonly onRefused: (reason: ProductError) => void;
  readonly count: { lasting: number };
  readonly onClose: () => void;
}

class OpenConnection implements Connection {
  principal: Principal;
  reason: ProductError | undefined = undefined;
  readonly #parts: Parts;
  readonly #recheck: Recheck;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #running = 0;
  #failures = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { principal, secured } = parts.caller;
    this.principal = principal;
    this.#recheck = parts.recheck(secured, principal);
    this.#scheduleRecheck();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  claim(lasts: boolean): () => void {
    const { limits, count } = this.#parts;
    if (this.#running >= limits.perConnection)
      throw serverErrors.create('SERVER_TOO_MANY_OPERATIONS', { limit: limits.perConnection });
    if (lasts && count.lasting >= limits.total)
      throw serverErrors.create('SERVER_TOO_MANY_SUBSCRIPTIONS', { limit: limits.total });
    this.#running++;
    if (lasts) count.lasting++;
    let given = true;
    return () => {
      if (!given) return;
      given = false;
      this.#running--;
      if (lasts) count.lasting--;
    };
  }

  close(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#parts.onClose();
    this.#listeners.clear();
    this.#stop.abort();
  }

  #scheduleRecheck(): void {
    this.#timer = setTimeout(() => {
      this.#checkAgain()
        .then(
          () => {
            this.#failures = 0;
          },
          (error: unknown) => {
            const reason = reasonOf(error);
            this.#parts.log.write('warn', 'A caller could not be looked at again', { code: 'SERVER_RECHECK', reason });
            // A short outage of the database must not end every subscription, but a lasting one means not allowed.
            if (++this.#failures >= FAILURES) this.#refuse();
          },
        )
        .finally(() => {
          if (!this.#stop.signal.aborted) this.#scheduleRecheck();
        });
    }, this.#parts.limits.recheck).unref();
  }

  async #checkAgain(): Promise<void> {
    const principal = await this.#recheck();
    if (this.#stop.signal.aborted) return;
    if (principal === undefined) return this.#refuse();
    if (principal === this.principal) return;
    this.principal = principal;
    for (const listener of this.#listeners) listener();
  }

  #refuse(): void {
    if (this.#stop.signal.aborted) return;
    const reason = serverErrors.create('SERVER_AUTHENTICATION_EXPIRED');
    this.reason = reason;
    this.close();
    this.#parts.onRefused(reason);
  }
}

/** An error as GraphQL responses show it. */
export interface ShownError {
  readonly message: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Shows an expected error with its code and hint. Others are masked under an id that the log has too. */
export function showError(error: unknown, log: Log): ShownError {
  if (isProductError(error) && (error.status < 500 || error.status === 503)) {
    const { code, hint, message } = error;
    return { message, extensions: hint === undefined ? { code } : { code, hint } };
  }
  const id = createErrorId();
  log.write('error', 'An operation failed', { id, error });
  const { code, hint, message } = serverErrors.create('SERVER_INTERNAL', { id });
  return { message, extensions: { code, hint, id } };
}
