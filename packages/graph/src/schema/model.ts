// What the engine knows of a schema once it has been read: types, where their values live, how they relate, who may see
// them. Frozen after start-up; every later stage (plan, SQL, writes, feed, migration, search mapping) reads only this.
import type { GraphQLSchema } from 'graphql';

/**
 * How a column holds its value. `integer` leaves as a number, or as a string for ID fields; `decimal` is a `numeric` on PostgreSQL and a
 * text that sorts as the number does on SQLite (schema/decimal.ts), which is what the engine binds and reads on both.
 */
export type Storage = 'text' | 'integer' | 'real' | 'decimal' | 'boolean' | 'timestamp' | 'json';

/** A type of PostgreSQL that a column keeps though the engine would have made another: reads cast its values. */
export type NativeType = 'date' | 'uuid' | 'integer' | 'timestamptz';

/** A value the engine supplies when a create leaves the field out. */
export type DefaultValue =
  | { readonly kind: 'now' | 'updatedAt' | 'uuid' | 'identity' }
  /** Starts at 1 and counts the updates; an argument of its field's name on an update or delete must equal it. */
  | { readonly kind: 'version' }
  | { readonly kind: 'literal'; readonly value: unknown };

/** Where a mistake in the schema is, for messages. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** `@search` on a field: how the search index treats it. */
export interface SearchField {
  /** Elasticsearch field type, for example `text`, `keyword`, `date`; derived from the GraphQL type when not given. */
  readonly type: string | undefined;
  readonly analyzer: string | undefined;
  /** On a relation: whether its objects are part of documents; undefined: as the kind of relation says. */
  readonly embed?: boolean | undefined;
  /** On a relation: how many relations in a row documents follow from here; 1 when not given. */
  readonly depth: number | undefined;
}

/** `@auth` expressions as written; undefined = no rule. */
export interface AuthRules {
  readonly read: string | undefined;
  readonly create: string | undefined;
  readonly update: string | undefined;
  readonly delete: string | undefined;
}

interface FieldBase {
  readonly name: string;
  readonly description: string | undefined;
  readonly location: SourceLocation | undefined;
  readonly auth: AuthRules | undefined;
  readonly search: SearchField | undefined;
}

/** What an argument of a root field or of a relation list does. */
export type ArgumentBinding =
  /** Only rows whose column (or to-one relation's key) equals the value; a list: any of the values. */
  | { readonly kind: 'equals'; readonly field: string; readonly list: boolean }
  /** Size of the page and rows to skip. */
  | ({ readonly kind: 'first' | 'start' } & WithDefault)
  /** Relay's other page arguments. */
  | ({ readonly kind: 'last' } & WithDefault)
  | { readonly kind: 'after' | 'before' }
  /** An enum of two values; `descending` names the one that reverses. */
  | ({ readonly kind: 'sort'; readonly descending: string } & WithDefault)
  /** An enum whose values are names of fields. */
  | ({ readonly kind: 'sortBy' } & WithDefault)
  /** A derived filter input (`PhotoFilter`). */
  | { readonly kind: 'where' }
  /** A derived list of orders (`[PhotoOrder!]`). */
  | ({ readonly kind: 'orderBy' } & WithDefault)
  /** The words that a full-text search looks for. */
  | { readonly kind: 'query' };

/** An argument that orders a list or cuts a page from it. */
interface WithDefault {
  /** The default of the argument, coerced: null says no more than leaving it out, as clients of Relay mean it. */
  readonly defaultValue?: unknown;
}

/** Argument name → what it does. */
export type ArgumentBindings = ReadonlyMap<string, ArgumentBinding>;

/** A field with a column of its own: a scalar, an enum, or (as JSON) a list of them or an embedded object. */
export interface ColumnField extends FieldBase {
  readonly kind: 'column';
  readonly column: string;
  readonly storage: Storage;
  /** The GraphQL named type: `String`, `ID`, `DateTime`, `PhotoCategory`, an embedded object type. */
  readonly typeName: string;
  readonly list: boolean;
  readonly nullable: boolean;
  readonly unique: boolean;
  readonly isKey: boolean;
  /** Its scalar is the application's own and has no order that the engine knows of: values are equal or not. */
  readonly unordered: boolean;
  readonly default: DefaultValue | undefined;
  /** Known once the graph has seen its database (migrate/adopt-columns.ts). */
  readonly native?: NativeType | undefined;
  /** Characters that the column takes; undefined: any number. Known then, too. */
  readonly longest?: number | undefined;
}

