// Checks every @auth rule: its names, its types, and for read rules whether the database can evaluate it. Problems are
// collected with those of the rest of the schema.
import { isNonNullType } from 'graphql';
import { compileExpression, isProductError } from '@lockstitch/kernel';
import { checkReadRule } from '../plan/lower-rule.ts';
import { rowShapeOf } from '../write/row-shape.ts';
import { declaredField } from './declared-field.ts';
import type { Entity, Field, Model } from './model.ts';
import type { Problems } from './problems.ts';

/** Checks the rules of all types and fields. */
export function checkPolicies(model: Pick<Model, 'entities' | 'schema'>, problems: Problems): void {
  for (const entity of model.entities.values()) {
    checkRules(model, entity, entity, entity.name, problems);
    if (entity.auth?.deniedIsNull === true)
      problems.addAt(
        entity.location,
        `@auth(denied:) of ${entity.name} is for fields: hidden objects are missing.`,
        'Put it on fields with read rules.',
      );
    for (const field of entity.fields.values()) {
      const name = `${entity.name}.${field.name}`;
      checkRules(model, entity, field, name, problems);
      checkDenied(model, entity, field, name, problems);
    }
  }
}

/** A withheld value can be null only where the schema promises none. */
function checkDenied(
  { schema }: Pick<Model, 'schema'>,
  entity: Entity,
  field: Field,
  name: string,
  problems: Problems,
): void {
  if (field.auth?.deniedIsNull !== true) return;
  const report = (problem: string, remedy: string): void =>
    problems.addAt(field.location, `@auth(denied: NULL) of ${name} ${problem}`, remedy);
  if (field.auth.read === undefined) report('has no read rule.', 'Write read too: which callers may read it.');
  else if (field.kind === 'resolver') report('is answered by a resolver.', 'Let the resolver return null.');
  else if (isNonNullType(declaredField(schema, entity.name, field.name).type))
    report('can never be null.', 'Remove the "!" behind its type.');
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
