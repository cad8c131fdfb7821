// What `lockstitch index status` and `/metrics` say of indexes on a cluster.
import type { Graph } from '@lockstitch/graph';

import type { SchemaIndex } from '../sync/schema-index.ts';
import { findHead, type IndexStatus, readLag, type SyncStatus } from '../sync/sync-status.ts';
import { LATE, within } from '../within.ts';
import { type ClusterClient, SILENCE } from './cluster-client.ts';
import type { ClusterTerm } from './cluster-term.ts';
import { type ClusterLayout, definitionName } from './index-definition.ts';
import type { ServedIndexes } from './served-indexes.ts';

export interface ClusterStatusParts {
  readonly graph: Pick<Graph, 'feed' | 'sequencer'>;
  readonly client: ClusterClient;
  readonly served: ServedIndexes;
  readonly wanted: readonly SchemaIndex[];
  readonly layout: ClusterLayout;
}

/** How far a server is. */
export interface ClusterProgress {
  /** Those that have not ended. */
  readonly terms: readonly ClusterTerm[];
  /** Position up to which everything is searchable. */
  readonly position: number;
  /** Whether the server follows the cluster: before the start only what is there is known. */
  readonly isRunning: boolean;
  readonly trouble: string | undefined;
}

/** Milliseconds that sizes may take to be read. */
const SIZES_WAIT = 500;
const SILENT = 'The search cluster does not answer.';

/** Why one of the terms does not go on. */
export function troubleOf(terms: readonly ClusterTerm[]): string | undefined {
  return terms.find(({ trouble }) => trouble !== undefined)?.trouble;
}

type Sizes = ReadonlyMap<string, Pick<IndexStatus, 'bytes' | 'documents'>>;

export class ClusterStatus {
  readonly #parts: ClusterStatusParts;
  /** As they were read last. */
  #sizes: Sizes = new Map();

  constructor(parts: ClusterStatusParts) {
    this.#parts = parts;
  }

  async read({ isRunning, position, terms, trouble }: ClusterProgress): Promise<SyncStatus> {
    const { client, graph, layout, wanted } = this.#parts;
    const sizes = await within(this.#readSizes(), SIZES_WAIT).catch((): undefined => undefined);
    if (sizes !== LATE && sizes !== undefined) this.#sizes = sizes;
    const isAway = sizes === undefined || client.silence > SILENCE;
    const applied = Math.max(position, ...terms.map((term) => term.applied));
    const head = await findHead(graph.feed, { applied, position });
    const lag = await readLag({ ...graph, hasIndexes: wanted.length > 0 }, head, position);
    return {
      indexes: wanted.map((index) => {
        const { bytes = 0, documents = 0 } = this.#sizes.get(index.name) ?? {};
        const own = terms.find(({ led }) => led.some((each) => each.index === index && !each.isFormer));
        const state = isAway ? 'missing' : this.#stateOf(index, isRunning, own?.isRebuilding(index) === true);
        const building = own?.buildProgress(index);
        const leadership = { definition: definitionName(index, layout), leads: own !== undefined };
        return { name: index.name, type: index.type, documents, bytes, state, building, leadership };
      }),
      position,
      committed: terms.length === 0 ? position : Math.min(...terms.map((term) => term.committed)),
      ...lag,
      trouble: trouble ?? troubleOf(terms) ?? lag.trouble ?? (isAway ? SILENT : undefined),
    };
  }

  #stateOf({ name }: SchemaIndex, isRunning: boolean, isRebuilding: boolean): IndexStatus['state'] {
    const { served } = this.#parts;
    const found = served.get(name);
    // In a server that runs, one that nobody goes on with is not searched.
    if (found === undefined) return !isRunning && served.formerOf(name) !== undefined ? 'outdated' : 'missing';
    if (!found.isCurrent) return 'stale';
    return isRebuilding ? 'rebuilding' : 'current';
  }

  /** By index. */
  async #readSizes(): Promise<Sizes> {
    const { client, served, wanted } = this.#parts;
    const generations = wanted.flatMap(({ name }) => {
      const found = served.get(name) ?? served.formerOf(name);
      return found === undefined ? [] : ([[name, found.generation]] as const);
    });
    if (generations.length === 0) return new Map();
    const path = `/${generations.map(([, generation]) => generation).join(',')}/_stats/docs,store`;
    const { indices = {} } = (await client.json({ method: 'GET', path, isRepeatable: true })) as Stats;
    return new Map(
      generations.map(([name, generation]) => {
        const { primaries } = indices[generation] ?? {};
        return [name, { documents: primaries?.docs?.count ?? 0, bytes: primaries?.store?.size_in_bytes ?? 0 }];
      }),
    );
  }
}

interface Stats {
  readonly indices?: Readonly<
    Record<
      string,
      {
        readonly primaries?: {
          readonly docs?: { readonly count?: number };
          readonly store?: { readonly size_in_bytes?: number };
        };
      }
    >
  >;
}
