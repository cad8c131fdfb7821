// Searches and counts of the REST API on a search cluster. A request is read as the embedded engine reads it, over indices without
// documents, so its mistakes are answered in the same words. The cluster finds keys, scores and buckets; what hits show is made here.
import { silentLog } from '@lockstitch/kernel';
import { type ClusterFound, countTarget, fetchDocuments, searchTarget } from '../cluster/search-target.ts';
import { OutageLog } from '../cluster/outage-log.ts';
import { askWhole, type ClusterLogs, contextMissing } from '../cluster/whole-answer.ts';
import type { Engine } from '../engine/engine-api.ts';
import { type SearchTarget, targetQuery } from '../fetch/target.ts';
import { whole, wholeMembers } from '../json/large-json.ts';
import type { Call } from '../rest/request/request.ts';
import type { CallerSignal, RunOptions, SearchBackend } from '../rest/request/search-backend.ts';
import type { Planned } from '../search/prepared-search.ts';
import type { SearchBody } from '../search/search-body.ts';
import {
  type Counted,
  planSearch,
  runCount,
  runSearch,
  type SearchOptions,
  type SearchOutcome,
} from '../search/search.ts';
import { withBudget } from '../tasks/request-budget.ts';
import { checkOffered, withoutLookups } from './check-offered.ts';
import type { ClusterApiParts } from './cluster-parts.ts';
import { ClusterRequests } from './cluster-requests.ts';
import { KnownViews } from './known-views.ts';
import type { NamedDocument } from './offered-endpoints.ts';
import { nextPage, OpenScrolls, partOf, type ScrollPart } from './open-scrolls.ts';
import { openDocuments } from './page.ts';
import { PointsInTime } from './points-in-time.ts';
import { printFound } from './print-found.ts';
import { placeOf, SearchedIndexes, searchPath, viewOf } from './searched-indexes.ts';

/** What is sent to the cluster for one search. */
interface Asking {
  readonly planned: readonly Planned[];
  readonly body: SearchBody;
  /** The targets as the request has opened them: cursors are known by them. */
  readonly targets: readonly SearchTarget[];
  readonly requests: ClusterRequests;
  readonly maxBuckets: number;
}

export class ClusterBackend implements SearchBackend {
  readonly #parts: ClusterApiParts;
  readonly #indexes: SearchedIndexes;
  readonly #logs: ClusterLogs;
  readonly #views = new KnownViews();
  readonly #scrolls = new OpenScrolls();
  readonly #pointsInTime: PointsInTime;

  /** @param check throws for an index that cannot be searched now */
  constructor(parts: ClusterApiParts, check: (index: string) => void) {
    this.#parts = parts;
    this.#indexes = new SearchedIndexes(parts.indexes, check);
    const log = parts.log ?? silentLog;
    this.#logs = { log, outage: new OutageLog(log) };
    this.#pointsInTime = new PointsInTime(parts.engine);
  }

