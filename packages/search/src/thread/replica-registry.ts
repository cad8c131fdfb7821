// What one search thread holds a replica of: segments, states and mappings are sent once, and dropped there when nothing here
// references them any more.
import type { IndexSearcher } from '../collect/searcher.ts';
import type { Index } from '../engine/engine-api.ts';
import type { EngineContext } from '../index/engine-context.ts';
import { type SegmentCore, storedCore } from '../index/segment-core.ts';
import { whenUnused } from '../index/segment-use.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { SearchTarget } from '../fetch/target.ts';
import { viewOfIndex, wholeIndex } from '../view/filtered-index.ts';
import type { ThreadMessage, TargetContent } from './messages.ts';

type What = Extract<ThreadMessage, { kind: 'forget' }>['what'];

let numbers = 0;
const numbered = new WeakMap<EngineContext | SegmentCore | IndexSearcher, number>();
/** The number of a mapping as it stands: another one once it has grown or the settings were changed. */
const mappings = new WeakMap<
  Mapping,
  { readonly id: number; readonly version: number; readonly definition: unknown }
>();
/** One registry per thread. */
const registries = new Set<ReplicaRegistry>();
const dropped = new FinalizationRegistry<{ readonly what: What; readonly id: number }>(({ what, id }) => {
  for (const registry of registries) registry.forget(what, id);
});

/** Sends a thread what its next job needs, and records what was sent. */
export class ReplicaRegistry {
  readonly #send: (message: ThreadMessage) => void;
  /** By number; of segments, whether their sources were given in memory. */
  readonly #given = new Map<number, 'memory' | 'given'>();

  constructor(send: (message: ThreadMessage) => void) {
    this.#send = send;
    registries.add(this);
  }

  /** Called when the thread has ended. */
  drop(): void {
    registries.delete(this);
  }

  forget(what: What, id: number): void {
    if (this.#given.delete(id)) this.#send({ kind: 'forget', what, id });
  }

  /** Names the targets of a request by what the thread has, after giving it the rest. */
  describe(targets: readonly SearchTarget[]): TargetContent[] {
    return targets.map(({ target, state }) => ({
      index: this.#index(wholeIndex(target.index)),
      state: this.#state(state),
      view: viewOfIndex(target.index),
      typeName: target.typeName,
      filters: target.filters,
      part: target.part,
      defaultField: target.context.defaultField,
      aliases: target.context.aliases,
      allowsExpensive: target.context.allowsExpensive,
    }));
  }

  #index(index: Index): number {
    const mapping = index.mapper as Mapping;
    const { name, uuid, createdAt, settings, maxClauses, definition } = index;
    const known = mappings.get(mapping);
    let id = known?.id ?? 0;
    if (known?.version !== mapping.version || known.definition !== definition) {
      if (known !== undefined) for (const registry of registries) registry.forget('index', known.id);
      id = ++numbers;
      mappings.set(mapping, { id, version: mapping.version, definition });
      dropped.register(mapping, { what: 'index', id });
    }
    if (!this.#given.has(id)) {
      const grown = { ...definition, mappings: mapping.toJSON() };
      this.#send({
        kind: 'index',
        id,
        content: { name, uuid, createdAt, settings, maxClauses, definition: grown },
      });
      this.#given.set(id, 'given');
    }
    return id;
  }

  #state(state: IndexSearcher): number {
    const { segments, similarity, limits } = state;
    const described = segments.map((segment) => {
      const { live, generation, base } = segment;
      return { core: this.#core(storedCore(segment)), live, generation, base };
    });
    const id = numberOf(state, 'state');
    if (!this.#given.has(id)) {
      this.#send({ kind: 'state', id, content: { segments: described, similarity, limits } });
      this.#given.set(id, 'given');
    }
    return id;
  }

  #engine(engine: EngineContext): number {
    const id = numberOf(engine, 'engine');
    this.#given.set(id, 'given');
    return id;
  }

  #core(core: SegmentCore): number {
    const id = numberOf(core, 'core');
    const given = this.#given.get(id);
    const { sourcesFile, label } = core;
    if (given === undefined) {
      const { meta, sections } = core.data;
      this.#send({
        kind: 'core',
        id,
        content: { engine: this.#engine(core.engine), meta, sections, sourcesFile, label },
      });
    } else if (given === 'memory' && sourcesFile !== undefined) this.#send({ kind: 'moved', id, sourcesFile });
    this.#given.set(id, sourcesFile === undefined ? 'memory' : 'given');
    return id;
  }
}

/** Whether another thread can read the segments: sources in memory, or in a file that has a path. */
export function canTravel(targets: readonly SearchTarget[]): boolean {
  return targets.every(({ state }) =>
    state.segments.every((segment) => {
      const { sourcesFile, data } = storedCore(segment);
      return sourcesFile !== undefined || data.sections.has('sources');
    }),
  );
}

function numberOf(value: EngineContext | SegmentCore | IndexSearcher, what: What): number {
  let id = numbered.get(value);
  if (id === undefined) {
    const number = ++numbers;
    numbered.set(value, (id = number));
    dropped.register(value, { what, id });
    // The thread has the segment's file open, too.
    whenUnused(value, () => {
      for (const registry of registries) registry.forget(what, number);
    });
  }
  return id;
}
