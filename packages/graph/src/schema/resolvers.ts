// What an application may hand in as TypeScript: functions that answer fields, and scalars of its own.
import type { GraphQLResolveInfo, GraphQLScalarType } from 'graphql';
import type { Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { Model } from './model.ts';

/** What a resolver gets besides its parent and arguments. */
export interface ResolverContext {
  readonly principal: Principal;
  /** Aborted when the caller is gone or out of time. */
  readonly signal: AbortSignal | undefined;
  /** Whatever the host passed with the request. */
  readonly services: unknown;
  /**
   * Reads stored objects by key, in one statement per tick and type; absent or hidden ones are null. Column fields only, without
   * those that the caller may not read.
   */
  readonly load: (entity: string, key: string | number) => Promise<Readonly<Record<string, unknown>> | null>;
}

/** Answers one field. `parent` holds the columns named in `needs` (always with the key) for a stored parent. */
export type ResolverFunction = (
  // eslint-disable-next-line typescript/no-explicit-any -- the application knows its own parent and arguments
  parent: any,
  // eslint-disable-next-line typescript/no-explicit-any -- as above
  args: any,
  context: ResolverContext,
  info: GraphQLResolveInfo,
) => unknown;

/** A resolver with the columns of its parent that it needs; they are fetched by the same statement as its siblings. */
export interface ResolverWithNeeds {
  readonly needs?: readonly string[];
  readonly resolve: ResolverFunction;
}

export type Resolver = ResolverFunction | ResolverWithNeeds;

/** Type name → field name → resolver; or a scalar's name → its `GraphQLScalarType`. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>> | GraphQLScalarType>>;

/** The resolver of a field, when the application gave one. */
export function resolverOf(resolvers: Resolvers, type: string, field: string): ResolverWithNeeds | undefined {
  if (!Object.hasOwn(resolvers, type)) return undefined;
  const fields = resolvers[type]!;
  if (isScalar(fields) || !Object.hasOwn(fields, field)) return undefined;
  const resolver = fields[field]!;
  return typeof resolver === 'function' ? { resolve: resolver } : resolver;
}

/** The scalar an application registered under a name. */
export function registeredScalar(resolvers: Resolvers, name: string): GraphQLScalarType | undefined {
  const entry = Object.hasOwn(resolvers, name) ? resolvers[name] : undefined;
  return isScalar(entry) ? entry : undefined;
}

/** By its tag: an application may have a copy of graphql of its own, whose class is another one. */
function isScalar(entry: Resolvers[string] | undefined): entry is GraphQLScalarType {
  return Object.prototype.toString.call(entry) === '[object GraphQLScalarType]';
}

/**
 * Checks that whatever the schema leaves to a resolver has one.
 *
 * @throws ProductError GRAPH_RESOLVER_MISSING
 */
export function checkResolvers(model: Model, resolvers: Resolvers): void {
  const missing: string[] = [];
  for (const [coordinate, binding] of model.roots) {
    const [type, field] = coordinate.split('.') as [string, string];
    if (binding.kind === 'resolver' && resolverOf(resolvers, type, field) === undefined) missing.push(coordinate);
  }
  for (const entity of model.entities.values()) {
    for (const field of entity.fields.values()) {
      if (field.kind === 'resolver' && resolverOf(resolvers, entity.name, field.name) === undefined)
        missing.push(`${entity.name}.${field.name}`);
    }
  }
  if (missing.length > 0) throw graphErrors.create('GRAPH_RESOLVER_MISSING', { fields: missing.join(', ') });
}
