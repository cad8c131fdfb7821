// Builds the plan of a mutation: its fields in order, each with the statement that reads back what it wrote. Not here:
// writing (write/), and operations that need graphql-js (NotCompilable).
import { getNamedType, getNullableType, isLeafType, isListType, isNonNullType, type FieldNode } from 'graphql';
import type { GraphQLField } from 'graphql';
import type { Json, Parameter } from '../sql/sql.ts';
import { collectFields } from './collect-fields.ts';
import { createEnvironment, printPlan, type Plan, type PlanRequest } from './build-plan.ts';
import { NotCompilable } from './environment.ts';
import type { Slot } from './field-arguments.ts';
import { createArgumentReader, type ReadArguments } from './read-arguments.ts';
import { selectByKeys, selectOneByKey } from './root-field.ts';
import { first } from '../present.ts';

/** One field of a mutation. */
export interface MutationField {
  /** Its response key. */
  readonly key: string;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly readArguments: ReadArguments;
  readonly nodes: readonly FieldNode[];
  readonly nullable: boolean;
  /** Reads what was written, by its key or the JSON list of its keys; undefined for a scalar field. */
  readonly answer: Plan | undefined;
}

/** The fields in order. */
export interface MutationPlan {
  readonly fields: readonly MutationField[];
}

const WRITES: ReadonlySet<string> = new Set([
  'create',
  'update',
  'upsert',
  'delete',
  'restore',
  'purge',
  'connect',
  'disconnect',
]);

/** The key of the written object, or the JSON list of keys; known after the write only. */
export const WRITTEN: Parameter = { kind: 'input', label: 'written keys', read: () => null };

/**
 * Builds the plan of a mutation.
 *
 * @throws NotCompilable if graphql-js must execute it; GraphQLError or ProductError for invalid arguments
 */
export function buildMutationPlan(request: PlanRequest): MutationPlan {
  const { model } = request;
  const type = model.schema.getMutationType()!;
  const fields: MutationField[] = [];
  const collected = collectFields({ schema: model.schema, ...request }, type, [request.operation.selectionSet]);
  for (const [key, nodes] of collected) {
    const name = first(nodes).name.value;
    const binding = model.roots.get(`${type.name}.${name}`);
    const definition = type.getFields()[name];
    try {
      if (binding === undefined || definition === undefined || !WRITES.has(binding.kind))
        throw new NotCompilable(`${name} has a resolver`);
      const answer = isLeafType(getNamedType(definition.type)) ? undefined : buildAnswer(request, definition, nodes);
      if (answer === undefined && isListType(getNullableType(definition.type)))
        throw new NotCompilable(`${name} answers a list of scalars`);
      const readArguments = createArgumentReader(definition, first(nodes));
      fields.push({ key, definition, readArguments, nodes, nullable: !isNonNullType(definition.type), answer });
    } catch (error) {
      if (error instanceof NotCompilable) error.nodes = nodes;
      throw error;
    }
  }
  return { fields };
}

function buildAnswer(
  request: PlanRequest,
  definition: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): Plan {
  const slots: Slot[] = [];
  const env = createEnvironment(request, 'whole', slots);
  const entity = request.model.entities.get(getNamedType(definition.type).name);
  if (entity === undefined)
    throw new NotCompilable(`${definition.name} returns ${String(definition.type)}, which is no stored type`);
  const type = getNullableType(definition.type);
  const json: Json = isListType(type)
    ? selectByKeys(env, entity, WRITTEN, nodes, !isNonNullType(type.ofType))
    : selectOneByKey(env, entity, WRITTEN, nodes, !isNonNullType(definition.type));
  return printPlan(env, json, slots, request.dialect);
}
