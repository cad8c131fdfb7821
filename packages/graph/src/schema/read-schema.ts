// Builds the model from the texts of `.graphql` files. All problems are thrown as one error: a misspelt name is read as
// the nearest known one, so that one run finds all. Not here: reading files, and the database.
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
  type ASTVisitor,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { didYouMean } from '@lockstitch/kernel';
import { bindRoots } from './bind-roots.ts';
import { buildEntities } from './build-entities.ts';
import { checkConstraints } from './constraints.ts';
import { checkDefaults } from './check-defaults.ts';
import { checkDeletions } from './check-deletions.ts';
import { checkDirectives } from './check-directives.ts';
import { checkCursors, checkPolicies } from './check-policies.ts';
import { derivableNames, deriveTypes, storedAbstracts, type DerivedTypes } from './derive-types.ts';
import { DIRECTIVES_SDL } from './directives.ts';
import {
  checkInterfaceKeys,
  FEDERATION_DIRECTIVES_SDL,
  gatewaySdl,
  readEntityKeys,
  REPRESENTATION,
} from './federation.ts';
import { findEntities, collectTypeDefinitions, type TypeDefinitions } from './find-entities.ts';
import { checkNodeIds, inheritNodeIds } from './node-ids.ts';
import { printSubgraph } from './print-subgraph.ts';
import { recoverDirectives, recoverTypeNames } from './recover-document.ts';
import type { Model } from './model.ts';
import { Problems, type SchemaProblem } from './problems.ts';
import { registeredScalar, resolverOf, type Resolvers } from './resolvers.ts';
import { adoptKnownScalar, adoptScalar, isKnownScalar, KNOWN_SCALARS } from './scalars.ts';
import { hasMembers, membersIn, required } from '../present.ts';

/** A schema file: its name for messages, and its text. */
export interface SchemaSource {
  readonly file: string;
  readonly text: string;
}

/** Options of readSchema. */
export interface ReadSchemaOptions {
  /** Resolvers, and scalars of the application. Default: none. */
  readonly resolvers?: Resolvers;
  /**
   * An additional check, for example of the search mapping; its problems are reported with the others. The model may be
   * incomplete if there are other problems.
   */
  readonly check?: (model: Model) => readonly SchemaProblem[];
  /** The schema is a subgraph of Apollo Federation 2. Default: false. */
  readonly federation?: boolean;
}

/**
 * Builds the model of a schema.
 *
 * @param sources the `.graphql` files; they form one schema
 * @throws ProductError GRAPH_SCHEMA_INVALID with file, line, column and remedy of every problem
 */
export function readSchema(sources: readonly SchemaSource[], options: ReadSchemaOptions = {}): Model {
  const { resolvers = {}, federation = false } = options;
  const directivesSdl = federation ? `${DIRECTIVES_SDL}\n${FEDERATION_DIRECTIVES_SDL}` : DIRECTIVES_SDL;
  const problems = new Problems();
  const files = concatAST(sources.flatMap((source) => parseSource(source, problems)));
  problems.throwIfAny();
  if (files.definitions.length === 0)
    problems.addAt(undefined, 'The schema is empty.', 'Write at least "type Query { ... }".');
  problems.throwIfAny();

  const { definitions, keys, derived, document, own } = outline(
    inheritNodeIds(recoverDirectives(files, problems, directivesSdl)),
    resolvers,
    problems,
    directivesSdl,
  );
  if (federation) checkInterfaceKeys(own, problems);
  applySdlRules(document, problems);
  checkDefinitions(document, problems);
  checkNodeIds(definitions, keys, resolvers, problems);
  const isClean = problems.count === 0;

  const compile = (): Model => {
    const schema = buildASTSchema(document, { assumeValidSDL: true });
    checkResolvers(schema, keys, resolvers, problems);
    const customScalars = adoptScalars(schema, resolvers, problems);
    // checkDefinitions has reported it, with a remedy.
    const errors = validateSchema(schema).filter(({ message }) => message !== 'Query root type must be provided.');
    for (const error of errors) problems.add(error.nodes?.[0], error.message);
    checkDirectives(own, schema, problems);

    const abstracts = storedAbstracts(definitions, keys);
    const entities = buildEntities({ schema, keys, derived, resolvers, problems, abstracts });
    checkPolicies({ entities, schema }, problems);
    const roots = bindRoots({ schema, entities, abstracts, derived, resolvers, problems, isSubgraph: federation });
    checkConstraints(
      schema,
      (type, field) => entities.get(type)?.fields.get(field)?.kind === 'column',
      (type, field) => type === schema.getMutationType()?.name || roots.get(`${type}.${field}`)?.kind === 'resolver',
      problems,
    );
    checkDefaults(entities, problems);
    const { filters } = derived;
    const answered = new Set(
      Object.entries(resolvers).flatMap(([type, fields]) =>
        registeredScalar(resolvers, type) === undefined ? Object.keys(fields).map((field) => `${type}.${field}`) : [],
      ),
    );
    const model: Model = Object.freeze({
      schema,
      entities,
      abstractTypes: abstracts,
      customScalars,
      answered,
      filters,
      roots,
      subgraph: federation
        ? {
            keys: readEntityKeys(definitions, { entities }, problems),
            sdl: printSubgraph({ own, definitions, derived: derived.sdl, schema, stored: keys }),
          }
        : undefined,
    });
    checkDeletions(model, problems);
    checkCursors(model, problems);
    for (const { location, message, remedy } of options.check?.(model) ?? []) problems.addAt(location, message, remedy);
    return model;
  };
  let model: Model | undefined;
  try {
    model = compile();
  } catch (error) {
    // With problems, the rest is read as far as possible; a failure then only follows from them.
    if (isClean && problems.count === 0) throw error;
  }
  problems.throwIfAny();
  return required(model, 'the model of a schema without mistakes');
}

