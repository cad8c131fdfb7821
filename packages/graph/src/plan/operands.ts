// The values of a row that conditions and orders compare. A value that the caller may not read is null, so that neither
// filters nor orders reveal it.
import { lookUp } from '../present.ts';
import { type ColumnField, type Entity, entityOf, isGuaranteed, type RelationField } from '../schema/model.ts';
import { and, type Expr } from '../sql/sql.ts';
import type { Environment, View } from './environment.ts';
import { fromStoredKey, limitOfOne, relatedRows, RowScope } from './rows.ts';

/** The operand of a field and the column that defines its type; a relation is compared by the target's key. */
export function compared(
  env: Environment,
  scope: RowScope,
  name: string,
): { readonly operand: Expr; readonly target: ColumnField } {
  const field = lookUp(scope.entity.fields, name);
  if (field.kind === 'relation' && field.storage.kind === 'foreignKey') {
    const entity = entityOf(env.model, field.target);
    if (isKeyOpen(env.view, entity))
      return { operand: guarded(env, scope, name, scope.column(field.storage.column)), target: entity.key };
    const rows = relatedRows(scope, field, entity, env.aliases, false);
    const select = {
      columns: [{ expr: guarded(env, rows.scope, entity.key.name, rows.scope.key), as: 'v' }],
      from: rows.from,
      where: and(rows.where, env.view.rows(rows.scope)),
      limit: limitOfOne(entity),
    };
    return { operand: guarded(env, scope, name, { kind: 'select', select }), target: entity.key };
  }
  if (field.kind !== 'column') throw new Error(`${scope.entity.name}.${name} has no column to compare.`);
  return { operand: guarded(env, scope, name, scope.column(field.column)), target: field };
}

/**
 * Whether a stored reference may stand for the key of its target: no row of the type is deleted, and neither a row nor its
 * key is hidden from the caller. Else the target's row is read, and its rules decide.
 */
export function isKeyOpen(view: View, target: Entity): boolean {
  return (
    target.softDelete === undefined &&
    !view.restricts(target.name) &&
    view.field(new RowScope(target, 't'), target.key.name) === undefined
  );
}

/** The value if the caller may read the field, else null. */
export function guarded(env: Environment, scope: RowScope, name: string, expr: Expr): Expr {
  const allowed = env.view.field(scope, name);
  return allowed === undefined
    ? expr
    : { kind: 'choose', branches: [{ when: allowed, use: expr }], otherwise: { kind: 'literal', value: null } };
}

/** Whether the value may be null for the caller. */
export function isNullable(env: Environment, scope: RowScope, field: ColumnField | RelationField): boolean {
  const restricted = field.kind === 'relation' && !isKeyOpen(env.view, entityOf(env.model, field.target));
  return field.nullable || restricted || env.view.field(scope, field.name) !== undefined;
}

/** Whether each row has a related one that the caller may read. */
export function isAlwaysThere(env: Environment, scope: RowScope, field: RelationField, target: Entity): boolean {
  return (
    field.storage.kind === 'foreignKey' &&
    !field.nullable &&
    isGuaranteed(field, target) &&
    !env.view.restricts(target.name) &&
    env.view.field(scope, field.name) === undefined
  );
}

/** Compares the key of a row with a text column that holds keys of several types. */
export function keyEqualsStored(scope: RowScope, stored: Expr): Expr {
  return {
    kind: 'compare',
    operator: '=',
    left: scope.key,
    right: fromStoredKey(stored, scope.entity),
    storage: scope.entity.key.storage,
  };
}
