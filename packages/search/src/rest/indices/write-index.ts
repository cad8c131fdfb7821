// Which index an alias writes to: one at most.
import type { Engine } from '../../engine/engine-api.ts';
import type { Json } from '../../json/json.ts';
import { RequestError } from '../../errors/request-error.ts';
import { aliasesOf } from '../request/resolve-indices.ts';

/**
 * Refuses aliases that would have two indices that are written to.
 *
 * @param after the aliases that indices are going to have, by the index's name
 * @param removed indices that are going to be deleted
 */
export function checkWriteIndices(
  engine: Engine,
  after: ReadonlyMap<string, Readonly<Record<string, Json>>>,
  removed: ReadonlyMap<string, unknown> = new Map(),
): void {
  const written = new Set(
    [...after.values()].flatMap((aliases) => Object.keys(aliases).filter((name) => isWriter(aliases[name]))),
  );
  if (written.size === 0) return;
  const before = engine.indices().map((index) => [index.name, aliasesOf(index)] as const);
  const all = new Map([...before, ...after]);
  for (const name of written) {
    const indices = [...all].filter(([index, aliases]) => !removed.has(index) && isWriter(aliases[name]));
    if (indices.length < 2) continue;
    throw new RequestError(
      'SEARCH_ILLEGAL_ARGUMENT',
      'illegal_state_exception',
      `alias [${name}] has more than one write index [${indices
        .map(([index]) => index)
        .toSorted()
        .join(',')}]`,
    );
  }
}

function isWriter(alias: Json | undefined): boolean {
  return alias?.['is_write_index'] === true;
}
