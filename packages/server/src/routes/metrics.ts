// `GET /metrics` for Prometheus: index lag, request costs, process metrics. Counts and positions reveal hidden rows, so
// only callers with a configured authority get them, whatever the chain's rules allow.
import type { Feed } from '@lockstitch/graph';

import { serverErrors } from '../errors.ts';
import { errorResponse } from '../http/route-response.ts';
import type { Incoming } from '../http/incoming.ts';
import type { EventMeter } from '../metrics/event-meter.ts';
import { type Family, gauge, METRICS_TYPE, printMetrics } from '../metrics/print-metrics.ts';
import type { ProcessMeter } from '../metrics/process-meter.ts';
import { resourceFamilies, type ResourceParts } from '../metrics/resource-families.ts';
import type { RequestMeter } from '../metrics/request-meter.ts';
import type { SyncStatus } from '../sync/sync-status.ts';
import type { Sync } from '../sync/sync.ts';
import type { Methods } from '../http/router.ts';
import { LATE, within } from '../within.ts';

export interface MetricsRouteParts {
  readonly sync: Pick<Sync, 'status'>;
  readonly feed: Pick<Feed, 'readers'>;
  readonly requests: RequestMeter;
  readonly process: ProcessMeter;
  readonly events: EventMeter;
  readonly resources: ResourceParts;
  /** Callers with one of these may read; undefined: every authenticated caller. */
  readonly authorities: readonly string[] | undefined;
}

/** Time limit for asking the database for the feed's readers. */
const READERS_WAIT_MS = 2000;

export function metricsRoute(parts: MetricsRouteParts): Methods {
  const { sync, feed, requests, process, events, resources, authorities } = parts;
  return {
    async GET(request) {
      if (!mayRead(request, authorities)) {
        const needed = (authorities ?? []).join(', ');
        const error = request.principal.authenticated
          ? serverErrors.create('SERVER_METRICS_FORBIDDEN', { needed })
          : serverErrors.create('SERVER_METRICS_ANONYMOUS');
        return errorResponse(
          error,
          request.path,
          request.principal.authenticated ? {} : { 'www-authenticate': 'Basic' },
        );
      }
      const [status, readers] = await Promise.all([sync.status(), askReaders(feed)]);
      const families = [
        ...syncFamilies(status, readers ?? []),
        ...(await resourceFamilies(resources, readers !== undefined)),
        ...requests.families(),
        ...events.families(),
        ...process.families(),
      ];
      const headers = { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' };
      return { status: 200, headers, body: printMetrics(families) };
    },
  };
}

/** Undefined if the database does not respond: the process's own metrics matter most then. */
async function askReaders(feed: MetricsRouteParts['feed']): Promise<Awaited<ReturnType<Feed['readers']>> | undefined> {
  const readers = await within(feed.readers(), READERS_WAIT_MS).catch((): typeof LATE => LATE);
  return readers === LATE ? undefined : readers;
}

function mayRead({ principal }: Incoming, authorities: readonly string[] | undefined): boolean {
  if (!principal.authenticated) return false;
  return authorities === undefined || authorities.some((each) => principal.authorities.has(each));
}

function syncFamilies(
  { indexes, head, position, committed, lag, lagSeconds, outbox, trouble }: SyncStatus,
  readers: readonly { readonly name: string; readonly position: number }[],
): readonly Family[] {
  const each = (name: string, help: string, value: (index: SyncStatus['indexes'][number]) => number): Family => ({
    name,
    help,
    type: 'gauge',
    samples: indexes.map((index) => ({ labels: { index: index.name }, value: value(index) })),
  });
  const leaders = indexes.flatMap(({ leadership, name }) =>
    leadership === undefined
      ? []
      : [{ labels: { index: name, definition: leadership.definition }, value: leadership.leads ? 1 : 0 }],
  );
  const leaderFamily: Family = {
    name: 'lockstitch_index_leader',
    help: '1 on the server that writes to an index on the search cluster; servers of other schemas have other definitions.',
    type: 'gauge',
    samples: leaders,
  };
  return [
    gauge('lockstitch_feed_head_position', 'Newest position of the feed of changes.', head),
    gauge('lockstitch_outbox_rows', 'Rows that others wrote and the feed does not have yet; at most 10,001.', outbox),
    gauge('lockstitch_index_position', 'Position up to which every change is searchable.', position),
    gauge('lockstitch_index_committed_position', 'Position up to which the index is on disk.', committed),
    gauge('lockstitch_index_lag_changes', 'Changes that are not searchable yet.', lag),
    gauge('lockstitch_index_lag_seconds', 'Age of the oldest of them.', lagSeconds),
    gauge(
      'lockstitch_index_trouble',
      '1 while the index cannot follow the feed, or the database does not answer.',
      trouble === undefined ? 0 : 1,
    ),
    ...(leaders.length === 0 ? [] : [leaderFamily]),
    each('lockstitch_index_documents', 'Documents of an index.', ({ documents }) => documents),
    each('lockstitch_index_bytes', 'Size of an index.', ({ bytes }) => bytes),
    each('lockstitch_index_stale', '1 while an index answers from before the schema changed.', ({ state }) =>
      state === 'stale' ? 1 : 0,
    ),
    {
      name: 'lockstitch_feed_reader_position',
      help: 'How far a reader of the feed has come; the feed is kept for the slowest, up to a bound.',
      type: 'gauge',
      samples: readers.map((reader) => ({ labels: { reader: reader.name }, value: reader.position })),
    },
  ];
}
