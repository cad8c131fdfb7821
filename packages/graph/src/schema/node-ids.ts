// Finds the fields with `@nodeId` in the parsed files. Not here: the fields of the model (node-id-fields.ts), and values
// (plan/node-id.ts).
import { Kind, visit, type ConstDirectiveNode, type DocumentNode, type FieldDefinitionNode } from 'graphql';
import type { TypeDefinitions } from './find-entities.ts';
import type { Problems } from './problems.ts';
import { resolverOf, type Resolvers } from './resolvers.ts';

const DIRECTIVE = 'nodeId';

function directiveOf(field: FieldDefinitionNode): ConstDirectiveNode | undefined {
  return field.directives?.find(({ name }) => name.value === DIRECTIVE);
}

export function isNodeId(field: FieldDefinitionNode): boolean {
  return directiveOf(field) !== undefined;
}

/** Repeats the `@nodeId` of an interface's field at that field of the types that implement the interface. */
export function inheritNodeIds(document: DocumentNode): DocumentNode {
  const declared = new Map<string, Map<string, ConstDirectiveNode>>();
  const interfacesOf = new Map<string, string[]>();
  for (const node of document.definitions) {
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION) {
      const own = interfacesOf.get(node.name.value) ?? [];
      own.push(...(node.interfaces ?? []).map(({ name }) => name.value));
      interfacesOf.set(node.name.value, own);
    }
    if (node.kind !== Kind.INTERFACE_TYPE_DEFINITION && node.kind !== Kind.INTERFACE_TYPE_EXTENSION) continue;
    for (const field of node.fields ?? []) {
      const directive = directiveOf(field);
      if (directive === undefined) continue;
      const fields = declared.get(node.name.value) ?? new Map<string, ConstDirectiveNode>();
      declared.set(node.name.value, fields.set(field.name.value, { ...directive, loc: undefined }));
    }
  }
  if (declared.size === 0) return document;
  const complete = <T extends { name: { value: string }; fields?: readonly FieldDefinitionNode[] | undefined }>(
    node: T,
  ): T => {
    const interfaces = interfacesOf.get(node.name.value) ?? [];
    const fields = node.fields?.map((field) => {
      const inherited = interfaces.map((name) => declared.get(name)?.get(field.name.value)).find(Boolean);
      if (inherited === undefined || isNodeId(field)) return field;
      return { ...field, directives: [...(field.directives ?? []), inherited] };
    });
    return { ...node, fields };
  };
  return visit(document, { ObjectTypeDefinition: complete, ObjectTypeExtension: complete });
}

/** Reports `@nodeId` in types that are not stored, unless a resolver answers them. */
export function checkNodeIds(
  { objects }: TypeDefinitions,
  stored: ReadonlyMap<string, string>,
  resolvers: Resolvers,
  problems: Problems,
): void {
  for (const { name, fields } of objects.values()) {
    if (stored.has(name)) continue;
    for (const field of fields) {
      // Inherited directives have no place in the type; resolvers may return objects with the field.
      if (directiveOf(field)?.loc === undefined) continue;
      if (resolverOf(resolvers, name, field.name.value) !== undefined) continue;
      problems.add(
        field,
        `${name}.${field.name.value} is a node id, and ${name} is not stored.`,
        `Put @entity on ${name}, or answer the field with a resolver.`,
      );
    }
  }
}
