// Generations of the definitions of indexes on a cluster: physical indexes, of which an alias for each definition names the one that is
// searched. Only one server writes: each term of leadership (epoch) has an alias of its own to write through, and the next term takes it away. The position of the feed is kept
// in the cluster beside the documents, with the identity of the index: one that somebody restored has another one.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { membersIn, toText } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { type ClusterClient, readJson, refusal } from './cluster-client.ts';

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

/** An index as it lies on the cluster. */
export interface GenerationInfo {
  readonly uuid: string;
  /** What was stored with it when it was created. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Epochs and positions have a place each in a version: an older epoch never overwrites a newer one. */
const EPOCH_SHIFT = 44n;
/** Times that a change of aliases is asked for until every node knows of it, and milliseconds between two. */
const LOOKS = 5;
const LOOK_PAUSE = 200;
/** Id of the document that says who writes under the prefix; names of generations have a hyphen. */
const CLAIM = 'claim';
/** Milliseconds that a claim may take to be written: it is renewed more often than that, and a server that ends waits for it. */
const CLAIMING = 3000;
/** With a status of 500, on all engines. */
const TWO_HOLDERS = 'illegal_state_exception';

export class Generations {
  readonly #client: ClusterClient;
  readonly #prefix: string;

  /** @param prefix of the names of all indexes and aliases */
  constructor(client: ClusterClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  /** The alias that names the generation to search. */
  searchAlias(definition: string): string {
    return `${this.#prefix}-${definition}`;
  }

  /** No index can have such a name: a write through an alias that is gone creates none, where the cluster creates indexes by itself. */
  writeAlias(generation: string, epoch: number): string {
    return `${generation}-W${epoch}`;
  }

  /**
   * Creates an index that no search finds yet.
   *
   * @param body settings and mappings
   * @returns its name
   * @throws ProductError SERVER_CLUSTER_SHAPED where a template of the cluster has changed it
   */
  async create(definition: string, name: string, body: Readonly<Record<string, unknown>>): Promise<string> {
    const generation = `${this.searchAlias(definition)}-${name}`;
    try {
      await this.#make(generation, body);
    } catch (error) {
      // It may be there although the answer says no.
      await this.drop(generation).catch(() => undefined);
      throw error;
    }
    return generation;
  }

  async #make(generation: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const request = { method: 'PUT', path: `/${generation}`, body, isRepeatable: false } as const;
    const { acknowledged } = await this.#client.json(request);
    if (acknowledged !== true) throw serverErrors.create('SERVER_CLUSTER_BEHIND', { generation });
    const made = await this.#client.json({ method: 'GET', path: `/${generation}`, isRepeatable: true });
    const { mappings, settings } = (made[generation] ?? {}) as Made;
    const wanted = body as Made;
    const extra = Object.keys(mappings?.properties ?? {}).find(
      (field) => !(field in (wanted.mappings?.properties ?? {})),
    );
    const changed = extra === undefined ? changedSetting(settings?.index ?? {}) : `the field ${extra}`;
    if (changed !== undefined) throw serverErrors.create('SERVER_CLUSTER_SHAPED', { generation, what: changed });
  }

  /**
   * Takes the right to write away from earlier epochs. What is there is read again after each change: another server may do the same.
   *
   * @throws ProductError SERVER_CLUSTER_FENCED where a later one has it, SERVER_CLUSTER_BEHIND
   */
  async lead(generation: string, epoch: number): Promise<void> {
    const own = this.writeAlias(generation, epoch);
    for (;;) {
      const aliases = await this.#writeAliases(generation);
      const former = aliases.filter((alias) => alias !== own);
      const isOwn = aliases.length > former.length;
      if (aliases.some((alias) => this.#epochOf(generation, alias) > epoch)) {
        if (isOwn) await this.#removeAlias(generation, own);
        throw serverErrors.create('SERVER_CLUSTER_FENCED', { alias: own });
      }
      if (isOwn && former.length === 0) return;
      const outcome = await this.#change([
        ...former.map((alias) => ({ remove: { index: generation, alias } })),
        { add: { index: generation, alias: own } },
      ]);
      // A node that does not know of it still writes through the former alias.
      if (outcome !== 'known') throw serverErrors.create('SERVER_CLUSTER_BEHIND', { generation });
    }
  }

