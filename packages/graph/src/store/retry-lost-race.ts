// Repeats a transaction that lost a race against another one.
import { setTimeout } from 'node:timers/promises';
import { isLostRace } from './postgres-error.ts';

const ATTEMPTS = 4;

/**
 * Runs a transaction, four times at most while it loses races.
 *
 * @param attempt runs it once; when it fails it has had no effect
 * @param isOutdated whether it failed for another reason that is gone the next time
 */
export async function retryLostRace<T>(
  attempt: () => Promise<T>,
  isOutdated: (error: unknown) => boolean = () => false,
): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(isOutdated(error) || isLostRace(error)) || count >= ATTEMPTS) throw error;
      // Lets the winner finish. The delay is random, so that two losers do not collide again.
      await setTimeout(count * (5 + Math.random() * 20));
    }
  }
}
