// Audit events: every log-in, failure, rejection and change of an account, typed. Events contain users and addresses,
// but never a password, token, key or hash.
import type { Clock } from '@lockstitch/kernel';
import { printable, systemClock } from '@lockstitch/kernel';
import { AUDIT_STREAM } from '../options/part-shapes.ts';
import { callable, requireOptions } from '../options/shape.ts';

/** Facts of a request that every event may contain. */
interface RequestFacts {
  readonly address?: string | undefined;
  readonly method?: string | undefined;
  /** Without the query, which may contain tokens. */
  readonly path?: string | undefined;
}

export type AuditEvent =
  | ({ readonly kind: 'authentication-success'; readonly username: string; readonly mechanism: string } & RequestFacts)
  | ({
      readonly kind: 'authentication-failure';
      /** As the caller wrote it, cut to 128 characters. */
      readonly username: string | undefined;
      readonly mechanism: string;
      readonly code: string;
    } & RequestFacts)
  | ({ readonly kind: 'authorization-denied'; readonly username: string; readonly code: string } & RequestFacts)
  | ({ readonly kind: 'csrf-refused'; readonly username: string; readonly code: string } & RequestFacts)
  | ({ readonly kind: 'firewall-refused'; readonly reason: string } & RequestFacts)
  | ({
      readonly kind: 'account-lockout';
      readonly username: string | undefined;
      readonly seconds: number;
    } & RequestFacts)
  | ({ readonly kind: 'logout'; readonly username: string } & RequestFacts)
  | ({
      readonly kind: 'session-created' | 'session-expired' | 'session-evicted';
      readonly username?: string | undefined;
    } & RequestFacts)
  | { readonly kind: 'user-created' | 'user-updated' | 'user-deleted'; readonly username: string }
  | { readonly kind: 'password-changed' | 'password-change-refused' | 'password-upgraded'; readonly username: string };

export type TimedAuditEvent = AuditEvent & { readonly at: string };

/** Records events. Must not throw or block: requests do not wait for it. */
export interface AuditSink {
  record(event: AuditEvent): void;
}

/** Drops every event. */
export const silentAudit: AuditSink = { record: () => undefined };

/** A stream of events with any number of listeners. */
export interface AuditStream extends AuditSink {
  /** Subscribes a listener; the returned function unsubscribes it. A listener that throws stays subscribed. */
  subscribe(listener: (event: TimedAuditEvent) => void): () => void;
}

/**
 * Creates a stream of events.
 *
 * @param options.onListenerError called if a listener throws; the request continues. Default: ignored
 */
export function createAuditStream(
  options: { readonly clock?: Clock; readonly onListenerError?: (error: unknown) => void } = {},
): AuditStream {
  requireOptions('createAuditStream', AUDIT_STREAM, options);
  const { clock = systemClock, onListenerError = () => undefined } = options;
  const listeners = new Set<(event: TimedAuditEvent) => void>();
  return {
    record(event) {
      if (listeners.size === 0) return;
      const timed = Object.freeze({ at: new Date(clock.now()).toISOString(), ...event });
      for (const listener of listeners) {
        try {
          listener(timed);
        } catch (error) {
          onListenerError(error);
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * Prints events as JSON lines: `stream.subscribe(jsonLines((line) => file.write(line)))`. Control characters, line
 * breaks and bidirectional marks are escaped, so that a hostile user name can neither forge a line nor command a
 * terminal.
 */
export function jsonLines(write: (line: string) => void): (event: TimedAuditEvent) => void {
  requireOptions('jsonLines', callable('(line) => …'), write);
  return (event) => write(`${printable(JSON.stringify(event))}\n`);
}

/** Truncates a user name from a request to a length that suits a log. */
export function auditName(username: string): string {
  return username.length > 128 ? `${username.slice(0, 128)}…` : username;
}
