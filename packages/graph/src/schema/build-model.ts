// The executable schema and its directives → the entities of the Model: columns, relations, keys, indexes, policies.
// Every mistake goes to Problems and the building goes on. Not here: root fields (bind-roots.ts) and which fields are
// two ends of one relation (infer-relations.ts).
import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type ASTNode,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLScalarType,
  type GraphQLSchema,
} from 'graphql';
import { didYouMean } from '@lockstitch/kernel';
import type { DerivedTypes } from './derive-api.ts';
import { directiveValues } from './directive-values.ts';
import { inferRelations, type RelationSketch } from './infer-relations.ts';
import type { AuthRules, ColumnField, DefaultValue, Entity, Field, SearchField, Storage } from './model.ts';
import { plural, snakeCase } from './names.ts';
import { locationOf, type Problems } from './problems.ts';
import { readRoles, type RoleContext } from './read-roles.ts';
import { resolverOf, type Resolvers } from './resolvers.ts';
import { storageOfScalar } from './scalars.ts';

/** What build-model needs to know. */
export interface BuildContext {
  readonly schema: GraphQLSchema;
  /** Stored type → its key field. */
  readonly keys: ReadonlyMap<string, string>;
  readonly derived: DerivedTypes;
  readonly resolvers: Resolvers;
  readonly problems: Problems;
  /** Interface or union → stored types, where all of its types are stored. */
  readonly abstracts: ReadonlyMap<string, readonly string[]>;
}

type Draft = { -readonly [Key in keyof Entity]: Entity[Key] } & { fields: Map<string, Field> };

/** Builds the entities, in the order of the schema. */
export function buildEntities(context: BuildContext): ReadonlyMap<string, Entity> {
  const drafts = new Map<string, Draft>();
  const sketches: RelationSketch[] = [];
  for (const name of context.keys.keys()) {
    const type = context.schema.getType(name);
    if (isObjectType(type)) drafts.set(name, draftEntity(context, type, sketches));
  }
  checkTables(context, drafts);
  const roles: RoleContext = { ...context, entities: drafts };
  for (const [name, relations] of inferRelations(sketches, drafts, context)) {
    const draft = drafts.get(name)!;
    for (const relation of relations) {
      const field = fieldsOf(context, name)[relation.name]!;
      draft.fields.set(relation.name, {
        ...relation,
        arguments: readRoles(roles, `${name}.${field.name}`, field, relation.target),
      });
    }
  }
  for (const draft of drafts.values()) {
    restoreOrder(context, draft);
    addUniqueKeys(draft);
    readTypeIndexes(context, draft);
    checkNeeds(context, draft);
  }
  for (const [name, draft] of drafts) drafts.set(name, Object.freeze(draft));
  return drafts;
}

function fieldsOf(context: BuildContext, type: string): Readonly<Record<string, GraphQLField<unknown, unknown>>> {
  return (context.schema.getType(type) as GraphQLObjectType).getFields();
}

function draftEntity(context: BuildContext, type: GraphQLObjectType, sketches: RelationSketch[]): Draft {
  const { schema, problems } = context;
  const keyName = context.keys.get(type.name)!;
  const fields = new Map<string, Field>();
  for (const field of Object.values(type.getFields())) {
    const drafted = draftField(context, type, field, keyName);
    if (drafted === undefined) continue;
    if (drafted.kind === 'sketch') sketches.push(drafted);
    else fields.set(field.name, drafted);
  }
  const key = fields.get(keyName);
  const table =
    (directiveValues(schema, 'entity', type)?.['table'] as string | undefined) ?? snakeCase(plural(type.name));
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(table) || /^(sqlite|pg|lockstitch)_/i.test(table)) {
    problems.add(
      type.astNode,
      `Type ${type.name} cannot live in a table called "${table}".`,
      'Use letters, digits and "_", at most 63, and none of the prefixes sqlite_, pg_, lockstitch_.',
    );
  }
  const search = directiveValues(schema, 'search', type);
  const searched =
    search !== undefined ||
    [...fields.values()].some((field) => field.search !== undefined) ||
    sketches.some((sketch) => sketch.owner === type.name && sketch.search !== undefined);
  return {
    name: type.name,
    description: type.description ?? undefined,
    table,
    key: key?.kind === 'column' ? key : missingKey(keyName),
    fields,
    interfaces: type.getInterfaces().map((each) => each.name),
    indexes: [],
    auth: readAuth(schema, type),
    location: locationOf(type.astNode),
    searchIndex: searched
      ? {
          index: (search?.['index'] as string | undefined) ?? table,
          type: (search?.['type'] as string | undefined) ?? type.name.toLowerCase(),
        }
      : undefined,
  };
}

