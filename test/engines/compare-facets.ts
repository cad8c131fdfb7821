// Asks worlds on a cluster the same random aggregations under one view. Worlds that differ only in hidden documents, histories and shards
// must answer alike, and as the REST API of the embedded engine does over the visible documents.
import { createRestApi, type RestApi } from '@lockstitch/search';
import { ClusterSearcher } from '../../packages/search/src/cluster/cluster-search.ts';
import { clusterVerdicts } from '../../packages/search/src/aggs/definitions.ts';
import type { Engine } from '../../packages/search/src/engine/engine-api.ts';
import type { Json } from '../../packages/search/src/json/json.ts';
import { AGGREGATIONS, type Random } from '../../packages/search/src/requests/index.ts';
import { Words } from '../../packages/search/src/requests/words.ts';
import { ask, surface } from './cluster-worlds.ts';
import { type Compared, isRefusal, readQuery, Unread, type Worlds } from './compare-worlds.ts';

/** Relative: sums of fractions depend on the order of documents. */
const TOLERANCE = 1e-9;

/** Asks so many random aggregations. */
export async function compareFacets(
  { mapping, names, place, url }: Worlds,
  embedded: { readonly engine: Engine; readonly ownMembers: readonly string[] },
  random: Random,
  cases: number,
): Promise<Compared> {
  const rest = createRestApi(embedded.engine);
  const searchers = names.map((name) => new ClusterSearcher((body) => ask(url, `POST /${name}/_search`, body), place));
  const differences: string[] = [];
  let [asked, refused] = [0, 0];
  for (let attempt = 0; asked < cases && attempt < cases * 4; attempt++) {
    const aggregations = { a: randomFacet(random, 2), b: randomFacet(random, 1) };
    const query = { match: { title: random.pick(['red', 'amber fox', 'the']) } };
    const expected = await askEmbedded(rest, { size: 0, query, aggs: aggregations });
    const read = readQuery(query, mapping);
    if (expected === undefined || read === undefined) continue;
    const answers: Json[] = [];
    try {
      const parseQuery = (json: unknown) => {
        const inside = readQuery(json as object, mapping, ['*']);
        if (inside === undefined) throw new Unread();
        return inside;
      };
      for (const searcher of searchers) {
        const options = { size: 0, trackTotalHits: true, aggregations: { json: aggregations, parseQuery } };
        answers.push((await searcher.search(read, options)).aggregations ?? {});
      }
    } catch (error) {
      if (error instanceof Unread || isRefusal(error)) refused++;
      else differences.push(`${String(error)}: ${JSON.stringify(aggregations)}`);
      continue;
    }
    asked++;
    for (const [at, answer] of answers.entries()) {
      const different = differenceOf(expected, answer, { ownMembers: embedded.ownMembers });
      if (different !== undefined) differences.push(`${names[at]} ${different}: ${JSON.stringify(aggregations)}`);
    }
  }
  rest.close();
  return { asked, refused, farthest: 0, differences };
}

/** One of a kind that is not refused. */
function randomFacet(random: Random, depth: number): object {
  const words = new Words(random, surface, surface.indexes[0]!);
  const verdicts = clusterVerdicts();
  const kinds = Object.keys(AGGREGATIONS).filter((kind) => verdicts[kind]?.kind !== 'refused');
  const make = (left: number): object => {
    const kind = left > 0 ? random.pick(kinds) : random.pick(['terms', 'max', 'value_count', 'stats']);
    return words.make(AGGREGATIONS[kind]!, () => make(left - 1)) as object;
  };
  return make(depth);
}

/** undefined: the engine refuses it. */
async function askEmbedded(rest: RestApi, body: object): Promise<Json | undefined> {
  const { body: text, status } = await rest.handle({
    method: 'POST',
    path: '/world/_search',
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  });
  return status === 200 ? ((JSON.parse(text) as Json)['aggregations'] as Json) : undefined;
}

interface Comparing {
  /** Members that the cluster computes in its own way. */
  readonly ownMembers: readonly string[];
  readonly path?: string;
  /** Absolute, beside the relative `TOLERANCE`. */
  readonly slack?: number;
}

/** Where two answers differ; undefined: they do not. */
function differenceOf(expected: unknown, found: unknown, comparing: Comparing): string | undefined {
  const { ownMembers, path = '', slack = 0 } = comparing;
  if (typeof expected === 'number' && typeof found === 'number') {
    const isNear = Math.abs(expected - found) <= TOLERANCE * Math.max(1, Math.abs(expected)) + slack;
    return isNear ? undefined : `${path} is ${found} instead of ${expected}`;
  }
  if (typeof expected !== 'object' || expected === null || typeof found !== 'object' || found === null)
    return expected === found
      ? undefined
      : `${path} is ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`;
  const slackOf = slackOfDeviations(expected as Json);
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    // Engines print large years in different ways; the product prints them itself.
    if ((key.endsWith('_as_string') && key !== 'key_as_string') || ownMembers.includes(key)) continue;
    const inside = { ...comparing, path: `${path}/${key}`, slack: slackOf(key) ?? slack };
    const different = differenceOf((expected as Json)[key], (found as Json)[key], inside);
    if (different !== undefined) return different;
  }
  return undefined;
}

/** Rounding errors that count: of the sums of squares of each shard, of their sum, and of the squared average. */
const ROUNDING_ERRORS = 8;

/**
 * How far members of extended statistics may be apart. A variance is the difference of the average square and the squared average: where
 * these are large, as with dates, it keeps the rounding errors of both.
 */
function slackOfDeviations({ avg, count, std_deviation, std_deviation_bounds, sum_of_squares }: Json) {
  if (typeof sum_of_squares !== 'number' || typeof count !== 'number' || count === 0) return () => undefined;
  const population = (ROUNDING_ERRORS * Number.EPSILON * sum_of_squares) / count;
  const sampling = count > 1 ? (population * count) / (count - 1) : population;
  // The root of a sum is not further off than by the root of what was added, and for a large one by its derivative.
  const deviation = sampling / Math.max(Number(std_deviation), Math.sqrt(sampling), Number.MIN_VALUE);
  const { upper } = (std_deviation_bounds ?? {}) as Json;
  const sigmas = Number(std_deviation) > 0 ? Math.abs(Number(upper) - Number(avg)) / Number(std_deviation) : 2;
  return (key: string): number | undefined => {
    if (key.startsWith('variance')) return sampling;
    if (key === 'std_deviation_bounds') return deviation * Math.max(1, Number.isFinite(sigmas) ? sigmas : 2);
    return key.startsWith('std_deviation') ? deviation : undefined;
  };
}
