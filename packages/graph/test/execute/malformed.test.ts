// Whatever a client sends, the answer is JSON with data or coded errors, never a throw, and the graph goes on answering.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../kernel/test/code-point.ts';
import { openGraph } from './open-graph.ts';

const t = await openGraph(
  `scalar DateTime scalar BigInt scalar JSON
   type Photo @entity { id: ID! name: String taken: DateTime count: BigInt size: Int weight: Float any: JSON }
   type Query { photo(id: ID!): Photo photos(first: Int = 5, start: Int, where: PhotoFilter, orderBy: [PhotoOrder!]): [Photo!]! }`,
  `INSERT INTO photos (id, name) VALUES (1, 'One')`,
);
after(() => t.close());

async function isCivil(query: string, variables?: unknown): Promise<void> {
  const { body } = await t.graph.execute({ query, variables: variables as Record<string, unknown> });
  const answer = JSON.parse(body) as { data?: unknown; errors?: { message: string; extensions: { code: string } }[] };
  assert.ok('data' in answer || (answer.errors?.length ?? 0) > 0, body);
  for (const error of answer.errors ?? []) {
    assert.match(error.extensions.code, /^[A-Z_]+$/);
    assert.notEqual(error.extensions.code, 'GRAPH_INTERNAL', `${query} ${JSON.stringify(variables)} ${body}`);
    assert.doesNotMatch(error.message, /SQLITE|SELECT |\/src\/|node:/);
  }
}

test('any text gets a response as a document', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string({ unit: codePoint, maxLength: 200 }), fc.stringMatching(/^[\w{}()[\]:$@!.,"# |&=-]{0,80}$/)),
      (text) => isCivil(text),
    ),
    { numRuns: 500 },
  );
});

test('a valid document with a cut or doubled piece gets a response', async () => {
  const whole =
    'query Q($id: ID!, $w: PhotoFilter = { name: { eq: "x" } }) { photo(id: $id) { ...F any } photos(first: 2, where: $w) { id @skip(if: false) } } fragment F on Photo { name taken }';
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), fc.nat(12), fc.boolean(), (start, length, doubled) => {
      const piece = whole.slice(start, start + length);
      const text = doubled
        ? whole.slice(0, start) + piece + whole.slice(start)
        : whole.slice(0, start) + whole.slice(start + length);
      return isCivil(text, { id: '1' });
    }),
    { numRuns: 400 },
  );
});

test('any JSON gets a response as variables', async () => {
  const query =
    'query ($id: ID!, $first: Int, $where: PhotoFilter, $orderBy: [PhotoOrder!]) { photo(id: $id) { name } photos(first: $first, where: $where, orderBy: $orderBy) { id } }';
  const hostile = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(
      1e308,
      -1,
      2 ** 53,
      '__proto__',
      { name: { eq: null } },
      { name: { in: [null] } },
      { taken: { gt: '0000' } },
      { count: { lt: '1e9' } },
      { any: { isNull: false } },
      { weight: { gte: 1e300 } },
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.record({ id: hostile, first: hostile, where: hostile, orderBy: hostile }, { requiredKeys: ['id'] }),
      (variables) => isCivil(query, variables),
    ),
    { numRuns: 500 },
  );
});

test('texts of every kind round-trip', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 50 }), async (name) => {
      const answer = await t.ask(
        'query ($name: String) { photos(where: { or: [{ name: { eq: $name } }, { name: { ne: $name } }, { name: { contains: $name } }] }) { id } }',
        { variables: { name } },
      );
      assert.deepEqual(answer, { data: { photos: [{ id: '1' }] } });
    }),
    { numRuns: 200 },
  );
});

test('the graph still works after malformed input', async () => {
  assert.deepEqual(await t.ask('{ photo(id: 1) { name } }'), { data: { photo: { name: 'One' } } });
});
