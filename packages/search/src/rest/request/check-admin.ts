// Whether a request may change an index as a whole, or what indices are made of: templates, pipelines and scripts.
import type { Call } from './request.ts';
import { searchError } from '../../errors/search-errors.ts';
import { RequestError } from '../../errors/request-error.ts';
import type { Index } from '../../engine/engine-api.ts';
import { textOf } from '../../json/json.ts';
import { flatten, settingsOf } from '../../settings/client-settings.ts';

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

/**
 * Checks that an index may be changed as a whole: deleted, closed, opened, or given a mapping, an alias or a block.
 *
 * @throws ProductError `SEARCH_READ_ONLY` as `checkAdmin`
 * @throws RequestError cluster_block_exception where the setting `index.blocks.read_only` forbids it
 */
export function checkChangeable(index: Index, call: Call): void {
  checkAdmin(index, call);
  if (textOf(new Map(flatten(settingsOf(index.definition))).get('blocks.read_only')) !== 'true') return;
  throw new RequestError(
    'SEARCH_FORBIDDEN',
    'cluster_block_exception',
    `index [${index.name}] blocked by: [FORBIDDEN/5/index read-only (api)];`,
  );
}
