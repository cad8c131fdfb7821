// Whether everybody may send a request, wherever they are: only then may caches that serve others keep its answer.
import type { Security } from '@lockstitch/security';

/** Built-in filters ask nothing of a request that this lets pass anonymously. A filter of the application may. */
const OPEN = 'permitAll';

/** @returns the check of a GET, by its path and query */
export function openToAll(security: Pick<Security, 'explain' | 'list'>): (target: string) => Promise<boolean> {
  const hasOwnFilters = ({ filters }: ReturnType<Security['list']>[number]): boolean =>
    filters.some(({ placement }) => placement !== undefined);
  const guarded = new Set(
    security
      .list()
      .filter(hasOwnFilters)
      .map(({ name }) => name),
  );
  return async (target) => {
    const { granted, chain, rule } = await security.explain('GET', target);
    return granted && rule?.access === OPEN && chain !== undefined && !guarded.has(chain);
  };
}
