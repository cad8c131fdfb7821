// Traces of a server, started as the guide says, arrive at a collector: requests, operations, statements and searches as
// one tree, without values, secrets and what the caller may not see.
import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { startCli } from '../../packages/server/test/cli/run-cli.ts';
import { temporaryFolder } from '../../packages/server/test/temporary-folder.ts';
import { ROOT } from '../docs/code-blocks.ts';

/** A span as OTLP has it in JSON. */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

interface Received {
  readonly resourceSpans: readonly {
    readonly resource: Pick<Span, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

interface Answer {
  readonly data: Readonly<Record<string, unknown>>;
}

const SCHEMA = `
  type Note @entity @auth(read: "owner == authentication.name") {
    id: ID!
    title: String! @search
    owner: String! @search
  }
  type Query { searchNotes(query: String!, first: Int = 5): NoteSearchConnection!  traceparent: String! }
  input CreateNoteInput { title: String!  owner: String! }
  type Mutation { createNote(input: CreateNoteInput!): Note }
`;

const RESOLVERS = `
  import { context, propagation } from ${JSON.stringify(import.meta.resolve('@opentelemetry/api'))};
  export default {
    Query: {
      traceparent: () => {
        const headers = {};
        propagation.inject(context.active(), headers);
        return headers.traceparent;
      },
    },
  };
`;

const TRACE = '0af7651916cd43dd8448eb211c80319c';

test('spans of requests, operations, statements and searches reach a collector, and none tells a value', async (context) => {
  const received: Received[] = [];
  const collector = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      equal(`${request.method} ${request.url}`, 'POST /v1/traces');
      received.push(JSON.parse(text));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  context.after(() => collector.close());
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const folder = temporaryFolder(context, {
    'schema.graphql': SCHEMA,
    'resolvers.mjs': RESOLVERS,
    'lockstitch.config.mjs': `export default ${JSON.stringify({
      tracing: true,
      csrf: { enabled: false },
      console: false,
      resolvers: './resolvers.mjs',
    })};`,
  });
  const { child, out, exit } = await startCli(['start', folder, '--port', '0'], /Index .*\n/, {
    NODE_OPTIONS: `--import=${pathToFileURL(join(ROOT, 'deploy/opentelemetry/telemetry.mjs')).href}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_SERVICE_NAME: 'notes',
    LOCKSTITCH_USER_PASSWORD: 'hunter2',
  });
  context.after(() => child.kill('SIGKILL'));
  const url = /http:\S+?(?=\/graphql)/.exec(out())![0];
  const headers = {
    authorization: `Basic ${btoa('user:hunter2')}`,
    'content-type': 'application/json',
    traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
  };
  const graph = async (query: string, variables = {}): Promise<Answer> => {
    const init = { method: 'POST', headers, body: JSON.stringify({ query, variables }) };
    const answer = await fetch(`${url}/graphql?token=query-secret`, init);
    return (await answer.json()) as Answer;
  };
  await graph('mutation { createNote(input: { title: "literal-secret", owner: "somebody" }) { id } } # comment-secret');
  await graph('mutation($i: CreateNoteInput!) { createNote(input: $i) { id title } }', {
    i: { title: 'variable-secret', owner: 'user' },
  });
  await graph('{ searchNotes(query: "searched-secret") { totalCount edges { node { title } } } }');
  const { data } = await graph('{ traceparent }');
  // What a resolver passes on belongs to the same trace.
  equal(String(data['traceparent']).split('-')[1], TRACE);
  const body = JSON.stringify({ query: { match: { title: 'body-secret' } } });
  equal((await fetch(`${url}/notes/_search`, { method: 'POST', headers, body })).status, 200);
  child.kill('SIGTERM');
  equal(await exit, 0);

  deepEqual(received[0]!.resourceSpans[0]!.resource.attributes.find(({ key }) => key === 'service.name')?.value, {
    stringValue: 'notes',
  });
  const spans = received.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  const parentOf = ({ parentSpanId }: Span): Span | undefined => spans.find(({ spanId }) => spanId === parentSpanId);
  const pathTo = (span: Span): string => {
    const parent = parentOf(span);
    return parent === undefined ? span.name : `${pathTo(parent)} > ${span.name}`;
  };
  const paths = new Set(spans.map(pathTo));
  for (const path of [
    'POST /graphql > mutation > graphql.execute > INSERT',
    'POST /graphql > query > graphql.execute > search',
    'POST /{index}/_search > search',
  ])
    ok(paths.has(path), `${path} is not in\n${[...paths].join('\n')}`);
  ok(spans.every(({ traceId }) => traceId === TRACE));
  doesNotMatch(JSON.stringify(received), /[a-z]+-secret|hunter2|somebody/);
});
