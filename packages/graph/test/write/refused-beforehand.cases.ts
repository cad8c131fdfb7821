// Callers whom a rule can never allow a write are refused before the first statement: the answer tells nothing of taken
// values, constraints or objects.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { compileExpression, createPrincipal, type Principal, type ProductError } from '@lockstitch/kernel';
import { entityOf } from '../../src/schema/model.ts';
import type { Store } from '../../src/store/store.ts';
import { canGrant } from '../../src/write/can-grant.ts';
import { rowShapeOf } from '../../src/write/row-shape.ts';
import { modelOf } from '../photo-schema.ts';
import { testOnStores } from '../stores.ts';
import { openWriting, type Writing } from '../writing.ts';

const ADMINS = `read: "hasRole('ADMIN')" create: "hasRole('ADMIN')" update: "hasRole('ADMIN') and email != 'root'" delete: "hasRole('ADMIN')"`;
const SCHEMA = `
  type Customer @entity @auth(${ADMINS}) { id: ID! email: String! @unique grade: Int @constraint(min: 0) tags: [Tag!] @relation(inverse: "customers") @auth(update: "hasRole('ADMIN')") orders: [Order!] @relation(inverse: "customer") }
  type Order @entity { id: ID! number: String @unique customer: Customer @relation(onDelete: SET_NULL, onDeleteRules: OVERRIDE) }
  type Tag @entity { id: ID! name: String @unique customers: [Customer!] @relation(onDeleteRules: OVERRIDE) }
  type Note @entity @auth(read: "open", create: "hasRole('ADMIN')", update: "open") { id: ID! slug: String! @unique open: Boolean text: String @auth(create: "text != 'x' and hasRole('ADMIN')", update: "true") }
  type Query { customer(id: ID!): Customer }
  input CustomerInput { email: String! grade: Int }
  input CustomerWords { create: CustomerInput connect: ID }
  input OrderInput { number: String customer: CustomerWords }
  input OrderKeys { connect: [ID!] delete: [ID!] }
  input TagInput { name: String customers: CustomerKeys }
  input CustomerKeys { connect: [ID!] }
  input NoteInput { slug: String! open: Boolean text: String }
  type Mutation {
    createCustomer(email: String!, grade: Int): Customer!
    createCustomers(input: [CustomerInput!]!): [Customer!]!
    updateCustomer(id: ID!, email: String): Customer!
    upsertCustomer(input: CustomerInput!): Customer!
    deleteCustomer(id: ID!): Boolean!
    createOrder(input: OrderInput!): Order!
    createTag(input: TagInput!): Tag!
    connectTagCustomers(id: ID!, customers: [ID!]!): Tag!
    createNote(input: NoteInput!): Note!
    upsertNote(input: NoteInput!): Note!
  }`;

const ADMIN = createPrincipal('root', ['ROLE_ADMIN']);
const USER = createPrincipal('ann', ['ROLE_USER']);

async function start(store: Store): Promise<Writing> {
  const writing = await openWriting(store, SCHEMA);
  for (const field of [
    'createCustomer(email: "taken", grade: 1)',
    'createTag(input: { name: "t" })',
    'createNote(input: { slug: "open", open: true })',
    'createNote(input: { slug: "hidden", open: false })',
  ])
    await writing.run(field, { principal: ADMIN });
  return writing;
}

async function answerOf(writing: Writing, field: string, principal: Principal): Promise<string> {
  try {
    await writing.run(field, { principal });
    return 'done';
  } catch (error) {
    return `${(error as ProductError).code}: ${(error as ProductError).message}`;
  }
}

