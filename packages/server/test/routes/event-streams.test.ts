// Event streams over a socket: resuming, both modes, refusals, and what happens when the caller's rights end.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';

import { createClient } from 'graphql-sse';

import { until } from '../../../kernel/test/until.ts';
import { AS_USER, startApp, type TestApp } from '../start-app.ts';
import { openStream } from './read-events.ts';

const SUBSCRIPTION = 'subscription { noteCreated { title } }';
const STREAM = { ...AS_USER, accept: 'text/event-stream' };
const path = (query: string): string => `/graphql/stream?query=${encodeURIComponent(query)}`;

async function write(app: TestApp, ...titles: readonly string[]): Promise<void> {
  for (const title of titles)
    await app.graph(`mutation { createNote(input: { title: "${title}", author: "ada" }) { id } }`);
}

/** What a stream of one answer tells: `next`, then `complete`, then the end. */
// eslint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
async function toldBy(url: string, init: RequestInit): Promise<any> {
  const stream = await openStream(url, init);
  const { status, headers } = stream.response;
  const [next, complete, end] = [await stream.next(), await stream.next(), await stream.next()];
  deepEqual(
    [status, headers.get('content-type'), next?.event, complete?.event, end],
    [200, 'text/event-stream; charset=utf-8', 'next', 'complete', undefined],
  );
  return next?.data;
}

async function startWithAuthor(...given: Parameters<typeof startApp>): Promise<TestApp> {
  const app = await startApp(...given);
  await app.graph('mutation { createAuthor(input: { login: "ada" }) { login } }');
  return app;
}

