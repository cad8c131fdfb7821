// The schema directives: their SDL, which is added to the application's files, the types of their arguments, and the
// fields that they fit. Files that give them a meaning read them with `directiveValues`.
import { getNullableType, isListType, type GraphQLType } from 'graphql';

/** SDL of all directives. The descriptions become the reference documentation. */
export const DIRECTIVES_SDL = /* GraphQL */ `
  "The type is stored: one table, one row per object. Without the directive, a type with a key is stored if a root field returns it."
  directive @entity(
    "Name of the table, on PostgreSQL with its schema if it is in another one: \`shop.orders\`. A part that contains a dot is in double quotes. Default: the type's name in snake case and plural (Photo → photos)."
    table: String
    "A field of the type, a nullable DateTime or LocalDateTime, or a Boolean: deleting an object sets it (to the time, or true), and the row stays. Deleted objects exist for no query, relation, count, search, subscription, rule or write."
    softDelete: String
  ) on OBJECT

  "The table or column exists and belongs to somebody else: the engine reads and writes its values, and never creates, changes or drops it. On a relation: its columns, or its join table."
  directive @unmanaged on OBJECT | FIELD_DEFINITION

  "Nobody writes it here. On a field: a column that the database generates, or that others write. On a type: a view or a table of others; its key is named with @id."
  directive @readOnly on OBJECT | FIELD_DEFINITION

  "Rows that others write (SQL, other services, old code) get into search and subscriptions: a migration installs triggers on the table and on the join tables of its relations. Without it, \`index verify\` finds them."
  directive @captureChanges on OBJECT

  "The column of the field. On a value of an enum: the text that @unmanaged columns hold for it, such as \`PG-13\` for \`PG_13\`."
  directive @column(
    "Its name. Default: the field's name in snake case (postedBy → posted_by). On a relation: the column of the foreign key, or its columns in the order of the key; to an interface or union: the columns of type and key."
    name: [String!]
    "The zone of an existing column that stores times without one, for a DateTime: \`UTC\`. Without it, such a column is a LocalDateTime."
    timeZone: String
    "SQL of the new value when a migration changes the column's type: an expression over the old row, such as \`amount_cents / 100.0\`. Unused while the type is the same."
    using: String
  ) on FIELD_DEFINITION | ENUM_VALUE

  "The former name of the field or its column, of the type or its table: a migration renames the column or table, and its values stay. Unused once it has the new name."
  directive @renamedFrom(name: String!) on FIELD_DEFINITION | OBJECT

  "The field is the key, if that is not \`id: ID!\`. The client that creates the object supplies its value, or @default does."
  directive @id(
    "The key of an existing table with several columns: the fields, or relations, that make it up. The field has no column; its value is a text of their values, in this order: \`10248,11\`."
    fields: [String!]
  ) on FIELD_DEFINITION

  "The field identifies the object among those of all types: an opaque text of type and key, which is not stored. On a field of an interface: in all stored types that implement it. Root fields find objects by an argument of its name (\`node(nodeId: ID!)\`, \`nodes(nodeIds: [ID!]!)\`), and mutations take it in place of the key."
  directive @nodeId on FIELD_DEFINITION

  "How two types relate, if that cannot be inferred from their fields."
  directive @relation(
    "The field of the other type that is the inverse of this relation."
    inverse: String
    "Another field of this type, a list or connection: this field returns the same objects in another form, as a list, a connection, aggregates, groups or their number (Int)."
    sameAs: String
    "The existing join table of a many-to-many relation, named like @entity(table:). Default: the type's table and the field's name."
    table: String
    "The column of the join table with the key of this type, or its columns in the order of the key. Default: the type's name in snake case."
    from: [String!]
    "The same for the key of the other type. Default: its name in snake case."
    to: [String!]
    "What deleting the target does to the holder, the object with this field. Default: RESTRICT if the field is non-null, else SET_NULL."
    onDelete: RelationOnDelete
    "Whether such a deletion evaluates the rules of the holders. Required if they have rules; also on a many-to-many list, whose links the deletion removes."
    onDeleteRules: RelationOnDeleteRules
  ) on FIELD_DEFINITION

  enum RelationOnDeleteRules {
    "Reject callers from whom a read rule may hide a holder, whether or not there is one. For other callers, evaluate the rules of each holder: to delete it, or to update the field."
    CALLER
    "Evaluate no rules of the holders: callers who may delete the object may delete or change all its holders, hidden or not."
    OVERRIDE
    "Evaluate the rules of each holder, and reject the deletion if one is hidden. ⚠️ The error reveals that there is a hidden holder."
    ROWS
  }

  enum RelationOnDelete {
    "Delete the holder too."
    CASCADE
    "Reject the deletion while a holder exists. ⚠️ If a read rule can hide holders, the error reveals them, unless onDeleteRules is CALLER."
    RESTRICT
    "Set the holder's field to null."
    SET_NULL
  }

  "No two objects have the same value; on a type: the same combination of values. A unique text, like a key, has at most 2,600 bytes."
  directive @unique(
    "On a type: the fields whose combination is unique."
    fields: [String!]
  ) repeatable on FIELD_DEFINITION | OBJECT

  "Creates an index, so that filtering and sorting by these fields is fast."
  directive @index(
    "On a type: the fields of the index, in order."
    fields: [String!]
  ) repeatable on FIELD_DEFINITION | OBJECT

  "The value if a create omits the field: \`now\`, \`uuid\`, \`updatedAt\` (also set by every update), \`identity\` (the next integer), \`version\` (counts updates from 1, including those of lists that a mutation names), \`database\` (the default or trigger of an @unmanaged column), or a literal."
  directive @default(value: String!) on FIELD_DEFINITION

  "The field is indexed for search. On a type: name of its search index and of its typed path."
  directive @search(
    "On a field: the Elasticsearch field type. Default: by GraphQL type. On an object type: the second path segment."
    type: String
    "The analyzer of a text field."
    analyzer: String
    "On a relation: whether documents embed its objects. Default: to-one relations do, and a many-to-many relation on the type that comes first in the schema."
    embed: Boolean
    "On a relation: how many relations deep documents embed objects from here, this one included. Default 1. With 2, a photo contains its poster and the poster's team."
    depth: Int
    "On an object type: the name of the index. Default: the table's name."
    index: String
  ) on FIELD_DEFINITION | OBJECT

  "What values must satisfy. On a field of a stored type: in every write and import. On an input field or an argument: in mutations and root fields with a resolver. All violations are reported at once, each with path, code and message (\`extensions.violations\`)."
  directive @constraint(
    "Characters that a text has at least. Code: \`TOO_SHORT\`."
    minLength: Int
    "Characters that a text has at most. Code: \`TOO_LONG\`."
    maxLength: Int
    "A regular expression of JavaScript that matches the text; \`^\` and \`$\` make it match the whole of it. Code: \`PATTERN\`."
    pattern: String
    "The form of a text: \`email\`, \`uri\`, \`uuid\`, \`date\` or \`ipv4\`. Code: \`FORMAT\`."
    format: String
    "The smallest number. Code: \`TOO_SMALL\`."
    min: Float
    "The largest number. Code: \`TOO_LARGE\`."
    max: Float
    "Elements that a list has at least; other arguments are about each element. Code: \`TOO_FEW\`."
    minItems: Int
    "Elements that a list has at most. Code: \`TOO_MANY\`."
    maxItems: Int
    "A code of your own for all violations."
    code: String
    "A message of your own for all violations."
    message: String
  ) on FIELD_DEFINITION | INPUT_FIELD_DEFINITION | ARGUMENT_DEFINITION

  "Who may do what, as expressions over the object's fields and the caller: \`owner == authentication.name or hasRole('ADMIN')\`."
  directive @auth(
    "On a type: which objects exist for the caller. On a field: in which objects its value may be read. Default: all."
    read: String
    "On a type: which objects may be created, evaluated on the new object. On a field: in which objects a create may set it. Default: all."
    create: String
    "On a type: which objects may be changed, evaluated before and after the change. On a field: in which objects its value may be changed. Default: all."
    update: String
    "On a type: which objects may be deleted. Default: all."
    delete: String
    "On a type with softDelete: which deleted objects the caller may see, and with the right to delete restore. The read rule applies too. Required by arguments that include deleted objects, and by mutations that restore or purge."
    readDeleted: String
    "On a type with softDelete: which objects, deleted or not, may be deleted permanently. Required by mutations that purge."
    purge: String
    "On a field with read: what a caller gets who may not read its value. Default: ERROR."
    denied: AuthDenied
  ) on OBJECT | FIELD_DEFINITION

  enum AuthDenied {
    "The field is null, and the response has the error GRAPH_FIELD_FORBIDDEN."
    ERROR
    "The field is null without an error, for clients that reject responses with errors. They cannot tell it from a value that is missing. The field must be nullable."
    NULL
  }

  "The values of a registered scalar sort like their stored texts (by code point: \`2024-05\` before \`2024-11\`). Without it, lists cannot be sorted by such values, or filtered by lt, lte, gt or gte."
  directive @ordered on SCALAR

  "On a mutation in a request: all of its root fields are written in one transaction, or none."
  directive @transaction on MUTATION

  "Cost of selecting the field, for the cost limit. Default 1. A list multiplies it by its size."
  directive @cost(weight: Int!) on FIELD_DEFINITION

  "Assumed number of elements of a list without a page argument, for the cost limit."
  directive @listSize(assumedSize: Int!) on FIELD_DEFINITION
`;

