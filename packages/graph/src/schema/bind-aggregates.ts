// Binds fields that return aggregates of rows (`PhotoAggregates`) or of groups of rows (`[PhotoGroup!]`). Not here: the
// aggregates themselves (plan/aggregates.ts).
import { getNamedType, getNullableType, isListType, type GraphQLArgument, type GraphQLField } from 'graphql';
import { bindArguments, withDefault, type ArgumentContext } from './bind-arguments.ts';
import type { ArgumentBinding, ArgumentBindings } from './model.ts';

/** What a field returns of a stored type. */
export interface AggregateForm {
  readonly kind: 'aggregates' | 'groups';
  readonly type: string;
}

/** The aggregates that a field returns, if it does. */
export function aggregateForm(
  { derived }: Pick<ArgumentContext, 'derived'>,
  field: GraphQLField<unknown, unknown>,
): AggregateForm | undefined {
  const { name } = getNamedType(field.type);
  const isList = isListType(getNullableType(field.type));
  const whole = derived.aggregates.get(name);
  if (whole !== undefined && !isList) return { kind: 'aggregates', type: whole };
  const groups = derived.groups.get(name);
  return groups !== undefined && isList ? { kind: 'groups', type: groups } : undefined;
}

/** The arguments that each form takes besides those named like fields. */
const ALLOWED: Readonly<Record<AggregateForm['kind'], readonly ArgumentBinding['kind'][]>> = {
  aggregates: ['where', 'equals', 'deleted'],
  groups: ['where', 'equals', 'deleted', 'groupBy', 'having', 'orderBy', 'first', 'start', 'timeZone'],
};

/** Binds the arguments of such a field. */
export function bindAggregates(
  context: ArgumentContext,
  coordinate: string,
  field: Pick<GraphQLField<unknown, unknown>, 'args' | 'astNode'>,
  { kind, type }: AggregateForm,
): ArgumentBindings {
  const own = new Map(field.args.flatMap((argument) => ownBinding(context, argument, type)));
  const args = field.args.filter(({ name }) => !own.has(name));
  const bindings = new Map([...own, ...bindArguments(context, coordinate, { ...field, args }, type)]);
  for (const [name, binding] of bindings) {
    if (ALLOWED[kind].includes(binding.kind) && (binding.kind !== 'orderBy' || own.has(name))) continue;
    context.problems.add(
      field.args.find((argument) => argument.name === name)?.astNode ?? field.astNode,
      `Argument "${name}" of ${coordinate} has no meaning here: it ${kind === 'groups' ? 'returns groups' : 'aggregates all rows'}.`,
      `Take ${ALLOWED[kind].filter((each) => each !== 'equals').join(', ')}, and arguments named like fields${kind === 'groups' ? ` (orderBy: [${type}GroupOrder!])` : ''}.`,
    );
  }
  if (kind === 'groups' && ![...bindings.values()].some((binding) => binding.kind === 'groupBy'))
    context.problems.add(
      field.astNode,
      `${coordinate} does not say what its groups have in common.`,
      `Give it the argument "groupBy: ${type}GroupBy!".`,
    );
  return bindings;
}

function ownBinding(
  { derived }: ArgumentContext,
  argument: GraphQLArgument,
  type: string,
): readonly (readonly [string, ArgumentBinding])[] {
  const { name } = argument;
  const named = getNamedType(argument.type).name;
  const isList = isListType(getNullableType(argument.type));
  if (name === 'groupBy' && derived.groupBys.get(named) === type && !isList) return [[name, { kind: 'groupBy' }]];
  if (name === 'having' && derived.havings.get(named) === type && !isList) return [[name, { kind: 'having' }]];
  if (name === 'timeZone' && named === 'String' && !isList) return [[name, { kind: 'timeZone' }]];
  if (name === 'orderBy' && derived.groupOrders.get(named) === type)
    return [[name, withDefault({ kind: 'orderBy' }, argument)]];
  return [];
}
