// The threads that long searches run in: started with the first of them, ended when there was none for a while. Jobs wait in line for a
// thread; the time they may take runs on meanwhile.
import { Worker } from 'node:worker_threads';
import type { SearchTarget } from '../api/target.ts';
import { searchError } from '../errors.ts';
import { Luggage } from './luggage.ts';
import type { Order, Outcome, Reply, Work } from './messages.ts';

/** So that one search of many seconds does not hold up all others that take longer than a turn. */
const THREADS = 2;
/** Milliseconds that threads wait for another job before they end. */
const IDLE = 60_000;
/** Milliseconds beyond a job's time after which its thread is ended: it is in a loop that asks no clock. */
const GRACE = 5000;

/** What a thread is asked. */
export interface Request {
  readonly work: Work;
  readonly now: number;
  readonly targets: readonly SearchTarget[];
  readonly found: ReadonlyMap<string, unknown>;
  /** Until when an answer is of use, by `performance.now()`. */
  readonly until: number;
  readonly signal: AbortSignal | undefined;
  /** 1 in its first place: the job is to end. */
  readonly cancelled: Int32Array;
}

interface Waiting {
  readonly request: Request;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

const threads = new Set<SearchThread>();
const line: Waiting[] = [];
/** Set when threads cannot be had (a permission model, no memory). */
let unavailable = false;
let jobs = 0;

/** Whether searches can be sent to a thread. */
export const haveThreads = (): boolean => !unavailable;

/** Runs a piece of work in a thread. @throws ProductError `SEARCH_TIMEOUT`, `SEARCH_CANCELLED`, `SEARCH_THREAD_LOST` */
export function runInThread(request: Request): Promise<Outcome> {
  const { signal, cancelled } = request;
  return new Promise<Outcome>((resolve, reject) => {
    const waiting: Waiting = { request, resolve, reject };
    const cancel = (): void => {
      cancelled[0] = 1;
      const at = line.indexOf(waiting);
      if (at < 0) return;
      line.splice(at, 1);
      reject(searchError('SEARCH_CANCELLED'));
    };
    if (signal?.aborted === true) {
      reject(searchError('SEARCH_CANCELLED'));
      return;
    }
    signal?.addEventListener('abort', cancel, { once: true });
    line.push(waiting);
    next();
  });
}

/** Gives the jobs in line to idle threads. */
function next(): void {
  while (line.length > 0) {
    const thread = [...threads].find((each) => !each.busy) ?? start();
    if (thread === undefined) break;
    const waiting = line.shift()!;
    if (performance.now() > waiting.request.until) {
      waiting.reject(searchError('SEARCH_TIMEOUT', { limit: Math.round(timeOf(waiting.request.work)) }));
    } else thread.run(waiting);
  }
  if (threads.size > 0 || !unavailable) return;
  for (const waiting of line.splice(0)) waiting.resolve({ kind: 'gone' });
}

function start(): SearchThread | undefined {
  if (unavailable || threads.size >= THREADS) return undefined;
  try {
    const thread = new SearchThread();
    threads.add(thread);
    return thread;
  } catch {
    unavailable = true;
    return undefined;
  }
}

const timeOf = (work: Work): number => (work.kind === 'print' ? Infinity : work.options.allowance.time);

class SearchThread {
  readonly #worker: Worker;
  readonly #luggage: Luggage;
  #current:
    | { readonly id: number; readonly waiting: Waiting; readonly overdue: NodeJS.Timeout | undefined }
    | undefined;
  #idle: NodeJS.Timeout | undefined;
  #ready = false;

  constructor() {
    // Sources while developing, JavaScript where the package is installed.
    const file = import.meta.url.endsWith('.ts') ? './search-worker.ts' : './search-worker.js';
    const worker = new Worker(new URL(file, import.meta.url), { name: 'lockstitch-search' });
    worker.on('message', (reply: Reply) => this.#take(reply));
    worker.on('error', (error: unknown) => this.#lose(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => this.#lose('it was ended'));
    worker.unref();
    this.#worker = worker;
    this.#luggage = new Luggage((order: Order) => worker.postMessage(order));
  }

  get busy(): boolean {
    return this.#current !== undefined;
  }

  run(waiting: Waiting): void {
    const { work, now, targets, found, until } = waiting.request;
    clearTimeout(this.#idle);
    const id = ++jobs;
    const rest = until - performance.now();
    const overdue = Number.isFinite(rest) ? setTimeout(() => this.#end(), rest + GRACE) : undefined;
    this.#current = { id, waiting, overdue };
    this.#worker.ref();
    try {
      this.#worker.postMessage({
        kind: 'job',
        job: { id, work: withTime(work, rest), now, targets: this.#luggage.describe(targets), found },
      } satisfies Order);
    } catch (error) {
      this.#rest();
      waiting.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take({ id, outcome }: Reply): void {
    this.#ready = true;
    const current = this.#current;
    if (current?.id !== id) return;
    this.#rest();
    current.waiting.resolve(outcome);
    next();
  }

  #rest(): void {
    clearTimeout(this.#current?.overdue);
    this.#current = undefined;
    this.#worker.unref();
    this.#idle = setTimeout(() => this.#end(), IDLE).unref();
  }

  #end(): void {
    this.#lose('it took far longer than it may');
    void this.#worker.terminate();
  }

  #lose(reason: string): void {
    if (!threads.delete(this)) return;
    this.#luggage.drop();
    clearTimeout(this.#idle);
    clearTimeout(this.#current?.overdue);
    const waiting = this.#current?.waiting;
    this.#current = undefined;
    if (this.#ready) waiting?.reject(searchError('SEARCH_THREAD_LOST', { reason }));
    else {
      // It never came up, so no other would: everything runs on the main thread from now on.
      unavailable = true;
      waiting?.resolve({ kind: 'gone' });
    }
    next();
  }
}

/** The work with no more time than is left of it. */
function withTime(work: Work, rest: number): Work {
  if (work.kind === 'print') return work;
  const allowance = { ...work.options.allowance, time: Math.max(1, Math.min(work.options.allowance.time, rest)) };
  return { ...work, options: { ...work.options, allowance } } as Work;
}
