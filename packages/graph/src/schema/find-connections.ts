// Finds Relay connections that the schema defines itself: types with edges whose nodes are stored. They are resolved
// like derived connections, so they may have only the same fields.
import type { FieldDefinitionNode } from 'graphql';
import { didYouMean } from '@lockstitch/kernel';
import { listLevels, nameOfType, type ObjectDefinition, type TypeDefinitions } from './find-entities.ts';
import type { Problems } from './problems.ts';
import { resolverOf, type Resolvers } from './resolvers.ts';

const PARTS = {
  connection: ['edges', 'nodes', 'pageInfo', 'totalCount'],
  edge: ['cursor', 'node'],
  page: ['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'],
} as const;

/** Returns connection type → the stored type, interface or union of its nodes. Types with a resolver are left out. */
export function findConnections(
  definitions: TypeDefinitions,
  isStored: (type: string) => boolean,
  resolvers: Resolvers,
  problems: Problems,
): ReadonlyMap<string, string> {
  const connections = new Map<string, string>();
  const typeOf = (field: FieldDefinitionNode | undefined): ObjectDefinition | undefined =>
    field === undefined ? undefined : definitions.objects.get(nameOfType(field.type));
  for (const definition of definitions.objects.values()) {
    if (!definition.name.endsWith('Connection') || isStored(definition.name)) continue;
    const field = (name: string): FieldDefinitionNode | undefined => fieldOf(definition, name);
    const edges = field('edges');
    const edge = typeOf(edges);
    const node = edge === undefined ? undefined : fieldOf(edge, 'node');
    if (edges === undefined || edge === undefined || node === undefined || listLevels(edges.type) !== 1) continue;
    const target = nameOfType(node.type);
    const isResolved = [definition, edge].some(({ name, fields }) =>
      fields.some((each) => resolverOf(resolvers, name, each.name.value) !== undefined),
    );
    if (!isStored(target) || isResolved) continue;
    connections.set(definition.name, target);
    checkParts(definition, 'connection', problems);
    checkParts(edge, 'edge', problems);
    const pageInfo = typeOf(field('pageInfo'));
    if (pageInfo !== undefined) checkParts(pageInfo, 'page', problems);
  }
  return connections;
}

/** Reports fields that a connection type cannot resolve. */
export function checkParts(
  { name: type, fields }: ObjectDefinition,
  kind: keyof typeof PARTS,
  problems: Problems,
): void {
  const parts: readonly string[] = PARTS[kind];
  for (const field of fields) {
    const { value: name } = field.name;
    if (parts.includes(name)) continue;
    problems.add(
      field,
      `${type} is the ${kind} of a list of stored objects, which does not have "${name}".${didYouMean(name, parts)}`,
      `Take some of ${parts.join(', ')}; or give the type another name.`,
    );
  }
}

function fieldOf(definition: ObjectDefinition, name: string): FieldDefinitionNode | undefined {
  return definition.fields.find((field) => field.name.value === name);
}
