// The requests to the search cluster that answer one request of a client. They end with its time, or when the client is gone.
import type { Log } from '@lockstitch/kernel';
import type { SendSearch } from '../cluster/search-target.ts';
import {
  type AskCluster,
  askWhole,
  type ClusterAsk,
  type ClusterLogs,
  type WholeAnswer,
} from '../cluster/whole-answer.ts';
import { searchError } from '../errors/search-errors.ts';
import type { Json } from '../json/json.ts';
import type { CallerSignal, RunOptions } from '../rest/request/search-backend.ts';

/** The longest delay of a timer, in milliseconds. */
const LONGEST_DELAY = 2 ** 31 - 1;

export class ClusterRequests {
  /** Milliseconds, with the unit, that a cursor lives on the cluster. */
  readonly keepAlive: string;
  readonly #ask: AskCluster;
  readonly #logs: ClusterLogs;
  readonly #timeout: AbortSignal;
  readonly #caller: AbortSignal | undefined;
  readonly #signal: AbortSignal;

  constructor(ask: AskCluster, logs: ClusterLogs, { keepAlive = 0, limits }: RunOptions, signal: CallerSignal) {
    this.keepAlive = `${keepAlive}ms`;
    this.#ask = ask;
    this.#logs = logs;
    this.#timeout = AbortSignal.timeout(Math.min(limits.time, LONGEST_DELAY));
    this.#caller = signal?.();
    this.#signal = this.#caller === undefined ? this.#timeout : AbortSignal.any([this.#timeout, this.#caller]);
  }

  async ask(request: Omit<ClusterAsk, 'signal'>): Promise<WholeAnswer> {
    try {
      return await askWhole(this.#ask, { ...request, signal: this.#signal }, this.#logs);
    } catch (error) {
      if (this.#caller?.aborted === true) throw searchError('SEARCH_CANCELLED', {});
      throw this.#timeout.aborted
        ? searchError('SEARCH_CLUSTER_FAILED', { reason: 'it did not answer in time' })
        : error;
    }
  }

  /** Returns a function that sends searches to a path. @param members added to each body */
  sender(path: string, parameters = '', members: Json = {}): SendSearch {
    return (body) =>
      this.ask({
        method: 'POST',
        path: `${path}?allow_partial_search_results=false${parameters}`,
        body: { ...body, ...members },
        isRepeatable: parameters === '',
      });
  }

  /** Reads answers. @throws ProductError SEARCH_CLUSTER_FAILED for one that cannot be read */
  async read<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw asUnreadable(error, this.#logs.log);
    }
  }
}

/** A TypeError of code that reads an answer is an error of the cluster; other errors are returned as they are. */
export function asUnreadable(error: unknown, log: Log): unknown {
  if (!(error instanceof TypeError)) return error;
  log.write('error', 'An answer of the search cluster cannot be read', { error: error.stack ?? error.message });
  return searchError('SEARCH_CLUSTER_FAILED', { reason: 'its answer cannot be read' });
}