testOnStores('callers who may not write learn of no taken value, constraint or object', async (store) => {
  const writing = await start(store);
  await writing.changes();
  const forbidden = (field: string, action: string, what = 'Customer'): string =>
    `GRAPH_FORBIDDEN: ${field} failed: you may not ${action} this ${what}.`;
  for (const [action, what, ...fields] of [
    ['create', 'Customer', 'createCustomer(email: "taken")', 'createCustomer(email: "free")'],
    ['create', 'Customer', 'createCustomers(input: [{ email: "free" }, { email: "taken" }])'],
    ['update', 'Customer', 'updateCustomer(id: 1, email: "taken")', 'updateCustomer(id: 99, email: "free")'],
    ['create', 'Customer', 'upsertCustomer(input: { email: "taken" })', 'upsertCustomer(input: { email: "free" })'],
    ['delete', 'Customer', 'deleteCustomer(id: 1)', 'deleteCustomer(id: 99)', 'deleteCustomer(id: "odd")'],
    ['create', 'Customer', 'createOrder(input: { customer: { create: { email: "taken" } } })'],
    ['create', 'Customer', 'createOrder(input: { customer: { create: { email: "free" } } })'],
    ['update', 'Customer.tags', 'createTag(input: { name: "t", customers: { connect: [1] } })'],
    ['update', 'Customer.tags', 'connectTagCustomers(id: 1, customers: [1])'],
    ['update', 'Customer.tags', 'connectTagCustomers(id: 9, customers: [9])'],
    ['create', 'Note', 'createNote(input: { slug: "open" })', 'createNote(input: { slug: "free", text: "y" })'],
    // A visible note may be updated; a hidden one is like none.
    ['create', 'Note', 'upsertNote(input: { slug: "hidden" })', 'upsertNote(input: { slug: "free" })'],
  ] as const) {
    for (const field of fields) {
      const expected = forbidden(/^\w+/.exec(field)![0], action, what);
      equal(await answerOf(writing, field, USER), expected, field);
    }
  }
  equal(await answerOf(writing, 'upsertNote(input: { slug: "open", text: "y" })', USER), 'done');
  equal(await answerOf(writing, 'createCustomer(email: "free")', ADMIN), 'done');
  deepEqual(
    (await writing.changes()).map(({ type }) => type),
    ['Note', 'Customer'],
  );
});

testOnStores('nothing is sent to the database for callers who may not write', async (store) => {
  const writing = await start(store);
  const sent: string[] = [];
  const call = {
    args: { email: 'taken' },
    field: 'createCustomer',
    principal: USER,
    store: {
      ...store,
      transaction: () => {
        sent.push('transaction');
        throw new Error('A transaction was opened.');
      },
    },
  };
  const code = await writing.writer.mutate(call, () => null).catch((error: ProductError) => error.code);
  equal(code, 'GRAPH_FORBIDDEN');
  deepEqual(sent, []);
  const answers = { answer: () => null, respond: () => null, lost: () => null };
  equal(writing.writer.attempt({ ...call, ...answers }), undefined);
});

test('a rule is refused beforehand only if it is true on no row', () => {
  const model = modelOf(
    'type Box @entity { id: ID! owner: String open: Boolean size: Int things: [Thing!] @relation(onDelete: SET_NULL) } type Thing @entity { id: ID! name: String } type Query { box(id: ID!): Box }',
  );
  const row = rowShapeOf(entityOf(model, 'Box'), model);
  const caller = createPrincipal('ann', ['ROLE_USER'], { friends: [], age: 3 });
  const never = [
    "hasRole('ADMIN')",
    "hasRole('ADMIN') and open",
    "open and not hasRole('USER')",
    "hasRole('ADMIN') and open or false",
    "not (open or hasRole('USER'))",
    "not (hasRole('USER') or open == null)",
    "hasRole('ADMIN') ? open : false",
    "open ? hasRole('ADMIN') : false",
    'owner == principal.tenant',
    'owner != principal.tenant',
    'size > principal.level',
    'owner in principal.friends',
    'owner in principal.tenants or denyAll',
    "things.any(t, t.name == 'x' and hasRole('ADMIN'))",
    'authentication.name in principal.friends',
    'principal.age',
  ];
  const possible = [
    'open',
    "hasRole('ADMIN') or open",
    "not (hasRole('ADMIN') and open)",
    "not (open and hasRole('USER'))",
    "hasRole('ADMIN') ? false : open",
    "open ? hasRole('ADMIN') : hasRole('USER')",
    'owner == authentication.name',
    'owner == null',
    'principal.tenant == null and open',
    'not (owner in principal.friends)',
    "things.all(t, hasRole('ADMIN'))",
    "things.none(t, hasRole('USER'))",
    "things.any(t, t.name == 'x')",
    'size + principal.age > 3',
  ];
  for (const text of never) equal(canGrant(compileExpression(text, { row }), caller), false, text);
  for (const text of possible) equal(canGrant(compileExpression(text, { row }), caller), true, text);
});
