// Cursor pages: forwards or backwards, together they are the whole list in order, each row once.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openGraph } from '../execute/open-graph.ts';

const SDL = /* GraphQL */ `
  scalar DateTime
  type Photo @entity {
    id: ID!
    name: String
    taken: DateTime
    stars: Float
    loud: Boolean!
    owner: User
  }
  type User @entity {
    login: ID! @id
    photos(first: Int, after: String, last: Int, before: String): PhotoConnection!
  }
  type Query {
    photos(
      first: Int = 3
      after: String
      last: Int
      before: String
      orderBy: [PhotoOrder!]
      where: PhotoFilter
    ): PhotoConnection!
    listed(first: Int = 2, start: Int = 1, orderBy: [PhotoOrder!] = [{ id: DESC }], where: PhotoFilter): [Photo!]!
    user(login: ID!): User
  }
`;
const names = ['b', 'a', null, 'Ä', 'a', null, 'B', 'é', 'a'];
const rows = names.map((name, index) => {
  const taken = index % 3 === 0 ? 'NULL' : `'2024-01-0${(index % 4) + 1}T00:00:00.000Z'`;
  const stars = index % 4 === 1 ? 'NULL' : String((index % 3) / 2);
  return `INSERT INTO photos VALUES (${index + 1}, ${name === null ? 'NULL' : `'${name}'`}, ${taken}, ${stars}, ${index % 2}, ${index % 2 === 0 ? `'ann'` : 'NULL'})`;
});
const t = await openGraph(SDL, `INSERT INTO users VALUES ('ann'), ('bob'); ${rows.join(';')}`);
after(() => t.close());

interface Page {
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly totalCount: number;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

const FIELDS =
  '{ totalCount nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }';

async function page(variables: Record<string, unknown>): Promise<Page> {
  const answer = await t.ask(
    `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: [PhotoOrder!]) { photos(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy) ${FIELDS} }`,
    { variables },
  );
  assert.equal(answer.errors, undefined);
  return answer.data?.['photos'] as Page;
}

const orders = fc.array(
  fc
    .tuple(fc.constantFrom('name', 'taken', 'stars', 'loud', 'id'), fc.constantFrom('ASC', 'DESC'))
    .map(([field, direction]) => ({ [field]: direction })),
  { maxLength: 3 },
);

test('forward and backward pages together equal the list, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(orders, fc.integer({ min: 1, max: 4 }), async (orderBy, size) => {
      const all = (await page({ first: 100, orderBy })).nodes.map(({ id }) => id);
      assert.equal(new Set(all).size, 9);
      const forwards: string[] = [];
      let after: string | null | undefined;
      for (;;) {
        const found: Page = await page({ first: size, after, orderBy });
        forwards.push(...found.edges.map(({ node }) => node.id));
        assert.equal(found.totalCount, 9);
        assert.equal(found.pageInfo.hasPreviousPage, after !== undefined);
        assert.equal(found.pageInfo.hasNextPage, forwards.length < 9);
        assert.equal(found.pageInfo.endCursor, found.edges.at(-1)?.cursor ?? null);
        if (!found.pageInfo.hasNextPage) break;
        after = found.pageInfo.endCursor;
      }
      assert.deepEqual(forwards, all);
      const backwards: string[] = [];
      let before: string | null | undefined;
      for (;;) {
        const found: Page = await page({ first: null, last: size, before, orderBy });
        backwards.unshift(...found.nodes.map(({ id }) => id));
        assert.equal(found.pageInfo.hasPreviousPage, backwards.length < 9);
        if (!found.pageInfo.hasPreviousPage) break;
        before = found.pageInfo.startCursor;
      }
      assert.deepEqual(backwards, all);
    }),
    { numRuns: 60 },
  );
});

test('a connection of a relation contains only its own rows', async () => {
  const answer = await t.ask(
    '{ user(login: "ann") { photos(first: 2) { totalCount nodes { id } pageInfo { hasNextPage } } } bob: user(login: "bob") { photos(last: 2) { nodes { id } pageInfo { startCursor } } } }',
  );
  assert.deepEqual(answer.data, {
    user: { photos: { totalCount: 5, nodes: [{ id: '1' }, { id: '3' }], pageInfo: { hasNextPage: true } } },
    bob: { photos: { nodes: [], pageInfo: { startCursor: null } } },
  });
});

