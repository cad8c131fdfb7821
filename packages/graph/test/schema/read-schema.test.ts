// The model of a schema, and the messages of its mistakes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProductError } from '@lockstitch/kernel';
import type { GraphQLInputObjectType } from 'graphql';
import { readSchema, type Model, type RelationField, type Resolvers } from '../../src/index.ts';

function read(text: string, resolvers: Resolvers = {}): Model {
  return readSchema([{ file: 'schema.graphql', text }], { resolvers });
}

function mistakesOf(text: string, resolvers: Resolvers = {}): string {
  try {
    read(text, resolvers);
  } catch (error) {
    assert.ok(isProductError(error));
    assert.equal(error.code, 'GRAPH_SCHEMA_INVALID');
    return error.message;
  }
  throw new assert.AssertionError({ message: 'no mistake was found' });
}

function relation(model: Model, type: string, field: string): RelationField {
  const found = model.entities.get(type)?.fields.get(field);
  assert.equal(found?.kind, 'relation');
  return found;
}

const PHOTO_SHARE = /* GraphQL */ `
  scalar DateTime
  type Photo {
    id: ID!
    name: String!
    created: DateTime!
    postedBy: User!
    taggedUsers: [User!]!
  }
  type User {
    githubLogin: ID!
    name: String
    postedPhotos: [Photo!]!
    inPhotos: [Photo!]!
  }
  type Query {
    User(githubLogin: ID!): User
    allPhotos(first: Int = 25, start: Int = 0): [Photo!]!
  }
`;

test('without directives, types that root fields return are stored, keyed by their only ID', () => {
  const model = read(PHOTO_SHARE);
  assert.deepEqual([...model.entities.keys()], ['Photo', 'User']);
  assert.equal(model.entities.get('User')?.key.name, 'githubLogin');
  assert.equal(model.entities.get('User')?.key.storage, 'text');
  assert.equal(model.entities.get('Photo')?.key.storage, 'integer');
  assert.deepEqual(model.entities.get('Photo')?.key.default, { kind: 'identity' });
});

test('two relations between the same types are paired by the words and shape of their fields', () => {
  const model = read(PHOTO_SHARE);
  assert.deepEqual(relation(model, 'Photo', 'postedBy').storage, {
    kind: 'foreignKey',
    column: 'posted_by',
    unique: false,
  });
  assert.deepEqual(relation(model, 'User', 'postedPhotos').storage, { kind: 'inverse', field: 'postedBy' });
  assert.equal(relation(model, 'User', 'inPhotos').inverse, 'taggedUsers');
  const [there, back] = [relation(model, 'Photo', 'taggedUsers').storage, relation(model, 'User', 'inPhotos').storage];
  assert.deepEqual(there, { kind: 'joinTable', table: 'photos_tagged_users', from: 'photo', to: 'user' });
  assert.deepEqual(back, { kind: 'joinTable', table: 'photos_tagged_users', from: 'user', to: 'photo' });
});

test('an ambiguous relation is a mistake that names the fields and the directive', () => {
  const message = mistakesOf(`
    type Photo @entity { id: ID! author: User! editor: User }
    type User @entity { id: ID! posts: [Photo!]! }
    type Query { photo(id: ID!): Photo }`);
  assert.match(message, /Photo\.author or Photo\.editor/);
  assert.match(message, /User\.posts/);
  assert.match(message, /@relation\(inverse: "posts"\)/);
});

test('@relation(inverse:) pairs fields explicitly', () => {
  const model = read(`
    type Photo @entity { id: ID! author: User! editor: User }
    type User @entity { id: ID! posts: [Photo!]! @relation(inverse: "editor") }
    type Query { photo(id: ID!): Photo }`);
  assert.deepEqual(relation(model, 'User', 'posts').storage, { kind: 'inverse', field: 'editor' });
  assert.equal(relation(model, 'Photo', 'author').inverse, undefined);
});

test('a self-relation pairs a list with a to-one field, and leaves two to-one fields unpaired', () => {
  const model = read(`
    type Node @entity { id: ID! parent: Node children: [Node!]! }
    type Horse @entity { id: ID! mother: Horse father: Horse }
    type Query { node(id: ID!): Node horse(id: ID!): Horse }`);
  assert.deepEqual(relation(model, 'Node', 'children').storage, { kind: 'inverse', field: 'parent' });
  assert.equal(relation(model, 'Horse', 'mother').inverse, undefined);
});

