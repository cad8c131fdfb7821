// Checks that every directive in the schema files has its required arguments, with values of the right type, and fits its field. Not here:
// unknown directives and arguments (recover-document.ts), and locations (graphql-js's SDL rules).
import {
  getArgumentValues,
  getNullableType,
  GraphQLError,
  GraphQLInt,
  GraphQLString,
  Kind,
  typeFromAST,
  visit,
  type DirectiveNode,
  type DocumentNode,
  type GraphQLDirective,
  type GraphQLSchema,
} from 'graphql';
import { isKeyOf } from '@lockstitch/kernel';
import { FITTING_FIELDS } from './directives.ts';
import { suppressAtHolder } from './recover-document.ts';
import type { Problems } from './problems.ts';

/** Checks the arguments of every directive in use. Unknown directives have been removed. */
export function checkDirectives(document: DocumentNode, schema: GraphQLSchema, problems: Problems): void {
  const check = (node: DirectiveNode): boolean => {
    const directive = schema.getDirective(node.name.value);
    if (directive == null) return true;
    try {
      checkCounts(directive, getArgumentValues(directive, node), node, problems);
      return true;
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      problems.add(error.nodes?.[0] ?? node, `@${directive.name}: ${error.message}`, quotesMissing(directive, node));
      return false;
    }
  };
  visit(document, {
    FieldDefinition({ name, type, directives = [] }) {
      for (const directive of directives) {
        const rule = isKeyOf(FITTING_FIELDS, directive.name.value) ? FITTING_FIELDS[directive.name.value] : undefined;
        const declared = typeFromAST(schema, type);
        if (rule === undefined || declared === undefined || rule.fits(declared)) continue;
        const message = `@${directive.name.value} is for ${rule.what}, and ${name.value} is ${String(declared)}.`;
        problems.add(directive, message, rule.remedy);
      }
    },
    Directive(node, _key, parent, _path, ancestors) {
      const isRead = check(node);
      // Without its arguments, @relation would mean something else.
      if (!isRead && node.name.value === 'relation') suppressAtHolder([...ancestors, parent], problems);
    },
  });
}

/** Directives whose whole numbers count something. */
const COUNTING: ReadonlySet<string> = new Set(['constraint', 'cost', 'listSize']);

function checkCounts(
  { name, args }: GraphQLDirective,
  values: Readonly<Record<string, unknown>>,
  node: DirectiveNode,
  problems: Problems,
): void {
  if (!COUNTING.has(name)) return;
  for (const argument of args) {
    const value = values[argument.name];
    if (getNullableType(argument.type) !== GraphQLInt || typeof value !== 'number' || value >= 0) continue;
    problems.add(node, `@${name}(${argument.name}: ${value}) is below 0.`, 'Write 0 or more.');
  }
}

/** Remedy for a String argument written as a number, boolean or name: `@default(value: true)`. */
function quotesMissing(directive: GraphQLDirective, node: DirectiveNode): string | undefined {
  for (const { name, value } of node.arguments ?? []) {
    const type = directive.args.find((each) => each.name === name.value)?.type;
    if (type === undefined || getNullableType(type) !== GraphQLString) continue;
    const bare =
      value.kind === Kind.INT || value.kind === Kind.FLOAT || value.kind === Kind.BOOLEAN || value.kind === Kind.ENUM;
    if (bare) return `Write @${directive.name}(${name.value}: "${String(value.value)}"), in quotes.`;
  }
  return undefined;
}