  async search(
    input: Parameters<SearchBackend['search']>[0],
    opened: readonly SearchTarget[],
    options: RunOptions,
    signal: CallerSignal,
  ): Promise<SearchOutcome> {
    const started = performance.now();
    const { body: sent, ...rest } = input;
    const body = wholeMembers(sent);
    const targets = opened.map(withoutLookups);
    const all: SearchOptions = {
      ...rest,
      now: options.now,
      limits: { ...options.limits, turn: undefined },
      wantsAll: true,
    };
    const planned = withBudget(all.limits, () => {
      checkOffered(body, targets, all);
      if (all.scroll === undefined || this.#scrolls.partsOf(opened) === undefined) runSearch(body, targets, all);
      return planSearch(body, targets, all);
    });
    if (targets.length === 0) return runSearch(body, targets, all);
    const requests = this.#requests(options, signal);
    const asking = { planned, body, targets: opened, requests, maxBuckets: all.maxBuckets };
    const found = await (all.scroll === undefined ? this.#find(asking) : this.#scroll(asking, options));
    const printing = { planned, body, options: all, indexes: this.#indexes, log: this.#logs.log };
    const { response, shown } = await printFound(found, printing);
    this.#scrolls.advance(opened, shown);
    const { aggregations } = found[0]!;
    return {
      response: {
        took: Math.round(performance.now() - started),
        timed_out: false,
        ...response,
        ...(aggregations === undefined ? {} : { aggregations }),
      },
      hits: shown.reduce((sum, count) => sum + count, 0),
      positions: planned.map(() => undefined),
    };
  }

  async count(
    { query }: Parameters<SearchBackend['count']>[0],
    opened: readonly SearchTarget[],
    options: RunOptions,
    signal: CallerSignal,
  ): Promise<Counted> {
    const json = whole(query);
    const targets = opened.map(withoutLookups);
    const limits = { ...options.limits, turn: undefined };
    const queries = withBudget(limits, () => {
      runCount(json, targets, limits);
      return targets.map(({ target }) => targetQuery(target, json));
    });
    const requests = this.#requests(options, signal);
    const counts = await Promise.all(
      targets.map((each, at) =>
        requests.read(() =>
          countTarget(queries[at]!, this.#indexes.placeOf(each), requests.sender(this.#indexes.pathOf(each))),
        ),
      ),
    );
    return { count: counts.reduce((sum, count) => sum + count, 0), failures: [] };
  }

  /** Fetches the documents that a request names, of those that the caller sees, into an engine of their own. */
  async fetch(call: Call, named: readonly NamedDocument[]): Promise<Engine> {
    const requests = this.#requests({ now: call.now, limits: call.state.limits }, call.request.signal);
    const keys = Map.groupBy(named, ({ index }) => index);
    const found = await Promise.all(
      this.#indexes.among(new Set(keys.keys())).map(async (info) => {
        const ids = new Set((keys.get(info.name) ?? []).map(({ id }) => id));
        const place = placeOf(info, call.engine.index(info.name));
        const sender = requests.sender(searchPath(info));
        return { documents: await requests.read(() => fetchDocuments([...ids], place, sender)), info };
      }),
    );
    return await openDocuments(found);
  }

  async openPointInTime(targets: readonly SearchTarget[], options: RunOptions): Promise<void> {
    await this.#pointsInTime.open(targets, this.#indexes, this.#requests(options, undefined));
  }

  release(targets: readonly SearchTarget[]): void {
    const scrolls = (this.#scrolls.partsOf(targets) ?? []).flatMap(({ id }) => id ?? []);
    this.#scrolls.delete(targets);
    const closings = [...this.#pointsInTime.remove(targets)];
    if (scrolls.length > 0) closings.push({ path: '/_search/scroll', body: { scroll_id: scrolls } });
    for (const each of closings) {
      // Best effort: the cluster drops them after their time.
      void askWhole(this.#parts.ask, { ...each, method: 'DELETE', isRepeatable: true }, this.#logs).catch(
        () => undefined,
      );
    }
  }

  /** Asks for the hits of all indexes at once. @param onFound takes each answer, even if others fail */
  async #find(
    { planned, body, targets, requests, maxBuckets }: Asking,
    parameters = '',
    onFound: (found: ClusterFound) => void = () => undefined,
  ): Promise<readonly ClusterFound[]> {
    const points = this.#pointsInTime.of(targets);
    if (body.pit !== undefined && points === undefined) throw contextMissing();
    const settled = await Promise.allSettled(
      planned.map(async (each, at) => {
        const point = points?.[at];
        const path = point === undefined ? this.#indexes.pathOf(each.asked) : '/_search';
        const pit = point === undefined ? {} : { pit: { id: point.id, keep_alive: requests.keepAlive } };
        const known = point?.known ?? this.#views.of(this.#indexes.infoOf(each.asked), viewOf(each.asked));
        const found = await requests.read(() =>
          searchTarget(each, body, this.#indexes.placeOf(each.asked), known, {
            count: requests.sender(path, '', pit),
            send: requests.sender(path, parameters, pit),
            maxBuckets,
          }),
        );
        if (point !== undefined && found.pitId !== undefined) point.id = found.pitId;
        onFound(found);
        return found;
      }),
    );
    return settled.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
  }

  /** The hits of the first page of a scroll, or of the next one. */
  async #scroll(asking: Asking, { keepAlive = 0, limits }: RunOptions): Promise<readonly ClusterFound[]> {
    const { body, requests, targets } = asking;
    const parts = this.#scrolls.partsOf(targets);
    // Half of its time is left for the answer, and for the client to ask again.
    const renewAt = performance.now() + keepAlive / 2;
    if (parts !== undefined) return await nextPage(parts, body.size, renewAt, requests);
    const opened: ScrollPart[] = [];
    // Known from the first answer on, so that `release` closes them if another index fails.
    this.#scrolls.add(targets, opened, limits.caller);
    const found = await this.#find(asking, `&scroll=${requests.keepAlive}`, (each) => {
      opened.push(partOf(each, renewAt));
    });
    // In the order of the indexes.
    this.#scrolls.add(
      targets,
      found.map((each) => partOf(each, renewAt)),
      limits.caller,
    );
    return found;
  }

  #requests(options: RunOptions, signal: CallerSignal): ClusterRequests {
    return new ClusterRequests(this.#parts.ask, this.#logs, options, signal);
  }
}
