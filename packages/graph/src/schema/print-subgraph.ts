// Prints the schema as a subgraph of Apollo Federation 2 tells it to the composition: what clients can use, with the
// directives of Federation and without the engine's own.
import {
  Kind,
  parse,
  print,
  visit,
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { keyDirectives } from './federation.ts';
import type { TypeDefinitions } from './find-entities.ts';
import { publicSchemaOf } from './public-schema.ts';

/** The version of Federation if the schema links none. */
const SPECIFICATION = 'https://specs.apollo.dev/federation/v2.5';
const IS_SPECIFICATION = /^https:\/\/specs\.apollo\.dev\/federation\/v2\.\d+$/;
/** Directives that a schema imports from it. */
const IMPORTED: ReadonlySet<string> = new Set([
  'key',
  'shareable',
  'external',
  'provides',
  'override',
  'inaccessible',
  'tag',
]);
/** Directives of GraphQL that compositions know; of these, not `@oneOf`. */
const KNOWN: ReadonlySet<string> = new Set(['deprecated', 'specifiedBy']);

interface SubgraphParts {
  readonly own: DocumentNode;
  readonly definitions: TypeDefinitions;
  /** SDL of the types derived from the author's definitions. */
  readonly derived: string;
  readonly schema: GraphQLSchema;
  /** Stored type → its key field. */
  readonly stored: ReadonlyMap<string, string>;
}

/** The SDL of `_service`. */
export function printSubgraph({ own, definitions: types, derived, schema, stored }: SubgraphParts): string {
  const shown = publicSchemaOf(schema).getTypeMap();
  const isShown = (node: DefinitionNode): boolean =>
    'name' in node && node.name !== undefined && Object.hasOwn(shown, node.name.value);
  const links = own.definitions
    .filter((node) => node.kind === Kind.SCHEMA_EXTENSION || node.kind === Kind.SCHEMA_DEFINITION)
    .flatMap((node) => node.directives ?? [])
    .filter(({ name }) => name.value === 'link');
  const used = new Set<string>();
  const clean = <T extends DefinitionNode>(node: T): T =>
    visit(node, {
      Directive(directive) {
        const name = directive.name.value;
        if (IMPORTED.has(name)) used.add(name);
        return IMPORTED.has(name) || KNOWN.has(name) ? undefined : null;
      },
    });
  const definitions: DefinitionNode[] = [];
  const helpers = derived === '' ? [] : parse(derived).definitions;
  for (const node of [...own.definitions, ...helpers]) {
    if (node.kind === Kind.SCHEMA_DEFINITION) definitions.push({ ...node, directives: [] });
    if (node.kind === Kind.DIRECTIVE_DEFINITION || !isShown(node)) continue;
    const cleaned = clean(node);
    const isObject = cleaned.kind === Kind.OBJECT_TYPE_DEFINITION;
    const key =
      isObject && keyDirectives(types.objects.get(cleaned.name.value)).length === 0
        ? stored.get(cleaned.name.value)
        : undefined;
    const added = [
      ...(key === undefined ? [] : [keyDirective(key)]),
      // Two subgraphs with pages of one type both derive its connection.
      ...(isObject && helpers.includes(node) ? [directive('shareable')] : []),
    ];
    for (const { name } of added) used.add(name.value);
    definitions.push(isObject ? { ...cleaned, directives: [...(cleaned.directives ?? []), ...added] } : cleaned);
  }
  const header = links.filter((link) => !IS_SPECIFICATION.test(textOf(link, 'url'))).map((link) => print(link));
  const specification = links.map((link) => textOf(link, 'url')).find((url) => IS_SPECIFICATION.test(url));
  const names = [...used].sort().map((name) => `"@${name}"`);
  header.unshift(`@link(url: "${specification ?? SPECIFICATION}", import: [${names.join(', ')}])`);
  return `extend schema ${header.join(' ')}\n\n${print({ kind: Kind.DOCUMENT, definitions })}\n`;
}

function textOf({ arguments: given = [] }: ConstDirectiveNode, name: string): string {
  const value = given.find((each) => each.name.value === name)?.value;
  return value?.kind === Kind.STRING ? value.value : '';
}

function directive(name: string, fields?: string): ConstDirectiveNode {
  const value = { kind: Kind.STRING, value: fields ?? '' } as const;
  const argument = { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'fields' }, value } as const;
  return {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: name },
    arguments: fields === undefined ? [] : [argument],
  };
}

function keyDirective(fields: string): ConstDirectiveNode {
  return directive('key', fields);
}
