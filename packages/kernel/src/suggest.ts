// Which known word a mistyped one was meant to be: the "Did you mean …?" of every package. It compares spelling only;
// who may learn the known words is for the caller to decide.

/**
 * Finds the known word nearest to a mistyped one.
 *
 * Distance counts insertions, deletions, replacements and swaps of neighbours, ignoring case; up to about a third of the
 * word's length may differ. Returns undefined when nothing is that near, and when the word itself is among the known ones.
 */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.floor(wanted.length * 0.4) + 1.5;
  for (const candidate of known) {
    // A word that is known and refused all the same was no slip of the keyboard.
    if (candidate === word) return undefined;
    if (Math.abs(candidate.length - word.length) > bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Renders the suggestion as a sentence to append to a message, with its leading space; empty when there is none. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const suggestion = suggest(word, known);
  return suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
}

/** Optimal string alignment over three rolling rows; words past 64 characters are not worth the comparison. */
function editDistance(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length > 64 || b.length > 64) return Infinity;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        distance = Math.min(distance, beforePrevious[j - 2]! + 1);
      current.push(distance);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}
