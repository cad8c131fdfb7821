// Which generation of each index on a cluster this server searches, and what it holds: the one that is published for the definition of
// its schema. Until there is one, that of another definition is searched, if somebody follows the feed with it and it shows nothing that
// the schema hides. What nobody writes any more would go on to show what was deleted or hidden since.
import type { Feed } from '@lockstitch/graph';

import type { SchemaIndex } from '../sync/schema-index.ts';
import type { GenerationPosition, NotedClaim } from './control-index.ts';
import type { GenerationInfo, Generations } from './generations.ts';
import {
  type ClusterLayout,
  definitionName,
  type GenerationMeta,
  isDefinitionOf,
  readMeta,
} from './index-definition.ts';

/** A generation that is searched. */
export interface ServedIndex extends GenerationMeta {
  readonly definition: string;
  readonly generation: string;
  readonly uuid: string;
  /** Every change up to here is searchable. */
  readonly position: number;
  /** Whether it has the definition of the schema and the configuration. */
  readonly isCurrent: boolean;
}

/** What the cluster says. */
export interface Look {
  /** By definition, the generations that are published. */
  readonly published: ReadonlyMap<string, string>;
  /** By generation that is published. */
  readonly positions: ReadonlyMap<string, GenerationPosition>;
  /** Largest epoch of a writer. */
  readonly epoch: number;
  /** Who writes under the prefix. */
  readonly claim: NotedClaim | undefined;
}

export interface ServedIndexesParts {
  readonly generations: Generations;
  readonly feed: Pick<Feed, 'head'>;
  readonly wanted: readonly SchemaIndex[];
  readonly layout: ClusterLayout;
  /** The definitions that a living server follows the feed with. */
  readonly followed: () => Promise<ReadonlySet<string>>;
  /** Whether another application uses the prefix: nothing under it is searched. */
  readonly isTaken: () => boolean;
  /** Milliseconds that another server may need to go on with a generation whose leader has ended; 10,000 by default. */
  readonly takeover?: number;
}

/** Milliseconds for which an index is taken to be the one that was read. */
const KNOWN = 60_000;
const TAKEOVER = 10_000;

export class ServedIndexes {
  readonly #parts: ServedIndexesParts;
  /** By name of the index. */
  readonly #served = new Map<string, ServedIndex>();
  /** By name of an index that has nothing to search, or not for long: see `formerOf`. */
  readonly #former = new Map<string, ServedIndex>();
  /** By generation: what was stored with it changes only where somebody restores another state of it. */
  readonly #known = new Map<string, GenerationInfo>();
  /** By definition, when a server last followed the feed with it, by the monotonic clock. */
  readonly #followedAt = new Map<string, number>();
  /** When `#known` was empty, by the monotonic clock. */
  #knownSince = 0;
  /** Identity of the database; undefined before it is known. */
  database: string | undefined;

  constructor(parts: ServedIndexesParts) {
    this.#parts = parts;
  }

  /** The generation of an index to search; undefined if there is none that may be. */
  get(name: string): ServedIndex | undefined {
    return this.#served.get(name);
  }

  /** A generation of another definition, which nobody follows the feed with, that may be searched once somebody does. */
  formerOf(name: string): ServedIndex | undefined {
    return this.#former.get(name);
  }

  /** Position up to which every index is searchable; undefined if one is missing. */
  get position(): number | undefined {
    let least = Infinity;
    for (const { name } of this.#parts.wanted) {
      const position = this.#served.get(name)?.position;
      if (position === undefined) return undefined;
      least = Math.min(least, position);
    }
    return least;
  }

  set(name: string, served: ServedIndex): void {
    this.#served.set(name, served);
  }

  /** Takes every index out of the searches. */
  clear(): void {
    this.#served.clear();
    this.#former.clear();
  }

