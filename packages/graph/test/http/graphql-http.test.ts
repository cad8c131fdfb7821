import { deepEqual, equal, match } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { auditServer } from 'graphql-http';
import { createGraph } from '../../src/execute/create-graph.ts';
import { createHttpHandler } from '../../src/http/graphql-http.ts';
import type { HttpAnswer } from '../../src/http/http-contract.ts';
import { openSqliteStore } from '../../src/store/store-sqlite.ts';
import { modelOf } from '../photo-schema.ts';

const model = modelOf(
  'type Item { id: ID! name: String } type Query { Item(id: ID!): Item items: [Item!]! } type Mutation { addItem(name: String): Item! }',
);
const store = await openSqliteStore({ file: ':memory:' });
const graph = await createGraph({ model, store });
const handler = createHttpHandler(graph);
after(() => store.close());

const json = { 'content-type': 'application/json' };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function post(body: unknown, headers: Record<string, string> = json, handle = handler): Promise<HttpAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return handle({ method: 'POST', query: new URLSearchParams(), headers, body: bytes(text) });
}

async function get(query: Record<string, string>, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  return handler({ method: 'GET', query: new URLSearchParams(query), headers });
}

function codeOf(answer: HttpAnswer): unknown {
  const { errors } = JSON.parse(answer.body) as { errors?: { extensions?: { code?: string } }[] };
  return errors?.[0]?.extensions?.code;
}

test('all audits of graphql-http pass over a socket', async () => {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const url = new URL(request.url!, 'http://localhost');
      const headers = request.headers as Record<string, string | undefined>;
      void Promise.resolve(
        handler({ method: request.method!, query: url.searchParams, headers, body: Buffer.concat(parts) }),
      ).then((answer) => response.writeHead(answer.status, answer.headers).end(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const results = await auditServer({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` });
  server.closeAllConnections();
  server.close();
  const failed = results.filter((result) => result.status !== 'ok');
  deepEqual(
    failed.map((result) => [result.id, result.name, 'reason' in result ? result.reason : '']),
    [],
  );
  equal(results.length, 61);
});

test('a query answers by POST and GET, a mutation by POST only', async () => {
  const query = '{ items { id } }';
  equal((await post({ query })).status, 200);
  const answer = await get({ query });
  deepEqual([answer.status, answer.body, answer.headers['cache-control']], [200, '{"data":{"items":[]}}', 'no-store']);
  const mutation = await get({ query: 'mutation { addItem(name: "x") { id } }' });
  deepEqual([mutation.status, mutation.headers['allow'], codeOf(mutation)], [405, 'POST', 'GRAPH_HTTP_READ_ONLY']);
});

test('an unreadable request is rejected with its own code and not executed', async () => {
  const query = '{ items { id } }';
  const cases: readonly (readonly [Promise<HttpAnswer>, number, string])[] = [
    [post('{"query":'), 400, 'GRAPH_HTTP_BODY'],
    [post(''), 400, 'GRAPH_HTTP_BODY'],
    [post('"text"'), 400, 'GRAPH_HTTP_BODY'],
    [post([{ query }]), 400, 'GRAPH_HTTP_BATCH'],
    [post({}), 400, 'GRAPH_HTTP_PARAMETER'],
    [post({ query: 5 }), 400, 'GRAPH_HTTP_PARAMETER'],
    [post({ query, variables: [] }), 400, 'GRAPH_HTTP_PARAMETER'],
    [post({ query, operationName: {} }), 400, 'GRAPH_HTTP_PARAMETER'],
    [post({ query }, {}), 415, 'GRAPH_HTTP_CONTENT_TYPE'],
    [post({ query }, { 'content-type': 'text/plain' }), 415, 'GRAPH_HTTP_CONTENT_TYPE'],
    [post({ query }, { 'content-type': 'application/json; charset=latin1' }), 415, 'GRAPH_HTTP_CONTENT_TYPE'],
    [post({ query }, { ...json, accept: 'text/html' }), 406, 'GRAPH_HTTP_ACCEPT'],
    [get({ query, variables: '{' }), 400, 'GRAPH_HTTP_PARAMETER'],
    [get({}), 400, 'GRAPH_HTTP_PARAMETER'],
    [
      Promise.resolve(handler({ method: 'PUT', query: new URLSearchParams(), headers: json })),
      405,
      'GRAPH_HTTP_METHOD',
    ],
    [
      Promise.resolve(
        handler({ method: 'POST', query: new URLSearchParams(), headers: json, body: Uint8Array.of(0x22, 0xff, 0x22) }),
      ),
      400,
      'GRAPH_HTTP_BODY',
    ],
  ];
  for (const [answer, status, code] of cases) deepEqual([(await answer).status, codeOf(await answer)], [status, code]);
});

test('a missing content type is named in the error', async () => {
  match((await post({ query: '{ items { id } }' }, {})).body, /The request has no content type\./);
  const other = await post({ query: '{ items { id } }' }, { 'content-type': 'text/plain' });
  match(other.body, /The request has the content type \\"text\/plain\\"\./);
});

test('the preferred media type decides the status of unexecuted requests', async () => {
  const broken = { query: '{ nothing }' };
  const modern = await post(broken, { ...json, accept: 'application/json;q=0.5, application/graphql-response+json' });
  match(modern.headers['content-type']!, /^application\/graphql-response\+json/);
  equal(modern.status, 400);
  equal((await post(broken, { ...json, accept: 'application/json' })).status, 200);
});

test('a persisted query is found by its hash alone', async () => {
  const query = '{ items { name } }';
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  match((await post({ extensions })).body, /PersistedQueryNotFound/);
  equal((await post({ query, extensions })).body, '{"data":{"items":[]}}');
  equal((await get({ extensions: JSON.stringify(extensions) })).body, '{"data":{"items":[]}}');
  equal(codeOf(await post({ query: '{ items { id } }', extensions })), 'GRAPH_PERSISTED_MISMATCH');
  equal(codeOf(await post({ query, extensions: { persistedQuery: { version: 2 } } })), 'GRAPH_HTTP_PARAMETER');
});

test('with onlyTrusted, other operations are rejected before parsing', async () => {
  const strict = createHttpHandler(graph, { trusted: { 'items:1': '{ items { id } }' }, onlyTrusted: true });
  equal((await post({ documentId: 'items:1' }, json, strict)).body, '{"data":{"items":[]}}');
  equal(codeOf(await post({ query: '{ items { id } }' }, json, strict)), 'GRAPH_TRUSTED_ONLY');
  equal(codeOf(await post({ documentId: 'other' }, json, strict)), 'GRAPH_DOCUMENT_UNKNOWN');
});

test('any body gets a JSON response, never a 500', async () => {
  const shaped = fc.record(
    { query: fc.anything(), variables: fc.anything(), operationName: fc.anything(), extensions: fc.anything() },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    fc.json().map(bytes),
    fc.uint8Array(),
    shaped.map((value) => {
      try {
        return bytes(JSON.stringify(value));
      } catch {
        return bytes('{}');
      }
    }),
    fc.string().map((query) => bytes(JSON.stringify({ query }))),
  );
  await fc.assert(
    fc.asyncProperty(body, async (each) => {
      const answer = await handler({ method: 'POST', query: new URLSearchParams(), headers: json, body: each });
      equal(answer.status < 500, true);
      equal(typeof JSON.parse(answer.body), 'object');
    }),
    { numRuns: 300 },
  );
});
