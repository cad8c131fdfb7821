// Mutations that change or delete whatever satisfies a filter.
import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { ANONYMOUS, createPrincipal } from '@lockstitch/kernel';
import { createGraph, readSchema, type Limits, type Store } from '../../src/index.ts';
import { testOnStores } from '../stores.ts';

const SCHEMA = `
  scalar DateTime
  type Task @entity @auth(read: "public or owner.login == authentication.name", update: "owner.login == authentication.name", delete: "owner.login == authentication.name or hasRole('ADMIN')") {
    id: ID! title: String! done: Boolean! @default(value: "false") public: Boolean! @default(value: "true") due: DateTime
    points: Int! @default(value: "0") changed: DateTime! @default(value: "updatedAt") version: Int! @default(value: "version")
    note: String @auth(read: "hasRole('ADMIN')") owner: Person! parts: [Part!]!
  }
  type Part @entity { id: ID! task: Task! @relation(onDelete: CASCADE) }
  type Person @entity { login: ID! @id tasks: [Task!]! }
  input TaskInput { title: String done: Boolean points: Int }
  input NewTask { title: String! public: Boolean note: String owner: ID! parts: [NewPart!] }
  input NewPart { id: ID }
  type Query { tasks(where: TaskFilter): [Task!]! task(id: ID!): Task person(login: ID!): Person }
  type Mutation {
    createTasks(inputs: [NewTask!]!): [Task!]!
    createPerson(login: ID!): Person!
    updateTasks(where: TaskFilter!, input: TaskInput!): [Task!]!
    setTasksDone(where: TaskFilter!, done: Boolean!): [Task!]!
    updateTask(where: TaskFilter!, input: TaskInput!): Int!
    deleteTasks(where: TaskFilter!): Int!
    removeTasks(filter: TaskFilter!): [Task!]!
  }`;

const ANN = createPrincipal('ann');
const BOB = createPrincipal('bob');

async function open(store: Store, limits: Partial<Limits> = {}) {
  const graph = await createGraph({ model: readSchema([{ file: 's.graphql', text: SCHEMA }]), store, limits });
  const ask = async (query: string, principal = ANN, variables: Record<string, unknown> = {}) =>
    JSON.parse((await graph.execute({ query, variables }, { principal })).body) as {
      data: Record<string, any> | null; // eslint-disable-line typescript/no-explicit-any -- answers of every shape
      errors?: { message: string; extensions: { code: string } }[];
    };
  await ask('mutation { a: createPerson(login: "ann") { login } b: createPerson(login: "bob") { login } }');
  const inputs = ['ann', 'ann', 'ann', 'bob', 'bob'].map((owner, index) => ({
    title: `t${index + 1}`,
    owner,
    public: index !== 4,
    note: 'secret',
    parts: index === 1 ? [{}, {}] : [],
  }));
  const made = await ask('mutation ($inputs: [NewTask!]!) { createTasks(inputs: $inputs) { id } }', BOB, { inputs });
  equal(made.errors, undefined, JSON.stringify(made));
  let seen = await graph.feed.head();
  const changes = async (): Promise<readonly string[]> => {
    const read = await graph.feed.read(seen);
    seen = read.at(-1)?.position ?? seen;
    return read.map(({ type, key, operation }) => `${operation} ${type} ${key}`);
  };
  return { graph, ask, changes };
}

testOnStores(
  'an update by filter changes every row that satisfies it, with an entry in the feed for each',
  async (store) => {
    const { ask, changes } = await open(store);
    const answer = await ask(
      'mutation { updateTasks(where: { owner: { login: { eq: "ann" } }, title: { gte: "t2" } }, input: { done: true, title: "x" }) { id title done version } }',
    );
    deepEqual(answer, {
      data: {
        updateTasks: [
          { id: '2', title: 'x', done: true, version: 2 },
          { id: '3', title: 'x', done: true, version: 2 },
        ],
      },
    });
    deepEqual(await changes(), ['updated Task 2', 'updated Task 3']);
    deepEqual(await ask('mutation { updateTask(where: { title: { eq: "x" } }, input: { points: 5 }) }'), {
      data: { updateTask: 2 },
    });
    deepEqual(await ask('mutation { setTasksDone(where: { points: { eq: 5 } }, done: false) { id done } }'), {
      data: {
        setTasksDone: [
          { id: '2', done: false },
          { id: '3', done: false },
        ],
      },
    });
    deepEqual(await ask('mutation { updateTask(where: { title: { eq: "nobody" } }, input: { points: 5 }) }'), {
      data: { updateTask: 0 },
    });
  },
);

