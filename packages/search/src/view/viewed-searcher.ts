// A searcher under a view: masked segments, statistics over visible documents alone, and
// ties broken by key. The order of an index would tell which documents were written last, and hidden changes
// rewrite visible documents.
import { evictOldest } from '@lockstitch/kernel';
import { IndexSearcher } from '../collect/searcher.ts';
import { bothBits, emptyBits, nextBit } from '../index/bits.ts';
import type { Hit, SearchRequest, SearchResult, SortKey, SortValue } from '../collect/search-request.ts';
import { compareKeys as compareIds, type KeyOrder, keyOrderOf } from '../index/key-order.ts';
import { type SegmentCore, storedCore } from '../index/segment-core.ts';
import { SegmentView } from '../index/segment-view.ts';
import { compile } from '../query/compile.ts';
import type { Query } from '../query/query.ts';
import { Statistics } from '../query/statistics.ts';
import { compareKeys } from '../text/compare-keys.ts';
import { FoundHit } from '../collect/found-hit.ts';
import { keyOrder } from '../collect/sort-values.ts';
import { TieOrder } from '../query/tie-order.ts';
import { searchError } from '../errors/search-errors.ts';
import { illegalArgument } from '../errors/request-error.ts';
import { type IndexView, viewKey } from './index-view.ts';
import { rowsOf } from './view-rows.ts';
import { CutCore } from './cut-core.ts';
import { askForCut, type CopiedView, type Cut, cutOf, droppedCuts, shownCut, useCut } from './cuts.ts';
import { MaskedFields, type SegmentMask } from './masked-fields.ts';
import { MaskedCore } from './masked-segment.ts';
import { withElements } from './with-elements.ts';

/** Maximum cached masks per segment. */
const MASKS_PER_SEGMENT = 32;
const masks = new WeakMap<SegmentCore, Map<string, { readonly generation: number; readonly fields: MaskedFields }>>();
const EVERYTHING: Query = { kind: 'match_all' };
/** `_ignored` may name withheld fields. */
const TELLING = ['_ignored'];
/** Sorts after every id: ids have at most 512 bytes. */
const LAST_ID = '\u{10ffff}'.repeat(129);

/** Maximum cached views of one state, with their statistics. */
const VIEWS_PER_STATE = 64;
interface Opened {
  readonly byKey: Map<string, ViewedSearcher>;
  /** The most recent view and its searcher: most callers send several requests in a row. */
  view: IndexView | undefined;
  searcher: ViewedSearcher | undefined;
  /** Count of evicted copies at the last clean-up. */
  dropped: number;
}
const states = new WeakMap<IndexSearcher, Opened>();

/** Opens a state under a view. It lives as long as the state, which the caller releases. */
export function searchUnder(base: IndexSearcher, view: IndexView): IndexSearcher {
  let opened = states.get(base);
  if (opened === undefined)
    states.set(
      base,
      (opened = { byKey: new Map(), view: undefined, searcher: undefined, dropped: droppedCuts(base.segments) }),
    );
  if (opened.view === view && !opened.searcher!.isOutdated()) return opened.searcher!;
  const { byKey } = opened;
  const dropped = droppedCuts(base.segments);
  if (opened.dropped !== dropped) {
    // Nothing else references evicted copies.
    for (const [known, searcher] of byKey) if (searcher.isStale()) byKey.delete(known);
    opened.dropped = dropped;
  }
  const key = viewKey(view);
  let found = byKey.get(key);
  if (found === undefined || found.isOutdated()) found = openUnder(base, view);
  byKey.delete(key);
  byKey.set(key, found);
  evictOldest(byKey, VIEWS_PER_STATE);
  opened.view = view;
  opened.searcher = found;
  return found;
}

