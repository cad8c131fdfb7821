// Collects the fields that a selection requests of an object, in order and merged by response key (GraphQL §6.3.2),
// with @skip and @include applied.
import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isAbstractType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';

/** Response key → the merged field nodes; all have the same field name and arguments. */
export type CollectedFields = ReadonlyMap<string, readonly FieldNode[]>;

/** Inputs of the collection. */
export interface CollectContext {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: VariableValues | undefined;
}

/** Collects the fields of selection sets for an object of `type`. */
export function collectFields(
  context: CollectContext,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
): CollectedFields {
  const fields = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  for (const set of selectionSets) collectInto(context, type, set, fields, visited);
  return fields;
}

/** The selection sets of merged field nodes. */
export function selectionSetsOf(nodes: readonly FieldNode[]): readonly SelectionSetNode[] {
  return nodes.flatMap((node) => node.selectionSet ?? []);
}

function collectInto(
  context: CollectContext,
  type: GraphQLObjectType,
  set: SelectionSetNode,
  fields: Map<string, FieldNode[]>,
  visited: Set<string>,
): void {
  for (const selection of set.selections) {
    if (!isIncluded(context, selection)) continue;
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value;
      const known = fields.get(key);
      if (known === undefined) fields.set(key, [selection]);
      else known.push(selection);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      if (applies(context, type, selection.typeCondition?.name.value))
        collectInto(context, type, selection.selectionSet, fields, visited);
    } else {
      const name = selection.name.value;
      const fragment = context.fragments.get(name);
      if (visited.has(name) || fragment === undefined) continue;
      visited.add(name);
      if (applies(context, type, fragment.typeCondition.name.value))
        collectInto(context, type, fragment.selectionSet, fields, visited);
    }
  }
}

function isIncluded(context: CollectContext, node: SelectionNode): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, context.variables);
  if (skip?.['if'] === true) return false;
  const include = getDirectiveValues(GraphQLIncludeDirective, node, context.variables);
  return include?.['if'] !== false;
}

function applies(context: CollectContext, type: GraphQLObjectType, condition: string | undefined): boolean {
  if (condition === undefined || condition === type.name) return true;
  const conditional = context.schema.getType(condition);
  return isAbstractType(conditional) && context.schema.isSubType(conditional, type);
}
