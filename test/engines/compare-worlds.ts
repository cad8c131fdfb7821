// Asks worlds on a cluster the same random queries under one view. Two worlds that differ only in hidden documents, histories and shards
// must answer alike to the last bit; in `exact`, ids, totals and scores are those of the embedded engine over the visible documents.
import { isProductError } from '@lockstitch/kernel';
import type { Engine } from '../../packages/search/src/engine/engine-api.ts';
import { type ClusterHits, ClusterSearcher } from '../../packages/search/src/cluster/cluster-search.ts';
import type { ClusterPlace } from '../../packages/search/src/cluster/compile-query.ts';
import { parseQuery } from '../../packages/search/src/dsl/parse-query.ts';
import type { Mapping } from '../../packages/search/src/mapping/mapping.ts';
import type { Query } from '../../packages/search/src/query/query.ts';
import type { Random } from '../../packages/search/src/requests/index.ts';
import { randomQuery } from '../../packages/search/src/requests/queries.ts';
import { Words } from '../../packages/search/src/requests/words.ts';
import { ask, surface } from './cluster-worlds.ts';
import { differing } from './differing.ts';

/** Relative: scores are sums of floats, whose order differs. */
const TOLERANCE = 1e-6;
/** The least float that has all its digits. */
const LEAST = 2 ** -126;

/** All documents of a world. */
const SIZE = 1000;

export interface Compared {
  /** Queries that were asked. */
  readonly asked: number;
  readonly refused: number;
  /** The largest relative difference between scores of a cluster and of the embedded engine. */
  readonly farthest: number;
  readonly differences: readonly string[];
}

export interface Worlds {
  readonly url: string;
  /** Indexes on the cluster. */
  readonly names: readonly string[];
  readonly place: ClusterPlace;
  /** The visible documents in the embedded engine; undefined: worlds are compared with each other only. */
  readonly embedded: Engine | undefined;
  readonly mapping: Mapping;
}

/** Asks so many random queries. */
export async function compareWorlds(worlds: Worlds, random: Random, cases: number): Promise<Compared> {
  const { embedded, mapping, names, place, url } = worlds;
  const searchers = names.map((name) => new ClusterSearcher((body) => ask(url, `POST /${name}/_search`, body), place));
  const differences: string[] = [];
  let [asked, refused, farthest] = [0, 0, 0];
  for (let attempt = 0; asked < cases && attempt < cases * 4; attempt++) {
    const json = randomQuery(new Words(random, surface, surface.indexes[0]!), 2);
    const query = readQuery(json, mapping);
    if (query === undefined) continue;
    const answers = await askWorlds(query, searchers);
    if (answers === 'refused') {
      refused++;
      continue;
    }
    asked++;
    const [first = '', ...others] = answers.map((each) => JSON.stringify(each));
    const other = others.find((each) => each !== first);
    if (other !== undefined) differences.push(`worlds differ: ${JSON.stringify(json)}\n${differing(first, other)}`);
    if (embedded === undefined) continue;
    const own = searchEmbedded(query, embedded);
    const distance = distanceOf(own, answers[0]!);
    if (typeof distance === 'string') differences.push(`${distance}: ${JSON.stringify(json)}`);
    else farthest = Math.max(farthest, distance);
  }
  return { asked, refused, farthest, differences };
}

/** Some queries are not read without an engine, as those that take their terms from a document. */
export class Unread extends Error {}

/** undefined: the engine refuses it, or has to be asked for its terms. */
export function readQuery(
  json: object,
  mapping: Mapping,
  defaultField: readonly string[] = ['title', 'body', 'author.name', 'tag'],
): Query | undefined {
  try {
    const lookup = (): never => {
      throw new Unread();
    };
    return parseQuery(json, { index: 'world', mapping, now: Date.UTC(2026, 5, 1), defaultField, aliases: [], lookup });
  } catch (error) {
    if (error instanceof Unread || isProductError(error)) return undefined;
    throw error;
  }
}

async function askWorlds(
  query: Query,
  searchers: readonly ClusterSearcher[],
): Promise<readonly ClusterHits[] | 'refused'> {
  const answers: ClusterHits[] = [];
  try {
    for (const searcher of searchers) answers.push(await searcher.search(query, { size: SIZE, trackTotalHits: true }));
  } catch (error) {
    if (isRefusal(error)) return 'refused';
    throw error;
  }
  return answers;
}

export function isRefusal(error: unknown): boolean {
  return isProductError(error) && error.code === 'SEARCH_NOT_ON_CLUSTER';
}

function searchEmbedded(query: Query, engine: Engine): ClusterHits {
  const searcher = engine.index('world').searcher();
  try {
    const sort = [{ kind: 'score' }, { kind: 'id' }] as const;
    const { hits, total } = searcher.search({ query, size: SIZE, sort, trackTotalHits: true });
    return { total: { value: total?.value ?? 0, relation: 'eq' }, hits: hits.map(({ id, score }) => ({ id, score })) };
  } finally {
    searcher.release();
  }
}

/** The largest relative distance of the scores, or what else differs. */
function distanceOf(own: ClusterHits, other: ClusterHits): number | string {
  if (own.total?.value !== other.total?.value) return `${other.total?.value} hits instead of ${own.total?.value}`;
  const scores = new Map(own.hits.map(({ id, score }) => [id, score]));
  let farthest = 0;
  for (const { id, score } of other.hits) {
    const expected = scores.get(id);
    if (expected === undefined) return `${id} is found`;
    const distance = Math.abs(expected - score) / Math.max(Math.abs(expected), LEAST);
    if (distance > TOLERANCE) return `${id} scores ${score} instead of ${expected}`;
    farthest = Math.max(farthest, distance);
  }
  const misplaced = other.hits.findIndex(({ score }, at) => at > 0 && score > other.hits[at - 1]!.score);
  return misplaced < 0 ? farthest : `hit ${misplaced} is before a better one`;
}
