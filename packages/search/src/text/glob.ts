// Whether a name fits a pattern in which `*` stands for any characters: the one matcher behind index names, field names,
// `_source` filters, `filter_path` and templates. Patterns over terms (`?`, escapes) are the automaton's.

/**
 * Tells whether the whole name fits.
 *
 * Two pointers: of the stars only the latest is ever tried again, since an earlier one could not take a longer text to any
 * use. The worst case is pattern × name, where a regular expression made of the same pattern backtracks without end.
 */
export function globMatches(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let read = 0; read < name.length;) {
    if (pattern[at] === '*') {
      star = at++;
      resume = read;
    } else if (at < pattern.length && pattern[at] === name[read]) {
      at++;
      read++;
    } else if (star >= 0) {
      at = star + 1;
      read = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

/** Tells whether some name fits both patterns. Takes pattern × pattern. */
export function patternsMeet(one: string, other: string): boolean {
  // What stands before the first star of each decides for nearly all.
  const before = (pattern: string): number => (pattern.includes('*') ? pattern.indexOf('*') : pattern.length);
  const shared = Math.min(before(one), before(other));
  if (one.slice(0, shared) !== other.slice(0, shared)) return false;
  // `meets[at]`: whether the rest of `one` from the row's place on and the rest of `other` from `at` on have a name in common.
  let below: boolean[] = [];
  for (let row = one.length; row >= 0; row--) {
    const meets: boolean[] = [];
    for (let at = other.length; at >= 0; at--) {
      const a = one[row];
      const b = other[at];
      if (a === undefined && b === undefined) meets[at] = true;
      else if (a === '*') meets[at] = below[at] === true || (b !== undefined && meets[at + 1] === true);
      else if (b === '*') meets[at] = meets[at + 1] === true || (a !== undefined && below[at] === true);
      else meets[at] = a !== undefined && a === b && below[at + 1] === true;
    }
    below = meets;
  }
  return below[0]!;
}