/** Stands in for a key that could not be read; the problem that prevented it is already noted. */
function missingKey(name: string): ColumnField {
  return {
    kind: 'column',
    name,
    description: undefined,
    location: undefined,
    auth: undefined,
    search: undefined,
    column: snakeCase(name),
    storage: 'text',
    typeName: 'ID',
    list: false,
    nullable: false,
    unique: true,
    isKey: true,
    default: undefined,
  };
}

function draftField(
  context: BuildContext,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  keyName: string,
): Field | RelationSketch | undefined {
  const { schema, problems } = context;
  const coordinate = `${type.name}.${field.name}`;
  const base = {
    name: field.name,
    description: field.description ?? undefined,
    location: locationOf(field.astNode),
    auth: readAuth(schema, field),
    search: readSearch(schema, field),
  };
  const resolver = resolverOf(context.resolvers, type.name, field.name);
  if (resolver !== undefined) return { ...base, kind: 'resolver', needs: resolver.needs ?? [] };

  const named = getNamedType(field.type);
  const connectionOf = context.derived.connections.get(named.name);
  if (connectionOf !== undefined || context.keys.has(named.name) || context.abstracts.has(named.name)) {
    const relation = directiveValues(schema, 'relation', field);
    const inner = getNullableType(field.type);
    return {
      ...base,
      kind: 'sketch',
      owner: type.name,
      target: connectionOf ?? named.name,
      many: connectionOf !== undefined || isListType(inner),
      nullable: !isNonNullType(field.type),
      connection: connectionOf !== undefined,
      inverse: relation?.['inverse'] as string | undefined,
      onDelete: relation?.['onDelete'] as RelationSketch['onDelete'],
      node: field.astNode ?? undefined,
    };
  }
  if (isAbstractType(named)) {
    problems.add(
      field.astNode,
      `${coordinate} is of ${named.name}, and not all of its types are stored.`,
      `Put @entity on each of them, or answer the field with a resolver.`,
    );
    return undefined;
  }
  if (field.args.length > 0) {
    problems.add(
      field.astNode,
      `${coordinate} takes arguments, which a column cannot answer.`,
      'Answer it with a resolver in resolvers.ts, or remove the arguments.',
    );
    return undefined;
  }
  return draftColumn(context, type, field, base, field.name === keyName);
}

function draftColumn(
  context: BuildContext,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  base: Pick<ColumnField, 'name' | 'description' | 'location' | 'auth' | 'search'>,
  isKey: boolean,
): ColumnField {
  const { schema, problems } = context;
  const named = getNamedType(field.type);
  const list = isListType(getNullableType(field.type));
  const nullable = !isNonNullType(field.type);
  let storage: Storage = 'json';
  if (isEnumType(named)) storage = 'text';
  else if (isScalarType(named)) storage = storageOfScalar(named.name) ?? 'text';
  const embedded = isObjectType(named);
  const identity = isKey && named.name === 'ID' && isPlainId(schema, field);
  let fallback = readDefault(context, type, field, list || embedded ? 'json' : storage);
  if (identity && fallback === undefined) fallback = { kind: 'identity' };
  if (fallback?.kind === 'identity') storage = 'integer';
  if (isKey && (list || embedded || nullable)) {
    problems.add(
      field.astNode,
      `${type.name}.${field.name} cannot be a key: a key is one non-null scalar.`,
      `Write "${field.name}: ID!".`,
    );
  }
  const unique = isKey || hasOwnDirective('unique', field);
  return {
    ...base,
    kind: 'column',
    column: snakeCase(field.name),
    storage: list || embedded ? 'json' : storage,
    typeName: named.name,
    list,
    nullable,
    unique,
    isKey,
    default: fallback,
  };
}

