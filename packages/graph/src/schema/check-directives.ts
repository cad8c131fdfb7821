// Whether every directive in the schema files has the arguments it needs, with values of the right kind. Not here: whether
// it exists and knows those arguments (mend-document.ts), and stands where it may (the SDL rules).
import {
  getArgumentValues,
  GraphQLError,
  Kind,
  visit,
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import type { Problems } from './problems.ts';

/** Checks the arguments of every directive in use; unknown ones are gone by now. */
export function checkDirectives(document: DocumentNode, schema: GraphQLSchema, problems: Problems): void {
  const check = (node: ConstDirectiveNode): void => {
    const directive = schema.getDirective(node.name.value);
    if (directive == null) return;
    try {
      getArgumentValues(directive, node);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      problems.add(error.nodes?.[0] ?? node, `@${directive.name}: ${error.message}`);
    }
  };
  visit(document, { [Kind.DIRECTIVE]: (node) => check(node as ConstDirectiveNode) });
}