function openUnder(base: IndexSearcher, view: IndexView): ViewedSearcher {
  const guards = view.guarded ?? [];
  const hidden = [...(view.hidden ?? []), ...TELLING];
  const key = viewKey(view);
  const visible = new Map<SegmentView, Int32Array>();
  const keyed: SegmentCore[] = [];
  const used: UsedCut[] = [];
  for (const segment of base.segments) {
    const rows = rowsOf(base, view.rows ?? EVERYTHING, segment);
    // A segment without visible documents is left out: some requests behave differently on an empty index.
    if (nextBit(rows, 0) < 0) continue;
    const fields = maskedFields(segment, guards.length === 0 ? `fields ${hidden.join('\n')}` : key, (): SegmentMask => {
      // Fields of invisible documents need no mask: if all visible documents may show a field, it stays unmasked.
      const withheld = guards.map(({ path, when }) => ({
        path,
        docs: withElements(segment, without(rows, rowsOf(base, when, segment))),
      }));
      return { hidden, withheld };
    });
    const { live, generation, base: start } = segment;
    const masked = new MaskedCore(fields, rows);
    const cut = cutOf(segment, key, rows);
    const copied: CopiedView = { fields, masked, segment, rows, state: base };
    const shown = cut === undefined ? undefined : shownCut(cut, copied);
    if (cut !== undefined) {
      const ask = shown === undefined ? () => askForCut(cut, copied) : () => useCut(cut);
      used.push({ cut, copy: cut.copy, isShown: shown !== undefined, ask });
    }
    if (shown === undefined) {
      visible.set(new SegmentView(masked, live, generation, start), rows);
      keyed.push(storedCore(segment));
    } else {
      visible.set(new SegmentView(new CutCore(shown, masked), shown.live, generation, start), shown.rows);
      keyed.push(shown.core);
    }
  }
  return new ViewedSearcher(base, key, visible, keyed, used);
}

function maskedFields(segment: SegmentView, key: string, mask: () => SegmentMask): MaskedFields {
  const core = storedCore(segment);
  const { generation } = segment;
  const known = masks.get(core) ?? new Map<string, { readonly generation: number; readonly fields: MaskedFields }>();
  masks.set(core, known);
  let found = known.get(key);
  // A mask stays valid after later deletions, which only hide documents. It is not valid for an earlier state, of a scroll: documents
  // deleted since have no mask.
  if (found === undefined || found.generation > generation)
    found = { generation, fields: new MaskedFields(core, mask()) };
  known.delete(key);
  known.set(key, found);
  evictOldest(known, MASKS_PER_SEGMENT);
  return found.fields;
}

function without(all: Int32Array, some: Int32Array): Int32Array {
  const rest = emptyBits(all.length * 32);
  for (let word = 0; word < rest.length; word++) rest[word] = all[word]! & ~some[word]!;
  return rest;
}

/** A copy that a view searches, or would profit from. */
interface UsedCut {
  readonly cut: Cut;
  /** The copy when the view was opened, and whether it was usable. */
  readonly copy: object | undefined;
  readonly isShown: boolean;
  /** Requests it, or keeps it from eviction. */
  readonly ask: () => void;
}

class ViewedSearcher extends IndexSearcher {
  readonly tiesById = true;
  readonly #base: IndexSearcher;
  readonly #key: string;
  readonly #visible: ReadonlyMap<SegmentView, Int32Array>;
  /** By segment, the core with the keys that break ties. */
  readonly #cores: readonly SegmentCore[];
  readonly #used: readonly UsedCut[];
  /** Tie order, once all keys are sorted; undefined if the index is in key order. */
  #decided: { readonly ties: TieOrder | undefined } | undefined;

  constructor(
    base: IndexSearcher,
    key: string,
    visible: ReadonlyMap<SegmentView, Int32Array>,
    cores: readonly SegmentCore[],
    used: readonly UsedCut[],
  ) {
    super([...visible.keys()], base.similarity, base.limits);
    this.#base = base;
    this.#cores = cores;
    this.#used = used;
    this.#key = key;
    this.#visible = visible;
  }

  override retain(): this {
    this.#base.retain();
    return this;
  }

  override release(): void {
    this.#base.release();
  }

