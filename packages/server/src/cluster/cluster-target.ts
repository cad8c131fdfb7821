// A generation of an index on a cluster as a target of the feed. Documents are written with the head of the feed before their rows were
// read as their version, through the alias of one term of leadership.
import type { Feed } from '@lockstitch/graph';
import { hasMembers } from '@lockstitch/kernel';
import { type Operation, parseExactly } from '@lockstitch/search';
import { KEY_FIELD, keyMembers } from '@lockstitch/search/cluster';

import { serverErrors } from '../errors.ts';
import type { HeldDocuments, IndexTarget } from '../sync/index-target.ts';
import type { RejectedDocument } from '../sync/write-documents.ts';
import { type BulkOptions, clusterId, writeBulk } from './cluster-bulk.ts';
import { refusal } from './cluster-answer.ts';
import type { ClusterClient } from './cluster-client.ts';

export interface ClusterTargetParts {
  readonly client: ClusterClient;
  readonly feed: Pick<Feed, 'head'>;
  /** Public name of the index. */
  readonly name: string;
  readonly generation: string;
  /** The alias that only the present writer may use. */
  readonly alias: string;
  readonly position: number;
  /** @throws ProductError SERVER_CLUSTER_FENCED once another server may lead */
  readonly mustLead: () => void;
  readonly bulk: BulkOptions;
}

/** `npm run bench -- build`: two to four are equally fast on a node with two cores, and a fifth faster than one. */
const WRITES_AT_ONCE = 3;
/** Milliseconds for which the cluster keeps a list of keys between two pages. */
const KEPT = '5m';

export class ClusterTarget implements IndexTarget {
  readonly writesAtOnce = WRITES_AT_ONCE;
  readonly name: string;
  readonly generation: string;
  position: number;
  /** Position that was noted in the cluster. */
  noted = 0;
  /** Writes that were too late: something newer is there. */
  superseded = 0;
  readonly #parts: ClusterTargetParts;
  /** Number of writes, and how many of them searches find. */
  #writes = 1;
  #searchable = 0;
  #refreshing: Promise<void> | undefined;

  constructor(parts: ClusterTargetParts) {
    this.name = parts.name;
    this.generation = parts.generation;
    this.position = parts.position;
    this.#parts = parts;
  }

  version(): Promise<number> {
    return this.#parts.feed.head();
  }

