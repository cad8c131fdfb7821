// Whether search can hide exactly what the graph would. Every read rule that documents stand under must have an exact form in
// the index; one that has none is refused when the application starts, with its place and what to write instead.
import { type Model, readDocumentPolicy, type SchemaProblem } from '@lockstitch/graph';

import { POLICY_FIELD } from './document-inputs.ts';

/** Finds the read rules that search could not hold. */
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
