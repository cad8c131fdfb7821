// The promise over HTTP, as clients see it: status, headers and bodies; and cursors, which belong to the caller who opened them.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { askPages, comparable, createRandom } from '@lockstitch/search/requests';

import { type Asked, printAsked, randomRequest, readSurface } from '../../src/noninterference/random-requests.ts';
import { bodyText } from '../../src/noninterference/scratch-app.ts';
import { freshDatabase } from '../fresh-database.ts';
import { startApp, type TestApp, type Transport, testBothWays } from '../start-app.ts';

const SCHEMA = `
  type Project @entity @auth(read: "open or members.any(m, m.login == authentication.name) or hasRole('ADMIN')") {
    id: ID!
    name: String! @search
    notes: String @search @auth(read: "lead.login == authentication.name or hasRole('ADMIN')")
    budget: Int @search @auth(read: "hasRole('ADMIN')")
    open: Boolean!
    lead: Person! @relation(inverse: "leads")
    members: [Person!]! @relation(inverse: "projects") @search(embed: false)
  }
  type Person @entity @auth(read: "listed or login == authentication.name or hasRole('ADMIN')") {
    login: ID! @id
    name: String @search
    listed: Boolean!
    leads: [Project!]!
    projects: [Project!]!
  }
  input CreateProjectInput { name: String! notes: String budget: Int open: Boolean! lead: ID! members: [ID!] }
  input CreatePersonInput { login: ID! name: String listed: Boolean! }
  input UpdatePersonInput { name: String listed: Boolean }
  type Query { projects: [Project!]! project(id: ID!): Project people: [Person!]! person(login: ID!): Person totalProjects: Int! }
  type Mutation {
    createProject(input: CreateProjectInput!): Project!
    createPerson(input: CreatePersonInput!): Person!
    updatePerson(login: ID!, input: UpdatePersonInput!): Person
  }
`;
/** Another with every run. */
const SEED = Number(process.env['POLICY_SEED'] ?? process.env['TEST_SEED'] ?? Date.now() % 1_000_000_000);
const USERS = [
  { username: 'ann', password: 'a', roles: ['USER'] },
  { username: 'bob', password: 'b', roles: ['USER'] },
  { username: 'root', password: 'r', roles: ['ADMIN'] },
];

function as(name: string): Readonly<Record<string, string>> {
  const { password } = USERS.find(({ username }) => username === name)!;
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}

/** Starts the application with data of which ann sees the same, whatever `hidden` is. */
async function start(context: TestContext, transport: Transport, hidden: string, url?: string): Promise<TestApp> {
  const started = await startApp(context, {
    schema: SCHEMA,
    transport,
    config: {
      users: USERS,
      passwordEncoder: 'noop',
      csrf: { ignore: [{ ant: '/**' }] },
      ...(url === undefined ? {} : { database: { url } }),
      search: { refreshInterval: 1 },
    },
  });
  const write = async (mutation: string): Promise<void> => {
    const { json } = await started.call('/graphql', {
      headers: as('root'),
      json: { query: `mutation { ${mutation} }` },
    });
    assert.equal(json.errors, undefined, JSON.stringify(json));
  };
  const person = (login: string, name: string, listed: boolean): Promise<void> =>
    write(`createPerson(input: { login: "${login}", name: "${name}", listed: ${listed} }) { login }`);
  const project = (
    name: string,
    notes: string,
    budget: number,
    open: boolean,
    lead: string,
    members: string[],
  ): Promise<void> =>
    write(
      `createProject(input: { name: "${name}", notes: "${notes}", budget: ${budget}, open: ${open}, lead: "${lead}", members: ${JSON.stringify(members)} }) { id }`,
    );
  await person('ann', 'Ann Harbour', true);
  await person('bob', 'Bob Light', true);
  await person('cid', `Cid ${hidden}`, false);
  await project('Harbour light', 'red fox', hidden.length, true, 'ann', []);
  await project('Open harbour', `${hidden} fox`, 1, true, 'cid', []);
  await project('Members only', `${hidden} ${hidden}`, 2, false, 'bob', ['ann']);
  await project(`Hidden ${hidden}`, 'dog', 3, false, 'bob', ['bob']);
  if (hidden.length > 3) {
    await project('Another harbour', 'light', 4, false, 'bob', ['cid']);
    // Only one of them has a history of hidden changes, which write what is visible once more.
    await write(`updatePerson(login: "cid", input: { name: "Cid ${hidden} again" }) { login }`);
  }
  const position = String(await started.app.graph.feed.head());
  await started.call('/projects/_search', { headers: { ...as('ann'), 'lockstitch-min-position': position } });
  return started;
}

