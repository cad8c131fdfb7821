// The model: types, their tables and columns, relations and rules. It is frozen after start-up; every later stage
// (plan, SQL, writes, feed, migration, search mapping) reads only this.
import type { FieldDefinitionNode, GraphQLSchema } from 'graphql';
import type { Constraint } from './constraints.ts';
import type { Subgraph } from './federation.ts';

/**
 * Storage class of a column. `integer` is returned as a number, or as a string for ID fields. `decimal` is `numeric` on
 * PostgreSQL and an order-preserving text on SQLite (schema/decimal.ts); the engine binds and reads that text on both.
 */
export type Storage = 'text' | 'integer' | 'real' | 'decimal' | 'boolean' | 'timestamp' | 'json';

/** The type of an existing column, where it is not the engine's own choice. The functions take and return SQL. */
export interface NativeType {
  /** As the database writes it: `integer`, `character(5)`. */
  readonly type: string;
  /** The value of the column in the engine's form; undefined: the column itself. Raises no error for any value. */
  readonly read?: ((column: string) => string) | undefined;
  /** A bound value in the column's form; undefined: the placeholder itself. */
  readonly write?: ((placeholder: string) => string) | undefined;
  /** Texts that are values of the type, for comparisons without `read`, which an index on the column can answer. */
  readonly texts?: { readonly pattern: string; readonly cast: string } | undefined;
  /** Name of the column without `read` in the row source of its table; set with `texts` and `isLoose`. */
  readonly raw?: string | undefined;
  /** Of SQLite: the column itself may take other texts for equal, `read` does not. An index can find those. */
  readonly isLoose?: boolean;
  /** A key of several columns, or a reference to one: how each part of its text is compared with its column. */
  readonly parts?: readonly KeyPart[] | undefined;
  /** The same: no two rows of its table have one text. */
  readonly isUnique?: boolean;
  /** The same: its columns, in the order of the text, and what they store. */
  readonly columns?: readonly { readonly name: string; readonly storage: Storage }[] | undefined;
}

/** A column of a composite key, or of a reference to one. */
export interface KeyPart {
  readonly column: string;
  /** Its place in the text, from 1. */
  readonly place: number;
  /** Its name in the row source. */
  readonly raw: string;
  /** Undefined: the column compares with texts. */
  readonly texts: NativeType['texts'];
  /** Columns with the same word here have one text where they are equal. */
  readonly exact?: 'INTEGER' | 'TEXT' | undefined;
}

/** Column → its type. */
export type NativeTypes = ReadonlyMap<string, NativeType>;

/** The value if a create omits the field. */
export type DefaultValue =
  | { readonly kind: 'now' | 'updatedAt' | 'identity' }
  /** `make`: where two copies of the data must draw the same; random by default. */
  | { readonly kind: 'uuid'; readonly make?: () => string }
  /** The database's own default. */
  | { readonly kind: 'database' }
  /**
   * Starts at 1 and counts updates. An argument of that name on an update or delete must equal it (optimistic locking).
   */
  | { readonly kind: 'version' }
  | { readonly kind: 'literal'; readonly value: unknown };

/** Position of a problem in a schema file. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** `@search` on a field. */
export interface SearchField {
  /** Elasticsearch field type, for example `text`, `keyword`, `date`. Default: derived from the GraphQL type. */
  readonly type: string | undefined;
  readonly analyzer: string | undefined;
  /** On a relation: whether documents embed its objects. Default: by the kind of relation. */
  readonly embed?: boolean | undefined;
  /** On a relation: number of relations that documents follow from here. Default 1. */
  readonly depth: number | undefined;
}

/** `@auth` expressions as written; undefined: no rule. */
export interface AuthRules {
  readonly read: string | undefined;
  readonly create: string | undefined;
  readonly update: string | undefined;
  readonly delete: string | undefined;
  /** Of a type with soft deletion: which deleted objects are visible on request, and which objects may be purged. */
  readonly readDeleted?: string | undefined;
  readonly purge?: string | undefined;
  /** A withheld value of the field is null without an error. */
  readonly deniedIsNull?: boolean;
}

interface FieldBase {
  readonly name: string;
  /** Names that its column may have had. */
  readonly formerColumns?: readonly string[] | undefined;
  readonly description: string | undefined;
  readonly location: SourceLocation | undefined;
  /** Its definition, so that `directiveValues` takes the field. */
  readonly astNode?: FieldDefinitionNode | undefined;
  readonly auth: AuthRules | undefined;
  readonly search: SearchField | undefined;
}

