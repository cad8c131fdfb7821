// Which generation of each index on a cluster this server searches, and what it holds: the one that the alias of the index names, if it
// was built from this database and shows nothing that the schema hides.
import { createHash } from 'node:crypto';

import type { Feed } from '@lockstitch/graph';
import { clusterIndex, type ScoreMode } from '@lockstitch/search/cluster';

import { matches, mayServeMeanwhile, ownedCustom, type OwnedCustom, type SchemaIndex } from '../sync/schema-index.ts';
import type { GenerationInfo, GenerationPosition, Generations } from './generations.ts';

/** How an index lies on the cluster. */
export interface ClusterLayout {
  readonly scores: ScoreMode;
  readonly shards: number;
  readonly replicas: number;
}

/** A generation that is searched. */
export interface ServedIndex {
  readonly generation: string;
  readonly uuid: string;
  /** The mapping that it was built with, as the embedded engine has it. */
  readonly mappings: Readonly<Record<string, unknown>>;
  readonly custom: OwnedCustom;
  readonly scores: ScoreMode;
  /** Every change up to here is searchable. */
  readonly position: number;
  /** Whether it is as the schema and the configuration have it. */
  readonly isCurrent: boolean;
}

/** What the cluster says. */
export interface Look {
  /** By name, the positions of the generations that aliases name, of whatever database. */
  readonly positions: ReadonlyMap<string, GenerationPosition>;
  /** The generation that the alias of an index names. */
  readonly named: ReadonlyMap<string, string>;
  /** Largest epoch of a writer. */
  readonly epoch: number;
}

export interface ServedIndexesParts {
  readonly generations: Generations;
  readonly feed: Pick<Feed, 'head'>;
  readonly wanted: readonly SchemaIndex[];
  readonly layout: ClusterLayout;
  /** Milliseconds that an index which nobody writes is searched after the first change that it lacks. */
  readonly longestBehind: number;
}

/** Stored with an index when it is created. */
interface ClusterMeta extends OwnedCustom {
  readonly mappings: Readonly<Record<string, unknown>>;
  readonly scores: ScoreMode;
  readonly shards: number;
}

/** Milliseconds for which an index is taken to be the one that was read. */
const KNOWN = 60_000;

export class ServedIndexes {
  readonly #parts: ServedIndexesParts;
  readonly #served = new Map<string, ServedIndex>();
  /** By generation: what was stored with it changes only where somebody restores another state of it. */
  readonly #known = new Map<string, GenerationInfo>();
  /** By generation that nobody writes: when it first lacked a change, by the monotonic clock. */
  readonly #behindSince = new Map<string, number>();
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

  /** Position up to which every index is searchable; undefined if one is missing. */
  get position(): number | undefined {
    const positions = this.#parts.wanted.map(({ name }) => this.#served.get(name)?.position);
    return positions.includes(undefined) ? undefined : Math.min(...(positions as number[]));
  }

  /** Equal for servers that search the same generations. */
  get fingerprint(): string {
    const { layout, wanted } = this.#parts;
    const indexes = wanted.map((index) => [index.name, ownedCustom(index)]);
    return createHash('sha256')
      .update(JSON.stringify([layout.scores, layout.shards, indexes]))
      .digest('base64url');
  }

  set(name: string, served: ServedIndex): void {
    this.#served.set(name, served);
  }

  /** Notes that the generation of an index has come to a position. */
  reach(name: string, generation: string, position: number): void {
    const served = this.#served.get(name);
    if (served?.generation === generation) this.#served.set(name, { ...served, position });
  }

  /** The definition of an index on the cluster. */
  definition(wanted: SchemaIndex): Readonly<Record<string, unknown>> {
    const { layout } = this.#parts;
    const { mappings, settings } = clusterIndex({ mappings: wanted.mappings }, layout.scores, layout);
    const meta: ClusterMeta = {
      ...ownedCustom(wanted),
      mappings: wanted.mappings,
      scores: layout.scores,
      shards: layout.shards,
    };
    return {
      // As in the embedded engine, a value that does not fit its field is left out, and not the document.
      settings: { ...(settings as object), mapping: { ignore_malformed: true } },
      mappings: { ...(mappings as object), _meta: meta },
    };
  }

