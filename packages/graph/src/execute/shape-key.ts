// Decides which requests for an operation share a plan: those whose variables have the same shape. Values that only
// fill a placeholder do not count. Presence, null, booleans, enum values and the keys of input objects count, because
// they shape the statement. Input of mutation fields does not count: the statement only reads the response.
import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isScalarType,
  Kind,
  OperationTypeNode,
  typeFromAST,
  visit,
  type ASTNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableValues,
} from 'graphql';
import { listOf } from '../present.ts';

/** Computes the shape key of a request's variables. */
export type ShapeKey = (variables: VariableValues | undefined) => string;

/** Creates the key function of an operation; constant without variables. */
export function createShapeKey(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ShapeKey {
  const { variableDefinitions = [] } = operation;
  if (variableDefinitions.length === 0) return () => '';
  const deciding =
    operation.operation === OperationTypeNode.MUTATION ? variablesOfAnswers(operation, fragments) : undefined;
  const definitions = variableDefinitions
    .map((definition) => ({
      name: definition.variable.name.value,
      type: typeFromAST(schema, definition.type) as GraphQLInputType,
    }))
    .filter(({ name }) => deciding?.has(name) !== false);
  if (definitions.length === 0) return () => '';
  return (variables) => {
    let key = '';
    for (const { name, type } of definitions) {
      const coerced = variables?.coerced;
      key += coerced !== undefined && name in coerced ? shapeOf(coerced[name], type) : 'u';
    }
    return key;
  };
}

/** The variables that a mutation uses outside the arguments of its root fields. */
function variablesOfAnswers(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlySet<string> {
  const used = new Set<string>();
  const collect = (node: ASTNode): void => {
    visit(node, { Variable: (variable) => void used.add(variable.name.value) });
  };
  for (const selection of operation.selectionSet.selections) {
    selection.directives?.forEach(collect);
    if (selection.kind === Kind.FIELD) {
      if (selection.selectionSet !== undefined) collect(selection.selectionSet);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
  }
  for (const fragment of fragments.values()) collect(fragment);
  return used;
}

function shapeOf(value: unknown, given: GraphQLInputType): string {
  if (value === null) return 'n';
  if (value === undefined) return 'u';
  const type = getNullableType(given);
  if (isScalarType(type)) return type.name === 'Boolean' ? (value === true ? 't' : 'f') : 's';
  if (isEnumType(type)) return `(${value as string})`;
  if (isListType(type)) {
    const element = getNullableType(type.ofType);
    if (isScalarType(element)) return 'l';
    return `[${listOf(value)
      .map((each) => shapeOf(each, type.ofType))
      .join(',')}]`;
  }
  if (!isInputObjectType(type)) return 's';
  const fields = type.getFields();
  const parts = Object.entries(value).map(
    ([name, each]) => `${name}:${fields[name] === undefined ? '' : shapeOf(each, fields[name].type)}`,
  );
  return `{${parts.join(',')}}`;
}
