// Warns about types whose changes by others are captured, but not those of what their documents hold or their read rules
// read. `lockstitch check` prints the warnings.
import type { Model, SchemaProblem } from '@lockstitch/graph';
import { first } from '@lockstitch/kernel';

import { createSearchPolicy } from '../policy/search-policy.ts';
import { findDependencyPaths } from './dependency-paths.ts';
import { planIndexes } from './plan-indexes.ts';

/** Returns warnings in the same form as schema problems. */
export function adviseOnCapture(model: Model): readonly SchemaProblem[] {
  const indexes = planIndexes({ model }, createSearchPolicy(model));
  const paths = findDependencyPaths(model, new Map(indexes.map((index) => [index.type, index])));
  return [...paths].flatMap(([type, ways]) => {
    if (model.entities.get(type)?.captured !== false) return [];
    const owners = new Set(ways.map(({ path }) => first(path).owner).filter(({ captured }) => captured));
    return [...owners].map((owner) => ({
      location: owner.location,
      message: `${owner.name} has @captureChanges, and what search shows of it depends on ${type}, which has none: what others write there is found by "lockstitch index verify" only.`,
      remedy: `Put @captureChanges on ${type} too, unless nobody else writes it.`,
    }));
  });
}
