import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { AS_USER, startApp, testBothWays } from './start-app.ts';

const NOBODY = { authorization: '' };

testBothWays('without rules every path needs a valid user, whatever it is', async (context, transport) => {
  const { call } = await startApp(context, { transport });
  for (const path of ['/', '/graphql', '/_search', '/notes/_search', '/nothing/here']) {
    equal((await call(path, { headers: NOBODY })).status, 401, path);
  }
  equal((await call('/_search')).status, 200);
  equal((await call('/graphql', { json: { query: '{ notes { id } }' } })).text, '{"data":{"notes":[]}}');
});

testBothWays('health checks answer without credentials and tell nothing else', async (context, transport) => {
  const { call } = await startApp(context, { transport });
  equal((await call('/healthz', { headers: NOBODY })).text, '{"status":"ok"}');
  equal(
    (await call('/readyz', { headers: NOBODY })).text,
    '{"status":"ready","doors":{"graph":{"status":"ready"},"search":{"status":"ready","lag":0}}}',
  );
  equal((await call('/healthz', { method: 'HEAD', headers: NOBODY })).text, '');
  const refused = await call('/healthz', { method: 'DELETE', headers: { ...AS_USER } });
  equal(refused.status, 403);
});

testBothWays('POST / and POST /graphql are the graph, and want JSON', async (context, transport) => {
  const { call } = await startApp(context, { transport });
  for (const path of ['/', '/graphql']) {
    equal((await call(path, { json: { query: '{ __typename }' } })).text, '{"data":{"__typename":"Query"}}');
    equal((await call(path, { body: 'query={__typename}', headers: { 'content-type': 'text/plain' } })).status, 415);
    equal((await call(path, { body: '{"query":', headers: { 'content-type': 'application/json' } })).status, 400);
  }
  equal((await call('/graphql?query={__typename}')).text, '{"data":{"__typename":"Query"}}');
  equal((await call('/graphql', { method: 'PUT', json: {} })).status, 405);
});

testBothWays('GET / is the console for a browser and the search status for a program', async (context, transport) => {
  const { call } = await startApp(context, { transport });
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const path of ['/', '/graphql']) {
    const browser = await call(path, { headers });
    equal(browser.status, 302);
    equal(browser.headers['location'], '/_console/');
  }
  equal((await call('/graphql?query={__typename}', { headers })).status, 200);
  const program = await call('/?pretty');
  match(program.json.version.number, /^\d+\.\d+/);
  match(program.text, /^\{\n/);
});

testBothWays('a body past the limit is answered 413, packed or not', async (context, transport) => {
  const { call } = await startApp(context, { transport, config: { limits: { bodySize: 1000 } } });
  const query = `{ notes { id } } #${' '.repeat(5000)}`;
  const plain = await call('/graphql', { json: { query } });
  equal(plain.status, 413);
  equal(plain.json.code, 'SERVER_BODY_TOO_LARGE');
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  equal((await call('/graphql', { body: gzipSync(JSON.stringify({ query })), headers })).status, 413);
  const small = gzipSync('{"query":"{ notes { id } }"}');
  equal((await call('/graphql', { body: small, headers })).text, '{"data":{"notes":[]}}');
});

testBothWays('unknown paths and methods are refused as JSON that says what is possible', async (context, transport) => {
  const { call } = await startApp(context, { transport, config: { rules: [{ any: true, access: 'authenticated' }] } });
  const missing = await call('/_console/nothing.js');
  equal(missing.status, 404);
  deepEqual(Object.keys(missing.json).slice(0, 4), ['status', 'error', 'message', 'path']);
  const method = await call('/readyz', { method: 'POST' });
  equal(method.status, 405);
  equal(method.headers['allow'], 'GET, HEAD');
  const index = await call('/nope/_search');
  equal(index.status, 404);
  equal(index.json.error.type, 'index_not_found_exception');
  const malformed = await call('/notes/_search', {
    body: '{"query":',
    headers: { 'content-type': 'application/json' },
  });
  equal(malformed.status, 400);
});

