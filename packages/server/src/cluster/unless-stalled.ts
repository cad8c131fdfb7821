// Waits for work on a search cluster, but not for as long as a cluster says nothing or takes nothing: an operator and a start are told.
import { serverErrors } from '../errors.ts';
import { LATE, within } from '../within.ts';
import type { ClusterClient } from './cluster-client.ts';

/** Milliseconds after which a cluster that says nothing counts as away. */
export const SILENCE = 5000;
/** Milliseconds after which a cluster that takes no writes counts as one that will not; attempts are 10 s apart at most. */
const BLOCKED = 20_000;
const LOOK = 50;

/**
 * @param trouble why the work does not go on now
 * @throws ProductError SERVER_CLUSTER_STALLED; the work goes on all the same
 */
export async function unlessStalled<T>(
  work: Promise<T>,
  client: Pick<ClusterClient, 'silence'>,
  trouble: () => string | undefined,
): Promise<T> {
  for (let free = performance.now(); ;) {
    const done = await within(work, LOOK);
    if (done !== LATE) return done;
    const reason = trouble();
    if (reason === undefined) free = performance.now();
    if (client.silence > SILENCE)
      throw serverErrors.create('SERVER_CLUSTER_STALLED', { reason: `it has said nothing for ${SILENCE / 1000} s` });
    if (reason !== undefined && performance.now() - free > BLOCKED)
      throw serverErrors.create('SERVER_CLUSTER_STALLED', { reason: reason.replace(/\.$/, '') });
  }
}
