// Keys of the configuration that decide who learns what at the graph's endpoint: introspection, explanations, trusted
// documents, spans.
import { deepEqual, doesNotMatch, equal, match, rejects } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { auditServer } from 'graphql-http';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

import { until } from '../../../kernel/test/until.ts';
import { AS_USER, startApp, type TestApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const USERS = {
  csrf: { enabled: false },
  passwordEncoder: 'delegating',
  users: [
    { username: 'dev', password: '{noop}pw', roles: ['DEVELOPER'] },
    { username: 'guest', password: '{noop}pw', authorities: ['read'] },
  ],
};
const as = (name: string): Record<string, string> => ({ authorization: `Basic ${btoa(`${name}:pw`)}` });

async function ask(app: TestApp, name: string, body: object, path = '/graphql'): Promise<string> {
  return (await app.call(path, { json: body, headers: as(name) })).text;
}

const WRONG = [
  { query: '{ notez { id } }' },
  { query: '{ notes { titel } }' },
  { query: '{ notes(frist: 1) { id } }' },
  { query: 'query ($f: Integer) { notes(first: $f) { id } }' },
  { query: '{ ... on Nota { id } }' },
  { query: 'mutation { createNote(input: { titel: "x", author: "a" }) { id } }' },
  { query: 'mutation ($i: CreateNoteInput!) { createNote(input: $i) { id } }', variables: { i: { titel: 'x' } } },
  { query: 'query ($s: [SortDirection]) { notes { id } }', variables: { s: 'ASCENDIN' } },
  { query: 'query { note(id: 1, idd: 2) { id } }' },
  { query: 'subscription { noteCreatd { id } }' },
];

test('introspection by role: other callers get no suggestions either', async (context) => {
  const app = await startApp(context, {
    config: { ...USERS, graph: { introspection: "hasRole('DEVELOPER')" } },
  });
  const introspect = { query: '{ __schema { queryType { name } } a: __type(name: "Note") { name } }' };
  match(await ask(app, 'dev', introspect), /"queryType":\{"name":"Query"\}/);
  match(await ask(app, 'guest', introspect), /"code":"GRAPH_INTROSPECTION_OFF"/);
  equal(await ask(app, 'guest', { query: '{ notes { __typename } }' }), '{"data":{"notes":[]}}');
  let suggested = 0;
  for (const wrong of WRONG) {
    const told = await ask(app, 'dev', wrong);
    if (told.includes('Did you mean')) suggested++;
    const hidden = await ask(app, 'guest', wrong);
    match(hidden, /"errors"/);
    doesNotMatch(hidden, /Did you mean/, JSON.stringify(wrong));
    const stream = await app.call('/graphql/stream', {
      json: wrong,
      headers: { ...as('guest'), accept: 'text/event-stream' },
    });
    doesNotMatch(stream.text, /Did you mean/, JSON.stringify(wrong));
  }
  equal(suggested >= 6, true, `only ${suggested} suggestions to those who may have them`);
});

test('only callers named by the configuration get explanations', async (context) => {
  const app = await startApp(context, { config: { ...USERS, graph: { explain: "hasRole('DEVELOPER')" } } });
  const body = { query: '{ notes { id } }', extensions: { explain: true } };
  match(await ask(app, 'dev', body), /"explain":\{"operation":"query","answeredBy":"statement"/);
  match(await ask(app, 'guest', body), /"code":"GRAPH_EXPLAIN_FORBIDDEN"/);
  const off = await startApp(context, { config: USERS });
  match(await ask(off, 'dev', body), /"code":"GRAPH_EXPLAIN_FORBIDDEN"/);
});

test('an invalid expression is reported with its key', async (context) => {
  await rejects(
    startApp(context, { config: { graph: { introspection: "hasRol('X')", explain: 'isAuthenticated() and' } } }),
    /graph\.introspection[^]*hasRol[^]*graph\.explain/,
  );
});

test('trusted operations are found by their id on every way in, and may be the only ones', async (context) => {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'operations.json'), JSON.stringify({ 'notes:1': '{ notes { id } }' }));
  const app = await startApp(context, {
    folder,
    config: { ...USERS, graph: { trusted: './operations.json', onlyTrusted: true } },
  });
  equal(await ask(app, 'guest', { documentId: 'notes:1' }), '{"data":{"notes":[]}}');
  match(await ask(app, 'guest', { query: '{ notes { id } }' }), /"code":"GRAPH_TRUSTED_ONLY"/);
  const stream = async (body: object): Promise<string> =>
    (await app.call('/graphql/stream', { json: body, headers: { ...as('guest'), accept: 'text/event-stream' } })).text;
  match(await stream({ documentId: 'notes:1' }), /data: \{"data":\{"notes":\[\]\}\}/);
  match(await stream({ query: '{ notes { id } }' }), /GRAPH_TRUSTED_ONLY/);
});

const manifest = (operations: unknown, rest: object = {}): string =>
  JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations, ...rest });

