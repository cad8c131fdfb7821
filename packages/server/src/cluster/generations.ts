// Generations of an index on a cluster: physical indexes of which an alias names the one that is searched. Only one server writes: each
// term of leadership (epoch) has an alias of its own to write through, and the next term takes it away. The position of the feed is kept
// in the cluster beside the documents, so that both age together when somebody restores a snapshot.
import { serverErrors } from '../errors.ts';
import type { ClusterClient } from './cluster-client.ts';

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

  /** Takes the right to write away from earlier epochs. @throws ProductError SERVER_CLUSTER_FENCED where a later one has it */
  async lead(generation: string, epoch: number): Promise<void> {
    const start = this.writeAlias(generation, 0).slice(0, -1);
    const aliases = (await this.#aliasesOf(generation)).filter((alias) => alias.startsWith(start));
    if (aliases.some((alias) => Number(alias.slice(start.length)) > epoch))
      throw serverErrors.create('SERVER_CLUSTER_FENCED', { alias: this.writeAlias(generation, epoch) });
    const own = this.writeAlias(generation, epoch);
    await this.#change([
      ...aliases.filter((alias) => alias !== own).map((alias) => ({ remove: { index: generation, alias } })),
      { add: { index: generation, alias: own } },
    ]);
  }

  /** Makes a generation the one that is searched, in one step. @returns those that were */
  async publish(index: string, generation: string): Promise<readonly string[]> {
    const alias = this.searchAlias(index);
    const former = (await this.#indexesOf(alias)).filter((name) => name !== generation);
    await this.#change([
      ...former.map((name) => ({ remove: { index: name, alias } })),
      { add: { index: generation, alias } },
    ]);
    return former;
  }

  /** The generation that is searched. */
  async current(index: string): Promise<string | undefined> {
    return (await this.#indexesOf(this.searchAlias(index)))[0];
  }

  async drop(generation: string): Promise<void> {
    await this.#client.request({ method: 'DELETE', path: `/${generation}`, isRepeatable: true });
  }

  /** Notes a position, after everything up to it is acknowledged. @throws ProductError SERVER_CLUSTER_FENCED for an earlier epoch */
  async setPosition(generation: string, at: GenerationPosition): Promise<void> {
    const version = (BigInt(at.epoch) << EPOCH_SHIFT) | BigInt(at.position);
    const path = `/${this.#control}/_doc/${generation}?version=${version}&version_type=external_gte`;
    const { status } = await this.#client.request({ method: 'PUT', path, body: at, isRepeatable: true });
    if (status === 409)
      throw serverErrors.create('SERVER_CLUSTER_FENCED', { alias: this.writeAlias(generation, at.epoch) });
    if (status >= 300)
      throw serverErrors.create('SERVER_CLUSTER_REFUSED', { method: 'PUT', path, status, type: 'no reason' });
  }

  async position(generation: string): Promise<GenerationPosition | undefined> {
    const path = `/${this.#control}/_doc/${generation}`;
    const { body, status } = await this.#client.request({ method: 'GET', path, isRepeatable: true });
    if (status === 404) return undefined;
    return (JSON.parse(body.toString()) as { readonly _source: GenerationPosition })._source;
  }

  get #control(): string {
    return `${this.#prefix}-control`;
  }

  async #aliasesOf(generation: string): Promise<readonly string[]> {
    const answer = await this.#client.json({ method: 'GET', path: `/${generation}/_alias`, isRepeatable: true });
    return Object.keys((answer[generation] as { readonly aliases?: object } | undefined)?.aliases ?? {});
  }

  async #indexesOf(alias: string): Promise<readonly string[]> {
    const { body, status } = await this.#client.request({
      method: 'GET',
      path: `/_alias/${alias}`,
      isRepeatable: true,
    });
    return status === 200 ? Object.keys(JSON.parse(body.toString()) as object) : [];
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
