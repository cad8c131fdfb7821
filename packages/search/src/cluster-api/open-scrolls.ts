// Scrolls over indexes of a cluster, between their pages. The cluster has one scroll per index, of which each answers a whole page: the hits
// that were fetched and not shown yet wait here, in bounded memory.
import { type ClusterFound, type ClusterHit, readFound } from '../cluster/search-target.ts';
import { RequestError } from '../errors/request-error.ts';
import type { SearchTarget } from '../fetch/target.ts';
import type { ClusterRequests } from './cluster-requests.ts';

/** An index of a scroll. */
export interface ScrollPart {
  id: string | undefined;
  /** Hits that were fetched and not shown yet. */
  rest: readonly ClusterHit[];
  readonly total: ClusterFound['total'];
  readonly maxScore: number;
  /** Latest time of the next request, by the monotonic clock, in milliseconds: soon after, the cluster drops the scroll. */
  renewAt: number;
}

interface OpenScroll {
  readonly parts: readonly ScrollPart[];
  /** Who opened it, if callers are distinguished. */
  readonly caller: string | undefined;
  /** Characters of the hits that wait. */
  held: number;
}

type Targets = readonly SearchTarget[];

/** Characters of all hits that wait. */
const MOST_HELD = 64 * 2 ** 20;
/** Maximum share of them for one caller. */
const SHARE = 1 / 5;

export class OpenScrolls {
  readonly #open = new Map<Targets, OpenScroll>();
  /** Hits whose source is a copy. */
  readonly #copied = new WeakSet<ClusterHit>();
  readonly #most: number;

  constructor(most = MOST_HELD) {
    this.#most = most;
  }

  partsOf(targets: Targets): readonly ScrollPart[] | undefined {
    return this.#open.get(targets)?.parts;
  }

  add(targets: Targets, parts: readonly ScrollPart[], caller: string | undefined): void {
    this.#open.set(targets, { parts, caller, held: 0 });
  }

  delete(targets: Targets): void {
    this.#open.delete(targets);
  }

  /**
   * Keeps the hits that a page does not show.
   *
   * @param shown how many hits of each index the page shows
   * @throws RequestError 429 where too many wait; the page may be asked for again
   */
  advance(targets: Targets, shown: readonly number[]): void {
    const scroll = this.#open.get(targets);
    if (scroll === undefined) return;
    const rests = scroll.parts.map(({ rest }, at) => rest.slice(shown[at]));
    const held = sum(rests.flat().map(({ document }) => document.source.length));
    const others = [...this.#open.values()].filter((each) => each !== scroll);
    const own = others.filter(({ caller }) => caller !== undefined && caller === scroll.caller);
    const isTooMuch =
      held + sum(others.map((each) => each.held)) > this.#most ||
      (scroll.caller !== undefined && held + sum(own.map((each) => each.held)) > this.#most * SHARE);
    if (held > 0 && isTooMuch)
      throw new RequestError(
        'SEARCH_TOO_MANY_REQUESTS',
        'es_rejected_execution_exception',
        'The hits that wait in open scrolls over several indices take too much memory.',
        { hint: 'Close scrolls once they are read, ask for smaller pages, or scroll over one index at a time.' },
      );
    scroll.held = held;
    for (const [at, part] of scroll.parts.entries()) part.rest = rests[at]!.map((hit) => this.#copyOf(hit));
  }

  /** A slice of a text keeps the whole text in memory: here an answer, most of which was shown already. */
  #copyOf(hit: ClusterHit): ClusterHit {
    if (this.#copied.has(hit)) return hit;
    const source = Buffer.from(hit.document.source).toString();
    const copy = { ...hit, document: { key: hit.document.key, source } };
    this.#copied.add(copy);
    return copy;
  }
}

/** The part of a scroll that an answer opened. */
export function partOf({ hits, maxScore, scrollId, total }: ClusterFound, renewAt: number): ScrollPart {
  return { id: scrollId, rest: hits, total, maxScore, renewAt };
}

/** The next hits of each index: those that wait, and more from the cluster if they are too few or its time is short. */
export async function nextPage(
  parts: readonly ScrollPart[],
  size: number,
  renewAt: number,
  requests: ClusterRequests,
): Promise<readonly ClusterFound[]> {
  return await Promise.all(
    parts.map(async (part): Promise<ClusterFound> => {
      const isDue = part.rest.length < size || performance.now() > part.renewAt;
      if (isDue && part.id !== undefined) {
        const { hits, scrollId } = await requests.read(async () => {
          const body = { scroll: requests.keepAlive, scroll_id: part.id };
          const answer = await requests.ask({ method: 'POST', path: '/_search/scroll', body, isRepeatable: false });
          return readFound(answer, undefined);
        });
        part.rest = [...part.rest, ...hits];
        part.id = scrollId ?? part.id;
        part.renewAt = renewAt;
      }
      const { id, maxScore, rest, total } = part;
      return { hits: rest, total, maxScore, scrollId: id, pitId: undefined, aggregations: undefined };
    }),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
