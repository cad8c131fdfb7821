// Requests to a search cluster. An answer is complete, or an error: one of only some shards would lack documents. Errors of the cluster
// may quote documents, so none of their text is passed on.
import { type Log, reasonOf } from '@lockstitch/kernel';
import { searchError } from '../errors/search-errors.ts';
import { RequestError } from '../errors/request-error.ts';
import { TOO_MANY_BUCKETS, tooManyBuckets } from '../aggs/aggregator.ts';
import { isObject, type Json, toList } from '../json/json.ts';
import type { OutageLog } from './outage-log.ts';

/** One request to a cluster. */
export interface ClusterAsk {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With its parameters. */
  readonly path: string;
  readonly body?: Json;
  /** Whether it may be sent twice. */
  readonly isRepeatable: boolean;
  readonly signal?: AbortSignal;
}

/** Asks a cluster. An answer of any status resolves. @throws Error if none came */
export type AskCluster = (ask: ClusterAsk) => Promise<{ readonly status: number; readonly body: Uint8Array }>;

/** An answer as JSON, and as the text that it is. */
export interface WholeAnswer {
  readonly json: Json;
  readonly text: string;
}

/** Where it is said that the cluster refuses a request, and that it is away. */
export interface ClusterLogs {
  readonly log: Log;
  readonly outage: OutageLog;
}

/** Of `percentiles` with `hdr`, where a visible value is below zero: a status of 500 on all engines. */
const NEGATIVE = 'array_index_out_of_bounds_exception';
const decoder = new TextDecoder();

/**
 * @throws ProductError SEARCH_CLUSTER_FAILED for none, or one of a part; SEARCH_CLUSTER_REFUSED where the request is at fault
 * @throws RequestError where an open search is gone
 */
export async function askWhole(
  ask: AskCluster,
  request: ClusterAsk,
  { log, outage }: ClusterLogs,
): Promise<WholeAnswer> {
  const { method, path } = request;
  const fail = (reason: string, error: unknown): Error => {
    outage.failed({ method, path, reason, error });
    return searchError('SEARCH_CLUSTER_FAILED', { reason });
  };
  let answer: Awaited<ReturnType<AskCluster>>;
  try {
    answer = await ask(request);
  } catch (error) {
    request.signal?.throwIfAborted();
    throw fail('it cannot be reached', reasonOf(error));
  }
  const { status } = answer;
  const text = decoder.decode(answer.body);
  const json = parse(text);
  const type = typeOf(json);
  if (status >= 400) {
    const limit = bucketLimitOf(json);
    if (limit !== undefined) throw tooManyBuckets(limit, limit + 1, true);
    if (type === 'search_context_missing_exception') throw contextMissing();
    if (status === 404 && request.method === 'DELETE') return { json: {}, text };
    if (status !== 400 && status !== 413 && type !== NEGATIVE)
      throw fail(status === 429 ? 'it is busy' : 'it failed', `${status} ${type}`);
    log.write('warn', 'The search cluster refused a request', { method, path, status, error: type });
    throw searchError('SEARCH_CLUSTER_REFUSED', {});
  }
  if (json === undefined) throw fail('it did not answer with JSON', status);
  if (json['timed_out'] === true) throw fail('it did not answer in time', 'timed_out');
  const { failed } = isObject(json['_shards']) ? json['_shards'] : {};
  if (failed !== undefined && failed !== 0) throw fail('a part of it does not answer', failuresOf(json['_shards']));
  outage.answered();
  return { json, text };
}

/** The limit of buckets where an answer says that they are too many: with a status of 503, as one of a node that is away. */
export function bucketLimitOf({ error }: Json = {}): number | undefined {
  if (!isObject(error)) return undefined;
  const { caused_by: cause, max_buckets: limit, root_cause: roots, type } = error;
  if (type === TOO_MANY_BUCKETS) return typeof limit === 'number' ? limit : undefined;
  const [root] = toList(roots ?? []);
  return bucketLimitOf({ error: root }) ?? bucketLimitOf({ error: cause });
}

/** What a log may say of shards: how many failed, and the types of their errors; the reasons may quote documents. */
function failuresOf(shards: unknown): Json {
  const { failed, failures, total } = isObject(shards) ? shards : {};
  const reasons = Array.isArray(failures) ? failures.map((each) => (isObject(each) ? each['reason'] : undefined)) : [];
  return { total, failed, types: [...new Set(reasons.map((reason) => typeOf({ error: reason })))] };
}

export function contextMissing(): Error {
  return new RequestError('SEARCH_NOT_FOUND', 'search_context_missing_exception', 'No search context found', {
    phase: true,
  });
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The type of the error in an answer: a word of the engine's own. */
function typeOf(json: Json = {}): string {
  const { error } = json;
  if (!isObject(error)) return 'no type';
  const [first] = Array.isArray(error['root_cause']) ? (error['root_cause'] as readonly unknown[]) : [];
  const { type } = isObject(first) ? first : error;
  return typeof type === 'string' && /^\w{1,80}$/.test(type) ? type : 'no type';
}
