// Counts what goes wrong, or is refused, where HTTP statuses do not show it: lines of the log, errors in GraphQL
// answers, events of the security chain.
import { graphErrors } from '@lockstitch/graph';
import type { Log } from '@lockstitch/kernel';
import type { AuditEvent, AuditSink } from '@lockstitch/security';

import type { Family } from './print-metrics.ts';

/** Counts for the lifetime of the process. */
export interface EventMeter {
  /** The log given, with its lines counted. */
  readonly log: Log;
  /** Counts an error in a GraphQL answer. */
  graphError(code: string): void;
  /** The sink given, with its events counted. */
  countEvents(sink: AuditSink): AuditSink;
  families(): readonly Family[];
}

/** Levels that an operator looks at. */
const LEVELS = ['warn', 'error'] as const;

/** Kinds that are there from the start: a rate needs a first value of 0. */
const KINDS: readonly AuditEvent['kind'][] = [
  'authentication-success',
  'authentication-failure',
  'authorization-denied',
  'csrf-refused',
  'firewall-refused',
  'account-lockout',
];

/** Errors that are the server's fault, or the database's. */
const SERVER_FAULTS = ['GRAPH_INTERNAL', 'GRAPH_NULL_VALUE', 'GRAPH_STORE_UNAVAILABLE', 'GRAPH_TOO_SLOW'] as const;

export function createEventMeter(log: Log): EventMeter {
  const lines = startAt0(LEVELS);
  const errors = startAt0(SERVER_FAULTS);
  const events = startAt0(KINDS);
  return {
    log: {
      write(level, message, facts) {
        if (lines.has(level)) count(lines, level);
        log.write(level, message, facts);
      },
    },
    // Resolvers choose codes of their own, without number.
    graphError: (code) => count(errors, Object.hasOwn(graphErrors.templates, code) ? code : 'other'),
    countEvents: (sink) => ({
      record(event) {
        count(events, event.kind);
        sink.record(event);
      },
    }),
    families: () => [
      counter('lockstitch_log_lines_total', 'Lines of the log, by level; lines below the level are counted, too.', [
        'level',
        lines,
      ]),
      counter('lockstitch_graphql_errors_total', 'Errors in answers to GraphQL operations, by code.', ['code', errors]),
      counter('lockstitch_security_events_total', 'Log-ins, failures and refusals, by kind.', ['kind', events]),
    ],
  };
}

type Counts = Map<string, number>;

const startAt0 = (keys: readonly string[]): Counts => new Map(keys.map((key) => [key, 0]));

function count(counts: Counts, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function counter(name: string, help: string, [label, counts]: readonly [string, Counts]): Family {
  const samples = [...counts].map(([key, value]) => ({ labels: { [label]: key }, value }));
  return { name, help, type: 'counter', samples };
}
