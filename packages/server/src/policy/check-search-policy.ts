// Checks that search can hide exactly what the graph hides: every read rule over a document needs an exact form in the
// index. A rule without one is rejected at start, with its location and a remedy.
import { type Model, readDocumentPolicy, type SchemaProblem } from '@lockstitch/graph';

import { POLICY_FIELD } from './document-inputs.ts';

/** Finds the read rules that the index cannot express. */
export function checkSearchPolicy(model: Model): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  for (const entity of model.entities.values()) {
    if (entity.searchIndex === undefined) continue;
    problems.push(...readDocumentPolicy(model, entity).problems);
    const taken = entity.fields.get(POLICY_FIELD);
    if (taken === undefined) continue;
    problems.push({
      location: taken.location,
      message: `Documents of "${entity.name}" keep what their read rules need under "${POLICY_FIELD}"; a field cannot have that name.`,
      remedy: 'Choose another name for the field.',
    });
  }
  return problems;
}
