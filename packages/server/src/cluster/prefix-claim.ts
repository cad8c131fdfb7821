// Whose indexes lie under a prefix of a search cluster: those of one database. A server that writes claims the prefix, and says again and
// again that it lives. The copy of an application finds that somebody lives who is no server of its own database, and leaves the prefix.
import { Mutex } from '@lockstitch/kernel';

import type { IndexerLeases } from '../fleet/indexer-lease.ts';
import type { ControlIndex, NotedClaim } from './control-index.ts';

export interface PrefixClaimParts {
  readonly control: Pick<ControlIndex, 'prepare' | 'setClaim'>;
  readonly replicas: number;
  /** What the database says; a copy made by the tools of the database has the same identity. */
  readonly leases: Pick<IndexerLeases, 'database' | 'self' | 'holders' | 'giveBack' | 'isGivenBack'>;
  /** The monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/** Milliseconds for which a claim has to stand still before another server takes it over: that of this database is renewed every 1.5 s. */
const STILL = 4000;
/** The same for that of another database, or of a copy that was seen to live: a fleet needs up to ten seconds for the next leader, a restart as long. */
const STILL_ELSEWHERE = 20_000;
/** Renewals by somebody who leads nothing in this database. One may be of a server that has ended its work since. */
const TAKEN = 2;

/**
 * `own`: this server has the claim. `free`: nobody has it who lives. `shared`: another server of this database has it. `doubtful`: somebody
 * else has it who may be gone. `taken`: another application uses the prefix.
 */
type State = 'own' | 'free' | 'shared' | 'doubtful' | 'taken';

export class PrefixClaim {
  readonly #parts: PrefixClaimParts;
  readonly #writing = new Mutex();
  #isWanted = false;
  #isRenewing = false;
  #found: NotedClaim | undefined;
  /** Since when it stands still. */
  #since: number | undefined;
  /** Number of renewals that were seen of the claim of somebody else. */
  #renewals = 0;
  /** Whether the last look was overtaken. */
  #isOvertaken = false;
  #state: State = 'free';

  constructor(parts: PrefixClaimParts) {
    this.#parts = parts;
  }

  /** Whether another application uses the prefix. */
  get isTaken(): boolean {
    return this.#state === 'taken';
  }

  /** Whether it is not known yet if another application uses the prefix. */
  get isInDoubt(): boolean {
    return this.#state === 'doubtful';
  }

  /** Takes note of the claim that the cluster has. */
  async see(found: NotedClaim | undefined): Promise<void> {
    const now = (this.#parts.now ?? performance.now.bind(performance))();
    const before = this.#found;
    // Overtaken by a write of this server or by a later look: it says nothing. Twice in a row, the index was deleted and created again.
    this.#isOvertaken = !this.#isOvertaken && isOlder(found, before);
    if (this.#isOvertaken) return;
    const isSame = before?.holder === found?.holder && before?.beat === found?.beat;
    this.#found = found;
    const { leases } = this.#parts;
    if (found === undefined || found.holder === leases.self) {
      this.#renewals = 0;
      this.#since = now;
      this.#state = found === undefined || !this.#isWanted ? 'free' : 'own';
      return;
    }
    const isShared = (await leases.holders()).has(found.holder);
    // The cluster is not told: a copy that waits for the prefix would have it before the fleet, or a server that is started again, looks.
    const isGivenBack = !isShared && (await leases.isGivenBack(found));
    if (isShared || isGivenBack) this.#renewals = 0;
    else if (!isSame && this.#since !== undefined) this.#renewals++;
    if (!isSame || this.#since === undefined) this.#since = now;
    const isOther = this.#renewals >= TAKEN;
    const still = found.database === leases.database && !isOther ? STILL : STILL_ELSEWHERE;
    if (isShared) this.#state = 'shared';
    else if (isGivenBack || now - this.#since >= still) this.#state = 'free';
    else this.#state = isOther ? 'taken' : 'doubtful';
  }

  /** Claims the prefix unless another server of this database does. @returns whether this server may write */
  async take(): Promise<boolean> {
    if (this.isTaken || this.isInDoubt) return false;
    this.#isWanted = true;
    return this.#state === 'free' ? this.#writing.run(() => this.#write(true)) : true;
  }

  /** Says that this server lives, after `take`. One renewal at a time: a cluster that says nothing would get all of them later. */
  async renew(): Promise<void> {
    if (this.#isRenewing || (this.#state !== 'own' && this.#state !== 'free')) return;
    this.#isRenewing = true;
    try {
      await this.#writing.run(() => this.#write(false));
    } finally {
      this.#isRenewing = false;
    }
  }

  /** Gives the prefix back: no server of this database has to wait for this one. Others wait until the claim has stood still. */
  async release(): Promise<void> {
    this.#isWanted = false;
    await this.#writing.run(async () => {
      const { leases } = this.#parts;
      if (this.#found?.holder !== leases.self) return;
      this.#state = 'free';
      await leases.giveBack(this.#found.beat);
    });
  }

  /**
   * @param prepares whether the index is brought into its form first
   * @returns whether nobody else wrote meanwhile
   */
  async #write(prepares: boolean): Promise<boolean> {
    if (!this.#isWanted) return false;
    const { control, leases, replicas } = this.#parts;
    const before = this.#found;
    // Written to a missing index, the claim would create it in the way of the cluster.
    if (prepares || before === undefined) await control.prepare(replicas);
    const claim = { database: leases.database, holder: leases.self, beat: (before?.beat ?? 0) + 1 };
    const written = await control.setClaim(claim, before);
    if (written === undefined) return false;
    // Otherwise what was read meanwhile may be older: the next look shows it.
    if (this.#found === before) {
      this.#found = written;
      this.#state = 'own';
    }
    return true;
  }
}

/** Whether a state of the claim is older than another one. */
function isOlder(found: NotedClaim | undefined, than: NotedClaim | undefined): boolean {
  return (
    found !== undefined && than !== undefined && found.primaryTerm === than.primaryTerm && found.seqNo < than.seqNo
  );
}
