// Checks that the schema says what a deletion does to referring objects that have rules. Evaluating the rules of hidden
// objects would reveal them; skipping the rules would bypass them. Only types that clients can delete are checked.
import { getNamedType, isInputObjectType } from 'graphql';
import { type InputMap, mapInput } from '../write/input-map.ts';
import { readMutation } from '../write/mutation-shape.ts';
import { deletedWith, hasRulesOn, type Holder, holdersOf, isKept, isSoftlyDeleted } from './holders.ts';
import { entityOf, type Model } from './model.ts';
import type { Problems } from './problems.ts';

/** Reports each relation that needs `onDeleteRules` and has none. */
export function checkDeletions(model: Model, problems: Problems): void {
  const { deleted, purged } = deletableTypes(model);
  for (const type of deletedWith(model, [...deleted, ...purged])) {
    const isSoft = isSoftlyDeleted(model, type) && !deletedWith(model, purged).has(type);
    for (const holder of holdersOf(model, type)) {
      const { entity, field } = holder;
      if (isSoft && isKept(holder.effect)) continue;
      if (field.onDeleteRules !== undefined || !hasRulesOn(holder)) continue;
      // The inverse field may declare it instead.
      const back = [...(model.entities.get(type)?.fields.values() ?? [])].filter(
        (each) => each.kind === 'relation' && each.target === entity.name,
      );
      if (back.some(({ location }) => problems.isSuppressed(location))) continue;
      const name = `${entity.name}.${field.name}`;
      problems.addAt(
        field.location ?? entity.location,
        `Deleting a ${type} ${EFFECTS[holder.effect]} ${entity.name} that holds it in ${name}, and ${entity.name} has rules; the schema must say whether they apply.`,
        remedyFor(holder),
      );
    }
  }
}

const EFFECTS = {
  delete: 'deletes each',
  empty: 'empties each',
  part: 'changes the list of each',
  refuse: 'is refused for each',
} as const;

function remedyFor({ entity, field, effect }: Holder): string {
  const name = `${entity.name}.${field.name}`;
  const caller = `CALLER rejects callers who may not see every ${entity.name}`;
  if (effect === 'refuse')
    return `Write @relation(onDelete: RESTRICT, onDeleteRules: CALLER) on ${name} (${caller}; ROWS checks hidden ones too, and so reveals them).`;
  const action = effect === 'delete' ? 'onDelete: CASCADE, ' : '';
  const choices = `${caller}, OVERRIDE ignores the rules, ROWS evaluates the rules of each, hidden ones too, and so reveals them`;
  const other = effect === 'part' ? '' : ', or write onDelete: RESTRICT';
  return `Write @relation(${action}onDeleteRules: CALLER) on ${name} (${choices})${other}.`;
}

/** The types that some mutation can delete, and those that one can purge. */
function deletableTypes(model: Model): {
  readonly deleted: ReadonlySet<string>;
  readonly purged: ReadonlySet<string>;
} {
  const types = new Set<string>();
  const purged = new Set<string>();
  const seen = new Set<InputMap>();
  const visit = (map: InputMap): void => {
    if (seen.has(map)) return;
    seen.add(map);
    for (const role of map.values()) {
      if (role.kind !== 'nested' && role.kind !== 'create') continue;
      const target = entityOf(model, role.field.target);
      const { create, delete: removed } = role.input.getFields();
      if (role.kind === 'nested' && removed !== undefined) types.add(target.name);
      const made = role.kind === 'create' ? role.input : create === undefined ? undefined : getNamedType(create.type);
      if (!isInputObjectType(made)) continue;
      const inner = mapInput(made, target, model);
      if (!('problem' in inner)) visit(inner);
    }
  };
  const mutation = model.schema.getMutationType();
  for (const field of Object.values(mutation?.getFields() ?? {})) {
    const root = model.roots.get(`${mutation?.name}.${field.name}`);
    if (root === undefined || root.kind === 'resolver') continue;
    const shape = readMutation(field, model);
    if (!('binding' in shape)) continue;
    if (shape.binding.kind === 'delete') types.add(shape.entity.name);
    if (shape.binding.kind === 'purge') purged.add(shape.entity.name);
    visit(shape.values);
  }
  return { deleted: types, purged };
}
