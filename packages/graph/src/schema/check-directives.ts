// Whether every directive in the schema files exists, stands where it may, and has the arguments it needs.
import {
  getArgumentValues,
  GraphQLError,
  Kind,
  visit,
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { didYouMean } from '@lockstitch/kernel';
import type { Problems } from './problems.ts';

/** Checks the arguments of every directive in use; unknown directives and places are the SDL rules' matter. */
export function checkDirectives(document: DocumentNode, schema: GraphQLSchema, problems: Problems): void {
  const check = (node: ConstDirectiveNode): void => {
    const directive = schema.getDirective(node.name.value);
    if (directive == null) return;
    const names = directive.args.map((each) => each.name);
    const unknown = node.arguments?.find((argument) => !names.includes(argument.name.value));
    if (unknown !== undefined) {
      problems.add(
        unknown,
        `@${directive.name} has no argument "${unknown.name.value}".${didYouMean(unknown.name.value, names)}`,
        names.length === 0 ? undefined : `It takes ${names.join(', ')}.`,
      );
      return;
    }
    try {
      getArgumentValues(directive, node);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      problems.add(error.nodes?.[0] ?? node, `@${directive.name}: ${error.message}`);
    }
  };
  visit(document, { [Kind.DIRECTIVE]: (node) => check(node as ConstDirectiveNode) });
}
