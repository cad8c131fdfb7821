// Shares responses between subscribers with the same operation and rights: a change costs one operation instead of a
// thousand. Not here: which subscribers are alike (PreparedSubscription.alike).
import { LruMap } from '@lockstitch/kernel';

/** Number of cached responses, and the maximum length of each in characters. */
const HELD = 256;
const LONGEST = 65_536;

/** Returns the response to a change: cached for a subscriber alike, or from `make`. */
export type SharedResponses<T> = (position: number, alike: string | undefined, make: () => Promise<T>) => Promise<T>;

/** Creates the cache. */
export function createSharedResponses<T>(lengthOf: (answer: T) => number): SharedResponses<T> {
  const held = new LruMap<string, Promise<T>>(HELD);
  return (position, alike, make) => {
    if (alike === undefined) return make();
    const key = `${position} ${alike}`;
    const known = held.get(key);
    if (known !== undefined) return known;
    const made = make();
    held.set(key, made);
    // Later subscribers execute again.
    made.then(
      (answer) => {
        if (lengthOf(answer) > LONGEST) held.delete(key);
      },
      () => held.delete(key),
    );
    return made;
  };
}
