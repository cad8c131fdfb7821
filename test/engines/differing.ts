// Shows two answers from a little before the place where they differ.

/** Where two texts differ. */
export function differing(own: string, other: string): string {
  let at = 0;
  while (own[at] === other[at]) at++;
  const from = Math.max(0, at - 120);
  return `  ${own.slice(from, at + 300)}\n  ${other.slice(from, at + 300)}`;
}
