// Drops generations that nobody needs any more: of the definitions that this server leads those that were replaced, or left by a server
// that was killed; of the definitions that no living server searches all. Only definitions that servers of this database led are looked
// at: the indexes of another application may have names that begin alike.
import type { Feed } from '@lockstitch/graph';
import { type Log, reasonOf } from '@lockstitch/kernel';

import type { IndexerLeases } from '../fleet/indexer-lease.ts';
import type { Generations } from './generations.ts';

export interface UnusedGenerationsParts {
  readonly generations: Generations;
  readonly feed: Pick<Feed, 'reader' | 'readers'>;
  /** The definitions that servers search which live. */
  readonly used: () => Promise<ReadonlySet<string>>;
  readonly readerName: (definition: string) => string;
  /** Milliseconds for which something has to be unused before it is dropped: servers notice in that time what they are to search. */
  readonly kept?: number;
  readonly log: Log;
}

const KEPT = 60_000;

export class UnusedGenerations {
  readonly #parts: UnusedGenerationsParts;
  /** By definition or generation, since when it is unused, by the monotonic clock. */
  #since = new Map<string, number>();
  #trouble: string | undefined;

  constructor(parts: UnusedGenerationsParts) {
    this.#parts = parts;
  }

  /**
   * Drops what has been unused for long enough. A failure is logged; the next call tries again.
   *
   * @param led by definition that this server leads, the generations that it writes or builds
   */
  async drop(leases: IndexerLeases, led: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
    try {
      await this.#drop(leases, led);
      this.#trouble = undefined;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== this.#trouble)
        this.#parts.log.write(
          'warn',
          'Indexes on the search cluster that nobody uses cannot be dropped; trying again',
          { error },
        );
      this.#trouble = reason;
    }
  }

  async #drop(leases: IndexerLeases, led: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
    const { generations, log, used } = this.#parts;
    const usedNow = await used();
    const before = this.#since;
    this.#since = new Map();
    const isDue = (name: string): boolean => {
      const since = before.get(name) ?? performance.now();
      this.#since.set(name, since);
      return performance.now() - since >= (this.#parts.kept ?? KEPT);
    };
    for (const definition of await leases.definitions()) {
      const writes = led.get(definition);
      if (writes !== undefined) {
        for (const name of await generations.unused(definition))
          if (!writes.has(name) && isDue(name)) await generations.drop(name);
      } else if (!usedNow.has(definition) && isDue(definition)) {
        // Nobody goes on with it while this server has its row.
        if (!(await leases.acquire([definition], 0)).has(definition)) continue;
        try {
          if ((await used()).has(definition)) continue;
          for (const { name } of await generations.all(definition)) await generations.drop(name);
          await this.#forgetReaders(definition);
          await leases.remove(definition);
          log.write('info', 'An index on the search cluster that no server uses any more was dropped', { definition });
        } finally {
          await leases.release([definition]);
        }
      }
    }
  }

  /** That of the definition, and that of a build which was killed. */
  async #forgetReaders(definition: string): Promise<void> {
    const { feed, readerName } = this.#parts;
    const own = readerName(definition);
    for (const { name } of await feed.readers())
      if (name === own || name.startsWith(`${own}/`)) await feed.reader(name).remove();
  }
}