/** `id: ID!` without @id counts its objects itself; every other key is given by whoever creates the object. */
function isPlainId(schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): boolean {
  return field.name === 'id' && directiveValues(schema, 'id', field) === undefined;
}

function hasOwnDirective(name: string, field: GraphQLField<unknown, unknown>): boolean {
  return field.astNode?.directives?.some((each) => each.name.value === name) ?? false;
}

function readDefault(
  context: BuildContext,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  storage: Storage,
): DefaultValue | undefined {
  const text = directiveValues(context.schema, 'default', field)?.['value'] as string | undefined;
  if (text === undefined) return undefined;
  const named = getNamedType(field.type) as GraphQLScalarType | GraphQLEnumType;
  const wrong = (remedy: string): undefined => {
    context.problems.add(
      field.astNode,
      `@default(value: "${text}") does not fit ${type.name}.${field.name}: ${String(field.type)}.`,
      remedy,
    );
    return undefined;
  };
  if ((text === 'now' || text === 'updatedAt') && storage === 'timestamp') return { kind: text };
  if (text === 'version') return named.name === 'Int' ? { kind: 'version' } : wrong('"version" is for Int.');
  if (text === 'uuid' && storage === 'text') return { kind: 'uuid' };
  if (text === 'identity') {
    return named.name === 'ID' || named.name === 'Int' ? { kind: 'identity' } : wrong('"identity" is for ID and Int.');
  }
  if (storage === 'timestamp') return wrong('Write "now" or "updatedAt".');
  if (storage === 'json') {
    try {
      return { kind: 'literal', value: JSON.parse(text) as unknown };
    } catch {
      return wrong('Write the value as JSON.');
    }
  }
  if (isEnumType(named)) {
    if (named.getValue(text) != null) return { kind: 'literal', value: text };
    return wrong(
      `The values are ${named
        .getValues()
        .map((each) => each.name)
        .join(', ')}.${didYouMean(
        text,
        named.getValues().map((each) => each.name),
      )}`,
    );
  }
  if (storage === 'boolean') {
    return text === 'true' || text === 'false'
      ? { kind: 'literal', value: text === 'true' }
      : wrong('Write "true" or "false".');
  }
  if (storage === 'integer' || storage === 'real') {
    const number = Number(text);
    const fits = text.trim() !== '' && Number.isFinite(number) && (storage === 'real' || Number.isInteger(number));
    return fits ? { kind: 'literal', value: number } : wrong('Write a number.');
  }
  return { kind: 'literal', value: text };
}

function readAuth(
  schema: GraphQLSchema,
  owner: GraphQLObjectType | GraphQLField<unknown, unknown>,
): AuthRules | undefined {
  const values = directiveValues(schema, 'auth', owner);
  if (values === undefined) return undefined;
  const rule = (name: string): string | undefined => (values[name] as string | null | undefined) ?? undefined;
  return { read: rule('read'), create: rule('create'), update: rule('update'), delete: rule('delete') };
}

function readSearch(schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): SearchField | undefined {
  const values = directiveValues(schema, 'search', field);
  if (values === undefined) return undefined;
  return {
    type: (values['type'] as string | null) ?? undefined,
    analyzer: (values['analyzer'] as string | null) ?? undefined,
  };
}

