// Converts derived filter inputs to conditions. Filters are two-valued: `not` and `ne` hold exactly where the positive form
// does not. Not here: filters of one column (column-filter.ts).
import { only } from '../present.ts';
import { type Entity, hasForeignKey, membersOf, type RelationField } from '../schema/model.ts';
import type { Expr } from '../sql/sql.ts';
import { countKind, rewrite } from '../sql/tree.ts';
import { asArray, type ConditionArguments, entriesAt, type Path } from './argument-path.ts';
import { readColumnFilter } from './column-filter.ts';
import type { Environment } from './environment.ts';
import { guarded } from './operands.ts';
import { beforeDeadline, countable, hasUniqueKey, relatedRows, type RowScope } from './rows.ts';

/** A derived filter input at `path`. */
export function readFilter(env: Environment, scope: RowScope, args: ConditionArguments, path: Path): Expr {
  const conditions: Expr[] = [];
  for (const [name, value] of entriesAt(args.values, path)) {
    if (value === null || value === undefined) continue;
    const here = [...path, name];
    const field = scope.entity.fields.get(name);
    // A stored field may be named like a connective; the derived input then has only the field.
    if (field === undefined && (name === 'and' || name === 'or')) {
      const operands = asArray(value).map((_, index) => readFilter(env, scope, args, [...here, index]));
      conditions.push({ kind: name, operands });
    } else if (field === undefined && name === 'not')
      conditions.push({ kind: 'isNotTrue', operand: readFilter(env, scope, args, here) });
    // Any other name is a member type of an interface or union; no field has that name.
    else if (field === undefined)
      conditions.push(name === scope.entity.name ? readFilter(env, scope, args, here) : NEVER);
    else if (field?.kind === 'column') {
      const operand = guarded(env, scope, name, scope.column(field.column));
      conditions.push(...readColumnFilter(env, operand, field, args, here));
    } else if (field?.kind === 'relation') conditions.push(...readRelationFilter(env, scope, field, args, here));
  }
  return { kind: 'and', operands: conditions };
}

const NEVER: Expr = { kind: 'literal', value: false };

/** Conditions on related rows that need no time check, if none is inside of another. */
const QUICK = 3;

/**
 * Leaves out the time checks where the time is a small multiple of the data: only conditions inside of each other, very
 * many, or on tables without an index take long.
 */
export function withinTime(filter: Expr): Expr {
  const checks = countKind(filter, 'beforeDeadline');
  if (checks === 0) return filter;
  if (checks > QUICK) return checkedDeeply(filter, 0);
  let nested = false;
  const without = rewrite(filter, (node): Expr | undefined => {
    if (node.kind === 'exists' && countKind(node, 'beforeDeadline') > 1) nested = true;
    return node.kind === 'beforeDeadline' && node.isNeeded !== true ? { kind: 'literal', value: true } : undefined;
  });
  return nested ? checkedDeeply(filter, 0) : without;
}

/** Levels of conditions inside of each other whose rows are sampled by their keys. */
const HASHED = 2;

const AT_RANDOM = { by: { kind: 'literal', value: 1 }, isInteger: false } as const;

/**
 * Samples deeper levels at random: the rows of small tables, of whose few keys a hash may choose none, are many there.
 * Such a check is made once for each row around it.
 */
function checkedDeeply<Tree>(tree: Tree, depth: number): Tree {
  return rewrite(tree, (node): Expr | undefined => {
    if (node.kind === 'exists') return { ...node, select: checkedDeeply(node.select, depth + 1) };
    return node.kind === 'beforeDeadline' && depth > HASHED ? { ...node, sample: AT_RANDOM } : undefined;
  });
}

/** Whether the columns by which a relation finds its rows may have no index: the engine creates those of its own only. */
function mayLackIndex(field: RelationField, target: Entity): boolean {
  if (field.storage.kind === 'foreignKey' && hasUniqueKey(target)) return false;
  const other = field.storage.kind === 'inverse' ? target.fields.get(field.storage.field) : undefined;
  return !hasForeignKey(field, target) || (other?.kind === 'relation' && other.unmanaged);
}

function readRelationFilter(
  env: Environment,
  scope: RowScope,
  field: RelationField,
  args: ConditionArguments,
  path: Path,
): readonly Expr[] {
  const targets = membersOf(env.model, field.target);
  const some = (here: Path, negated: boolean): Expr => {
    const found = targets.map((target) => someOf(target, here, negated));
    return only(found) ?? { kind: 'or', operands: found };
  };
  const someOf = (target: Entity, here: Path, negated: boolean): Expr => {
    const rows = relatedRows(scope, field, target, env.aliases, false);
    const inner = readFilter(env, rows.scope, args, here);
    const condition: Expr = negated ? { kind: 'isNotTrue', operand: inner } : inner;
    const rule = env.view.rows(rows.scope);
    const conditions = [rule, condition];
    const isNeeded = mayLackIndex(field, target);
    // Whether there is any row takes one look-up.
    const isAny = rule === undefined && !negated && inner.kind === 'and' && inner.operands.length === 0;
    const check = isNeeded || (field.many && !isAny) ? beforeDeadline(rows.scope, isNeeded) : undefined;
    return { kind: 'exists', select: countable(rows, conditions, check) };
  };
  const allowed = env.view.field(scope, field.name);
  const conditions: Expr[] = allowed === undefined ? [] : [allowed];
  if (!field.many) return [...conditions, some(path, false)];
  for (const [quantifier, value] of entriesAt(args.values, path)) {
    if (value === null) continue;
    const here = [...path, quantifier];
    if (quantifier === 'any') conditions.push(some(here, false));
    else if (quantifier === 'none') conditions.push({ kind: 'not', operand: some(here, false) });
    else conditions.push({ kind: 'not', operand: some(here, true) });
  }
  return conditions;
}
