// What bounds and ends connections that last: rights that change or run out, too much at once, frames that cannot be.
import { deepEqual, equal, match } from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';

import { userNamed } from '@lockstitch/security';
import { type ClientOptions, WebSocket } from 'ws';

import { until } from '../../../kernel/test/until.ts';
import { openUserStore } from '../../src/data/user-store.ts';
import { AS_USER, startApp, type TestApp } from '../start-app.ts';
import { openStream } from './read-events.ts';

const SECRETS = `
  type Note @entity @auth(read: "owner == authentication.name or hasRole('CHIEF')") { id: ID! owner: String! text: String! }
  type Query { note(id: ID!): Note }
  input CreateNoteInput { owner: String! text: String! }
  type Mutation { createNote(input: CreateNoteInput!): Note! }
  type Subscription { noteCreated: Note! }
`;
const SUBSCRIPTION = 'subscription { noteCreated { text } }';
const ADA = { authorization: `Basic ${btoa('ada:pw')}` };

/** An application whose account `ada` can be changed while it runs. */
async function startWithAda(context: TestContext, subscriptions: Readonly<Record<string, number>> = { recheck: 20 }) {
  const app = await startApp(context, {
    schema: SECRETS,
    config: { csrf: { enabled: false }, userStore: 'sql', graph: { subscriptions } },
  });
  const users = await openUserStore(app.app.graph.store);
  const ada = userNamed('ada').password('{noop}pw').authorities('read').build();
  await users.insertUser(ada);
  const note = async (owner: string, text: string): Promise<void> => {
    const query = `mutation { createNote(input: { owner: "${owner}", text: "${text}" }) { id } }`;
    await app.call('/graphql', { json: { query }, headers: ADA });
  };
  return { app, users, ada, note };
}

/** A WebSocket that speaks frames, and what came back. */
interface Frames {
  readonly socket: WebSocket;
  send(message: unknown): void;
  next(): Promise<any>; // eslint-disable-line typescript/no-explicit-any -- frames of every shape
  readonly closed: Promise<readonly [code: number, reason: string]>;
}

async function openFrames(app: TestApp, headers: Record<string, string>, init = true): Promise<Frames> {
  const options: ClientOptions = { headers };
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, ['graphql-transport-ws'], options);
  const waiting: ((message: unknown) => void)[] = [];
  const arrived: unknown[] = [];
  socket.on('message', (data: Buffer) => {
    const message: unknown = JSON.parse(String(data));
    const taker = waiting.shift();
    if (taker === undefined) arrived.push(message);
    else taker(message);
  });
  const closed = once(socket, 'close').then(([code, reason]) => [code as number, String(reason)] as const);
  await once(socket, 'open');
  const frames: Frames = {
    socket,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: () =>
      arrived.length > 0 ? Promise.resolve(arrived.shift()) : new Promise((resolve) => waiting.push(resolve)),
    closed,
  };
  if (init) {
    frames.send({ type: 'connection_init' });
    await frames.next();
  }
  return frames;
}

const subscribe = (id: string, query = SUBSCRIPTION, more: object = {}): object => ({
  id,
  type: 'subscribe',
  payload: { query, ...more },
});

test('a locked account loses its streams and sockets, and gets the reason', async (context) => {
  const { app, users, ada } = await startWithAda(context);
  const url = `${app.url}/graphql/stream?query=${encodeURIComponent(SUBSCRIPTION)}`;
  const stream = await openStream(url, { headers: { ...ADA, accept: 'text/event-stream' } });
  const frames = await openFrames(app, ADA);
  frames.send(subscribe('1'));
  await users.replaceUser(ada.with({ accountNonLocked: false }));
  const told = await stream.next();
  equal(told?.data.errors[0].extensions.code, 'SERVER_AUTHENTICATION_EXPIRED');
  equal((await stream.next())?.event, 'complete');
  const error = await frames.next();
  deepEqual([error.type, error.id, error.payload[0].extensions.code], ['error', '1', 'SERVER_AUTHENTICATION_EXPIRED']);
  deepEqual(await frames.closed, [4401, 'SERVER_AUTHENTICATION_EXPIRED']);
});

test('a changed password ends connections opened with the old one', async (context) => {
  const { app, users, ada } = await startWithAda(context);
  const frames = await openFrames(app, ADA);
  await users.replaceUser(ada.withPassword('{noop}other'));
  deepEqual(await frames.closed, [4401, 'SERVER_AUTHENTICATION_EXPIRED']);
});

