// A key of a sort with how its values are shown and read, and how values of several indices are compared.
import type { SortKey, SortValue } from '../collect/search-request.ts';
import { compareKeys } from '../text/compare-keys.ts';

/** A sort key with how its values look. */
export interface ResolvedSort {
  readonly key: SortKey;
  show(value: SortValue): unknown;
  /** A value of `search_after`. */
  read(value: unknown): SortValue;
  /** What is compared with the values of other indices; undefined: the value itself. */
  readonly across?: (value: SortValue) => AcrossValue;
}

/** A sort value among those of other indices. */
export type AcrossValue = SortValue | bigint;

/** A key whose values are shown as they are. */
export function plainSort(key: SortKey): ResolvedSort {
  return {
    key,
    show: (value) => (value === Infinity ? 'Infinity' : value),
    read: (value) => (value === null ? null : typeof value === 'boolean' ? Number.NaN : Number(value)),
  };
}

/** Orders two values of one sort key; missing ones come last unless `missing` says `first`. */
export function compareSort(a: AcrossValue, b: AcrossValue, missing: unknown, descending: boolean): number {
  if (a === null || b === null) {
    if (a === b) return 0;
    const first = missing === 'first';
    return (a === null) === first ? -1 : 1;
  }
  const compared = typeof a === 'bigint' || typeof b === 'bigint' ? Number(a > b) - Number(a < b) : compareKeys(a, b);
  return descending ? -compared : compared;
}