/** The meaning of an argument of a root field or relation list. */
export type ArgumentBinding =
  /** Filters by a column, or by the key of a to-one relation. A list matches any of its values. */
  | { readonly kind: 'equals'; readonly field: string; readonly list: boolean }
  /** Finds objects by their node ids: the text, or any of a list. `field` is the field that shows them. */
  | { readonly kind: 'nodeId'; readonly field: string; readonly list: boolean }
  /** Page size and offset. */
  | ({ readonly kind: 'first' | 'start' } & WithDefault)
  /** Relay's other page arguments. */
  | ({ readonly kind: 'last' } & WithDefault)
  | { readonly kind: 'after' | 'before' }
  /** An enum of two values; `descending` is the one for descending order. */
  | ({ readonly kind: 'sort'; readonly descending: string } & WithDefault)
  /** An enum of field names. */
  | ({ readonly kind: 'sortBy' } & WithDefault)
  /** A derived filter input (`PhotoFilter`). */
  | { readonly kind: 'where' }
  /** A list of derived orders (`[PhotoOrder!]`). */
  | ({ readonly kind: 'orderBy' } & WithDefault)
  /** Of groups: their keys, conditions on their aggregates, and the time zone of parts of times. */
  | { readonly kind: 'groupBy' | 'having' | 'timeZone' }
  /** An enum that says whether deleted objects are included, or are the only ones. Null excludes them. */
  | ({ readonly kind: 'deleted' } & WithDefault)
  /** The query text of a full-text search. */
  | { readonly kind: 'query' };

/** An argument that orders or pages a list. */
interface WithDefault {
  /** The argument's coerced default. It also applies to null, as Relay clients expect. */
  readonly defaultValue?: unknown;
}

/** Argument name → binding. */
export type ArgumentBindings = ReadonlyMap<string, ArgumentBinding>;

/** A field with a column: a scalar, an enum, or (as JSON) a list of them or an embedded object. */
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
  /** A key of several columns: they, in order. The field has no column of its own; `column` is a name in queries only. */
  readonly parts?: readonly string[] | undefined;
  /** The scalar is the application's own and has no known order: its values can only be tested for equality. */
  readonly unordered: boolean;
  readonly default: DefaultValue | undefined;
  /** `@unmanaged` on the field or its type: the column exists, and no migration changes it. */
  readonly unmanaged: boolean;
  /** Nobody writes it here. */
  readonly readOnly: boolean;
  /** SQL of the value when a migration changes the column's type. */
  readonly using?: string | undefined;
  /** The zone of times that the column stores without one; undefined: the column stores points in time. */
  readonly timeZone: 'UTC' | undefined;
  /** Set once the database has been read (migrate/adopt-columns.ts), as are the limits. */
  readonly native?: NativeType | undefined;
  /** Maximum number of characters; undefined: no limit. */
  readonly longest?: number | undefined;
  /** Maximum number of digits behind the point; undefined: no limit. */
  readonly scale?: number | undefined;
  /** Numbers that the column stores as doubles, which keep 15 digits: all, or all but integers of 64 bits. */
  readonly doubles?: 'all' | 'fractions' | undefined;
  /** `@constraint`: what written values must satisfy. */
  readonly constraint?: Constraint | undefined;
}

/** Storage of a relation. */
export type RelationStorage =
  /**
   * `column` of this table holds the target's key. A key of several columns is in `parts`, in the order of the key;
   * `column` is a name in queries only then.
   */
  | {
      readonly kind: 'foreignKey';
      readonly column: string;
      readonly parts?: readonly string[] | undefined;
      readonly unique: boolean;
    }
  /** The target's field `field` (foreign key or polymorphic) refers to this type. */
  | { readonly kind: 'inverse'; readonly field: string }
  /** A join table: `from` holds this type's key, `to` the target's. */
  | {
      readonly kind: 'joinTable';
      readonly table: string;
      readonly from: string;
      readonly to: string;
      /** The columns of keys of several columns, as in a foreign key. */
      readonly fromParts?: readonly string[] | undefined;
      readonly toParts?: readonly string[] | undefined;
      /** Set once the database has been read. */
      readonly natives?: NativeTypes | undefined;
    }
  /** The target is an interface or union: type name and key in two columns of this table. */
  | { readonly kind: 'polymorphic'; readonly typeColumn: string; readonly keyColumn: string }
  /** A list of an interface or union: a join table of this type's key, target type and target key. */
  | {
      readonly kind: 'polymorphicJoinTable';
      readonly table: string;
      readonly from: string;
      readonly typeColumn: string;
      readonly keyColumn: string;
    };

