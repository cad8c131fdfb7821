// Our engine in a thread of its own, which can be ended where a request holds it.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Answer, type AskStep, hung, LIMIT, type Step } from './ask.ts';

export interface Ours {
  readonly ask: AskStep;
  /** Starts again without any index. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** MB of objects that it may hold: one request that holds more ends the thread, not the comparison. */
const MOST_MEMORY = 800;

/** Milliseconds that it may take to start on a busy machine. */
const STARTING = 60_000;

/** Starts it, empty. */
export async function startOurs(): Promise<Ours> {
  let worker = await open();
  return {
    ask: async (step) => {
      const said = await say(worker, step);
      if (said.kind === 'answer') return said.answer;
      await worker.terminate();
      worker = await open();
      return said.kind === 'late' ? hung('ours') : { status: 0, body: said.reason };
    },
    restart: async () => {
      const said = await say(worker, undefined);
      if (said.kind === 'answer') return;
      await worker.terminate();
      worker = await open();
    },
    close: async () => {
      await worker.terminate();
    },
  };
}

async function open(): Promise<Worker> {
  const worker = new Worker(new URL('our-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY },
  });
  // What it says later than it is waited for would be taken for the answer to the next request.
  const said = await say(worker, undefined, STARTING);
  if (said.kind !== 'answer') throw new Error(`our engine does not start: ${said.kind}`);
  return worker;
}

type Said =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'late' }
  | { readonly kind: 'died'; readonly reason: string };

async function say(worker: Worker, step: Step | undefined, within = LIMIT): Promise<Said> {
  const limit = AbortSignal.timeout(within);
  worker.postMessage(step);
  try {
    const [answer] = (await once(worker, 'message', { signal: limit })) as [Answer];
    return { kind: 'answer', answer };
  } catch (error) {
    return limit.aborted ? { kind: 'late' } : { kind: 'died', reason: String(error) };
  }
}
