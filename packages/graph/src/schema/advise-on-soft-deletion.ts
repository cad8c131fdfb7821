// Warns about soft deletion in a valid schema: holders that a restored object does not bring back, and deleted objects
// whose non-null relations lead to others that their readers may not see. `lockstitch check` prints the warnings.
import { holdersOf } from './holders.ts';
import { entityOf, type Model, type SoftDelete } from './model.ts';
import type { SchemaProblem } from './problems.ts';

/** Returns warnings in the same form as schema problems. */
export function adviseOnSoftDeletion(model: Model): readonly SchemaProblem[] {
  const advice: SchemaProblem[] = [];
  for (const target of model.entities.values()) {
    const mark = target.softDelete;
    if (mark === undefined) continue;
    for (const { entity, field, effect } of holdersOf(model, target.name)) {
      const own = entity.softDelete;
      // A flag does not tell one deletion from another.
      if (effect !== 'delete' || own === undefined || ![own, mark].some(({ storage }) => storage === 'boolean'))
        continue;
      advice.push({
        location: field.location ?? entity.location,
        message: `Deleting an object of ${target.name} deletes objects of ${entity.name} by ${entity.name}.${field.name}, and restoring it does not restore them: ${target.name}.${mark.field} is a ${kindOf(mark)}, and ${entity.name}.${own.field} is a ${kindOf(own)}.`,
        remedy: 'Give both fields the type DateTime.',
      });
    }
  }
  for (const entity of model.entities.values()) {
    if (entity.softDelete === undefined || entity.auth?.readDeleted === undefined) continue;
    for (const field of entity.fields.values()) {
      if (field.kind !== 'relation' || field.many || field.nullable) continue;
      const targets = (model.abstractTypes.get(field.target) ?? [field.target]).map((name) => entityOf(model, name));
      const hidden = targets.find(
        ({ softDelete, auth }) => softDelete !== undefined && auth?.readDeleted !== entity.auth?.readDeleted,
      );
      if (hidden === undefined) continue;
      advice.push({
        location: field.location ?? entity.location,
        message: `${entity.name}.${field.name} is non-null, and callers to whom readDeleted shows a deleted ${entity.name} may not see its ${hidden.name} if that is deleted too: the field then causes GRAPH_NULL_VALUE.`,
        remedy: `Give ${hidden.name} the same @auth(readDeleted:), or write ${field.name}: ${field.target}, without "!".`,
      });
    }
  }
  return advice;
}

function kindOf({ storage, isLocal }: SoftDelete): string {
  return storage === 'boolean' ? 'Boolean' : isLocal ? 'LocalDateTime' : 'DateTime';
}
