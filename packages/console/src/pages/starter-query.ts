// A first operation for a schema that nobody here has seen: the first list of objects, with fields that need nothing.
import {
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isListType,
  isNonNullType,
  isObjectType,
  isLeafType,
} from 'graphql';

type AnyField = GraphQLField<unknown, unknown>;

/** Writes the operation; `{ __typename }` when the schema has no list to show. */
export function starterQuery(schema: GraphQLSchema): string {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(canAsk);
  const list = fields.filter(
    (field) => isListType(getNullableType(field.type)) && isObjectType(getNamedType(field.type)),
  );
  // The list with the most to tell makes the best first impression.
  const chosen = list.sort((left, right) => width(right) - width(left))[0];
  if (chosen === undefined) return '{ __typename }\n';
  const paged = chosen.args.some(({ name }) => name === 'first') ? '(first: 5)' : '';
  const type = getNamedType(chosen.type) as GraphQLObjectType;
  return `# Ctrl+Enter runs the operation. Ctrl+Space completes.\n{\n  ${chosen.name}${paged} {\n${selection(type, 4, 1)}  }\n}\n`;
}

function selection(type: GraphQLObjectType, indent: number, depth: number): string {
  const pad = ' '.repeat(indent);
  let text = '';
  for (const field of Object.values(type.getFields()).filter(canAsk)) {
    const target = getNamedType(field.type);
    if (isLeafType(target)) text += `${pad}${field.name}\n`;
    else if (isObjectType(target) && depth > 0)
      text += `${pad}${field.name} {\n${selection(target, indent + 2, depth - 1)}${pad}}\n`;
  }
  return text;
}

function canAsk(field: AnyField): boolean {
  return field.args.every((argument) => !isNonNullType(argument.type) || argument.defaultValue !== undefined);
}

function width(field: AnyField): number {
  return Object.keys((getNamedType(field.type) as GraphQLObjectType).getFields()).length;
}
