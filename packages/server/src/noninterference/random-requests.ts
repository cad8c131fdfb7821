// Random requests to both APIs of an application, generated from its schema and words. Searches come from the search
// package's catalogue, GraphQL operations from random-operations.ts.
import { type Model, searchDocumentShape } from '@lockstitch/graph';
import {
  fieldsOf,
  type IndexSurface,
  printSearchAsked,
  type Random,
  randomSearchRequest,
  type SearchAsked,
  type Surface,
} from '@lockstitch/search/requests';

import { buildMapping } from '../mapping/mapping.ts';
import { POLICY_FIELD } from '../policy/document-inputs.ts';
import { type OperationSurface, randomOperation, readingRoots } from './random-operations.ts';

export type Asked = SearchAsked | { readonly kind: 'graph'; readonly query: string };

export interface RequestSurface extends OperationSurface, Surface {}

/**
 * Describes the requests that a model supports.
 *
 * @param keys all keys by type
 */
export function readSurface(
  model: Model,
  words: readonly string[],
  keys: ReadonlyMap<string, readonly string[]>,
): RequestSurface {
  const indexes: IndexSurface[] = [];
  for (const entity of model.entities.values()) {
    if (entity.searchIndex === undefined) continue;
    const { fields, others } = fieldsOf(buildMapping(searchDocumentShape(model, entity)).mappings);
    indexes.push({
      name: entity.searchIndex.index,
      aliases: [],
      type: entity.searchIndex.type,
      fields,
      others: [...others, POLICY_FIELD, `${POLICY_FIELD}.r0`],
      ids: keys.get(entity.name) ?? [],
    });
  }
  return { model, keys, words, indexes, isReadOnly: true, asksMetadata: true };
}

/** Prints a request as text. */
export function printAsked(asked: Asked): string {
  return asked.kind === 'graph' ? asked.query : printSearchAsked(asked);
}

/**
 * Generates one request.
 *
 * @param mistake kind of mistake in a search request; random if absent
 */
export function randomRequest(random: Random, surface: RequestSurface, mistake?: 'risky'): Asked {
  const { indexes, model } = surface;
  if (indexes.length === 0 || (readingRoots(model).length > 0 && random.once(4)))
    return { kind: 'graph', query: randomOperation(random, surface) };
  return randomSearchRequest(random, surface, mistake);
}
