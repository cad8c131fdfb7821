import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';

import { until } from '../../../kernel/test/until.ts';
import { AS_USER, startApp } from '../start-app.ts';

const SUBSCRIPTION = 'subscription { noteCreated { title author { name } } }';

/** The first events of an iterable, as the test asks for them. */
async function first(events: AsyncIterableIterator<unknown>): Promise<unknown> {
  return ((await events.next()) as { value: unknown }).value;
}

/** Writes notes until somebody has heard of one: a subscription is only known to be there once it answers. */
async function writeUntilHeard<T>(graph: (query: string) => Promise<unknown>, heard: Promise<T>): Promise<T> {
  await graph('mutation { createAuthor(input: { login: "ada", name: "Ada" }) { login } }');
  let isHeard = false;
  const hear = (): void => void (isHeard = true);
  void heard.then(hear, hear);
  await until(
    async () => {
      if (!isHeard) await graph(`mutation { createNote(input: { title: "note", author: "ada" }) { id } }`);
      return isHeard;
    },
    () => 'Nothing was heard.',
  );
  return heard;
}

const EVENT = { data: { noteCreated: { title: 'note', author: { name: 'Ada' } } } };

test('graphql-ws hears of changes, runs queries, and gets errors in their shape', async (context) => {
  const { url, graph } = await startApp(context);
  class Authorized extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols, { headers: AS_USER });
    }
  }
  const client = createSocketClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Authorized,
    retryAttempts: 0,
  });
  const events = client.iterate({ query: SUBSCRIPTION });
  deepEqual(await writeUntilHeard(graph, first(events)), EVENT);
  await events.return?.();
  deepEqual(await first(client.iterate({ query: '{ author(login: "ada") { name } }' })), {
    data: { author: { name: 'Ada' } },
  });
  const refused = await first(client.iterate({ query: '{ nope }' })).catch((error: unknown) => error);
  match(JSON.stringify(refused), /Cannot query field \\"nope\\"/);
  await client.dispose();
});

test('graphql-sse hears of changes over one request', async (context) => {
  const { url, graph } = await startApp(context);
  const client = createSseClient({ url: `${url}/graphql/stream`, headers: AS_USER, retryAttempts: 0 });
  const events = client.iterate({ query: SUBSCRIPTION });
  deepEqual(await writeUntilHeard(graph, first(events)), EVENT);
  await events.return?.();
  client.dispose();
});

test('a stream rejects a mutation by GET and explains invalid requests', async (context) => {
  const { url, graph } = await startApp(context);
  const headers = { ...AS_USER, accept: 'text/event-stream' };
  const query = encodeURIComponent('mutation { createAuthor(input: { login: "eve" }) { login } }');
  const text = await fetch(`${url}/graphql/stream?query=${query}`, { headers }).then((response) => response.text());
  match(text, /GRAPH_HTTP_READ_ONLY/);
  deepEqual(await graph('{ author(login: "eve") { login } }'), { author: null });
  const wrong = await fetch(`${url}/graphql/stream?query=${encodeURIComponent('{ nope }')}`, { headers });
  match(await wrong.text(), /Cannot query field/);
});

/** Asks for a WebSocket and answers the status of the refusal, or 101. */
function knock(url: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, ['graphql-transport-ws'], { headers });
    socket.on('open', () => {
      socket.close();
      resolve(101);
    });
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    socket.on('error', reject);
  });
}

test('an upgrade goes through the security chain, by the path it is for, from pages of this origin', async (context) => {
  const { url } = await startApp(context, { config: { cors: [{ allowedOrigins: ['https://friend.example'] }] } });
  equal(await knock(url, '/graphql', {}), 401);
  equal(await knock(url, '/graphql', { authorization: `Basic ${btoa('user:wrong')}` }), 401);
  equal(await knock(url, '/graphql', AS_USER), 101);
  equal(await knock(url, '/_search', AS_USER), 404);
  equal(await knock(url, '/graphql;x=1', AS_USER), 400);
  equal(await knock(url, '/graphql', { ...AS_USER, origin: 'https://evil.example' }), 403);
  equal(await knock(url, '/graphql', { ...AS_USER, origin: 'null' }), 403);
  equal(await knock(url, '/graphql', { ...AS_USER, origin: url }), 101);
  equal(await knock(url, '/graphql', { ...AS_USER, origin: 'https://friend.example' }), 101);
});

test('an origin that may call other paths may open no WebSocket here', async (context) => {
  const cors = (path: string) => [{ path, allowedOrigins: ['https://friend.example'] }];
  const elsewhere = await startApp(context, { config: { cors: cors('/pictures/**') } });
  equal(await knock(elsewhere.url, '/graphql', { ...AS_USER, origin: 'https://friend.example' }), 403);
  const chains = [{ path: '/graphql/**', cors: cors('/graphql') }, { path: '/other/**' }];
  const inChain = await startApp(context, { config: { cors: cors('/pictures/**'), chains } });
  equal(await knock(inChain.url, '/graphql', { ...AS_USER, origin: 'https://friend.example' }), 101);
});

test('stopping ends subscriptions and does not wait for them', async (context) => {
  const { url, graph, close } = await startApp(context);
  const client = createSseClient({ url: `${url}/graphql/stream`, headers: AS_USER, retryAttempts: 0 });
  const events = client.iterate({ query: SUBSCRIPTION });
  await writeUntilHeard(graph, first(events));
  const rest = (async () => {
    for await (const _event of events);
  })().catch(() => undefined);
  await close();
  await rest;
  client.dispose();
});
