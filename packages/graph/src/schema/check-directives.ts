// Whether every directive in the schema files has the arguments it needs, with values of the right kind. Not here: whether
// it exists and knows those arguments (recover-document.ts), and stands where it may (the SDL rules).
import {
  getArgumentValues,
  getNullableType,
  GraphQLError,
  GraphQLString,
  Kind,
  visit,
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLDirective,
  type GraphQLSchema,
} from 'graphql';
import { suppressAtHolder } from './recover-document.ts';
import type { Problems } from './problems.ts';

/** Checks the arguments of every directive in use; unknown ones are gone by now. */
export function checkDirectives(document: DocumentNode, schema: GraphQLSchema, problems: Problems): void {
  const check = (node: ConstDirectiveNode): boolean => {
    const directive = schema.getDirective(node.name.value);
    if (directive == null) return true;
    try {
      getArgumentValues(directive, node);
      return true;
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      problems.add(error.nodes?.[0] ?? node, `@${directive.name}: ${error.message}`, quotesMissing(directive, node));
      return false;
    }
  };
  visit(document, {
    Directive(node, _key, parent, _path, ancestors) {
      const isRead = check(node as ConstDirectiveNode);
      // What a relation does without its arguments is not what was meant.
      if (!isRead && node.name.value === 'relation') suppressAtHolder([...ancestors, parent], problems);
    },
  });
}

/** What to write where an argument is a text and was given as a number, a boolean or a name: `@default(value: true)`. */
function quotesMissing(directive: GraphQLDirective, node: ConstDirectiveNode): string | undefined {
  for (const { name, value } of node.arguments ?? []) {
    const type = directive.args.find((each) => each.name === name.value)?.type;
    if (type === undefined || getNullableType(type) !== GraphQLString) continue;
    const bare =
      value.kind === Kind.INT || value.kind === Kind.FLOAT || value.kind === Kind.BOOLEAN || value.kind === Kind.ENUM;
    if (bare) return `Write @${directive.name}(${name.value}: "${String(value.value)}"), in quotes.`;
  }
  return undefined;
}
