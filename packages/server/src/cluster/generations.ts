// Generations of the definitions of indexes on a cluster: physical indexes, of which an alias for each definition names the one that is
// searched. Only one server writes: each term of leadership (epoch) has an alias of its own to write through, and the next term takes it away.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { membersIn, toText } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { readJson, refusal } from './cluster-answer.ts';
import type { ClusterClient } from './cluster-client.ts';
import { ControlIndex, writeAlias } from './control-index.ts';

/** An index as it lies on the cluster. */
export interface GenerationInfo {
  readonly uuid: string;
  /** What was stored with it when it was created. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Times that a change of aliases is asked for until every node knows of it, and milliseconds between two. */
const LOOKS = 5;
const LOOK_PAUSE = 200;
/** Of a publication, with a status of 500 on all engines: the alias would have two indexes to write to. */
const TWO_HOLDERS = 'illegal_state_exception';

export class Generations {
  /** What is kept beside them. */
  readonly control: ControlIndex;
  readonly #client: ClusterClient;
  readonly #prefix: string;

  /** @param prefix of the names of all indexes and aliases */
  constructor(client: ClusterClient, prefix: string) {
    this.control = new ControlIndex(client, prefix);
    this.#client = client;
    this.#prefix = prefix;
  }

  /** The alias that names the generation to search. */
  searchAlias(definition: string): string {
    return `${this.#prefix}-${definition}`;
  }

  /** The alias that the term of an epoch writes through. */
  writeAlias(generation: string, epoch: number): string {
    return writeAlias(generation, epoch);
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
      const actions = [
        ...left.map((name) => ({ remove: { index: name, alias } })),
        { add: { index: generation, alias, is_write_index: true } },
      ];
      const outcome = await this.#change(actions, TWO_HOLDERS);
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

  /**
   * @param refused type of the error that is no failure
   * @returns `unknown` where not every node knows of it yet
   */
  async #change(actions: readonly object[], refused?: string): Promise<'known' | 'unknown' | 'refused'> {
    const request = { method: 'POST', path: '/_aliases', body: { actions }, isRepeatable: true } as const;
    const { body, status } = await this.#client.request(request);
    const answer = readJson(body);
    if (status < 300) return answer?.['acknowledged'] === true ? 'known' : 'unknown';
    if (refused !== undefined && membersIn(answer?.['error'])['type'] === refused) return 'refused';
    throw refusal(request, status, answer);
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