testBothWays('clients get the same answers, whatever it is that they may not see', async (context, transport) => {
  await compare(await start(context, transport, 'fog'), await start(context, transport, 'harbour'), 150);
});

test('clients of a server over PostgreSQL get equal answers, whatever the hidden data', async (context) => {
  const urls = [await freshDatabase(), await freshDatabase()];
  if (!urls[0]!.startsWith('postgres:')) return context.skip(urls[0]!);
  const [one, other] = [
    await start(context, 'socket', 'fog', urls[0]),
    await start(context, 'socket', 'harbour', urls[1]),
  ];
  await compare(one, other, 100);
});

/** Asks two servers the same, as ann. */
async function compare(one: TestApp, other: TestApp, requests: number): Promise<void> {
  const random = createRandom(SEED);
  const { model } = one.app.graph;
  const keys = new Map([
    ['Project', ['1', '2', '3', '4', '5']],
    ['Person', ['ann', 'bob', 'cid']],
  ]);
  const words = ['harbour', 'light', 'fog', 'fox', 'dog', 'cid', 'again', 'hidden', 'red'];
  const surface = readSurface(model, words, keys);
  for (let at = 0; at < requests; at++) {
    const asked = randomRequest(random, surface);
    assert.equal(await answer(one, asked), await answer(other, asked), `seed ${SEED}: ${printAsked(asked)}`);
  }
}

/** What a client gets: statuses, headers and bodies, without what two servers may differ in. */
async function answer({ call }: TestApp, asked: Asked): Promise<string> {
  const told: unknown[] = [];
  const send = async (target: string, body?: unknown): Promise<string> => {
    const [method, path] = target.split(' ') as [string, string];
    const sent = bodyText(body);
    const { headers, status, text } = await call(path, {
      method,
      headers: { ...as('ann'), 'content-type': 'application/json' },
      ...(sent === undefined ? {} : { body: sent }),
    });
    // Names of open cursors and digits of times make lengths differ.
    const { date: _, 'content-length': _length, 'set-cookie': _cookie, etag: _etag, ...rest } = headers;
    const { 'content-security-policy': _nonce, ...shown } = rest;
    told.push(status, shown);
    return `${status} ${text}`;
  };
  const texts =
    asked.kind === 'graph'
      ? await send('POST /graphql', { query: asked.query })
      : asked.kind === 'pages'
        ? await askPages(asked, send)
        : await send(asked.target, asked.body);
  // Each server names its own port.
  return `${JSON.stringify(told)}\n${comparable(texts).replaceAll(/127\.0\.0\.1:\d+/g, 'address')}`;
}

test('scrolls and points in time of another caller look as if they did not exist', async (context) => {
  const { call } = await start(context, 'in-process', 'fog');
  const first = await call('/projects/_search?scroll=1m', { headers: as('ann'), json: { size: 1 } });
  const id = String(first.json._scroll_id);
  const next = (name: string, scroll: string) =>
    call('/_search/scroll', { headers: as(name), json: { scroll_id: scroll } });
  const neverOpened = 'n'.repeat(32);
  const unknown = await next('bob', neverOpened);
  const foreign = await next('bob', id);
  assert.equal(foreign.status, 404);
  assert.equal(foreign.text.replaceAll(id, neverOpened), unknown.text);
  const closed = await call('/_search/scroll', { method: 'DELETE', headers: as('bob'), json: { scroll_id: [id] } });
  assert.equal(closed.status, 404);
  const all = await call('/_search/scroll/_all', { method: 'DELETE', headers: as('bob') });
  assert.equal(all.json.num_freed, 0);
  assert.equal((await next('ann', id)).status, 200);
  const pit = await call('/projects/_pit?keep_alive=1m', { method: 'POST', headers: as('ann') });
  const search = (name: string) => call('/_search', { headers: as(name), json: { pit: { id: String(pit.json.id) } } });
  assert.equal((await search('bob')).status, 404);
  assert.equal((await search('ann')).status, 200);
});

test('a request whose answer would reveal hidden documents is rejected with the reason', async (context) => {
  const { call } = await start(context, 'in-process', 'fog');
  const ended = await call('/projects/_search', { headers: as('ann'), json: { terminate_after: 1 } });
  assert.equal(ended.status, 400);
  assert.match(ended.text, /depends on the order of the index, which a read rule keeps from you/);
  const written = await call('/projects/_doc/1', { method: 'POST', headers: as('root'), json: { name: 'x' } });
  assert.equal(written.status, 403);
});
