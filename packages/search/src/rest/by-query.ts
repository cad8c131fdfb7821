// Deletes or re-indexes every document that a query finds.
import { checkWritable } from './writing.ts';
import { openIndicesOf, targetOf } from './index-names.ts';
import { type Answer, type Call, integerParam, jsonBody, param } from './request.ts';
import { targetQuery } from '../api/target.ts';
import type { Engine } from '../engine/engine-api.ts';
import type { Operation } from '../index/operation.ts';
import { asInteger, asObject, checkKeys } from '../json.ts';
import { unsupported, validationError } from '../request-error.ts';

/** `POST /{index}/_delete_by_query` and `_update_by_query`. */
export function byQuery(kind: 'delete' | 'update'): (engine: Engine, call: Call) => Promise<Answer> {
  return async (engine, call) => {
    const started = performance.now();
    const body = asObject(jsonBody(call) ?? {}, kind === 'delete' ? 'delete_by_query' : 'update_by_query');
    for (const key of ['script', 'slice']) {
      if (body[key] !== undefined)
        throw unsupported(`[${key}] in ${kind === 'delete' ? 'a delete' : 'an update'} by query`);
    }
    checkKeys(body, `${kind}_by_query`, ['query', 'max_docs', 'conflicts', 'size']);
    const limitGiven = integerParam(call, 'max_docs') ?? body['max_docs'] ?? body['size'];
    const limit = limitGiven === undefined || limitGiven === -1 ? Infinity : asInteger(limitGiven, 'max_docs');
    if (limit < 1) throw validationError(`[max_docs] must be greater than 0, found [${limit}]`);
    const q = param(call, 'q');
    const query = q === undefined ? body['query'] : { query_string: { query: q } };
    if (query === undefined && kind === 'delete') throw validationError('query is missing');
    let total = 0;
    let done = 0;
    const places = openIndicesOf(engine, call);
    // All are checked before one is written to: a refused request leaves everything as it was.
    for (const { index } of places) checkWritable(index, call);
    for (const found of places) {
      const { index } = found;
      const target = targetOf(found, call);
      const searcher = index.searcher();
      const operations: Operation[] = [];
      try {
        const parsed = targetQuery(target, query);
        for (const segment of searcher.segments) {
          const bits = searcher.matches(parsed, segment);
          for (let doc = 0; doc < segment.docCount; doc++) {
            if ((bits[doc >>> 5]! & (1 << (doc & 31))) === 0 || segment.nestedPath(doc) !== undefined) continue;
            if (total + operations.length >= limit) break;
            const condition = { ifSeqNo: segment.seqNo(doc), ifPrimaryTerm: segment.primaryTerm(doc) };
            const id = segment.id(doc);
            const routing = segment.routing(doc);
            operations.push(
              kind === 'delete'
                ? { kind, id, routing, ...condition }
                : { kind: 'index', id, source: segment.source(doc), routing, ...condition },
            );
          }
        }
      } finally {
        searcher.release();
      }
      total += operations.length;
      const results = await index.apply(operations);
      for (const result of results) if (result.kind === 'done') done++;
      if (param(call, 'refresh') !== undefined && param(call, 'refresh') !== 'false') await index.refresh();
    }
    const conflicts = total - done;
    return {
      status: conflicts > 0 && (param(call, 'conflicts') ?? body['conflicts']) !== 'proceed' ? 409 : 200,
      json: {
        took: Math.round(performance.now() - started),
        timed_out: false,
        total,
        ...(kind === 'delete' ? {} : { updated: done }),
        deleted: kind === 'delete' ? done : 0,
        batches: total === 0 ? 0 : 1,
        version_conflicts: conflicts,
        noops: 0,
        retries: { bulk: 0, search: 0 },
        throttled_millis: 0,
        requests_per_second: -1,
        throttled_until_millis: 0,
        failures: [],
      },
    };
  };
}
