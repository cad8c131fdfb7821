// @constraint on stored fields, input fields and arguments: all violations at once, each with path, code and message.
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { applyMigration, createGraph, readSchema, type Graph, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  scalar Decimal
  type User @entity {
    login: ID! @id @constraint(minLength: 2, maxLength: 8, pattern: "^[a-z]+$")
    mail: String @constraint(format: "email")
    age: Int @constraint(min: 18, max: 120)
    plan: String @constraint(maxLength: 2, message: "Two letters.")
    price: Decimal @constraint(min: 0.5)
    tags: [String!] @constraint(maxItems: 2, maxLength: 3)
    notes: [Note!]!
  }
  type Note @entity { id: ID! text: String! by: User }
  input NoteInput { text: String! @constraint(minLength: 3, code: "NOTE_SHORT", message: "Write at least three letters.") }
  input UserInput { login: ID mail: String age: Int price: Decimal tags: [String!] notes: [NoteInput!] }
  type Query { users: [User!]! }
  type Mutation {
    createUser(input: UserInput!): User!
    updateUser(login: ID!, input: UserInput!): User!
    createNote(text: String! @constraint(maxLength: 5)): Note!
    greet(name: String! @constraint(minLength: 2), parts: [NoteInput!]): String
  }`;
const resolvers = { Mutation: { greet: (_: unknown, { name }: { readonly name: string }) => `Hello ${name}` } };

async function open(store: Store): Promise<Graph> {
  const model = readSchema([{ file: 'schema.graphql', text: SCHEMA }], { resolvers });
  await applyMigration(model, store);
  return createGraph({ model, store, resolvers });
}

interface Failure {
  readonly message: string;
  readonly extensions: {
    readonly code: string;
    readonly violations?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
  };
}

/** The violations as `path code`, or the data. */
async function ask(graph: Graph, query: string): Promise<unknown> {
  const { data, errors } = JSON.parse((await graph.execute({ query })).body) as {
    data: unknown;
    errors?: readonly Failure[];
  };
  if (errors === undefined) return data;
  return errors.flatMap(({ extensions }) =>
    (extensions.violations ?? [{ path: '', code: extensions.code }]).map(({ path, code }) => `${path} ${code}`),
  );
}

testOnStores('19.2 all violations of @constraint are reported at once, with path and code', async (store) => {
  const graph = await open(store);
  deepEqual(
    await ask(
      graph,
      'mutation { createUser(input: { login: "A", mail: "x", age: 3, price: "0.25", tags: ["abcd", "b", "c"], notes: [{ text: "ab" }, { text: "abc" }] }) { login } }',
    ),
    [
      'input.notes[0].text NOTE_SHORT',
      'input.login TOO_SHORT',
      'input.login PATTERN',
      'input.mail FORMAT',
      'input.age TOO_SMALL',
      'input.price TOO_SMALL',
      'input.tags TOO_MANY',
      'input.tags[0] TOO_LONG',
    ],
  );
  const { errors } = JSON.parse(
    (
      await graph.execute({
        query: 'mutation { createUser(input: { login: "abcdefghi", age: 121, notes: [{ text: "" }] }) { login } }',
      })
    ).body,
  ) as { errors: readonly Failure[] };
  const [{ message, extensions }] = errors as [Failure];
  equal(
    message,
    'createUser failed: Write at least three letters. "input.login" must have at most 8 characters. "input.age" must be at most 120.',
  );
  deepEqual(extensions.violations?.[2], {
    path: 'input.age',
    code: 'TOO_LARGE',
    message: '"input.age" must be at most 120.',
  });
  deepEqual(await ask(graph, '{ users { login } }'), { users: [] });
});

testOnStores(
  '19.2 values that satisfy their constraints are written, and updates and imports check them too',
  async (store) => {
    const graph = await open(store);
    deepEqual(
      await ask(
        graph,
        'mutation { createUser(input: { login: "ann", mail: "ann@example.org", age: 18, price: "0.5", tags: ["a"] }) { login } }',
      ),
      { createUser: { login: 'ann' } },
    );
    deepEqual(await ask(graph, 'mutation { createUser(input: { login: "bo" }) { mail } }'), {
      createUser: { mail: null },
    });
    deepEqual(await ask(graph, 'mutation { updateUser(login: "ann", input: { age: 7 }) { age } }'), [
      'input.age TOO_SMALL',
    ]);
    deepEqual(await ask(graph, 'mutation { updateUser(login: "ann", input: { age: null, mail: "a@b" }) { mail } }'), {
      updateUser: { mail: 'a@b' },
    });
    deepEqual(await ask(graph, 'mutation { createNote(text: "123456") { id } }'), ['text TOO_LONG']);
    deepEqual(await ask(graph, 'mutation { createNote(text: "12345") { text } }'), { createNote: { text: '12345' } });
    deepEqual(await ask(graph, 'mutation { greet(name: "x", parts: [{ text: "" }]) }'), [
      'name TOO_SHORT',
      'parts[0].text NOTE_SHORT',
    ]);
    deepEqual(await ask(graph, 'mutation { greet(name: "xy") }'), { greet: 'Hello xy' });
    const rejected: string[] = [];
    await graph.importRows('User', [[{ login: 'cy', age: 7, plan: 'abc' }]], {
      onReject: ({ reasons }) => void rejected.push(...reasons),
    });
    deepEqual(rejected, ['"age" must be at least 18.', '"plan": Two letters.']);
  },
);

test('19.2 a @constraint that cannot be checked is a mistake of the schema', () => {
  const mistake = (field: string, message: RegExp, more = ''): void =>
    throws(
      () =>
        readSchema([
          { file: 'schema.graphql', text: `type A @entity { id: ID! ${field} } type Query { as${more}: [A!]! }` },
        ]),
      message,
    );
  mistake('x: Int @constraint(maxLength: 3)', /@constraint on A.x is about texts, and A.x is Int.*Use min and max/s);
  mistake('x: String @constraint(max: 3)', /@constraint on A.x is about numbers, and A.x is String/);
  mistake('x: String @constraint(maxItems: 3)', /@constraint on A.x counts elements, and A.x is no list/);
  mistake('x: String @constraint(pattern: "(")', /has the pattern "\(", which is no regular expression/);
  mistake('x: String @constraint(format: "e-mail")', /unknown format "e-mail". Did you mean "email"\?/);
  mistake('x: String @constraint', /@constraint on A.x says nothing/);
  // What no value satisfies.
  mistake('x: String @constraint(minLength: 30, maxLength: 20)', /has minLength: 30 and maxLength: 20, which no value/);
  mistake('x: Decimal @constraint(min: 0.5, max: 0.25)', /has min: 0.5 and max: 0.25, which no value satisfies/);
  mistake('x: [Int!] @constraint(minItems: 2, maxItems: 1)', /has minItems: 2 and maxItems: 1, which no value/);
  mistake('x: Int @constraint(min: 3000000000)', /allows no Int: those are from -2147483648 to 2147483647/);
  mistake('x: String @constraint(format: "uuid", maxLength: 30)', /the format "uuid", whose texts have 36 characters/);
  mistake('x: String @constraint(maxLength: -1)', /@constraint\(maxLength: -1\) is below 0/);
  mistake('x: String @cost(weight: -1)', /@cost\(weight: -1\) is below 0/);
  mistake(
    'x: Int @default(value: "0") @constraint(min: 1)',
    /The default of A.x breaks its @constraint: "x" must be at least 1\./,
  );
  mistake(
    '} input I { x: String @constraint(minLength: 2, maxLength: 1) } type B { y: Int',
    /@constraint on I.x has minLength: 2 and maxLength: 1/,
  );
  mistake(
    'x: String',
    /@constraint on Query.as\(x:\) is not checked: the field only reads/,
    '(x: String @constraint(maxLength: 3))',
  );
});
