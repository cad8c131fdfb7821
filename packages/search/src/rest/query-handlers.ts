// Asks about a query instead of running it: is it valid (`_validate/query`), and why does this document match (`_explain`)?
import { checkIsOpen, shownType } from './index-state.ts';
import { openIndicesOf, resolveIndices, targetOf } from './index-names.ts';
import { type Answer, type Call, flagParam, jsonBody } from './request.ts';
import { fetchHit, printExplanation } from '../api/fetch.ts';
import { readFetchOptions } from '../api/search-body.ts';
import { type Target, targetQuery } from '../api/target.ts';
import { asObject } from '../json.ts';
import { parsingError, RequestError, validationError } from '../request-error.ts';
import { withUrl } from './search-url.ts';

/** `GET|POST [/{index}]/_validate/query`. */
export function validateQuery(call: Call): Answer {
  const explain = flagParam(call, 'explain');
  const shards = { total: 1, successful: 1, failed: 0 };
  const found = openIndicesOf(call.engine, call);
  try {
    const body = asObject(jsonBody(call) ?? {}, 'validate');
    for (const key of Object.keys(body)) if (key !== 'query') throw parsingError(`request does not support [${key}]`);
    const query = withUrl(call, body)['query'];
    const explanations = found.map((each) => {
      const target = targetOf(each, call);
      return { index: target.index.name, valid: true, explanation: JSON.stringify(targetQuery(target, query)) };
    });
    return { json: { _shards: shards, valid: true, ...(explain ? { explanations } : {}) } };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return {
      json: { valid: false, ...(explain ? { error: `${error.type}: ${error.message}` } : {}), _shards: shards },
    };
  }
}

/** `GET|POST /{index}/_explain/{id}`. */
export function explain(call: Call): Answer {
  const [found] = resolveIndices(call.engine, call.path['index']);
  checkIsOpen(found!.index);
  const target: Target = targetOf(found!, call);
  const body = asObject(jsonBody(call) ?? {}, 'explain');
  for (const key of Object.keys(body)) if (key !== 'query') throw parsingError(`request does not support [${key}]`);
  const json = withUrl(call, body);
  if (json['query'] === undefined) throw validationError('query is missing');
  const query = targetQuery(target, json['query']);
  const id = call.path['id']!;
  const searcher = target.index.searcher();
  try {
    const place = searcher.find(id);
    const head = { _index: target.index.name, _type: shownType(target.index, call.path['type']), _id: id };
    if (place === undefined) return { status: 404, json: { ...head, matched: false } };
    const explanation = searcher.explain(query, place.segment, place.doc);
    const wantsGet = json['_source'] !== undefined || json['stored_fields'] !== undefined;
    const hit = wantsGet
      ? fetchHit(target, searcher, place.segment, place.doc, Number.NaN, readFetchOptions(json), undefined)
      : {};
    return {
      json: {
        ...head,
        matched: explanation !== undefined,
        explanation: printExplanation(explanation),
        ...(wantsGet
          ? {
              get: {
                _seq_no: place.segment.seqNo(place.doc),
                _primary_term: place.segment.primaryTerm(place.doc),
                found: true,
                ...(hit['_source'] === undefined ? {} : { _source: hit['_source'] }),
                ...(hit['fields'] === undefined ? {} : { fields: hit['fields'] }),
              },
            }
          : {}),
      },
    };
  } finally {
    searcher.release();
  }
}
