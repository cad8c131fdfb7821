// What `explain` shows of rewritten statements: the plan of the statement that was executed, and in it only the tables that
// the answer needs.
import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { createPrincipal } from '@lockstitch/kernel';
import { createGraph, readSchema, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  type Photo @entity { id: ID! name: String! owner: User! @relation(inverse: "photos") tagged: [User!]! @relation(inverse: "inPhotos") }
  type User @entity { login: ID! @id name: String! @index photos(first: Int, orderBy: [PhotoOrder!]): [Photo!]! inPhotos: [Photo!]! projects: [Project!]! }
  type Project @entity @auth(read: "members.any(m, m.login == authentication.name)") {
    id: ID! name: String! members: [User!]! tasks: [Task!]!
  }
  type Task @entity @auth(read: "project.members.any(m, m.login == authentication.name)") { id: ID! title: String! project: Project! }
  type Query {
    photos(first: Int, where: PhotoFilter, orderBy: [PhotoOrder!]): [Photo!]!
    photoCount(where: PhotoFilter): Int!
    projects: [Project!]!
    projectCount: Int!
  }
  type Mutation { createUser(login: ID!, name: String!): User! createPhoto(name: String!, owner: ID!, tagged: [ID!]): Photo! }`;

async function open(store: Store) {
  const graph = await createGraph({ model: readSchema([{ file: 's.graphql', text: SCHEMA }]), store, explain: true });
  const explain = async (query: string) => {
    const request = { query, extensions: { explain: true } };
    const { body } = await graph.execute(request, { principal: createPrincipal('ann') });
    const { data, extensions } = JSON.parse(body) as {
      data: unknown;
      extensions: { explain: { statements: { sql: string; plan?: readonly string[] }[] } };
    };
    const [statement] = extensions.explain.statements;
    return { data, sql: statement!.sql, plan: statement!.plan?.join('\n') ?? '' };
  };
  await explain('mutation { createUser(login: "ann", name: "Ann") { login } }');
  await explain('mutation { createPhoto(name: "p", owner: "ann", tagged: ["ann"]) { id } }');
  return explain;
}

testOnStores('explain shows that a count over a join table reads that table alone', async (store) => {
  const explain = await open(store);
  const filtered = await explain('{ photoCount(where: { tagged: { any: { login: { eq: "ann" } } } }) }');
  deepEqual(filtered.data, { photoCount: 1 });
  const ruled = await explain('{ projectCount }');
  deepEqual(ruled.data, { projectCount: 0 });
  for (const { sql, plan } of [filtered, ruled]) {
    equal([...sql.matchAll(/ FROM "(\w+)"/g)].map(([, table]) => table).length, 1, sql);
    // The counted table has the first alias.
    ok(/\bt(1|0p0)\b/.test(plan) && !/\bt0\b/.test(plan), plan);
  }
});

testOnStores('explain shows that nested rows under the rule of their parent are read without it', async (store) => {
  const explain = await open(store);
  const { sql, data, plan } = await explain('{ projects { id tasks { id title } } }');
  deepEqual(data, { projects: [] });
  equal(sql.match(/(?:FROM|JOIN) "users_projects"/g)?.length, 1, sql);
  match(plan, /tasks|t1/);
});

testOnStores(
  'explain shows the plan of a page in the order of a relation, and of its other conditions',
  async (store) => {
    const explain = await open(store);
    const ordered = await explain('{ photos(first: 2, orderBy: [{ owner: { name: ASC } }]) { id owner { name } } }');
    deepEqual(ordered.data, { photos: [{ id: '1', owner: { name: 'Ann' } }] });
    match(ordered.sql, / JOIN "users" /);
    match(ordered.plan, /\bt0\b/);
    const any = await explain('{ photos(first: 2, where: { tagged: { any: { login: { eq: "ann" } } } }) { id } }');
    deepEqual(any.data, { photos: [{ id: '1' }] });
    ok(any.plan.length > 0);
    if (store.dialect === 'sqlite') match(any.sql, / JOIN "photos_tagged" t1 ON /);
  },
);

testOnStores('explain shows neither the values of a request nor those of rules', async (store) => {
  const explain = await open(store);
  const query = '{ photos(where: { name: { eq: "SECRET" }, tagged: { any: { name: { in: ["SECRET"] } } } }) { id } }';
  for (const { plan, sql } of [await explain(query), await explain('{ projects { id tasks { title } } }')]) {
    ok(plan.length > 0);
    doesNotMatch(sql + plan, /SECRET|\bann\b/);
    if (store.dialect === 'postgres') match(plan, /\$1/);
  }
});
