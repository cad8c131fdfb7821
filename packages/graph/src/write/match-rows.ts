// Which rows a `where` argument of a mutation means: those that satisfy it among the ones the caller may read. The same
// filters as in queries, compiled the same way. Not here: what is done with the rows.
import type { Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import { createEnvironment } from '../plan/build-plan.ts';
import { readConditions } from '../plan/conditions.ts';
import type { FieldArguments } from '../plan/field-arguments.ts';
import type { Limits } from '../plan/limits.ts';
import type { ReadPolicies } from '../plan/policy.ts';
import { allRows } from '../plan/rows.ts';
import type { Entity, Model } from '../schema/model.ts';
import { dialectOf } from '../sql/dialect-of.ts';
import { printSelect } from '../sql/print.ts';
import { and } from '../sql/sql.ts';
import type { Session, SqlValue, Store } from '../store/store.ts';

/** A filter to be applied. */
export interface MatchRequest {
  readonly session: Session;
  readonly principal: Principal;
  /** The mutation field, for messages. */
  readonly field: string;
  readonly entity: Entity;
  readonly filter: Readonly<Record<string, unknown>>;
}

/** Finds the keys of the rows, in key order. @throws GRAPH_WRITE_TOO_LARGE when there are more than may be written at once */
export type MatchRows = (request: MatchRequest) => Promise<readonly SqlValue[]>;

/** Makes the finder of a model. */
export function createMatchRows(
  model: Model,
  { dialect: name }: Pick<Store, 'dialect'>,
  limits: Limits,
  policies: ReadPolicies,
): MatchRows {
  const dialect = dialectOf(model, { dialect: name });
  const bindings = new Map([['where', { kind: 'where' }]] as const);
  return async ({ session, principal, field, entity, filter }) => {
    const view = policies.viewOf(principal);
    const env = createEnvironment(
      { model, limits, view, fragments: new Map(), variables: undefined },
      'whole',
      undefined,
    );
    const rows = allRows(entity, env.aliases);
    const limit = limits.writeSize;
    const { text, parameters } = printSelect(
      {
        columns: [{ expr: rows.scope.key, as: entity.key.column }],
        from: rows.from,
        where: and(readConditions(env, rows.scope, bindings, argumentsOf(filter)), view.rows(rows.scope)),
        orderBy: [rows.keyOrder],
        limit: { kind: 'literal', value: limit + 1 },
      },
      dialect,
    );
    const inputs = { args: () => ({}), policy: view.value };
    const values = parameters.map((each) => (each.kind === 'constant' ? each.value : each.read(inputs)));
    // Locked, so that what matches now still does when it is written.
    const lock = name === 'postgres' ? ` FOR UPDATE OF ${rows.alias}` : '';
    const found = await session.prepare(`${text}${lock}`).rows(values);
    if (found.length > limit) throw graphErrors.create('GRAPH_WRITE_TOO_LARGE', { field, type: entity.name, limit });
    return found.map((row) => row[0] as SqlValue);
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
 * Finds the places where a filter says nothing: `{}`, or null where a condition stands. In a query such a place asks for
 * everything, which is harmless; in a mutation it is a variable that was forgotten.
 */
export function findEmptyConditions(filter: unknown, path: string): readonly string[] {
  if (filter === null || filter === undefined) return [path];
  if (Array.isArray(filter)) return filter.flatMap((each, index) => findEmptyConditions(each, `${path}[${index}]`));
  if (typeof filter !== 'object' || filter instanceof Date || filter instanceof URL) return [];
  const members = Object.entries(filter);
  if (members.length === 0) return [path];
  return members.flatMap(([name, value]) =>
    // `eq: null` asks for rows without a value, and means it; so does a list with an element that has none.
    (name === 'eq' || name === 'ne') && (value === null || Array.isArray(value))
      ? []
      : findEmptyConditions(value, `${path}.${name}`),
  );
}
