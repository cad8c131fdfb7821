// Random requests to both doors of an application, made from its own schema and words. What search can be asked is in its package's
// catalogue; what the graph can be asked, in random-operations.ts.
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

/** One request. */
export type Asked = SearchAsked | { readonly door: 'graph'; readonly query: string };

/** What requests are made of. */
export interface RequestSurface extends OperationSurface, Surface {}

/** Describes what a model can be asked. @param keys every key, by type */
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

/** A request as text. */
export function printAsked(asked: Asked): string {
  return asked.door === 'graph' ? asked.query : printSearchAsked(asked);
}

/** Makes one request. @param mistake what is wrong with it where it is put to search; by chance when absent */
export function randomRequest(random: Random, surface: RequestSurface, mistake?: 'risky'): Asked {
  const { indexes, model } = surface;
  if (indexes.length === 0 || (readingRoots(model).length > 0 && random.once(4)))
    return { door: 'graph', query: randomOperation(random, surface) };
  return randomSearchRequest(random, surface, mistake);
}
