// `rescore`: the best hits of each index get a second, dearer score, and a new order among all that were found.
import { parseInnerQuery } from '../dsl/parse-query.ts';
import type { Hit, Searcher } from '../collect/search-request.ts';
import type { Explanation } from '../query/explanation.ts';
import { asInteger, asObject, isObject, type Json, knownHere, textOf, toList, tokenOf } from '../json/json.ts';
import { type Member, NUMBER, parseObject } from '../json/object-parser.ts';
import { withoutNarrowing } from '../query/lucene/nested-scope.ts';
import type { Query } from '../query/query.ts';
import { illegalArgument, parsingError, RequestError, shardArgument } from '../errors/request-error.ts';
import { compareKeys } from '../text/compare-keys.ts';
import type { Target } from '../fetch/target.ts';

const { fround } = Math;
const MODES = ['total', 'multiply', 'avg', 'max', 'min'] as const;

/** One pass over the best hits, as asked. */
export interface Rescore {
  readonly window: number;
  /** JSON still: it means something only together with a mapping. */
  readonly query: unknown;
  readonly queryWeight: number;
  readonly rescoreWeight: number;
  readonly mode: (typeof MODES)[number];
}

/** Reads `rescore`: one pass or a list of them. */
export function readRescore(value: unknown): readonly Rescore[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null)
    throw parsingError(`Unknown key for a ${tokenOf(value)} in [rescore].`);
  return toList(value).map((each) => {
    const pass = asObject(each, 'rescore');
    for (const [key, member] of Object.entries(pass)) checkPass(key, member);
    if (pass['query'] === undefined) throw parsingError('missing rescore type');
    const body = parseObject(pass['query'] as Json, 'query', MEMBERS);
    if (body.rescore_query === undefined) throw illegalArgument('rescore_query cannot be null');
    const window = pass['window_size'] === undefined ? 10 : asInteger(pass['window_size'], 'window_size');
    return {
      window,
      query: body.rescore_query,
      queryWeight: fround(body.query_weight ?? 1),
      rescoreWeight: fround(body.rescore_query_weight ?? 1),
      mode: body.score_mode ?? 'total',
    };
  });
}

/** @throws RequestError for a member of a pass that is neither its window nor its kind */
function checkPass(key: string, value: unknown): void {
  if (key === 'window_size') {
    if (value === null || typeof value === 'object')
      throw parsingError(`unexpected token [${tokenOf(value)}] after [window_size]`);
  } else if (!isObject(value))
    throw parsingError(
      `rescore doesn't support [${key}]`,
      key === 'query' ? undefined : knownHere(key, ['window_size', 'query']),
    );
  else if (key !== 'query')
    throw new RequestError('SEARCH_PARSING', 'named_object_not_found_exception', `unknown field [${key}]`);
}

const MEMBERS = {
  rescore_query: { kind: 'object', read: (value) => value },
  query_weight: NUMBER,
  rescore_query_weight: NUMBER,
  score_mode: {
    kind: 'string',
    read(value) {
      const found = MODES.find((mode) => mode === textOf(value).toLowerCase());
      if (found === undefined) throw illegalArgument(`illegal score_mode [${textOf(value)}]`);
      return found;
    },
  },
} as const satisfies Readonly<Record<string, Member<unknown>>>;

/** @throws RequestError for a pass over more hits than the index allows */
export function checkRescoreWindow(passes: readonly Rescore[], limit: number): void {
  for (const { window } of passes)
    if (window > limit)
      throw shardArgument(
        `Rescore window [${window}] is too large. It must be less than [${limit}]. This prevents allocating massive heaps for storing the results to be rescored. This limit can be set by changing the [index.max_rescore_window] index level setting.`,
      );
}

/** How many hits have to be found for a page of so many: those that are scored again are found first. */
export function rescoreSize(passes: readonly Rescore[], page: number): number {
  return passes.reduce((most, { window }) => Math.max(most, window), page);
}

function combine({ mode, queryWeight, rescoreWeight }: Rescore, first: number, second: number | undefined): number {
  const primary = fround(first * queryWeight);
  if (second === undefined) return primary;
  const secondary = fround(second * rescoreWeight);
  switch (mode) {
    case 'total':
      return fround(primary + secondary);
    case 'multiply':
      return fround(primary * secondary);
    case 'avg':
      return fround(fround(primary + secondary) / 2);
    case 'max':
      return Math.max(primary, secondary);
    case 'min':
      return Math.min(primary, secondary);
  }
}

/** Scores the best of some hits again and puts all in their new order. */
export function rescored(
  found: readonly Hit[],
  passes: readonly Rescore[],
  target: Target,
  searcher: Searcher,
): readonly Hit[] {
  let hits = found;
  for (const pass of passes) {
    // Elasticsearch makes room for so many only where there is something to score again.
    if (pass.window < 0 && hits.length > 0)
      throw new RequestError('SEARCH_SHARD_FAILURE', 'negative_array_size_exception', String(pass.window), {
        phase: true,
      });
    const seconds = secondScores(hits.slice(0, pass.window), parseInnerQuery(pass.query, target.context), searcher);
    // Those past the window are weighed like those the second query does not match (QueryRescorer.combine).
    hits = hits
      .map(({ segment, doc, position, id, score, rescoredBy = [] }, at): Hit => {
        const passes = at < pass.window ? [...rescoredBy, pass] : rescoredBy;
        return { segment, doc, position, id, score: combine(pass, score, seconds.get(id)), rescoredBy: passes };
      })
      .sort(
        (a, b) => b.score - a.score || (searcher.tiesById === true ? compareKeys(a.id, b.id) : a.position - b.position),
      );
  }
  return hits;
}

function secondScores(hits: readonly Hit[], query: Query, searcher: Searcher): ReadonlyMap<string, number> {
  if (hits.length === 0) return new Map();
  const within: Query = { kind: 'ids', ids: hits.map(({ id }) => id) };
  const { hits: again } = searcher.search({
    query: { kind: 'boolean', must: [query], filter: [within] },
    size: hits.length,
    trackTotalHits: false,
  });
  return new Map(again.map(({ id, score }) => [id, score]));
}

/** How the score of a hit came about, pass by pass (Elasticsearch's QueryRescorer.explain). */
export function explainRescore(
  hit: Hit,
  first: Explanation | undefined,
  passes: readonly Rescore[],
  target: Target,
  searcher: Searcher,
): Explanation | undefined {
  const weighted = (inner: Explanation, weight: number, name: string): Explanation => ({
    value: fround(inner.value * weight),
    description: 'product of:',
    details: [inner, { value: weight, description: name, details: [] }],
  });
  let explanation = first;
  for (const pass of passes) {
    if (explanation === undefined) return undefined;
    const primary = weighted(explanation, pass.queryWeight, 'primaryWeight');
    const query = parseInnerQuery(pass.query, target.context);
    const isInWindow = hit.rescoredBy?.includes(pass) === true;
    const types = withoutNarrowing(target.mapping);
    const second = isInWindow ? searcher.explainAs(types, query, hit.segment, hit.doc) : undefined;
    if (second === undefined || second.fails === true) explanation = primary;
    else {
      const secondary = weighted(second, pass.rescoreWeight, 'secondaryWeight');
      explanation = {
        value: combine(pass, explanation.value, second.value),
        description: `${MODE_NAMES[pass.mode]} of:`,
        details: [primary, secondary],
      };
    }
  }
  return explanation;
}

const MODE_NAMES = { total: 'sum', multiply: 'product', avg: 'avg', max: 'max', min: 'min' };
