// Decides which queries a read replica answers, and reads them from it.
import type { Plan } from '../plan/build-plan.ts';
import type { MaybePromise, Statement } from '../store/store.ts';
import type { ReplicaUse } from './graph.ts';
import { NOT_READ } from './read-replica.ts';

/** Milliseconds that a replica may be behind by default. */
const DEFAULT_MAX_STALENESS = 30_000;

/** A read of one query. */
interface QueryRead<T> {
  /** Position of the feed that the answer must have seen; 0: any. */
  readonly minPosition: number;
  /** Reads the answer by the statement of the plan. */
  readonly read: (statement: Statement) => MaybePromise<T>;
  /** Reads the answer from the store, where the replica may not or cannot give it. */
  readonly ofStore: () => MaybePromise<T>;
}

/** Reads queries from a replica where it may answer them. */
export class ReplicaReads {
  readonly #use: ReplicaUse;

  constructor(use: ReplicaUse) {
    this.#use = use;
  }

  read<T>(plan: Plan, query: QueryRead<T>): MaybePromise<T> {
    return this.#mayAnswer(plan) ? this.#ofReplica(plan, query) : query.ofStore();
  }

  #mayAnswer({ readsOtherRows }: Plan): boolean {
    const { replica, maxStaleness } = this.#use;
    if (readsOtherRows && maxStaleness === undefined) return false;
    return replica.lag() <= (maxStaleness ?? DEFAULT_MAX_STALENESS);
  }

  async #ofReplica<T>({ sql }: Plan, { minPosition, read, ofStore }: QueryRead<T>): Promise<T> {
    const answer = await this.#use.replica.read(minPosition, (session) => read(session.prepare(sql)));
    return answer === NOT_READ ? ofStore() : answer;
  }
}
