// The index on a cluster that says how far each generation has come, and who writes under the prefix. The position of the feed is kept
// beside the documents, with the identity of their index: one that somebody restored has another one.
import { serverErrors } from '../errors.ts';
import { readJson, refusal } from './cluster-answer.ts';
import type { ClusterClient } from './cluster-client.ts';

/** Where the feed was read to, for one generation. */
export interface GenerationPosition {
  readonly position: number;
  readonly epoch: number;
  /** Identity of the database: a position of another one means nothing. */
  readonly database: string;
  /** Identity of the index on the cluster: one that was restored or created again has another one. */
  readonly uuid?: string;
  /** Tells the change at the position from one of a database that went back. */
  readonly mark?: string | undefined;
  /** Some documents were written by a server of another definition. */
  readonly isAdapted?: boolean;
}

/** Who writes under the prefix. */
export interface ClaimOfPrefix {
  /** Identity of the database. */
  readonly database: string;
  /** Identity of the server. */
  readonly holder: string;
  /** Number of the renewal. */
  readonly beat: number;
}

/** A claim with its place in the history of the document. */
export interface NotedClaim extends ClaimOfPrefix {
  readonly seqNo: number;
  readonly primaryTerm: number;
}

/** Epochs and positions have a place each in a version: an older epoch never overwrites a newer one. */
const EPOCH_SHIFT = 44n;
/** Id of the document that says who writes under the prefix; names of generations have a hyphen. */
const CLAIM = 'claim';
/** Milliseconds that a claim may take to be written: it is renewed more often than that, and a server that ends waits for it. */
const CLAIMING = 3000;

/** No index can have such a name: a write through an alias that is gone creates none, where the cluster creates indexes by itself. */
export function writeAlias(generation: string, epoch: number): string {
  return `${generation}-W${epoch}`;
}

export class ControlIndex {
  readonly #client: ClusterClient;
  readonly #control: string;

  constructor(client: ClusterClient, prefix: string) {
    this.#client = client;
    // No index or alias of a type has such a name: theirs start with the prefix and a hyphen.
    this.#control = `${prefix}.control`;
  }

  /** Creates the index if it is missing. One that a write has created in the way of the cluster gets its form, too. */
  async prepare(replicas: number): Promise<void> {
    const path = `/${this.#control}`;
    const mappings = { dynamic: false, properties: {} };
    const body = { settings: { number_of_shards: 1, number_of_replicas: replicas }, mappings };
    const request = { method: 'PUT', path, body, isRepeatable: true } as const;
    const { body: answer, status } = await this.#client.request(request);
    if (status < 300) return;
    if (status !== 400) throw refusal(request, status, readJson(answer));
    // It is there. Whether the reason is another one shows here.
    await this.#client.json({ method: 'PUT', path: `${path}/_mapping`, body: mappings, isRepeatable: true });
    const settings = { index: { number_of_replicas: replicas } };
    await this.#client.json({ method: 'PUT', path: `${path}/_settings`, body: settings, isRepeatable: true });
  }

  /**
   * Positions of generations, as far as they were noted, and who writes under the prefix.
   *
   * @throws ProductError SERVER_CLUSTER_REFUSED where the cluster does not say
   */
  async noted(
    generations: readonly string[],
  ): Promise<{ readonly positions: ReadonlyMap<string, GenerationPosition>; readonly claim: NotedClaim | undefined }> {
    const request = {
      method: 'POST',
      path: `/${this.#control}/_mget`,
      body: { ids: [...generations, CLAIM] },
      isRepeatable: true,
    } as const;
    const { docs = [] } = ((await this.#client.jsonOrNone(request)) ?? {}) as { readonly docs?: readonly Noted[] };
    for (const { error } of docs)
      if (error !== undefined && error['type'] !== 'index_not_found_exception') throw refusal(request, 200, { error });
    const claim = docs.find(({ _id: id }) => id === CLAIM);
    const [seqNo, primaryTerm] = [claim?._seq_no ?? 0, claim?._primary_term ?? 0];
    return {
      positions: new Map(
        docs.flatMap(({ _id: id, _source: source }) =>
          source === undefined || id === CLAIM ? [] : [[id, source as GenerationPosition] as const],
        ),
      ),
      claim: claim?._source && { ...(claim._source as ClaimOfPrefix), seqNo, primaryTerm },
    };
  }

  /**
   * Writes who uses the prefix.
   *
   * @param over what it replaces
   * @returns undefined where something else is there
   */
  async setClaim(claim: ClaimOfPrefix, over: NotedClaim | undefined): Promise<NotedClaim | undefined> {
    const condition = over ? `if_seq_no=${over.seqNo}&if_primary_term=${over.primaryTerm}` : 'op_type=create';
    const path = `/${this.#control}/_doc/${CLAIM}?${condition}`;
    const request = { method: 'PUT', path, body: claim, isRepeatable: true, within: CLAIMING } as const;
    const { body, status } = await this.#client.request(request);
    const answer = readJson(body);
    if (status === 409) return undefined;
    if (status >= 300) throw refusal(request, status, answer);
    return { ...claim, seqNo: Number(answer?.['_seq_no']), primaryTerm: Number(answer?.['_primary_term']) };
  }

  /** Deletes the index. */
  async drop(): Promise<void> {
    await this.#client.jsonOrNone({ method: 'DELETE', path: `/${this.#control}`, isRepeatable: true });
  }

  /** Notes a position, after everything up to it is acknowledged. @throws ProductError SERVER_CLUSTER_FENCED for an earlier epoch */
  async setPosition(generation: string, at: GenerationPosition): Promise<void> {
    const version = (BigInt(at.epoch) << EPOCH_SHIFT) | BigInt(at.position);
    const path = `/${this.#control}/_doc/${generation}?version=${version}&version_type=external_gte`;
    const request = { method: 'PUT', path, body: at, isRepeatable: true } as const;
    const { status } = await this.#client.request(request);
    if (status === 409) throw serverErrors.create('SERVER_CLUSTER_FENCED', { alias: writeAlias(generation, at.epoch) });
    if (status >= 300) throw refusal(request, status);
  }
}

interface Noted {
  readonly _id: string;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
  readonly _source?: GenerationPosition | ClaimOfPrefix;
  readonly error?: Readonly<Record<string, unknown>>;
}
