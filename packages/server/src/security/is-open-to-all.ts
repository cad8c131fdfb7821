// Whether everybody may send a request, wherever they are: only then may caches that serve others keep its answer.
import type { Security } from '@lockstitch/security';

/** Filters that ask nothing of a request that they let pass anonymously. A filter of the application may. */
const OPEN = 'permitAll';

/** @param target path and query */
export async function isOpenToAll(security: Pick<Security, 'explain' | 'list'>, target: string): Promise<boolean> {
  const { granted, chain, rule } = await security.explain('GET', target);
  if (!granted || rule?.access !== OPEN) return false;
  const filters = security.list().find(({ name }) => name === chain)?.filters ?? [];
  return filters.every(({ placement }) => placement === undefined);
}
