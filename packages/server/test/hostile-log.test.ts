// What clients send or cause never is an error of the log, never several lines, and never reaches a terminal unescaped.
import { equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';

import { createApp } from '../src/app.ts';
import { loadApp } from '../src/app/load-app.ts';
import { createLog } from '../src/http/log.ts';
import { NOTES_SCHEMA } from './start-app.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** U+009B, DEL, ESC, a line break, a line separator, a right-to-left override, a lone surrogate. */
const EVIL = '\u009b2J\u007f\u001b[31m\nfake line\u2028\u202e\ud800';
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|\p{Cs}/u;
const AUTHORIZATION = `Basic ${btoa('user:correct horse')}`;

interface Server {
  readonly port: number;
  readonly lines: string[];
  readonly close: () => Promise<void>;
}

async function start(context: TestContext, format: 'json' | 'pretty'): Promise<Server> {
  const folder = temporaryFolder(context, {
    'schema.graphql': NOTES_SCHEMA,
    'lockstitch.config.mjs': `export default {
      log: { requests: true },
      rules: [{ ant: '/login', access: 'permitAll' }, { any: true, access: 'authenticated' }],
      csrf: { ignore: [{ ant: '/graphql' }, { ant: '/**', method: 'POST' }, { ant: '/**', method: 'PUT' }] },
    };`,
  });
  const lines: string[] = [];
  const log = createLog({ format, level: 'debug', requests: true }, { write: (text) => lines.push(text) });
  const environment = { LOCKSTITCH_USER_PASSWORD: 'correct horse' };
  const app = await createApp(await loadApp(folder, environment, { port: 0, data: ':memory:' }), { log });
  const { port } = await app.listen();
  context.after(() => app.close());
  return { port, lines, close: () => app.close() };
}

const head = (line: string, ...headers: string[]): string =>
  [line, 'Host: localhost', `Authorization: ${AUTHORIZATION}`, ...headers, '', ''].join('\r\n');
const whole = (target: string, type: string, body: string | Uint8Array, ...headers: string[]): Buffer =>
  Buffer.concat([
    Buffer.from(
      head(
        `POST ${target} HTTP/1.1`,
        `Content-Type: ${type}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
        ...headers,
      ),
    ),
    Buffer.from(body),
  ]);
const json = (target: string, value: unknown): Buffer => whole(target, 'application/json', JSON.stringify(value));
const upgrade = (): string =>
  head(
    'GET /graphql HTTP/1.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Protocol: graphql-transport-ws',
  );

/** A frame of a client, masked with zeros. */
function frame(opcode: number, payload: Uint8Array): Buffer {
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 0xff];
  return Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0, ...payload]);
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const evilBytes = Buffer.from('\u009b31m\u202e', 'utf8');

/** By name, what is sent over one connection. `leave` cuts it in the middle of the answer or the request. */
const MESSAGES: Readonly<Record<string, readonly (string | Uint8Array)[]>> = {
  'transfer coding gzip': [head('POST /graphql HTTP/1.1', 'Transfer-Encoding: gzip, chunked'), '0\r\n\r\n'],
  'transfer coding alone': [head('POST /login HTTP/1.1', 'Transfer-Encoding: gzip')],
  'both lengths': [head('POST /graphql HTTP/1.1', 'Transfer-Encoding: chunked', 'Content-Length: 4'), 'abcd'],
  'a bad chunk': [
    head('POST /graphql HTTP/1.1', 'Transfer-Encoding: chunked', 'Content-Type: application/json'),
    'zz\r\n\u009b',
  ],
  'no HTTP': ['\u0016\u0003\u0001\u0002\u0000\u0001\u009b\u0000'],
  'raw C1 in the target': [Buffer.concat([Buffer.from('GET /\x9b31m HTTP/1.1\r\nHost: localhost\r\n\r\n', 'latin1')])],
  'C1 in the path': [head('GET /notes/%C2%9B31m%E2%80%AE/_search HTTP/1.1', 'Connection: close')],
  'line breaks in the path': [head('GET /notes/a%0D%0Afake%20line HTTP/1.1', 'Connection: close')],
  'a strange method': [head('PROPFIND /\u009b HTTP/1.1')],
  'a long header': [head('GET / HTTP/1.1', `X: ${'x'.repeat(20_000)}`)],
  'two hosts': [head('GET / HTTP/1.1', 'Host: \u009bother')],
  'an evil user': [
    `GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${Buffer.concat([Buffer.from('a'), evilBytes, Buffer.from(':x')]).toString('base64')}\r\nConnection: close\r\n\r\n`,
  ],
  'an evil form': [
    whole('/login', 'application/x-www-form-urlencoded', `username=${encodeURIComponent('\u009b\u202e\n')}&password=x`),
  ],
  'an evil one-time code': [head('GET /login/oauth2/code/%C2%9B?state=%C2%9B HTTP/1.1', 'Connection: close')],
  'no JSON': [whole('/graphql', 'application/json', '{"query": \u009b')],
  'no UTF-8': [whole('/graphql', 'application/json', Buffer.from([0x7b, 0xff, 0xfe, 0x9b]))],
  'no UTF-8 in a search': [whole('/notes/_search', 'application/json', Buffer.from([0x7b, 0xff, 0x9b]))],
  'deep JSON': [whole('/graphql', 'application/json', deep(50_000))],
  'deep JSON in a search': [whole('/notes/_search', 'application/json', deep(50_000))],
  'deep JSON in a bulk': [whole('/mine/_bulk', 'application/x-ndjson', `{"index":{}}\n{"a":${deep(50_000)}}\n`)],
  'deep GraphQL': [json('/graphql', { query: '{'.repeat(50_000) })],
  'evil GraphQL': [json('/graphql', { query: `{ notes(${EVIL}) }` })],
  'an evil field': [json('/graphql', { query: '{ nope }', operationName: EVIL })],
  'evil variables': [
    json('/graphql', {
      query: 'mutation($a: CreateAuthorInput!) { createAuthor(input: $a) { login name } }',
      variables: { a: { login: EVIL, name: EVIL } },
    }),
  ],
  'the same again': [
    json('/graphql', {
      query: 'mutation($a: CreateAuthorInput!) { createAuthor(input: $a) { login name } }',
      variables: { a: { login: EVIL, name: 7 } },
    }),
  ],
  'an evil query': [json('/notes/_search', { query: { [EVIL]: {} } })],
  'an evil field of a search': [
    json('/notes/_search', {
      query: { match: { [EVIL]: EVIL } },
      sort: [EVIL],
      aggs: { [EVIL]: { terms: { field: EVIL } } },
    }),
  ],
  'an evil query string': [json('/notes/_search', { query: { query_string: { query: `title:(${EVIL} AND` } } })],
  'an evil pattern': [json('/notes/_search', { query: { regexp: { title: `(${EVIL}` } } })],
  'an evil index': [whole('/%C2%9B%E2%80%AE/_doc', 'application/json', '{}')],
  'an evil document': [json('/mine/_doc', { [EVIL]: EVIL })],
  'an evil analyzer': [json('/_analyze', { analyzer: EVIL, text: EVIL })],
  'a broken bulk': [whole('/_bulk', 'application/x-ndjson', '{"index":{"_index":"\\u009b"}}\n{"a":\n')],
  'a broken gzip': [whole('/graphql', 'application/json', 'no gzip', 'Content-Encoding: gzip')],
  'a coding nobody knows': [whole('/graphql', 'application/json', '{}', 'Content-Encoding: \u009b')],
  'a gzip bomb': [whole('/graphql', 'application/json', gzipSync(Buffer.alloc(30_000_000)), 'Content-Encoding: gzip')],
  'a half form': [
    head('POST /login HTTP/1.1', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 100'),
    'username=a',
    'leave',
  ],
  'a half chunked form': [
    head('POST /login HTTP/1.1', 'Content-Type: application/x-www-form-urlencoded', 'Transfer-Encoding: chunked'),
    '5\r\nuser',
    'leave',
  ],
  'a half operation': [
    head('POST /graphql HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 100'),
    '{"que',
    'leave',
  ],
  'a half bulk': [
    head('POST /_bulk HTTP/1.1', 'Content-Type: application/x-ndjson', 'Content-Length: 2000000'),
    '{"index"',
    'leave',
  ],
  'a half head': ['GET / HTTP/1.1\r\nHost: lo', 'leave'],
  'an answer nobody takes': [
    json('/graphql', {
      query: '{ __schema { types { name fields { name description type { name ofType { name } } } } } }',
    }),
    'leave',
  ],
  'a search nobody waits for': [
    json('/notes/_search', { size: 10, query: { match_all: {} }, aggs: { a: { terms: { field: 'title' } } } }),
    'leave',
  ],
  'a stream nobody reads': [
    whole(
      '/graphql/stream',
      'application/json',
      JSON.stringify({ query: 'subscription { noteCreated { id } }' }),
      'Accept: text/event-stream',
    ),
    'leave',
  ],
  'a pipelined mess': [`${head('GET / HTTP/1.1')}${head('GET /healthz HTTP/1.1')}\u009b\u009b`, 'leave'],
  'an upgrade that leaves': [upgrade(), 'leave'],
  'no frame': [upgrade(), Buffer.from([0xff, 0xff, 0x9b, 0x00, 0x01])],
  'no UTF-8 in a frame': [upgrade(), frame(1, Buffer.from([0xff, 0x9b]))],
  'no JSON in a frame': [upgrade(), frame(1, Buffer.from(`{"type": "${EVIL}`))],
  'an evil message': [upgrade(), frame(1, Buffer.from(JSON.stringify({ type: EVIL })))],
  'a deep message': [upgrade(), frame(1, Buffer.from(deep(5000)))],
  'a message too early': [
    upgrade(),
    frame(1, Buffer.from(JSON.stringify({ id: EVIL, type: 'subscribe', payload: { query: '{ x }' } }))),
  ],
  'an evil operation': [
    upgrade(),
    frame(1, Buffer.from('{"type":"connection_init"}')),
    frame(
      1,
      Buffer.from(JSON.stringify({ id: EVIL, type: 'subscribe', payload: { query: `subscription { ${EVIL} }` } })),
    ),
  ],
  'a server message': [
    upgrade(),
    frame(1, Buffer.from('{"type":"connection_init"}')),
    frame(1, Buffer.from(JSON.stringify({ id: '1', type: 'next', payload: {} }))),
  ],
  'an evil close': [upgrade(), frame(8, Buffer.concat([Buffer.from([0x0f, 0xa0]), evilBytes]))],
  'a subprotocol nobody knows': [upgrade().replace('graphql-transport-ws', 'other')],
  'an upgrade to nowhere': [upgrade().replace('/graphql', '/%C2%9B')],
  'an upgrade without a key': [upgrade().replace('AAAAAAAAAAAAAAAAAAAAAA==', 'x')],
};

async function send(port: number, parts: readonly (string | Uint8Array)[]): Promise<void> {
  const socket: Socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.resume();
  for (const part of parts) {
    if (part === 'leave') socket.resetAndDestroy();
    else socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    await sleep(5);
  }
  // An answer closes the connection, or it stays silent: both are fine.
  await Promise.race([socket.closed ? undefined : once(socket, 'close'), sleep(700)]);
  socket.destroy();
}

for (const format of ['json', 'pretty'] as const) {
  test(`3.4 nothing that a client sends or does is an error of the log, several lines or a control character (${format})`, async (context) => {
    const { port, lines, close } = await start(context, format);
    await Promise.all(Object.values(MESSAGES).map((parts) => send(port, parts)));
    await close();
    for (const line of lines) check(line, format);
    ok(lines.length > 10);
  });
}

function check(line: string, format: string): void {
  equal(line.indexOf('\n'), line.length - 1, JSON.stringify(line));
  equal(UNSAFE.test(line), false, JSON.stringify(line));
  match(line, format === 'json' ? /"level":"(?:info|debug)"/ : /^\S+ (?:info|debug) /);
  ok(line.length < 1500, line);
}
