// Reads the arguments of a directive on an element of GraphQL's schema, or on a field of the model.
import { getDirectiveValues, type GraphQLSchema } from 'graphql';
import { listOf, required } from '../present.ts';
import type { DirectiveArguments } from './directives.ts';

/** The arguments; undefined if the directive is absent or invalid (check-directives.ts reports invalid ones). */
export function directiveValues<Name extends keyof DirectiveArguments>(
  schema: GraphQLSchema,
  name: Name,
  owner: { readonly astNode?: unknown; readonly extensionASTNodes?: unknown } | undefined | null,
): DirectiveArguments[Name] | undefined {
  const directive = required(schema.getDirective(name) ?? undefined, name);
  const nodes = [owner?.astNode, ...listOf(owner?.extensionASTNodes)];
  for (const node of nodes) {
    if (node === undefined || node === null) continue;
    try {
      const values = getDirectiveValues(directive, node);
      if (values !== undefined) return values as unknown as DirectiveArguments[Name];
    } catch {
      // check-directives.ts has reported it.
      return undefined;
    }
  }
  return undefined;
}
