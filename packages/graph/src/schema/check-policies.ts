// Checks every @auth rule: its names, its types, and for read rules whether the database can evaluate it. Problems are
// collected with those of the rest of the schema.
import { compileExpression, isProductError } from '@lockstitch/kernel';
import { checkReadRule } from '../plan/lower-rule.ts';
import { rowShapeOf } from '../write/row-shape.ts';
import type { Entity, Field, Model } from './model.ts';
import type { Problems } from './problems.ts';

/** Checks the rules of all types and fields. */
export function checkPolicies(model: Pick<Model, 'entities' | 'schema'>, problems: Problems): void {
  for (const entity of model.entities.values()) {
    checkRules(model, entity, entity, entity.name, problems);
    for (const field of entity.fields.values())
      checkRules(model, entity, field, `${entity.name}.${field.name}`, problems);
  }
}

function checkRules(
  model: Pick<Model, 'entities' | 'schema'>,
  entity: Entity,
  at: Entity | Field,
  name: string,
  problems: Problems,
): void {
  for (const action of ['read', 'create', 'update', 'delete'] as const) {
    const text = at.auth?.[action];
    if (text === undefined) continue;
    try {
      const access = compileExpression(text, { row: rowShapeOf(entity, model) });
      if (action === 'read') checkReadRule(model, entity, access);
    } catch (error) {
      if (!isProductError(error)) throw error;
      problems.addAt(at.location, `@auth(${action}:) of ${name}: ${error.message}`, error.hint);
    }
  }
}