/** A field that refers to another entity. */
export interface RelationField extends FieldBase {
  readonly kind: 'relation';
  /** Entity, interface or union name. */
  readonly target: string;
  readonly many: boolean;
  readonly nullable: boolean;
  readonly storage: RelationStorage;
  /** The inverse field on the target, if it has one. */
  readonly inverse: string | undefined;
  /** What deleting the target does to a row with the foreign key; unused for other storages. */
  readonly onDelete: 'cascade' | 'restrict' | 'setNull';
  /**
   * Whether deleting the target evaluates the rules of its holders; undefined if they have none or no client can delete
   * the target.
   */
  readonly onDeleteRules: 'caller' | 'override' | 'rows' | undefined;
  /** Arguments of a list: paging, sorting, filtering. */
  readonly arguments: ArgumentBindings;
  /** The list is returned as a Relay connection. */
  readonly connection: boolean;
  /** No migration changes its columns or join table. */
  readonly unmanaged: boolean;
  /** Nobody writes it here. */
  readonly readOnly: boolean;
}

/** A field with a TypeScript resolver. */
export interface ResolverField extends FieldBase {
  readonly kind: 'resolver';
  /** Parent columns that the resolver needs; fetched by the same statement. */
  readonly needs: readonly string[];
}

/** A field that returns the objects of a relation of its type in another form. */
export interface FormField extends FieldBase {
  readonly kind: 'form';
  /** The field of the relation. Its read rule is part of this field's. */
  readonly of: string;
  readonly form: 'list' | 'connection' | 'count' | 'aggregates' | 'groups';
  readonly nullable: boolean;
  readonly arguments: ArgumentBindings;
}

/** `@nodeId`: a text of type and key that identifies the object among those of all types (node-id.ts). */
export interface NodeIdField extends FieldBase {
  readonly kind: 'nodeId';
}

export type Field = ColumnField | RelationField | ResolverField | FormField | NodeIdField;

/** The column that says whether a row is deleted. */
export interface SoftDelete {
  readonly field: string;
  readonly column: string;
  /** `boolean`: true in deleted rows. Others hold the time of the deletion, and null in living rows. */
  readonly storage: Storage;
  /** The time is written without a zone. */
  readonly isLocal: boolean;
  /** The column may hold values that are no Boolean, which mark deleted rows too. Set once the database has been read. */
  readonly isLoose?: boolean | undefined;
}

/** A stored type: one table. */
export interface Entity {
  readonly name: string;
  /** Names that the type may have had. */
  readonly formerNames?: readonly string[] | undefined;
  readonly description: string | undefined;
  /** As `@entity(table:)` names it: possibly with a schema (schema/table-name.ts). */
  readonly table: string;
  /** The table exists, and no migration changes it. */
  readonly unmanaged: boolean;
  /** Nobody writes it here: a view, or a table of others. */
  readonly readOnly: boolean;
  /** `@captureChanges`: triggers record what others write. */
  readonly captured: boolean;
  /** Types of existing columns. Set once the database has been read. */
  readonly natives?: NativeTypes | undefined;
  /** Deletions set a column. Deleted rows stay in the table and exist for no reader, rule or write. */
  readonly softDelete?: SoftDelete | undefined;
  readonly key: ColumnField;
  readonly fields: ReadonlyMap<string, Field>;
  /** Interfaces that the type implements. */
  readonly interfaces: readonly string[];
  /** `@index(fields:)` and `@unique(fields:)` on the type, as column names. */
  readonly indexes: readonly { readonly columns: readonly string[]; readonly unique: boolean }[];
  readonly auth: AuthRules | undefined;
  readonly location: SourceLocation | undefined;
  /** Defined if a field has `@search`: the index name and the second segment of the typed path. */
  readonly searchIndex: { readonly index: string; readonly type: string } | undefined;
}

