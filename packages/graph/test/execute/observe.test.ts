// Observing an operation: explanations for callers who may request them, and spans of the real OpenTelemetry SDK.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { Explanation } from '../../src/execute/explain.ts';
import { openGraph, type Answer } from './open-graph.ts';

const SDL = `
  type Note { id: ID! text: String! author: Author! }
  type Author { id: ID! name: String! notes: [Note!]! loud: String }
  type Query { note(id: ID!): Note notes(first: Int = 10): [Note!]! fails: Int listed(where: NoteFilter): [Note!]! }
  type Mutation { addAuthor(name: String!): Author! addNote(text: String!, author: ID!): Note! }
`;
const resolvers = {
  Author: {
    loud: {
      needs: ['name'],
      resolve: (needs: Readonly<Record<string, unknown>>) => String(needs['name']).toUpperCase(),
    },
  },
  Query: {
    fails: () => {
      throw new Error('a secret');
    },
  },
};
const ROWS = `INSERT INTO authors (id, name) VALUES (1, 'Ann'); INSERT INTO notes (id, text, author) VALUES (1, 'one', 1)`;
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
const t = await openGraph(SDL, ROWS, resolvers, {
  explain: (principal) => principal.authorities.has('explain'),
  tracing: { tracer: trace.getTracer('test'), activeSpan: () => trace.getActiveSpan() },
});
after(() => t.close());
const boss = createPrincipal('boss', ['explain']);

interface Explained {
  readonly operation: string;
  readonly answeredBy: string;
  readonly cost: number;
  readonly milliseconds: number;
  readonly phases: readonly { readonly phase: string; readonly milliseconds: number }[];
  readonly statements: readonly {
    readonly sql: string;
    readonly parameters: number;
    readonly plan?: readonly string[];
  }[];
}

async function explain(query: string): Promise<{ readonly answer: Answer; readonly explained: Explained }> {
  const { body } = await t.graph.execute({ query, extensions: { explain: true } }, { principal: boss });
  const answer = JSON.parse(body) as Answer & { readonly extensions: { readonly explain: Explained } };
  return { answer, explained: answer.extensions.explain };
}

test('statements that run side by side are explained in the order in which they start', async () => {
  const explanation = new Explanation();
  const ends: (() => void)[] = [];
  const runs = ['SELECT 1', 'SELECT 2'].map((sql) =>
    explanation.statement(sql, [], () => new Promise<void>((resolve) => ends.push(resolve))),
  );
  for (const end of ends.toReversed()) {
    end();
    await new Promise(setImmediate);
  }
  await Promise.all(runs);
  const { body } = await explanation.tell({ body: '{"data":{}}', executed: true }, t.graph.store, undefined);
  const { extensions } = JSON.parse(body) as { extensions: { explain: Explained } };
  assert.deepEqual(
    extensions.explain.statements.map(({ sql }) => sql),
    ['SELECT 1', 'SELECT 2'],
  );
});

test('an explanation contains phases, SQL and query plan', async () => {
  const { answer, explained } = await explain('query Q { note(id: 1) { text author { name } } }');
  assert.deepEqual(answer.data, { note: { text: 'one', author: { name: 'Ann' } } });
  const { operation, answeredBy, statements, phases, cost } = explained;
  assert.deepEqual([operation, answeredBy, statements.length, cost], ['query', 'statement', 1, 4]);
  assert.deepEqual(
    phases.map(({ phase }) => phase),
    ['parse', 'validate', 'compile', 'execute'],
  );
  assert.match(statements[0]!.sql, /^SELECT/);
  assert.equal(statements[0]!.parameters, 1);
  assert.match(statements[0]!.plan!.join('\n'), /SEARCH .* USING INTEGER PRIMARY KEY/);
  // Known by now: nothing is parsed or compiled again.
  const again = await explain('query Q { note(id: 1) { text author { name } } }');
  assert.deepEqual(
    again.explained.phases.map(({ phase }) => phase),
    ['execute'],
  );
});

test('an operation with resolvers is reported as executed by graphql-js', async () => {
  const { answer, explained } = await explain('{ notes { author { loud } } }');
  assert.deepEqual(answer.data, { notes: [{ author: { loud: 'ANN' } }] });
  assert.equal(explained.answeredBy, 'graphql-js');
  assert.equal(explained.statements.length, 1);
});

test('a mutation is executed and its statements reported; errors stay the same', async () => {
  const { answer, explained } = await explain('mutation { addNote(text: "two", author: 1) { id } }');
  assert.deepEqual(answer.data, { addNote: { id: '2' } });
  assert.ok(explained.statements.some(({ sql }) => sql.startsWith('INSERT')));
  const refused = await explain('{ nope }');
  assert.equal(refused.answer.errors?.[0]?.extensions['code'], 'GRAPH_VALIDATION');
  assert.deepEqual(refused.explained.statements, []);
});

