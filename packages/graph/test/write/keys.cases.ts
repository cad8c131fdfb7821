// Integer keys of 64 bits that are not ids, as other systems generate them.
import { deepEqual } from 'node:assert/strict';
import { createGraph } from '../../src/execute/create-graph.ts';
import { applyMigration } from '../../src/migrate/apply-migration.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = /* GraphQL */ `
  scalar BigInt
  type Post @entity {
    snow: BigInt! @id
    text: String
    parent: Post
    replies: [Post!]!
  }
  type Item @entity {
    id: ID!
  }
  input PostInput {
    snow: BigInt!
    text: String
    parent: BigInt
    replies: [PostInput!]
  }
  input PostChange {
    text: String
    replies: PostReplies
  }
  input PostReplies {
    connect: [BigInt!]
    disconnect: [BigInt!]
  }
  input ItemInput {
    id: ID!
  }
  type Query {
    post(snow: BigInt!): Post
    posts(where: PostFilter, orderBy: [PostOrder!]): [Post!]!
  }
  type Mutation {
    createPost(input: PostInput!): Post!
    updatePost(snow: BigInt!, input: PostChange!): Post
    savePost(input: PostInput!): Post!
    deletePosts(snows: [BigInt!]!): Int!
    createItem(input: ItemInput!): Item!
  }
`;
const FIRST = '9007199254740993';
const LARGEST = '9223372036854775807';
const SMALLEST = '-9223372036854775808';

testOnStores('a given key may be any 64-bit integer', async (store) => {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  const graph = await createGraph({ model, store });
  const ask = async (query: string, variables = {}): Promise<unknown> => {
    const { data, errors } = JSON.parse((await graph.execute({ query, variables })).body) as {
      readonly data: unknown;
      readonly errors?: readonly { readonly message: string }[];
    };
    return errors === undefined ? data : errors.map(({ message }) => message);
  };
  deepEqual(
    await ask(
      `mutation { createPost(input: { snow: "${FIRST}", replies: [{ snow: ${SMALLEST} }, { snow: 5 }] }) { snow } }`,
    ),
    { createPost: { snow: FIRST } },
  );
  deepEqual(
    await ask('mutation ($post: PostInput!) { createPost(input: $post) { parent { snow replies { snow } } } }', {
      post: { snow: LARGEST, parent: FIRST },
    }),
    { createPost: { parent: { snow: FIRST, replies: [{ snow: SMALLEST }, { snow: 5 }, { snow: LARGEST }] } } },
  );
  deepEqual(
    await ask(`mutation {
      a: savePost(input: { snow: "${LARGEST}", text: "b" }) { text }
      b: updatePost(snow: "${FIRST}", input: { replies: { disconnect: ["${LARGEST}"] } }) { replies { snow } }
      c: updatePost(snow: "${FIRST}", input: { replies: { connect: ["${LARGEST}"], disconnect: [5] } }) { replies { snow } }
    }`),
    {
      a: { text: 'b' },
      b: { replies: [{ snow: SMALLEST }, { snow: 5 }] },
      c: { replies: [{ snow: SMALLEST }, { snow: LARGEST }] },
    },
  );
  deepEqual(await ask(`{ posts(where: { snow: { gt: "${FIRST}" } }) { snow } post(snow: "${LARGEST}") { text } }`), {
    posts: [{ snow: LARGEST }],
    post: { text: 'b' },
  });
  deepEqual(await ask(`mutation { deletePosts(snows: ["${SMALLEST}", "${LARGEST}"]) }`), { deletePosts: 2 });
  // A key that is counted must leave room for those to come.
  deepEqual(await ask(`mutation { createItem(input: { id: "${LARGEST}" }) { id } }`), [
    'createItem failed: "input.id" is further from 0 than a key may be: 4503599627370496.',
  ]);
});
