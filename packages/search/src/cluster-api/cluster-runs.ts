// Searches and counts of the REST API over a search cluster. A request is read as the embedded engine reads it, over indices without
// documents, so its mistakes are answered in the same words. The cluster finds keys, scores and buckets; what hits show is made here.
import { isProductError, type Log, silentLog } from '@lockstitch/kernel';
import type { SearchResult } from '../collect/search-request.ts';
import { FoundHit } from '../collect/found-hit.ts';
import type { ClusterPlace } from '../cluster/compile-query.ts';
import {
  type ClusterFound,
  countTarget,
  fetchDocuments,
  readFound,
  type SendSearch,
  searchTarget,
} from '../cluster/search-target.ts';
import { askWhole, type ClusterAsk, contextMissing, type WholeAnswer } from '../cluster/whole-answer.ts';
import { KnownStatistics } from '../cluster/visible-statistics.ts';
import { SEARCH_VERDICTS } from '../cluster/search-verdicts.ts';
import { searchError } from '../errors/search-errors.ts';
import type { Engine, Index } from '../engine/engine-api.ts';
import { mappingOf, type SearchTarget, targetQuery } from '../fetch/target.ts';
import type { Json } from '../json/json.ts';
import { whole, wholeMembers } from '../json/large-json.ts';
import type { Call } from '../rest/request/request.ts';
import type { RunOptions, SearchRuns } from '../rest/request/search-runs.ts';
import { FailingIndices } from '../search/failing-indices.ts';
import { mergeHits } from '../search/merge-hits.ts';
import { printHits } from '../search/print-hits.ts';
import type { Planned, Prepared } from '../search/prepared-search.ts';
import type { SearchBody } from '../search/search-body.ts';
import {
  type Counted,
  planSearch,
  runCount,
  runSearch,
  type SearchOptions,
  type SearchOutcome,
  withoutScores,
} from '../search/search.ts';
import { reasonOf } from '../query/cluster/verdict.ts';
import { yieldTurn } from '../tasks/event-loop-queue.ts';
import { withBudget } from '../tasks/request-budget.ts';
import type { IndexView } from '../view/index-view.ts';
import { viewOfIndex, wholeIndex } from '../view/filtered-index.ts';
import type { ClusterApiParts, ClusterIndexInfo } from './cluster-parts.ts';
import { KnownViews } from './known-views.ts';
import type { NamedDocument } from './offered-endpoints.ts';
import { OpenScrolls, type ScrollPart } from './open-scrolls.ts';
import { openDocuments, Page } from './page.ts';

type Search = SearchRuns['search'];
type Input = Parameters<Search>[0];
type Signal = Parameters<Search>[3];

/** An index at a point in time. */
interface HeldPart {
  id: string;
  readonly known: KnownStatistics;
}

/** Hits as they are shown, and how many there are of each index. */
interface Printed {
  readonly response: Json;
  readonly shown: readonly number[];
}

/** Printed without a pause: about 20 ms. */
const HITS_OF_A_TURN = 200;

export class ClusterRuns implements SearchRuns {
  readonly #parts: ClusterApiParts;
  readonly #check: (index: string) => void;
  readonly #log: Log;
  readonly #views = new KnownViews();
  readonly #scrolls = new OpenScrolls();
  readonly #held = new WeakMap<readonly SearchTarget[], readonly HeldPart[]>();

  /** @param check throws for an index that cannot be searched now */
  constructor(parts: ClusterApiParts, check: (index: string) => void) {
    this.#parts = parts;
    this.#check = check;
    this.#log = parts.log ?? silentLog;
  }