testBothWays('routes and files of the application stand behind the same chain', async (context, transport) => {
  const { call, folder } = await startApp(context, {
    transport,
    files: {
      'hello.txt': 'hello',
      'lockstitch.config.mjs': `export default {
        static: '.',
        rules: [{ ant: '/open/*', access: 'permitAll' }, { any: true, access: 'authenticated' }],
        csrf: { ignore: [{ ant: '/echo', method: 'POST' }] },
        routes: [
          { path: '/open/:name.svg', handle: ({ params, principal }) => params.name === 'none' ? undefined
              : { headers: { 'content-type': 'image/svg+xml' }, body: '<svg>' + params.name + principal.name + '</svg>' } },
          { path: '/echo', method: 'POST', handle: ({ body }) => ({ status: 201, body }) },
          { path: '/broken', handle: () => { throw new Error('hunter2'); } },
        ],
      };`,
    },
  });
  const picture = await call('/open/a.svg', { headers: NOBODY });
  equal(picture.text, '<svg>aanonymousUser</svg>');
  equal(picture.headers['content-type'], 'image/svg+xml');
  equal(picture.headers['x-content-type-options'], 'nosniff');
  equal((await call('/open/none.svg', { headers: NOBODY })).status, 404);
  equal((await call('/echo', { body: 'x' })).status, 201);
  equal((await call('/echo')).status, 405);
  const broken = await call('/broken');
  equal(broken.status, 500);
  equal(broken.text.includes('hunter2'), false);
  equal((await call('/hello.txt', { headers: NOBODY })).status, 401);
  const file = await call('/hello.txt');
  equal(file.text, 'hello');
  equal((await call('/hello.txt', { headers: { 'if-none-match': file.headers['etag']! } })).status, 304);
  for (const path of ['/../package.json', '/%2e%2e/package.json', '/..%2fpackage.json', '/.lockstitch', folder]) {
    match(String((await call(path)).status), /^4/, path);
  }
});

testBothWays('the CSRF token is asked for where the configuration does not exclude it', async (context, transport) => {
  const { call } = await startApp(context, { transport, config: { csrf: {} } });
  const refused = await call('/graphql', { json: { query: '{ __typename }' } });
  equal(refused.status, 403);
  const token = await call('/csrf');
  const cookie = token.headers['set-cookie']!.split(';')[0]!;
  const headers = { cookie, [token.json.headerName]: token.json.token };
  equal((await call('/graphql', { json: { query: '{ __typename }' }, headers })).status, 200);
});

testBothWays('services reach resolvers, and a resolver may write', async (context, transport) => {
  const { graph } = await startApp(context, {
    transport,
    schema: `type Author @entity { login: ID! @id } type Query { hello: String! author(login: ID!): Author } type Mutation { greet: Boolean! }`,
    files: {
      'lockstitch.config.mjs': `export default { services: { word: 'hi' }, csrf: { enabled: false } };`,
      'resolvers.mjs': `export default { Query: { hello: (p, a, { services, principal }) => services.word + ' ' + principal.name },
        Mutation: { greet: async (p, a, { services }) => { await services.write('Author', [{ login: 'ada' }]); return true; } } };`,
    },
  });
  deepEqual(await graph('{ hello }'), { hello: 'hi user' });
  deepEqual(await graph('mutation { greet }'), { greet: true });
  deepEqual(await graph('{ author(login: "ada") { login } }'), { author: { login: 'ada' } });
});

test('a seed fills an empty database once; a bad row is reported and stops the start', async (context) => {
  const seed = `export default { data: './data', seed: async ({ write }) => write('Author', [{ login: 'ada', name: 'Ada' }]) };`;
  const first = await startApp(context, { files: { 'lockstitch.config.mjs': seed }, data: undefined as never });
  equal((await first.call('/authors/_count')).json.count, 1);
  await first.close();
  const again = await startApp(context, {
    files: { 'lockstitch.config.mjs': seed },
    folder: first.folder,
    data: undefined as never,
  });
  equal((await again.call('/authors/_count')).json.count, 1);
  const bad = `export default { seed: async ({ write }) => write('Author', [{ name: 'nobody' }]) };`;
  await rejects(startApp(context, { files: { 'lockstitch.config.mjs': bad } }), {
    code: 'SERVER_SEED_FAILED',
    message: /row 1 of Author/,
  });
});

test('answers that need no waiting leave the connection open, also for requests sent ahead', async (t) => {
  const { url } = await startApp(t);
  const { port } = new URL(url);
  const get = 'GET /healthz HTTP/1.1\r\nHost: h\r\n';
  const text = await new Promise<string>((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`${get}\r\n${get}\r\n${get}Connection: close\r\n\r\n`),
    );
    socket.on('data', (piece) => (received += String(piece)));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
  equal(text.split('HTTP/1.1 200').length - 1, 3);
});
