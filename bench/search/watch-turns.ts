// How long the event loop of this thread is held while something runs: by processor time, which is what the thread itself did, and by the
// clock, beside the longest pause that an idle thread had meanwhile: so much of the clock's is the machine's and not ours.
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export interface Watched {
  readonly millis: number;
  readonly turns: number;
  /** Milliseconds of processor time of the longest turn. */
  readonly longest: number;
  /** Milliseconds by the clock between two turns at most, and of the idle thread. */
  readonly clock: number;
  readonly idle: number;
  /** Milliseconds of processor time that so many of ten thousand turns took at most. */
  readonly at: (tenThousandth: number) => number;
}

/** Milliseconds of processor time of this thread. */
function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Turns by their length in steps of 0.1 ms; the last place holds all longer ones. Made once, so that watching leaves no garbage. */
const lengths = new Int32Array(10_000);

/** The longest pause of the idle thread, ms, since this was last set to 0. */
let idle = new Float64Array(1);

if (!isMainThread && workerData instanceof Float64Array) {
  idle = workerData as Float64Array<ArrayBuffer>;
  let before = performance.now();
  setInterval(() => {
    const now = performance.now();
    if (now - before > idle[0]!) idle[0] = now - before;
    before = now;
  }, 1);
  parentPort!.postMessage('ready');
}

let watcher: Worker | undefined;

/** Starts the idle thread. */
export async function startIdleThread(): Promise<void> {
  idle = new Float64Array(new SharedArrayBuffer(8)) as unknown as Float64Array<ArrayBuffer>;
  const worker = new Worker(new URL(import.meta.url), { workerData: idle });
  await new Promise((resolve) => {
    worker.once('message', resolve);
  });
  worker.unref();
  watcher = worker;
}

/** Ends it. */
export async function endIdleThread(): Promise<void> {
  await watcher?.terminate();
}

/**
 * Watches the turns of the event loop while something runs. A timer that is always due marks where a turn ends; between the turns the
 * thread sleeps, whereby the system brings its clock of the thread up to date.
 */
export async function watchTurns(action: () => Promise<unknown>): Promise<Watched> {
  lengths.fill(0);
  let longest = 0;
  let clock = 0;
  let turns = 0;
  await sleep(20);
  let before = spent();
  let ended = performance.now();
  idle[0] = 0;
  const look = (): void => {
    const now = spent();
    const at = performance.now();
    const held = now - before;
    if (at - ended > clock) clock = at - ended;
    before = now;
    ended = at;
    turns++;
    lengths[Math.min(lengths.length - 1, Math.floor(held * 10))]!++;
    if (held > longest) longest = held;
  };
  const watching = setInterval(look, 1);
  const started = performance.now();
  await action();
  const millis = performance.now() - started;
  // What the answer leaves behind for the next turns counts, too.
  await sleep(5);
  clearInterval(watching);
  const own = lengths.slice();
  const all = turns;
  const at = (tenThousandth: number): number => {
    let left = (all * (10_000 - tenThousandth)) / 10_000;
    let place = own.length - 1;
    while (place > 0 && (left -= own[place]!) >= 0) place--;
    return (place + 1) / 10;
  };
  return { millis, turns: all, longest, clock, idle: idle[0]!, at };
}
