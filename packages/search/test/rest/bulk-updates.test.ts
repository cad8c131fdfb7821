// Updates in bulk requests: each is made of the document as the lines before left it, and answers what it would by itself.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEngine, createRestApi } from '@lockstitch/search';
import { type Ask, startRest } from './harness.ts';

/** One line of a bulk request, and the same as a request of its own. */
interface Line {
  readonly action: 'index' | 'create' | 'update' | 'delete';
  readonly id: string;
  readonly body?: object;
}

const change = fc.record(
  { a: fc.integer({ min: 0, max: 1 }), o: fc.record({ b: fc.integer({ min: 0, max: 1 }) }) },
  { requiredKeys: [] },
);
const line: fc.Arbitrary<Line> = fc
  .record({
    id: fc.constantFrom('1', '2', '3'),
    rest: fc.oneof(
      fc.record({ action: fc.constantFrom('index' as const, 'create' as const), body: change }),
      fc.record({ action: fc.constant('delete' as const) }),
      fc.record({
        action: fc.constant('update' as const),
        body: fc.oneof(
          {
            weight: 4,
            arbitrary: fc.record(
              {
                doc: change,
                doc_as_upsert: fc.boolean(),
                detect_noop: fc.boolean(),
                _source: fc.constantFrom(true, 'a'),
              },
              { requiredKeys: ['doc'] },
            ),
          },
          { weight: 2, arbitrary: fc.record({ doc: change, upsert: change }) },
          fc.constantFrom(
            { script: 'x' },
            { doc: { n: 'no number' } },
            { doc: { a: 5 }, if_seq_no: 2, if_primary_term: 1 },
          ),
        ),
      }),
    ),
  })
  .map(({ id, rest }) => ({ id, ...rest }));

/** What an answer says, whichever index it is of. */
const said = (status: number, { _index, _shards, error, ...rest }: Record<string, any>): unknown => [
  status,
  error === undefined ? rest : error.type,
];

const REQUESTS = { index: 'PUT _doc', create: 'PUT _create', update: 'POST _update', delete: 'DELETE _doc' };

async function byThemselves(ask: Ask, index: string, lines: readonly Line[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const { action, id, body } of lines) {
    const [method, endpoint] = REQUESTS[action].split(' ');
    const { status, json } = await ask(`${method} /${index}/${endpoint}/${id}`, body);
    answers.push(said(status, json.error === undefined ? json : { error: json.error }));
  }
  return answers;
}

async function inBulk(ask: Ask, index: string, lines: readonly Line[]): Promise<unknown[]> {
  const { json } = await ask(
    `POST /${index}/_bulk`,
    lines.flatMap(({ action, id, body }) => [{ [action]: { _id: id } }, ...(body === undefined ? [] : [body])]),
  );
  return json.items.map((item: Record<string, any>) => {
    const [{ status, ...rest }] = Object.values(item);
    return said(status, rest);
  });
}

test('the lines of a bulk request do and answer what they would as requests one after the other', async () => {
  const ask = await startRest();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 6 }),
      async (lines, refreshed) => {
        const [one, many] = [`one${round}`, `many${round++}`];
        for (const index of [one, many]) {
          await ask(`PUT /${index}`, { mappings: { properties: { n: { type: 'long' } } } });
          await byThemselves(ask, index, lines.slice(0, refreshed));
          await ask(`POST /${index}/_refresh`);
        }
        deepEqual(await inBulk(ask, many, lines), await byThemselves(ask, one, lines));
        for (const id of ['1', '2', '3'])
          deepEqual((await ask(`GET /${many}/_source/${id}`)).json.a, (await ask(`GET /${one}/_source/${id}`)).json.a);
        await ask(`DELETE /${one},${many}`);
      },
    ),
    { numRuns: 60 },
  );
});

test('updates that make more than is held at once are all done, and others write in between', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { enabled: false } });
  await ask('PUT /t/_doc/1', { text: 'x'.repeat(200_000) });
  const lines = Array.from({ length: 100 }, (_, n) => [{ update: { _id: '1' } }, { doc: { n } }]).flat();
  const [all, between] = await Promise.all([ask('POST /t/_bulk', lines), ask('PUT /t/_doc/2', {})]);
  deepEqual(
    all.json.items.map(({ update }: { update: { _version: number } }) => update._version),
    Array.from({ length: 100 }, (_, n) => n + 2),
  );
  equal(between.json._seq_no < all.json.items.at(-1).update._seq_no, true);
  equal((await ask('GET /t/_doc/1')).json._source.n, 99);
});

test('updates of one document in bulk requests at the same time are all done', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1', {});
  const bulk = (field: string): Promise<unknown> =>
    ask(
      'POST /t/_bulk',
      Array.from({ length: 200 }, (_, n) => [{ update: { _id: '1' } }, { doc: { [field]: n } }]).flat(),
    );
  await Promise.all([bulk('a'), bulk('b'), bulk('c')]);
  deepEqual((await ask('GET /t/_doc/1')).json._source, { a: 199, b: 199, c: 199 });
  equal((await ask('GET /t/_doc/1')).json._version, 601);
});

test('a large document is updated by a line as by a request, by a large line, too', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { text: { type: 'keyword', index: false, doc_values: false } } } });
  const long = 'é'.repeat(300_000);
  const { json } = await ask('POST /t/_bulk', [
    { index: { _id: '1' } },
    { text: long },
    { update: { _id: '1' } },
    { doc: { n: 1 } },
    { update: { _id: '1' } },
    { doc: { n: 1 }, _source: 'n' },
    { update: { _id: '2' } },
    { doc: { text: long }, doc_as_upsert: true },
    { update: { _id: '2' } },
    { doc: { n: 2 }, _source: ['n'] },
  ]);
  deepEqual(
    json.items.map((item: Record<string, any>) => {
      const [{ status, result, get }] = Object.values(item);
      return [status, result, get?._source];
    }),
    [
      [201, 'created', undefined],
      [200, 'updated', undefined],
      [200, 'noop', { n: 1 }],
      [201, 'created', undefined],
      [200, 'updated', { n: 2 }],
    ],
  );
  await ask('POST /t/_refresh');
  const { items } = (await ask('POST /t/_bulk', [{ update: { _id: '1' } }, { doc: { n: 3 } }])).json;
  equal(items[0].update._version, 3);
  deepEqual((await ask('GET /t/_source/1')).json, { text: long, n: 3 });
});

test('writes that their index does not take are refused in their places, those of another index go through', async () => {
  const ask = await startRest(createRestApi(await createEngine({ memoryBudget: 1 << 20 })));
  const large = { text: 'x'.repeat(1 << 20) };
  const tooLarge = [{ index: { _index: 'a', _id: '1' } }, large, { index: { _index: 'a', _id: '2' } }, {}];
  const { status, json } = await ask('POST /_bulk', [...tooLarge, { index: { _index: 'b', _id: '3' } }, {}]);
  deepEqual(
    [status, json.errors, json.items.map(({ index }: any) => [index._index, index._id, index.status])],
    [
      200,
      true,
      [
        ['a', '1', 429],
        ['a', '2', 429],
        ['b', '3', 201],
      ],
    ],
  );
  equal((await ask('POST /_bulk', tooLarge)).status, 429);
});
