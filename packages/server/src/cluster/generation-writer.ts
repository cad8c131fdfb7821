// Creates and publishes generations of the indexes that a server leads, and notes how far they are. Nothing of it is done once another
// server may lead.
import type { Feed } from '@lockstitch/graph';
import { Mutex } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { ownedCustom } from '../sync/schema-index.ts';
import type { BulkOptions } from './cluster-bulk.ts';
import type { ClusterClient } from './cluster-client.ts';
import { ClusterTarget, type ClusterTargetParts } from './cluster-target.ts';
import { FormerTarget } from './former-target.ts';
import type { Generations } from './generations.ts';
import { type ClusterLayout, generationBody } from './index-definition.ts';
import type { LedIndex } from './led-index.ts';
import type { ServedIndex, ServedIndexes } from './served-indexes.ts';

export interface GenerationWriterParts {
  readonly client: ClusterClient;
  readonly feed: Pick<Feed, 'head'>;
  readonly generations: Generations;
  readonly served: ServedIndexes;
  readonly layout: ClusterLayout;
  /** Identity of the database. */
  readonly database: string;
  /** Whether this server is sure to lead an index. */
  readonly leads: (led: LedIndex) => boolean;
  readonly bulk: BulkOptions;
}

export class GenerationWriter {
  readonly #parts: GenerationWriterParts;
  /** Identities on the cluster of the generations that are written. */
  readonly #uuids = new Map<ClusterTarget, string>();
  /** A position that is noted late would be refused as that of another server. */
  readonly #noting = new Mutex();

  constructor(parts: GenerationWriterParts) {
    this.#parts = parts;
  }

  /** @throws ProductError SERVER_CLUSTER_FENCED */
  mustLead(led: LedIndex): void {
    if (!this.#parts.leads(led)) throw serverErrors.create('SERVER_CLUSTER_FENCED', { alias: 'its term is over' });
  }

  /** A generation as a target of the feed, from a position on. */
  target(
    led: LedIndex,
    { custom, generation, uuid }: Pick<ServedIndex, 'custom' | 'generation' | 'uuid'>,
    position: number,
  ): ClusterTarget {
    const { bulk, client, feed, generations } = this.#parts;
    const alias = generations.writeAlias(generation, led.epoch);
    const mustLead = (): void => this.mustLead(led);
    const { name } = led.index;
    const parts: ClusterTargetParts = { client, feed, name, generation, alias, position, mustLead, bulk };
    const target = led.isFormer ? new FormerTarget(parts, custom.lockstitch.paths) : new ClusterTarget(parts);
    this.#uuids.set(target, uuid);
    return target;
  }

  /** Creates a generation that no search finds yet. */
  async create(led: LedIndex): Promise<ClusterTarget> {
    const { generations, layout } = this.#parts;
    const { definition, epoch, index } = led;
    this.mustLead(led);
    const generation = await generations.create(definition, generations.newName(), generationBody(index, layout));
    try {
      await generations.lead(generation, epoch);
      const uuid = (await generations.describe(generation))?.uuid ?? '';
      return this.target(led, { custom: ownedCustom(index), generation, uuid }, 0);
    } catch (error) {
      await generations.drop(generation).catch(() => undefined);
      throw error;
    }
  }

  /** Makes a generation the one that is searched. Its position is noted. */
  async publish(led: LedIndex, target: ClusterTarget): Promise<ServedIndex> {
    const { generations, layout } = this.#parts;
    const { definition, epoch, index } = led;
    const { generation, position } = target;
    this.mustLead(led);
    await generations.publish(definition, generation, epoch);
    const uuid = this.#uuids.get(target) ?? '';
    const { mappings } = index;
    const { scores } = layout;
    return { definition, generation, uuid, mappings, custom: ownedCustom(index), scores, position, isCurrent: true };
  }

  /** Notes that everything up to a position is searchable. @param mark tells the change there from one of another history */
  note({ epoch, isFormer }: LedIndex, target: ClusterTarget, position: number, mark?: string): Promise<void> {
    return this.#noting.run(async () => {
      if (position < target.noted) return;
      const { database, generations, served } = this.#parts;
      const uuid = this.#uuids.get(target) ?? '';
      await generations.control.setPosition(target.generation, {
        position,
        epoch,
        database,
        uuid,
        mark,
        ...(isFormer && { isAdapted: true }),
      });
      target.noted = position;
      served.reach(target.name, target.generation, position);
    });
  }

  /** Names of the generations of an index that are written or built. */
  generationsOf({ index }: LedIndex): ReadonlySet<string> {
    const own = [...this.#uuids.keys()].filter(({ name }) => name === index.name);
    return new Set(own.map(({ generation }) => generation));
  }

  /** Notes that a generation is not written any more. */
  forget(target: ClusterTarget): void {
    this.#uuids.delete(target);
  }

  /** Drops a generation that was not published. */
  discard({ definition }: LedIndex, target: ClusterTarget): Promise<void> {
    this.forget(target);
    return this.#parts.generations.discard(definition, target.generation);
  }
}
