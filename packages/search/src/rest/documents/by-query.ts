// Deletes or re-indexes every document that a query finds.
import { ByQueryOutcome } from './by-query-outcome.ts';
import { batchSize, checkSearchKeys, mostDocuments, proceeds } from './by-query-params.ts';
import { checkWritable } from './writing.ts';
import { readableIndicesOf } from '../request/index-names.ts';
import { type Answer, type Call, durationParam, integerParam, jsonBody, param } from '../request/request.ts';
import { type FoundDocument, foundDocuments } from './found-documents.ts';
import { portions } from './portions.ts';
import { openTargets, releaseTargets, type SearchState } from '../request/search-state.ts';
import { parseBody } from '../search/search-handlers.ts';
import { withUrl } from '../request/search-url.ts';
import { readSlice, type SearchBody } from '../../api/search-body.ts';
import type { Operation } from '../../index/operation.ts';
import { asInteger, asObject } from '../../json.ts';
import { unsupported, validationError } from '../../request-error.ts';

/** Reads a request, as Elasticsearch does before it looks its indices up. @throws RequestError for its first mistake */
export function parseByQuery(kind: Kind): (state: SearchState, call: Call) => Promise<void> {
  return async (state, call) => {
    const { conflicts: _, max_docs: _most, ...search } = asObject(jsonBody(call) ?? {}, `${kind}_by_query`);
    await parseBody(state, call, search);
    readByQuery(kind, call);
  };
}

type Kind = 'delete' | 'update';

interface ByQuery {
  readonly query: unknown;
  readonly limit: number;
  readonly limitEach: number | undefined;
  readonly batch: number;
  readonly proceed: boolean;
  readonly slice: SearchBody['slice'];
}

/** `POST /{index}/_delete_by_query` and `_update_by_query`. */
export function byQuery(kind: Kind): (state: SearchState, call: Call) => Promise<Answer> {
  return async (state, call) => {
    const outcome = new ByQueryOutcome();
    const plan = readByQuery(kind, call);
    const places = readableIndicesOf(call.engine, call);
    // All are checked before one is written to: a refused request leaves everything as it was.
    for (const { index } of places) checkWritable(index, call);
    const targets = openTargets(places, call, plan.slice);
    let done = 0;
    try {
      const time = durationParam(call, 'search_timeout');
      for (const batch of await foundDocuments(state, call, targets, { ...plan, time })) {
        const { index } = targets[batch[0]!.target]!.target;
        outcome.batches++;
        for await (const operations of portions(batch, (found) => operationOf(kind, found))) {
          for (const result of await index.apply(operations)) {
            outcome.total++;
            if (result.kind === 'done') done++;
            else outcome.refused(result, index, plan.proceed);
          }
          if (!outcome.isWell) break;
        }
        if (!outcome.isWell) break;
      }
    } finally {
      releaseTargets(targets);
    }
    const refresh = param(call, 'refresh');
    if (refresh !== undefined && refresh !== 'false') for (const { index } of places) await index.refresh();
    return outcome.answer(kind === 'delete' ? { deleted: done } : { updated: done, deleted: 0 }, plan.slice);
  };
}

function operationOf(kind: Kind, { segment, doc }: FoundDocument): Operation | Promise<Operation> {
  const shared = {
    id: segment.id(doc),
    routing: segment.routing(doc),
    ifSeqNo: segment.seqNo(doc),
    ifPrimaryTerm: segment.primaryTerm(doc),
  };
  if (kind === 'delete') return { kind, ...shared };
  const written = (source: Uint8Array): Operation => ({ kind: 'index', source, ...shared });
  const read = segment.readSource(doc);
  return read instanceof Uint8Array ? written(read) : read().then(written);
}

function readByQuery(kind: Kind, call: Call): ByQuery {
  const request = kind === 'delete' ? 'a delete by query' : 'an update by query';
  const body = asObject(jsonBody(call) ?? {}, `${kind}_by_query`);
  for (const key of ['script', 'sort']) if (body[key] !== undefined) throw unsupported(`[${key}] in ${request}`);
  checkSearchKeys(body, ['query', 'max_docs', 'conflicts', 'size', 'slice']);
  for (const key of ['pipeline', 'sort'])
    if (param(call, key) !== undefined) throw unsupported(`[${key}] in ${request}`);
  if (param(call, 'from') !== undefined)
    throw validationError('using [from] is not allowed in a scroll context', 'from is not supported in this context');
  const { query } = withUrl(call, { query: body['query'] });
  // `null` asks nothing: everything must not be deleted for it.
  if ((query ?? undefined) === undefined && kind === 'delete') throw validationError('query is missing');
  const limit = mostDocuments(call, body);
  const batch = batchSize(
    body['size'] === undefined ? (integerParam(call, 'scroll_size') ?? 1000) : asInteger(body['size'], 'size'),
    'scroll_size',
  );
  const limitEach = integerParam(call, 'terminate_after');
  return {
    query,
    limit,
    limitEach: limitEach === 0 ? undefined : limitEach,
    batch,
    proceed: proceeds(param(call, 'conflicts') ?? body['conflicts']),
    slice: readSlice(body['slice']),
  };
}