  async search(
    input: Input,
    given: readonly SearchTarget[],
    options: RunOptions,
    signal: Signal,
  ): Promise<SearchOutcome> {
    const started = performance.now();
    const { body: sent, ...rest } = input;
    const body = wholeMembers(sent);
    const targets = given.map(withoutLookups);
    const all: SearchOptions = {
      ...rest,
      now: options.now,
      limits: { ...options.limits, turn: undefined },
      wantsAll: true,
    };
    const planned = withBudget(all.limits, () => {
      checkOffered(body, targets, all);
      if (all.scroll === undefined || this.#scrolls.partsOf(given) === undefined) runSearch(body, targets, all);
      return planSearch(body, targets, all);
    });
    if (targets.length === 0) return runSearch(body, targets, all);
    const asker = this.#asker(options, signal);
    const found =
      all.scroll === undefined
        ? await this.#find(planned, given, body, asker, all)
        : await this.#page(planned, given, body, { ...all, ...options }, asker);
    const { response, shown } = await this.#print(planned, found, body, all);
    this.#scrolls.advance(given, shown);
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
    { query }: Parameters<SearchRuns['count']>[0],
    given: readonly SearchTarget[],
    options: RunOptions,
    signal: Signal,
  ): Promise<Counted> {
    const json = whole(query);
    const targets = given.map(withoutLookups);
    const limits = { ...options.limits, turn: undefined };
    const queries = withBudget(limits, () => {
      runCount(json, targets, limits);
      return targets.map(({ target }) => targetQuery(target, json));
    });
    const asker = this.#asker(options, signal);
    const counts = await Promise.all(
      targets.map((each, at) =>
        asker.reading(() => countTarget(queries[at]!, this.#placeOf(each), asker.sender(this.#pathOf(each)))),
      ),
    );
    return { count: counts.reduce((sum, count) => sum + count, 0), failures: [] };
  }

  /** Documents that a request names, of those that the caller sees, in an engine of their own. */
  async fetch(call: Call, named: readonly NamedDocument[]): Promise<Engine> {
    const asker = this.#asker({ now: call.now, limits: call.state.limits }, call.request.signal);
    const infos = this.#parts.indexes().filter(({ name }) => named.some(({ index }) => index === name));
    const found = await Promise.all(
      infos.map(async (info) => {
        this.#check(info.name);
        const keys = named.flatMap(({ id, index }) => (index === info.name ? [id] : []));
        const index = call.engine.index(info.name);
        const place = this.#place(info, index);
        const documents = await asker.reading(() =>
          fetchDocuments([...new Set(keys)], place, asker.sender(pathOf(info))),
        );
        return { documents, info };
      }),
    );
    return await openDocuments(found);
  }

  async hold(targets: readonly SearchTarget[], options: RunOptions): Promise<void> {
    const asker = this.#asker(options, undefined);
    const keep = `keep_alive=${options.keepAlive}ms`;
    const isElastic = this.#parts.engine === 'elasticsearch';
    const held: HeldPart[] = [];
    this.#held.set(targets, held);
    for (const each of targets) {
      const { alias } = this.#infoOf(each);
      const path = `/${encodeURIComponent(alias)}${isElastic ? '/_pit' : '/_search/point_in_time'}?${keep}`;
      const { json } = await asker.ask({ method: 'POST', path, isRepeatable: false }).catch((error: unknown) => {
        // Those that have none take the path for another one.
        throw isProductError(error) && error.code === 'SEARCH_CLUSTER_REFUSED' ? noPit() : error;
      });
      const id = json[isElastic ? 'id' : 'pit_id'];
      if (typeof id !== 'string') throw noPit();
      held.push({ id, known: new KnownStatistics() });
    }
  }

  letGo(targets: readonly SearchTarget[]): void {
    const ids = (this.#scrolls.partsOf(targets) ?? []).flatMap(({ id }) => id ?? []);
    const pits = (this.#held.get(targets) ?? []).map(({ id }) => id);
    this.#scrolls.delete(targets);
    this.#held.delete(targets);
    const close = (path: string, body: Json): void => {
      // What is not closed now ends with its time.
      void askWhole(this.#parts.ask, { method: 'DELETE', path, body, isRepeatable: true }, this.#log).catch(
        () => undefined,
      );
    };
    if (ids.length > 0) close('/_search/scroll', { scroll_id: ids });
    if (this.#parts.engine === 'opensearch' && pits.length > 0) close('/_search/point_in_time', { pit_id: pits });
    else for (const id of pits) close('/_pit', { id });
  }

  /** Asks for the hits of each index, of all at once. @param opened takes each answer, even if others fail */
  async #find(
    planned: readonly Planned[],
    given: readonly SearchTarget[],
    body: SearchBody,
    asker: Asker,
    { maxBuckets }: Pick<SearchOptions, 'maxBuckets'>,
    parameters = '',
    opened: (found: ClusterFound) => void = () => undefined,
  ): Promise<readonly ClusterFound[]> {
    const held = this.#held.get(given);
    if (body.pit !== undefined && held === undefined) throw contextMissing();
    const settled = await Promise.allSettled(
      planned.map(async (each, at) => {
        const part = held?.[at];
        const path = part === undefined ? this.#pathOf(each.asked) : '/_search';
        const pit = part === undefined ? {} : { pit: { id: part.id, keep_alive: asker.keepAlive } };
        const known = part?.known ?? this.#views.of(this.#infoOf(each.asked), viewOf(each.asked));
        const found = await asker.reading(() =>
          searchTarget(each, body, this.#placeOf(each.asked), known, {
            count: asker.sender(path, '', pit),
            send: asker.sender(path, parameters, pit),
            maxBuckets,
          }),
        );
        if (part !== undefined && found.pitId !== undefined) part.id = found.pitId;
        opened(found);
        return found;
      }),
    );
    return settled.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
  }

  /** The next hits of a scroll. */
  async #page(
    planned: readonly Planned[],
    given: readonly SearchTarget[],
    body: SearchBody,
    options: RunOptions & Pick<SearchOptions, 'maxBuckets'>,
    asker: Asker,
  ): Promise<readonly ClusterFound[]> {
    const { keepAlive = 0, limits } = options;
    const open = this.#scrolls.partsOf(given);
    // Half of its time is left for the answer, and for the client to ask again.
    const renewAt = performance.now() + keepAlive / 2;
    const partOf = ({ hits, maxScore, scrollId, total }: ClusterFound): ScrollPart => ({
      id: scrollId,
      rest: hits,
      total,
      maxScore,
      renewAt,
    });
    if (open === undefined) {
      const opened: ScrollPart[] = [];
      this.#scrolls.add(given, opened, limits.caller);
      const found = await this.#find(planned, given, body, asker, options, `&scroll=${keepAlive}ms`, (each) => {
        opened.push(partOf(each));
      });
      this.#scrolls.add(given, found.map(partOf), limits.caller);
      return found;
    }
    return await Promise.all(
      open.map(async (part): Promise<ClusterFound> => {
        const isDue = part.rest.length < body.size || performance.now() > part.renewAt;
        if (isDue && part.id !== undefined) {
          const { hits, scrollId } = await asker.reading(async () =>
            readFound(
              await asker.ask({
                method: 'POST',
                path: '/_search/scroll',
                body: { scroll: `${keepAlive}ms`, scroll_id: part.id },
                isRepeatable: false,
              }),
              undefined,
            ),
          );
          part.rest = [...part.rest, ...hits];
          part.id = scrollId ?? part.id;
          part.renewAt = renewAt;
        }
        const { maxScore, rest: hits, total } = part;
        return { hits, total, maxScore, scrollId: part.id, pitId: undefined, aggregations: undefined };
      }),
    );
  }

  /** Prints the best hits: of one index, whose hits are in order already, some at a time, as others wait meanwhile. */
  async #print(
    planned: readonly Planned[],
    found: readonly ClusterFound[],
    body: SearchBody,
    options: SearchOptions,
  ): Promise<Printed> {
    const [only] = found;
    if (planned.length > 1 || only === undefined || only.hits.length <= HITS_OF_A_TURN)
      return await this.#printPage(planned, found, body, options);
    const printed: Printed[] = [];
    for (let from = 0; from < only.hits.length; from += HITS_OF_A_TURN) {
      const hits = only.hits.slice(from, from + HITS_OF_A_TURN);
      printed.push(await this.#printPage(planned, [{ ...only, hits }], body, options));
      await yieldTurn();
    }
    const { response } = printed[0]!;
    const all = printed.flatMap((each) => (each.response['hits'] as Json)['hits'] as readonly unknown[]);
    return { response: { ...response, hits: { ...(response['hits'] as Json), hits: all } }, shown: [all.length] };
  }

  async #printPage(
    planned: readonly Planned[],
    found: readonly ClusterFound[],
    body: SearchBody,
    options: SearchOptions,
  ): Promise<Printed> {
    const pages: Page[] = [];
    try {
      for (const [at, { hits }] of found.entries()) {
        const { asked } = planned[at]!;
        pages.push(
          await Page.open(
            this.#infoOf(asked),
            hits.map(({ document }) => document),
            viewOf(asked),
          ),
        );
      }
      const isScroll = options.scroll !== undefined;
      return withBudget(options.limits, () => {
        const prepared = planned.map((each, at) => preparedOf(each, found[at]!, pages[at]!, body));
        const merged = mergeHits(prepared, body, planned.length === 1, isScroll).slice(
          0,
          isScroll ? body.size : undefined,
        );
        const failing = new FailingIndices(
          planned.map(({ asked }) => asked),
          true,
        );
        const response = printHits(body, prepared, merged, options, failing, () => {
          throw notSent('inner_hits', 'groups are searches of their own');
        });
        return { response, shown: planned.map((_, at) => merged.filter(({ target }) => target === at).length) };
      });
    } catch (error) {
      throw error instanceof TypeError ? this.#unreadable(error) : error;
    } finally {
      for (const page of pages) await page.close();
    }
  }

