// Why one document matches a query and what its score is made of, with its source if asked. The words around it are the REST layer's.
import type { Json } from '../json/json.ts';
import { type RequestLimits, withBudget } from '../tasks/request-budget.ts';
import { fetchHit, printExplanation } from '../fetch/fetch.ts';
import { readFetchOptions } from '../fetch/fetch-options.ts';
import { explainedQuery, type SearchTarget } from '../fetch/target.ts';

/** Explains a document of a target; undefined when there is no such document. @param json query, `_source` and `stored_fields` as asked */
export function runExplain(id: string, json: Json, asked: SearchTarget, limits: RequestLimits): Json | undefined {
  return withBudget(limits, () => {
    const { searcher, target } = asked;
    const place = searcher.find(id);
    if (place === undefined) return undefined;
    const query = explainedQuery(asked, json['query']);
    const explanation = searcher.explainAs(target.mapping, query, place.segment, place.doc);
    const answer = { matched: explanation?.fails !== true, explanation: printExplanation(explanation) };
    const { _source: source, stored_fields: stored } = json;
    if (stored === undefined && (source === undefined || source === false || source === 'false')) return answer;
    const options = readFetchOptions(json);
    const hit = fetchHit(target, searcher, place.segment, place.doc, Number.NaN, options, undefined);
    const routing = place.segment.routing(place.doc);
    return {
      ...answer,
      get: {
        _seq_no: place.segment.seqNo(place.doc),
        _primary_term: place.segment.primaryTerm(place.doc),
        ...(routing === undefined ? {} : { _routing: routing }),
        found: true,
        ...(hit['_source'] === undefined ? {} : { _source: hit['_source'] }),
        ...(hit['fields'] === undefined ? {} : { fields: hit['fields'] }),
      },
    };
  });
}
