// Finds the objects that a caller may read, by key, with the same predicates as every statement. For tools that explain
// or test rules; requests do not use it.
import type { Principal } from '@lockstitch/kernel';
import type { ReadPolicies } from '../plan/policy.ts';
import { withDeleted } from '../plan/deleted-rows.ts';
import { toBound } from '../plan/bound-value.ts';
import { Aliases, allRows, keyOrderOf } from '../plan/rows.ts';
import type { Entity, Model } from '../schema/model.ts';
import type { Dialect } from '../sql/dialect.ts';
import { printSelect } from '../sql/print.ts';
import { and, type Expr, type Inputs } from '../sql/sql.ts';
import type { Store } from '../store/store.ts';

/** Options of readableKeys. */
export interface ReadableOptions {
  readonly field?: string | undefined;
  readonly includeDeleted?: boolean;
}

/**
 * The keys of the objects that the caller may read, in key order.
 *
 * @param options `field`: one that the caller may read in the object too; `includeDeleted`: with the deleted objects that they may
 * see on request
 */
export async function readableKeys(
  context: {
    readonly model: Model;
    readonly store: Store;
    readonly dialect: Dialect;
    readonly policies: ReadPolicies;
  },
  entity: Entity,
  keys: readonly string[] | undefined,
  principal: Principal,
  { field, includeDeleted = false }: ReadableOptions = {},
): Promise<readonly string[]> {
  const view = context.policies.viewOf(principal);
  const rows = allRows(entity, new Aliases());
  const { scope } = rows;
  const { text, parameters } = printSelect(
    {
      columns: [{ expr: { kind: 'cast', to: 'text', operand: scope.key }, as: 'found' }],
      from: rows.from,
      where: and(
        includeDeleted && entity.auth?.readDeleted !== undefined ? withDeleted(view, scope, 'include') : rows.where,
        keys === undefined ? undefined : amongKeys(context.model, entity, scope.key, keys),
        view.rows(scope),
        field === undefined ? undefined : view.field(scope, field),
      ),
      orderBy: [keyOrderOf(scope)],
    },
    context.dialect,
  );
  const inputs: Inputs = { args: () => ({}), policy: view.value };
  const values = parameters.map((each) => (each.kind === 'constant' ? each.value : each.read(inputs)));
  const found = await context.store.prepare(text).rows(values);
  return found.map(([key]) => String(key));
}

function amongKeys(model: Model, { key }: Entity, operand: Expr, keys: readonly string[]): Expr {
  const bound = keys.map((each) => toBound(model.schema, key, each)).filter((each) => each !== null);
  const list = `[${bound.map((each) => (typeof each === 'bigint' ? each.toString() : JSON.stringify(each))).join(',')}]`;
  return {
    kind: 'among',
    operand,
    list: { kind: 'parameter', parameter: { kind: 'constant', value: list }, storage: 'json' },
    storage: key.storage,
  };
}