  #infoOf({ target }: SearchTarget): ClusterIndexInfo {
    this.#check(target.index.name);
    const found = this.#parts.indexes().find(({ name }) => name === target.index.name);
    if (found === undefined) throw searchError('SEARCH_INDEX_NOT_FOUND', { index: target.index.name });
    return found;
  }

  #pathOf(target: SearchTarget): string {
    return pathOf(this.#infoOf(target));
  }

  #placeOf(asked: SearchTarget): ClusterPlace {
    return this.#place(this.#infoOf(asked), asked.target.index);
  }

  #place({ mode }: ClusterIndexInfo, index: Index): ClusterPlace {
    const base = wholeIndex(index);
    return { fields: mappingOf(base), view: viewOfIndex(index) ?? {}, similarity: base.settings, mode };
  }

  #unreadable(error: TypeError): Error {
    this.#log.write('error', 'An answer of the search cluster cannot be read', { error: error.stack ?? error.message });
    return searchError('SEARCH_CLUSTER_FAILED', { reason: 'its answer cannot be read' });
  }

  #asker({ keepAlive, limits }: RunOptions, signal: Signal): Asker {
    const time = AbortSignal.timeout(Math.min(limits.time, 2 ** 31 - 1));
    const own = signal?.();
    const both = own === undefined ? time : AbortSignal.any([time, own]);
    const ask = async (request: ClusterAsk): Promise<WholeAnswer> => {
      try {
        return await askWhole(this.#parts.ask, { ...request, signal: both }, this.#log);
      } catch (error) {
        if (own?.aborted === true) throw searchError('SEARCH_CANCELLED', {});
        throw time.aborted ? searchError('SEARCH_CLUSTER_FAILED', { reason: 'it did not answer in time' }) : error;
      }
    };
    return {
      ask,
      keepAlive: `${keepAlive}ms`,
      sender:
        (path, parameters = '', more = {}) =>
        (body) =>
          ask({
            method: 'POST',
            path: `${path}?allow_partial_search_results=false${parameters}`,
            body: { ...body, ...more },
            isRepeatable: parameters === '',
          }),
      reading: async (read) => {
        try {
          return await read();
        } catch (error) {
          throw error instanceof TypeError ? this.#unreadable(error) : error;
        }
      },
    };
  }
}

