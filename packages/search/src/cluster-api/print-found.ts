// Prints the hits that a cluster found. What a hit shows is made by the embedded engine, over the documents of the page.
import type { Log } from '@lockstitch/kernel';
import type { ClusterFound } from '../cluster/search-target.ts';
import { FoundHit } from '../collect/found-hit.ts';
import type { SearchResult } from '../collect/search-request.ts';
import type { Json } from '../json/json.ts';
import { FailingIndices } from '../search/failing-indices.ts';
import { mergeHits } from '../search/merge-hits.ts';
import type { Planned, Prepared } from '../search/prepared-search.ts';
import { printHits } from '../search/print-hits.ts';
import type { SearchBody } from '../search/search-body.ts';
import { type SearchOptions, withoutScores } from '../search/search.ts';
import { yieldTurn } from '../tasks/event-loop-queue.ts';
import { withBudget } from '../tasks/request-budget.ts';
import { notOnCluster } from './check-offered.ts';
import { asUnreadable } from './cluster-requests.ts';
import { Page } from './page.ts';
import { type SearchedIndexes, viewOf } from './searched-indexes.ts';

/** Hits as they are shown. */
interface Printed {
  readonly response: Json;
  /** The number of hits of each index. */
  readonly shown: readonly number[];
}

interface Printing {
  readonly planned: readonly Planned[];
  readonly body: SearchBody;
  readonly options: SearchOptions;
  readonly indexes: SearchedIndexes;
  readonly log: Log;
}

/** Printed without a pause: about 20 ms. */
const HITS_PER_TURN = 200;

/** Prints the best hits. Hits of one index are in order already, so many of them are printed in several turns. */
export async function printFound(found: readonly ClusterFound[], printing: Printing): Promise<Printed> {
  const [only] = found;
  if (found.length > 1 || only === undefined || only.hits.length <= HITS_PER_TURN)
    return await printPage(found, printing);
  const responses: Json[] = [];
  for (let from = 0; from < only.hits.length; from += HITS_PER_TURN) {
    const hits = only.hits.slice(from, from + HITS_PER_TURN);
    responses.push((await printPage([{ ...only, hits }], printing)).response);
    await yieldTurn();
  }
  const hits = responses.flatMap((each) => (each['hits'] as Json)['hits'] as readonly unknown[]);
  const [response = {}] = responses;
  return { response: { ...response, hits: { ...(response['hits'] as Json), hits } }, shown: [hits.length] };
}

async function printPage(
  found: readonly ClusterFound[],
  { planned, body, options, indexes, log }: Printing,
): Promise<Printed> {
  const pages: Page[] = [];
  try {
    for (const [at, { hits }] of found.entries()) {
      const { asked } = planned[at]!;
      const documents = hits.map(({ document }) => document);
      pages.push(await Page.open(indexes.infoOf(asked), documents, viewOf(asked)));
    }
    const isScroll = options.scroll !== undefined;
    return withBudget(options.limits, () => {
      const prepared = planned.map((each, at) => preparedOf(each, found[at]!, pages[at]!, body));
      const merged = mergeHits(prepared, body, planned.length === 1, isScroll).slice(
        0,
        isScroll ? body.size : undefined,
      );
      const targets = planned.map(({ asked }) => asked);
      const response = printHits(body, prepared, merged, options, new FailingIndices(targets, true), () => {
        throw notOnCluster('inner_hits', 'groups are searches of their own');
      });
      return { response, shown: planned.map((_, at) => merged.filter(({ target }) => target === at).length) };
    });
  } catch (error) {
    throw asUnreadable(error, log);
  } finally {
    for (const page of pages) await page.close();
  }
}

/** The hits of one index, in the order of the cluster, with what the page says of them. */
function preparedOf(planned: Planned, found: ClusterFound, page: Page, body: SearchBody): Prepared {
  const { ownSort, request } = planned;
  const { searcher } = page;
  const { collapse } = request;
  type SortKey = Parameters<typeof searcher.sortValues>[0];
  const hits = found.hits.map(({ document, score }, position) => {
    const { doc, segment } = page.place(document.key);
    const valueOf = (key: SortKey): ReturnType<ReturnType<typeof searcher.sortValues>> =>
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
