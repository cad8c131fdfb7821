// The hits of several indices in one order.
import type { Hit, SortValue } from '../collect/search-request.ts';
import { type AcrossValue, compareSort, type ResolvedSort } from '../sort/resolved-sort.ts';
import type { Prepared } from './prepared-search.ts';
import type { SearchBody } from './search-body.ts';

/** One hit with the index it comes from. */
export interface MergedHit {
  readonly target: number;
  readonly hit: Hit;
  readonly sort: readonly SortValue[] | undefined;
}

/** @param single whether there is one index only, which has them in order */
export function mergeHits(
  prepared: readonly Prepared[],
  body: SearchBody,
  single: boolean,
  scrolling: boolean,
): MergedHit[] {
  const all = prepared.flatMap((each, target) =>
    each.result.hits.map((hit): MergedHit => ({ target, hit, sort: hit.sort })),
  );
  if (single) return body.rescore.length > 0 ? all.slice(body.from, body.from + body.size) : all;
  const keys = prepared[0]?.sort ?? [];
  all.sort((a, b) => {
    if (keys.length === 0) return b.hit.score - a.hit.score || a.target - b.target || a.hit.position - b.hit.position;
    for (let at = 0; at < keys.length; at++) {
      const { key } = keys[at]!;
      // Document order says nothing across indices.
      const compared =
        key.kind === 'doc'
          ? a.target - b.target
          : compareSort(
              across(prepared[a.target]!.sort[at], a.sort?.[at]),
              across(prepared[b.target]!.sort[at], b.sort?.[at]),
              key.kind === 'field' ? key.missing : undefined,
              key.order === 'desc' || (key.kind === 'score' && key.order === undefined),
            );
      if (compared !== 0) return compared;
    }
    return a.target - b.target || a.hit.position - b.hit.position;
  });
  const groups = new Set<unknown>();
  const distinct =
    body.collapse === undefined
      ? all
      : all.filter(({ hit }) => {
          const key = hit.collapse ?? null;
          if (groups.has(key)) return false;
          groups.add(key);
          return true;
        });
  return distinct.slice(scrolling ? 0 : body.from, (scrolling ? 0 : body.from) + body.size);
}

function across(sort: ResolvedSort | undefined, value: SortValue | undefined): AcrossValue {
  if (value === undefined) return null;
  return sort?.across === undefined ? value : sort.across(value);
}