/** Asks the cluster for one request. */
interface Asker {
  readonly ask: (request: Omit<ClusterAsk, 'signal'>) => Promise<WholeAnswer>;
  readonly keepAlive: string;
  /** Sends searches to a path. */
  readonly sender: (path: string, parameters?: string, more?: Json) => SendSearch;
  /** Reads answers; what cannot be read is an error of the cluster. */
  readonly reading: <T>(read: () => Promise<T>) => Promise<T>;
}

function pathOf({ alias }: ClusterIndexInfo): string {
  return `/${encodeURIComponent(alias)}/_search`;
}

function viewOf({ target }: SearchTarget): IndexView {
  return viewOfIndex(target.index) ?? {};
}

/** Documents that a query names lie on the cluster. */
function withoutLookups(asked: SearchTarget): SearchTarget {
  const lookup = (): never => {
    throw notSent('a query that reads a document', 'name its values in the request');
  };
  const { target, state } = asked;
  return {
    state,
    target: { ...target, context: { ...target.context, lookup } },
    get searcher() {
      return asked.searcher;
    },
  };
}

/** The hits of one index, in the order of the cluster, with what the page says of them. */
function preparedOf(planned: Planned, found: ClusterFound, page: Page, body: SearchBody): Prepared {
  const { ownSort, request } = planned;
  const { searcher } = page;
  const { collapse } = request;
  const hits = found.hits.map(({ document, score }, position) => {
    const { doc, segment } = page.place(document.key);
    const valueOf = (
      key: Parameters<typeof searcher.sortValues>[0],
    ): ReturnType<ReturnType<typeof searcher.sortValues>> =>
      searcher.sortValues(key.kind === 'doc' ? { kind: 'id' } : key, segment)(doc, score);
    const sort = ownSort.length === 0 ? undefined : ownSort.map(({ key }) => valueOf(key));
    const group = collapse === undefined ? undefined : valueOf({ kind: 'field', ...collapse });
    const hit = new FoundHit(segment, doc, score, sort, group);
    hit.position = position;
    return hit;
  });
  const { maxScore, total } = found;
  const result: SearchResult = { hits, total, maxScore, timedOut: false, terminatedEarly: false };
  return { ...planned, sort: ownSort, searcher, result: withoutScores(result, ownSort, body) };
}

