// Warns about read rules in a valid schema: non-null fields whose target a rule can hide, sequential keys that reveal
// how many objects are hidden, and look-ups by keys that two types may share. `lockstitch check` prints the warnings;
// no schema is rejected for them.
import { compileExpression, dependsOnRow } from '@lockstitch/kernel';
import { rowShapeOf } from '../write/row-shape.ts';
import { entityOf, type Entity, type Model } from './model.ts';
import { locationOf, type SchemaProblem } from './problems.ts';
import { first } from '../present.ts';

/** Returns warnings in the same form as schema problems. */
export function adviseOnRules(model: Model): readonly SchemaProblem[] {
  const advice: SchemaProblem[] = [];
  for (const entity of model.entities.values()) {
    const { key } = entity;
    // The key of an existing table stays as it is.
    if (key.default?.kind === 'identity' && !key.unmanaged && entity.auth?.read !== undefined)
      advice.push({
        location: key.location ?? entity.location,
        message: `${entity.name}.${key.name} is a sequential key, and ${entity.name} has a read rule: a caller who creates two objects learns how many others were created in between.`,
        remedy: `Write ${key.name}: ${key.typeName}! @id @default(value: "uuid"), unless callers may know that.`,
      });
    for (const field of entity.fields.values()) {
      if (field.kind !== 'relation' || field.many || field.nullable) continue;
      const targets = model.abstractTypes.get(field.target) ?? [field.target];
      const ruled = targets.filter((name) => canBeHidden(model, entityOf(model, name), entity));
      if (ruled.length === 0) continue;
      advice.push({
        location: field.location ?? entity.location,
        message: `${entity.name}.${field.name} is non-null, and the read rule of ${ruled.join(', ')} can hide its target: the field then causes GRAPH_NULL_VALUE, and the ${entity.name} becomes null.`,
        remedy: `Write ${field.name}: ${field.target}, without "!", unless every caller who may read the ${entity.name} may also read its ${field.name}.`,
      });
    }
  }
  return [...advice, ...adviseOnKeys(model)];
}

/** A look-up among several types returns the first of two objects with the same key. Random keys never collide. */
function adviseOnKeys({ roots, abstractTypes, entities, schema }: Model): readonly SchemaProblem[] {
  return [...roots].flatMap(([coordinate, binding]) => {
    if (binding.kind !== 'lookup' && binding.kind !== 'list') return [];
    const bindings = [...binding.arguments];
    if (bindings.some(([, { kind }]) => kind === 'where')) return [];
    const byKeys = binding.kind === 'list' ? binding.byKeys : undefined;
    const shared = (abstractTypes.get(binding.type) ?? [])
      .map((name) => entityOf({ entities }, name))
      .filter(({ key }) =>
        bindings.some(
          ([name, argument]) =>
            argument.kind === 'equals' &&
            argument.field === key.name &&
            (!argument.list || name === byKeys) &&
            key.default?.kind !== 'uuid',
        ),
      );
    if (shared.length < 2) return [];
    const field = schema.getQueryType()?.getFields()[coordinate.slice(coordinate.indexOf('.') + 1)];
    const names = shared.map(({ name }) => name).join(' and ');
    return {
      location: locationOf(field?.astNode),
      message: `${coordinate} looks up a ${binding.type} by its key, and ${names} may have objects with the same key: then only that of ${first(shared).name} is found.`,
      remedy:
        'Write @id @default(value: "uuid") at their keys, unless the application ensures that no two are the same.',
    };
  });
}

/** Whether some caller may read the holder but not the target. */
function canBeHidden(model: Model, target: Entity, holder: Entity): boolean {
  const rule = target.auth?.read;
  if (rule === undefined) return false;
  // Rules about the caller alone hide both objects or neither.
  return (
    rule !== holder.auth?.read || dependsOnRow(compileExpression(rule, { row: rowShapeOf(target, model) }).expression)
  );
}
