// Builds a field of a stored type: a column, a resolver field, or the sketch of a relation. Problems are collected. Not
// here: pairing of relation fields (infer-relations.ts), indexes and other parts of the type (build-entities.ts).
import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  type GraphQLSchema,
} from 'graphql';
import { didYouMean } from '@lockstitch/kernel';
import type { DerivedTypes } from './derive-types.ts';
import { readConstraint } from './constraints.ts';
import { directiveValues } from './directive-values.ts';
import type { RelationSketch } from './infer-relations.ts';
import { buildNodeId } from './node-id-fields.ts';
import { relationFormOf, type FormSketch } from './relation-forms.ts';
import type { AuthRules, ColumnField, DefaultValue, Field, SearchField, Storage } from './model.ts';
import { toStoredDecimal } from './decimal.ts';
import { snakeCase } from './names.ts';
import { locationOf, type Problems } from './problems.ts';
import { registeredScalar, resolverOf, type Resolvers } from './resolvers.ts';
import { hasOrder, storageOfScalar, toStored } from './scalars.ts';

/** Inputs shared by all parts that build the model. */
export interface BuildContext {
  readonly schema: GraphQLSchema;
  /** Stored type → its key field. */
  readonly keys: ReadonlyMap<string, string>;
  readonly derived: DerivedTypes;
  readonly resolvers: Resolvers;
  readonly problems: Problems;
  /** Interface or union → its types, if all of them are stored. */
  readonly abstracts: ReadonlyMap<string, readonly string[]>;
}

/** Where a field is stored. */
export interface FieldPlace {
  /** Column of the field; prefix of polymorphic columns without given names. */
  readonly column: string;
  /** The names of `@column`. */
  readonly given: readonly string[] | undefined;
  readonly unmanaged: boolean;
  readonly readOnly: boolean;
}

