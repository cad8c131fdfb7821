// Node ids: one opaque text for each object of all types, over sequential, text and composite keys, alike on both
// databases.
import { deepEqual, equal, match, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal, type Principal } from '@lockstitch/kernel';
import { applyMigration, createGraph, openSqliteStore, readSchema, type Graph, type Store } from '../../src/index.ts';
import { printTypes } from '../../src/schema/print-types.ts';
import { dataOf, open as openSubscriptions } from '../subscribe/open-subscriptions.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  interface Node { nodeId: ID! @nodeId }
  type Album implements Node @entity { id: ID! nodeId: ID! title: String! photos(where: PhotoFilter, orderBy: [PhotoOrder!]): [Photo!]! }
  type Photo implements Node @entity @auth(read: "not hidden or hasRole('ADMIN')") { id: ID! nodeId: ID! name: String! @search hidden: Boolean! album: Album }
  type Author implements Node @entity { login: String! @id @auth(read: "not shy or hasRole('ADMIN')") nodeId: ID! shy: Boolean! name: String }
  type Big implements Node @entity { id: BigInt! @id nodeId: ID! }
  scalar BigInt
  type Query {
    node(nodeId: ID!): Node
    nodes(nodeIds: [ID]!): [Node]!
    photo(nodeId: ID!): Photo
    photos(nodeIds: [ID!]): [Photo!]!
    paged(nodeIds: [ID!], first: Int): PhotoConnection!
    albums: [Album!]!
  }
  type Mutation {
    createAlbum(title: String!): Album!
    createPhoto(name: String!, hidden: Boolean! = false, album: ID): Photo!
    createAuthor(login: String!, shy: Boolean! = false, name: String): Author!
    createBig(id: BigInt!): Big!
    updatePhoto(nodeId: ID!, name: String): Photo!
    deletePhotos(nodeIds: [ID!]!): [Photo!]!
    deletePhoto(nodeId: ID!): Photo!
  }
  type Subscription { photoChanged(nodeId: ID): Photo! photoDeleted: Photo! }`;

const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);
const idOf = (type: string, key: string): string => Buffer.from(`${type}:${key}`).toString('base64url');

const FILL = `mutation {
  a: createAlbum(title: "a") { id } b: createAlbum(title: "b") { id }
  p: createPhoto(name: "p", album: "2") { id } q: createPhoto(name: "q", hidden: true) { id }
  ada: createAuthor(login: "ada ☕:ÿ?>") { name } eve: createAuthor(login: "eve", shy: true) { name }
  big: createBig(id: "9223372036854775807") { id } }`;

async function open(store: Store): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store, explain: true });
  const { body } = await graph.execute({ query: FILL }, { principal: ADMIN });
  ok(!body.includes('"errors"'), body);
  return graph;
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

async function answerTo(graph: Graph, query: string, variables = {}, principal?: Principal): Promise<Answer> {
  const { body } = await graph.execute({ query, variables }, principal === undefined ? {} : { principal });
  return JSON.parse(body) as Answer;
}

async function ask(graph: Graph, query: string, variables = {}, principal?: Principal): Promise<unknown> {
  const { data, errors } = await answerTo(graph, query, variables, principal);
  return errors === undefined ? data : errors.map(({ extensions }) => extensions.code);
}

const SELECTED =
  '{ __typename nodeId ... on Album { title } ... on Photo { name } ... on Author { login } ... on Big { id } }';
const ADA = 'ada ☕:ÿ?>';

testOnStores('node(nodeId:) and nodes(nodeIds:) find objects of every type, whatever their keys', async (store) => {
  const graph = await open(store);
  const ids = [
    idOf('Photo', '1'),
    idOf('Album', '1'),
    idOf('Author', ADA),
    idOf('Big', '9223372036854775807'),
    idOf('Album', '2'),
    idOf('Photo', '1'),
  ];
  const found = [
    { __typename: 'Photo', nodeId: ids[0], name: 'p' },
    { __typename: 'Album', nodeId: ids[1], title: 'a' },
    { __typename: 'Author', nodeId: ids[2], login: ADA },
    { __typename: 'Big', nodeId: ids[3], id: '9223372036854775807' },
    { __typename: 'Album', nodeId: ids[4], title: 'b' },
    { __typename: 'Photo', nodeId: ids[0], name: 'p' },
  ];
  deepEqual(await ask(graph, `query ($ids: [ID]!) { nodes(nodeIds: $ids) ${SELECTED} }`, { ids }), { nodes: found });
  for (const [index, id] of ids.entries())
    deepEqual(await ask(graph, `query ($id: ID!) { node(nodeId: $id) ${SELECTED} }`, { id }), { node: found[index] });
  const query = `query ($ids: [ID]!, $id: ID!) { nodes(nodeIds: $ids) ${SELECTED} node(nodeId: $id) ${SELECTED} }`;
  const { body } = await graph.execute({ query, variables: { ids, id: ids[2] }, extensions: { explain: true } });
  type Explained = { readonly extensions: { readonly explain: { readonly statements: readonly unknown[] } } };
  equal((JSON.parse(body) as Explained).extensions.explain.statements.length, 1);
  deepEqual(await ask(graph, '{ albums { nodeId photos { nodeId album { nodeId } } } }'), {
    albums: [
      { nodeId: ids[1], photos: [] },
      { nodeId: ids[4], photos: [{ nodeId: ids[0], album: { nodeId: ids[4] } }] },
    ],
  });
});

testOnStores('a forged, foreign or hidden node id finds nothing, like that of a missing object', async (store) => {
  const graph = await open(store);
  const ids = [
    idOf('Photo', '2'),
    idOf('Photo', '99'),
    idOf('Author', 'eve'),
    idOf('Photo', '01'),
    idOf('Photo', ' 1'),
    idOf('Photo', ''),
    idOf('Photo', '9223372036854775808'),
    idOf('Nothing', '1'),
    idOf('photo', '1'),
    idOf('Author', 'ada\u0000'),
    `${idOf('Photo', '1')}=`,
    ` ${idOf('Photo', '1')}`,
    Buffer.from(`Author:${ADA}`).toString('base64'),
    '1',
    '',
    '\u0000',
    '\ud800',
    'x'.repeat(20_000),
    null,
  ];
  deepEqual(await ask(graph, `query ($ids: [ID]!) { nodes(nodeIds: $ids) ${SELECTED} }`, { ids }), {
    nodes: ids.map(() => null),
  });
  for (const id of ids.slice(0, -1))
    deepEqual(
      await ask(graph, 'query ($id: ID!) { node(nodeId: $id) { nodeId } photo(nodeId: $id) { name } }', { id }),
      { node: null, photo: null },
    );
  const [hidden, , shy] = ids;
  deepEqual(
    await ask(graph, `query ($ids: [ID]!) { nodes(nodeIds: $ids) ${SELECTED} }`, { ids: [hidden, shy] }, ADMIN),
    {
      nodes: [
        { __typename: 'Photo', nodeId: hidden, name: 'q' },
        { __typename: 'Author', nodeId: shy, login: 'eve' },
      ],
    },
  );
  const tooMany = { ids: Array.from({ length: 1001 }, () => hidden) };
  deepEqual(await ask(graph, 'query ($ids: [ID]!) { nodes(nodeIds: $ids) { nodeId } }', tooMany), [
    'GRAPH_PAGE_TOO_LARGE',
  ]);
});

testOnStores('node ids are an argument of look-ups, lists and connections of one type', async (store) => {
  const graph = await open(store);
  const [p, q, album] = [idOf('Photo', '1'), idOf('Photo', '2'), idOf('Album', '1')];
  const query =
    'query ($p: ID!, $ids: [ID!]) { photo(nodeId: $p) { name } photos(nodeIds: $ids) { name nodeId } paged(nodeIds: $ids, first: 1) { nodes { nodeId } totalCount } all: photos { name } }';
  const variables = { p, ids: [q, album, p, p, 'x'] };
  deepEqual(await ask(graph, query, variables), {
    photo: { name: 'p' },
    photos: [{ name: 'p', nodeId: p }],
    paged: { nodes: [{ nodeId: p }], totalCount: 1 },
    all: [{ name: 'p' }],
  });
  deepEqual(await ask(graph, '{ none: photos(nodeIds: ["x"]) { name } }'), { none: [] });
});

testOnStores(
  'mutations take node ids in place of keys; hidden, missing and foreign ones are not found',
  async (store) => {
    const graph = await open(store);
    const update = 'mutation ($id: ID!) { updatePhoto(nodeId: $id, name: "new") { nodeId name } }';
    const id = idOf('Photo', '1');
    deepEqual(await ask(graph, update, { id }), { updatePhoto: { nodeId: id, name: 'new' } });
    for (const wrong of [idOf('Photo', '2'), idOf('Photo', '99'), idOf('Album', '1'), 'x', ''])
      deepEqual(await ask(graph, update, { id: wrong }), ['GRAPH_NOT_FOUND']);
    const told = async (key: string): Promise<unknown> =>
      (await answerTo(graph, update, { id: idOf('Photo', key) })).errors?.map(({ message }) =>
        message.replaceAll(key, '?'),
      );
    deepEqual(await told('2'), await told('99'));
    const remove = 'mutation ($ids: [ID!]!) { deletePhotos(nodeIds: $ids) { nodeId name } }';
    deepEqual(await ask(graph, remove, { ids: [id, 'x'] }), ['GRAPH_NOT_FOUND']);
    deepEqual(await ask(graph, remove, { ids: [id] }), { deletePhotos: [{ nodeId: id, name: 'new' }] });
    deepEqual(await ask(graph, 'mutation ($id: ID!) { deletePhoto(nodeId: $id) { nodeId } }', { id }), [
      'GRAPH_NOT_FOUND',
    ]);
  },
);

testOnStores(
  'single inputs of updates and deletes take node ids, as older clients of Relay send them',
  async (store) => {
    const text = `${SCHEMA}
    input ChangePhotoInput { clientMutationId: String nodeId: ID! name: String }
    input RemovePhotoInput { clientMutationId: String nodeId: ID! }
    extend type Mutation { changePhoto(input: ChangePhotoInput!): ChangePhotoPayload removePhoto(input: RemovePhotoInput!): RemovePhotoPayload }`;
    await open(store);
    const graph = await createGraph({ model: readSchema([{ file: 'schema.graphql', text }]), store });
    const id = idOf('Photo', '1');
    const change = (nodeId: string): Promise<unknown> =>
      ask(
        graph,
        `mutation { changePhoto(input: { clientMutationId: "c", nodeId: "${nodeId}", name: "n" }) { clientMutationId photo { nodeId name } } }`,
      );
    const remove = (nodeId: string): Promise<unknown> =>
      ask(graph, `mutation { removePhoto(input: { nodeId: "${nodeId}" }) { photo { nodeId } } }`);
    deepEqual(await change(id), { changePhoto: { clientMutationId: 'c', photo: { nodeId: id, name: 'n' } } });
    for (const wrong of [idOf('Photo', '2'), idOf('Photo', '99'), idOf('Album', '1'), 'x']) {
      deepEqual(await change(wrong), ['GRAPH_NOT_FOUND']);
      deepEqual(await remove(wrong), ['GRAPH_NOT_FOUND']);
    }
    deepEqual(await remove(id), { removePhoto: { photo: { nodeId: id } } });
    deepEqual(await remove(id), ['GRAPH_NOT_FOUND']);
  },
);

testOnStores('the read rule of the key is that of the node id, which shows it', async (store) => {
  const graph = await open(store);
  const text = SCHEMA.replace('albums: [Album!]!', 'albums: [Album!]! authors: [Author!]!');
  const all = await createGraph({ model: readSchema([{ file: 'schema.graphql', text }]), store });
  const query = '{ authors { nodeId } }';
  equal((await answerTo(all, query)).errors?.[0]?.extensions.code, 'GRAPH_FIELD_FORBIDDEN');
  deepEqual(await ask(all, query, {}, ADMIN), {
    authors: [{ nodeId: idOf('Author', ADA) }, { nodeId: idOf('Author', 'eve') }],
  });
  deepEqual(await ask(graph, '{ node(nodeId: "QXV0aG9yOmV2ZQ") { __typename } }'), { node: null });
});

testOnStores('keys of several columns and native keys of existing tables have node ids', async (store) => {
  const [uuid, text] = ['6b1f0000-0000-4000-8000-000000000000', store.dialect === 'postgres' ? 'uuid' : 'text'];
  await store.script(`CREATE TABLE lines (ord integer NOT NULL, product varchar(20) NOT NULL, n smallint, PRIMARY KEY (ord, product));
    CREATE TABLE tokens (id ${text} PRIMARY KEY); CREATE TABLE counters (id integer PRIMARY KEY);
    INSERT INTO lines VALUES (1, 'a,b', 5), (1, 'c', 6); INSERT INTO tokens VALUES ('${uuid}'); INSERT INTO counters VALUES (7);`);
  const model = read(`interface Node { nodeId: ID! @nodeId } scalar UUID
    type Line implements Node @unmanaged @entity(table: "lines") { id: ID! @id(fields: ["ord", "product"]) nodeId: ID! ord: Int! product: String! n: Int }
    type Token implements Node @unmanaged @entity(table: "tokens") { id: UUID! @id nodeId: ID! }
    type Counter implements Node @unmanaged @entity(table: "counters") { id: ID! nodeId: ID! }
    type Query { lines: [Line!]! line(nodeId: ID!): Line nodes(nodeIds: [ID!]!): [Node]! node(nodeId: ID!): Node }
    type Mutation { updateLine(nodeId: ID!, n: Int): Line! }`);
  const graph = await createGraph({ model, store });
  const { lines } = (await ask(graph, '{ lines { id nodeId } }')) as {
    lines: readonly { readonly id: string; readonly nodeId: string }[];
  };
  deepEqual(
    lines.map(({ nodeId }) => nodeId),
    lines.map(({ id }) => idOf('Line', id)),
  );
  const found = [...lines.map(({ nodeId }) => nodeId), idOf('Token', uuid), idOf('Counter', '7')];
  const forged = [
    idOf('Token', 'x'),
    idOf('Token', uuid.toUpperCase()),
    idOf('Counter', '99999999999'),
    idOf('Line', '1'),
    idOf('Line', '1,2,3'),
    idOf('Line', 'x,c'),
  ];
  deepEqual(
    await ask(graph, 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }', { ids: [...found, ...forged] }),
    { nodes: [...found.map((nodeId) => ({ nodeId })), ...forged.map(() => null)] },
  );
  for (const nodeId of found)
    deepEqual(await ask(graph, `{ node(nodeId: "${nodeId}") { nodeId } }`), { node: { nodeId } });
  for (const nodeId of forged)
    deepEqual(await ask(graph, `{ node(nodeId: "${nodeId}") { nodeId } line(nodeId: "${nodeId}") { n } }`), {
      node: null,
      line: null,
    });
  const [line] = found;
  deepEqual(await ask(graph, `mutation { updateLine(nodeId: "${line}", n: 9) { nodeId n } }`), {
    updateLine: { nodeId: line, n: 9 },
  });
});

testOnStores('events have node ids, also of deleted objects, and are filtered by them', async (store) => {
  const text = SCHEMA.replace(/ @auth\(read: "not hidden[^)]*\)[^)]*\)/, '');
  await applyMigration(readSchema([{ file: 'schema.graphql', text }]), store);
  const fixture = await openSubscriptions(store, text);
  const id = idOf('Photo', '2');
  const changed = await fixture.subscribe(`subscription { photoChanged(nodeId: "${id}") { nodeId name } }`);
  const deleted = await fixture.subscribe('subscription { photoDeleted { nodeId } }');
  await fixture.mutate('createPhoto(name: "one") { id }');
  await fixture.mutate('createPhoto(name: "two") { id }');
  await fixture.mutate(`deletePhoto(nodeId: "${id}") { id }`);
  deepEqual(await dataOf(changed), { photoChanged: { nodeId: id, name: 'two' } });
  deepEqual(await dataOf(changed), { photoChanged: { nodeId: id, name: 'two' } });
  deepEqual(await dataOf(deleted), { photoDeleted: { nodeId: id } });
  await changed.return?.();
  await deleted.return?.();
});

const read = (text: string): ReturnType<typeof readSchema> => readSchema([{ file: 'schema.graphql', text }]);

test('a node id may be called id, as Relay expects, beside a key of another name', async () => {
  const store = await openSqliteStore({ file: ':memory:' });
  const model = read(`interface Node { id: ID! @nodeId }
    type Photo implements Node @entity { rowId: ID! @id @default(value: "identity") id: ID! name: String! }
    type Album implements Node @entity { rowId: ID! @id @default(value: "identity") id: ID! name: String! }
    type Query { node(id: ID!): Node nodes(ids: [ID!]!): [Node]! }
    type Mutation { createPhoto(name: String!): Photo! createAlbum(name: String!): Album! updateAlbum(id: ID!, name: String!): Album! }`);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  const query = 'mutation { createPhoto(name: "p") { id } createAlbum(name: "a") { id rowId } }';
  const [photo, album] = [idOf('Photo', '1'), idOf('Album', '1')];
  deepEqual(await ask(graph, query), { createPhoto: { id: photo }, createAlbum: { id: album, rowId: '1' } });
  deepEqual(await ask(graph, `{ node(id: "${album}") { __typename id } nodes(ids: ["${photo}", "1"]) { id } }`), {
    node: { __typename: 'Album', id: album },
    nodes: [{ id: photo }, null],
  });
  deepEqual(await ask(graph, `mutation { updateAlbum(id: "${album}", name: "b") { id name } }`), {
    updateAlbum: { id: album, name: 'b' },
  });
  await store.close();
});

test('a node id is in no table, filter, order, aggregate or search document', () => {
  const model = read(`${SCHEMA} extend type Query { counted: PhotoAggregates! }`);
  const filter = model.schema.getType('PhotoFilter');
  ok(filter !== undefined && 'getFields' in filter && !('nodeId' in filter.getFields()));
  const order = model.schema.getType('PhotoOrder');
  ok(order !== undefined && 'getFields' in order && !('nodeId' in order.getFields()));
  const counts = model.schema.getType('PhotoDistinctCounts');
  ok(counts !== undefined && 'getFields' in counts && !('nodeId' in counts.getFields()));
  equal(model.entities.get('Photo')?.fields.get('nodeId')?.kind, 'nodeId');
  const types = printTypes(model);
  match(types, /export interface Photo \{\n {2}readonly id: string;\n {2}readonly nodeId: string;/);
  match(types, /PhotoColumns = Pick<Photo, 'id' \| 'name' \| 'hidden'>/);
});

test('mistakes with @nodeId are told with what to write', () => {
  const type = (field: string, more = ''): unknown =>
    read(`type A @entity { id: ID! ${field} } ${more} type Query { a(id: ID!): A } `);
  throws(
    () => type('nodeId: ID @nodeId'),
    /A\.nodeId is a node id, and its type is ID\..*Write "nodeId: ID! @nodeId"/s,
  );
  throws(() => type('nodeId: ID! @nodeId @unique'), /A\.nodeId has @nodeId and @unique, and a node id is not stored/);
  throws(() => type('b: B', 'type B { nodeId: ID! @nodeId }'), /B\.nodeId is a node id, and B is not stored/);
  throws(
    () => read('type A @entity { at: Float! @id nodeId: ID! @nodeId } type Query { a(nodeId: ID!): A }'),
    /A\.nodeId is a node id, and the key at is Float/,
  );
  throws(
    () => type('nodeId: ID! @nodeId', 'type Mutation { createA(nodeId: ID!): A! }'),
    /creates an object of A, and takes "nodeId", which is made from the key/,
  );
  throws(
    () => type('nodeId: ID! @nodeId', 'input AInput { nodeId: ID } type Mutation { createA(input: AInput!): A! }'),
    /creates an object of A, and takes "nodeId", which is made from the key/,
  );
  throws(
    () =>
      type('nodeId: ID! @nodeId', 'input AInput { nodeId: ID } type Mutation { createAs(input: [AInput!]!): [A!]! }'),
    /A\.nodeId is made from the key/,
  );
  throws(
    () =>
      read(
        'interface Node { id: ID! } type A implements Node @entity { id: ID! } type B implements Node @entity { id: ID! } type Query { node(id: ID!): Node }',
      ),
    /@nodeId/,
  );
});

test('node ids work beside resolvers', async () => {
  const resolvers = { Photo: { shout: { needs: ['name'], resolve: ({ name }: { name: string }) => `${name}!` } } };
  const text = SCHEMA.replace('name: String! @search', 'name: String! shout: String');
  const store = await openSqliteStore({ file: ':memory:' });
  const model = readSchema([{ file: 'schema.graphql', text }], { resolvers });
  await applyMigration(model, store);
  const graph = await createGraph({ model, store, resolvers });
  const nodeId = idOf('Photo', '1');
  deepEqual(await ask(graph, 'mutation { createPhoto(name: "p") { nodeId shout } }'), {
    createPhoto: { nodeId, shout: 'p!' },
  });
  deepEqual(
    await ask(
      graph,
      `{ nodes(nodeIds: ["x", "${nodeId}"]) { nodeId ... on Photo { shout } } node(nodeId: "${nodeId}") { ... on Photo { n: nodeId shout } } }`,
    ),
    { nodes: [null, { nodeId, shout: 'p!' }], node: { n: nodeId, shout: 'p!' } },
  );
  await store.close();
});