  /** Whether copies were made or evicted since the view was opened. Requests missing ones, and keeps the others from eviction. */
  isOutdated(): boolean {
    for (const { ask } of this.#used) ask();
    return this.isStale();
  }

  isStale(): boolean {
    return this.#used.some(({ cut, copy, isShown }) => cut.copy !== copy && (isShown || cut.copy !== undefined));
  }

  protected override statistics(view: Query | undefined): Statistics {
    const rows = (segment: SegmentView): Int32Array => this.#visible.get(segment)!;
    const key = view === undefined ? this.#key : `${this.#key} ${JSON.stringify(view)}`;
    const bits = (segment: SegmentView): Int32Array => {
      if (view === undefined) return rows(segment);
      const statistics = this.statistics(undefined);
      const found = compile(view, statistics).bits(segment);
      statistics.release();
      return bothBits(rows(segment), found);
    };
    return new Statistics(this.segments, this.similarity, this.limits, { key, bits }, this.sharedFor(key));
  }

  /** undefined until all keys are sorted. */
  #decide(): { readonly ties: TieOrder | undefined } | undefined {
    if (this.#decided !== undefined) return this.#decided;
    const orders: KeyOrder[] = [];
    for (const core of this.#cores) {
      const order = keyOrderOf(core);
      if (order !== undefined) orders.push(order);
    }
    if (orders.length < this.#cores.length) return undefined;
    const ties = isAscending(this.#cores, orders) ? undefined : new TieOrder(this.segments, this.#cores, orders);
    return (this.#decided = { ties });
  }

  protected override ties(): TieOrder | undefined {
    return this.#decide()?.ties;
  }

  override search(request: SearchRequest): SearchResult {
    const { from = 0, size = 10, sort = [], collapse, searchAfter, terminateAfter = 0 } = request;
    if (terminateAfter > 0)
      throw illegalArgument('[terminate_after] depends on the order of the index, which a read rule keeps from you');
    const window = from + size;
    if (window > this.limits.maxResultWindow)
      throw searchError('SEARCH_RESULT_WINDOW', { limit: this.limits.maxResultWindow, window });
    if (window === 0) return super.search(request);
    if (this.#decide() !== undefined && !sort.some((key) => key.kind === 'doc')) {
      const result = super.search(request);
      return { ...result, hits: numbered(result.hits, sort.length) };
    }
    const byScore =
      searchAfter === undefined &&
      collapse === undefined &&
      (sort.length === 0 || (sort.length === 1 && sort[0]!.kind === 'score' && sort[0]!.order !== 'asc'));
    if (!byScore) return this.#sorted(request, request.collectors ?? []);
    // One more than requested: only if it has the score of the last requested one, others of that score may be missing.
    const result = super.search({ ...request, from: 0, size: Math.min(window + 1, this.limits.maxResultWindow) });
    const { hits } = result;
    if (hits.length >= window && (hits.length === window || hits[window]!.score === hits[window - 1]!.score)) {
      const { hits: exact } = this.#sorted({ ...request, trackTotalHits: false }, []);
      return { ...result, hits: exact };
    }
    const ordered = hits.toSorted((a, b) => b.score - a.score || compareKeys(keyOrder(a.id), keyOrder(b.id)));
    return { ...result, hits: numbered(ordered.slice(from, window), sort.length > 0 ? 1 : 0) };
  }

  /** Orders by the keys and then by id. */
  #sorted(request: SearchRequest, collectors: NonNullable<SearchRequest['collectors']>): SearchResult {
    const given: readonly SortKey[] = request.sort ?? [];
    const keys = given.map((key): SortKey => (key.kind === 'doc' ? idKey(key.order) : key));
    if (keys.length === 0) keys.push({ kind: 'score' });
    const count = keys.length;
    const unique = keys.some((key) => key.kind === 'id');
    if (!unique) keys.push({ kind: 'key' });
    const { searchAfter } = request;
    const after: readonly SortValue[] | undefined =
      searchAfter === undefined || unique || searchAfter.length !== count ? searchAfter : [...searchAfter, LAST_ID];
    const result = super.search({
      ...request,
      collectors,
      sort: keys,
      trackScores: request.trackScores === true || given.length === 0,
      ...(after === undefined ? {} : { searchAfter: after }),
    });
    return { ...result, hits: numbered(result.hits, given.length) };
  }
}

function idKey(order: 'asc' | 'desc' | undefined): SortKey {
  return order === undefined ? { kind: 'id' } : { kind: 'id', order };
}

/** Gives hits their place in the answer for that in the index, and leaves them no more sort values than were asked. */
function numbered(hits: readonly Hit[], values: number): readonly Hit[] {
  return hits.map((hit, position) => {
    const { segment, doc, score, sort, collapse } = hit;
    const fits = sort === undefined || sort.length === values;
    const shown = fits
      ? (hit as FoundHit)
      : new FoundHit(segment as SegmentView, doc, score, values === 0 ? undefined : sort.slice(0, values), collapse);
    shown.position = position;
    return shown;
  });
}

/** Whether the order of an index is that of its keys, as it is until documents are written again: then nothing has to be ordered. */
function isAscending(cores: readonly SegmentCore[], orders: readonly KeyOrder[]): boolean {
  return cores.every((core, at) => {
    if (orders[at]!.places !== undefined) return false;
    const before = cores[at - 1];
    return before === undefined || compareIds(before.ids.bytes, before.docCount - 1, core.ids.bytes, 0) < 0;
  });
}