  /** Takes a generation of an index out of the searches. */
  forget(name: string, generation: string): void {
    if (this.#served.get(name)?.generation === generation) this.#served.delete(name);
  }

  /** Notes that the generation of an index has come to a position. */
  reach(name: string, generation: string, position: number): void {
    const served = this.#served.get(name);
    if (served?.generation === generation) this.#served.set(name, { ...served, position });
  }

  /** Reads what the cluster has. @param afresh reads also what was read before */
  async look(afresh = false): Promise<Look> {
    const { feed, generations, layout, wanted } = this.#parts;
    const before = new Map(this.#served);
    const { published, epoch } = await generations.look();
    if (afresh || performance.now() - this.#knownSince > KNOWN) {
      this.#known.clear();
      this.#knownSince = performance.now();
    }
    const relevant = [...published].filter(([definition]) => wanted.some((index) => isDefinitionOf(index, definition)));
    const { claim, positions } = await generations.control.noted(relevant.map(([, generation]) => generation));
    // Read after the positions: those of this database are not greater.
    const head = await feed.head();
    const look = { published, positions, epoch, claim };
    if (this.#parts.isTaken()) {
      this.clear();
      return look;
    }
    // Asked for once, and only if an index lacks a generation of its own.
    let noted: Promise<number> | undefined;
    for (const index of wanted) {
      const own = await this.#accept(index, definitionName(index, layout), look, head);
      const served = own ?? (await this.#findFollowed(index, look, head, await (noted ??= this.#noteFollowed())));
      if (own !== undefined) this.#former.delete(index.name);
      // What this server has written since is newer than what was read.
      if (this.#served.get(index.name) !== before.get(index.name)) continue;
      if (served) this.#served.set(index.name, served);
      else this.#served.delete(index.name);
    }
    return look;
  }

  /** The furthest of the generations of other definitions; undefined where nobody follows the feed with one. */
  async #findFollowed(index: SchemaIndex, look: Look, head: number, now: number): Promise<ServedIndex | undefined> {
    const own = definitionName(index, this.#parts.layout);
    const found: ServedIndex[] = [];
    for (const definition of look.published.keys()) {
      if (definition === own || !isDefinitionOf(index, definition)) continue;
      const served = await this.#accept(index, definition, look, head);
      if (served !== undefined) found.push(served);
    }
    const furthest = (all: readonly ServedIndex[]): ServedIndex | undefined =>
      all.toSorted((a, b) => b.position - a.position)[0];
    const since = (definition: string): number => now - (this.#followedAt.get(definition) ?? -Infinity);
    const takeover = this.#parts.takeover ?? TAKEOVER;
    const served =
      furthest(found.filter(({ definition }) => since(definition) === 0)) ??
      furthest(found.filter(({ definition }) => since(definition) < takeover));
    const former = served === undefined || since(served.definition) > 0 ? furthest(found) : undefined;
    if (former === undefined) this.#former.delete(index.name);
    else this.#former.set(index.name, former);
    return served;
  }

  /** Notes which definitions are followed now. @returns the time, by the monotonic clock */
  async #noteFollowed(): Promise<number> {
    const now = performance.now();
    for (const definition of await this.#parts.followed()) this.#followedAt.set(definition, now);
    return now;
  }

  async #describe(generation: string): Promise<GenerationInfo | undefined> {
    const known = this.#known.get(generation) ?? (await this.#parts.generations.describe(generation));
    if (known !== undefined) this.#known.set(generation, known);
    return known;
  }

  /** The generation that is published for a definition, unless somebody restored or created it, or it is of another database. */
  async #accept(
    index: SchemaIndex,
    definition: string,
    { positions, published }: Look,
    head: number,
  ): Promise<ServedIndex | undefined> {
    const generation = published.get(definition);
    const info = generation === undefined ? undefined : await this.#describe(generation);
    if (generation === undefined || info === undefined) return undefined;
    const { uuid } = info;
    const at = positions.get(generation);
    const { database } = this;
    if (at === undefined || at.uuid !== uuid || at.position > head) return undefined;
    if (database !== undefined && at.database !== database) return undefined;
    const meta = readMeta(info.meta, index, definition);
    if (meta === undefined) return undefined;
    const isCurrent = definition === definitionName(index, this.#parts.layout);
    // Equal fields may have other sources in the schema of that server.
    if (isCurrent && at.isAdapted === true) return undefined;
    return { ...meta, definition, generation, uuid, position: at.position, isCurrent };
  }
}
