// A thread that makes segments: started with its first job, ended when there was none for a while. What the jobs are is said in
// segment-job.ts, which thread they go to in background.ts.
import { Worker } from 'node:worker_threads';
import type { Job, Made, Reply, Unnumbered } from './segment-job.ts';

/** What a job makes of objects is young and small; by default three times 16 MB would stay. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 };

interface Waiting {
  readonly resolve: (made: Made) => void;
  readonly reject: (error: Error) => void;
}

/** Runs jobs one after the other. */
export class SegmentThread {
  private readonly name: string;
  private readonly idle: number;
  private worker: Worker | undefined;
  /** Set when threads cannot be had (a permission model, no memory): the caller does the work then. */
  private unavailable = false;
  /** Whether the thread has done a job. */
  private proven = false;
  private idleTimer: NodeJS.Timeout | undefined;
  private nextId = 0;
  private readonly waiting = new Map<number, Waiting>();

  /** @param idle milliseconds that it waits for another job before it ends */
  constructor(name: string, idle: number) {
    this.name = name;
    this.idle = idle;
  }

  get running(): boolean {
    return this.worker !== undefined;
  }

  /**
   * Runs a job.
   *
   * @returns undefined when there is no thread; rejects when it ended under way or the job failed: the caller can do the work itself
   */
  run(job: Unnumbered<Job>): Promise<Made> | undefined {
    const thread = this.start();
    if (thread === undefined) return undefined;
    const numbered: Job = { ...job, id: this.nextId++ };
    clearTimeout(this.idleTimer);
    thread.ref();
    return new Promise((resolve, reject) => {
      this.waiting.set(numbered.id, { resolve, reject });
      thread.postMessage(numbered);
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
      const file = import.meta.url.endsWith('.ts') ? './segment-worker.ts' : './segment-worker.js';
      const started = new Worker(new URL(file, import.meta.url), { name: this.name, resourceLimits });
      started.on('message', (reply: Reply) => this.take(started, reply));
      started.on('error', (error: unknown) => this.lose(started, error));
      started.on('exit', () => this.lose(started, undefined));
      this.worker = started;
      this.proven = false;
    } catch {
      this.unavailable = true;
    }
    return this.worker;
  }

  private take(thread: Worker, reply: Reply): void {
    this.proven = true;
    const job = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
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
    // It ended with work in hand, or before it ever had any, so it would again.
    this.unavailable = this.waiting.size > 0 || !this.proven;
    for (const job of this.waiting.values()) job.reject(new Error('The thread ended.', { cause }));
    this.waiting.clear();
  }
}
