// Many patterns of dotted paths followed through an object at once: which of them go on below a member, and whether one
// is used up there. What a step of a pattern means (`**`, a star that reaches over dots) is known to the caller.

/** What is left of one pattern after a member's name; `whole` when it is used up, so that everything below is meant. */
export interface Advance {
  readonly rest: readonly (readonly string[])[];
  readonly whole: boolean;
}

/** Cached results per state; a full cache is cleared. */
const CACHE_SIZE = 4096;

/** What patterns are left at one place. States are shared, so that each distinct name is matched once in a request. */
export class PathState {
  readonly #patterns: readonly (readonly string[])[];
  readonly #advance: (pattern: readonly string[], name: string) => Advance;
  readonly #known: Map<string, PathState>;
  readonly #steps = new Map<string, { readonly state: PathState; readonly whole: boolean }>();

  constructor(
    patterns: readonly (readonly string[])[],
    advance: (pattern: readonly string[], name: string) => Advance,
    known = new Map<string, PathState>(),
  ) {
    this.#patterns = patterns;
    this.#advance = advance;
    this.#known = known;
  }

  /** Whether no pattern is left. */
  get isEmpty(): boolean {
    return this.#patterns.length === 0;
  }

  /** The state below a member, and whether a pattern is used up there. */
  step(name: string): { readonly state: PathState; readonly whole: boolean } {
    const before = this.#steps.get(name);
    if (before !== undefined) return before;
    // By their text: two stars side by side leave the same pattern many times over.
    const rest = new Map<string, readonly string[]>();
    let whole = false;
    for (const pattern of this.#patterns) {
      const found = this.#advance(pattern, name);
      whole ||= found.whole;
      for (const each of found.rest) rest.set(each.join('\0'), each);
    }
    const key = [...rest.keys()].sort().join('\u0001');
    let state = this.#known.get(key);
    if (state === undefined) {
      if (this.#known.size >= CACHE_SIZE) this.#known.clear();
      this.#known.set(key, (state = new PathState([...rest.values()], this.#advance, this.#known)));
    }
    if (this.#steps.size >= CACHE_SIZE) this.#steps.clear();
    const found = { state, whole };
    this.#steps.set(name, found);
    return found;
  }
}
