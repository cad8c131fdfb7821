// Waits for a state instead of a time: how long threads, disks and turns of the event loop take depends on what else the machine does.
import { fail } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds after which the state never comes, however busy the machine is. */
const LIMIT = 60_000;
/** Milliseconds between two checks at most. */
const LONGEST_PAUSE = 20;

/**
 * Waits until a condition holds: it is checked every millisecond at first, and less often the longer it takes.
 *
 * @param what tells what is missing if it never holds; default: the source of the condition
 */
export async function until(
  holds: () => unknown,
  what: () => string = () => `not so: ${holds.toString()}`,
): Promise<void> {
  const start = performance.now();
  while (!(await holds())) {
    const waited = performance.now() - start;
    if (waited > LIMIT) fail(what());
    await sleep(Math.min(1 + waited / 20, LONGEST_PAUSE));
  }
}
