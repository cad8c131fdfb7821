// Converts the arguments of lists, look-ups and counts to conditions. Not here: filter inputs (read-filter.ts), order and
// page (read-list.ts), deleted rows (deleted-rows.ts).
import { first } from '../present.ts';
import type { ArgumentBinding, ArgumentBindings, Entity } from '../schema/model.ts';
import { and, equals, type Expr } from '../sql/sql.ts';
import type { SqlValue } from '../store/store.ts';
import { asArray, type ConditionArguments } from './argument-path.ts';
import { toBound, toBoundList, toJsonArray } from './bound-value.ts';
import type { Environment } from './environment.ts';
import { type ArgumentValues, own } from './field-arguments.ts';
import { keyOfNodeId } from './node-id.ts';
import { compared, guarded } from './operands.ts';
import { readFilter, withinTime } from './read-filter.ts';
import type { RowScope } from './rows.ts';

/** Conditions of the `equals` and `where` arguments. */
export function readConditions(
  env: Environment,
  scope: RowScope,
  bindings: ArgumentBindings,
  args: ConditionArguments,
): Expr | undefined {
  const conditions: Expr[] = [];
  for (const [name, binding] of bindings) {
    const value = own(args.values, name);
    if (value === undefined || value === null) continue;
    if (binding.kind === 'equals') {
      const { operand, target } = compared(env, scope, binding.field);
      if (binding.list) {
        const list = args.parameter(name, 'json', (values) =>
          toBoundList(env.schema, target, asArray(own(values, name))),
        );
        conditions.push({ kind: 'among', operand, list, storage: target.storage });
      } else {
        const right = args.parameter(name, target.storage, (values) => toBound(env.schema, target, own(values, name)));
        conditions.push({ kind: 'compare', operator: '=', left: operand, right, storage: target.storage });
      }
    } else if (binding.kind === 'nodeId') conditions.push(hasNodeId(env, scope, binding, args, name));
    else if (binding.kind === 'where') conditions.push(withinTime(readFilter(env, scope, args, [name])));
  }
  return and(...conditions);
}

/** Whether a row has the node id, or one of the node ids, of an argument. An id of another type finds nothing. */
function hasNodeId(
  env: Environment,
  scope: RowScope,
  { field, list }: Extract<ArgumentBinding, { kind: 'nodeId' }>,
  args: ConditionArguments,
  name: string,
): Expr {
  const { entity } = scope;
  const { storage } = entity.key;
  const operand = guarded(env, scope, field, scope.key);
  const path = `${name}.${entity.name}`;
  const keysIn = (values: ArgumentValues): readonly SqlValue[] =>
    asArray(own(values, name)).map((id) => keyOfNodeId(entity, id));
  if (!list)
    return equals(
      operand,
      args.parameter(path, storage, (values) => first(keysIn(values))),
      storage,
    );
  const keys = args.parameter(path, 'json', (values) => toJsonArray(keysIn(values).filter((key) => key !== null)));
  return { kind: 'among', operand, list: keys, storage };
}

/** Whether the arguments fix the key or a unique column, so that at most one row matches. */
export function isUniqueLookup(entity: Entity, bindings: ArgumentBindings, args: ConditionArguments): boolean {
  // Deleted rows keep their values, which others may have too.
  const maySeeDeleted = [...bindings.values()].some(({ kind }) => kind === 'deleted');
  return [...bindings].some(([name, binding]) => {
    if (binding.kind !== 'equals' && binding.kind !== 'nodeId') return false;
    if (binding.list || own(args.values, name) == null) return false;
    if (binding.kind === 'nodeId') return true;
    const field = entity.fields.get(binding.field);
    return field?.kind === 'column' && (field.isKey || (field.unique && !maySeeDeleted));
  });
}
