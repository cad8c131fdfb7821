// What a subgraph of Apollo Federation 2 adds to a schema: the directives that authors write, the fields by which a
// gateway reads, and the keys by which it names objects. Not here: the text of `_service` (print-subgraph.ts) and the
// statement of `_entities` (plan/entities.ts).
import {
  Kind,
  parse,
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { isResolvableKey, type ObjectDefinition, type TypeDefinitions } from './find-entities.ts';
import { storedColumnsOf, type ColumnField, type Entity, type Field, type Model, type RelationField } from './model.ts';
import type { Problems } from './problems.ts';

/** A field of a key; `of` is that of the object that a relation refers to. */
export type EntityKeyPart =
  | { readonly kind: 'column'; readonly field: ColumnField }
  | { readonly kind: 'relation'; readonly field: RelationField; readonly of: ColumnField };

/** The fields that name one object together. */
export type EntityKey = readonly EntityKeyPart[];

/** The model of a subgraph. */
export interface Subgraph {
  /** Stored type → the keys by which a gateway may ask for its objects. */
  readonly keys: ReadonlyMap<string, readonly EntityKey[]>;
  /** The answer of `_service`. */
  readonly sdl: string;
}

/** Directives that authors may write. They describe the schema to the composition and change nothing here. */
export const FEDERATION_DIRECTIVES_SDL = /* GraphQL */ `
  directive @key(fields: String!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE
  directive @link(url: String!, as: String, for: String, import: [String]) repeatable on SCHEMA
  directive @shareable repeatable on OBJECT | FIELD_DEFINITION
  directive @external(reason: String) on OBJECT | FIELD_DEFINITION
  directive @provides(fields: String!) on FIELD_DEFINITION
  directive @override(from: String!, label: String) on FIELD_DEFINITION
  directive @inaccessible on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION
  directive @tag(
    name: String!
  ) repeatable on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION | SCHEMA
`;

/** The fields of Query that a gateway asks for, and their types. */
const ENTITIES_FIELD = '_entities';
export const SERVICE_FIELD = '_service';

/** The scalar by which it names an object: any JSON. */
export const REPRESENTATION = '_Any';

/** SDL of what a gateway asks for. */
export function gatewaySdl(definitions: TypeDefinitions, stored: ReadonlyMap<string, string>): string {
  const members = [...stored.keys()].filter((type) => isResolvable(definitions.objects.get(type)));
  const entities =
    members.length === 0
      ? ''
      : `scalar ${REPRESENTATION} union _Entity = ${members.join(' | ')}
         extend type ${definitions.roots.query} { ${ENTITIES_FIELD}(representations: [${REPRESENTATION}!]!): [_Entity]! }`;
  return `type _Service { sdl: String! } extend type ${definitions.roots.query} { ${SERVICE_FIELD}: _Service! } ${entities}`;
}

function isResolvable(definition: ObjectDefinition | undefined): boolean {
  const keys = keyDirectives(definition);
  return keys.length === 0 || keys.some(isResolvableKey);
}

export function keyDirectives(definition: ObjectDefinition | undefined): readonly ConstDirectiveNode[] {
  return (definition?.directives ?? []).filter(({ name }) => name.value === 'key');
}

/** Whether a field is one that a gateway asks for. */
export function isGatewayField(type: string, field: string, schema: GraphQLSchema): boolean {
  return type === schema.getQueryType()?.name && (field === ENTITIES_FIELD || field === SERVICE_FIELD);
}

/** Reads the keys of all stored types that a gateway may ask for. Without `@key`, it is the key of the table. */
export function readEntityKeys(
  definitions: TypeDefinitions,
  model: Pick<Model, 'entities'>,
  problems: Problems,
): Subgraph['keys'] {
  const keys = new Map<string, readonly EntityKey[]>();
  for (const entity of model.entities.values()) {
    const written = keyDirectives(definitions.objects.get(entity.name));
    const found: EntityKey[] = written.length === 0 ? [[{ kind: 'column', field: entity.key }]] : [];
    for (const directive of written.filter(isResolvableKey)) {
      const key = readKey(entity, directive, model, problems);
      if (key !== undefined) found.push(key);
    }
    if (found.length > 0) keys.set(entity.name, found);
  }
  return keys;
}

function readKey(
  entity: Entity,
  directive: ConstDirectiveNode,
  model: Pick<Model, 'entities'>,
  problems: Problems,
): EntityKey | undefined {
  const argument = directive.arguments?.find(({ name }) => name.value === 'fields')?.value;
  // check-directives.ts reports it.
  if (argument?.kind !== Kind.STRING) return undefined;
  const set = `@key(fields: "${argument.value}")`;
  const wrong = (problem: string, remedy: string): undefined => {
    problems.add(directive, `${entity.name}: ${set} ${problem}`, remedy);
    return undefined;
  };
  const selected = parseFields(argument.value);
  if (selected === undefined)
    return wrong('is no list of fields.', 'Write the names of fields: "id" or "shop { id } number".');
  const parts: EntityKeyPart[] = [];
  for (const { name, inner } of selected) {
    const field = entity.fields.get(name);
    const part = field === undefined ? undefined : keyPart(field, inner, model);
    if (part === undefined)
      return wrong(
        `names "${name}", which is no part of a key.`,
        'Name fields with a column, and relations to one object with the key of that object: "shop { id } number".',
      );
    parts.push(part);
  }
  const names = new Set(parts.flatMap(({ field }) => [field.name, ...storedColumnsOf(field)]));
  if (uniqueSets(entity).some((each) => each.every((column) => names.has(column)))) return parts;
  return wrong(
    'may name several objects.',
    `Name the key, a field with @unique, or write @unique(fields: [${selected.map(({ name }) => `"${name}"`).join(', ')}]) on the type.`,
  );
}

function keyPart(
  field: Field,
  inner: readonly string[] | undefined,
  { entities }: Pick<Model, 'entities'>,
): EntityKeyPart | undefined {
  if (field.kind === 'column')
    return inner === undefined && !field.list && field.storage !== 'json' ? { kind: 'column', field } : undefined;
  if (field.kind !== 'relation' || field.storage.kind !== 'foreignKey') return undefined;
  const target = entities.get(field.target);
  if (target === undefined || inner?.length !== 1 || inner[0] !== target.key.name) return undefined;
  return { kind: 'relation', field, of: target.key };
}

/** Columns, or fields, that no two rows have in common. */
function uniqueSets(entity: Entity): readonly (readonly string[])[] {
  const sets: (readonly string[])[] = [[entity.key.name]];
  if (entity.key.parts !== undefined) sets.push(entity.key.parts);
  for (const field of entity.fields.values()) {
    if (field.kind === 'column' && field.unique) sets.push([field.name]);
    if (field.kind === 'relation' && field.storage.kind === 'foreignKey' && field.storage.unique)
      sets.push([field.name]);
  }
  for (const { columns, unique } of entity.indexes) if (unique) sets.push(columns);
  return sets;
}

/** The fields of a set of at most two levels; undefined if it is none. */
function parseFields(
  text: string,
): readonly { readonly name: string; readonly inner: readonly string[] | undefined }[] | undefined {
  let document: DocumentNode;
  try {
    document = parse(`{${text}}`, { noLocation: true });
  } catch {
    return undefined;
  }
  const [definition, more] = document.definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION || more !== undefined) return undefined;
  const names = (set: SelectionSetNode): readonly string[] =>
    set.selections.flatMap((each) =>
      each.kind === Kind.FIELD && each.selectionSet === undefined ? each.name.value : [],
    );
  const found = definition.selectionSet.selections.flatMap((each) => {
    if (each.kind !== Kind.FIELD) return [];
    return { name: each.name.value, inner: each.selectionSet && names(each.selectionSet) };
  });
  return found.length === definition.selectionSet.selections.length ? found : undefined;
}

/** Reports keys of interfaces, which would make other subgraphs answer for types that they do not know. */
export function checkInterfaceKeys(document: DocumentNode, problems: Problems): void {
  for (const node of document.definitions) {
    if (node.kind !== Kind.INTERFACE_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_EXTENSION) continue;
    const key = node.directives?.find(({ name }) => name.value === 'key');
    if (key !== undefined)
      problems.add(
        key,
        `Interface ${node.name.value} has a @key: interface objects are not supported.`,
        'Write @key on the types that implement it.',
      );
  }
}
