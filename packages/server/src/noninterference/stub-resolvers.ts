// Stubs for an application's resolvers in a copy of its data. Resolvers may write, send or fetch, so none of them runs.
// A stub returns the same value in every copy, and its field is reported as untested.
import type { Model, Resolvers } from '@lockstitch/graph';
import {
  type GraphQLOutputType,
  type GraphQLScalarType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

export interface StubResolvers {
  readonly resolvers: Resolvers;
  /** Stubbed fields, sorted: `Mutation.githubAuth`. */
  readonly fields: readonly string[];
}

/** Replaces every resolver function of an application; its scalars stay. */
export function stubResolvers(model: Model, resolvers: Resolvers): StubResolvers {
  const fields: string[] = [];
  const types = Object.entries(resolvers).map(([type, entry]) => {
    if (isScalar(entry)) return [type, entry] as const;
    const declared = model.schema.getType(type);
    const known = isObjectType(declared) || isInterfaceType(declared) ? declared.getFields() : {};
    const replaced = Object.entries(entry).map(([field, resolver]) => {
      fields.push(`${type}.${field}`);
      const of = Object.hasOwn(known, field) ? known[field]!.type : undefined;
      const needs = typeof resolver === 'function' ? {} : { needs: resolver.needs ?? [] };
      return [field, { ...needs, resolve: () => (of === undefined ? null : constantOf(of)) }] as const;
    });
    return [type, Object.fromEntries(replaced)] as const;
  });
  return { resolvers: Object.fromEntries(types), fields: fields.toSorted() };
}

/** By its tag: an application may have its own copy of graphql, with another class. */
function isScalar(entry: Resolvers[string]): entry is GraphQLScalarType {
  return Object.prototype.toString.call(entry) === '[object GraphQLScalarType]';
}

const SCALARS: Readonly<Record<string, unknown>> = {
  Int: 0,
  Float: 0,
  Boolean: false,
  String: 'not tested',
  ID: 'not tested',
  DateTime: '1970-01-01T00:00:00.000Z',
  Date: '1970-01-01',
};

/** A constant value of a type; a required object cannot be made. */
function constantOf(type: GraphQLOutputType): unknown {
  if (!isNonNullType(type)) return isListType(type) ? [] : null;
  const inner = type.ofType;
  if (isListType(inner)) return [];
  if (isEnumType(inner)) return inner.getValues()[0]!.name;
  if (Object.hasOwn(SCALARS, inner.name)) return SCALARS[inner.name];
  throw new Error(`${inner.name} is answered by TypeScript, which is not tested.`);
}