testOnStores(
  'a delete by filter takes what hangs on the rows with it, and answers how many or which',
  async (store) => {
    const { ask, changes } = await open(store);
    deepEqual(await ask('mutation { deleteTasks(where: { and: [{ title: { in: ["t1", "t2"] } }] }) }'), {
      data: { deleteTasks: 2 },
    });
    deepEqual((await changes()).toSorted(), ['deleted Part 1', 'deleted Part 2', 'deleted Task 1', 'deleted Task 2']);
    deepEqual(await ask('mutation { removeTasks(filter: { title: { eq: "t3" } }) { id title owner { login } } }'), {
      data: { removeTasks: [{ id: '3', title: 't3', owner: { login: 'ann' } }] },
    });
  },
);

testOnStores(
  'rows that the caller may not read are not among those that satisfy a filter, nor are fields that he may not read',
  async (store) => {
    const { ask, changes } = await open(store);
    const admin = createPrincipal('root', ['ROLE_ADMIN']);
    // Bob's fifth task is not public: to the administrator it does not exist.
    deepEqual(await ask('mutation { deleteTasks(where: { title: { eq: "t5" } }) }', admin), {
      data: { deleteTasks: 0 },
    });
    // A filter does not reveal a hidden field.
    deepEqual(await ask('mutation { updateTask(where: { note: { eq: "secret" } }, input: { points: 1 }) }', BOB), {
      data: { updateTask: 0 },
    });
    deepEqual(await changes(), []);
  },
);

testOnStores('one forbidden row makes a filtered write fail completely', async (store) => {
  const { ask, changes } = await open(store);
  for (const mutation of [
    'mutation { updateTasks(where: { and: [] }, input: { points: 9 }) { id } }',
    'mutation { deleteTasks(where: { public: { eq: true } }) }',
  ]) {
    const { data, errors } = await ask(mutation);
    equal(data, null);
    equal(errors![0]!.extensions.code, 'GRAPH_FORBIDDEN');
  }
  deepEqual(await changes(), []);
  deepEqual(await ask('{ tasks(where: { points: { eq: 9 } }) { id } }'), { data: { tasks: [] } });
});

testOnStores('a filter that matches more rows than the write limit is rejected', async (store) => {
  const { ask, changes } = await open(store, { writeSize: 2 });
  const { errors } = await ask(
    'mutation { updateTask(where: { owner: { login: { eq: "ann" } } }, input: { points: 1 }) }',
  );
  equal(errors![0]!.extensions.code, 'GRAPH_WRITE_TOO_LARGE');
  match(errors![0]!.message, /more than 2 Task objects/);
  deepEqual(await changes(), []);
});

testOnStores('an empty condition is rejected as a forgotten variable', async (store) => {
  const { ask, changes } = await open(store);
  for (const [where, path] of [
    ['{}', 'where'],
    ['{ title: {} }', 'where.title'],
    ['{ title: { eq: $no } }', 'where.title'],
    ['{ or: [{ id: { eq: 1 } }, { not: {} }] }', 'where.or[1].not'],
    ['{ points: { gt: null } }', 'where.points.gt'],
    ['{ due: null }', 'where.due'],
  ]) {
    const header = where!.includes('$no') ? '($no: String)' : '';
    const { errors } = await ask(`mutation ${header} { deleteTasks(where: ${where}) }`);
    equal(errors?.[0]?.extensions.code, 'GRAPH_INPUT_INVALID', JSON.stringify(errors));
    match(
      errors![0]!.message,
      new RegExp(`"${path!.replaceAll(/[[\]]/g, '\\$&')}" is empty; to match every Task, write \\{ and: \\[\\] \\}`),
    );
  }
  deepEqual(await changes(), []);
  deepEqual(
    await ask(
      'mutation { updateTask(where: { due: { eq: null }, owner: { login: { eq: "ann" } } }, input: { points: 2 }) }',
    ),
    {
      data: { updateTask: 3 },
    },
  );
  deepEqual(
    await ask('mutation { deleteTasks(where: { title: { eq: "t1" } }) }', ANONYMOUS).then(
      ({ errors }) => errors![0]!.extensions.code,
    ),
    'GRAPH_FORBIDDEN',
  );
});

