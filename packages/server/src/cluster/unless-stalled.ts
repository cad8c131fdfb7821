// Waits for work on a search cluster, but not for as long as a cluster says nothing or takes nothing: an operator and a start are told.
import { serverErrors } from '../errors.ts';
import { type ClusterClient, SILENCE } from './cluster-client.ts';

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
  const stalled = Promise.withResolvers<never>();
  let free = performance.now();
  // One promise for the whole of the work: each race leaves a reaction with it until it ends, and a build may take hours.
  const looking = setInterval(() => {
    const reason = trouble();
    if (reason === undefined) free = performance.now();
    const isBlocked = performance.now() - free > BLOCKED;
    const told = client.silence > SILENCE ? `it has said nothing for ${SILENCE / 1000} s` : isBlocked && reason;
    if (told) stalled.reject(serverErrors.create('SERVER_CLUSTER_STALLED', { reason: told.replace(/\.$/, '') }));
  }, LOOK);
  try {
    return await Promise.race([work, stalled.promise]);
  } finally {
    clearInterval(looking);
  }
}
