// Converts the arguments of a list to its order and page.
import { graphErrors } from '../errors.ts';
import { first, membersIn } from '../present.ts';
import {
  type ArgumentBinding,
  type ArgumentBindings,
  type ColumnField,
  entityOf,
  type RelationField,
} from '../schema/model.ts';
import { and, type Expr, type OrderTerm } from '../sql/sql.ts';
import { asArray, type ConditionArguments } from './argument-path.ts';
import type { Environment } from './environment.ts';
import { type ArgumentValues, own } from './field-arguments.ts';
import { compared, guarded, isAlwaysThere, isNullable } from './operands.ts';
import { isIndexed, limitOfOne, relatedRows, type RowScope } from './rows.ts';

/** The conditions, order and page of a list. */
export interface ListRequest {
  readonly where: Expr | undefined;
  readonly orderBy: readonly OrderTerm[];
  readonly limit: Expr | undefined;
  readonly offset: Expr | undefined;
}

/**
 * Order and page. The key breaks ties in the direction of the last term, so that an index can be scanned either way.
 */
export function readList(
  env: Environment,
  scope: RowScope,
  bindings: ArgumentBindings,
  args: ConditionArguments,
  keyOrder: OrderTerm,
): ListRequest {
  const orderBy: OrderTerm[] = [];
  let descending = false;
  for (const [name, binding] of bindings) {
    const value = listValue(binding, args.values, name);
    if (value === undefined || value === null) continue;
    if (binding.kind === 'sort') descending = value === binding.descending;
    else if (binding.kind === 'orderBy') {
      for (const each of asArray(value)) orderBy.push(readOrder(env, scope, each));
    }
  }
  for (const [name, binding] of bindings) {
    const value = listValue(binding, args.values, name);
    if (binding.kind !== 'sortBy' || typeof value !== 'string') continue;
    const { operand, target } = compared(env, scope, value);
    const field = scope.entity.fields.get(value) as ColumnField | RelationField;
    const indexed = field.kind === 'column' && isIndexed(scope.entity, field);
    const nullable = isNullable(env, scope, field);
    orderBy.push({ expr: operand, descending, nullable, storage: target.storage, indexed });
  }
  const last = orderBy.at(-1);
  if (last === undefined || last.expr !== keyOrder.expr)
    orderBy.push({ ...keyOrder, descending: last?.descending ?? descending });
  return { where: undefined, orderBy, ...readPage(env, bindings, args) };
}

/** The page that the `first` and `start` arguments cut from a list. */
export function readPage(
  env: Environment,
  bindings: ArgumentBindings,
  args: ConditionArguments,
): Pick<ListRequest, 'limit' | 'offset'> {
  let limit: Expr | undefined;
  let offset: Expr | undefined;
  for (const [name, binding] of bindings) {
    const value = listValue(binding, args.values, name);
    if (value === undefined || value === null) continue;
    if (binding.kind === 'first')
      limit = args.parameter(name, 'integer', (values) =>
        checkPageSize(name, listValue(binding, values, name) as number, env),
      );
    else if (binding.kind === 'start') {
      const start = args.parameter(name, 'integer', (values) =>
        checkStart(name, listValue(binding, values, name) as number),
      );
      // The default of most schemas; an offset of 0 needs no clause.
      if (!isConstant(start, 0)) offset = start;
    }
  }
  return { limit, offset };
}

/** Whether an argument has this value in every request that shares the plan. */
export function isConstant(argument: Expr, value: unknown): boolean {
  return argument.kind === 'parameter' && argument.parameter.kind === 'constant' && argument.parameter.value === value;
}

/** The value of an argument that orders or pages a list; its default if it is null. */
export function listValue(binding: ArgumentBinding | undefined, values: ArgumentValues, name: string): unknown {
  return own(values, name) ?? (binding !== undefined && 'defaultValue' in binding ? binding.defaultValue : undefined);
}

/** @throws ProductError GRAPH_PAGE_NEGATIVE, GRAPH_PAGE_TOO_LARGE */
export function checkPageSize(name: string, value: number, env: Environment): number {
  if (value < 0) throw graphErrors.create('GRAPH_PAGE_NEGATIVE', { argument: name, value });
  if (value > env.limits.pageSize)
    throw graphErrors.create('GRAPH_PAGE_TOO_LARGE', { argument: name, value, limit: env.limits.pageSize });
  return value;
}

function checkStart(name: string, value: number): number {
  if (value < 0) throw graphErrors.create('GRAPH_PAGE_NEGATIVE', { argument: name, value });
  return value;
}

/** One element of `orderBy`: exactly one field, or one field of a related object (@oneOf). */
function readOrder(env: Environment, scope: RowScope, value: unknown): OrderTerm {
  const [name, inner] = first(Object.entries(membersIn(value)));
  const field = scope.entity.fields.get(name);
  if (field?.kind === 'column')
    return {
      expr: guarded(env, scope, name, scope.column(field.column)),
      descending: inner === 'DESC',
      nullable: isNullable(env, scope, field),
      storage: field.storage,
      indexed: isIndexed(scope.entity, field),
    };
  if (field?.kind !== 'relation') throw new Error(`${scope.entity.name}.${name} cannot be ordered by.`);
  const target = entityOf(env.model, field.target);
  const rows = relatedRows(scope, field, target, env.aliases, false);
  const term = readOrder(env, rows.scope, inner);
  const visible = env.view.rows(rows.scope);
  return {
    ...term,
    nullable: !isAlwaysThere(env, scope, field, target) || term.nullable,
    nullableInRow: term.nullable,
    expr: guarded(env, scope, name, {
      kind: 'select',
      select: {
        columns: [{ expr: term.expr, as: 'v' }],
        from: rows.from,
        joins: rows.joins,
        where: and(rows.where, visible),
        limit: limitOfOne(target),
      },
    }),
  };
}
