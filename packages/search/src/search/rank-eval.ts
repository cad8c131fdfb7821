// How good the order of hits is, by documents that people rated: the metrics of `_rank_eval`, and how its body is read.
import { javaLog } from '../json/java-log.ts';
import { asObject, type Json, toList } from '../json/json.ts';
import { built, checkRequired, FLAG, INTEGER, type Member, parseObject, TEXT, TEXTS } from '../json/object-parser.ts';
import { illegalArgument, parsingError, RequestError } from '../errors/request-error.ts';

/** A document by name. */
export interface DocumentKey {
  readonly _index: string;
  readonly _id: string;
}

/** What a metric says of one search. */
export interface Quality {
  readonly score: number;
  readonly details: Json;
}

/** A metric. */
export interface RankMetric {
  readonly name: string;
  /** Hits that are looked at. */
  readonly size: number;
  /** @param hits their ratings in order, undefined for those without one @param rated of all documents that have one */
  readonly evaluate: (hits: readonly (number | undefined)[], rated: readonly number[]) => Quality;
}

/** A search with ratings of documents. */
export interface RatedRequest {
  readonly id: string;
  readonly asked:
    | { readonly kind: 'search'; readonly search: Json }
    | { readonly kind: 'template'; readonly id: string; readonly params: Json };
  readonly ratings: readonly (DocumentKey & { readonly rating: number })[];
  readonly summaryFields: readonly string[];
}

/** The body of `_rank_eval`. */
export interface RankEvaluation {
  readonly metric: RankMetric;
  readonly requests: readonly RatedRequest[];
  /** Templates by id: scripts, as they stand in the body. */
  readonly templates: ReadonlyMap<string, Json>;
}

/** Searches of one request at most, and ratings of one search. */
const MOST_REQUESTS = 1000;
const MOST_RATINGS = 10_000;

const objects: Member<readonly unknown[]> = { kind: 'objects', read: toList };
const object: Member<Json> = { kind: 'object', read: (value, name) => asObject(value, name) };

const MEMBERS = {
  templates: { kind: 'objects', read: (value) => toList(value).map(readTemplate) },
  requests: { kind: 'objects', read: (value) => toList(value).map(readRequest) },
  metric: { kind: 'object', read: readMetric },
  max_concurrent_searches: INTEGER,
} as const satisfies Readonly<Record<string, Member<unknown>>>;

/** Reads the body. @throws RequestError */
export function readRankEvaluation(body: Json): RankEvaluation {
  const {
    max_concurrent_searches: most = 10,
    metric,
    requests,
    templates = [],
  } = parseObject(body, 'rank_eval', MEMBERS);
  checkRequired(body, 'requests', 'metric');
  if (metric === undefined || requests === undefined) throw illegalArgument('Required [requests, metric]');
  const byId = new Map(templates);
  built('rank_eval', () => {
    if (requests.length === 0)
      throw illegalArgument('Cannot evaluate ranking if no search requests with rated results are provided. Seen: []');
    if (requests.length > MOST_REQUESTS)
      throw illegalArgument(`at most [${MOST_REQUESTS}] requests are evaluated together, not [${requests.length}]`);
    const lacking = byId.size > 0 ? undefined : requests.find(({ asked }) => asked.kind === 'template');
    if (lacking !== undefined)
      throw new RequestError(
        'SEARCH_PARSING',
        'illegal_state_exception',
        `Cannot evaluate ranking if neither template nor evaluation request is provided. Seen for request id: ${lacking.id}`,
      );
  });
  if (most < 1) throw illegalArgument('maxConcurrentSearchRequests must be positive');
  return { metric, requests, templates: byId };
}

function readTemplate(given: unknown): readonly [string, Json] {
  const body = asObject(given, 'templates');
  const { id, template } = parseObject(body, 'template', { id: TEXT, template: object });
  checkRequired(body, 'id', 'template');
  return [id ?? '', template ?? {}];
}

const REQUEST = {
  id: TEXT,
  request: object,
  ratings: { ...objects, read: (value: unknown) => toList(value).map(readRating) },
  params: object,
  summary_fields: TEXTS,
  template_id: TEXT,
} as const;

