// A copy of a PostgreSQL database that lags behind it (a hot standby), for reading. Says whether it is there, what it has seen and how far
// it may be behind; what asks it, and what only the primary may answer, is decided in execute/.
import { isProductError, type Log } from '@lockstitch/kernel';
import { HEAD_QUERY } from '../feed/feed.ts';
import { openPostgresStore } from '../store/store-postgres.ts';
import type { MaybePromise, Session, Store } from '../store/store.ts';

/** A copy of a store, for reading. */
export interface ReadReplica {
  /**
   * Runs `read` on one connection. Resolves to `NOT_READ` where the replica cannot answer: it is away, has not seen `position` (0: any), or
   * ended the statement because of what it had to take over from the primary.
   */
  read<T>(position: number, read: (session: Session) => MaybePromise<T>): Promise<T | typeof NOT_READ>;
  /** Milliseconds that the replica is behind at most; infinite while that is not known, as with a replica that is away. */
  lag(): number;
}

/** A replica that is looked at every second. */
export interface WatchedReplica extends ReadReplica {
  /** How often it has answered. */
  readonly answers: number;
  close(): Promise<void>;
}

/** The replica did not answer: the primary has to. */
export const NOT_READ = Symbol('not read');

export interface ReplicaOptions {
  readonly url: string;
  /** What it is a copy of. */
  readonly primary: Store;
  readonly log: Log;
}

/** Milliseconds between two looks at how far the replica is. */
const LOOK = 1000;
/** Places of the primary's log that are kept: a replica further behind lags by an unknown time. */
const REMEMBERED = 600;

const PRIMARY_STATE = `SELECT system_identifier::text, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text, current_database()
  FROM pg_control_system()`;
const REPLICA_STATE = `SELECT system_identifier::text, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text, current_database(),
  pg_is_in_recovery()::text FROM pg_control_system()`;

/** Watches a replica, also one that is not there yet. It must be one server: behind a balancer of several, `lag` is that of any. */
export function watchReplica(options: ReplicaOptions): WatchedReplica {
  return new StandbyWatch(options);
}

class StandbyWatch implements WatchedReplica {
  readonly #options: ReplicaOptions;
  readonly #looking: NodeJS.Timeout;
  /** Places in the primary's log and when they were its end, oldest first. */
  #places: { readonly place: bigint; readonly at: number }[] = [];
  #store: Store | undefined;
  #isUsable = false;
  /** When the replica had everything, as far as is known. */
  #freshAt = -Infinity;
  answers = 0;
  #trouble: string | undefined;
  #look: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    const look = (): void => {
      this.#look ??= this.#lookOnce().finally(() => (this.#look = undefined));
    };
    this.#looking = setInterval(look, LOOK).unref();
    look();
  }

  async read<T>(position: number, read: (session: Session) => MaybePromise<T>): Promise<T | typeof NOT_READ> {
    const store = this.#store;
    if (!this.#isUsable || store?.onConnection === undefined) return NOT_READ;
    try {
      const answer = await store.onConnection(async (session) => {
        // On the same connection: behind one address there may be replicas of which one is later than the other.
        if (position > 0 && Number(await session.prepare(HEAD_QUERY).text([])) < position) return NOT_READ;
        return await read(session);
      });
      if (answer !== NOT_READ) this.answers++;
      return answer;
    } catch (error) {
      // A mistake or the limits of the operation are the same on the primary; anything else is the replica's.
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
    clearInterval(this.#looking);
    await this.#look;
    await this.#store?.close();
  }

  async #lookOnce(): Promise<void> {
    try {
      const trouble = await this.#compare();
      this.#isUsable = trouble === undefined;
      this.#tell(trouble);
    } catch (error) {
      this.#isUsable = false;
      this.#tell(error instanceof Error ? error.message : String(error));
    }
  }

  /** Why the replica cannot be used, if so. */
  async #compare(): Promise<string | undefined> {
    const { primary, url } = this.#options;
    const at = performance.now();
    const [[id, end, name] = []] = await primary.prepare(PRIMARY_STATE).rows([]);
    this.#places.push({ place: BigInt(String(end)), at });
    if (this.#places.length > REMEMBERED) this.#places.shift();
    this.#store ??= await openPostgresStore({ url });
    const [[ofId, reached, ofName, isReplica] = []] = await this.#store.prepare(REPLICA_STATE).rows([]);
    if (ofId !== id || ofName !== name) return 'it is a copy of another database';
    if (isReplica !== 'true') return 'it takes writes of its own, so it is no replica (any more)';
    if (reached !== null && reached !== undefined) {
      const place = BigInt(String(reached));
      const seen = this.#places.findLastIndex((each) => each.place <= place);
      const newest = this.#places[seen];
      if (newest !== undefined) this.#freshAt = newest.at;
      if (seen > 0) this.#places = this.#places.slice(seen);
    }
    return undefined;
  }

  #tell(trouble: string | undefined): void {
    if (trouble === this.#trouble || this.#isClosed) return;
    const { log } = this.#options;
    if (trouble === undefined) log.write('info', 'The read replica of the database is back');
    else log.write('warn', 'The read replica of the database is not used; the primary answers instead', { trouble });
    this.#trouble = trouble;
  }
}