test('a one-to-one relation has a unique foreign key on the non-null end', () => {
  const model = read(`
    type User @entity { id: ID! badge: Badge }
    type Badge @entity { id: ID! owner: User! }
    type Query { user(id: ID!): User }`);
  assert.deepEqual(relation(model, 'Badge', 'owner').storage, { kind: 'foreignKey', column: 'owner', unique: true });
  assert.deepEqual(relation(model, 'User', 'badge').storage, { kind: 'inverse', field: 'owner' });
});

test('all mistakes are reported together, with file, line and column, in file order', () => {
  const message = mistakesOf(`type Photo @entity { id: ID! nme: Strin }
type Query { photos: [Photo!]! when: DateTime
  nothing: Photo2 }`);
  assert.match(message, /4 mistakes/);
  assert.match(message, /schema\.graphql:2:32: Query\.when: DateTime cannot be answered/);
  assert.match(message, /schema\.graphql:1:35: Unknown type "Strin"\. Did you mean "String"\?/);
  assert.match(message, /schema\.graphql:2:38: Unknown type "DateTime"\. Write "scalar DateTime"\./);
  assert.match(message, /schema\.graphql:3:12: Unknown type "Photo2"\. Did you mean "Photo"\?/);
});

test('a name that a derived type nearly has is read as that type', () => {
  const message = mistakesOf(`type Book @entity { id: ID! pages: Int genre: String }
type Query { bookTotals: BookAggregate! bookAverages: BookAverages! books(where: BookFilte): [Book!]! }`);
  assert.match(message, /Unknown type "BookAggregate"\. Did you mean "BookAggregates"\?/);
  assert.match(message, /Unknown type "BookFilte"\. Did you mean "BookFilter"\?/);
});

test('a misspelt field of softDelete is one mistake', () => {
  const message = mistakesOf(`scalar DateTime enum Deleted { EXCLUDE ONLY }
type Book @entity(softDelete: "deleted") @auth(readDeleted: "permitAll", purge: "denyAll") { id: ID! deletedAt: DateTime }
type Query { books(deleted: Deleted = EXCLUDE): [Book!]! }
type Mutation { restoreBook(id: ID!): Book! purgeBook(id: ID!): Boolean! }`);
  assert.match(message, /1 mistake/);
  assert.match(message, /no field of Book\. Did you mean "deletedAt"\? Else add the field deleted: DateTime\./);
});

test('a @default value without quotes is a mistake that asks for quotes', () => {
  const message = mistakesOf(
    'type Note { id: ID! done: Boolean! @default(value: true) n: Int @default(value: 1) } type Query { note(id: ID!): Note }',
  );
  assert.match(message, /Write @default\(value: "true"\), in quotes\./);
  assert.match(message, /Write @default\(value: "1"\), in quotes\./);
  assert.match(message, /2 mistakes/);
});

test('mistakes of different kinds are all reported, each once', () => {
  const message = mistakesOf(`type Note @entity @auth(read: "ownr == 1") {
  id: ID!
  owner: String @serach
  title: String @default(valeu: "x")
  likes: Int @default(value: "many")
  mood: Banana
  made: Tmie
}
type Query { notes(first: Int): [Note!]! motto: String bananas: [Banana!]! }
scalar Time`);
  const expected = [
    /schema\.graphql:1:1: @auth\(read:\) of Note: Unknown .*"ownr".*Did you mean "owner"\?/,
    /schema\.graphql:3:17: Unknown directive "@serach"\. Did you mean "@search"\?/,
    /schema\.graphql:4:26: @default has no argument "valeu"\. Did you mean "value"\?/,
    /schema\.graphql:5:3: @default\(value: "many"\) does not fit Note\.likes/,
    /schema\.graphql:6:9: Unknown type "Banana"\./,
    /schema\.graphql:7:9: Unknown type "Tmie"\. Did you mean "Time"\?/,
    /schema\.graphql:9:42: Query\.motto: String cannot be answered/,
    /schema\.graphql:9:66: Unknown type "Banana"\./,
  ];
  for (const line of expected) assert.match(message, line);
  assert.match(message, new RegExp(`${expected.length} mistakes`), message);
});

test('mistakes of an additional check are reported with the others', () => {
  const text = 'type Note @entity { id: ID! titel: Strin } type Query { note(id: ID!): Note }';
  const check = (model: Model) =>
    [...model.entities.values()].map(({ name, location }) => ({
      message: `No ${name}, please.`,
      remedy: undefined,
      location,
    }));
  assert.throws(() => readSchema([{ file: 'a.graphql', text }], { check }), /2 mistakes[^]*No Note, please[^]*"Strin"/);
});