/** How a relation is stored. */
export type RelationStorage =
  /** This table's `column` holds the key of the target. */
  | { readonly kind: 'foreignKey'; readonly column: string; readonly unique: boolean }
  /** The target's field `field` (a foreignKey or polymorphic relation) points here. */
  | { readonly kind: 'inverse'; readonly field: string }
  /** A join table; `from` holds our key, `to` the target's. */
  | { readonly kind: 'joinTable'; readonly table: string; readonly from: string; readonly to: string }
  /** Target is an interface or a union: type name and key side by side in this table. */
  | { readonly kind: 'polymorphic'; readonly typeColumn: string; readonly keyColumn: string }
  /** A list of an interface or union: a table of (our key, target type, target key). */
  | {
      readonly kind: 'polymorphicJoinTable';
      readonly table: string;
      readonly from: string;
      readonly typeColumn: string;
      readonly keyColumn: string;
    };

/** A field that leads to another entity. */
export interface RelationField extends FieldBase {
  readonly kind: 'relation';
  /** Entity, interface or union name. */
  readonly target: string;
  readonly many: boolean;
  readonly nullable: boolean;
  readonly storage: RelationStorage;
  /** The field on the target that is the other end, when there is one. */
  readonly inverse: string | undefined;
  /** What deleting the target does to the row that holds the foreign key; of no meaning on other storages. */
  readonly onDelete: 'cascade' | 'restrict' | 'setNull';
  /** Whether deleting the target asks the rules of what holds it here; undefined where there are none, or nobody can delete it. */
  readonly onDeleteRules: 'caller' | 'override' | 'rows' | undefined;
  /** Arguments of a list: paging, sorting, filtering. */
  readonly arguments: ArgumentBindings;
  /** The list is answered as a Relay connection. */
  readonly connection: boolean;
}

/** A field that TypeScript answers. */
export interface ResolverField extends FieldBase {
  readonly kind: 'resolver';
  /** Columns of the parent that the resolver declared it needs; fetched in the same statement. */
  readonly needs: readonly string[];
}

export type Field = ColumnField | RelationField | ResolverField;

/** A persisted type: a table. */
export interface Entity {
  readonly name: string;
  readonly description: string | undefined;
  readonly table: string;
  readonly key: ColumnField;
  readonly fields: ReadonlyMap<string, Field>;
  /** Interfaces the type implements. */
  readonly interfaces: readonly string[];
  /** `@index(fields:)`, as column names; unique ones come from `@unique(fields:)` on the type. */
  readonly indexes: readonly { readonly columns: readonly string[]; readonly unique: boolean }[];
  readonly auth: AuthRules | undefined;
  readonly location: SourceLocation | undefined;
  /** Defined when a field of the type carries `@search`: the index name and the typed path's second segment. */
  readonly searchIndex: { readonly index: string; readonly type: string } | undefined;
}

/** What a root field does. */
export type RootBinding =
  /** One object: the first in key order that satisfies the arguments. `type` is an entity, an interface or a union. */
  | { readonly kind: 'lookup'; readonly type: string; readonly arguments: ArgumentBindings }
  | { readonly kind: 'connection' | 'count'; readonly type: string; readonly arguments: ArgumentBindings }
  | {
      readonly kind: 'list';
      readonly type: string;
      readonly arguments: ArgumentBindings;
      /** The argument whose keys are answered one by one, in their order: `nodes(ids: [ID!]!): [Node]!`. */
      readonly byKeys: string | undefined;
    }
  /** Objects that a full-text search finds, best first, with scores and highlights. */
  | { readonly kind: 'search'; readonly entity: string; readonly arguments: ArgumentBindings }
  | WriteBinding
  | {
      readonly kind: 'changes';
      readonly entity: string;
      readonly operation: 'created' | 'updated' | 'deleted' | 'any';
      readonly arguments: ArgumentBindings;
    }
  | { readonly kind: 'resolver' };

/** What a mutation field does, when no resolver takes it over. */
export type WriteBinding =
  | { readonly kind: 'create' | 'update' | 'upsert' | 'delete'; readonly entity: string; readonly many: boolean }
  | { readonly kind: 'connect' | 'disconnect'; readonly entity: string; readonly relation: string };

/** The whole schema, understood. */
export interface Model {
  /** The executable type system: what introspection shows and documents are validated against. */
  readonly schema: GraphQLSchema;
  readonly entities: ReadonlyMap<string, Entity>;
  /** Interface or union name → the entities that can stand there. */
  readonly abstractTypes: ReadonlyMap<string, readonly string[]>;
  /** Scalars whose output only JavaScript can make: registered by the application. Their columns leave through `serialize`. */
  readonly customScalars: ReadonlySet<string>;
  /** `Photo.title`: the fields, of stored and of embedded types, that TypeScript answers. */
  readonly answered: ReadonlySet<string>;
  /** Derived filter input (`PhotoFilter`) → the stored type it filters. */
  readonly filters: ReadonlyMap<string, string>;
  /** `Query.allPhotos` → what it does. */
  readonly roots: ReadonlyMap<string, RootBinding>;
}