  /** Reads what the cluster has. @param afresh reads also what was read before */
  async look(afresh = false): Promise<Look> {
    const { feed, generations, wanted } = this.#parts;
    const { current: named, epoch } = await generations.look(wanted.map(({ name }) => name));
    if (afresh || performance.now() - this.#knownSince > KNOWN) {
      this.#known.clear();
      this.#knownSince = performance.now();
    }
    const noted = await generations.positions([...new Set(named.values())]);
    // Read after the positions: those of this database are not greater.
    const head = await feed.head();
    const positions = new Map<string, GenerationPosition>();
    for (const index of wanted) {
      const generation = named.get(index.name);
      const info = generation === undefined ? undefined : await this.#describe(generation);
      const position = generation === undefined ? undefined : noted.get(generation);
      if (position !== undefined) positions.set(index.name, position);
      const found = generation && info && this.#accept(index, generation, info, position, head);
      const kept = generation && !(found && found.isCurrent) ? await this.#findKept(index, head) : undefined;
      const served = kept ?? found;
      if (served) this.#served.set(index.name, served);
      else this.#served.delete(index.name);
    }
    return { positions, named, epoch };
  }

  /**
   * While another schema leads: the generation of this schema that is kept for its servers, or else the one that was searched. It stands still.
   */
  async #findKept(wanted: SchemaIndex, head: number): Promise<ServedIndex | undefined> {
    const { generations } = this.#parts;
    const names = await generations.unused(wanted.name);
    const noted = await generations.positions(names);
    const before = this.#served.get(wanted.name)?.generation;
    let kept: ServedIndex | undefined;
    for (const name of names) {
      const info = await this.#describe(name);
      const found = info && this.#accept(wanted, name, info, noted.get(name), head);
      if (found === undefined || (!found.isCurrent && name !== before)) continue;
      const isBetter = found.isCurrent === kept?.isCurrent ? found.position > kept.position : found.isCurrent;
      if (kept === undefined || isBetter) kept = found;
    }
    if (kept === undefined || this.#isTooOld(kept, head)) return undefined;
    return { ...kept, isCurrent: false };
  }

  /** Whether a generation that nobody writes has lacked a change for too long: what was deleted or hidden since is still found in it. */
  #isTooOld({ generation, position }: ServedIndex, head: number): boolean {
    const now = performance.now();
    if (position >= head) {
      this.#behindSince.delete(generation);
      return false;
    }
    const since = this.#behindSince.get(generation) ?? now;
    this.#behindSince.set(generation, since);
    return now - since > this.#parts.longestBehind;
  }

  async #describe(generation: string): Promise<GenerationInfo | undefined> {
    const known = this.#known.get(generation) ?? (await this.#parts.generations.describe(generation));
    if (known !== undefined) this.#known.set(generation, known);
    return known;
  }

  #accept(
    wanted: SchemaIndex,
    generation: string,
    { meta: stored, uuid }: GenerationInfo,
    at: GenerationPosition | undefined,
    head: number,
  ): ServedIndex | undefined {
    const meta = stored as Partial<ClusterMeta>;
    const { database } = this;
    // What somebody restored, created again, or built from another database.
    if (at === undefined || at.uuid !== uuid || at.position > head) return undefined;
    if (database !== undefined && at.database !== database) return undefined;
    const { lockstitch, mappings, typeName } = meta;
    if (!mayServeMeanwhile(meta, wanted) || !mappings || !lockstitch || !typeName || !meta.scores) return undefined;
    const { scores, shards } = this.#parts.layout;
    return {
      generation,
      uuid,
      mappings,
      custom: { lockstitch, typeName },
      scores: meta.scores,
      position: at.position,
      isCurrent: matches(meta, wanted) && meta.scores === scores && meta.shards === shards,
    };
  }
}
