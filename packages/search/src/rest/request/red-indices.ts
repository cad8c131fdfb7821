// Requests to damaged indices. A search over several indices answers from the others and lists the damaged ones, as Elasticsearch does for
// shards without a copy. Any other request to one is refused, and its name stays taken until it is deleted.
import type { DamagedIndex, Engine } from '../../engine/engine-api.ts';
import { searchError } from '../../errors/search-errors.ts';
import { globMatches } from '../../text/glob.ts';
import type { Json } from '../../json/json.ts';
import { RequestError } from '../../errors/request-error.ts';

/** The damaged indices that an expression means: by their names, wildcards, and aliases as far as they can be read. */
export function redIndices(engine: Engine, expression: string | undefined): DamagedIndex[] {
  const damaged = engine.damaged();
  if (damaged.length === 0) return [];
  const parts =
    expression === undefined || expression === '' ? ['_all'] : expression.split(',').filter((part) => part !== '');
  const found = new Set<DamagedIndex>();
  for (const [at, part] of parts.entries()) {
    if (part.startsWith('-') && at > 0) {
      for (const index of found) if (globMatches(part.slice(1), index.name)) found.delete(index);
      continue;
    }
    const pattern = part === '_all' ? '*' : part;
    for (const index of damaged) {
      const names = [index.name, ...Object.keys(index.definition?.aliases ?? {})];
      if (names.some((name) => name === part || (pattern.includes('*') && globMatches(pattern, name))))
        found.add(index);
    }
  }
  return [...found];
}

/** The refusal to read or write a damaged index. */
export function redError({ name, reason }: DamagedIndex): Error {
  return searchError('SEARCH_INDEX_RED', { index: name, reason });
}

/** A shard that did not answer, as a response lists it. */
export interface FailedShard {
  readonly shard: 0;
  readonly index: string;
  readonly node: null;
  readonly reason: Json;
}

export function failedShard({ name, reason }: DamagedIndex): FailedShard {
  const type = 'no_shard_available_action_exception';
  return {
    shard: 0,
    index: name,
    node: null,
    reason: { type, reason: `The index [${name}] cannot be read: ${reason}`, index: name },
  };
}

/** The refusal of a search of which nothing, or not enough, can be answered. */
export function allShardsFailed({ name, reason }: DamagedIndex): Error {
  return new RequestError(
    'SEARCH_NOT_ENOUGH_SHARDS',
    'no_shard_available_action_exception',
    `The index [${name}] cannot be read: ${reason}`,
    { phase: true, fields: { index: name } },
  );
}