  /**
   * Makes a generation the one that is searched, in one step. It gets the alias as the index to write to, of which an alias has one: so the
   * cluster refuses the step where another leader has published something that was not read here.
   *
   * @param epoch of the server, which leads the generation
   * @throws ProductError SERVER_CLUSTER_FENCED where it does not lead any more, SERVER_CLUSTER_BEHIND
   */
  async publish(definition: string, generation: string, epoch: number): Promise<void> {
    const alias = this.searchAlias(definition);
    await this.#mustLead(generation, epoch);
    const others = async (): Promise<readonly string[]> =>
      (await this.#indexesOf(alias)).filter((name) => name !== generation);
    let left = await others();
    for (let look = 0; look < LOOKS; look++) {
      if (look > 0) await pause(LOOK_PAUSE);
      const outcome = await this.#change([
        ...left.map((name) => ({ remove: { index: name, alias } })),
        { add: { index: generation, alias, is_write_index: true } },
      ]);
      try {
        await this.#mustLead(generation, epoch);
      } catch (error) {
        // What the next leader has published meanwhile stays alone; without anything else, searches keep what they have.
        if ((await this.#indexesOf(alias)).length > 1) await this.#removeAlias(generation, alias);
        throw error;
      }
      // A node that does not know of it still names the former one.
      if (outcome === 'known') return;
      left = await others();
    }
    throw serverErrors.create('SERVER_CLUSTER_BEHIND', { generation });
  }

  /** Drops a generation that was not published. One whose publication was not acknowledged may be searched. */
  async discard(definition: string, generation: string): Promise<void> {
    if (!(await this.#indexesOf(this.searchAlias(definition))).includes(generation)) await this.drop(generation);
  }

  /**
   * Takes a generation out of the searches of every server.
   *
   * @param epoch of the server; it leads the generation afterwards
   * @throws ProductError SERVER_CLUSTER_FENCED where another leads it, SERVER_CLUSTER_BEHIND
   */
  async withdraw(definition: string, generation: string, epoch: number): Promise<void> {
    await this.lead(generation, epoch);
    await this.#removeAlias(generation, this.searchAlias(definition));
    // Not put back for a leader that came meanwhile: it builds another one, where a restored alias could show what is hidden by now.
    await this.#mustLead(generation, epoch);
  }

  /** A name for a generation of this server, to be given to `create`. */
  newName(): string {
    return `g${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`;
  }

  /** Creates the index of the positions if it is missing. */
  async prepare(replicas: number): Promise<void> {
    const body = {
      settings: { number_of_shards: 1, number_of_replicas: replicas },
      mappings: { dynamic: false, properties: {} },
    };
    const request = { method: 'PUT', path: `/${this.#control}`, body, isRepeatable: true } as const;
    const { body: answer, status } = await this.#client.request(request);
    // 400: it is there. Whether the reason is another one shows when it is written to.
    if (status >= 300 && status !== 400) throw refusal(request, status, readJson(answer));
  }

  /** By definition the generation that is searched, and the largest epoch that a writer of one had. */
  async look(): Promise<{ readonly published: ReadonlyMap<string, string>; readonly epoch: number }> {
    const start = this.searchAlias('');
    // By the names of indexes: an account may have rights on these alone.
    const path = `/${start}*/_alias`;
    const found = (await this.#client.jsonOrNone({ method: 'GET', path, isRepeatable: true })) ?? {};
    const published = new Map<string, string>();
    let epoch = 0;
    for (const [generation, { aliases = {} }] of Object.entries(
      found as Readonly<Record<string, { aliases?: object }>>,
    )) {
      for (const alias of Object.keys(aliases)) {
        const own = this.#epochOf(generation, alias);
        if (Number.isNaN(own)) published.set(alias.slice(start.length), generation);
        else epoch = Math.max(epoch, own);
      }
    }
    return { published, epoch };
  }

  /** undefined: there is no such index. */
  async describe(generation: string): Promise<GenerationInfo | undefined> {
    const path = `/${generation}`;
    const found = await this.#client.jsonOrNone({ method: 'GET', path, isRepeatable: true });
    const made = found?.[generation] as (Made & { readonly mappings?: { readonly _meta?: object } }) | undefined;
    if (made === undefined) return undefined;
    // An index that is restored over a closed one keeps its UUID, and gets a history of its own.
    const { history, uuid } = made.settings?.index ?? {};
    const { uuid: own } = membersIn(history);
    const identity = typeof own === 'string' ? `${toText(uuid)}/${own}` : toText(uuid);
    return { uuid: identity, meta: { ...made.mappings?._meta } };
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

  /** Generations that no search uses, among them those that a server left when it was killed. */
  async unused(definition: string): Promise<readonly string[]> {
    const alias = this.searchAlias(definition);
    return (await this.all(definition)).flatMap(({ aliases, name }) => (aliases.includes(alias) ? [] : [name]));
  }

  /** Every generation of a definition. */
  async all(definition: string): Promise<readonly { readonly name: string; readonly aliases: readonly string[] }[]> {
    const path = `/${this.searchAlias(definition)}-g*/_alias`;
    const found = (await this.#client.jsonOrNone({ method: 'GET', path, isRepeatable: true })) ?? {};
    return Object.entries(found as Readonly<Record<string, { aliases?: object }>>)
      .filter(([name]) => this.isOurs(definition, name))
      .map(([name, { aliases = {} }]) => ({ name, aliases: Object.keys(aliases) }));
  }

  /** Whether an index has a name that `create` gave it. */
  isOurs(definition: string, name: string): boolean {
    const start = `${this.searchAlias(definition)}-`;
    return name.startsWith(start) && /^g[\da-z]{8,}-[\da-f]{8}$/.test(name.slice(start.length));
  }

  async setReplicas(generation: string, replicas: number): Promise<void> {
    const body = { index: { number_of_replicas: replicas } };
    await this.#client.json({ method: 'PUT', path: `/${generation}/_settings`, body, isRepeatable: true });
  }

  async drop(generation: string): Promise<void> {
    await this.#client.jsonOrNone({ method: 'DELETE', path: `/${generation}`, isRepeatable: true });
  }

  /** Deletes the index of the positions. */
  dropPositions(): Promise<void> {
    return this.drop(this.#control);
  }

  /** Notes a position, after everything up to it is acknowledged. @throws ProductError SERVER_CLUSTER_FENCED for an earlier epoch */
  async setPosition(generation: string, at: GenerationPosition): Promise<void> {
    const version = (BigInt(at.epoch) << EPOCH_SHIFT) | BigInt(at.position);
    const path = `/${this.#control}/_doc/${generation}?version=${version}&version_type=external_gte`;
    const request = { method: 'PUT', path, body: at, isRepeatable: true } as const;
    const { status } = await this.#client.request(request);
    if (status === 409)
      throw serverErrors.create('SERVER_CLUSTER_FENCED', { alias: this.writeAlias(generation, at.epoch) });
    if (status >= 300) throw refusal(request, status);
  }

  get #control(): string {
    // No index or alias of a type has such a name: theirs start with the prefix and a hyphen.
    return `${this.#prefix}.control`;
  }

  async #writeAliases(generation: string): Promise<readonly string[]> {
    const answer = await this.#client.json({ method: 'GET', path: `/${generation}/_alias`, isRepeatable: true });
    const { aliases = {} } = (answer[generation] ?? {}) as { readonly aliases?: object };
    return Object.keys(aliases).filter((alias) => !Number.isNaN(this.#epochOf(generation, alias)));
  }

  /** The epoch of an alias to write through; NaN for another alias. */
  #epochOf(generation: string, alias: string): number {
    const start = this.writeAlias(generation, 0).slice(0, -1);
    return alias.startsWith(start) ? Number(alias.slice(start.length)) : Number.NaN;
  }

  async #mustLead(generation: string, epoch: number): Promise<void> {
    const own = this.writeAlias(generation, epoch);
    const aliases = await this.#writeAliases(generation);
    if (!aliases.includes(own) || aliases.some((alias) => this.#epochOf(generation, alias) > epoch))
      throw serverErrors.create('SERVER_CLUSTER_FENCED', { alias: own });
  }

  /** Where it is there: another server may have removed it. */
  async #removeAlias(index: string, alias: string): Promise<void> {
    const path = `/${index}/_alias/${alias}`;
    await this.#client.jsonOrNone({ method: 'DELETE', path, isRepeatable: true });
  }

  /** The indexes that an alias names: only a status of 404 says that there is none. */
  async #indexesOf(alias: string): Promise<readonly string[]> {
    const path = `/${this.searchAlias('')}*/_alias/${alias}`;
    const found = await this.#client.jsonOrNone({ method: 'GET', path, isRepeatable: true });
    return Object.keys(found ?? {});
  }

  /** Returns `unknown` where not every node knows of it yet, and `refused` where an alias would have two indexes to write to. */
  async #change(actions: readonly object[]): Promise<'known' | 'unknown' | 'refused'> {
    const request = { method: 'POST', path: '/_aliases', body: { actions }, isRepeatable: true } as const;
    const { body, status } = await this.#client.request(request);
    const answer = readJson(body);
    if (status < 300) return answer?.['acknowledged'] === true ? 'known' : 'unknown';
    if (membersIn(answer?.['error'])['type'] === TWO_HOLDERS) return 'refused';
    throw refusal(request, status, answer);
  }
}

interface Noted {
  readonly _id: string;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
  readonly _source?: GenerationPosition | ClaimOfPrefix;
  readonly error?: Readonly<Record<string, unknown>>;
}

interface Made {
  readonly mappings?: { readonly properties?: object };
  readonly settings?: { readonly index?: Readonly<Record<string, unknown>> };
}

/** A setting that would lose writes or run foreign code on documents. */
function changedSetting(settings: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of ['default_pipeline', 'final_pipeline', 'sort'])
    if (settings[name] !== undefined) return `the setting index.${name}`;
  const { durability } = (settings['translog'] ?? {}) as { readonly durability?: string };
  return durability?.toLowerCase() === 'async' ? 'the setting index.translog.durability' : undefined;
}
