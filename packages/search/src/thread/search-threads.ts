// The threads that long searches run in: started with the first of them, ended when there was none for a while. Jobs wait in line for a
// thread; the time they may take runs on meanwhile, but not while the first thread comes up: that has a limit of its own.
import { Worker } from 'node:worker_threads';
import { reasonOf, toError } from '@lockstitch/kernel';
import type { SearchTarget } from '../fetch/target.ts';
import { searchError } from '../errors/search-errors.ts';
import { ReplicaRegistry } from './replica-registry.ts';
import type { RequestLimits } from '../tasks/request-budget.ts';
import type { ThreadMessage, Outcome, Reply, Work } from './messages.ts';

/** What waits in which line. */
type Lane = Work['lane'];
/** What a thread is for: one for JSON takes no searches, one for guests only those of callers who have none under way. */
type Purpose = Lane | 'guest';
/**
 * Two for searches, so that one of many seconds does not hold up all others that take longer than a turn; and one for what reads and
 * prints JSON while both of them are busy: that takes milliseconds, and would wait for seconds. While both search for one caller, another
 * one has a thread of their own.
 */
const THREADS: Readonly<Record<Purpose, number>> = { search: 2, json: 1, guest: 1 };
/** Milliseconds that threads wait for another job before they end. */
const IDLE = 60_000;
/** Milliseconds beyond a job's time after which its thread is ended: it is in a loop that asks no clock. */
const GRACE = 5000;
/** Milliseconds that a thread may take to come up: 0.1 s on an idle machine (measured), so longer than this only one that is beyond help. */
const START = 20_000;

/** How long an answer is of use. */
export class Deadline {
  /** By `performance.now()`. */
  until: number;

  constructor(until: number) {
    this.until = until;
  }
}

/** What a thread is asked. */
export interface Request {
  readonly work: Work;
  /** With the caller whose request it is. */
  readonly limits: RequestLimits;
  readonly now: number;
  readonly targets: readonly SearchTarget[];
  readonly found: ReadonlyMap<string, unknown>;
  /** Moved on by the time that a thread takes to come up. */
  readonly deadline: Deadline;
  readonly signal: AbortSignal | undefined;
  /** 1 in its first place: the job is to end. */
  readonly cancelled: Int32Array;
}

interface Waiting {
  readonly request: Request;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
  /** Since when it waits, by `performance.now()`. */
  readonly from: number;
}

const threads = new Set<SearchThread>();
const lines: Readonly<Record<Lane, Waiting[]>> = { json: [], search: [] };
/** Set when threads cannot be had (a permission model, no memory). */
let unavailable = false;
let jobs = 0;

/** Whether searches can be sent to a thread. */
export const haveThreads = (): boolean => !unavailable;

