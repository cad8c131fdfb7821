// Reads what a subscription wants and tests objects against it. Not here: the event stream (subscribe/).
import type { Clock } from '@lockstitch/kernel';
import type { FragmentDefinitionNode, OperationDefinitionNode, VariableValues } from 'graphql';
import { graphErrors } from '../errors.ts';
import { toBound } from '../plan/bound-value.ts';
import { createEnvironment } from '../plan/build-plan.ts';
import { collectFields } from '../plan/collect-fields.ts';
import { readConditions } from '../plan/conditions.ts';
import { FieldArguments } from '../plan/field-arguments.ts';
import type { Limits } from '../plan/limits.ts';
import type { CallerView } from '../plan/policy.ts';
import { allRows } from '../plan/rows.ts';
import { entityOf, type Model, type RootBinding } from '../schema/model.ts';
import type { Dialect } from '../sql/dialect.ts';
import { printSelect } from '../sql/print.ts';
import { and, equals } from '../sql/sql.ts';
import type { MaybePromise, Store } from '../store/store.ts';
import { lookUp, required } from '../present.ts';

/** The root field of a subscription. */
export interface SubscriptionOutline {
  readonly field: string;
  readonly binding: RootBinding;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Reads the root field and its arguments; document and variables are valid. */
export function outlineSubscription(
  model: Model,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: VariableValues | undefined,
): SubscriptionOutline & { readonly source: FieldArguments } {
  const { schema } = model;
  const type = required(schema.getSubscriptionType() ?? undefined, 'the subscription type');
  const [nodes] = collectFields({ schema, fragments, variables }, type, [operation.selectionSet]).values();
  const node = nodes?.[0];
  const definition = node === undefined ? undefined : type.getFields()[node.name.value];
  if (node === undefined || definition === undefined)
    throw graphErrors.create('GRAPH_REQUEST_INVALID', { message: 'The subscription selects no field.' });
  const source = new FieldArguments(definition, node, variables, undefined);
  return {
    field: definition.name,
    binding: lookUp(model.roots, `${type.name}.${definition.name}`),
    args: source.values,
    source,
  };
}

/** Whether the object with this key satisfies the arguments and the caller may read it. */
export function matchesKey(
  context: {
    readonly model: Model;
    readonly dialect: Dialect;
    readonly limits: Limits;
    readonly clock: Clock;
    readonly view: CallerView;
    readonly store: Store;
  },
  outline: SubscriptionOutline & { readonly source: FieldArguments },
  key: string,
): MaybePromise<boolean> {
  const { binding, source } = outline;
  if (binding.kind !== 'changes') return true;
  const { model, view, store } = context;
  const env = createEnvironment({ ...context, fragments: new Map(), variables: undefined }, 'whole', undefined);
  const entity = entityOf(model, binding.entity);
  const rows = allRows(entity, env.aliases);
  const value = { kind: 'constant', value: toBound(model.schema, entity.key, key) } as const;
  const { text, parameters } = printSelect(
    {
      columns: [{ expr: { kind: 'literal', value: 1 }, as: 'found' }],
      from: rows.from,
      where: and(
        rows.where,
        equals(
          rows.scope.key,
          { kind: 'parameter', parameter: value, storage: entity.key.storage },
          entity.key.storage,
        ),
        view.rows(rows.scope),
        readConditions(env, rows.scope, binding.arguments, source),
      ),
    },
    context.dialect,
  );
  const inputs = { args: () => ({}), policy: view.value };
  const values = parameters.map((parameter) =>
    parameter.kind === 'constant' ? parameter.value : parameter.read(inputs),
  );
  const found = store.prepare(text).text(values);
  return found instanceof Promise ? found.then((one) => one !== null) : found !== null;
}
