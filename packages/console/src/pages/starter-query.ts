// Writes a first operation for an unknown schema: a list of objects, with the fields that need no arguments.
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

/**
 * Writes the operation; `{ __typename }` when the schema has no list to show.
 *
 * @param without fields to leave out, as paths of the answer without places in lists: `allPhotos.budget`
 */
export function starterQuery(schema: GraphQLSchema, without: ReadonlySet<string> = new Set()): string {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    (field) => canAsk(field) && !without.has(field.name),
  );
  const list = fields.filter(
    (field) => isListType(getNullableType(field.type)) && isObjectType(getNamedType(field.type)),
  );
  // The list whose type has the most fields makes the best first impression.
  const chosen = list.sort((left, right) => width(right) - width(left))[0];
  if (chosen === undefined) return '{ __typename }\n';
  const paged = chosen.args.some(({ name }) => name === 'first') ? '(first: 5)' : '';
  const type = getNamedType(chosen.type) as GraphQLObjectType;
  const selected = selection(type, { path: chosen.name, indent: 4, depth: 1, without });
  return `# Ctrl+Enter runs the operation. Ctrl+Space completes.\n{\n  ${chosen.name}${paged} {\n${selected}  }\n}\n`;
}

/** The paths of an answer's errors, in the format of `without`. */
export function pathsOfErrors(errors: readonly { readonly path?: readonly unknown[] }[]): readonly string[] {
  return errors.flatMap(({ path }) => path?.filter((step) => typeof step === 'string').join('.') ?? []);
}

interface Place {
  readonly path: string;
  readonly indent: number;
  /** Levels of objects that may follow. */
  readonly depth: number;
  readonly without: ReadonlySet<string>;
}

function selection(type: GraphQLObjectType, place: Place): string {
  const { indent, depth, without } = place;
  const pad = ' '.repeat(indent);
  let text = '';
  for (const field of Object.values(type.getFields()).filter(canAsk)) {
    const path = `${place.path}.${field.name}`;
    if (without.has(path)) continue;
    const target = getNamedType(field.type);
    if (isLeafType(target)) text += `${pad}${field.name}\n`;
    else if (isObjectType(target) && depth > 0) {
      const inner = selection(target, { path, indent: indent + 2, depth: depth - 1, without });
      if (inner !== '') text += `${pad}${field.name} {\n${inner}${pad}}\n`;
    }
  }
  return text === '' && depth > 0 ? `${pad}__typename\n` : text;
}

function canAsk(field: AnyField): boolean {
  return field.args.every((argument) => !isNonNullType(argument.type) || argument.defaultValue !== undefined);
}

function width(field: AnyField): number {
  return Object.keys((getNamedType(field.type) as GraphQLObjectType).getFields()).length;
}