/** What a rated search may not ask for. */
const UNWANTED: readonly (readonly [readonly string[], string])[] = [
  [['aggs', 'aggregations'], 'contain aggregations'],
  [['suggest'], 'contain a suggest section'],
  [['highlight'], 'contain a highlighter section'],
  [['explain'], 'use explain'],
  [['profile'], 'use profile'],
];

function readRequest(given: unknown): RatedRequest {
  const body = asObject(given, 'requests');
  const read = parseObject(body, 'request', REQUEST);
  checkRequired(body, 'id', 'ratings');
  const {
    id = '',
    params = {},
    ratings = [],
    request,
    summary_fields: summaryFields = [],
    template_id: templateId,
  } = read;
  const hasParams = Object.keys(params).length > 0;
  return built('request', () => {
    if (request !== undefined && (hasParams || templateId !== undefined))
      throw illegalArgument(
        'Ambiguous rated request: Set both, verbatim test request and test request template parameters.',
      );
    if (request === undefined && (!hasParams || templateId === undefined))
      throw illegalArgument(
        hasParams
          ? 'If template parameters are supplied need to set id of template to apply them to too.'
          : 'Need to set at least test request or test request template parameters.',
      );
    if (request !== undefined) checkWanted(request);
    checkRatings(id, ratings);
    return {
      id,
      asked:
        request === undefined
          ? { kind: 'template', id: templateId ?? '', params }
          : { kind: 'search', search: request },
      ratings,
      summaryFields,
    };
  });
}

function checkWanted(request: Json): void {
  for (const [names, what] of UNWANTED)
    if (names.some((name) => request[name] !== undefined && request[name] !== false))
      throw illegalArgument(`Query in rated requests should not ${what}.`);
}

const RATING = { _index: TEXT, _id: TEXT, rating: INTEGER } as const;

function readRating(given: unknown): DocumentKey & { readonly rating: number } {
  const body = asObject(given, 'ratings');
  const { _id = '', _index = '', rating = 0 } = parseObject(body, 'rated_document', RATING);
  checkRequired(body, '_index', '_id', 'rating');
  return { _index, _id, rating };
}

function checkRatings(id: string, ratings: readonly DocumentKey[]): void {
  if (ratings.length > MOST_RATINGS)
    throw illegalArgument(`at most [${MOST_RATINGS}] documents are rated for one request, not [${ratings.length}]`);
  const seen = new Set<string>();
  for (const { _id, _index } of ratings) {
    const key = JSON.stringify({ _index, _id });
    if (seen.has(key))
      throw illegalArgument(`Found duplicate rated document key [${key}] in evaluation request [${id}]`);
    seen.add(key);
  }
}

const K = { k: INTEGER } as const;
const RELEVANCE = { ...K, relevant_rating_threshold: INTEGER } as const;
const UNKNOWN = { ...K, unknown_doc_rating: INTEGER } as const;
const DEFAULT_SIZE = 10;