/** Runs a piece of work in a thread. @throws ProductError `SEARCH_TIMEOUT`, `SEARCH_CANCELLED`, `SEARCH_THREAD_LOST`, `SEARCH_THREAD_START` */
export function runInThread(request: Request): Promise<Outcome> {
  const { signal, cancelled } = request;
  return new Promise<Outcome>((resolve, reject) => {
    const waiting: Waiting = { request, resolve, reject, from: performance.now() };
    const cancel = (): void => {
      cancelled[0] = 1;
      const line = lines[request.work.lane];
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
    lines[request.work.lane].push(waiting);
    next();
  });
}

/** Gives the jobs in line to idle threads. */
function next(): void {
  for (const lane of ['json', 'search'] as const) {
    const line = lines[lane];
    while (line.length > 0) {
      const at = lane === 'json' ? 0 : fairest(line);
      const thread = lane === 'json' ? threadForJson() : threadForSearch(line[at]!.request.limits.caller);
      if (thread === undefined) break;
      const [waiting] = line.splice(at, 1) as [Waiting];
      if (performance.now() > waiting.request.deadline.until)
        waiting.reject(searchError('SEARCH_TIMEOUT', { limit: Math.round(waiting.request.limits.time) }));
      else thread.run(waiting);
    }
    if (threads.size > 0 || !unavailable) continue;
    for (const waiting of line.splice(0)) waiting.resolve({ kind: 'gone' });
  }
}

/** The index of the oldest search among the callers with the fewest running searches. */
function fairest(line: readonly Waiting[]): number {
  const underWay = new Map<string | undefined, number>();
  for (const { search } of threads) {
    if (search !== undefined) underWay.set(search.limits.caller, (underWay.get(search.limits.caller) ?? 0) + 1);
  }
  let found = 0;
  let fewest = Infinity;
  for (const [at, { request }] of line.entries()) {
    const count = underWay.get(request.limits.caller) ?? 0;
    if (count >= fewest) continue;
    found = at;
    fewest = count;
    if (count === 0) break;
  }
  return found;
}

function threadForJson(): SearchThread | undefined {
  return [...threads].find((each) => !each.busy) ?? start('search') ?? start('json');
}

function threadForSearch(caller: string | undefined): SearchThread | undefined {
  const thread = idle('search') ?? start('search');
  if (
    thread !== undefined ||
    [...threads].some(({ search }) => search !== undefined && search.limits.caller === caller)
  )
    return thread;
  const others = [...threads].filter(({ purpose }) => purpose === 'search').map(({ search }) => search);
  const areOfOne = others.every((each) => each !== undefined && each.limits.caller === others[0]!.limits.caller);
  return areOfOne ? (idle('guest') ?? start('guest')) : undefined;
}

const idle = (purpose: Purpose): SearchThread | undefined =>
  [...threads].find((each) => !each.busy && each.purpose === purpose);

function start(purpose: Purpose): SearchThread | undefined {
  if (unavailable || [...threads].filter((each) => each.purpose === purpose).length >= THREADS[purpose])
    return undefined;
  try {
    const thread = new SearchThread(purpose);
    threads.add(thread);
    return thread;
  } catch {
    unavailable = true;
    return undefined;
  }
}

/** The first of the threads has come up, or will not: the time of those who wait begins. */
function resume(since: number): void {
  const now = performance.now();
  for (const { request, from } of lines.search) request.deadline.until += now - Math.max(since, from);
}

class SearchThread {
  readonly purpose: Purpose;
  readonly #worker: Worker;
  readonly #registry: ReplicaRegistry;
  #current:
    | { readonly id: number; readonly waiting: Waiting; readonly overdue: NodeJS.Timeout | undefined }
    | undefined;
  #idle: NodeJS.Timeout | undefined;
  #ready = false;
  readonly #started = performance.now();
  readonly #late: NodeJS.Timeout;

  constructor(purpose: Purpose) {
    this.purpose = purpose;
    // Sources while developing, JavaScript where the package is installed.
    const file = import.meta.url.endsWith('.ts') ? './search-worker.ts' : './search-worker.js';
    const worker = new Worker(new URL(file, import.meta.url), { name: 'lockstitch-search' });
    worker.on('message', (reply: Reply) => this.#take(reply));
    worker.on('error', (error: unknown) => this.#lose(reasonOf(error)));
    worker.on('exit', () => this.#lose('it was ended'));
    worker.unref();
    this.#late = setTimeout(() => this.#giveUp(), START).unref();
    this.#worker = worker;
    this.#registry = new ReplicaRegistry((message: ThreadMessage) => worker.postMessage(message));
  }

  get busy(): boolean {
    return this.#current !== undefined;
  }

  /** The search that it does now. */
  get search(): Request | undefined {
    const request = this.#current?.waiting.request;
    return request?.work.lane === 'search' ? request : undefined;
  }

  run(waiting: Waiting): void {
    const { work, limits, now, targets, found, deadline } = waiting.request;
    clearTimeout(this.#idle);
    const id = ++jobs;
    const rest = deadline.until - performance.now();
    this.#current = { id, waiting, overdue: this.#ready ? this.#watch(rest) : undefined };
    this.#worker.ref();
    try {
      this.#worker.postMessage({
        kind: 'job',
        job: {
          id,
          work,
          // No more time than is left.
          limits: { ...limits, time: Math.max(1, Math.min(limits.time, rest)) },
          now,
          targets: this.#registry.describe(targets),
          found,
        },
      } satisfies ThreadMessage);
    } catch (error) {
      this.#rest();
      waiting.reject(toError(error));
    }
  }

  /** Ends the thread when a job takes longer than that. */
  #watch(rest: number): NodeJS.Timeout | undefined {
    return Number.isFinite(rest) ? setTimeout(() => this.#end(), rest + GRACE) : undefined;
  }

  /** The time of the job that it was started for begins. */
  #comeUp(): void {
    this.#ready = true;
    clearTimeout(this.#late);
    if (![...threads].some((each) => each !== this && each.#ready)) resume(this.#started);
    const current = this.#current;
    if (current === undefined) return;
    const { deadline } = current.waiting.request;
    const now = performance.now();
    deadline.until += now - Math.max(this.#started, current.waiting.from);
    this.#current = { ...current, overdue: this.#watch(deadline.until - now) };
  }

  #take({ id, outcome }: Reply): void {
    if (!this.#ready) this.#comeUp();
    const current = this.#current;
    if (current?.id !== id || outcome === undefined) return;
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

  /** It does not come up on this machine as it is now; the next search tries again. */
  #giveUp(): void {
    const waiting = this.#current?.waiting;
    this.#current = undefined;
    this.#ready = true;
    waiting?.reject(searchError('SEARCH_THREAD_START', { limit: START }));
    this.#end();
  }

  #lose(reason: string): void {
    if (!threads.delete(this)) return;
    this.#registry.drop();
    clearTimeout(this.#late);
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
