// Which requests for one operation can share a plan: those whose variables have the same shape. Values that only fill a
// placeholder do not count; presence, null, booleans, enum values and the keys of input objects do, because they decide
// what the statement says. What a mutation field is given to write decides nothing: the statement only reads its answer.
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

/** Computes the key of a request's variables for one operation. */
export type ShapeKey = (variables: VariableValues | undefined) => string;

/** Makes the key function of an operation; the constant function when it declares no variables. */
export function createShapeKey(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ShapeKey {
  if ((operation.variableDefinitions ?? []).length === 0) return () => '';
  const deciding =
    operation.operation === OperationTypeNode.MUTATION ? variablesOfAnswers(operation, fragments) : undefined;
  const definitions = operation
    .variableDefinitions!.map((definition) => ({
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

/** The variables that a mutation uses anywhere but in the arguments of its own fields. */
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
    return `[${(value as readonly unknown[]).map((each) => shapeOf(each, type.ofType)).join(',')}]`;
  }
  if (!isInputObjectType(type)) return 's';
  const fields = type.getFields();
  const parts = Object.entries(value).map(
    ([name, each]) => `${name}:${fields[name] === undefined ? '' : shapeOf(each, fields[name].type)}`,
  );
  return `{${parts.join(',')}}`;
}