interface Outline {
  readonly own: DocumentNode;
  readonly definitions: TypeDefinitions;
  /** Stored type → its key field. */
  readonly keys: ReadonlyMap<string, string>;
  readonly derived: DerivedTypes;
  /** The files and the engine's definitions. */
  readonly document: DocumentNode;
}

/** Outlines the files after recovering misspelt type names, since the names decide which types are stored. */
function outline(files: DocumentNode, resolvers: Resolvers, problems: Problems, directivesSdl: string): Outline {
  const draw = (own: DocumentNode, noted: Problems): Outline => {
    const definitions = collectTypeDefinitions(own);
    const keys = findEntities(definitions, resolvers, noted);
    const derived = deriveTypes(own, definitions, keys, resolvers, noted);
    const gateway = directivesSdl === DIRECTIVES_SDL ? '' : gatewaySdl(definitions, keys);
    const engine = `${directivesSdl}\n${gateway}\n${derived.sdl}`;
    const document = concatAST([own, parse(new Source(engine, '(derived by the engine)'), { noLocation: false })]);
    return { own, definitions, keys, derived, document };
  };
  const noted = new Problems();
  const first = draw(files, noted);
  const derivable = derivableNames([...first.keys.keys(), ...storedAbstracts(first.definitions, first.keys).keys()]);
  const recovered = recoverTypeNames(files, definedNames(first.document), derivable, KNOWN_SCALARS, problems);
  if (recovered !== files) return draw(recovered, problems);
  problems.addAll(noted);
  return first;
}