test('a foreign cursor, two directions, and a missing size are rejected', async () => {
  const codes = async (query: string): Promise<unknown> => (await t.ask(query)).errors?.[0]?.extensions['code'];
  assert.equal(await codes('{ photos(after: "zz") { totalCount } }'), 'GRAPH_CURSOR_INVALID');
  assert.equal(await codes('{ photos(after: "5B5D") { totalCount } }'), 'GRAPH_CURSOR_INVALID');
  assert.equal(
    await codes(`{ photos(after: "${Buffer.from('["1\' OR 1"]').toString('hex').toUpperCase()}") { totalCount } }`),
    'GRAPH_CURSOR_INVALID',
  );
  assert.equal(await codes('{ photos(first: 1, last: 1) { totalCount } }'), 'GRAPH_PAGE_DIRECTIONS');
  // No default to go by.
  for (const part of ['nodes { id }', 'edges { cursor }', 'pageInfo { hasNextPage }'])
    assert.equal(
      await codes(`{ user(login: "ann") { photos(first: null) { totalCount ${part} } } }`),
      'GRAPH_PAGE_DIRECTIONS',
    );
  assert.equal(await codes('{ photos(first: -1) { totalCount } }'), 'GRAPH_PAGE_NEGATIVE');
  assert.equal(await codes('{ photos(last: 1001) { totalCount } }'), 'GRAPH_PAGE_TOO_LARGE');
});

test('totalCount needs no page size', async () => {
  const { data } = await t.ask('{ user(login: "ann") { photos(first: null) { totalCount __typename } } }');
  assert.deepEqual(data, { user: { photos: { totalCount: 5, __typename: 'PhotoConnection' } } });
});

test('null in an order or page argument means its default', async () => {
  const ids = async (field: string, variables: Record<string, unknown> = {}): Promise<string> => {
    const { data } = await t.ask(
      `query ($none: Int, $cursor: String) { ${field} used: photos(first: $none, after: $cursor) { totalCount } }`,
      { variables },
    );
    const list = JSON.stringify(data).match(/"id":"\d+"/g) ?? [];
    return list.map((each) => each.slice(6, -1)).join(' ');
  };
  for (const variables of [{}, { none: null, cursor: null }]) {
    for (const value of ['null', '$none']) {
      assert.equal(await ids(`listed(first: ${value}, start: ${value}) { id }`, variables), '8 7');
      assert.equal(await ids(`photos(first: ${value}, after: $cursor) { nodes { id } }`, variables), '1 2 3');
      assert.equal(
        await ids(`photos(first: ${value}, last: 2, before: null, after: $cursor) { nodes { id } }`, variables),
        '8 9',
      );
      assert.equal(await ids(`photos(first: 1, last: ${value}, after: $cursor) { nodes { id } }`, variables), '1');
    }
  }
  assert.equal(await ids('listed(orderBy: null, where: null) { id }'), '8 7');
});

test('connections defined by the schema work like derived ones, filters included', async () => {
  const own = await openGraph(
    `interface Node { id: ID! }
    type PageInfo { hasNextPage: Boolean! endCursor: String }
    type User implements Node @entity { id: ID! followers(first: Int, after: String): FollowerConnection  likes: LikeConnection }
    type Like implements Node @entity { id: ID! by: User word: String shout: String }
    type FollowerConnection { edges: [FollowerEdge] pageInfo: PageInfo! }
    type FollowerEdge { node: User cursor: ID! }
    type LikeConnection { edges: [LikeEdge!]! nodes: [Like] totalCount: Int pageInfo: Page! }
    type LikeEdge { node: Like! cursor: String! }
    type Page { hasPreviousPage: Boolean }
    type Query { users(first: Int, after: String, where: UserFilter): UserConnection!  likes(first: Int, last: Int): LikeConnection }`,
    `INSERT INTO users (id) VALUES (1), (2), (3);
    INSERT INTO users_followers VALUES (1, 2), (1, 3);
    INSERT INTO likes (id, "by", word) VALUES (1, 1, 'a'), (2, 2, 'b')`,
    { Like: { shout: { needs: ['word'], resolve: ({ word }) => `${String(word)}!` } } },
  );
  const { data, errors } = await own.ask(`{
    users(first: 2) {
      edges { __typename node { id followers(first: 1) { __typename edges { __typename node { id } } pageInfo { __typename hasNextPage endCursor } } } }
    }
    likes(last: 1) { nodes { id shout } edges { cursor node { by { likes { totalCount } } } } pageInfo { __typename hasPreviousPage } }
    some: users(first: 3, where: { likes: { any: { word: { eq: "b" } } } }) { nodes { id } }
    none: users(first: 3, where: { followers: { none: {} } }) { totalCount }
  }`);
  assert.equal(errors, undefined);
  const page = (id: string | undefined, hasNextPage: boolean, endCursor: string | null) => ({
    __typename: 'FollowerConnection',
    edges: id === undefined ? [] : [{ __typename: 'FollowerEdge', node: { id } }],
    pageInfo: { __typename: 'PageInfo', hasNextPage, endCursor },
  });
  assert.deepEqual(data, {
    users: {
      edges: [
        { __typename: 'UserEdge', node: { id: '1', followers: page('2', true, '5B325D') } },
        { __typename: 'UserEdge', node: { id: '2', followers: page(undefined, false, null) } },
      ],
    },
    likes: {
      nodes: [{ id: '2', shout: 'b!' }],
      edges: [{ cursor: '5B325D', node: { by: { likes: { totalCount: 1 } } } }],
      pageInfo: { __typename: 'Page', hasPreviousPage: true },
    },
    some: { nodes: [{ id: '2' }] },
    none: { totalCount: 2 },
  });
  await own.close();
});
