// What this engine answers otherwise than Elasticsearch 7.10.2 on purpose, each with its reason: rows of docs/compatibility.md, and
// predicates by which the comparison of random requests (test/engines) knows them. What is not listed here is a fault.

/** One request and what both engines answered. */
export interface Compared {
  /** Method and path, then a body. */
  readonly request: string;
  readonly theirs: { readonly status: number; readonly body: string };
  readonly ours: { readonly status: number; readonly body: string };
}

export interface KnownDifference {
  /** What differs, for people who know Elasticsearch. */
  readonly what: string;
  readonly reason: string;
  /** Whether it explains that answers differ. As narrow as can be: it must not hide another fault. */
  readonly covers: (compared: Compared) => boolean;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [];
