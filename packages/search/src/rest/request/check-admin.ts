// Whether the host lets a request change an index as a whole, or what indices are made of: templates, pipelines and scripts.
import type { Call } from './request.ts';
import { searchError } from '../../errors/search-errors.ts';
import type { Index } from '../../engine/engine-api.ts';

/** @throws ProductError `SEARCH_READ_ONLY` when the host keeps the index to itself */
export function checkAdmin(index: Pick<Index, 'name'>, call: Call): void {
  checkMayChange(call, index.name);
}

/**
 * Checks what belongs to no single index: callers who may make no index of their own may not change it either.
 *
 * @param index a name or a pattern
 * @throws ProductError `SEARCH_READ_ONLY`
 */
export function checkMayChange({ request }: Call, index = '*'): void {
  if (request.readOnly?.(index) === true)
    throw searchError('SEARCH_READ_ONLY', { index }, { hint: request.readOnlyHint });
}
