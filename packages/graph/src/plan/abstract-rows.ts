// Rows of an interface or union: a UNION ALL of its types with one order. Used by lists, look-ups, counts and
// connections. Not here: the selected fields of an object (selection.ts).
import { type ArgumentBindings, type Entity, membersOf, type Storage } from '../schema/model.ts';
import { and, equals, type Expr, type From, type Json, type OrderTerm, type Select } from '../sql/sql.ts';
import type { CollectedFields } from './collect-fields.ts';
import { readConditions } from './conditions.ts';
import { keyEqualsStored } from './operands.ts';
import { readList, type ListRequest } from './read-list.ts';
import type { Environment } from './environment.ts';
import type { FieldArguments } from './field-arguments.ts';
import { limitOfOne, RowScope, toStoredKey, type RelatedRows } from './rows.ts';
import { first, last } from '../present.ts';

/** A union of several types. Its columns: type number, key as text, key for ordering, sort values. */
export interface AbstractRows {
  readonly from: From;
  readonly alias: string;
  /** Over the columns of `alias`. The type and the key come last, so the order is total. */
  readonly orderBy: readonly OrderTerm[];
  readonly limit: Expr | undefined;
  readonly offset: Expr | undefined;
}

/** Index of the row's type among the members. */
export const MEMBER = 'member';
/** The row's key as text. */
export const MEMBER_KEY = 'member_key';

interface Arm {
  readonly rows: RelatedRows;
  readonly where: Expr | undefined;
  readonly list: ListRequest;
  readonly terms: readonly OrderTerm[];
}

/**
 * Builds the union of the rows that satisfy the arguments and that the caller may read.
 *
 * @param rowsOf returns the rows of one type
 */
export function abstractRows(
  env: Environment,
  abstract: string,
  rowsOf: (entity: Entity) => RelatedRows,
  bindings: ArgumentBindings,
  args: FieldArguments,
): AbstractRows {
  const arms = membersOf(env.model, abstract).map((entity): Arm => {
    const rows = rowsOf(entity);
    const condition = readConditions(env, rows.scope, bindings, args);
    const list = readList(env, rows.scope, bindings, args, rows.keyOrder);
    // The last term is the key.
    return {
      rows,
      where: and(rows.where, env.view.rows(rows.scope), condition),
      list,
      terms: list.orderBy.slice(0, -1),
    };
  });
  const sort = commonOrder(arms);
  const { limit, offset, orderBy } = first(arms).list;
  const { descending } = last(orderBy);
  // No type contributes more rows than the end of the page; with a limit per arm, the database can stop early.
  const atMost: Expr | undefined =
    limit === undefined || offset === undefined ? limit : { kind: 'sum', operator: '+', left: limit, right: offset };
  const alias = env.aliases.take();
  const inner = (column: string): Expr => ({ kind: 'column', from: alias, column });
  const by = (column: string, storage: Storage): OrderTerm => ({
    expr: inner(column),
    descending,
    nullable: false,
    storage,
  });
  return {
    from: { kind: 'union', arms: arms.map((arm, index) => printArm(arm, index, sort, atMost)), alias },
    alias,
    orderBy: [
      ...sort.map((term, index) => ({ ...term, expr: inner(`sort_${index}`) })),
      by(MEMBER, 'integer'),
      by('whole_key', 'integer'),
      by(MEMBER_KEY, 'text'),
    ],
    limit,
    offset,
  };
}

/** The common storage of each sort value; a key may be an integer in one type and text in another. */
function commonOrder(arms: readonly Arm[]): readonly Omit<OrderTerm, 'expr'>[] {
  return first(arms).terms.map(({ descending, storage }, position) => ({
    descending,
    nullable: arms.some(({ terms }) => terms[position]!.nullable),
    storage: arms.every(({ terms }) => terms[position]!.storage === storage) ? storage : 'text',
  }));
}

function printArm(
  { rows, where, list, terms }: Arm,
  index: number,
  sort: readonly Omit<OrderTerm, 'expr'>[],
  atMost: Expr | undefined,
): Select {
  const { scope } = rows;
  const whole = scope.entity.key.storage === 'integer';
  const values = terms.map(({ expr, storage }, position): Expr =>
    sort[position]!.storage === storage ? expr : { kind: 'cast', to: 'text', operand: expr },
  );
  const orderBy = [...values.map((expr, position) => ({ ...sort[position]!, expr })), last(list.orderBy)];
  return {
    columns: [
      { expr: { kind: 'literal', value: index }, as: MEMBER },
      { expr: toStoredKey(scope.key, scope.entity), as: MEMBER_KEY },
      {
        expr: whole ? scope.key : { kind: 'cast', to: 'integer', operand: { kind: 'literal', value: 0 } },
        as: 'whole_key',
      },
      ...values.map((expr, position) => ({ expr, as: `sort_${position}` })),
    ],
    from: rows.from,
    joins: rows.joins,
    where,
    ...(atMost === undefined ? {} : { orderBy, limit: atMost }),
  };
}

/** A member type and its selected fields. */
export interface Member {
  readonly entity: Entity;
  readonly fields: CollectedFields;
}

/** Selects an object of one type. */
export type SelectMember = (scope: RowScope, fields: CollectedFields) => Json;

/** The object of a union row, read from the table of its type. `alias` has the row's columns. */
export function memberObject(env: Environment, members: readonly Member[], alias: string, select: SelectMember): Json {
  const column = (name: string): Expr => ({ kind: 'column', from: alias, column: name });
  const branches = members.map(({ entity, fields }, index) => {
    const scope = new RowScope(entity, env.aliases.take());
    const element = select(scope, fields);
    const rows: Select = {
      columns: [],
      from: { kind: 'table', table: entity.table, alias: scope.alias },
      where: keyEqualsStored(scope, column(MEMBER_KEY)),
      limit: limitOfOne(entity),
    };
    const when = equals(column(MEMBER), { kind: 'literal', value: index }, 'integer');
    return { when, use: { kind: 'one', rows, element, missing: 'null' } satisfies Json };
  });
  return { kind: 'choose', branches, otherwise: { kind: 'constant', text: 'null' } };
}

/** A page of union rows as a JSON list. */
export function abstractList(rows: AbstractRows, element: (alias: string) => Json): Json {
  const { from, alias, orderBy, limit, offset } = rows;
  const inner = (column: string): { readonly expr: Expr; readonly as: string } => ({
    expr: { kind: 'column', from: alias, column },
    as: column,
  });
  return {
    kind: 'list',
    rows: { columns: [inner(MEMBER), inner(MEMBER_KEY)], from, orderBy, limit, offset },
    element: element(`${alias}r`),
  };
}