test('a stream that was cut resumes after the last id: nothing is lost and nothing comes twice', async (context) => {
  const app = await startWithAuthor(context);
  const first = await openStream(app.url + path(SUBSCRIPTION), { headers: STREAM });
  equal(first.response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  await write(app, 'one', 'two');
  const heard = [await first.next(), await first.next()];
  first.cut();
  await write(app, 'three', 'four');
  const second = await openStream(app.url + path(SUBSCRIPTION), {
    headers: { ...STREAM, 'last-event-id': first.lastId() },
  });
  await write(app, 'five');
  heard.push(await second.next(), await second.next(), await second.next());
  deepEqual(
    heard.map((each) => each?.data.data.noteCreated.title),
    ['one', 'two', 'three', 'four', 'five'],
  );
  equal(new Set(heard.map((each) => each?.lastId)).size, 5);
  second.cut();
});

test('a stream sends a position to resume from before its first event', async (context) => {
  const app = await startWithAuthor(context);
  const first = await openStream(app.url + path(SUBSCRIPTION), { headers: STREAM });
  // The first bytes hold an id and nothing else.
  const pending = first.next();
  while (first.lastId() === '') await new Promise((resolve) => setTimeout(resolve, 5));
  first.cut();
  await pending.catch(() => undefined);
  await write(app, 'between');
  const second = await openStream(app.url + path(SUBSCRIPTION), {
    headers: { ...STREAM, 'last-event-id': first.lastId() },
  });
  equal((await second.next())?.data.data.noteCreated.title, 'between');
  second.cut();
});

test('a trimmed, future or invalid position is reported with a code in one event', async (context) => {
  const app = await startWithAuthor(context);
  await write(app, 'one', 'two', 'three');
  await app.app.graph.feed.trim({ keep: 1, upTo: 3 });
  const answers = await Promise.all(
    ['1', '999', 'abc', '-1', '1.5', '99999999999999999999'].map(async (id) => {
      const { errors } = await toldBy(app.url + path(SUBSCRIPTION), { headers: { ...STREAM, 'last-event-id': id } });
      return [errors[0].extensions.code, typeof errors[0].extensions.hint];
    }),
  );
  deepEqual(answers, [
    ['GRAPH_FEED_TRIMMED', 'string'],
    ['GRAPH_SUBSCRIPTION_POSITION', 'string'],
    ...Array.from({ length: 4 }, () => ['GRAPH_HTTP_PARAMETER', 'string']),
  ]);
});

test('a subscriber that falls too far behind gets a code, and the stream completes', async (context) => {
  const app = await startWithAuthor(context, { config: { graph: { subscriptions: { lag: 5 } } } });
  const start = String(await app.app.graph.feed.head());
  await write(app, ...Array.from({ length: 12 }, (_, index) => `n${index}`));
  const stream = await openStream(app.url + path(SUBSCRIPTION), { headers: { ...STREAM, 'last-event-id': start } });
  const told = [await stream.next(), await stream.next(), await stream.next()];
  equal(told[0]?.data.errors[0].extensions.code, 'GRAPH_SUBSCRIPTION_LAGGING');
  deepEqual([told[1]?.event, told[2]], ['complete', undefined]);
});

test('a query answers once and completes', async (context) => {
  const app = await startWithAuthor(context);
  const stream = await openStream(app.url + path('{ author(login: "ada") { login } }'), { headers: STREAM });
  deepEqual(await stream.next(), { lastId: '', event: 'next', data: { data: { author: { login: 'ada' } } } });
  deepEqual(await stream.next(), { lastId: '', event: 'complete', data: undefined });
  equal(await stream.next(), undefined);
});

const json = { ...AS_USER, 'content-type': 'application/json' };
const sse = { ...json, accept: 'text/event-stream' };
const REFUSALS: readonly (readonly [string, string, RequestInit, number, string])[] = [
  ['a token nobody has', '/graphql/stream?token=nope', { headers: STREAM }, 404, 'SERVER_STREAM_NOT_FOUND'],
  [
    'a token that every object has',
    '/graphql/stream?token=__proto__',
    { headers: STREAM },
    404,
    'SERVER_STREAM_NOT_FOUND',
  ],
  ['neither a stream nor a token', path(SUBSCRIPTION), { headers: AS_USER }, 400, 'SERVER_STREAM_NOT_NAMED'],
  [
    'a mutation by GET',
    path('mutation { deleteNote(id: 1) { id } }'),
    { headers: STREAM },
    405,
    'GRAPH_HTTP_READ_ONLY',
  ],
  [
    'a body of text',
    '/graphql/stream',
    { method: 'POST', headers: { ...STREAM, 'content-type': 'text/plain; a=application/json' }, body: '{}' },
    415,
    'GRAPH_HTTP_CONTENT_TYPE',
  ],
  [
    'a body in another charset',
    '/graphql/stream',
    { method: 'POST', headers: { ...STREAM, 'content-type': 'application/json; charset=latin1' }, body: '{}' },
    415,
    'GRAPH_HTTP_CONTENT_TYPE',
  ],
  [
    'an operation to end of no stream',
    '/graphql/stream?operationId=1',
    { method: 'DELETE', headers: { ...json, 'x-csrf-token': '' } },
    400,
    'SERVER_STREAM_NOT_NAMED',
  ],
];

test('a rejected stream has a status, a code, a message and a hint', async (context) => {
  const app = await startApp(context, { config: { csrf: { enabled: false } } });
  for (const [what, target, init, status, code] of REFUSALS) {
    const response = await fetch(app.url + target, init);
    const { errors } = (await response.json()) as any; // eslint-disable-line typescript/no-explicit-any
    deepEqual([what, response.status, errors[0].extensions.code], [what, status, code]);
    match(errors[0].message, /^.{10,}$/);
  }
  const head = await fetch(app.url + path(SUBSCRIPTION), { method: 'HEAD', headers: STREAM });
  equal(head.status, 405);
});

const posted = (body: string | Uint8Array<ArrayBuffer>): [string, RequestInit] => [
  '/graphql/stream',
  { method: 'POST', headers: sse, body },
];
const asked = (body: object): [string, RequestInit] => posted(JSON.stringify(body));
const got = (query: string): [string, RequestInit] => [query, { headers: STREAM }];
const WITH_VARIABLE = 'subscription ($a: Int!) { noteCreated { title @skip(if: $a) } }';
/** What is wrong with an operation: GraphQL over SSE, "Distinct connections mode", observation 2. */
const TOLD: readonly (readonly [string, [string, RequestInit], string])[] = [
  ['no operation', got('/graphql/stream'), 'GRAPH_HTTP_PARAMETER'],
  ['no operation, posted', asked({}), 'GRAPH_HTTP_PARAMETER'],
  ['a query that is no text', asked({ query: 5 }), 'GRAPH_HTTP_PARAMETER'],
  ['a syntax error', got(path('{ nope')), 'GRAPH_SYNTAX'],
  ['an unknown field', got(path('subscription { nope }')), 'GRAPH_VALIDATION'],
  ['an unknown field of a query', asked({ query: '{ nope }' }), 'GRAPH_VALIDATION'],
  ['a wrong use of a variable', asked({ query: WITH_VARIABLE }), 'GRAPH_VALIDATION'],
  [
    'a variable without its value',
    asked({ query: 'query ($a: Boolean!) { notes { id @skip(if: $a) } }' }),
    'GRAPH_VARIABLES_INVALID',
  ],
  [
    'no operation of that name',
    asked({ query: 'query a { notes { id } }', operationName: 'b' }),
    'GRAPH_REQUEST_INVALID',
  ],
  [
    'a hash that nobody sent',
    asked({ extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }),
    'PERSISTED_QUERY_NOT_FOUND',
  ],
  ['an unknown document', asked({ documentId: 'x' }), 'GRAPH_DOCUMENT_UNKNOWN'],
  ['a body that is no JSON', posted('{'), 'GRAPH_HTTP_BODY'],
  ['bytes that are no UTF-8', posted(Uint8Array.of(0x22, 0xff, 0x22)), 'GRAPH_HTTP_BODY'],
  ['several at once', posted('[]'), 'GRAPH_HTTP_BATCH'],
];

test('an invalid operation is reported by a next event and complete, not by a status', async (context) => {
  const app = await startApp(context, { config: { csrf: { enabled: false } } });
  for (const [what, [target, init], code] of TOLD) {
    const { data, errors } = await toldBy(app.url + target, init);
    deepEqual([what, data, errors[0].extensions.code], [what, undefined, code]);
  }
  const client = createClient({ url: `${app.url}/graphql/stream`, headers: { ...AS_USER }, retryAttempts: 0 });
  const results = client.iterate({ query: '{ nope }' });
  match(JSON.stringify(await results.next()), /^\{"value":\{"errors":\[\{"message":"Cannot query field/);
  equal((await results.next()).done, true);
  client.dispose();
});

test('a request for an event stream at another path names the right path', async (context) => {
  const app = await startApp(context, { config: { csrf: { enabled: false } } });
  for (const [accept, named] of [
    ['text/event-stream', true],
    ['multipart/mixed;subscriptionSpec=1.0', true],
    ['text/html', false],
  ] as const) {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { ...json, accept },
      body: '{"query":"{ notes { id } }"}',
    });
    const { errors } = (await response.json()) as any; // eslint-disable-line typescript/no-explicit-any
    equal(response.status, 406);
    equal(errors[0].extensions.hint.includes('are at /graphql/stream.'), named, accept);
  }
});

test('one reserved stream carries many operations, only for its owner', async (context) => {
  const users = ['ada', 'eve'].map((username) => ({ username, password: '{noop}pw', authorities: [] }));
  const app = await startApp(context, {
    config: { csrf: { enabled: false }, users, passwordEncoder: 'delegating' },
  });
  const as = (name: string): Record<string, string> => ({ authorization: `Basic ${btoa(`${name}:pw`)}` });
  const call = (target: string, method: string, headers: Record<string, string>, body?: unknown): Promise<Response> =>
    fetch(app.url + target, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const codeOf = async (response: Response): Promise<unknown[]> => {
    const { errors } = (await response.json()) as any; // eslint-disable-line typescript/no-explicit-any
    return [response.status, errors[0].extensions.code];
  };
  const reserved = await call('/graphql/stream', 'PUT', { ...as('ada'), 'x-graphql-event-stream-token': 'mine' });
  const token = await reserved.text();
  deepEqual([reserved.status, token === 'mine'], [201, false]);
  const mine = { ...as('ada'), 'x-graphql-event-stream-token': token };
  deepEqual(
    await codeOf(await call('/graphql/stream', 'POST', { ...as('eve'), 'x-graphql-event-stream-token': token }, {})),
    [404, 'SERVER_STREAM_NOT_FOUND'],
  );
  deepEqual(await codeOf(await call('/graphql/stream', 'POST', mine, { query: SUBSCRIPTION })), [
    400,
    'SERVER_OPERATION_ID',
  ]);
  // Started before the stream is open: what it says waits.
  const operation = (id: string, query: string) => ({ query, extensions: { operationId: id } });
  equal((await call('/graphql/stream', 'POST', mine, operation('a', SUBSCRIPTION))).status, 202);
  deepEqual(await codeOf(await call('/graphql/stream', 'POST', mine, operation('a', SUBSCRIPTION))), [
    409,
    'SERVER_OPERATION_TAKEN',
  ]);
  deepEqual(await codeOf(await call('/graphql/stream', 'POST', mine, operation('b', '{ nope }'))), [
    400,
    'GRAPH_VALIDATION',
  ]);
  const stream = await openStream(`${app.url}/graphql/stream?token=${token}`, {
    headers: { ...as('ada'), accept: 'text/event-stream' },
  });
  deepEqual(
    await codeOf(await call(`/graphql/stream?token=${token}`, 'GET', { ...as('ada'), accept: 'text/event-stream' })),
    [409, 'SERVER_STREAM_TAKEN'],
  );
  await call('/graphql', 'POST', as('ada'), {
    query:
      'mutation { createAuthor(input: { login: "ada" }) { login } createNote(input: { title: "x", author: "ada" }) { id } }',
  });
  deepEqual((await stream.next())?.data, { id: 'a', payload: { data: { noteCreated: { title: 'x' } } } });
  equal(
    (await call('/graphql/stream', 'POST', mine, operation('c', '{ author(login: "ada") { login } }'))).status,
    202,
  );
  deepEqual((await stream.next())?.data, { id: 'c', payload: { data: { author: { login: 'ada' } } } });
  deepEqual((({ event, data }) => ({ event, data }))((await stream.next())!), { event: 'complete', data: { id: 'c' } });
  deepEqual(await codeOf(await call('/graphql/stream', 'DELETE', mine)), [400, 'SERVER_OPERATION_ID']);
  equal((await call('/graphql/stream?operationId=a', 'DELETE', mine)).status, 200);
  // The id is free at once, and the end of the first is not that of the second.
  equal((await call('/graphql/stream', 'POST', mine, operation('a', SUBSCRIPTION))).status, 202);
  await call('/graphql', 'POST', as('ada'), {
    query: 'mutation { createNote(input: { title: "y", author: "ada" }) { id } }',
  });
  deepEqual((await stream.next())?.data, { id: 'a', payload: { data: { noteCreated: { title: 'y' } } } });
  stream.cut();
});

test('the client library hears of changes over a reserved stream', async (context) => {
  const app = await startWithAuthor(context, { config: { csrf: { enabled: false } } });
  const client = createClient({
    url: `${app.url}/graphql/stream`,
    // The library writes the stream's token into the object.
    headers: { ...AS_USER },
    singleConnection: true,
    retryAttempts: 0,
  });
  const query = client.iterate({ query: '{ author(login: "ada") { login } }' });
  deepEqual((await query.next()).value, { data: { author: { login: 'ada' } } });
  const events = client.iterate({ query: SUBSCRIPTION });
  const first = events.next();
  let isHeard = false;
  const hear = (): void => void (isHeard = true);
  void first.then(hear, hear);
  // A subscription is only known to be there once it answers.
  await until(async () => {
    if (!isHeard) await write(app, 'again');
    return isHeard;
  });
  deepEqual((await first).value, { data: { noteCreated: { title: 'again' } } });
  await events.return?.();
  client.dispose();
});

test('the client library goes on without a gap after its connection broke, as the guide has it', async (context) => {
  const app = await startWithAuthor(context, { config: { csrf: { enabled: false } } });
  let network = new AbortController();
  let position: string | undefined;
  const opened: number[] = [];
  const client = createClient({
    url: `${app.url}/graphql/stream`,
    headers: () => ({ ...AS_USER, ...(position === undefined ? {} : { 'last-event-id': position }) }),
    fetchFn: async (input: string, init: RequestInit) => {
      const signal = AbortSignal.any([init.signal!, network.signal]);
      const response = await fetch(input, { ...init, signal });
      position ??= response.headers.get('lockstitch-position') ?? undefined;
      opened.push(response.status);
      return response;
    },
    retry: () => Promise.resolve(),
  });
  const events = client.iterate<{ readonly noteCreated: { readonly title: string } }, { readonly position: number }>({
    query: SUBSCRIPTION,
    extensions: { positions: true },
  });
  const heard: unknown[] = [];
  const hear = async (): Promise<void> => {
    const { value } = await events.next();
    if (value?.extensions === undefined) throw new Error('There was no event with a position.');
    position = String(value.extensions.position);
    heard.push(value.data?.noteCreated.title);
  };
  const cut = (): void => {
    network.abort();
    network = new AbortController();
  };
  const first = hear();
  while (opened.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  cut();
  await write(app, 'before the first event');
  await first;
  const second = hear();
  cut();
  await write(app, 'one', 'two');
  await second;
  await hear();
  deepEqual(heard, ['before the first event', 'one', 'two']);
  ok(opened.length > 1);
  client.dispose();
});

test('streams that are reserved and never opened do not pile up', async (context) => {
  const app = await startApp(context, { config: { csrf: { enabled: false } } });
  const reserve = (): Promise<Response> => fetch(`${app.url}/graphql/stream`, { method: 'PUT', headers: AS_USER });
  for (let index = 0; index < 20; index++) equal((await reserve()).status, 201);
  const refused = await reserve();
  equal(refused.status, 429);
  match(await refused.text(), /SERVER_TOO_MANY_STREAMS/);
});

test('a stream whose reader takes nothing is closed, and its subscription with it', async (context) => {
  const app = await startWithAuthor(context, {
    config: { csrf: { enabled: false }, limits: { stallTimeout: 300 }, graph: { subscriptions: { total: 1 } } },
  });
  const { hostname, port } = new URL(app.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(
    `GET ${path(SUBSCRIPTION)} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: ${AS_USER.authorization}\r\n\r\n`,
  );
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  const long = 'x'.repeat(90_000);
  const status = async (): Promise<number> => {
    // On a busy machine this connection can stand still for the limit, too.
    const stream = await fetch(app.url + path(SUBSCRIPTION), { headers: STREAM }).catch(() => undefined);
    if (stream === undefined) return status();
    await stream.body?.cancel();
    return stream.status;
  };
  equal(await status(), 503);
  let now = 503;
  for (let round = 0; round < 100 && now === 503; round++) {
    await write(app, ...Array.from({ length: 10 }, () => long));
    now = await status();
  }
  equal(now, 200);
  socket.destroy();
});
