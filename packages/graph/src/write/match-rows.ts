// Finds the rows of a mutation's `where` argument among those the caller may read, with the same filters as queries.
// Not here: writing the rows.
import type { Clock, Principal } from '@lockstitch/kernel';
import { getNullableType, isInputObjectType, isListType, type GraphQLInputType } from 'graphql';
import { graphErrors } from '../errors.ts';
import { createEnvironment } from '../plan/build-plan.ts';
import { asArray, type ConditionArguments } from '../plan/argument-path.ts';
import { readConditions } from '../plan/conditions.ts';
import { withDeleted } from '../plan/deleted-rows.ts';
import type { Limits } from '../plan/limits.ts';
import type { ReadPolicies } from '../plan/policy.ts';
import { allRows } from '../plan/rows.ts';
import type { Model, Storage } from '../schema/model.ts';
import { dialectOf } from '../sql/dialect-of.ts';
import { optimizeWhole } from '../sql/optimize.ts';
import { printSelect } from '../sql/print.ts';
import { and, type Expr } from '../sql/sql.ts';
import type { Row, Session, SqlValue, Store } from '../store/store.ts';
import { isList } from '../present.ts';
import type { EntityTable } from './entity-table.ts';

/** A filter to apply. */
export interface MatchRequest {
  readonly session: Session;
  readonly principal: Principal;
  /** The mutation field, for messages. */
  readonly field: string;
  readonly table: EntityTable;
  readonly filter: Readonly<Record<string, unknown>>;
  /** Among deleted rows that the caller may see: alone, or with the others. */
  readonly among?: 'include' | 'only' | undefined;
}

/** Finds the rows, by the table's columns and in key order. @throws GRAPH_WRITE_TOO_LARGE for more rows than one mutation may write */
export type MatchRows = (request: MatchRequest) => Promise<readonly Row[]>;

/** Creates the finder of a model. */
export function createMatchRows(
  model: Model,
  { dialect: name }: Pick<Store, 'dialect'>,
  limits: Limits,
  policies: ReadPolicies,
  clock: Clock,
): MatchRows {
  const dialect = dialectOf(model, { dialect: name });
  const bindings = new Map([['where', { kind: 'where' }]] as const);
  return async ({ session, principal, field, table, filter, among }) => {
    const { entity, columns } = table;
    const view = policies.viewOf(principal);
    const env = createEnvironment(
      { model, limits, clock, view, fragments: new Map(), variables: undefined },
      'whole',
      undefined,
    );
    const rows = allRows(entity, env.aliases);
    const isThere = among === undefined ? rows.where : withDeleted(view, rows.scope, among);
    const limit = limits.writeSize;
    const select = optimizeWhole(
      {
        columns: columns.map((column) => ({ expr: rows.scope.column(column.name), as: column.name })),
        from: rows.from,
        where: and(isThere, readConditions(env, rows.scope, bindings, argumentsOf(filter)), view.rows(rows.scope)),
        orderBy: [rows.keyOrder],
        limit: { kind: 'literal', value: limit + 1 },
      },
      dialect,
    );
    const { text, parameters } = printSelect(select, dialect);
    const inputs = { args: () => ({}), policy: view.value };
    const values = parameters.map((each) => (each.kind === 'constant' ? each.value : each.read(inputs)));
    // Locked, so that the rows still match when they are written.
    const lock = name === 'postgres' ? ` FOR UPDATE OF ${rows.alias}` : '';
    const found = await session.prepare(`${text}${lock}`).rows(values);
    if (found.length > limit) throw graphErrors.create('GRAPH_WRITE_TOO_LARGE', { field, type: entity.name, limit });
    return found;
  };
}

function argumentsOf(where: MatchRequest['filter']): ConditionArguments {
  const values = { where };
  const constant = (value: SqlValue, storage: Storage): Expr => ({
    kind: 'parameter',
    parameter: { kind: 'constant', value },
    storage,
  });
  return {
    values,
    parameter: (_path, storage, read) => constant(read(values), storage),
    timedParameter: (_path, storage, read) => constant(read(values, undefined), storage),
  };
}

/** Members of a filter that say where or how others compare, and are no condition by themselves. */
const NO_CONDITIONS: Readonly<Record<string, string>> = { JSONFilter: 'path', RelativeTime: 'timeZone' };

/**
 * Finds empty conditions in a filter: `{}`, or null in place of a condition. In a query they match everything, which is
 * harmless; in a mutation they usually are a forgotten variable.
 */
export function findEmptyConditions(filter: unknown, type: GraphQLInputType, path: string): readonly string[] {
  if (filter === null || filter === undefined) return [path];
  const given = getNullableType(type);
  if (isListType(given))
    return asArray(filter).flatMap((each, index) => findEmptyConditions(each, given.ofType, `${path}[${index}]`));
  if (!isInputObjectType(given)) return [];
  const members = Object.entries(filter);
  if (members.every(([name]) => name === NO_CONDITIONS[given.name])) return [path];
  const fields = given.getFields();
  return members.flatMap(([name, value]) => {
    const inner = fields[name]?.type;
    // `eq: null` is a deliberate test for null, and so is a null element.
    const isDeliberate = (name === 'eq' || name === 'ne') && (value === null || isList(value));
    return inner === undefined || isDeliberate ? [] : findEmptyConditions(value, inner, `${path}.${name}`);
  });
}