test("a log-out ends the session's connections", async (context) => {
  const { app } = await startWithAda(context);
  const form = await fetch(`${app.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'username=ada&password=pw',
    redirect: 'manual',
  });
  const cookie = form.headers
    .getSetCookie()
    .find((line) => line.startsWith('JSESSIONID='))!
    .split(';')[0]!;
  const frames = await openFrames(app, { cookie });
  await fetch(`${app.url}/logout`, { method: 'POST', headers: { cookie }, redirect: 'manual' });
  deepEqual(await frames.closed, [4401, 'SERVER_AUTHENTICATION_EXPIRED']);
});

test('other rights count from when they are given: nothing is lost and nothing comes twice', async (context) => {
  const { app, users, ada, note } = await startWithAda(context);
  const frames = await openFrames(app, ADA);
  frames.send(subscribe('1'));
  await note('bob', 'hidden');
  await note('ada', 'own');
  deepEqual((await frames.next()).payload, { data: { noteCreated: { text: 'own' } } });
  await users.replaceUser(ada.with({ authorities: ['read', 'ROLE_CHIEF'] }));
  // Until the new rights are known, notes of others stay hidden; from then on they are heard.
  let heard: string | undefined;
  for (let index = 0; heard === undefined; index++) {
    await note('bob', `b${index}`);
    await note('ada', `a${index}`);
    const { payload } = await frames.next();
    const { text } = payload.data.noteCreated;
    if (text === `b${index}`) {
      heard = text;
      equal((await frames.next()).payload.data.noteCreated.text, `a${index}`);
    } else equal(text, `a${index}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  match(heard, /^b\d+$/);
});

test('a socket resumes by positions, which events contain on request', async (context) => {
  const { app, note } = await startWithAda(context);
  const first = await openFrames(app, ADA);
  first.send(subscribe('1', SUBSCRIPTION, { extensions: { positions: true } }));
  // Answered in order: the subscription is there.
  first.send(subscribe('q', '{ note(id: 1) { text } }'));
  await first.next();
  await first.next();
  await note('ada', 'one');
  const { payload } = await first.next();
  deepEqual([payload.data, typeof payload.extensions.position], [{ noteCreated: { text: 'one' } }, 'number']);
  first.socket.terminate();
  await note('ada', 'two');
  const second = await openFrames(app, ADA);
  second.send(subscribe('1', SUBSCRIPTION, { extensions: { after: payload.extensions.position } }));
  deepEqual((await second.next()).payload.data, { noteCreated: { text: 'two' } });
  second.send(subscribe('2', SUBSCRIPTION, { extensions: { after: 1e9 } }));
  equal((await second.next()).payload[0].extensions.code, 'GRAPH_SUBSCRIPTION_POSITION');
  second.socket.terminate();
});

test('a connection has so many operations at a time, a process so many subscriptions', async (context) => {
  const { app } = await startWithAda(context, { perConnection: 3, total: 4 });
  const first = await openFrames(app, ADA);
  for (const id of ['1', '2', '3', '4']) first.send(subscribe(id));
  const refused = await first.next();
  deepEqual([refused.id, refused.payload[0].extensions.code], ['4', 'SERVER_TOO_MANY_OPERATIONS']);
  const second = await openFrames(app, ADA);
  for (const id of ['1', '2']) second.send(subscribe(id));
  equal((await second.next()).payload[0].extensions.code, 'SERVER_TOO_MANY_SUBSCRIPTIONS');
  // Room is given back: by ending one, and by leaving.
  first.send({ id: '1', type: 'complete' });
  first.send(subscribe('5', '{ note(id: 1) { text } }'));
  deepEqual((await first.next()).payload, { data: { note: null } });
  await first.next();
  first.socket.terminate();
  await first.closed;
  // The server hears of the end when it does: until then there is no room.
  for (let refused = true; refused;) {
    refused = false;
    second.send(subscribe('3'));
    second.send(subscribe('probe', '{ note(id: 1) { text } }'));
    for (let message = await second.next(); message.type !== 'complete'; message = await second.next())
      refused ||= message.id === '3';
  }
  second.send(subscribe('4'));
  second.send(subscribe('q', '{ note(id: 1) { text } }'));
  equal((await second.next()).payload[0].extensions.code, 'SERVER_TOO_MANY_OPERATIONS');
  second.socket.terminate();
});

const HELLO = { type: 'connection_init' };
const HELLO_AGAIN = { ...HELLO };
const BAD_FRAMES: readonly (readonly [string, readonly unknown[], number])[] = [
  ['no JSON', ['{'], 4400],
  ['no object', ['[]'], 4400],
  ['an unknown type', [{ type: 'nope' }], 4400],
  ['a type that every object has', [{ type: '__proto__' }], 4400],
  ['subscribing before saying hello', [subscribe('1')], 4401],
  ['saying hello twice', [HELLO, HELLO_AGAIN], 4429],
  ['the same id twice', [HELLO, subscribe('1'), subscribe('1')], 4409],
  ['a query that is no text', [HELLO, { id: '1', type: 'subscribe', payload: { query: 5 } }], 4400],
  ['an answer instead of a question', [HELLO, { id: '1', type: 'next', payload: {} }], 4400],
  ['more than fits', [HELLO, { type: 'ping', payload: { text: 'x'.repeat(2_000_000) } }], 1009],
];

test("frames out of order or malformed close their socket with the protocol's code, and harm no other socket", async (context) => {
  const { app } = await startWithAda(context);
  const other = await openFrames(app, ADA);
  for (const [what, frames, code] of BAD_FRAMES) {
    const bad = await openFrames(app, ADA, false);
    for (const frame of frames) {
      bad.send(frame);
      if (frame === HELLO) await bad.next();
    }
    deepEqual([what, (await bad.closed)[0]], [what, code]);
  }
  other.send(subscribe('__proto__', '{ note(id: 1) { text } }'));
  deepEqual(await other.next(), { id: '__proto__', type: 'next', payload: { data: { note: null } } });
  // No credentials were sent.
  const stranger = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, ['graphql-transport-ws']);
  const [, response] = (await once(stranger, 'unexpected-response')) as [unknown, { statusCode: number }];
  equal(response.statusCode, 401);
  other.socket.terminate();
});

