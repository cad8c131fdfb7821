// A canonical path as matchers see it: whole, and in segments. Computed once per request and shared by all rules. The
// firewall has already decided that the path is acceptable.

/** How exactly paths are compared. It must follow the router behind the chain: a lenient router needs lenient rules. */
export interface PathComparison {
  /** False if the router treats /Admin as /admin, as Express does by default. */
  readonly caseSensitive: boolean;
  /** True if the router treats /admin/ as /admin, as Express does by default. */
  readonly slashTolerant: boolean;
}

/** The comparison of Spring Security and of strict routers. */
export const EXACT: PathComparison = Object.freeze({ caseSensitive: true, slashTolerant: false });

export interface PathView {
  readonly path: string;
  /** Parts between slashes, without empty ones. */
  readonly segments: readonly string[];
  readonly endsWithSlash: boolean;
}

export function viewPath(path: string): PathView {
  return { path, segments: splitPath(path), endsWithSlash: path.endsWith('/') };
}

/** Splits at slashes and drops empty parts, as AntPathMatcher tokenizes. */
export function splitPath(path: string): readonly string[] {
  const segments: string[] = [];
  let start = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', start)) {
    if (at > start) segments.push(path.slice(start, at));
    start = at + 1;
  }
  if (start < path.length) segments.push(path.slice(start));
  return segments;
}

/**
 * Folds case as JavaScript's `/i` does without the `u` flag (ECMA-262 Canonicalize), because routers built on regular
 * expressions compare so: `ı` and `K` (Kelvin) stay distinct from `i` and `k`.
 */
export function foldCase(text: string): string {
  let folded = '';
  for (let index = 0; index < text.length; index++) {
    const unit = text[index]!;
    const upper = unit.toUpperCase();
    const keeps = upper.length !== 1 || (unit.charCodeAt(0) >= 128 && upper.charCodeAt(0) < 128);
    folded += keeps ? unit : upper;
  }
  return folded;
}
