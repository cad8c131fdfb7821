// Estimates how many objects and fields an operation may return, before it runs. A list multiplies the cost below it by
// its page size, or by an assumed size. @cost and @listSize adjust single fields.
import {
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  isInterfaceType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { graphErrors } from '../errors.ts';
import { directiveValues } from '../schema/directive-values.ts';
import type { Limits } from './limits.ts';

/**
 * Assumed size of a relation without a page argument. A root list without one is a whole table and counts as the
 * largest page.
 */
const ASSUMED_SIZE = 20;
/** Arguments that limit the size of a list. */
const SIZE_ARGUMENTS: ReadonlySet<string> = new Set(['first', 'last', 'limit']);

/** The argument with the objects that a gateway asks for. */
const REPRESENTATIONS = 'representations';

/** Inputs of the estimate. Without `variables`, a variable page size counts as the largest allowed. */
interface CostContext {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly limits: Limits;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** Cost of each fragment; it is the same wherever it is spread. */
  readonly known: Map<string, number>;
}

/** Estimates the cost of an operation. */
export function estimateCost(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  limits: Limits,
  variables?: Readonly<Record<string, unknown>>,
): number {
  const root = schema.getRootType(operation.operation);
  const values = variables === undefined ? undefined : { ...defaultsOf(operation), ...variables };
  return costOf(
    { schema, fragments, limits, variables: values, known: new Map() },
    root ?? undefined,
    operation.selectionSet,
  );
}

/** Integer defaults of variables. */
function defaultsOf(operation: OperationDefinitionNode): Readonly<Record<string, number>> {
  const defaults: Record<string, number> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue?.kind === Kind.INT) defaults[variable.name.value] = Number(defaultValue.value);
  }
  return defaults;
}

/** @throws ProductError GRAPH_TOO_COSTLY */
export function checkCost(cost: number, limits: Limits): void {
  if (cost > limits.cost) throw graphErrors.create('GRAPH_TOO_COSTLY', { cost, limit: limits.cost });
}

function costOf(context: CostContext, type: GraphQLNamedType | undefined, set: SelectionSetNode): number {
  let total = 0;
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      total += costOfField(context, type, selection);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value;
      total += costOf(
        context,
        condition === undefined ? type : context.schema.getType(condition),
        selection.selectionSet,
      );
    } else {
      total += costOfFragment(context, selection.name.value);
    }
  }
  return total;
}

function costOfFragment(context: CostContext, name: string): number {
  const known = context.known.get(name);
  if (known !== undefined) return known;
  const fragment = context.fragments.get(name);
  if (fragment === undefined) return 0;
  context.known.set(name, 0);
  const cost = costOf(context, context.schema.getType(fragment.typeCondition.name.value), fragment.selectionSet);
  context.known.set(name, cost);
  return cost;
}

function costOfField(context: CostContext, parent: GraphQLNamedType | undefined, node: FieldNode): number {
  if (!isObjectType(parent) && !isInterfaceType(parent)) return 0;
  const field = parent.getFields()[node.name.value];
  if (field === undefined) return 0;
  const named = getNamedType(field.type);
  const weight = directiveValues(context.schema, 'cost', field)?.weight ?? 1;
  const below = node.selectionSet === undefined ? 0 : costOf(context, named, node.selectionSet);
  const unpaged = parent === context.schema.getQueryType() ? context.limits.pageSize : ASSUMED_SIZE;
  return sizeOf(context, field, node, unpaged) * (weight + below);
}

/**
 * Maximum number of objects that a field returns: a page, an assumed list, or one. A connection is one page of edges.
 */
function sizeOf(context: CostContext, field: GraphQLField<unknown, unknown>, node: FieldNode, unpaged: number): number {
  const sizes = field.args.filter(({ name }) => SIZE_ARGUMENTS.has(name));
  for (const { name } of sizes) {
    const given = node.arguments?.find((each) => each.name.value === name)?.value;
    if (given?.kind === Kind.INT) return clamp(context, Number(given.value));
    if (given?.kind !== Kind.VARIABLE) continue;
    if (context.variables === undefined) return context.limits.pageSize;
    const value = context.variables[given.name.value];
    if (typeof value === 'number') return clamp(context, value);
  }
  // Null means the default.
  for (const argument of sizes) {
    const fallback = argument.default;
    if (fallback !== undefined && 'literal' in fallback && fallback.literal?.kind === Kind.INT)
      return clamp(context, Number(fallback.literal.value));
  }
  if (!isListType(getNullableType(field.type))) return 1;
  const named = field.args.some(({ name }) => name === REPRESENTATIONS) ? lengthOf(context, node) : undefined;
  if (named !== undefined) return clamp(context, named);
  return directiveValues(context.schema, 'listSize', field)?.assumedSize ?? unpaged;
}

/** How many objects a gateway names; undefined if that is not known yet. */
function lengthOf({ variables }: CostContext, node: FieldNode): number | undefined {
  const value = node.arguments?.find(({ name }) => name.value === REPRESENTATIONS)?.value;
  if (value?.kind === Kind.LIST) return value.values.length;
  const given = value?.kind === Kind.VARIABLE ? variables?.[value.name.value] : undefined;
  return Array.isArray(given) ? given.length : undefined;
}

/** A size beyond the limit is rejected when the page is read. */
function clamp(context: CostContext, size: number): number {
  return Math.min(Math.max(size, 0), context.limits.pageSize);
}
