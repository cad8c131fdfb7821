export type {
  ArgumentRole,
  ArgumentRoles,
  AuthRules,
  ColumnField,
  DefaultValue,
  Entity,
  Field,
  Model,
  RelationField,
  RelationStorage,
  ResolverField,
  RootBinding,
  SearchField,
  SourceLocation,
  Storage,
  WriteBinding,
} from './schema/model.ts';
export type { SchemaProblem } from './schema/problems.ts';
export { readSchema, type ReadSchemaOptions, type SchemaSource } from './schema/read-schema.ts';
export type { Resolver, ResolverContext, ResolverFunction, Resolvers, ResolverWithNeeds } from './schema/resolvers.ts';
