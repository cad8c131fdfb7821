// Decides which queries a read replica answers, and reads them from it.
import type { Plan } from '../plan/build-plan.ts';
import type { Session, MaybePromise, Statement } from '../store/store.ts';
import type { GraphContext } from './contracts.ts';
import type { ReplicaUse } from './graph.ts';
import { NOT_READ } from './read-replica.ts';

/** Milliseconds that a replica may be behind by default. */
const DEFAULT_MAX_STALENESS = 30_000;

/** Whether the replica may answer a query by this plan. */
export function mayRead({ replica, maxStaleness }: ReplicaUse, { readsOtherRows }: Plan): boolean {
  if (readsOtherRows && maxStaleness === undefined) return false;
  return replica.lag() <= (maxStaleness ?? DEFAULT_MAX_STALENESS);
}

/** Reads from the replica, or from the store if the replica cannot answer. */
export async function readFromReplica<T>(
  { replica }: ReplicaUse,
  { sql }: Plan,
  { minPosition = 0 }: GraphContext,
  read: (statement: Statement) => MaybePromise<T>,
  ofStore: () => MaybePromise<T>,
): Promise<T> {
  const answer = await replica.read(minPosition, (session: Session) => read(session.prepare(sql)));
  return answer === NOT_READ ? ofStore() : answer;
}
