// Readiness of the two APIs: GraphQL while its database responds, search while it has every index of the schema.
import type { Feed } from '@lockstitch/graph';

import type { Sync } from '../sync/sync.ts';
import { LATE, within } from '../within.ts';
import type { Readiness } from '../http/health.ts';

/** Time limit for the database in ms; load balancers wait for a second by default. */
const PATIENCE = 700;

export async function probeApis(
  feed: Pick<Feed, 'head'>,
  sync: Pick<Sync, 'status'>,
): Promise<Readonly<Record<'graph' | 'search', Readiness>>> {
  const answers = async <T>(asked: Promise<T>): Promise<T | undefined> => {
    // An error means that the API is not ready.
    const answer = await within(asked, PATIENCE).catch(() => LATE);
    return answer === LATE ? undefined : (answer as T);
  };
  const [head, status] = await Promise.all([answers(feed.head()), answers(sync.status())]);
  const lacksOne = status?.indexes.some(({ state }) => state === 'missing') === true;
  // Without the database the lag is unknown.
  const lag = head === undefined || status === undefined ? undefined : Math.round(status.lagSeconds);
  return { graph: { isReady: head !== undefined }, search: { isReady: !lacksOne, lag } };
}
