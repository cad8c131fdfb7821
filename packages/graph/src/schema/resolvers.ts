// TypeScript that an application supplies: resolvers of fields, and its own scalars.
import type { GraphQLResolveInfo, GraphQLScalarType } from 'graphql';
import type { Principal } from '@lockstitch/kernel';
import { graphErrors } from '../errors.ts';
import type { Model } from './model.ts';

/** The third argument of a resolver. */
export interface ResolverContext {
  readonly principal: Principal;
  /** Aborted if the caller disconnects or the operation times out. */
  readonly signal: AbortSignal | undefined;
  /** Whatever the host passed with the request. */
  readonly services: unknown;
  /**
   * Loads a stored object by key, batched per tick and type; null if it is absent or hidden. It has only column fields,
   * without those that the caller may not read.
   */
  readonly load: (entity: string, key: string | number) => Promise<Readonly<Record<string, unknown>> | null>;
}

/** Resolves one field. A stored `parent` holds its key and the columns named in `needs`. */
export type ResolverFunction = (
  // eslint-disable-next-line typescript/no-explicit-any -- the application knows its own parent and arguments
  parent: any,
  // eslint-disable-next-line typescript/no-explicit-any -- as above
  args: any,
  context: ResolverContext,
  info: GraphQLResolveInfo,
) => unknown;

/** A resolver and the parent columns it needs; the statement of its sibling fields fetches them. */
export interface ResolverWithNeeds {
  readonly needs?: readonly string[];
  readonly resolve: ResolverFunction;
}

export type Resolver = ResolverFunction | ResolverWithNeeds;

/** Type name → field name → resolver; or scalar name → `GraphQLScalarType`. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>> | GraphQLScalarType>>;

/** The resolver of a field, if the application supplied one. */
export function resolverOf(resolvers: Resolvers, type: string, field: string): ResolverWithNeeds | undefined {
  const fields = Object.hasOwn(resolvers, type) ? resolvers[type] : undefined;
  if (fields === undefined || isScalar(fields) || !Object.hasOwn(fields, field)) return undefined;
  const resolver = fields[field];
  return typeof resolver === 'function' ? { resolve: resolver } : resolver;
}

/** The scalar that an application registered under a name. */
export function registeredScalar(resolvers: Resolvers, name: string): GraphQLScalarType | undefined {
  const entry = Object.hasOwn(resolvers, name) ? resolvers[name] : undefined;
  return isScalar(entry) ? entry : undefined;
}

/** Tested by tag, not instanceof: an application may load its own copy of graphql. */
function isScalar(entry: Resolvers[string] | undefined): entry is GraphQLScalarType {
  return Object.prototype.toString.call(entry) === '[object GraphQLScalarType]';
}

/**
 * Checks that every resolver field has a resolver.
 *
 * @throws ProductError GRAPH_RESOLVER_MISSING
 */
export function checkResolvers(model: Model, resolvers: Resolvers): void {
  const missing: string[] = [];
  for (const [coordinate, binding] of model.roots) {
    const [type = '', field = ''] = coordinate.split('.');
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
