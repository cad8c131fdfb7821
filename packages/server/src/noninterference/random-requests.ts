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
import { type GraphAsked, printGraphAsked, randomGraphRequest } from './random-graph-requests.ts';
import { rootsFor } from './random-operations.ts';
import type { OperationSurface } from './random-values.ts';

export type Asked = SearchAsked | GraphAsked;

export interface RequestSurface extends OperationSurface, Surface {}

/**
 * Describes the requests that a model supports.
 *
 * @param keys all keys by type
 * @param taken values of unique fields: `User.email`
 */
export function readSurface(
  model: Model,
  words: readonly string[],
  keys: ReadonlyMap<string, readonly string[]>,
  taken: ReadonlyMap<string, readonly string[]> = new Map(),
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
  return { model, keys, taken, words, indexes, isReadOnly: true, asksMetadata: true };
}

/** Prints a request as text. */
export function printAsked(asked: Asked): string {
  return asked.kind === 'graph' ? printGraphAsked(asked) : printSearchAsked(asked);
}

/**
 * Generates one request.
 *
 * @param mistake kind of mistake in a search request; random if absent
 */
export function randomRequest(random: Random, surface: RequestSurface, mistake?: 'risky'): Asked {
  const { indexes, model } = surface;
  if (indexes.length === 0 || (rootsFor(model, 'operations').length > 0 && random.once(3)))
    return randomGraphRequest(random, surface);
  return randomSearchRequest(random, surface, mistake);
}

/** What a search over a cluster is answered that is not offered there. */
const NOT_OFFERED = /cannot be asked of a search cluster|is not offered with search\.engine/;
/** One of so many requests that are not offered counts; the others say little. */
const KEPT = 8;

/** Draws and asks requests until one is offered, most of the time. */
export async function askOffered(
  random: Random,
  draw: () => Asked,
  ask: (asked: Asked) => Promise<string>,
): Promise<readonly [Asked, string]> {
  for (;;) {
    const asked = draw();
    const answer = await ask(asked);
    if (!NOT_OFFERED.test(answer) || random.once(KEPT)) return [asked, answer];
  }
}
