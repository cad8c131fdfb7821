// Which objects refer to one that is deleted, and what the deletion does to them. Not here: whether the schema says so for holders with rules
// (check-deletions.ts), and the deletion itself (write/delete-rows.ts).
import type { Entity, Model, RelationField } from './model.ts';

/** A field that leads to objects of some type. */
export interface Holder {
  readonly entity: Entity;
  readonly field: RelationField;
  /** What a deletion does: deletes the holder, is refused, empties the field, or takes a pair out of a list. */
  readonly effect: 'delete' | 'refuse' | 'empty' | 'part';
}

const EFFECTS = { cascade: 'delete', restrict: 'refuse', setNull: 'empty' } as const;

/** Cache by model and type, since every deletion asks. */
const known = new WeakMap<Model['entities'], Map<string, readonly Holder[]>>();

/** The fields that hold objects of a stored type, in the order of the schema. */
export function holdersOf(model: Pick<Model, 'entities' | 'abstractTypes'>, type: string): readonly Holder[] {
  let ofModel = known.get(model.entities);
  if (ofModel === undefined) known.set(model.entities, (ofModel = new Map()));
  let holders = ofModel.get(type);
  if (holders === undefined) ofModel.set(type, (holders = findHolders(model, type)));
  return holders;
}

function findHolders(model: Pick<Model, 'entities' | 'abstractTypes'>, type: string): readonly Holder[] {
  const holders: Holder[] = [];
  for (const entity of model.entities.values()) {
    for (const field of entity.fields.values()) {
      if (field.kind !== 'relation') continue;
      const { kind } = field.storage;
      const pointsHere = field.target === type || model.abstractTypes.get(field.target)?.includes(type) === true;
      if (kind === 'inverse' || !pointsHere) continue;
      const isPair = kind === 'joinTable' || kind === 'polymorphicJoinTable';
      holders.push({ entity, field, effect: isPair ? 'part' : EFFECTS[field.onDelete] });
    }
  }
  return holders;
}

/** Whether the holder has rules by which the caller might not see it or not do this to it. */
export function hasRulesOn({ entity, field, effect }: Holder): boolean {
  if (entity.auth?.read !== undefined || field.auth?.read !== undefined) return true;
  switch (effect) {
    case 'delete':
      return entity.auth?.delete !== undefined;
    case 'empty':
    case 'part':
      return entity.auth?.update !== undefined || field.auth?.update !== undefined;
    case 'refuse':
      // Nothing is hidden, so a refusal reveals nothing.
      return false;
  }
}

/** The types whose objects may be deleted along with one of a type, itself included. */
export function deletedWith(model: Pick<Model, 'entities' | 'abstractTypes'>, types: Iterable<string>): Set<string> {
  const all = new Set(types);
  for (const type of all)
    for (const { entity, effect } of holdersOf(model, type)) if (effect === 'delete') all.add(entity.name);
  return all;
}
