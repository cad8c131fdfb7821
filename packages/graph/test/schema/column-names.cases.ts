// Names that a schema may have and a database may not: each type works, and a second look at its tables finds nothing to do.
import { deepEqual } from 'node:assert/strict';
import { createGraph } from '../../src/execute/create-graph.ts';
import { applyMigration } from '../../src/migrate/apply-migration.ts';
import { planMigration } from '../../src/migrate/plan-migration.ts';
import { readSchema } from '../../src/schema/read-schema.ts';
import { testOnStores } from '../stores.ts';

const LONG = 'nameThatGoesOnBeyondTheSixtyThreeBytesThatPostgresKeepsOfAnIdentifier';

const SCHEMA = /* GraphQL */ `
  union Owner = Select | Box
  type Box @entity { id: ID!  xmin: Float  ctid: String  rowid: Int  tableoid: Int }
  type Select @entity {
    id: ID!
    name: String @unique  Name: String @unique  NAME: String
    userID: Int  user_id: Int @index  userId: Int
    owner: Owner  ownerType: String  owner_key: Int
    order: Int  where: String  from: Box
    boxes: [Box!]!  Boxes: [Box!]!
  }
  type A${LONG} @entity {
    id: ID!
    ${LONG}A: Int @unique
    ${LONG}B: Int @index
    ${LONG}S: [B${LONG}!]!
    ${LONG}O: Owner
    ${LONG}L: [Owner!]!
  }
  type B${LONG} @entity { id: ID!  ${LONG}s: [A${LONG}!]! }
  input OwnerKey @oneOf { Select: ID  Box: ID }
  input BoxInput { xmin: Float  ctid: String  rowid: Int  tableoid: Int }
  input SelectInput {
    name: String  Name: String  NAME: String  userID: Int  user_id: Int  userId: Int
    owner: OwnerKey  ownerType: String  owner_key: Int  order: Int  where: String  from: ID
    boxes: [ID!]  Boxes: [ID!]
  }
  input AInput { ${LONG}A: Int  ${LONG}B: Int  ${LONG}S: [BInput!]  ${LONG}O: OwnerKey  ${LONG}L: [OwnerKey!] }
  input BInput { ${LONG}s: [ID!] }
  type Query {
    selects(where: SelectFilter, orderBy: [SelectOrder!]): [Select!]!
    as: [A${LONG}!]!
  }
  type Mutation {
    createBox(input: BoxInput!): Box!
    createSelect(input: SelectInput!): Select!
    createA(input: AInput!): A${LONG}!
  }
`;

testOnStores('every field has its own column, whatever its name', async (store) => {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }]);
  await applyMigration(model, store);
  deepEqual((await planMigration(model, store)).steps, []);
  const graph = await createGraph({ model, store });
  const ask = async (query: string): Promise<unknown> => JSON.parse((await graph.execute({ query })).body);

  deepEqual(
    await ask(`mutation {
      a: createBox(input: { xmin: 1.5, ctid: "c", rowid: 7, tableoid: 8 }) { id xmin ctid rowid tableoid }
      b: createBox(input: {}) { id }
    }`),
    { data: { a: { id: '1', xmin: 1.5, ctid: 'c', rowid: 7, tableoid: 8 }, b: { id: '2' } } },
  );
  const values = { name: 'a', Name: 'b', NAME: 'c', userID: 1, user_id: 2, userId: 3, ownerType: 'd', owner_key: 4 };
  const given = JSON.stringify(values)
    .replaceAll(/"(\w+)":/g, '$1:')
    .slice(1, -1);
  deepEqual(
    await ask(`mutation {
      createSelect(input: { ${given}, owner: { Box: 1 }, order: 5, where: "e", from: 2, boxes: [1], Boxes: [2] }) {
        ${Object.keys(values).join(' ')} order where from { id } boxes { id } Boxes { id } owner { ... on Box { xmin } }
      }
    }`),
    {
      data: {
        createSelect: {
          ...values,
          order: 5,
          where: 'e',
          from: { id: '2' },
          boxes: [{ id: '1' }],
          Boxes: [{ id: '2' }],
          owner: { xmin: 1.5 },
        },
      },
    },
  );
  deepEqual(
    await ask(`{ selects(
      where: { Name: { eq: "b" }, user_id: { eq: 2 }, userId: { gt: 2 }, owner: { Box: { xmin: { gt: 1 } } } }
      orderBy: [{ NAME: DESC }, { userID: ASC }]
    ) { name } }`),
    { data: { selects: [{ name: 'a' }] } },
  );
  const { data } = (await ask(`mutation { createA(input: {
    ${LONG}A: 1, ${LONG}B: 2, ${LONG}S: [{}], ${LONG}O: { Select: 1 }, ${LONG}L: [{ Box: 2 }]
  }) { a: ${LONG}A b: ${LONG}B s: ${LONG}S { as: ${LONG}s { id } } o: ${LONG}O { __typename } l: ${LONG}L { __typename } } }`)) as {
    readonly data: unknown;
  };
  deepEqual(data, {
    createA: { a: 1, b: 2, s: [{ as: [{ id: '1' }] }], o: { __typename: 'Select' }, l: [{ __typename: 'Box' }] },
  });
});

testOnStores('appending a field renames no column', async (store) => {
  const migrate = async (fields: string): Promise<readonly string[]> => {
    const text = `type Item @entity { id: ID! ${fields} } type Query { item(id: ID!): Item }`;
    const model = readSchema([{ file: 'schema.graphql', text }]);
    const { steps } = await planMigration(model, store);
    await applyMigration(model, store);
    return steps.map(({ name }) => name.replace(/_[0-9a-f]{8}$/, '_…'));
  };
  await migrate('name: String xmax: Int');
  deepEqual(await migrate('name: String xmax: Int Name: String'), ['add items.name_…']);
  deepEqual(await migrate('name: String xmax: Int Name: String xmax_: Int'), ['add items.xmax__…']);
  deepEqual(await migrate('name: String xmax: Int Name: String xmax_: Int NAME: String'), ['add items.name_…']);
});
