// Whether a request may change an index as a whole.
import type { Call } from './request.ts';
import { searchError } from '../../errors/search-errors.ts';
import type { Index } from '../../engine/engine-api.ts';

/** @throws ProductError `SEARCH_READ_ONLY` when the host keeps the index to itself */
export function checkAdmin(index: Pick<Index, 'name'>, call: Call): void {
  if (call.request.readOnly?.(index.name) === true)
    throw searchError('SEARCH_READ_ONLY', { index: index.name }, { hint: call.request.readOnlyHint });
}