  async write(operations: readonly Operation[], version: number): Promise<readonly RejectedDocument[]> {
    if (operations.length === 0) return [];
    const { alias, bulk, client, mustLead } = this.#parts;
    mustLead();
    const writes = operations.map((operation) => ({
      key: operation.id,
      version,
      source: operation.kind === 'index' ? operation.source : undefined,
    }));
    // Also where it fails: a part of it may be written.
    const { rejected, superseded } = await writeBulk(client, alias, writes, bulk).finally(() => this.#writes++);
    this.superseded += superseded;
    return rejected.map(({ key, type }) => ({ key, error: serverErrors.create('SERVER_CLUSTER_DOCUMENT', { type }) }));
  }

  reach(position: number): Promise<void> {
    this.position = position;
    return Promise.resolve();
  }

  /** What the cluster acknowledged is durable. */
  commit(): Promise<void> {
    return Promise.resolve();
  }

  /** Makes what was written searchable on every copy. @throws ProductError SERVER_CLUSTER_REFUSED if a shard fails */
  async refresh(): Promise<void> {
    const wanted = this.#writes;
    // One that runs may have begun before the latest write.
    while (this.#searchable < wanted)
      await (this.#refreshing ??= this.#refreshOnce().finally(() => (this.#refreshing = undefined)));
  }

  async #refreshOnce(): Promise<void> {
    const writes = this.#writes;
    const request = { method: 'POST', path: `/${this.generation}/_refresh`, isRepeatable: true } as const;
    const { _shards: shards } = await this.#parts.client.json(request);
    if (!hasMembers(shards) || shards['failed'] !== 0)
      throw refusal(request, 200, { error: { type: 'a shard that is not refreshed' } });
    this.#searchable = writes;
  }

  /** Number of documents that searches find. */
  async count(): Promise<number> {
    const request = { method: 'POST', path: `/${this.generation}/_count`, body: {}, isRepeatable: true } as const;
    const { count, _shards: shards } = await this.#parts.client.json(request);
    if (typeof count !== 'number' || !hasMembers(shards) || shards['failed'] !== 0)
      throw refusal(request, 200, { error: { type: 'a shard that is not counted' } });
    return count;
  }

  async sources(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    if (keys.length === 0) return [];
    const body = { ids: keys.map(clusterId) };
    const request = { method: 'POST', path: `/${this.generation}/_mget`, body, isRepeatable: true } as const;
    const answer = await this.#parts.client.request(request);
    const { docs } = parseExactly(answer.body.toString()) as { readonly docs?: readonly Got[] };
    if (answer.status !== 200 || docs?.length !== keys.length) throw refusal(request, answer.status);
    return docs.map(({ _source: source, error, found }, at) => {
      // A document that cannot be read now is not one that is missing.
      if (error !== undefined) throw refusal(request, answer.status, { error });
      if (found !== true || source === undefined) return undefined;
      return Buffer.from(JSON.stringify(withoutKey(source, keys[at]!)));
    });
  }

  async open(): Promise<HeldDocuments> {
    // Somebody else may have written, too.
    this.#writes++;
    await this.refresh();
    const { feed } = this.#parts;
    const head = await feed.head();
    const count = await this.count();
    let found = 0;
    const sources = async (keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> => {
      const held = await this.sources(keys);
      found += held.filter((source) => source !== undefined).length;
      return held;
    };
    const keys = (limit: number): AsyncGenerator<readonly string[]> => this.#keys(limit);
    return {
      sources,
      async *others(limit) {
        // As many as were there, and nothing has changed: there are no others.
        if (found !== count || (await feed.head()) !== head) yield* keys(limit);
      },
      release: () => undefined,
    };
  }

  comparable(source: Uint8Array): Uint8Array {
    return Buffer.from(JSON.stringify(parseExactly(Buffer.from(source).toString())));
  }

  /** All keys, in no order. */
  async *#keys(limit: number): AsyncGenerator<readonly string[]> {
    const { client } = this.#parts;
    const body = { size: limit, sort: ['_doc'], _source: false, docvalue_fields: [KEY_FIELD] };
    let scroll: unknown;
    try {
      for (;;) {
        const request =
          scroll === undefined
            ? { path: `/${this.generation}/_search?scroll=${KEPT}`, body }
            : { path: '/_search/scroll', body: { scroll: KEPT, scroll_id: scroll } };
        const asked = { method: 'POST', ...request, isRepeatable: false } as const;
        const answer = (await client.json(asked)) as unknown as Page;
        scroll = answer._scroll_id;
        if (answer.timed_out || answer._shards.failed > 0)
          throw refusal(asked, 200, { error: { type: 'a shard that is not read' } });
        const { hits } = answer.hits;
        if (hits.length === 0) return;
        yield hits.map(({ _id: id, fields }) => {
          const key = fields?.[KEY_FIELD]?.[0];
          // A document of somebody else has any key, or none.
          return key !== undefined && clusterId(key) === id ? key : id;
        });
      }
    } finally {
      if (scroll !== undefined)
        await client
          .request({ method: 'DELETE', path: '/_search/scroll', body: { scroll_id: scroll }, isRepeatable: true })
          .catch(() => undefined);
    }
  }
}

/** What a document holds besides the members that say its key; all of it where they do not. */
function withoutKey(source: Readonly<Record<string, unknown>>, key: string): object {
  const own = JSON.parse(`{${keyMembers(key)}}`) as Readonly<Record<string, unknown>>;
  if (Object.keys(own).some((name) => source[name] !== own[name])) return source;
  return Object.fromEntries(Object.entries(source).filter(([name]) => !Object.hasOwn(own, name)));
}

interface Got {
  readonly found?: boolean;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly _source?: Readonly<Record<string, unknown>>;
}

interface Page {
  readonly _scroll_id: string;
  readonly timed_out: boolean;
  readonly _shards: { readonly failed: number };
  readonly hits: {
    readonly hits: readonly {
      readonly _id: string;
      readonly fields?: Readonly<Record<string, readonly string[] | undefined>>;
    }[];
  };
}
