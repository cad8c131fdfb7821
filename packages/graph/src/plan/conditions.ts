// Converts the arguments of lists, look-ups and counts to conditions, order and page. Filters are two-valued: `not` and
// `ne` hold exactly where the positive form does not.
import { toText } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { DELETED_WORDS } from '../schema/bind-arguments.ts';
import {
  entityOf,
  hasForeignKey,
  isGuaranteed,
  type ArgumentBinding,
  type ArgumentBindings,
  type ColumnField,
  type Entity,
  type Model,
  type RelationField,
} from '../schema/model.ts';
import { and, equals, type Expr, type OrderTerm } from '../sql/sql.ts';
import { asArray, entriesAt, type ConditionArguments, type Path } from './argument-path.ts';
import type { SqlValue } from '../store/store.ts';
import { toBound, toBoundList, toJsonArray } from './bound-value.ts';
import { readColumnFilter } from './column-filter.ts';
import type { Environment, View } from './environment.ts';
import type { ArgumentValues } from './field-arguments.ts';
import { keyOfNodeId } from './node-id.ts';
import {
  beforeDeadline,
  countable,
  fromStoredKey,
  hasUniqueKey,
  isIndexed,
  limitOfOne,
  isDeleted,
  notDeleted,
  relatedRows,
  type RelatedRows,
  RowScope,
} from './rows.ts';
import { first, lookUp, membersIn } from '../present.ts';
import { countKind, rewrite } from '../sql/tree.ts';

/** The conditions, order and page of a list. */
export interface ListRequest {
  readonly where: Expr | undefined;
  readonly orderBy: readonly OrderTerm[];
  readonly limit: Expr | undefined;
  readonly offset: Expr | undefined;
}

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

/**
 * The operand of a field and the column that defines its type; a relation is compared by the target's key. A value that
 * the caller may not read is null, so that neither filters nor orders reveal it.
 */
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
function isNullable(env: Environment, scope: RowScope, field: ColumnField | RelationField): boolean {
  const restricted = field.kind === 'relation' && !isKeyOpen(env.view, entityOf(env.model, field.target));
  return field.nullable || restricted || env.view.field(scope, field.name) !== undefined;
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

/** The rows that the argument `deleted` asks for: those that are not deleted, unless it says otherwise. */
export function askedRows(
  env: Environment,
  rows: RelatedRows,
  bindings: ArgumentBindings,
  args: Pick<ConditionArguments, 'values'>,
): RelatedRows {
  const word = deletedWord(bindings, args);
  if (word === 'exclude') return rows;
  rows.scope.includesDeleted = true;
  return { ...rows, where: and(rows.link, withDeleted(env.view, rows.scope, word)) };
}

/** The word of the argument `deleted`. */
export function deletedWord(
  bindings: ArgumentBindings,
  args: Pick<ConditionArguments, 'values'>,
): 'exclude' | 'include' | 'only' {
  for (const [name, binding] of bindings)
    if (binding.kind === 'deleted') return DELETED_WORDS[toText(listValue(binding, args.values, name))] ?? 'exclude';
  return 'exclude';
}

/**
 * Whether the object of a to-one relation is there: it is not deleted, or its holder is deleted too and the caller may
 * see both. Else a deleted object could not return what its required fields refer to.
 */
export function isThere(view: View, holder: RowScope, rows: RowScope): Expr | undefined {
  const living = notDeleted(rows);
  const deleted = isDeleted(holder);
  if (living === undefined || deleted === undefined || rows.entity.auth?.readDeleted === undefined) return living;
  rows.includesDeleted = true;
  return { kind: 'or', operands: [living, and(deleted, view.deleted(rows)) ?? deleted] };
}

/** The deleted rows that the caller may see on request, alone or with the others. */
export function withDeleted(view: View, scope: RowScope, word: 'include' | 'only'): Expr | undefined {
  const living = notDeleted(scope);
  if (living === undefined) return undefined;
  const visible = view.deleted(scope);
  if (word === 'only') return and({ kind: 'not', operand: living }, visible);
  return visible === undefined ? undefined : { kind: 'or', operands: [living, visible] };
}

const NEVER: Expr = { kind: 'literal', value: false };

/** A derived filter input at `path`. */
function readFilter(env: Environment, scope: RowScope, args: ConditionArguments, path: Path): Expr {
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

/** Conditions on related rows that need no time check, if none is inside of another. */
const QUICK = 3;

/**
 * Leaves out the time checks where the time is a small multiple of the data: only conditions inside of each other, very
 * many, or on tables without an index take long.
 */
function withinTime(filter: Expr): Expr {
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
    return found.length === 1 ? first(found) : { kind: 'or', operands: found };
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

/** The entities of a type: itself, or the members of an interface or union. */
export function membersOf(model: Model, type: string): readonly Entity[] {
  return (model.abstractTypes.get(type) ?? [type]).map((name) => entityOf(model, name));
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

function own(values: ArgumentValues, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
