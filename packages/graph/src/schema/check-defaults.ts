// Reports defaults that break the constraint of their own field: a create that relies on them would store what no client
// may send.
import { checkConstraint } from '../write/check-constraint.ts';
import type { Entity } from './model.ts';
import type { Problems } from './problems.ts';

/** Checks the literal defaults of stored fields. */
export function checkDefaults(entities: ReadonlyMap<string, Entity>, problems: Problems): void {
  for (const { name: type, fields } of entities.values())
    for (const field of fields.values()) {
      if (field.kind !== 'column' || field.default?.kind !== 'literal' || field.constraint === undefined) continue;
      const violations: { path: string; code: string; message: string }[] = [];
      if (checkConstraint({ ...field.constraint, message: undefined }, field.default.value, field.name, { violations }))
        continue;
      problems.addAt(
        field.location,
        `The default of ${type}.${field.name} breaks its @constraint: ${violations.map(({ message }) => message).join(' ')}`,
        'Change one of them.',
      );
    }
}