testOnStores('filtered mutations without a clear meaning are start-up errors with a remedy', async () => {
  const read = (mutation: string): (() => unknown) => {
    const text = `type Task @entity { id: ID! title: String version: Int! @default(value: "version") } input TaskInput { title: String } input KeyInput { id: ID title: String }
      type Query { task(id: ID!): Task tasks(where: TaskFilter): [Task!]! } type Mutation { ${mutation} }`;
    return () => readSchema([{ file: 's.graphql', text }]);
  };
  const refused = (mutation: string, pattern: RegExp): void => throws(read(mutation), pattern);
  refused('deleteTasks(where: TaskFilter): Int!', /without it would write every Task\. Write where: TaskFilter!/);
  refused(
    'createTasks(where: TaskFilter!, title: String): Int!',
    /Return the type that is written|neither updates nor deletes/,
  );
  refused('createTasks(where: TaskFilter!, title: String): [Task!]!', /neither updates nor deletes/);
  refused('updateTasks(where: TaskFilter!): Int!', /takes no values/);
  refused('updateTasks(where: TaskFilter!, id: ID!, input: TaskInput!): Int!', /and also "id"/);
  refused('updateTasks(where: TaskFilter!, input: KeyInput!): Int!', /one key/);
  refused('updateTasks(where: TaskFilter!, input: TaskInput!): Task!', /writes several objects and returns one/);
  refused('updateTasks(where: TaskFilter!, input: TaskInput!, version: Int): Int!', /and also "version"/);
  refused('deleteTasks(where: TaskFilter!): Boolean!', /does not say how many/);
  refused('deleteTasks(where: TaskFilter!, title: String): Int!', /alone/);
});

testOnStores(
  'rules that need only the row are decided for every row, before and after one statement',
  async (store) => {
    const text = `
    type Doc @entity @auth(update: "state != 'locked'") { id: ID! state: String! note: String @auth(update: "hasRole('ADMIN')") }
    type Query { docs: [Doc!]! }
    type Mutation { createDoc(state: String!): Doc! updateDocs(where: DocFilter!, state: String, note: String): Int! }`;
    const graph = await createGraph({ model: readSchema([{ file: 's.graphql', text }]), store, explain: true });
    const ask = async (query: string, principal = ANN) => {
      const { body } = await graph.execute({ query, extensions: { explain: true } }, { principal });
      const answer = JSON.parse(body) as {
        data: unknown;
        errors?: { message: string }[];
        extensions: { explain: { statements: { sql: string }[] } };
      };
      const updates = answer.extensions.explain.statements.filter(({ sql }) => sql.startsWith('UPDATE')).length;
      return { data: answer.data, message: answer.errors?.[0]?.message, updates };
    };
    for (const state of ['new', 'new', 'old', 'locked']) await ask(`mutation { createDoc(state: "${state}") { id } }`);
    const update = (where: string, set: string) => `mutation { updateDocs(where: { state: { ${where} } }, ${set}) }`;
    deepEqual(await ask(update('in: ["new", "old"]', 'state: "open"')), {
      data: { updateDocs: 3 },
      message: undefined,
      updates: 1,
    });
    const admin = createPrincipal('root', ['ROLE_ADMIN']);
    for (const [mutation, principal, what] of [
      [update('gt: ""', 'state: "x"'), ANN, 'Doc'],
      [update('eq: "open"', 'state: "locked"'), ANN, 'Doc'],
      [update('eq: "open"', 'note: "n"'), ANN, 'Doc.note'],
      [update('eq: "locked"', 'note: "n"'), admin, 'Doc'],
    ] as const) {
      const refused = await ask(mutation, principal);
      equal(refused.data, null);
      equal(refused.message, `updateDocs failed: you may not update this ${what}.`);
    }
    deepEqual((await ask('{ docs { state note } }')).data, {
      docs: ['open', 'open', 'open', 'locked'].map((state) => ({ state, note: null })),
    });
    equal((await ask(update('eq: "open"', 'note: "n"'), admin)).updates, 1);
  },
);
