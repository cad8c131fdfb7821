// SDL of the schema directives. It is added to the application's files, so that introspection and editors know them.
// Not here: their meaning (build-entities.ts).

/** SDL of all directives. The descriptions become the reference documentation. */
export const DIRECTIVES_SDL = /* GraphQL */ `
  "The type is stored: one table, one row per object. Without it a type is stored when a root field returns it and it has a key."
  directive @entity(
    "Name of the table; default: the type's name in snake case and plural (Photo → photos)."
    table: String
  ) on OBJECT

  "The field is the key, where the key is not \`id: ID!\`. The value is given by whoever creates the object, unless @default supplies it."
  directive @id on FIELD_DEFINITION

  "How two types relate, where it cannot be inferred from their fields."
  directive @relation(
    "The field of the other type that is the other end of the same relation."
    inverse: String
    "What deleting the object this field points at does to the object that holds the field. Default: RESTRICT if the field is non-null, else SET_NULL."
    onDelete: RelationOnDelete
    "Whether such a deletion asks the rules of the objects that hold the field. Must be said where they have some; also on the field of a list whose pairs a deletion takes away."
    onDeleteRules: RelationOnDeleteRules
  ) on FIELD_DEFINITION

  enum RelationOnDeleteRules {
    "Refuse callers from whom a read rule may hide a holder, whether there is one or not. For other callers, ask the rules of each holder: to delete it, or to update the field."
    CALLER
    "Ask no rule of the holders: callers who may delete the object may delete or change all its holders, hidden or not."
    OVERRIDE
    "Ask the rules of each holder, and refuse where one is hidden. ⚠️ A refusal tells that there is a hidden one."
    ROWS
  }

  enum RelationOnDelete {
    "Delete the holder too."
    CASCADE
    "Refuse to delete while a holder exists. ⚠️ Where a read rule can hide holders, a refusal tells of them, unless onDeleteRules is CALLER."
    RESTRICT
    "Empty the field of the holder."
    SET_NULL
  }

  "No two objects have the same value here; on a type: the same combination of values. A unique text, like a key, has at most 2,600 bytes."
  directive @unique(
    "On a type: the fields whose values together must differ."
    fields: [String!]
  ) repeatable on FIELD_DEFINITION | OBJECT

  "Keeps an index, so that filtering and sorting by these fields is fast."
  directive @index(
    "On a type: the fields of the index, in its order."
    fields: [String!]
  ) repeatable on FIELD_DEFINITION | OBJECT

  "The value when a create leaves the field out: \`now\`, \`uuid\`, \`updatedAt\` (also set at every update), \`identity\` (the next whole number), \`version\` (counts the updates, from 1; also those of lists that a mutation names), or a literal."
  directive @default(value: String!) on FIELD_DEFINITION

  "The field is searched. On a type: name of its search index and of its typed path."
  directive @search(
    "On a field: the Elasticsearch field type; default by GraphQL type. On an object type: the second path segment."
    type: String
    "The analyzer of a text field."
    analyzer: String
    "On a relation: whether the objects it leads to are part of the documents. Default: those of a to-one relation, and of a many-to-many relation at the type that comes first."
    embed: Boolean
    "On a relation: how many relations in a row its documents follow from here, this one included; default 1. With 2 a photo holds its poster and the poster's team."
    depth: Int
    "On an object type: the name of the index; default: the table's name."
    index: String
  ) on FIELD_DEFINITION | OBJECT

  "Who may do what, as expressions over the object's fields and the caller: \`owner == authentication.name or hasRole('ADMIN')\`."
  directive @auth(
    "On a type: which objects there are for the caller. On a field: of which objects its value may be read. Default: all."
    read: String
    "On a type: which objects may be created, as they are then. On a field: where a create may give it a value. Default: all."
    create: String
    "On a type: which objects may be changed, as they were and as they are then. On a field: where its value may be changed. Default: all."
    update: String
    "On a type: which objects may be deleted. Default: all."
    delete: String
  ) on OBJECT | FIELD_DEFINITION

  "The values of a scalar that the application registers have the order of the texts they are stored as (code points, as \`2024-05\` before \`2024-11\`). Without it lists are neither sorted by such values nor filtered by lt, lte, gt or gte."
  directive @ordered on SCALAR

  "What selecting the field costs, for the cost limit; default 1. A list multiplies it by its size."
  directive @cost(weight: Int!) on FIELD_DEFINITION

  "How many elements a list is assumed to hold, for the cost limit, where no page argument says so."
  directive @listSize(assumedSize: Int!) on FIELD_DEFINITION
`;