test('callers without the right to explain are rejected; other values of explain do nothing', async () => {
  const { body } = await t.graph.execute({ query: '{ nope }', extensions: { explain: true } });
  assert.match(body, /"code":"GRAPH_EXPLAIN_FORBIDDEN"/);
  assert.doesNotMatch(body, /SELECT|nope/);
  for (const given of ['true', 1, {}, null]) {
    const plain = await t.graph.execute({ query: '{ note(id: 1) { text } }', extensions: { explain: given } });
    assert.equal(plain.body, '{"data":{"note":{"text":"one"}}}');
  }
});

async function spansOf(query: string): Promise<readonly ReadableSpan[]> {
  exporter.reset();
  await t.graph.execute({ query });
  return exporter.getFinishedSpans();
}

test('an operation is a span with its phases and statements below it', async () => {
  const spans = await spansOf('query Traced { notes(first: 3) { text } }');
  assert.deepEqual(
    spans.map(({ name }) => name),
    ['graphql.parse', 'graphql.validate', 'graphql.compile', 'SELECT', 'graphql.execute', 'query'],
  );
  const operation = spans.at(-1)!;
  assert.equal(operation.kind, SpanKind.SERVER);
  assert.deepEqual(operation.attributes, {
    'graphql.document': 'query Traced { notes(first: 0) { text } }',
    'graphql.operation.type': 'query',
    'graphql.operation.name': 'Traced',
    'lockstitch.answered_by': 'statement',
  });
  const [statement, execute] = [spans[3]!, spans[4]!];
  assert.equal(statement.parentSpanContext?.spanId, execute.spanContext().spanId);
  assert.equal(execute.parentSpanContext?.spanId, operation.spanContext().spanId);
  assert.equal(statement.kind, SpanKind.CLIENT);
  assert.equal(statement.attributes['db.system.name'], 'sqlite');
  assert.equal(statement.attributes['db.operation.name'], 'SELECT');
  assert.match(String(statement.attributes['db.query.text']), /^SELECT/);
  assert.equal(operation.status.code, SpanStatusCode.UNSET);
});

test('the span of an operation shows no value, no member of a JSON value, and nothing that cannot be parsed', async () => {
  const shown = async (query: string): Promise<unknown> =>
    (await spansOf(query)).at(-1)!.attributes['graphql.document'];
  assert.equal(
    await shown(
      'query ($n: Int = 7) { listed(first: $n, sort: SECRET, where: { text: { eq: "x" }, secret: [1.5, true] }) @skip(if: false) { text } } # comment',
    ),
    'query ($n: Int = 0) { listed(first: $n, sort: _, where: { text: { eq: "" }, _: [0.0, _] }) @skip(if: _) { text } } ',
  );
  assert.equal(await shown('{ notes(password: "a") { secret hunter2'), '…');
});

test('server errors mark the span, client errors do not, and neither contains secrets', async () => {
  const failed = (await spansOf('{ fails }')).at(-1)!;
  assert.deepEqual([failed.status.code, failed.attributes['error.type']], [SpanStatusCode.ERROR, 'GRAPH_INTERNAL']);
  const refused = (await spansOf('{ nope }')).at(-1)!;
  assert.deepEqual([refused.name, refused.status.code], ['GraphQL Operation', SpanStatusCode.UNSET]);
  assert.doesNotMatch(JSON.stringify(exporter.getFinishedSpans().map(({ attributes }) => attributes)), /a secret/);
});

test('mutations are traced with their transactions; work outside operations creates no spans', async () => {
  const names = (await spansOf('mutation { addNote(text: "three", author: 1) { id } }')).map(({ name }) => name);
  assert.ok(names.includes('INSERT'), names.join());
  assert.equal(names.at(-1), 'mutation');
  exporter.reset();
  await t.graph.feed.head();
  await t.graph.loadDocuments('Note', { limit: 5 });
  assert.deepEqual(exporter.getFinishedSpans(), []);
});

test('the codes of all errors of answers are told, those of refused operations too', async () => {
  const codes: string[] = [];
  const { graph } = await openGraph(
    'type Query { notes(first: Int!): [Note!]! } type Note { id: ID! }',
    '',
    {},
    { onError: (code) => codes.push(code) },
  );
  const refused = [
    '{ nope }',
    '{ nope }',
    '{ notes(',
    'query ($n: Int!) { notes(first: $n) { id } }',
    '{ notes(first: -1) { id } }',
    'subscription { a }',
  ];
  for (const query of refused) await graph.execute({ query });
  assert.deepEqual(codes.slice(0, 4), [
    'GRAPH_VALIDATION',
    'GRAPH_VALIDATION',
    'GRAPH_SYNTAX',
    'GRAPH_VARIABLES_INVALID',
  ]);
  assert.equal(codes.length, refused.length);
});
