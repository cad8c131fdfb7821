// Finds the index with the highest position in a data folder, without opening it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Model } from '@lockstitch/graph';
import { fileDirectory, readDefinitions } from '@lockstitch/search';

import { createSearchPolicy } from '../policy/search-policy.ts';
import { planIndexes } from './plan-indexes.ts';
import { ownershipOf } from './schema-index.ts';
import { furthestOf, type IndexPosition } from './select-indexes.ts';

/**
 * Returns the schema's index with the highest position; undefined if there is none. Only reads.
 *
 * @param folder the data folder
 */
export async function furthestIndex(model: Model, folder: string): Promise<IndexPosition | undefined> {
  const path = join(folder, 'search');
  if (!existsSync(path)) return undefined;
  const present = await readDefinitions(fileDirectory(path));
  const positions = planIndexes({ model }, createSearchPolicy(model)).flatMap(({ name }) => {
    const definition = present.get(name);
    const isOurs = definition !== undefined && ownershipOf({ definition }) !== undefined;
    return isOurs ? [{ index: name, indexPosition: definition.position }] : [];
  });
  return furthestOf(positions);
}
