// The engine as one caller sees it. A filtered index takes the place of every index under a view, and holds no more than the view shows: its
// mapping, its documents, its counters. Answers cannot tell more. It refuses writes, because a caller who sees a
// part of an index could overwrite the rest.
import { contextMappings } from '../mapping/completion-contexts.ts';
import { type DamagedIndex, type Engine, type Index, type IndexStats, NO_STATS } from '../engine/engine-api.ts';
import type { IndexDefinition } from '../settings/index-definition.ts';
import type { IndexSearcher } from '../collect/searcher.ts';
import { searchError } from '../errors/search-errors.ts';
import type { StoredDocument } from '../index/operation.ts';
import { storedIn } from '../collect/stored-in.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { type IndexView, isWithin, viewKey } from './index-view.ts';
import { type FilteredIndex, FILTERED } from './filtered-index.ts';
import { searchUnder } from './viewed-searcher.ts';
import { visibleMapping } from './visible-mapping.ts';

/** The view of an index for a caller; undefined: all of it. */
export type ViewOf = (index: string) => IndexView | undefined;

/** Why an index must not be read now; undefined if it may be. */
type Withheld = (index: string) => string | undefined;

/**
 * The engine for a caller.
 *
 * @param withheld indices with a reason are as damaged ones. Default: none
 */
export function engineUnder(engine: Engine, viewOf?: ViewOf, withheld?: Withheld): Engine {
  if (viewOf === undefined && withheld === undefined) return engine;
  return new ViewedEngine(engine, viewOf ?? noneOf, withheld ?? noneOf);
}

const noneOf = (): undefined => undefined;

class ViewedEngine implements Engine {
  readonly #engine: Engine;
  readonly #viewOf: ViewOf;
  readonly #withheld: Withheld;

  constructor(engine: Engine, viewOf: ViewOf, withheld: Withheld) {
    this.#engine = engine;
    this.#viewOf = viewOf;
    this.#withheld = withheld;
  }

  get metadata(): unknown {
    return this.#engine.metadata;
  }

  get folder(): string | undefined {
    return this.#engine.folder;
  }

  get metadataDamage(): string | undefined {
    return this.#engine.metadataDamage;
  }

  updateMetadata(value: unknown): Promise<void> {
    return this.#engine.updateMetadata(value);
  }

  createIndex(name: string, definition?: IndexDefinition): Promise<Index> {
    return this.#engine.createIndex(name, definition);
  }

  createShadow(name: string, definition?: IndexDefinition): Promise<Index> {
    return this.#engine.createShadow(name, definition);
  }

  async replaceIndex(shadow: Index): Promise<void> {
    this.#refuse(shadow.name);
    await this.#engine.replaceIndex(shadow);
  }

  discardShadow(shadow: Index): Promise<void> {
    return this.#engine.discardShadow(shadow);
  }

  async deleteIndex(name: string): Promise<void> {
    this.#refuse(name);
    await this.#engine.deleteIndex(name);
  }

  index(name: string): Index {
    const index = this.#seen(this.#engine.index(name));
    const reason = this.#withheld(name);
    if (reason !== undefined) throw searchError('SEARCH_INDEX_RED', { index: name, reason });
    return index;
  }

  has(name: string): boolean {
    return this.#engine.has(name);
  }

