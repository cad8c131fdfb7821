// Finds the holders of a type: fields that refer to its objects, and what a deletion does to them. Not here: the check
// that the schema covers holders with rules (check-deletions.ts), and the deletion (write/delete-rows.ts).
import type { Entity, Model, RelationField } from './model.ts';

/** A field that refers to objects of a type. */
export interface Holder {
  readonly entity: Entity;
  readonly field: RelationField;
  /** What a deletion does: deletes the holder, is refused, sets the field to null, or removes a join row. */
  readonly effect: 'delete' | 'refuse' | 'empty' | 'part';
}

const EFFECTS = { cascade: 'delete', restrict: 'refuse', setNull: 'empty' } as const;

/** Cached per model and type, since every deletion asks. */
const known = new WeakMap<Model['entities'], Map<string, readonly Holder[]>>();

/** The fields that refer to objects of a stored type, in schema order. */
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
      // Rows that nobody writes here are left to the database.
      if (field.kind !== 'relation' || entity.readOnly) continue;
      const { kind } = field.storage;
      const pointsHere = field.target === type || model.abstractTypes.get(field.target)?.includes(type) === true;
      if (kind === 'inverse' || !pointsHere) continue;
      const isPair = kind === 'joinTable' || kind === 'polymorphicJoinTable';
      holders.push({ entity, field, effect: isPair ? 'part' : EFFECTS[field.onDelete] });
    }
  }
  return holders;
}

/** Whether the holder has a rule that may hide it or forbid the change. */
export function hasRulesOn({ entity, field, effect }: Holder): boolean {
  if (entity.auth?.read !== undefined || field.auth?.read !== undefined) return true;
  switch (effect) {
    case 'delete':
      return entity.auth?.delete !== undefined;
    case 'empty':
    case 'part':
      return entity.auth?.update !== undefined || field.auth?.update !== undefined;
    case 'refuse':
      // No holder can be hidden, so a refusal reveals nothing.
      return false;
  }
}

/** Whether a deletion of objects of a type removes no row: neither theirs nor those that it cascades to. */
export function isSoftlyDeleted(model: Pick<Model, 'entities' | 'abstractTypes'>, type: string): boolean {
  return [...deletedWith(model, [type])].every((each) => model.entities.get(each)?.softDelete !== undefined);
}

/** Whether holders and join rows keep their reference to an object whose row stays. */
export function isKept(effect: Holder['effect']): boolean {
  return effect === 'empty' || effect === 'part';
}

/** The types that a deletion may cascade to, the given types included. */
export function deletedWith(model: Pick<Model, 'entities' | 'abstractTypes'>, types: Iterable<string>): Set<string> {
  const all = new Set(types);
  for (const type of all)
    for (const { entity, effect } of holdersOf(model, type)) if (effect === 'delete') all.add(entity.name);
  return all;
}
