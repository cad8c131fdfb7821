// Waits for a state instead of a time: how long threads, disks and turns of the event loop take depends on what else the machine does.
import { fail } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds after which the state never comes, however busy the machine is. */
const LIMIT = 60_000;

/** Asks every millisecond until the state is there. @param what tells what is missing if it never comes */
export async function until(holds: () => unknown, what: () => string): Promise<void> {
  for (const end = performance.now() + LIMIT; !(await holds()); await sleep(1)) {
    if (performance.now() > end) fail(what());
  }
}
