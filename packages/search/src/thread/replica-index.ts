// An index as a search thread knows it: its name, mapping and settings. Its documents come with each request, as the state that the
// request is to see; writing and everything that goes on in time are the main thread's.
import { createMapper } from '../mapping/create-mapper.ts';
import { searchError } from '../errors/search-errors.ts';
import type { Index } from '../engine/engine-api.ts';
import type { IndexContent } from './messages.ts';

/** Makes the index of a description. What only the main thread can do is refused as of a closed engine. */
export function replicaIndex({ name, uuid, createdAt, settings, maxClauses, definition }: IndexContent): Index {
  const elsewhere = (): never => {
    throw searchError('SEARCH_CLOSED');
  };
  return {
    name,
    uuid,
    createdAt,
    settings,
    maxClauses,
    definition,
    mapper: createMapper(definition),
    position: 0,
    durablePosition: 0,
    apply: elsewhere,
    get: elsewhere,
    refresh: elsewhere,
    commit: elsewhere,
    forceMerge: elsewhere,
    searcher: elsewhere,
    updateDefinition: elsewhere,
    stats: elsewhere,
  };
}