/** Builds one field; undefined if a problem was reported. */
export function buildField(
  context: BuildContext,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  keyName: string,
  place: FieldPlace,
): Field | RelationSketch | FormSketch | undefined {
  const { schema, problems } = context;
  const coordinate = `${type.name}.${field.name}`;
  const base = {
    name: field.name,
    description: field.description ?? undefined,
    location: locationOf(field.astNode),
    astNode: field.astNode ?? undefined,
    auth: readAuth(schema, field),
    search: readSearch(schema, field),
    ...formerColumnsOf(schema, field),
  };
  const { column, given, unmanaged, readOnly } = place;
  const resolver = resolverOf(context.resolvers, type.name, field.name);
  if (resolver !== undefined) {
    if (given !== undefined)
      problems.add(
        field.astNode,
        `${coordinate} has @column and a resolver.`,
        'Remove one of them; a resolver names the columns that it needs in "needs".',
      );
    return { ...base, kind: 'resolver', needs: resolver.needs ?? [] };
  }

  if (directiveValues(schema, 'nodeId', field) !== undefined) return buildNodeId(context, type, field, base);

  const form = relationFormOf(context, coordinate, field);
  if (form !== undefined) return { ...base, ...form, kind: 'formSketch' };
  if (directiveValues(schema, 'relation', field)?.sameAs != null) return undefined;

  const named = getNamedType(field.type);
  const connectionOf = context.derived.connections.get(named.name);
  if (connectionOf !== undefined || context.keys.has(named.name) || context.abstracts.has(named.name)) {
    const relation = directiveValues(schema, 'relation', field);
    const inner = getNullableType(field.type);
    return {
      ...base,
      kind: 'sketch',
      owner: type.name,
      column,
      given,
      unmanaged,
      readOnly,
      target: connectionOf ?? named.name,
      many: connectionOf !== undefined || isListType(inner),
      nullable: !isNonNullType(field.type),
      connection: connectionOf !== undefined,
      inverse: relation?.inverse,
      joinTable: relation?.table ?? undefined,
      from: relation?.from ?? undefined,
      to: relation?.to ?? undefined,
      onDelete: relation?.onDelete,
      onDeleteRules: relation?.onDeleteRules,
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
  if (given !== undefined && given.length !== 1)
    problems.add(
      field.astNode,
      `${coordinate} is stored in one column, and @column names ${given.length}.`,
      'Name one.',
    );
  return buildColumn(context, type, field, { ...base, column, unmanaged, readOnly }, field.name === keyName);
}

/** The former name as a column, and as the column that a field of that name would have. */
function formerColumnsOf(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
): Pick<ColumnField, 'formerColumns'> {
  const former = directiveValues(schema, 'renamedFrom', field)?.name;
  return former === undefined ? {} : { formerColumns: [former, snakeCase(former)] };
}

function buildColumn(
  context: BuildContext,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  base: Pick<
    ColumnField,
    'name' | 'description' | 'location' | 'astNode' | 'auth' | 'search' | 'column' | 'unmanaged' | 'readOnly'
  >,
  isKey: boolean,
): ColumnField {
  const { schema, problems } = context;
  const named = getNamedType(field.type);
  const list = isListType(getNullableType(field.type));
  const nullable = !isNonNullType(field.type);
  let storage: Storage = 'json';
  if (isEnumType(named)) storage = 'text';
  else if (isScalarType(named))
    storage = storageOfScalar(named.name, registeredScalar(context.resolvers, named.name) !== undefined) ?? 'text';
  const embedded = isObjectType(named);
  const identity = isKey && named.name === 'ID' && isPlainId(schema, field);
  let fallback = readDefault(context, type, field, list || embedded ? 'json' : storage, base.unmanaged);
  const fields = directiveValues(schema, 'id', field)?.fields ?? undefined;
  if (fields !== undefined) {
    fallback = { kind: 'database' };
    if (named.name !== 'ID' || !base.unmanaged)
      problems.add(
        field.astNode,
        `${type.name}.${field.name} has @id(fields:) and ${base.unmanaged ? `is ${String(field.type)}` : 'its type is not @unmanaged'}.`,
        'A key of several fields is an "ID!" of an @unmanaged type; elsewhere write @id on one field and @unique(fields: [...]) on the type.',
      );
  }
  if (identity && fallback === undefined) fallback = { kind: 'identity' };
  if (fallback?.kind === 'identity') storage = 'integer';
  if (isKey && (list || embedded || nullable))
    problems.add(
      field.astNode,
      `${type.name}.${field.name} cannot be a key: a key is one non-null scalar.`,
      `Write "${field.name}: ID!".`,
    );
  if (isKey && storage === 'decimal')
    problems.add(
      field.astNode,
      `${type.name}.${field.name} cannot be a key: one Decimal is written in many ways (1, 1.0), a key in one.`,
      `Write "id: ID!" as the key, and "${field.name}: Decimal! @unique".`,
    );
  const unique = isKey || hasOwnDirective('unique', field);
  const timeZone = directiveValues(schema, 'column', field)?.timeZone ?? undefined;
  if (timeZone !== undefined && (timeZone !== 'UTC' || storage !== 'timestamp' || !base.unmanaged))
    problems.add(
      field.astNode,
      `@column(timeZone: "${timeZone}") does not fit ${type.name}.${field.name}: ${String(field.type)}.`,
      'It is for a DateTime of an @unmanaged type or field, and "UTC" is the only zone.',
    );
  return {
    ...base,
    kind: 'column',
    ...(fields !== undefined && { parts: [], readOnly: true }),
    storage: list || embedded ? 'json' : storage,
    typeName: named.name,
    list,
    nullable,
    unique,
    isKey,
    unordered:
      isScalarType(named) && !hasOrder(named.name, { resolvers: context.resolvers, ordered: context.derived.ordered }),
    default: fallback,
    using: directiveValues(schema, 'column', field)?.using ?? undefined,
    timeZone: timeZone === 'UTC' ? timeZone : undefined,
    constraint: readConstraint(schema, field),
  };
}

/** `id: ID!` without @id is a sequential key. Any other key comes from the client or a default. */
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
  unmanaged: boolean,
): DefaultValue | undefined {
  const text = directiveValues(context.schema, 'default', field)?.value;
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
  if (text === 'database' && unmanaged) return { kind: 'database' };
  if ((text === 'now' || text === 'updatedAt') && storage === 'timestamp') return { kind: text };
  if (text === 'version') return named.name === 'Int' ? { kind: 'version' } : wrong('"version" is for Int.');
  if (text === 'uuid' && storage === 'text') return { kind: 'uuid' };
  if (text === 'identity')
    return named.name === 'ID' || named.name === 'Int' ? { kind: 'identity' } : wrong('"identity" is for ID and Int.');
  if (storage === 'timestamp') return wrong('Write "now" or "updatedAt".');
  if (storage === 'json') {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return wrong('Write the value as JSON.');
    }
    try {
      return { kind: 'literal', value: toStoredDefault(field.type, value) };
    } catch (error) {
      return wrong(error instanceof Error ? error.message : 'Write other values.');
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
  if (storage === 'boolean')
    return text === 'true' || text === 'false'
      ? { kind: 'literal', value: text === 'true' }
      : wrong('Write "true" or "false".');
  if (storage === 'integer' || storage === 'real') {
    const number = Number(text);
    const fits = text.trim() !== '' && Number.isFinite(number) && (storage === 'real' || Number.isInteger(number));
    return fits ? { kind: 'literal', value: number } : wrong('Write a number.');
  }
  if (storage === 'decimal') {
    const stored = toStoredDecimal(text);
    return stored === null ? wrong('Write a number, such as "10.25".') : { kind: 'literal', value: stored };
  }
  return { kind: 'literal', value: text };
}

/** Converts a default to the stored form of a list or embedded object: a Decimal is text there, a time is in UTC. */
function toStoredDefault(type: GraphQLOutputType, value: unknown): unknown {
  const bare = getNullableType(type);
  if (value === null) return null;
  if (isListType(bare)) {
    if (!Array.isArray(value)) throw new TypeError('Write a list.');
    return value.map((each) => toStoredDefault(bare.ofType, each));
  }
  if (isScalarType(bare)) {
    const stored = toStored(bare, bare.coerceInputValue(value));
    return typeof stored === 'bigint' ? String(stored) : stored;
  }
  if (!isObjectType(bare) || typeof value !== 'object') return value;
  const fields = bare.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      Object.hasOwn(fields, name) ? toStoredDefault(fields[name]!.type, each) : each,
    ]),
  );
}

/** The rules of a type or field. */
export function readAuth(
  schema: GraphQLSchema,
  owner: GraphQLObjectType | GraphQLField<unknown, unknown>,
): AuthRules | undefined {
  const values = directiveValues(schema, 'auth', owner);
  if (values === undefined) return undefined;
  const { read, create, update, delete: remove, readDeleted, purge, denied } = values;
  return {
    read: read ?? undefined,
    create: create ?? undefined,
    update: update ?? undefined,
    delete: remove ?? undefined,
    ...(readDeleted != null && { readDeleted }),
    ...(purge != null && { purge }),
    ...(denied === 'NULL' && { deniedIsNull: true }),
  };
}

function readSearch(schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): SearchField | undefined {
  const values = directiveValues(schema, 'search', field);
  if (values === undefined) return undefined;
  return {
    type: values.type ?? undefined,
    analyzer: values.analyzer ?? undefined,
    embed: values.embed ?? undefined,
    depth: values.depth ?? undefined,
  };
}