test('no misspelling makes readSchema crash', () => {
  // Every name of a schema is misspelt in turn; whatever that breaks must be a mistake with a place.
  const words = [...new Set(PHOTO_SHARE.match(/@?[A-Za-z]+/g))];
  for (const word of words) {
    for (const other of [`${word}x`, 'Zzz9']) {
      try {
        read(
          PHOTO_SHARE.replaceAll(new RegExp(`(?<![@A-Za-z])${word}(?![A-Za-z])`, 'g'), (found, at: number) =>
            at % 2 === 0 ? other : found,
          ),
        );
      } catch (error) {
        assert.ok(isProductError(error), `${word}: ${String((error as Error).stack)}`);
      }
    }
  }
});

for (const [theirs, expected] of [
  ['type P @model { id: ID! }', /Unknown directive "@model", which is Amplify and Grafbase's\. Write @entity\./],
  ['type P @entity { id: ID! a: String @searchable }', /"@searchable", which is Amplify's\. Write @search on the/],
  ['type P @entity { id: ID! } extend type P @key(fields: "id")', /which is Apollo Federation's\. Write @id on/],
  ['type P @entity { id: ID! a: String @custom(http: { url: "x" }) }', /Answer the field with a resolver/],
] as const) {
  test(`a directive of another schema language names what to write here: ${theirs}`, () => {
    const text = mistakesOf(`${theirs} type Query { p(id: ID!): P }`);
    assert.match(text, expected);
    assert.match(text, /1 mistake\b/);
  });
}

test('a directive that other languages call differently is read all the same, so that later mistakes are found', () => {
  const text = mistakesOf(`
    type Author @model { login: ID! @primaryKey posts: [Post!]! @hasInverse(field: by) }
    type Post @model { id: ID! by: Author! with: Author }
    type Query { author(login: ID!, nmae: String): Author posts: [Post!]! }
  `);
  assert.match(text, /@relation\(inverse: "posts"\)/);
  assert.match(text, /"nmae: String"/);
  assert.doesNotMatch(text, /without a key|not clear/);
});

test('a location counts lines as editors do, after block strings and with every line ending', () => {
  const text = mistakesOf('type Query {\r\n  """\r\n  two\r  lines\n  """\r  p: Nowhere\n}\n');
  assert.match(text, /schema\.graphql:6:6: Unknown type "Nowhere"/);
});

test('a syntax error has its location', () => {
  assert.match(mistakesOf('type Query { a: Int\n  b: }'), /schema\.graphql:2:6: Syntax Error/);
});

test('syntax of Prisma is named, with what to write', () => {
  assert.match(
    mistakesOf('type Query { a: Int }\ntype A @@map("b") { id: ID! }'),
    /:2:\d+: .*@@map is .*@entity\(table:/s,
  );
  assert.match(mistakesOf('model Photo {\n id Int @id\n}'), /:1:1: .*Prisma.*lockstitch adopt/s);
});

test('an empty schema, or one without Query, is a mistake with a remedy', () => {
  assert.match(mistakesOf(' # nothing\n'), /empty/);
  assert.match(mistakesOf('type A { id: ID! }'), /no type Query/);
});

const MISTAKES: readonly (readonly [string, string, RegExp])[] = [
  [
    'an argument that is no field',
    'type P { id: ID! name: String } type Query { p(naem: String): P }',
    /"naem: String" of Query\.p is not the name of a field of P\. Did you mean "name"\?/,
  ],
  [
    'a misspelt page argument',
    'type P { id: ID! } type Query { ps(frist: Int): [P!]! }',
    /"frist: Int" of Query\.ps is not the name of a field of P\. Did you mean "first"\?/,
  ],
  ['a look-up without argument', 'type P { id: ID! } type Query { p: P }', /no argument to find it by/],
  ['a scalar nobody answers', 'type Query { motto: String }', /resolvers\.Query\.motto/],
  [
    'an unknown directive argument',
    'type P @entity(tabel: "x") { id: ID! } type Query { p(id: ID!): P }',
    /@entity has no argument "tabel"\. Did you mean "table"\?/,
  ],
  ['an unknown directive', 'type P @entty { id: ID! } type Query { p(id: ID!): P }', /Unknown directive "@entty"/],
  [
    'an entity without a key',
    'type P @entity { name: String } type Query { p(name: String): P }',
    /without a key.*"id: ID!"/,
  ],
  [
    'two types in one table',
    'type A @entity(table: "x") { id: ID! } type B @entity(table: "x") { id: ID! } type Query { a(id: ID!): A }',
    /A and B are both stored in table "x"/,
  ],
  [
    'a type in the table of a relation',
    'type A { id: ID! tags: [B!]! } type B { id: ID! as: [A!]! } type ATag @entity(table: "as_tags") { id: ID! } type Query { a(id: ID!): A }',
    /Type ATag is stored in table "as_tags", which is the join table of A\.tags.*@entity\(table/,
  ],
  [
    'a part that no connection has',
    'type P @entity { id: ID! } type PEdge { node: P role: String } type PConnection { edges: [PEdge] totalCounts: Int } type Query { ps(first: Int): PConnection }',
    /PEdge is the edge of a list.*does not have "role"[^]*PConnection.*does not have "totalCounts"\. Did you mean "totalCount"\?/,
  ],
  [
    'a stored type with the name of the page of a connection',
    'type P @entity { id: ID! } type PageInfo @entity { id: ID! } type Query { ps(first: Int): PConnection }',
    /PageInfo is the page of a list.*does not have "id".*another name/,
  ],
  [
    'a type with the name of the edges of a connection that is derived',
    'type P @entity { id: ID! } type PEdge { a: Int } type Query { ps(first: Int): PConnection }',
    /PEdge has the name of the edges of PConnection.*Define PConnection too/,
  ],
  [
    'a default that does not fit',
    'enum C { RED } type P { id: ID! c: C @default(value: "REED") } type Query { p(id: ID!): P }',
    /Did you mean "RED"\?/,
  ],
  [
    'emptying a field that must have a value',
    'type A { id: ID! b: B! @relation(onDelete: SET_NULL) } type B { id: ID! } type Query { a(id: ID!): A }',
    /cannot be emptied/,
  ],
  [
    'an inverse that is not there',
    'type A { id: ID! b: B @relation(inverse: "aas") } type B { id: ID! as: [A!]! } type Query { a(id: ID!): A }',
    /no field "aas".*Did you mean "as"\?/,
  ],
  [
    'a relation that is its own other end',
    'type A { id: ID! twin: A @relation(inverse: "twin") } type Query { a(id: ID!): A }',
    /makes A\.twin its own other end.*goes one way/,
  ],
  [
    'an index on nothing',
    'type P @entity @index(fields: ["nmae"]) { id: ID! name: String } type Query { p(id: ID!): P }',
    /no field "nmae"\. Did you mean "name"\?/,
  ],
  [
    'a scalar nobody knows',
    'scalar Datetime type P { id: ID! d: Datetime } type Query { p(id: ID!): P }',
    /Unknown scalar Datetime\. Did you mean "DateTime"\?/,
  ],
  [
    'arguments on a column',
    'type P { id: ID! thumb(size: Int): String } type Query { p(id: ID!): P }',
    /P\.thumb takes arguments/,
  ],
  [
    'a directive on a field that it does not fit',
    'type P { id: ID! name: String @listSize(assumedSize: 3) } type Query { p(id: ID!): P }',
    /@listSize is for lists, and name is String\..*@cost/s,
  ],
  [
    'a sort enum that names no field',
    'enum S { naem } type P { id: ID! name: String } type Query { ps(sortBy: S): [P!]! }',
    /offers "naem".*Did you mean "name"\?/,
  ],
  [
    'a mutation that fits nothing',
    'type P { id: ID! } type Query { p(id: ID!): P } type Mutation { zap: Int }',
    /Mutation\.zap/,
  ],
];
for (const [name, sdl, expected] of MISTAKES) {
  test(`a mistake with its remedy: ${name}`, () => assert.match(mistakesOf(sdl), expected));
}

test('a mistake in a nested input has the location of the innermost field', () => {
  const schema = `type Album { id: ID! title: String! photos: [Photo!]! }
type Photo { id: ID! name: String! album: Album }
input Rename {
  nmae: String
}
input NewPhoto {
  name: String!
  album: AlbumRef
}
input AlbumRef {
  create: NewAlbum
}
input NewAlbum {
  titel: String!
}
input Bare { album: ID }
type Query { photo(id: ID!): Photo }
type Mutation {
  renamePhoto(id: ID!, input: Rename!): Photo
  postPhoto(input: NewPhoto!): Photo!
  addPhoto(input: Bare!): Photo!
}`;
  const message = mistakesOf(schema);
  assert.match(message, /:4:3: Mutation\.renamePhoto takes Rename: "nmae" is no field of Photo\. Did you mean "name"/);
  assert.match(message, /:14:3: Mutation\.postPhoto takes NewPhoto: NewAlbum: "titel" is no field of Album/);
  assert.match(message, /:16:1: Mutation\.addPhoto cannot create objects of Photo: the field "name"/);
  assert.match(message, /3 mistakes/);
});

test('a field named like a filter connective shadows it', () => {
  const schema = `type Gate { id: ID! and: Boolean not: Int links: [Gate!]! } type Query { gates(where: GateFilter): [Gate!]! }`;
  const filter = read(schema).schema.getType('GateFilter') as GraphQLInputObjectType;
  const types = Object.entries(filter.getFields()).map(([name, { type }]) => [name, String(type)]);
  assert.deepEqual(types, [
    ['or', '[GateFilter!]'],
    ['id', 'IDFilter'],
    ['and', 'BooleanFilter'],
    ['not', 'IntFilter'],
    ['links', 'GateListFilter'],
  ]);
});

test('an input for a resolver field is a mistake of its own', () => {
  const text = `type Photo { id: ID! name: String! } type Query { photo(id: ID!): Photo }
input PhotoInput { name: String! } type Mutation { createPhoto(input: PhotoInput!): Photo! }`;
  assert.match(
    mistakesOf(text, { Photo: { name: () => 'x' } }),
    /"name" cannot be written: Photo\.name is answered by a resolver/,
  );
});

test('resolvers of unknown types and fields are mistakes, and so are needs that are not columns', () => {
  const sdl = 'type P { id: ID! name: String label: String } type Query { p(id: ID!): P }';
  assert.match(mistakesOf(sdl, { Pp: {} }), /unknown type "Pp"\. Did you mean "P"\?/);
  assert.match(mistakesOf(sdl, { P: { lable: () => '' } }), /"P\.lable"\. Did you mean "label"\?/);
  assert.match(
    mistakesOf(sdl, { P: { label: { needs: ['nme'], resolve: () => '' } } }),
    /needs "nme".*Did you mean "name"\?/,
  );
  assert.match(
    mistakesOf(sdl, { Query: { p: { needs: ['name'], resolve: () => null } } }),
    /The resolver of "Query\.p" has "needs", and Query is no stored type.*Pass only the function/,
  );
});

test('filters, orders and connections are derived once something names them', () => {
  const model = read(`
    type Photo @entity { id: ID! name: String owner: User }
    type User @entity { id: ID! }
    type Query { photos(first: Int, after: String, where: PhotoFilter, orderBy: [PhotoOrder!]): PhotoConnection! }`);
  assert.deepEqual(model.roots.get('Query.photos')?.kind, 'connection');
  assert.ok(model.schema.getType('UserFilter'));
  assert.equal(model.schema.getType('UserConnection'), undefined);
});

test('several files and extensions form one schema', () => {
  const model = readSchema([
    { file: 'a.graphql', text: 'type Query { photo(id: ID!): Photo }' },
    { file: 'b.graphql', text: '\uFEFFtype Photo { id: ID! name: String }' },
    { file: 'c.graphql', text: 'extend type Query { photos(first: Int): [Photo!]! }' },
  ]);
  assert.deepEqual([...model.roots.keys()], ['Query.photo', 'Query.photos']);
});

test('a subscription takes only arguments that an event can evaluate', () => {
  const text = (field: string): string =>
    `type Photo { id: ID! name: String } type Query { photo(id: ID!): Photo } type Subscription { ${field} }`;
  read(text('photoChanged(name: String, where: PhotoFilter): Photo'));
  read(text('photoDeleted(name: String): Photo'));
  const gone = mistakesOf(text('photoDeleted(where: PhotoFilter): Photo'));
  assert.match(
    gone,
    /"where" filters by the database, where a deleted object no longer exists\.\s+Take arguments named like fields of Photo/,
  );
  assert.match(
    mistakesOf(text('photoChanged(first: Int): Photo')),
    /"first" is for lists; changes are delivered one by one/,
  );
});

test('invalid resolvers are start-up errors', () => {
  const text = `type Photo { id: ID! name: String } type Query { photo(id: ID!): Photo now: String }
    type Subscription { photoChanged: Photo }`;
  const told = mistakesOf(text, {
    Photo: { name: 5, id: { resolve: () => '1', need: ['name'] } },
    Query: { now: { resolve: 'x' } },
    Subscription: { photoChanged: () => ({}) },
  } as unknown as Resolvers);
  for (const field of ['Photo.name', 'Photo.id', 'Query.now'])
    assert.match(
      told,
      new RegExp(`The resolver of "${field}" is not a function\\. Give a function, or \\{ needs, resolve \\}`),
    );
  assert.match(
    told,
    /A resolver is given for "Subscription.photoChanged", and subscriptions follow the changes of stored/,
  );
  assert.match(mistakesOf(text, { Photo: null } as unknown as Resolvers), /The resolvers of "Photo" are not an object/);
});