test('a socket that never says hello is closed', async (context) => {
  const app = await startApp(context);
  const silent = await openFrames(app, AS_USER, false);
  deepEqual(await silent.closed, [4408, 'Connection initialisation timeout']);
});

test('an operation that is completed by its client, or whose socket is gone, stops its work', async (context) => {
  const app = await startApp(context, {
    schema: 'type Note @entity { id: ID! } type Query { note(id: ID!): Note  wait: Int  started: Int!  stopped: Int! }',
    files: {
      'resolvers.mjs': `let started = 0;
        let stopped = 0;
        const wait = (_parent, _args, { signal }) =>
          new Promise((resolve) => {
            started++;
            signal.addEventListener('abort', () => { stopped++; resolve(null); });
          });
        export default { Query: { wait, started: () => started, stopped: () => stopped } };`,
    },
    config: { csrf: { enabled: false }, resolvers: './resolvers.mjs' },
  });
  const untilCounted = async (what: 'started' | 'stopped', expected: number): Promise<void> => {
    let count: unknown;
    await until(
      async () => (count = (await app.graph(`{ ${what} }`))[what]) === expected,
      () => `${what}: ${String(count)}, not ${expected}`,
    );
  };
  const frames = await openFrames(app, AS_USER);
  for (const id of ['1', '2']) frames.send(subscribe(id, '{ wait }'));
  await untilCounted('started', 2);
  frames.send({ id: '1', type: 'complete' });
  await untilCounted('stopped', 1);
  frames.send(subscribe('3', '{ stopped }'));
  deepEqual((await frames.next()).payload, { data: { stopped: 1 } });
  frames.socket.terminate();
  await untilCounted('stopped', 2);
  const abort = new AbortController();
  const url = `${app.url}/graphql/stream?query=${encodeURIComponent('{ wait }')}`;
  const streaming = fetch(url, { headers: { ...AS_USER, accept: 'text/event-stream' }, signal: abort.signal });
  const posting = fetch(`${app.url}/graphql?query=${encodeURIComponent('{ wait }')}`, {
    headers: AS_USER,
    signal: abort.signal,
  });
  await untilCounted('started', 4);
  abort.abort();
  await Promise.allSettled([streaming, posting]);
  await untilCounted('stopped', 4);
  const token = (await app.call('/graphql/stream', { method: 'PUT' })).text;
  const reserved = { 'x-graphql-event-stream-token': token };
  const waiting = app.call('/graphql/stream', {
    json: { query: '{ wait }', extensions: { operationId: '1' } },
    headers: reserved,
  });
  await untilCounted('started', 5);
  await app.call('/graphql/stream?operationId=1', { method: 'DELETE', headers: reserved });
  equal((await waiting).status, 204);
  await untilCounted('stopped', 5);
});
