// Chooses where a search job runs. Nearly all fit into a turn of the event loop and run on the main thread; the others are restarted
// in a search thread. Both run the same code over the same state. The request's limits limits the turn.
import type { SearchTarget } from '../fetch/target.ts';
import { reportDamageOf } from '../index/damage.ts';
import { type RequestLimits, TurnOver } from '../tasks/request-budget.ts';
import { yieldTurn } from '../tasks/event-loop-queue.ts';
import { lookupKey } from './messages.ts';
import { fromPlainError } from '../errors/plain-error.ts';
import { canTravel } from './replica-registry.ts';
import { type InputOf, type ResultOf, searchJob, type SearchJobKind } from './search-jobs.ts';
import { Deadline, haveThreads, runInThread } from './search-threads.ts';

/**
 * Runs a job and returns its result.
 *
 * @param signal ends it when nobody waits for the answer any more
 */
export async function answer<Kind extends SearchJobKind>(
  kind: Kind,
  input: InputOf<Kind>,
  targets: readonly SearchTarget[],
  { now, limits }: { readonly now: number; readonly limits: RequestLimits },
  signal?: () => AbortSignal,
): Promise<ResultOf<Kind>> {
  const job = searchJob(kind);
  const isLarge = job.isLarge(input);
  const unlimited: RequestLimits = { ...limits, turn: undefined };
  const here = (limits: RequestLimits): ResultOf<Kind> => job.run(input, { targets, now, limits });
  const leaves = limits.turn !== undefined && (targets.length > 0 || isLarge) && haveThreads() && canTravel(targets);
  if (!leaves) return here(unlimited);
  const started = performance.now();
  if (!isLarge) {
    try {
      return here(limits);
    } catch (error) {
      if (!(error instanceof TurnOver)) throw error;
    }
    // What was tried, and handing it over, are two turns.
    await yieldTurn();
  }
  const cancelled = new Int32Array(new SharedArrayBuffer(4));
  const found = new Map<string, unknown>();
  const request = {
    work: { lane: 'search', kind, input, spent: performance.now() - started } as const,
    limits: { ...unlimited, cancelled },
    now,
    targets,
    found,
    deadline: new Deadline(started + limits.time),
    cancelled,
  };
  for (;;) {
    const outcome = await runInThread({ ...request, signal: signal?.() });
    switch (outcome.kind) {
      case 'done':
        return job.receive(outcome.sent);
      case 'lookup':
        try {
          const { lookup } = targets[0]!.target.context;
          found.set(lookupKey(outcome.index, outcome.id), lookup?.(outcome.index, outcome.id));
        } catch {
          // Reading the query fails there, too, which comes first: its errors do not depend on how far the search got.
          return here(unlimited);
        }
        break;
      case 'refused': {
        const error = fromPlainError(outcome.error);
        reportDamageOf(error);
        throw error;
      }
      case 'failed':
        throw new Error(`A search thread failed: ${outcome.reason}`);
      case 'gone':
        return here(unlimited);
    }
  }
}
