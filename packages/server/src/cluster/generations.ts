// Generations of an index on a cluster: physical indexes of which an alias names the one that is searched. Only one server writes: each
// term of leadership (epoch) has an alias of its own to write through, and the next term takes it away. The position of the feed is kept
// in the cluster beside the documents, so that both age together when somebody restores a snapshot.
import { serverErrors } from '../errors.ts';
import { type ClusterClient, refusal } from './cluster-client.ts';

/** Where the feed was read to, for one generation. */
export interface GenerationPosition {
  readonly position: number;
  readonly epoch: number;
  /** Identity of the database: a position of another one means nothing. */
  readonly database: string;
}

/** Epochs and positions have a place each in a version: an older epoch never overwrites a newer one. */
const EPOCH_SHIFT = 44n;

export class Generations {
  readonly #client: ClusterClient;
  readonly #prefix: string;

  /** @param prefix of the names of all indexes and aliases */
  constructor(client: ClusterClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  /** The alias that searches use. */
  searchAlias(index: string): string {
    return `${this.#prefix}-${index}`;
  }

  /** No index can have such a name: a write through an alias that is gone creates none, where the cluster creates indexes by itself. */
  writeAlias(generation: string, epoch: number): string {
    return `${generation}-W${epoch}`;
  }

  /**
   * Creates an index that no search finds yet.
   *
   * @param definition settings and mappings
   * @returns its name
   * @throws ProductError SERVER_CLUSTER_SHAPED where a template of the cluster has changed it
   */
  async create(index: string, name: string, definition: Readonly<Record<string, unknown>>): Promise<string> {
    const generation = `${this.#prefix}-${index}-${name}`;
    await this.#client.json({ method: 'PUT', path: `/${generation}`, body: definition, isRepeatable: false });
    const made = await this.#client.json({ method: 'GET', path: `/${generation}`, isRepeatable: true });
    const { mappings, settings } = (made[generation] ?? {}) as Made;
    const wanted = definition as Made;
    const extra = Object.keys(mappings?.properties ?? {}).find(
      (field) => !(field in (wanted.mappings?.properties ?? {})),
    );
    const changed = extra === undefined ? changedSetting(settings?.index ?? {}) : `the field ${extra}`;
    if (changed === undefined) return generation;
    await this.drop(generation);
    throw serverErrors.create('SERVER_CLUSTER_SHAPED', { generation, what: changed });
  }

  /**
   * Takes the right to write away from earlier epochs. What is there is read again after each change: another server may do the same.
   *
   * @throws ProductError SERVER_CLUSTER_FENCED where a later one has it
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
      await this.#change([
        ...former.map((alias) => ({ remove: { index: generation, alias } })),
        { add: { index: generation, alias: own } },
      ]);
    }
  }

  /**
   * Makes a generation the one that is searched, in one step.
   *
   * @param epoch of the server, which leads the generation
   * @returns those that were
   * @throws ProductError SERVER_CLUSTER_FENCED where it does not lead any more
   */
  async publish(index: string, generation: string, epoch: number): Promise<readonly string[]> {
    const alias = this.searchAlias(index);
    await this.#mustLead(generation, epoch);
    const former = (await this.#indexesOf(alias)).filter((name) => name !== generation);
    await this.#change([
      ...former.map((name) => ({ remove: { index: name, alias } })),
      { add: { index: generation, alias } },
    ]);
    try {
      await this.#mustLead(generation, epoch);
    } catch (error) {
      // What the next leader has published meanwhile stays alone; without anything else, searches keep what they have.
      if ((await this.#indexesOf(alias)).length > 1) await this.#removeAlias(generation, alias);
      throw error;
    }
    return former;
  }

  /** The generation that is searched. */
  async current(index: string): Promise<string | undefined> {
    return (await this.#indexesOf(this.searchAlias(index)))[0];
  }

  async drop(generation: string): Promise<void> {
    await this.#client.jsonOrNone({ method: 'DELETE', path: `/${generation}`, isRepeatable: true });
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

  /** undefined: none was noted. @throws ProductError SERVER_CLUSTER_REFUSED where the cluster does not say */
  async position(generation: string): Promise<GenerationPosition | undefined> {
    const path = `/${this.#control}/_doc/${generation}`;
    const found = await this.#client.jsonOrNone({ method: 'GET', path, isRepeatable: true });
    return found?.['_source'] as GenerationPosition | undefined;
  }

  get #control(): string {
    return `${this.#prefix}-control`;
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
    const found = await this.#client.jsonOrNone({ method: 'GET', path: `/_alias/${alias}`, isRepeatable: true });
    return Object.keys(found ?? {});
  }

  async #change(actions: readonly object[]): Promise<void> {
    await this.#client.json({ method: 'POST', path: '/_aliases', body: { actions }, isRepeatable: true });
  }
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