  indices(): readonly Index[] {
    const served = this.#engine.indices().filter(({ name }) => this.#withheld(name) === undefined);
    return served.map((index) => this.#seen(index));
  }

  damaged(): readonly DamagedIndex[] {
    const withheld = this.#engine.indices().flatMap((index): readonly DamagedIndex[] => {
      const { name, uuid } = index;
      const reason = this.#withheld(name);
      return reason === undefined ? [] : [{ name, uuid, definition: this.#seen(index).definition, reason }];
    });
    const damaged = this.#engine.damaged();
    return withheld.length === 0 ? damaged : [...damaged, ...withheld].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async snapshot(folder: string, isWanted: (name: string) => boolean): Promise<readonly string[]> {
    // Files hold all documents, whatever the view shows.
    for (const { name } of this.#engine.indices()) if (isWanted(name)) this.#refuse(name);
    return this.#engine.snapshot(folder, isWanted);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  #seen(index: Index): Index {
    const view = this.#viewOf(index.name);
    return view === undefined ? index : indexUnder(index, view);
  }

  /** Refuses changes of a filtered index. */
  #refuse(name: string): void {
    if (this.has(name) && this.#viewOf(name) !== undefined) throw searchError('SEARCH_READ_ONLY', { index: name });
  }
}

const indexes = new WeakMap<Index, Map<string, Index>>();
/** Cache of filtered indices, one per view. */
const VIEWS_PER_INDEX = 256;

/** An index as a view shows it. */
export function indexUnder(index: Index, view: IndexView): Index {
  let known = indexes.get(index);
  if (known === undefined) indexes.set(index, (known = new Map()));
  const key = viewKey(view);
  let found = known.get(key);
  if (found === undefined) {
    if (known.size >= VIEWS_PER_INDEX) known.clear();
    known.set(key, (found = new ViewedIndex(index, view)));
  }
  return found;
}

class ViewedIndex implements Index, FilteredIndex {
  readonly [FILTERED] = true;
  readonly view: IndexView;
  readonly base: Index;
  #shown:
    | {
        readonly of: Index['definition'];
        readonly mapper: Mapping;
        readonly version: number;
        readonly definition: Index['definition'];
      }
    | undefined;
  #mapper: { readonly of: Mapping; readonly version: number; readonly mapping: Mapping } | undefined;

  constructor(base: Index, view: IndexView) {
    this.base = base;
    this.view = view;
  }

  get name(): string {
    return this.base.name;
  }

  get uuid(): string {
    return this.base.uuid;
  }

  get createdAt(): number {
    return this.base.createdAt;
  }

  get settings(): Index['settings'] {
    return this.base.settings;
  }

  get maxClauses(): number {
    return this.base.maxClauses;
  }

  get definition(): Index['definition'] {
    const { base, mapper } = this;
    const known = this.#shown;
    // Asked several times a request, and printing a mapping takes as long as a search of a rare word.
    if (known?.of === base.definition && known.mapper === mapper && known.version === mapper.version)
      return known.definition;
    const definition = { ...base.definition, mappings: mapper.toJSON() };
    this.#shown = { of: base.definition, mapper, version: mapper.version, definition };
    return definition;
  }

  get mapper(): Mapping {
    const base = this.base.mapper as Mapping;
    const known = this.#mapper;
    if (known?.of === base && known.version === base.version) return known.mapping;
    checkView(base, this.view, this.name);
    const mapping = visibleMapping(base, this.view.hidden ?? []);
    this.#mapper = { of: base, version: base.version, mapping };
    return mapping;
  }

  get damage(): string | undefined {
    return this.base.damage;
  }

  get position(): number {
    return 0;
  }

  get durablePosition(): number {
    return 0;
  }

  apply(): never {
    throw this.#readOnly();
  }

  /** As of the last refresh: what is newer cannot be judged yet. */
  get(id: string): StoredDocument | undefined {
    return storedIn(this.searcher(false), id);
  }

  refresh(): Promise<void> {
    return this.base.refresh();
  }

  commit(): Promise<void> {
    return this.base.commit();
  }

  forceMerge(): never {
    throw this.#readOnly();
  }

  searcher(counts = true): IndexSearcher {
    return searchUnder(this.base.searcher(counts) as IndexSearcher, this.view);
  }

  updateDefinition(): never {
    throw this.#readOnly();
  }

  stats(): IndexStats {
    const searcher = this.searcher(false);
    const docs = searcher.docCount();
    searcher.release();
    return { ...NO_STATS, docs };
  }

  #readOnly(): Error {
    return searchError('SEARCH_READ_ONLY', { index: this.name });
  }
}

/**
 * Refuses a view that could not be enforced: hidden text would be found in the field that it is copied to, and elements of nested fields are documents that
 * are counted even if nothing of them is visible.
 *
 * @throws ProductError `SEARCH_VIEW_NOT_HELD`
 */
function checkView(mapping: Mapping, view: IndexView, index: string): void {
  const objects = mapping.objects();
  const hidden = view.hidden ?? [];
  for (const path of [...hidden, ...(view.guarded ?? []).map((guard) => guard.path)]) {
    for (const [object, kind] of objects) {
      if (kind === 'nested' && isWithin(object, path))
        throw searchError('SEARCH_VIEW_NOT_HELD', { index, path, reason: `the field [${object}] is nested` });
    }
    for (const field of mapping.fields.values()) {
      if (field.family === 'completion' && ![path, ...hidden].some((other) => isWithin(field.path, other))) {
        const context = contextMappings(field.definition).find((each) => isWithin(each.path ?? '', path));
        if (context !== undefined)
          throw searchError('SEARCH_VIEW_NOT_HELD', {
            index,
            path,
            reason: `the context [${context.name}] of the field [${field.path}] is read from [${context.path}]`,
          });
      }
      if (!isWithin(field.path, path)) continue;
      const to = field.copyTo.find((each) => ![path, ...hidden].some((other) => isWithin(each, other)));
      if (to !== undefined)
        throw searchError('SEARCH_VIEW_NOT_HELD', {
          index,
          path,
          reason: `the field [${field.path}] is copied to [${to}]`,
        });
    }
  }
}
