// From the texts of `.graphql` files to the Model. All mistakes are gathered and thrown as one error; each stage that
// later ones build on must be clean before they run. Not here: reading files, and the database.
import {
  buildASTSchema,
  concatAST,
  GraphQLError,
  isScalarType,
  isSpecifiedScalarType,
  KnownDirectivesRule,
  Kind,
  parse,
  Source,
  UniqueArgumentDefinitionNamesRule,
  UniqueDirectiveNamesRule,
  UniqueDirectivesPerLocationRule,
  UniqueEnumValueNamesRule,
  UniqueFieldDefinitionNamesRule,
  UniqueOperationTypesRule,
  UniqueTypeNamesRule,
  validateSchema,
  visit,
  visitInParallel,
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { didYouMean } from '@lockstitch/kernel';
import { bindRoots } from './bind-roots.ts';
import { buildEntities } from './build-model.ts';
import { checkDirectives } from './check-directives.ts';
import { checkPolicies } from './check-policies.ts';
import { deriveApi } from './derive-api.ts';
import { DIRECTIVES_SDL } from './directives.ts';
import { findEntities, readSheets, type Sheets } from './find-entities.ts';
import type { Model } from './model.ts';
import { Problems } from './problems.ts';
import { registeredScalar, type Resolvers } from './resolvers.ts';
import { adoptKnownScalar, adoptScalar, isKnownScalar, KNOWN_SCALARS } from './scalars.ts';

/** A schema file: its name as messages should show it, and its text. */
export interface SchemaSource {
  readonly file: string;
  readonly text: string;
}

/** Options of readSchema. */
export interface ReadSchemaOptions {
  /** Fields that TypeScript answers, and scalars of the application's own. Default: none. */
  readonly resolvers?: Resolvers;
}

/**
 * Reads a schema.
 *
 * @param sources the `.graphql` files; they form one schema
 * @throws ProductError GRAPH_SCHEMA_INVALID naming every mistake with file, line, column and remedy
 */
export function readSchema(sources: readonly SchemaSource[], options: ReadSchemaOptions = {}): Model {
  const resolvers = options.resolvers ?? {};
  const problems = new Problems();
  const own = concatAST(sources.flatMap((source) => parseSource(source, problems)));
  problems.throwIfAny();
  if (own.definitions.length === 0)
    problems.addAt(undefined, 'The schema is empty.', 'Write at least "type Query { ... }".');
  problems.throwIfAny();

  const sheets = readSheets(own);
  const keys = findEntities(sheets, resolvers, problems);
  const derived = deriveApi(own, sheets, keys, resolvers);
  const engine = `${DIRECTIVES_SDL}\n${derived.sdl}`;
  const document = concatAST([own, parse(new Source(engine, '(derived by the engine)'), { noLocation: false })]);
  applySdlRules(document, problems);
  checkTypeNames(document, problems);
  problems.throwIfAny();

  const schema = buildASTSchema(document, { assumeValidSDL: true });
  checkResolvers(schema, resolvers, problems);
  const customScalars = adoptScalars(schema, resolvers, problems);
  for (const error of validateSchema(schema)) problems.add(error.nodes?.[0], error.message);
  checkDirectives(own, schema, problems);
  problems.throwIfAny();

  const abstracts = storedAbstracts(sheets, keys);
  const entities = buildEntities({ schema, keys, derived, resolvers, problems, abstracts });
  checkPolicies({ entities, schema }, problems);
  const roots = bindRoots({ schema, entities, abstracts, derived, resolvers, problems });
  problems.throwIfAny();
  return Object.freeze({ schema, entities, abstractTypes: abstracts, customScalars, roots });
}

function parseSource(source: SchemaSource, problems: Problems): readonly DocumentNode[] {
  const body = source.text.startsWith('\uFEFF') ? source.text.slice(1) : source.text;
  if (!/[^\s,]/.test(body.replace(/#.*/g, ''))) return [];
  try {
    return [parse(new Source(body, source.file))];
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const at = error.locations?.[0];
    problems.addAt(at === undefined ? undefined : { file: source.file, ...at }, error.message);
    return [];
  }
}

/** graphql-js's own SDL rules that need no more than a document. The others are checked here with better remedies. */
function applySdlRules(document: DocumentNode, problems: Problems): void {
  const context = {
    hideSuggestions: false,
    getSchema: () => undefined,
    getDocument: () => document,
    reportError: (error: GraphQLError) => problems.add(error.nodes?.at(-1), error.message),
  };
  const rules = [
    UniqueOperationTypesRule,
    UniqueTypeNamesRule,
    UniqueEnumValueNamesRule,
    UniqueFieldDefinitionNamesRule,
    UniqueArgumentDefinitionNamesRule,
    UniqueDirectiveNamesRule,
    KnownDirectivesRule,
    UniqueDirectivesPerLocationRule,
  ] as unknown as readonly ((context: unknown) => ASTVisitor)[];
  visit(document, visitInParallel(rules.map((rule) => rule(context))));
}

/** Every named type must be defined; executable definitions have no place in a schema. */
function checkTypeNames(document: DocumentNode, problems: Problems): void {
  const defined = new Set(['String', 'ID', 'Int', 'Float', 'Boolean']);
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION) {
      problems.add(node, 'An operation or fragment stands in the schema.', 'Keep operations in the client.');
    } else if (
      'name' in node &&
      node.name !== undefined &&
      node.kind !== Kind.DIRECTIVE_DEFINITION &&
      !node.kind.endsWith('Extension')
    ) {
      defined.add(node.name.value);
    }
  }
  visit(document, {
    NamedType(node: ASTNode & { readonly name: { readonly value: string } }) {
      const name = node.name.value;
      if (defined.has(name)) return;
      const scalar = KNOWN_SCALARS.includes(name);
      problems.add(
        node,
        `Unknown type "${name}".${
          scalar
            ? ''
            : didYouMean(
                name,
                [...defined].filter((each) => !each.startsWith('__')),
              )
        }`,
        scalar ? `Write "scalar ${name}".` : undefined,
      );
    },
  });
  for (const node of document.definitions) {
    if (
      node.kind.endsWith('TypeExtension') &&
      'name' in node &&
      node.name !== undefined &&
      !defined.has(node.name.value)
    ) {
      problems.add(node, `Cannot extend the unknown type "${node.name.value}".${didYouMean(node.name.value, defined)}`);
    }
  }
  if (!document.definitions.some((node) => node.kind === Kind.SCHEMA_DEFINITION) && !defined.has('Query')) {
    problems.addAt(
      undefined,
      'The schema has no type Query.',
      'Write "type Query { ... }" with the fields that clients may ask for.',
    );
  }
}

function checkResolvers(schema: GraphQLSchema, resolvers: Resolvers, problems: Problems): void {
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName);
    if (type === undefined) {
      problems.addAt(
        undefined,
        `Resolvers are given for the unknown type "${typeName}".${didYouMean(typeName, Object.keys(schema.getTypeMap()))}`,
      );
    } else if ('getFields' in type && registeredScalar(resolvers, typeName) === undefined) {
      const names = Object.keys(type.getFields());
      for (const field of Object.keys(fields)) {
        if (!names.includes(field))
          problems.addAt(
            undefined,
            `A resolver is given for the unknown field "${typeName}.${field}".${didYouMean(field, names)}`,
          );
      }
    } else if (!isScalarType(type) || registeredScalar(resolvers, typeName) === undefined) {
      problems.addAt(
        undefined,
        `Resolvers are given for "${typeName}", which has no fields to resolve.`,
        isScalarType(type) ? 'Pass a GraphQLScalarType.' : undefined,
      );
    }
  }
}

/** Gives every declared scalar its behaviour; returns the names of those that the application registered. */
function adoptScalars(schema: GraphQLSchema, resolvers: Resolvers, problems: Problems): ReadonlySet<string> {
  const custom = new Set<string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isScalarType(type) || isSpecifiedScalarType(type)) continue;
    const registered = registeredScalar(resolvers, type.name);
    if (registered !== undefined) {
      adoptScalar(type, registered);
      custom.add(type.name);
    } else if (isKnownScalar(type.name)) adoptKnownScalar(type);
    else {
      problems.add(
        type.astNode,
        `Nothing is known about scalar ${type.name}.${didYouMean(type.name, KNOWN_SCALARS)}`,
        `Register a GraphQLScalarType as resolvers.${type.name}, or use one of ${KNOWN_SCALARS.join(', ')}.`,
      );
    }
  }
  return custom;
}

/** Interfaces and unions all of whose types are stored. */
function storedAbstracts(sheets: Sheets, keys: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...sheets.abstracts].filter(([, members]) => members.length > 0 && members.every((member) => keys.has(member))),
  );
}
