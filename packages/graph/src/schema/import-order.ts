// The order in which the types of a schema can be imported: each after those that its rows refer to.
import { type Entity, isStoredField, type Model, type RelationField } from './model.ts';

export interface ImportOrder {
  readonly types: readonly string[];
  /** Types that refer to one another in a circle: no order is right for all their rows. */
  readonly circles: readonly (readonly string[])[];
  /** Whether the rows of a field's type hold a many-to-many relation, and not those at its other end. */
  readonly isHeld: (entity: Entity, field: RelationField) => boolean;
}

/** Finds the order; among types that may come in any, that of the schema. */
export function importOrderOf(model: Pick<Model, 'entities' | 'abstractTypes'>): ImportOrder {
  const types: string[] = [];
  const circles: string[][] = [];
  const path: string[] = [];
  const visit = (entity: Entity): void => {
    if (types.includes(entity.name)) return;
    const start = path.indexOf(entity.name);
    if (start >= 0) {
      circles.push(path.slice(start));
      return;
    }
    path.push(entity.name);
    for (const target of targetsOf(model, entity)) {
      const referred = model.entities.get(target);
      if (referred !== undefined && target !== entity.name) visit(referred);
    }
    path.pop();
    types.push(entity.name);
  };
  for (const entity of model.entities.values()) visit(entity);
  const isHeld = (entity: Entity, field: RelationField): boolean => {
    if (field.inverse === undefined) return true;
    if (field.target === entity.name) return field.name <= field.inverse;
    return types.indexOf(entity.name) > types.indexOf(field.target);
  };
  return { types, circles, isHeld };
}

function targetsOf(model: Pick<Model, 'abstractTypes'>, entity: Entity): readonly string[] {
  return [...entity.fields.values()]
    .filter((field) => isStoredField(field))
    .filter((field) => field.kind === 'relation')
    .filter(({ storage, inverse }) => storage.kind !== 'inverse' && (storage.kind !== 'joinTable' || !inverse))
    .flatMap(({ target }) => model.abstractTypes.get(target) ?? [target]);
}
