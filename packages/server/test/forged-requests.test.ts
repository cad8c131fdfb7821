// Requests that a page of another origin can have a browser send without asking first, and requests that are hardly HTTP:
// none of them writes, none of them reads what the rules keep closed, each is answered with a code.
import { deepEqual, equal, match } from 'node:assert/strict';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';

import { startApp, testBothWays } from './start-app.ts';

/** Content types that need no preflight (Fetch, "CORS-safelisted request-header"), some of them with JSON in the wrong place. */
const SAFELISTED = [
  'text/plain',
  'text/plain; a=application/json',
  'application/x-www-form-urlencoded;application/json',
  'multipart/form-data; boundary=application/json',
];

testBothWays(
  'no form or plain text is taken for JSON, on any path that changes something',
  async (context, transport) => {
    const { call, graph } = await startApp(context, { transport });
    const mutation = JSON.stringify({ query: 'mutation { createAuthor(input: {login: "evil"}) { login } }' });
    const headers = { origin: 'http://evil.example', accept: 'text/event-stream' };
    for (const type of SAFELISTED) {
      for (const path of ['/', '/graphql', '/graphql/stream']) {
        const answer = await call(path, { body: mutation, headers: { ...headers, 'content-type': type } });
        // 406 where the answer that is wished for is none of the path's.
        equal([406, 415].includes(answer.status), true, `${path} ${type}: ${answer.status}`);
      }
      for (const path of ['/evil/_create/1', '/evil/_doc', '/_aliases', '/notes/_search', '/_bulk']) {
        const answer = await call(path, { body: '{"a":1}\n', headers: { 'content-type': type } });
        equal(answer.status, 406, `${path} ${type}`);
        match(String(answer.json.error), /^Content-Type header \[.*\] is not supported$/);
      }
    }
    equal((await call('/evil/_doc/1', { method: 'POST', body: '{"a":1}' })).status, 406);
    deepEqual(await graph('{ author(login: "evil") { login } }'), { author: null });
    equal((await call('/evil/_search')).status, 404);
  },
);

testBothWays('an index that only the body names does not escape the rule for the path', async (context, transport) => {
  const { call, graph } = await startApp(context, {
    transport,
    config: {
      search: { refreshInterval: 1 },
      rules: [
        { ant: '/open/*', access: 'permitAll' },
        { any: true, access: 'authenticated' },
      ],
    },
  });
  await graph('mutation { createAuthor(input: {login: "ada", name: "Ada"}) { login } }');
  const nobody = { authorization: '' };
  const lines = (...objects: object[]): string => objects.map((each) => `${JSON.stringify(each)}\n`).join('');
  const ndjson = { ...nobody, 'content-type': 'application/x-ndjson' };
  for (const [path, body, headers] of [
    ['/open/_msearch', lines({ index: 'authors' }, { size: 1 }), ndjson],
    [
      '/open/_mget',
      JSON.stringify({ docs: [{ _index: 'authors', _id: 'ada' }] }),
      { ...nobody, 'content-type': 'application/json' },
    ],
    [
      '/open/_search',
      JSON.stringify({ query: { terms: { x: { index: 'authors', id: 'ada', path: 'name' } } } }),
      { ...nobody, 'content-type': 'application/json' },
    ],
    ['/open/_bulk', lines({ index: { _index: 'mine', _id: '1' } }, { a: 1 }), ndjson],
  ] as const) {
    for (const method of ['GET', 'POST']) {
      const answer = await call(path, { method, body, headers });
      equal(/"Ada"|"created"/.test(answer.text), false, `${method} ${path}: ${answer.text}`);
      equal(answer.status >= 400, true, `${method} ${path}: ${answer.text}`);
    }
  }
});

test('health answers without credentials also where the application has rules of its own for the console', async (context) => {
  const { call } = await startApp(context, {
    config: {
      rules: [
        { ant: '/_console/**', access: 'permitAll' },
        { any: true, access: 'authenticated' },
      ],
    },
  });
  equal((await call('/healthz', { headers: { authorization: '' } })).status, 200);
  equal((await call('/notes/_search', { headers: { authorization: '' } })).status, 401);
});

test('an upgrade that the server does not take is ignored', async (context) => {
  const answer = await raw(context, [
    'GET /healthz HTTP/1.1',
    'Host: localhost',
    'Connection: Upgrade, HTTP2-Settings, close',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQAAP__',
  ]);
  match(answer, /^HTTP\/1\.1 200 /);
});

test('a request that cannot be parsed is 400 with a code, one with too large a head 431', async (context) => {
  match(await raw(context, ['GET / HTTP/9.9', 'Host: x']), /^HTTP\/1\.1 400 [^]*SERVER_BAD_REQUEST/);
  match(
    await raw(context, ['POST / HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Transfer-Encoding: chunked']),
    /^HTTP\/1\.1 400 [^]*SERVER_BAD_REQUEST/,
  );
  match(
    await raw(context, ['GET / HTTP/1.1', 'Host: x', `X: ${'x'.repeat(40_000)}`]),
    /^HTTP\/1\.1 431 [^]*SERVER_HEADERS_TOO_LARGE/,
  );
});

/** Sends the lines as they are and answers all that comes back. */
async function raw(context: TestContext, lines: readonly string[]): Promise<string> {
  const { url } = await startApp(context);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (piece) => (text += String(piece)));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });
}