/** Metrics by name. */
const METRICS: Readonly<Record<string, (body: Json) => RankMetric>> = {
  precision(body) {
    const given = parseObject(body, 'precision', { ...RELEVANCE, ignore_unlabeled: FLAG });
    const { isRelevant, size } = relevance('precision', given);
    const ignores = given.ignore_unlabeled ?? false;
    return {
      name: 'precision',
      size,
      evaluate(hits) {
        const relevant = hits.filter(isRelevant).length;
        const retrieved = hits.filter((rating) => rating !== undefined || !ignores).length;
        return {
          score: retrieved === 0 ? 0 : relevant / retrieved,
          details: { relevant_docs_retrieved: relevant, docs_retrieved: retrieved },
        };
      },
    };
  },
  recall(body) {
    const { isRelevant, size } = relevance('recall', parseObject(body, 'recall', RELEVANCE));
    return {
      name: 'recall',
      size,
      evaluate(hits, rated) {
        const [found, all] = [hits, rated].map((ratings) => ratings.filter(isRelevant).length) as [number, number];
        return {
          score: all === 0 ? 0 : found / all,
          details: { relevant_docs_retrieved: found, relevant_docs: all },
        };
      },
    };
  },
  mean_reciprocal_rank(body) {
    const { isRelevant, size } = relevance('reciprocal_rank', parseObject(body, 'reciprocal_rank', RELEVANCE));
    return {
      name: 'mean_reciprocal_rank',
      size,
      evaluate(hits) {
        const first = hits.findIndex(isRelevant) + 1;
        return { score: first === 0 ? 0 : 1 / first, details: { first_relevant: first === 0 ? -1 : first } };
      },
    };
  },
  dcg(body) {
    const given = parseObject(body, 'dcg_at', { ...UNKNOWN, normalize: FLAG });
    const { k: size = DEFAULT_SIZE, normalize = false, unknown_doc_rating: unknown } = given;
    return {
      name: 'dcg',
      size,
      evaluate(hits, rated) {
        const dcg = dcgOf(hits.map((rating) => rating ?? unknown));
        const unrated = { unrated_docs: hits.filter((rating) => rating === undefined).length };
        if (!normalize) return { score: dcg, details: { dcg, ...unrated } };
        const ideal = dcgOf([...rated].sort((a, b) => b - a).slice(0, hits.length));
        const score = ideal === 0 ? 0 : dcg / ideal;
        const normalized = ideal === 0 ? {} : { ideal_dcg: ideal, normalized_dcg: score };
        return { score, details: { dcg, ...normalized, ...unrated } };
      },
    };
  },
  expected_reciprocal_rank(body) {
    const given = parseObject(body, 'expected_reciprocal_rank', { ...UNKNOWN, maximum_relevance: INTEGER });
    checkRequired(body, 'maximum_relevance');
    const { k: size = DEFAULT_SIZE, maximum_relevance: most = 0, unknown_doc_rating: unknown } = given;
    return {
      name: 'expected_reciprocal_rank',
      size,
      evaluate(hits) {
        let [score, goesOn] = [0, 1];
        hits.forEach((rating, at) => {
          const known = rating ?? unknown;
          if (known === undefined) return;
          const stops = (2 ** known - 1) / 2 ** most;
          score += (goesOn * stops) / (at + 1);
          goesOn *= 1 - stops;
        });
        return { score, details: { unrated_docs: hits.filter((rating) => rating === undefined).length } };
      },
    };
  },
};

/** From which rating on a document is relevant, and how many hits count. */
function relevance(
  name: string,
  {
    k: size = DEFAULT_SIZE,
    relevant_rating_threshold: threshold = 1,
  }: { k?: number; relevant_rating_threshold?: number },
): { readonly size: number; readonly isRelevant: (rating: number | undefined) => boolean } {
  built(name, () => {
    if (threshold < 0) throw illegalArgument('Relevant rating threshold for precision must be positive integer.');
    if (size <= 0) throw illegalArgument('Window size k must be positive.');
  });
  return { size, isRelevant: (rating) => rating !== undefined && rating >= threshold };
}

/** Discounted cumulative gain: later hits count less. */
function dcgOf(ratings: readonly (number | undefined)[]): number {
  return ratings.reduce<number>(
    (sum, rating, at) => (rating === undefined ? sum : sum + (2 ** rating - 1) / (javaLog(at + 2) / Math.LN2)),
    0,
  );
}

function readMetric(given: unknown): RankMetric {
  const body = asObject(given, 'metric');
  const [name, ...others] = Object.keys(body);
  const read = name !== undefined && Object.hasOwn(METRICS, name) ? METRICS[name] : undefined;
  if (name === undefined || read === undefined)
    throw new RequestError('SEARCH_PARSING', 'named_object_not_found_exception', `unknown field [${name ?? ''}]`);
  const metric = read(asObject(body[name], name));
  if (others.length > 0)
    throw parsingError('Failed to parse object: expecting token of type [END_OBJECT] but found [FIELD_NAME]');
  return metric;
}
