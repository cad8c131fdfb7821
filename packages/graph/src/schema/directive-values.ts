// Reads the arguments of a directive on a schema element.
import { getDirectiveValues, type GraphQLDirective, type GraphQLSchema } from 'graphql';

/** The arguments of the schema directives, as graphql-js coerces them. */
interface DirectiveArguments {
  readonly entity: { readonly table?: string | null };
  readonly id: unknown;
  readonly relation: {
    readonly inverse?: string;
    readonly onDelete?: 'CASCADE' | 'RESTRICT' | 'SET_NULL';
    readonly onDeleteRules?: 'CALLER' | 'OVERRIDE' | 'ROWS';
  };
  readonly default: { readonly value: string };
  readonly search: {
    readonly type?: string | null;
    readonly analyzer?: string | null;
    readonly embed?: boolean | null;
    readonly depth?: number | null;
    readonly index?: string | null;
  };
  readonly auth: Readonly<Record<'read' | 'create' | 'update' | 'delete', string | null | undefined>>;
  readonly cost: { readonly weight: number };
  readonly listSize: { readonly assumedSize: number };
}

/** The arguments; undefined if the directive is absent or invalid (check-directives.ts reports invalid ones). */
export function directiveValues<Name extends keyof DirectiveArguments>(
  schema: GraphQLSchema,
  name: Name,
  owner: { readonly astNode?: unknown; readonly extensionASTNodes?: unknown } | undefined | null,
): DirectiveArguments[Name] | undefined {
  const directive = schema.getDirective(name) as GraphQLDirective;
  const nodes = [owner?.astNode, ...((owner?.extensionASTNodes as readonly unknown[] | undefined) ?? [])];
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
