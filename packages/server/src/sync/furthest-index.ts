// Which search index of a data folder has seen the most changes, found without opening it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Model } from '@lockstitch/graph';
import { fileDirectory, readDefinitions } from '@lockstitch/search';

import { createSearchPolicy } from '../policy/search-policy.ts';
import { planIndexes } from './open-search.ts';
import { ownershipOf } from './schema-index.ts';
import type { IndexAhead } from './sync.ts';

/** How far an index has come on disk. */
export type IndexSeen = Pick<IndexAhead, 'index' | 'indexPosition'>;

/** The index of the schema that has seen most; undefined where there is none. Reads only. @param folder the data folder */
export async function furthestIndex(model: Model, folder: string): Promise<IndexSeen | undefined> {
  const path = join(folder, 'search');
  if (!existsSync(path)) return undefined;
  const present = await readDefinitions(fileDirectory(path));
  return planIndexes({ model }, createSearchPolicy(model))
    .flatMap(({ name }) => {
      const definition = present.get(name);
      const isOurs = definition !== undefined && ownershipOf({ definition }) !== undefined;
      return isOurs ? [{ index: name, indexPosition: definition.position }] : [];
    })
    .toSorted((a, b) => b.indexPosition - a.indexPosition)[0];
}
