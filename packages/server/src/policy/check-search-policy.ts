// Whether search could reveal what the graph would hide. A search index holds rows and embedded fields as they are, for every
// caller; a type with a read rule therefore cannot be searchable until the rule holds there, too. Refused, never approximated.
import { type Entity, type Model, type SchemaProblem, searchDocumentShape } from '@lockstitch/graph';

/** Finds searchable types whose documents would hold something that a read rule protects. */
export function checkSearchPolicy(model: Model): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  for (const entity of model.entities.values()) {
    if (entity.searchIndex === undefined) continue;
    for (const [guarded, path] of guardedParts(model, entity)) {
      problems.push({
        location: entity.location,
        message: `The documents of "${entity.name}" would show ${path} to everybody who may search, but ${guarded} has a rule @auth(read:).`,
        remedy: 'Take @search away there, or the rule: search cannot apply read rules yet.',
      });
    }
  }
  return problems;
}

/** What carries the rule, and the part of the document it is about. */
function guardedParts(model: Model, entity: Entity): readonly (readonly [guarded: string, path: string])[] {
  const found = new Map<string, string>();
  if (entity.auth?.read !== undefined) found.set(`type ${entity.name}`, 'all its rows');
  for (const { path } of searchDocumentShape(model, entity)) {
    const [first, second] = path.split('.') as [string, string | undefined];
    const field = entity.fields.get(first);
    if (field?.auth?.read !== undefined) found.set(`field ${entity.name}.${first}`, `"${first}"`);
    if (second === undefined || field?.kind !== 'relation') continue;
    const target = model.entities.get(field.target);
    if (target?.auth?.read !== undefined) found.set(`type ${target.name}`, `"${first}"`);
    if (target?.fields.get(second)?.auth?.read !== undefined) found.set(`field ${target.name}.${second}`, `"${path}"`);
  }
  return [...found];
}
