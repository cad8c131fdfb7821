// Somebody who stays: who it is, whether he may still be here, and how much he may have under way at once. One of these
// belongs to each WebSocket and each event stream. Not here: what he asks for (operations.ts) and how it is sent.
import {
  isProductError,
  limitRepeats,
  type Log,
  type Principal,
  type ProductError,
  systemClock,
} from '@lockstitch/kernel';
import type { SecurityRequest } from '@lockstitch/security';

import { serverErrors } from '../errors.ts';
import { createErrorId } from '../http/answer.ts';
import type { CreateRecheck, Recheck } from '../http/recheck.ts';

/** How much may be under way, and how often rights are looked at again. */
export interface ConnectionLimits {
  /** Operations at a time on one connection. */
  readonly perConnection: number;
  /** Operations that last, of all connections of the process. */
  readonly total: number;
  /** Pause between two looks at a caller's rights, in ms. */
  readonly recheck: number;
}

/** Whoever opened it, as the security chain saw him. */
export interface Caller {
  readonly principal: Principal;
  readonly secured: SecurityRequest;
}

/** What all connections share. */
export interface CommonParts {
  readonly limits: ConnectionLimits;
  readonly log: Log;
  readonly recheck: CreateRecheck;
}

/** Looks in a row that may fail before a connection is closed. */
const FAILURES = 3;

/** The connections of a process. */
export interface Connections {
  /** Opens one; it must be closed. `onRefused` is told when the caller loses the right to it, after it has been closed. */
  open(caller: Caller, onRefused?: (reason: ProductError) => void): Connection;
  /** Closes all of them. */
  close(): void;
}

/** One of them. */
export interface Connection {
  /** Who the caller is by now. */
  readonly principal: Principal;
  /** Aborted when the connection closes. */
  readonly signal: AbortSignal;
  /** Why it was closed, when the caller did not do it himself. */
  readonly reason: ProductError | undefined;
  /** Calls back when the caller's rights have changed. Returns the way to stop. */
  onChange(listener: () => void): () => void;
  /**
   * Makes room for one more operation; the function that is returned gives it back, once.
   *
   * @throws ProductError SERVER_TOO_MANY_OPERATIONS, SERVER_TOO_MANY_SUBSCRIPTIONS
   */
  claim(lasts: boolean): () => void;
  close(): void;
}

/** Creates the connections of an application. */
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
    this.#lookLater();
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

  #lookLater(): void {
    this.#timer = setTimeout(() => {
      this.#look()
        .then(
          () => {
            this.#failures = 0;
          },
          (error: unknown) => {
            const reason = error instanceof Error ? error.message : String(error);
            this.#parts.log.write('warn', 'A caller could not be looked at again', { code: 'SERVER_RECHECK', reason });
            // A database that is away for a moment must not end every subscription; for good, not known is not allowed.
            if (++this.#failures >= FAILURES) this.#refuse();
          },
        )
        .finally(() => {
          if (!this.#stop.signal.aborted) this.#lookLater();
        });
    }, this.#parts.limits.recheck).unref();
  }

  async #look(): Promise<void> {
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

/** An error as GraphQL's responses show one. */
export interface ShownError {
  readonly message: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Shows a refusal of ours with its code and hint; anything else is masked under an id that the log has too. */
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
