// The graph's errors that depend on stored values, each with an operation that provokes it, and the expressions over
// stored values that must raise none. Not here: the tests (value-errors.cases.ts).

/** The schema that the operations speak of. The rule is dear, so that both databases look at a caller's conditions first. */
export const VALUE_SCHEMA = /* GraphQL */ `
  scalar DateTime
  scalar BigInt
  type Box
    @entity
    @auth(read: "readers.any(r, r.login == authentication.name) or hasRole('ADMIN')", update: "name != 'fixed'") {
    id: ID!
    name: String
    code: String @unique
    note: String @auth(read: "name == 'open'")
    size: Int
    weight: Float
    tags: [String!]
    nums: [Int!]
    spot: Spot
    spots: [Spot!]
    version: Int! @default(value: "version")
    lid: Lid
    kept: Item @relation(onDeleteRules: OVERRIDE)
    readers: [Person!]! @relation(inverse: "boxes")
    parts: [Part!]! @relation(inverse: "box")
  }
  type Spot {
    x: Int
    w: Float
    b: BigInt
    on: Boolean
    at: DateTime
    label: String
    inner: Inner
    words: [String!]
  }
  type Inner {
    y: Int
  }
  type Lid @entity @auth(read: "boxes.any(b, b.name == 'open') or hasRole('ADMIN')") {
    id: ID!
    boxes: [Box!]! @relation(inverse: "lid")
  }
  type Part @entity {
    id: ID!
    box: Box @relation(inverse: "parts")
    firm: Box! @relation(onDelete: RESTRICT)
  }
  type Person @entity {
    login: ID! @id
    boxes: [Box!]!
  }
  union Item = Box | Person
  type Query {
    box(id: ID!): Box
    boxes(where: BoxFilter, orderBy: [BoxOrder!], first: Int = 20): [Box!]!
    pages(first: Int = 5, after: String, where: BoxFilter, orderBy: [BoxOrder!]): BoxConnection
    items(first: Int = 5): [Item!]!
    parts(where: PartFilter): [Part!]!
  }
  input BoxInput {
    name: String
    code: String
    size: Int
  }
  type Mutation {
    updateBox(id: ID!, version: Int, input: BoxInput!): Box
    updateBoxes(where: BoxFilter!, input: BoxInput!): Int
    createBox(input: BoxInput!): Box
    deleteBox(id: ID!): Boolean
  }
`;

/** Conditions on stored values, by the expression that they become. None may raise an error, whatever a row holds. */
export const CONDITIONS: readonly { readonly site: string; readonly where: string }[] = [
  { site: 'member as integer', where: '{ spot: { x: { gt: 1 } } }' },
  { site: 'member as big integer', where: '{ spot: { b: { in: ["4", "5"] } } }' },
  { site: 'member as real', where: '{ spot: { w: { lt: 1.5 } } }' },
  { site: 'member as boolean', where: '{ spot: { on: { eq: true } } }' },
  { site: 'member as time', where: '{ spot: { at: { gt: "2024-01-01T00:00:00.000Z" } } }' },
  { site: 'member of a member', where: '{ spot: { inner: { y: { gt: 1 } } } }' },
  { site: 'member as text', where: '{ spot: { label: { containsInsensitive: "a" } } }' },
  { site: 'list in a member', where: '{ spot: { words: { has: "a" } } }' },
  { site: 'member that is nothing', where: '{ spot: { inner: { isNull: true } } }' },
  { site: 'some of a list', where: '{ tags: { hasSome: ["a", "b"] } }' },
  { site: 'every of a list', where: '{ nums: { hasEvery: [1] } }' },
  { site: 'same list', where: '{ nums: { eq: [1, 2] } }' },
  { site: 'another list', where: '{ tags: { ne: ["a"] } }' },
  { site: 'length of a list', where: '{ tags: { isEmpty: true } }' },
  { site: 'elements of a list of objects', where: '{ spots: { any: { x: { gt: 1 } } } }' },
  { site: 'no element of a list of objects', where: '{ spots: { none: { on: { eq: false } } } }' },
  { site: 'length of a list of objects', where: '{ spots: { isEmpty: false } }' },
];

