// `_rank_eval`: runs searches and says how good the order of their hits is.
import { reads, type Endpoint } from '../request/endpoint.ts';
import { EXPAND } from '../request/route-params.ts';
import { type Answer, type Call, missingBody } from '../request/request.ts';
import { objectBody } from '../request/object-body.ts';
import { errorBody } from '../../json/error-shape.ts';
import { illegalArgument } from '../../errors/request-error.ts';
import { isObject, type Json, setMember } from '../../json/json.ts';
import type { Template } from '../../json/mustache.ts';
import { within } from '../../json/object-parser.ts';
import { plainJson } from '../../json/print-json.ts';
import { type RankEvaluation, type RatedRequest, readRankEvaluation } from '../../search/rank-eval.ts';
import { checkSearchBody, checkSearchType, searchJson } from './search-handlers.ts';
import { readSource, renderSearch, type TemplateSource } from './search-template.ts';
import { TimeSlices } from '../../tasks/scheduler.ts';

/** What of a hit is read. */
interface RatedHit {
  readonly _index: string;
  readonly _id: string;
}

/** `GET|POST [/{index}]/_rank_eval`. */
async function rankEval(call: Call): Promise<Answer> {
  checkSearchType(call);
  const body = objectBody(call);
  if (body === undefined) throw missingBody(true);
  const evaluation = readRankEvaluation(body);
  const searchOf = searchMaker(call, evaluation);
  const slices = new TimeSlices();
  for (const request of evaluation.requests) {
    await slices.yield();
    await checkRated(call, request, searchOf);
  }
  const details: Record<string, Json> = {};
  const failures: Record<string, Json> = {};
  const scores: number[] = [];
  for (const request of evaluation.requests) {
    await slices.yield();
    try {
      // Searches of templates are made again: all of them together may be more than fits into memory.
      const { score, shown } = await evaluate(call, request, searchOf(request), evaluation);
      setMember(details, request.id, shown);
      scores.push(score);
    } catch (error) {
      setMember(failures, request.id, { error: errorBody(error).body['error'] });
    }
  }
  const score = scores.reduce((sum, each) => sum + each, 0) / scores.length;
  return { json: { metric_score: finiteOrText(score), details, failures } };
}

/** JSON has no NaN and no Infinity. */
const finiteOrText = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

/** Makes the searches of rated requests. The last template is kept: neighbours often share it. */
function searchMaker(call: Call, { templates }: RankEvaluation): (request: RatedRequest) => Json {
  let last: { readonly id: string; readonly template: Template } | undefined;
  return ({ asked }) => {
    if (asked.kind === 'search') return asked.search;
    const { id, params } = asked;
    if (last?.id !== id) {
      const script = templates.get(id);
      if (script === undefined) throw illegalArgument(`there is no template [${id}]`);
      last = { id, template: readSource(call, templateOf(script)) };
    }
    return renderSearch(last.template, params);
  };
}

/** @throws RequestError for a rated request whose search cannot be read */
async function checkRated(call: Call, request: RatedRequest, searchOf: (request: RatedRequest) => Json): Promise<void> {
  const search = searchOf(request);
  try {
    await checkSearchBody(call, search);
  } catch (error) {
    throw request.asked.kind === 'search' ? inRequests(error) : error;
  }
}

/** What is wrong with a search, told as a mistake of the requests. */
function inRequests(error: unknown): unknown {
  try {
    return within('rank_eval', 'requests', () =>
      within('request', 'request', () => {
        throw error;
      }),
    );
  } catch (told) {
    return told;
  }
}

function templateOf({ id, source }: Json): TemplateSource {
  if (typeof id === 'string') return { id };
  if (isObject(source)) return { source: JSON.stringify(source) };
  if (typeof source === 'string') return { source };
  throw illegalArgument('must specify either [source] for an inline script or [id] for a stored script');
}

async function evaluate(
  call: Call,
  { ratings, summaryFields }: RatedRequest,
  search: Json,
  { metric }: RankEvaluation,
): Promise<{ readonly score: number; readonly shown: Json }> {
  const _source = summaryFields.length > 0 ? { includes: summaryFields } : false;
  const json = { ...search, size: metric.size, _source };
  const { hits } = plainJson(await searchJson(call, json, call.path['index'])) as {
    readonly hits: { readonly hits: readonly RatedHit[] };
  };
  const keyOf = ({ _id, _index }: RatedHit): string => JSON.stringify([_index, _id]);
  const rated = new Map(ratings.map((each) => [keyOf(each), each.rating]));
  const found = hits.hits.map((hit) => ({ hit, rating: rated.get(keyOf(hit)) }));
  const { details, score } = metric.evaluate(
    found.map(({ rating }) => rating),
    [...rated.values()],
  );
  const shown = {
    metric_score: finiteOrText(score),
    unrated_docs: found.flatMap(({ hit: { _id, _index }, rating }) => (rating === undefined ? { _index, _id } : [])),
    hits: found.map(({ hit, rating }) => ({ hit, rating: rating ?? null })),
    metric_details: {
      [metric.name]: Object.fromEntries(Object.entries(details).map(([key, value]) => [key, finiteOrText(value)])),
    },
  };
  return { score, shown };
}

/** Quality of rankings. */
export const RANK_EVAL_ENDPOINTS: readonly Endpoint[] = [
  reads('GET POST', '/_rank_eval /{index}/_rank_eval', { ...EXPAND, search_type: 'text' }, rankEval),
];
