// Random choices that a seed repeats. Not for secrets.

/** A source of choices. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(of: readonly T[]): T;
  /** True once in so many. */
  once(inSoMany: number): boolean;
}

/** Makes one; equal seeds choose alike. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return { int, pick: (of) => of[int(of.length)]!, once: (inSoMany) => int(inSoMany) === 0 };
}