function parseSource(source: SchemaSource, problems: Problems): readonly DocumentNode[] {
  const body = source.text.startsWith('\uFEFF') ? source.text.slice(1) : source.text;
  if (!/[^\s,]/.test(body.replace(/#.*/g, ''))) return [];
  try {
    return [parse(new Source(body, source.file))];
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const at = error.locations?.[0];
    const remedy = foreignSyntax(body.split(/\r\n|[\n\r]/)[(at?.line ?? 1) - 1] ?? '');
    problems.addAt(at === undefined ? undefined : { file: source.file, ...at }, error.message, remedy);
    return [];
  }
}

/** What to write instead of another schema language's syntax; undefined if the line has none. */
function foreignSyntax(line: string): string | undefined {
  const [attribute] = /@@\w+/.exec(line) ?? [];
  if (attribute !== undefined)
    return `${attribute} is an attribute of Prisma's schema language, which is not GraphQL. Directives of a type stand behind its name: @entity(table: "photos") for @@map, @unique(fields: ["a", "b"]) for @@unique and @@index.`;
  if (/^\s*(?:model|datasource|generator)\s+\w+\s*\{/.test(line))
    return `This is Prisma's schema language, which is not GraphQL. "lockstitch adopt" writes the schema of the database that it describes.`;
  return undefined;
}

/** graphql-js's SDL rules that need only a document. The engine checks the others itself, with better remedies. */
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

/** The names of all types, the built-in scalars included. */
function definedNames(document: DocumentNode): Set<string> {
  const defined = new Set(['String', 'ID', 'Int', 'Float', 'Boolean']);
  for (const node of document.definitions) {
    const isType = node.kind.endsWith('TypeDefinition');
    if (isType && 'name' in node && node.name !== undefined) defined.add(node.name.value);
  }
  return defined;
}

/** Reports extensions of unknown types, a missing Query type, and operations or fragments in the schema. */
function checkDefinitions(document: DocumentNode, problems: Problems): void {
  const defined = definedNames(document);
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION)
      problems.add(node, 'The schema contains an operation or fragment.', 'Keep operations in the client.');
    else if (
      node.kind.endsWith('TypeExtension') &&
      'name' in node &&
      node.name !== undefined &&
      !defined.has(node.name.value)
    )
      problems.add(node, `Cannot extend the unknown type "${node.name.value}".${didYouMean(node.name.value, defined)}`);
  }
  if (!document.definitions.some((node) => node.kind === Kind.SCHEMA_DEFINITION) && !defined.has('Query'))
    problems.addAt(
      undefined,
      'The schema has no type Query.',
      'Write "type Query { ... }" with the fields that clients may ask for.',
    );
}

function checkResolvers(
  schema: GraphQLSchema,
  stored: ReadonlyMap<string, string>,
  resolvers: Resolvers,
  problems: Problems,
): void {
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName);
    if (type === undefined)
      problems.addOfResolvers(
        `Resolvers are given for the unknown type "${typeName}".${didYouMean(typeName, Object.keys(schema.getTypeMap()))}`,
        'Declare the type in the schema, or remove its resolvers.',
      );
    else if ('getFields' in type && registeredScalar(resolvers, typeName) === undefined)
      checkFieldResolvers(typeName, Object.keys(type.getFields()), stored.has(typeName), fields, problems);
    else if (!isScalarType(type) || registeredScalar(resolvers, typeName) === undefined)
      problems.addOfResolvers(
        `Resolvers are given for "${typeName}", which has no fields to resolve.`,
        isScalarType(type) ? 'Pass a GraphQLScalarType.' : undefined,
      );
  }
  const subscription = schema.getSubscriptionType();
  for (const field of Object.keys(subscription?.getFields() ?? {})) {
    if (resolverOf(resolvers, subscription?.name ?? '', field) === undefined) continue;
    problems.addOfResolvers(
      `A resolver is given for "Subscription.${field}", and subscriptions follow the changes of stored types only.`,
      'Remove the resolver, and return a stored type.',
    );
  }
}

function checkFieldResolvers(
  type: string,
  names: readonly string[],
  isStored: boolean,
  fields: unknown,
  problems: Problems,
): void {
  if (typeof fields !== 'object' || fields === null) {
    problems.addOfResolvers(
      `The resolvers of "${type}" are not an object.`,
      'Give an object of fields with functions.',
    );
    return;
  }
  for (const [field, resolver] of Object.entries(membersIn(fields))) {
    if (!names.includes(field))
      problems.addOfResolvers(
        `A resolver is given for the unknown field "${type}.${field}".${didYouMean(field, names)}`,
        'Declare the field in the schema, or remove its resolver.',
      );
    else if (!isResolver(resolver))
      problems.addOfResolvers(
        `The resolver of "${type}.${field}" is not a function.`,
        'Give a function, or { needs, resolve } with the names of the columns that it needs.',
      );
    else if (!isStored && membersIn(resolver)['needs'] !== undefined)
      problems.addOfResolvers(
        `The resolver of "${type}.${field}" has "needs", and ${type} is no stored type: there are no columns to fetch.`,
        'Pass only the function; it can load other objects with context.load.',
      );
  }
}

function isResolver(value: unknown): boolean {
  if (!hasMembers(value)) return typeof value === 'function';
  const { resolve, needs = [], ...rest } = value;
  if (typeof resolve !== 'function' || Object.keys(rest).length > 0) return false;
  return Array.isArray(needs) && needs.every((name) => typeof name === 'string');
}

/** Gives every declared scalar its coercion functions; returns the names of those that the application registered. */
function adoptScalars(schema: GraphQLSchema, resolvers: Resolvers, problems: Problems): ReadonlySet<string> {
  const custom = new Set<string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isScalarType(type) || isSpecifiedScalarType(type)) continue;
    const registered = registeredScalar(resolvers, type.name);
    if (registered !== undefined) {
      adoptScalar(type, registered);
      custom.add(type.name);
    } else if (isKnownScalar(type.name) || type.name === REPRESENTATION) adoptKnownScalar(type);
    else {
      problems.add(
        type.astNode,
        `Unknown scalar ${type.name}.${didYouMean(type.name, KNOWN_SCALARS)}`,
        `Register a GraphQLScalarType as resolvers.${type.name}, or use one of ${KNOWN_SCALARS.join(', ')}.`,
      );
    }
  }
  return custom;
}
