// What happened that somebody may ask about later: every log-in, failure, refusal and change, as typed events. Events
// name users and addresses and never carry a password, token, key or hash. Not here: where the lines are kept.
import type { Clock } from '@lockstitch/kernel';
import { printable, systemClock } from '@lockstitch/kernel';
import { AUDIT_STREAM } from '../options/part-shapes.ts';
import { requireOptions } from '../options/shape.ts';

/** What every event about a request may tell of it. */
interface RequestFacts {
  readonly address?: string | undefined;
  readonly method?: string | undefined;
  /** Without the query, which may hold tokens. */
  readonly path?: string | undefined;
}

/** One event, by its kind. */
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

/** An event with its time. */
export type TimedAuditEvent = AuditEvent & { readonly at: string };

/** Takes events. Must not throw and must not block: the request does not wait for it. */
export interface AuditSink {
  record(event: AuditEvent): void;
}

/** Drops every event. */
export const silentAudit: AuditSink = { record: () => undefined };

/** A stream of events that any number of listeners read. */
export interface AuditStream extends AuditSink {
  /** Calls back for every event from now on; the returned function ends that. A listener that throws is dropped from nothing. */
  subscribe(listener: (event: TimedAuditEvent) => void): () => void;
}

/**
 * Makes a stream of events.
 *
 * @param options.onListenerError told when a listener throws; the request goes on. Default: ignored
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
 * Writes events as JSON lines: `stream.subscribe(jsonLines((line) => file.write(line)))`. Control characters, line breaks and marks of
 * direction are escaped, so a hostile user name can neither forge a line nor command a terminal.
 */
export function jsonLines(write: (line: string) => void): (event: TimedAuditEvent) => void {
  return (event) => write(`${printable(JSON.stringify(event))}\n`);
}

/** Cuts what a caller wrote as a user name to what a log can bear. */
export function auditName(username: string): string {
  return username.length > 128 ? `${username.slice(0, 128)}…` : username;
}
