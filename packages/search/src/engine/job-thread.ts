// A thread that does one kind of job: started with its first, ended when there was none for a while. What the jobs are is said in
// segment-job.ts and document-job.ts, which thread they go to in background.ts.
import { parentPort, type ResourceLimits, Worker } from 'node:worker_threads';
import { reasonOf } from '@lockstitch/kernel';

/** What a thread answers a job with. */
type Reply<Made> = (Made & { readonly kind: 'made' }) | { readonly kind: 'failed'; readonly reason: string };

interface Waiting<Made> {
  readonly resolve: (made: Made) => void;
  readonly reject: (error: Error) => void;
}

/** Runs jobs one after the other. */
export class JobThread<Job extends object, Made extends object> {
  private readonly name: string;
  private readonly file: string;
  private readonly idle: number;
  private readonly resourceLimits: ResourceLimits;
  private worker: Worker | undefined;
  /** Set when threads cannot be had (a permission model, no memory): the caller does the work then. */
  private unavailable = false;
  /** Whether the thread has done a job. */
  private proven = false;
  private idleTimer: NodeJS.Timeout | undefined;
  private nextId = 0;
  private readonly waiting = new Map<number, Waiting<Made>>();

  /**
   * @param file the thread's module beside this one, without its ending
   * @param idle milliseconds that it waits for another job before it ends
   */
  constructor(name: string, file: string, idle: number, resourceLimits: ResourceLimits = {}) {
    this.name = name;
    this.file = file;
    this.idle = idle;
    this.resourceLimits = resourceLimits;
  }

  get running(): boolean {
    return this.worker !== undefined;
  }

  /**
   * Runs a job.
   *
   * @returns undefined when there is no thread; rejects when it ended under way or the job failed: the caller can do the work itself
   */
  run(job: Job): Promise<Made> | undefined {
    const thread = this.start();
    if (thread === undefined) return undefined;
    const id = this.nextId++;
    clearTimeout(this.idleTimer);
    thread.ref();
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      thread.postMessage({ id, job });
    });
  }

  /** Has the thread running by the time of a job to come. */
  prepare(): void {
    if (this.worker !== undefined) return;
    const thread = this.start();
    if (thread !== undefined) this.rest(thread);
  }

  private start(): Worker | undefined {
    if (this.worker !== undefined || this.unavailable) return this.worker;
    try {
      // Sources while developing, JavaScript where the package is installed.
      const file = `./${this.file}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
      const { name, resourceLimits } = this;
      const started = new Worker(new URL(file, import.meta.url), { name, resourceLimits });
      started.on('message', ({ id, reply }: { id: number; reply: Reply<Made> }) => this.take(started, id, reply));
      started.on('error', (error: unknown) => this.lose(started, error));
      started.on('exit', () => this.lose(started, undefined));
      this.worker = started;
      this.proven = false;
    } catch {
      this.unavailable = true;
    }
    return this.worker;
  }

  private take(thread: Worker, id: number, reply: Reply<Made>): void {
    this.proven = true;
    const job = this.waiting.get(id);
    this.waiting.delete(id);
    if (this.waiting.size === 0) this.rest(thread);
    if (job === undefined) return;
    if (reply.kind === 'failed') job.reject(new Error(reply.reason));
    else job.resolve(reply);
  }

  private rest(thread: Worker): void {
    thread.unref();
    this.idleTimer = setTimeout(() => this.end(thread), this.idle).unref();
  }

  private end(thread: Worker): void {
    if (this.worker !== thread || this.waiting.size > 0) return;
    this.worker = undefined;
    void thread.terminate();
  }

  private lose(thread: Worker, cause: unknown): void {
    if (this.worker !== thread) return;
    this.worker = undefined;
    // It ended with work in hand, or before it ever had any, so it would again; unless it was one job that took its memory.
    this.unavailable = !isMemory(cause) && (this.waiting.size > 0 || !this.proven);
    for (const job of this.waiting.values()) job.reject(new Error('The thread ended.', { cause }));
    this.waiting.clear();
  }
}

/** Whether a job was rejected because its thread ran out of memory: on the main thread it could take the process with it. */
export function wasMemory(error: unknown): boolean {
  return error instanceof Error && isMemory(error.cause);
}

function isMemory(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/**
 * Answers the jobs of a thread, one after the other: for the thread's own module.
 *
 * @param run does one; what it throws is told as the job's failure
 */
export function answerJobs(run: (job: never) => object | Promise<object>): void {
  let last = Promise.resolve();
  const answer = async (id: number, job: unknown): Promise<void> => {
    let reply: Reply<object>;
    try {
      reply = { ...(await run(job as never)), kind: 'made' };
    } catch (error) {
      reply = { kind: 'failed', reason: reasonOf(error) };
    }
    parentPort?.postMessage({ id, reply });
  };
  parentPort?.on('message', ({ id, job }: { id: number; job: unknown }) => {
    last = last.then(() => answer(id, job));
  });
}
