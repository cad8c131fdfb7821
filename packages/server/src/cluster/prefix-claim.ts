// Whose indexes lie under a prefix of a search cluster: those of one database. A server that writes claims the prefix, and says again and
// again that it lives. The copy of an application finds that somebody lives who is no server of its own database, and leaves the prefix.
import { Mutex } from '@lockstitch/kernel';

import type { ClaimOfPrefix, Generations, NotedClaim } from './generations.ts';

export interface PrefixClaimParts {
  readonly generations: Pick<Generations, 'prepare' | 'setClaim'>;
  readonly replicas: number;
  /** Identity of the database; a copy made by the tools of the database has the same. */
  readonly database: string;
  /** Identity of this server. */
  readonly holder: string;
  /** Identities of the servers of this database that lead an index, by the database. */
  readonly leaders: () => Promise<ReadonlySet<string>>;
  /** The monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/** Milliseconds for which a claim has to stand still before another server takes it over: that of this database is renewed every 1.5 s. */
const STILL = 4000;
/** The same for that of another database, or of a copy that was seen to live: its next leader needs up to ten seconds to take over. */
const STILL_ELSEWHERE = 20_000;
/** Renewals by somebody who leads nothing in this database. One may be of a server that has ended its work since. */
const TAKEN = 2;

export class PrefixClaim {
  readonly #parts: PrefixClaimParts;
  readonly #writing = new Mutex();
  #isWanted = false;
  #found: NotedClaim | undefined;
  /** Since when it stands still. */
  #since: number | undefined;
  /** Number of renewals that were seen of the claim of somebody else. */
  #renewals = 0;
  #state: 'own' | 'free' | 'shared' | 'foreign' = 'free';

  constructor(parts: PrefixClaimParts) {
    this.#parts = parts;
  }

  /** Whether somebody lives under the prefix who is no server of this database. */
  get isTaken(): boolean {
    return this.#state === 'foreign' && this.#renewals >= TAKEN;
  }

  /** Whether somebody wrote under the prefix who may be gone. */
  get isInDoubt(): boolean {
    return this.#state === 'foreign' && this.#renewals < TAKEN;
  }

  /** Takes note of the claim that the cluster has. */
  async see(found: NotedClaim | undefined): Promise<void> {
    const now = (this.#parts.now ?? performance.now.bind(performance))();
    const before = this.#found;
    const isSame = before?.holder === found?.holder && before?.beat === found?.beat;
    this.#found = found;
    if (found === undefined || found.isReleased === true || found.holder === this.#parts.holder) {
      this.#renewals = 0;
      this.#since = now;
      this.#state = found?.isReleased === true || found === undefined ? 'free' : 'own';
      return;
    }
    const isShared = (await this.#parts.leaders()).has(found.holder);
    if (isShared) this.#renewals = 0;
    else if (!isSame && this.#since !== undefined) this.#renewals++;
    if (!isSame || this.#since === undefined) this.#since = now;
    const isOwn = found.database === this.#parts.database && this.#renewals < TAKEN;
    const still = isOwn ? STILL : STILL_ELSEWHERE;
    if (isShared) this.#state = 'shared';
    else this.#state = now - this.#since >= still ? 'free' : 'foreign';
  }

  /** Claims the prefix unless another server of this database does. @returns whether this server may write */
  async take(): Promise<boolean> {
    if (this.#state === 'foreign') return false;
    this.#isWanted = true;
    if (this.#state !== 'free') return true;
    await this.#parts.generations.prepare(this.#parts.replicas);
    return this.#write({});
  }

  /** Says that this server lives, after `take`. */
  async renew(): Promise<void> {
    if (this.#state === 'own' || this.#state === 'free') await this.#write({});
  }

  /** Gives the prefix back: nobody has to wait for this server. */
  async release(): Promise<void> {
    this.#isWanted = false;
    if (this.#state === 'own') await this.#write({ isReleased: true });
  }

  /** @returns whether nobody else wrote meanwhile */
  #write(more: Pick<ClaimOfPrefix, 'isReleased'>): Promise<boolean> {
    return this.#writing.run(async () => {
      if (this.#isWanted === (more.isReleased === true)) return false;
      const { database, generations, holder } = this.#parts;
      const before = this.#found;
      const claim = { database, holder, beat: (before?.beat ?? 0) + 1, ...more };
      const written = await generations.setClaim(claim, before);
      if (written === undefined) return false;
      // Otherwise what was read meanwhile may be older: the next look shows it.
      if (this.#found === before) {
        this.#found = written;
        this.#state = more.isReleased === true ? 'free' : 'own';
      }
      return true;
    });
  }
}
