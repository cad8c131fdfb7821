// Elasticsearch's REST API over indexes that lie on a search cluster, under the views of callers. It is the API of the embedded engine over
// indices with the same definitions and no documents; what needs documents asks the cluster.
import { type Log, reasonOf, silentLog } from '@lockstitch/kernel';
import { createEngine } from '../create-engine.ts';
import type { Engine } from '../engine/engine-api.ts';
import { searchError } from '../errors/search-errors.ts';
import { createRestApiWith } from '../rest/create-rest-api.ts';
import type { Call, RestRequest, RestResponse } from '../rest/request/request.ts';
import { routesOf } from '../rest/request/route.ts';
import type { IndexDefinition } from '../settings/index-definition.ts';
import { engineUnder } from '../view/viewed-engine.ts';
import type { ClusterApiParts } from './cluster-parts.ts';
import { ClusterBackend } from './cluster-backend.ts';
import { clusterEndpoints, type NamedDocument } from './offered-endpoints.ts';

export interface ClusterApi {
  /** Answers a request; never throws. */
  handle(request: RestRequest): Promise<RestResponse>;
  /** Closes open scrolls and points in time. */
  close(): Promise<void>;
}

/** Creates the API. Each request says what its caller sees, as for `createRestApi`. */
export async function createClusterApi(parts: ClusterApiParts): Promise<ClusterApi> {
  const { clock, engine: name, log = silentLog, maxSearchTime } = parts;
  const engine = await createEngine({ log });
  const definitions = new Definitions(engine, parts, log);
  const backend = new ClusterBackend(parts, (index) => definitions.check(index));
  const fetch = async (call: Call, named: readonly NamedDocument[]): Promise<Engine> => {
    const found = await backend.fetch(call, named);
    return engineUnder(found, call.request.view ?? (() => ({})));
  };
  const rest = createRestApiWith(
    engine,
    { log, ...(clock === undefined ? {} : { clock }), ...(maxSearchTime === undefined ? {} : { maxSearchTime }) },
    { routes: routesOf(clusterEndpoints(name, fetch)), backend },
  );
  return {
    async handle(request) {
      await definitions.follow();
      // Under a view ties come by key, and versions do not count the writes of others.
      return await rest.handle({ ...request, view: (index) => request.view?.(index) ?? {} });
    },
    async close() {
      rest.close();
      await engine.close();
    },
  };
}

/** Keeps indices without documents in step with the indexes of the schema. */
class Definitions {
  readonly #engine: Engine;
  readonly #parts: ClusterApiParts;
  readonly #log: Log;
  readonly #known = new Map<string, IndexDefinition>();
  /** Definitions of which no index could be made: one without fields stands for each, so that no search leaves it out. */
  readonly #broken = new Map<string, IndexDefinition>();
  #following: Promise<void> = Promise.resolve();

  constructor(engine: Engine, parts: ClusterApiParts, log: Log) {
    this.#engine = engine;
    this.#parts = parts;
    this.#log = log;
  }

  follow(): Promise<void> {
    const wanted = this.#parts.indexes();
    const isCurrent =
      wanted.length === this.#known.size &&
      wanted.every(({ definition, name }) => this.#known.get(name) === definition);
    if (!isCurrent) this.#following = this.#following.catch(() => undefined).then(() => this.#change());
    return this.#following;
  }

  /** @throws ProductError SEARCH_CLUSTER_FAILED for an index whose definition is broken */
  check(name: string): void {
    if (this.#broken.has(name)) throw searchError('SEARCH_CLUSTER_FAILED', { reason: `[${name}] cannot be opened` });
  }

  async #change(): Promise<void> {
    const wanted = new Map(this.#parts.indexes().map(({ definition, name }) => [name, definition]));
    for (const name of [...this.#known.keys(), ...this.#broken.keys()]) {
      if (wanted.has(name)) continue;
      this.#known.delete(name);
      this.#broken.delete(name);
      if (this.#engine.has(name)) await this.#engine.deleteIndex(name);
    }
    for (const [name, definition] of wanted) {
      if (this.#known.get(name) !== definition) await this.#make(name, definition);
    }
  }

  /** Makes an index; one that cannot be made leaves the others as they are, and is tried again at the next request. */
  async #make(name: string, definition: IndexDefinition): Promise<void> {
    try {
      await this.#put(name, definition);
      this.#broken.delete(name);
      this.#known.set(name, definition);
    } catch (error) {
      const isTold = this.#broken.get(name) === definition;
      this.#broken.set(name, definition);
      if (!isTold)
        this.#log.write('error', 'An index on the search cluster cannot be opened', {
          index: name,
          error: reasonOf(error),
        });
      if (this.#known.delete(name) || !this.#engine.has(name)) await this.#put(name, { mappings: {} });
    }
  }

  /** Replaces the index in one step, as other requests run meanwhile: none may find it missing. */
  async #put(name: string, definition: IndexDefinition): Promise<void> {
    const settings = { ...definition.settings, refreshInterval: -1 };
    await this.#engine.replaceIndex(await this.#engine.createShadow(name, { ...definition, settings }));
  }
}