test("trusted operations come from Apollo's manifest, by the id that its clients send as a hash", async (context) => {
  const folder = temporaryFolder(context);
  const body = 'query Notes { notes { id } }';
  writeFileSync(
    join(folder, 'operations.json'),
    manifest([
      { id: 'a1', name: 'Notes', type: 'query', body },
      { id: 'a1', clientName: 'ios', name: 'Notes', type: 'query', body },
    ]),
  );
  const app = await startApp(context, {
    folder,
    config: { ...USERS, graph: { trusted: './operations.json', onlyTrusted: true } },
  });
  const answer = '{"data":{"notes":[]}}';
  equal(await ask(app, 'guest', { documentId: 'a1' }), answer);
  const extensions = { persistedQuery: { version: 1, sha256Hash: 'a1' } };
  equal(await ask(app, 'guest', { operationName: 'Notes', extensions }), answer);
  match(await ask(app, 'guest', { documentId: 'operations' }), /"code":"GRAPH_DOCUMENT_UNKNOWN"/);
});

test('an invalid manifest is rejected with its mistakes', async (context) => {
  const folder = temporaryFolder(context);
  const refused = async (text: string, expected: RegExp): Promise<void> => {
    writeFileSync(join(folder, 'operations.json'), text);
    await rejects(startApp(context, { folder, config: { graph: { trusted: 'operations.json' } } }), expected);
  };
  const notes = { id: 'n', name: 'Notes', type: 'query', body: 'query Notes { notes { id } }' };
  await refused(manifest([notes], { format: 'other' }), /has the format "other", which is not "apollo-/);
  await refused(manifest([notes], { format: undefined }), /has the format \(none\)/);
  await refused(manifest([notes], { version: 2 }), /has the version 2, which is not 1/);
  await refused(manifest({ n: notes.body }), /has no list "operations"/);
  await refused(
    manifest([notes, 5, { body: '{ a }' }, { id: 'x' }]),
    /operations\[1\] is no object; operations\[2\] has no text as its "id"; operations\[3\] \("x"\) has no text as its "body"/,
  );
  await refused(manifest([notes, { ...notes, body: '{ notes { title } }' }]), /"n"[^]*another operation with this id/);
  await refused(manifest([{ ...notes, type: 'mutation' }]), /"n"[^]*holds no mutation called "Notes"/);
  await refused(manifest([{ ...notes, name: 'Other' }]), /"n"[^]*holds no query called "Other"/);
  await refused(manifest([{ ...notes, body: 'query Notes { notez { id } }' }]), /"n"[^]*Cannot query field "notez"/);
});

test('a file of trusted operations that the schema cannot answer keeps the server from starting', async (context) => {
  const folder = temporaryFolder(context);
  writeFileSync(
    join(folder, 'operations.json'),
    JSON.stringify({ good: '{ notes { id } }', old: '{ notez { id } }', odd: 5 }),
  );
  await rejects(
    startApp(context, { folder, config: { graph: { trusted: 'operations.json' } } }),
    /"old" cannot be answered: Cannot query field "notez"[^]*"odd" cannot be answered: it is no text/,
  );
  await rejects(startApp(context, { config: { graph: { onlyTrusted: true } } }), /without "graph.trusted"/);
  await rejects(startApp(context, { config: { graph: { trusted: 'nowhere.json' } } }), /nowhere\.json/);
});

test('all audits of graphql-http pass through the whole server too', async (context) => {
  const app = await startApp(context, { config: { csrf: { enabled: false } } });
  const results = await auditServer({
    url: `${app.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', AS_USER.authorization);
      return fetch(url, { ...init, headers });
    },
  });
  const failed = results.filter(({ status }) => status !== 'ok');
  deepEqual([results.length, failed.map(({ id, name }) => `${id} ${name}`)], [61, []]);
});

test('a request is a span with the operation below it, part of the trace it came with', async (context) => {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  context.after(() => provider.shutdown());
  const app = await startApp(context, { transport: 'socket', config: { tracing: true, csrf: { enabled: false } } });
  exporter.reset();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await app.call('/graphql?secret=1', { json: { query: '{ notes { id } }' }, headers: { traceparent } });
  await app.call('/private-index/_search');
  // The span of a request ends last, when its connection has taken the answer.
  const isEnded = (wanted: string): boolean => exporter.getFinishedSpans().some(({ name }) => name === wanted);
  await until(() => isEnded('POST /graphql') && isEnded('GET /{index}/_search'));
  const spans = exporter.getFinishedSpans();
  const request = spans.find(({ name }) => name === 'POST /graphql')!;
  deepEqual(
    [request.spanContext().traceId, request.parentSpanContext?.spanId],
    ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'],
  );
  const { attributes } = request;
  deepEqual(
    ['http.request.method', 'http.route', 'url.path', 'http.response.status_code'].map((name) => attributes[name]),
    ['POST', '/graphql', '/graphql', 200],
  );
  const below = spans.filter((span) => span.spanContext().traceId === request.spanContext().traceId);
  deepEqual(
    below.map(({ name }) => name),
    ['graphql.parse', 'graphql.validate', 'graphql.compile', 'SELECT', 'graphql.execute', 'query', 'POST /graphql'],
  );
  equal(below.find(({ name }) => name === 'query')!.parentSpanContext?.spanId, request.spanContext().spanId);
  equal(
    spans.some(({ name }) => name === 'GET /{index}/_search'),
    true,
  );
  doesNotMatch(JSON.stringify(spans.map((span) => span.attributes)), /secret|Basic|correct horse/);
});
