// One answer for all subscribers who ask the same with the same rights: a thousand of them cost one operation a change, and
// not a thousand. Not here: who asks the same (PreparedSubscription.alike).
import { BoundedMap } from '../execute/bounded-map.ts';

/** Answers held, and the longest that is, in characters. */
const HELD = 256;
const LONGEST = 65_536;

/** Answers a change: by what was answered to somebody alike, or by `make`. */
export type SharedAnswers<T> = (position: number, alike: string | undefined, make: () => Promise<T>) => Promise<T>;

/** Creates the memory of answers. */
export function createSharedAnswers<T>(lengthOf: (answer: T) => number): SharedAnswers<T> {
  const held = new BoundedMap<string, Promise<T>>(HELD);
  return (position, alike, make) => {
    if (alike === undefined) return make();
    const key = `${position} ${alike}`;
    const known = held.get(key);
    if (known !== undefined) return known;
    const made = make();
    held.set(key, made);
    // Who comes later asks anew.
    made.then(
      (answer) => {
        if (lengthOf(answer) > LONGEST) held.delete(key);
      },
      () => held.delete(key),
    );
    return made;
  };
}
