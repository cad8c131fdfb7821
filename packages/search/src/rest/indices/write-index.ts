// What the indices of an alias must have in common: one of them at most is written to, and it is hidden in all or in none.
import type { Engine } from '../../engine/engine-api.ts';
import type { Json } from '../../json/json.ts';
import { RequestError } from '../../errors/request-error.ts';
import { aliasesOf } from '../request/resolve-indices.ts';

/**
 * Refuses aliases that would have two indices that are written to, or be hidden in some of their indices only.
 *
 * @param after the aliases that indices are going to have, by the index's name
 * @param removed indices that are going to be deleted
 */
export function checkSharedAliases(
  engine: Engine,
  after: ReadonlyMap<string, Readonly<Record<string, Json>>>,
  removed: ReadonlyMap<string, unknown> = new Map(),
): void {
  const changed = new Set([...after.values()].flatMap((aliases) => Object.keys(aliases)));
  if (changed.size === 0) return;
  const before = engine.indices().map((index) => [index.name, aliasesOf(index)] as const);
  const all = new Map([...before, ...after]);
  for (const name of changed) {
    const indices = [...all].filter(([index, aliases]) => !removed.has(index) && Object.hasOwn(aliases, name));
    const having = (member: string, isSet = true): string[] =>
      indices
        .filter(([, aliases]) => (aliases[name]?.[member] === true) === isSet)
        .map(([index]) => index)
        .toSorted();
    const written = having('is_write_index');
    if (written.length > 1) throw refused(`alias [${name}] has more than one write index [${written.join(',')}]`);
    const [hidden, shown] = [having('is_hidden'), having('is_hidden', false)];
    if (hidden.length > 0 && shown.length > 0)
      throw refused(
        `alias [${name}] has is_hidden set to true on indices [${hidden.join(',')}] but does not have is_hidden set to true on indices [${shown.join(',')}]; alias must have the same is_hidden setting on all indices`,
      );
  }
}

const refused = (reason: string): Error =>
  new RequestError('SEARCH_ILLEGAL_ARGUMENT', 'illegal_state_exception', reason);