/** What a root field does. */
export type RootBinding =
  /** One object: the first by key that satisfies the arguments. `type` is an entity, an interface or a union. */
  | { readonly kind: 'lookup'; readonly type: string; readonly arguments: ArgumentBindings }
  | { readonly kind: 'connection' | 'count'; readonly type: string; readonly arguments: ArgumentBindings }
  /** Aggregates of all rows, or of groups of rows. */
  | { readonly kind: 'aggregates' | 'groups'; readonly type: string; readonly arguments: ArgumentBindings }
  | {
      readonly kind: 'list';
      readonly type: string;
      readonly arguments: ArgumentBindings;
      /** The argument that returns one element per key, in its order: `nodes(ids: [ID!]!): [Node]!`. */
      readonly byKeys: string | undefined;
    }
  /** Full-text search results, best first, with scores and highlights. */
  | { readonly kind: 'search'; readonly entity: string; readonly arguments: ArgumentBindings }
  /** Of a subgraph: its text, and objects by their keys. */
  | { readonly kind: 'service' | 'entities' }
  | WriteBinding
  | {
      readonly kind: 'changes';
      readonly entity: string;
      readonly operation: 'created' | 'updated' | 'deleted' | 'any';
      readonly arguments: ArgumentBindings;
    }
  | { readonly kind: 'resolver' };

/** What a mutation field does, unless it has a resolver. */
export type WriteBinding =
  | {
      readonly kind: 'create' | 'update' | 'upsert' | 'delete' | 'restore' | 'purge';
      readonly entity: string;
      readonly many: boolean;
    }
  | { readonly kind: 'connect' | 'disconnect'; readonly entity: string; readonly relation: string };

/** The model of a schema. */
export interface Model {
  /** The executable schema for introspection and validation. */
  readonly schema: GraphQLSchema;
  readonly entities: ReadonlyMap<string, Entity>;
  /** Interface or union → its entities. */
  readonly abstractTypes: ReadonlyMap<string, readonly string[]>;
  /** Scalars that the application registered; only JavaScript can serialize their values. */
  readonly customScalars: ReadonlySet<string>;
  /** Fields of stored and embedded types with a resolver: `Photo.title`. */
  readonly answered: ReadonlySet<string>;
  /** Derived filter input (`PhotoFilter`) → the stored type it filters. */
  readonly filters: ReadonlyMap<string, string>;
  /** Root field (`Query.allPhotos`) → its binding. */
  readonly roots: ReadonlyMap<string, RootBinding>;
  /** Set if the schema is a subgraph of Apollo Federation. */
  readonly subgraph?: Subgraph | undefined;
}

/** Whether a field has stored values of its own: it is no other form of a relation, and no resolver answers it. */
export function isStoredField(field: Field | undefined): field is ColumnField | RelationField {
  return field?.kind === 'column' || field?.kind === 'relation';
}

/** The columns of its table in which a field is stored, those of a composite key or reference one by one. */
export function storedColumnsOf(field: Field): readonly string[] {
  if (field.kind === 'column') return field.parts === undefined ? [field.column] : [];
  const parts = field.kind === 'relation' && field.storage.kind === 'foreignKey' ? field.storage.parts : undefined;
  return parts ?? columnsOfField(field);
}

/** The columns of a field in queries: a composite key or reference is one. */
export function columnsOfField(field: Field): readonly string[] {
  if (field.kind === 'column') return [field.column];
  if (field.kind !== 'relation') return [];
  if (field.storage.kind === 'foreignKey') return [field.storage.column];
  return field.storage.kind === 'polymorphic' ? [field.storage.typeColumn, field.storage.keyColumn] : [];
}

/** The entity of a name that the model is known to have. */
export function entityOf({ entities }: Pick<Model, 'entities'>, name: string): Entity {
  const entity = entities.get(name);
  if (entity === undefined) throw new Error(`The model has no entity ${name}.`);
  return entity;
}

/** The entities of a type: itself, or the members of an interface or union. */
export function membersOf(model: Model, type: string): readonly Entity[] {
  return (model.abstractTypes.get(type) ?? [type]).map((name) => entityOf(model, name));
}

/** Whether a reference always finds its row: a foreign key ensures that, and the row cannot be a deleted one. */
export function isGuaranteed(field: RelationField, target: Entity): boolean {
  return hasForeignKey(field, target) && target.softDelete === undefined;
}

/** Whether the engine keeps a foreign key: columns and tables that no migration changes may have none. */
export function hasForeignKey(field: RelationField, target: Entity): boolean {
  return !field.unmanaged && !target.unmanaged;
}