/** The arguments as graphql-js coerces them. */
export interface DirectiveArguments {
  readonly entity: { readonly table?: string | null; readonly softDelete?: string | null };
  readonly unmanaged: unknown;
  readonly readOnly: unknown;
  readonly captureChanges: unknown;
  readonly column: {
    readonly name?: readonly string[] | null;
    readonly timeZone?: string | null;
    readonly using?: string | null;
  };
  readonly renamedFrom: { readonly name: string };
  readonly id: { readonly fields?: readonly string[] | null };
  readonly nodeId: unknown;
  readonly relation: {
    readonly inverse?: string;
    readonly sameAs?: string | null;
    readonly table?: string | null;
    readonly from?: readonly string[] | null;
    readonly to?: readonly string[] | null;
    readonly onDelete?: 'CASCADE' | 'RESTRICT' | 'SET_NULL';
    readonly onDeleteRules?: 'CALLER' | 'OVERRIDE' | 'ROWS';
  };
  readonly default: { readonly value: string };
  readonly constraint: {
    readonly minLength?: number | null;
    readonly maxLength?: number | null;
    readonly pattern?: string | null;
    readonly format?: string | null;
    readonly min?: number | null;
    readonly max?: number | null;
    readonly minItems?: number | null;
    readonly maxItems?: number | null;
    readonly code?: string | null;
    readonly message?: string | null;
  };
  readonly search: {
    readonly type?: string | null;
    readonly analyzer?: string | null;
    readonly embed?: boolean | null;
    readonly depth?: number | null;
    readonly index?: string | null;
  };
  readonly auth: Readonly<
    Record<'read' | 'create' | 'update' | 'delete' | 'readDeleted' | 'purge', string | null | undefined>
  > & {
    readonly denied?: 'ERROR' | 'NULL' | null;
  };
  readonly cost: { readonly weight: number };
  readonly listSize: { readonly assumedSize: number };
}

/** Directives that would do nothing on some fields: the types of field that they fit, and what to write elsewhere. */
export const FITTING_FIELDS: {
  readonly [Name in keyof DirectiveArguments]?: {
    readonly fits: (type: GraphQLType) => boolean;
    /** What it is for, in the plural: `lists`. */
    readonly what: string;
    readonly remedy: string;
  };
} = {
  listSize: {
    fits: (type) => isListType(getNullableType(type)),
    what: 'lists',
    remedy: 'Remove it, or use @cost(weight:) for a field that is costly by itself.',
  },
};
