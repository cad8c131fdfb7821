// Reads the arguments of a directive on a schema element.
import { getDirectiveValues, type GraphQLDirective, type GraphQLSchema } from 'graphql';

/** The arguments; undefined if the directive is absent or invalid (check-directives.ts reports invalid ones). */
export function directiveValues(
  schema: GraphQLSchema,
  name: string,
  owner: { readonly astNode?: unknown; readonly extensionASTNodes?: unknown } | undefined | null,
): Readonly<Record<string, unknown>> | undefined {
  const directive = schema.getDirective(name) as GraphQLDirective;
  const nodes = [owner?.astNode, ...((owner?.extensionASTNodes as readonly unknown[] | undefined) ?? [])];
  for (const node of nodes) {
    if (node === undefined || node === null) continue;
    try {
      const values = getDirectiveValues(directive, node);
      if (values !== undefined) return values;
    } catch {
      // check-directives.ts has reported it.
      return undefined;
    }
  }
  return undefined;
}
