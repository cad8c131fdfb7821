// Finds the stored types of a schema and their key fields. Works on the parsed files, because derived filter and
// connection types depend on the result.
import {
  Kind,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  type TypeNode,
} from 'graphql';
import { isNodeId } from './node-ids.ts';
import type { Problems } from './problems.ts';
import { resolverOf, type Resolvers } from './resolvers.ts';
import { only } from '../present.ts';

/** An object type merged with its extensions. */
export interface ObjectDefinition {
  readonly name: string;
  readonly node: ObjectTypeDefinitionNode | ObjectTypeExtensionNode;
  readonly fields: FieldDefinitionNode[];
  readonly directives: ConstDirectiveNode[];
  readonly interfaces: string[];
}

/** The type definitions of the files, by name. */
export interface TypeDefinitions {
  readonly objects: ReadonlyMap<string, ObjectDefinition>;
  /** Union or interface → its object types. */
  readonly abstracts: ReadonlyMap<string, readonly string[]>;
  readonly roots: { readonly query: string; readonly mutation: string; readonly subscription: string };
}

/** Collects the type definitions of a document. */
export function collectTypeDefinitions(document: DocumentNode): TypeDefinitions {
  const objects = new Map<string, ObjectDefinition>();
  const abstracts = new Map<string, string[]>();
  const roots = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' };
  for (const node of document.definitions) {
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION) {
      const name = node.name.value;
      const definition = objects.get(name) ?? { name, node, fields: [], directives: [], interfaces: [] };
      definition.fields.push(...(node.fields ?? []));
      definition.directives.push(...(node.directives ?? []));
      definition.interfaces.push(...(node.interfaces ?? []).map((each) => each.name.value));
      objects.set(name, definition);
    } else if (node.kind === Kind.UNION_TYPE_DEFINITION || node.kind === Kind.UNION_TYPE_EXTENSION) {
      const members = abstracts.get(node.name.value) ?? [];
      members.push(...(node.types ?? []).map((each) => each.name.value));
      abstracts.set(node.name.value, members);
    } else if (node.kind === Kind.INTERFACE_TYPE_DEFINITION) {
      if (!abstracts.has(node.name.value)) abstracts.set(node.name.value, []);
    } else if (node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION) {
      for (const operation of node.operationTypes ?? []) roots[operation.operation] = operation.type.name.value;
    }
  }
  for (const definition of objects.values()) {
    for (const name of definition.interfaces) abstracts.get(name)?.push(definition.name);
  }
  return { objects, abstracts, roots };
}

/** The named type inside list and non-null wrappers. */
export function nameOfType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOfType(type.type);
}

/** Number of list wrappers around the named type. */
export function listLevels(type: TypeNode): number {
  if (type.kind === Kind.NON_NULL_TYPE) return listLevels(type.type);
  return type.kind === Kind.LIST_TYPE ? 1 + listLevels(type.type) : 0;
}

/** Returns stored type → key field, in file order. */
export function findEntities(
  definitions: TypeDefinitions,
  resolvers: Resolvers,
  problems: Problems,
): ReadonlyMap<string, string> {
  const wanted = new Set<string>();
  const rootNames = new Set<string>(Object.values(definitions.roots));
  const query = definitions.objects.get(definitions.roots.query);
  for (const field of query?.fields ?? []) {
    if (resolverOf(resolvers, definitions.roots.query, field.name.value) !== undefined) continue;
    const name = nameOfType(field.type);
    for (const member of definitions.abstracts.get(name) ?? [name]) wanted.add(member);
  }
  const keys = new Map<string, string>();
  for (const definition of definitions.objects.values()) {
    if (rootNames.has(definition.name) || isStub(definition)) continue;
    const declared = definition.directives.some((each) => each.name.value === 'entity');
    const key = keyOf(definition, declared || wanted.has(definition.name), problems);
    if (key !== undefined && (declared || wanted.has(definition.name))) keys.set(definition.name, key);
    else if (declared)
      problems.add(
        definition.node,
        `Type ${definition.name} is an @entity without a key.`,
        'Write "id: ID!", or put @id on the field that identifies it.',
      );
  }
  addReachable(definitions, keys, problems);
  const order = [...definitions.objects.keys()];
  return new Map([...keys].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

/** A type with a plain key is stored if a stored type refers to it. Without a key it is embedded. */
function addReachable(definitions: TypeDefinitions, keys: Map<string, string>, problems: Problems): void {
  const queue = [...keys.keys()];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    for (const field of definitions.objects.get(name)?.fields ?? []) {
      const target = nameOfType(field.type);
      for (const member of definitions.abstracts.get(target) ?? [target]) {
        const definition = definitions.objects.get(member);
        if (definition === undefined || keys.has(member) || isStub(definition)) continue;
        const key = keyOf(definition, false, problems);
        if (key === undefined) continue;
        keys.set(member, key);
        queue.push(member);
      }
    }
  }
}

/** The field with `@id`, else `id: ID!`, else the only `ID!` field of a type that must be stored. */
function keyOf(definition: ObjectDefinition, stored: boolean, problems: Problems): string | undefined {
  const fields = definition.fields.filter((field) => !isNodeId(field));
  const marked = fields.filter((field) => field.directives?.some((each) => each.name.value === 'id'));
  if (marked.length > 1)
    problems.add(
      marked[1],
      `Type ${definition.name} marks ${marked.map((field) => `"${field.name.value}"`).join(' and ')} with @id.`,
      'Keep @id on one field; write @unique(fields: [...]) on the type for a combination.',
    );
  if (marked[0] !== undefined) return marked[0].name.value;
  const id = fields.find((field) => field.name.value === 'id');
  if (id !== undefined && isNonNullNamed(id.type, 'ID')) return 'id';
  if (!stored) return undefined;
  return only(fields.filter((field) => isNonNullNamed(field.type, 'ID')))?.name.value;
}

function isNonNullNamed(type: TypeNode, name: string): boolean {
  return type.kind === Kind.NON_NULL_TYPE && type.type.kind === Kind.NAMED_TYPE && type.type.name.value === name;
}

/** Whether a type belongs to another subgraph and only its key is known here: its objects are embedded, not stored. */
function isStub({ directives }: ObjectDefinition): boolean {
  return (
    !directives.some(({ name }) => name.value === 'entity') &&
    directives.some((each) => each.name.value === 'key' && !isResolvableKey(each))
  );
}

/** Whether a `@key` lets a gateway ask for objects by it. */
export function isResolvableKey({ arguments: given = [] }: ConstDirectiveNode): boolean {
  return !given.some(({ name, value }) => name.value === 'resolvable' && value.kind === Kind.BOOLEAN && !value.value);
}