/** @throws ProductError SEARCH_NOT_ON_CLUSTER for what the verdicts say is not sent */
function checkOffered(body: SearchBody, targets: readonly SearchTarget[], { typedKeys }: SearchOptions): void {
  const isOfSeveral = targets.length > 1;
  const { aggregations, collapse } = body;
  const asked: readonly (readonly [what: string, member: keyof SearchBody, isAsked: boolean])[] = [
    ['rescore', 'rescore', body.rescore.length > 0],
    ['profile', 'profile', body.profile],
    ['explain', 'fetch', body.fetch.explain],
    ['suggest', 'suggest', body.suggest !== undefined],
    ['slice', 'slice', body.slice !== undefined],
    ['terminate_after', 'terminateAfter', body.terminateAfter !== 0],
    ['collapse', 'collapse', collapse !== undefined && (isOfSeveral || collapse['inner_hits'] !== undefined)],
    ['aggs', 'aggregations', aggregations !== undefined && (isOfSeveral || typedKeys)],
  ];
  for (const [what, member, isAsked] of asked)
    if (isAsked) throw notSent(`[${what}]`, reasonOf(SEARCH_VERDICTS[member]));
}

function noPit(): Error {
  return notSent('a point in time', reasonOf(SEARCH_VERDICTS.pit));
}

function notSent(what: string, reason: string): Error {
  return searchError('SEARCH_NOT_ON_CLUSTER', { what, reason });
}