/** What rows may hold that is no value of its type: another program, or a former schema, wrote it. */
export const STRANGE_VALUES: readonly {
  readonly spot: string;
  readonly list: string;
  readonly onlySqlite?: true;
}[] = [
  {
    spot: '{"x":"abc","w":"much","b":"99999999999999999999","on":"perhaps","at":"2023-02-29T00:00:00.000Z","inner":5,"words":"w"}',
    list: '"a text"',
  },
  { spot: '{"x":1.5,"w":1e400,"b":1e30,"on":2,"at":"infinity","inner":["y"],"words":{"a":1}}', list: '{"a":1}' },
  {
    spot: '{"x":{"y":1},"w":[1],"b":"0x10","on":null,"at":7,"inner":{"y":"z"},"words":7}',
    list: '["a", 5, {"x":"y"}]',
  },
  { spot: '"a text"', list: '7' },
  { spot: '[1]', list: 'null' },
  { spot: '{"x":', list: '["a"', onlySqlite: true },
  { spot: '', list: 'a', onlySqlite: true },
];

/** An error that depends on stored values. */
export interface ValueError {
  readonly site: string;
  /** What an answer says where it occurs. */
  readonly pattern: RegExp;
  /** Provokes it, as an administrator, with the rows of `ROWS`; undefined: a test of its own does. */
  readonly operation?: string;
  /** Hidden rows raise it too; the guide says so. */
  readonly tellsOfHidden?: true;
}

/** The throw sites of graph that depend on rows. */
export const VALUE_ERRORS: readonly ValueError[] = [
  {
    site: 'write/prepare-mutation.ts checkVersion',
    pattern: /"code":"GRAPH_CONFLICT"/,
    operation: 'mutation { updateBox(id: 9, version: 7, input: { name: "n" }) { id } }',
  },
  {
    site: 'write/prepare-mutation.ts findVisible',
    pattern: /"code":"GRAPH_NOT_FOUND"/,
    operation: 'mutation { updateBox(id: 404, input: { name: "n" }) { id } }',
  },
  {
    site: 'write/constraint-error.ts constraintError',
    pattern: /"code":"GRAPH_NOT_UNIQUE"/,
    operation: 'mutation { createBox(input: { code: "taken" }) { id } }',
    tellsOfHidden: true,
  },
  {
    site: 'write/row-guard.ts check',
    pattern: /"code":"GRAPH_FORBIDDEN"/,
    operation: 'mutation { updateBox(id: 9, input: { name: "fixed" }) { id } }',
  },
  {
    site: 'write/delete-rows.ts checkRestricted',
    pattern: /"code":"GRAPH_RESTRICTED"/,
    operation: 'mutation { deleteBox(id: 1) }',
    tellsOfHidden: true,
  },
  { site: 'write/match-rows.ts limit', pattern: /"code":"GRAPH_WRITE_TOO_LARGE"/ },
  { site: 'execute/response-size.ts refuse', pattern: /"code":"GRAPH_ANSWER_TOO_LARGE"/ },
  {
    site: 'execute/respond.ts withheld field',
    pattern: /"code":"GRAPH_FIELD_FORBIDDEN"/,
    operation: '{ boxes { id note } }',
  },
  {
    site: 'execute/respond.ts missing object',
    pattern: /"code":"GRAPH_NULL_VALUE"/,
    operation: '{ parts { id firm { id } } }',
  },
  { site: 'execute/run-fallback.ts checkStored', pattern: /"code":"GRAPH_VALUE_DAMAGED"/ },
  { site: 'execute/full-text.ts tooBroad', pattern: /"code":"GRAPH_SEARCH_TOO_BROAD"/ },
];
