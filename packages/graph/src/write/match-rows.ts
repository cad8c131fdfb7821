// Finds the rows of a mutation's `where` argument among those the caller may read, with the same filters as queries.
// Not here: writing the rows.
import type { Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { createEnvironment } from '../plan/build-plan.ts';
import { readConditions } from '../plan/conditions.ts';
import type { FieldArguments } from '../plan/field-arguments.ts';
import type { Limits } from '../plan/limits.ts';
import type { ReadPolicies } from '../plan/policy.ts';
import { allRows } from '../plan/rows.ts';
import type { Model } from '../schema/model.ts';
import { dialectOf } from '../sql/dialect-of.ts';
import { optimizeWhole } from '../sql/optimize.ts';
import { printSelect } from '../sql/print.ts';
import { and } from '../sql/sql.ts';
import type { Row, Session, Store } from '../store/store.ts';
import type { EntityTable } from './entity-table.ts';

/** A filter to apply. */
export interface MatchRequest {
  readonly session: Session;
  readonly principal: Principal;
  /** The mutation field, for messages. */
  readonly field: string;
  readonly table: EntityTable;
  readonly filter: Readonly<Record<string, unknown>>;
}

/** Finds the rows, by the table's columns and in key order. @throws GRAPH_WRITE_TOO_LARGE for more rows than one mutation may write */
export type MatchRows = (request: MatchRequest) => Promise<readonly Row[]>;

/** Creates the finder of a model. */
export function createMatchRows(
  model: Model,
  { dialect: name }: Pick<Store, 'dialect'>,
  limits: Limits,
  policies: ReadPolicies,
): MatchRows {
  const dialect = dialectOf(model, { dialect: name });
  const bindings = new Map([['where', { kind: 'where' }]] as const);
  return async ({ session, principal, field, table, filter }) => {
    const { entity, columns } = table;
    const view = policies.viewOf(principal);
    const env = createEnvironment(
      { model, limits, view, fragments: new Map(), variables: undefined },
      'whole',
      undefined,
    );
    const rows = allRows(entity, env.aliases);
    const limit = limits.writeSize;
    const select = optimizeWhole(
      {
        columns: columns.map((column) => ({ expr: rows.scope.column(column.name), as: column.name })),
        from: rows.from,
        where: and(readConditions(env, rows.scope, bindings, argumentsOf(filter)), view.rows(rows.scope)),
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

function argumentsOf(where: MatchRequest['filter']): Pick<FieldArguments, 'values' | 'parameter'> {
  const values = { where };
  return {
    values,
    parameter: (_path, storage, read) => ({
      kind: 'parameter',
      parameter: { kind: 'constant', value: read(values) },
      storage,
    }),
  };
}

/**
 * Finds empty conditions in a filter: `{}`, or null in place of a condition. In a query they match everything, which is
 * harmless; in a mutation they usually are a forgotten variable.
 */
export function findEmptyConditions(filter: unknown, path: string): readonly string[] {
  if (filter === null || filter === undefined) return [path];
  if (Array.isArray(filter)) return filter.flatMap((each, index) => findEmptyConditions(each, `${path}[${index}]`));
  if (typeof filter !== 'object' || filter instanceof Date || filter instanceof URL) return [];
  const members = Object.entries(filter);
  if (members.length === 0) return [path];
  return members.flatMap(([name, value]) =>
    // `eq: null` is a deliberate test for null, and so is a null element.
    (name === 'eq' || name === 'ne') && (value === null || Array.isArray(value))
      ? []
      : findEmptyConditions(value, `${path}.${name}`),
  );
}