/** Fields in the order of the schema, whichever kind was found first. */
function restoreOrder(context: BuildContext, draft: Draft): void {
  const fields = new Map<string, Field>();
  for (const name of Object.keys(fieldsOf(context, draft.name))) {
    const field = draft.fields.get(name);
    if (field !== undefined) fields.set(name, field);
  }
  draft.fields = fields;
}

/** A one-to-one relation keeps its foreign key unique. */
function addUniqueKeys(draft: Draft): void {
  for (const field of draft.fields.values()) {
    if (field.kind === 'relation' && field.storage.kind === 'foreignKey' && field.storage.unique) {
      draft.indexes = [...draft.indexes, { columns: [field.storage.column], unique: true }];
    }
  }
}

function readTypeIndexes(context: BuildContext, draft: Draft): void {
  const type = context.schema.getType(draft.name) as GraphQLObjectType;
  const nodes = [type.astNode, ...type.extensionASTNodes];
  const owners = [
    ...nodes.map((node) => ({ node, own: undefined as string | undefined })),
    ...Object.values(type.getFields()).map((field) => ({ node: field.astNode, own: field.name })),
  ];
  for (const { node, own } of owners) {
    for (const directive of node?.directives ?? []) {
      const unique = directive.name.value === 'unique';
      if (!unique && directive.name.value !== 'index') continue;
      const list = directive.arguments?.find((each) => each.name.value === 'fields')?.value;
      const names =
        list?.kind === 'ListValue' ? list.values.map((each) => (each.kind === 'StringValue' ? each.value : '')) : [];
      if (own !== undefined && names[0] !== own) names.unshift(own);
      if (unique && names.length === 1 && names[0] === own && draft.fields.get(own ?? '')?.kind === 'column') continue;
      if (names.length === 0) {
        context.problems.add(
          directive,
          `@${directive.name.value} on ${draft.name} names no field.`,
          'Write @index(fields: ["a", "b"]).',
        );
        continue;
      }
      const columns = names.map((name) => columnFor(context, draft, name, directive));
      if (columns.every((column) => column !== undefined)) draft.indexes = [...draft.indexes, { columns, unique }];
    }
  }
}

function columnFor(context: BuildContext, draft: Draft, name: string, node: ASTNode): string | undefined {
  const field = draft.fields.get(name);
  if (field?.kind === 'column') return field.column;
  if (field?.kind === 'relation' && field.storage.kind === 'foreignKey') return field.storage.column;
  const what = field === undefined ? `has no field "${name}"` : `keeps no column for "${name}"`;
  context.problems.add(
    node,
    `${draft.name} ${what}.${field === undefined ? didYouMean(name, draft.fields.keys()) : ''}`,
    'Name fields that are stored in the table of the type.',
  );
  return undefined;
}

/** Columns that resolvers ask for must exist. */
function checkNeeds(context: BuildContext, draft: Draft): void {
  for (const field of draft.fields.values()) {
    if (field.kind !== 'resolver') continue;
    for (const name of field.needs) {
      if (draft.fields.get(name)?.kind === 'column') continue;
      context.problems.addAt(
        field.location,
        `The resolver of ${draft.name}.${field.name} needs "${name}", which is no column of ${draft.name}.${didYouMean(name, draft.fields.keys())}`,
        'Name scalar fields of the same type in "needs".',
      );
    }
  }
}

function checkTables(context: BuildContext, drafts: ReadonlyMap<string, Draft>): void {
  const owners = new Map<string, string>();
  for (const draft of drafts.values()) {
    const other = owners.get(draft.table.toLowerCase());
    if (other !== undefined) {
      context.problems.addAt(
        draft.location,
        `Types ${other} and ${draft.name} both live in table "${draft.table}".`,
        'Give one of them another with @entity(table: "...").',
      );
    }
    owners.set(draft.table.toLowerCase(), draft.name);
  }
}
