// Reads from a hot standby of a PostgreSQL database, and measures how far it is behind. Which queries may be read from it is decided in
// replica-reads.ts.
import { isProductError, type Log, reasonOf } from '@lockstitch/kernel';
import { HEAD_QUERY } from '../feed/feed.ts';
import { openPostgresStore } from '../store/store-postgres.ts';
import type { MaybePromise, Session, Store } from '../store/store.ts';

/** A copy of a store that may only be read. */
export interface ReadReplica {
  /**
   * Runs `read` on one connection. Resolves to `NOT_READ` if the replica cannot answer: it is away, has not replayed the feed up to
   * `position` (0: any), or cancelled the statement because of a conflict with the replay.
   */
  read<T>(position: number, read: (session: Session) => MaybePromise<T>): Promise<T | typeof NOT_READ>;
  /** The most milliseconds that the replica may be behind; infinite if unknown, as for a replica that is away. */
  lag(): number;
}

/** A replica whose state is checked every second. */
export interface WatchedReplica extends ReadReplica {
  /** The number of reads that it has answered. */
  readonly answers: number;
  close(): Promise<void>;
}

/** The replica did not answer, so the primary must. */
export const NOT_READ = Symbol('not read');

export interface ReplicaOptions {
  readonly url: string;
  /** The store that it copies. */
  readonly primary: Store;
  readonly log: Log;
}

/** Milliseconds between two checks. */
const CHECK_INTERVAL = 1000;
/** The most log positions of the primary that are kept. The lag of a replica that is further behind is unknown. */
const MAX_POSITIONS = 600;

const PRIMARY_STATE = `SELECT system_identifier::text, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text, current_database()
  FROM pg_control_system()`;
const REPLICA_STATE = `SELECT system_identifier::text, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text, current_database(),
  pg_is_in_recovery()::text FROM pg_control_system()`;

/** Watches a replica, even before it can be reached. It must be one server: behind a load balancer, `lag` would be that of any of them. */
export function watchReplica(options: ReplicaOptions): WatchedReplica {
  return new StandbyWatch(options);
}

class StandbyWatch implements WatchedReplica {
  readonly #options: ReplicaOptions;
  readonly #timer: NodeJS.Timeout;
  /** Positions of the primary's log and when each was its end, oldest first. */
  #positions: { readonly position: bigint; readonly at: number }[] = [];
  #store: Store | undefined;
  #isUsable = false;
  /** The latest time at which the replica is known to have had everything. */
  #freshAt = -Infinity;
  answers = 0;
  #problem: string | undefined;
  #checking: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    const check = (): void => {
      this.#checking ??= this.#check().finally(() => (this.#checking = undefined));
    };
    this.#timer = setInterval(check, CHECK_INTERVAL).unref();
    check();
  }

  async read<T>(position: number, read: (session: Session) => MaybePromise<T>): Promise<T | typeof NOT_READ> {
    const store = this.#store;
    if (!this.#isUsable || store?.onConnection === undefined) return NOT_READ;
    try {
      const answer = await store.onConnection(async (session) => {
        // On the same connection: one address may lead to several replicas, of which one is behind the other.
        if (position > 0 && Number(await session.prepare(HEAD_QUERY).text([])) < position) return NOT_READ;
        return await read(session);
      });
      if (answer !== NOT_READ) this.answers++;
      return answer;
    } catch (error) {
      // Mistakes and limits of the operation are the same on the primary; other errors are the replica's.
      if (isProductError(error) && !isProductError(error, 'GRAPH_STORE_UNAVAILABLE')) throw error;
      return NOT_READ;
    }
  }

  lag(): number {
    return this.#isUsable ? performance.now() - this.#freshAt : Infinity;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isUsable = false;
    clearInterval(this.#timer);
    await this.#checking;
    await this.#store?.close();
  }

  async #check(): Promise<void> {
    const problem = await this.#compare().catch(reasonOf);
    this.#isUsable = problem === undefined;
    this.#report(problem);
  }

  /** Compares the replica with the primary. Returns why it cannot be used; undefined if it can. */
  async #compare(): Promise<string | undefined> {
    const { primary, url } = this.#options;
    const at = performance.now();
    const [[id, end, name] = []] = await primary.prepare(PRIMARY_STATE).rows([]);
    this.#positions.push({ position: BigInt(String(end)), at });
    if (this.#positions.length > MAX_POSITIONS) this.#positions.shift();
    this.#store ??= await openPostgresStore({ url });
    const [[replicaId, replayed, replicaName, isReplica] = []] = await this.#store.prepare(REPLICA_STATE).rows([]);
    if (replicaId !== id || replicaName !== name) return 'it is a copy of another database';
    if (isReplica !== 'true') return 'it takes writes of its own, so it is no replica (any more)';
    if (replayed === null || replayed === undefined) return undefined;
    const reached = BigInt(String(replayed));
    const last = this.#positions.findLastIndex(({ position }) => position <= reached);
    this.#freshAt = this.#positions[last]?.at ?? this.#freshAt;
    if (last > 0) this.#positions = this.#positions.slice(last);
    return undefined;
  }

  /** Logs a change. */
  #report(problem: string | undefined): void {
    if (problem === this.#problem || this.#isClosed) return;
    const { log } = this.#options;
    if (problem === undefined) log.write('info', 'The read replica of the database is back');
    else
      log.write('warn', 'The read replica of the database is not used; the primary answers instead', {
        trouble: problem,
      });
    this.#problem = problem;
  }
}
