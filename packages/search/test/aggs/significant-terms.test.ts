// Values that belong to some documents more than to all: counted and scored against plain counting and the formulas of textbooks.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chiSquare, jlh, mutualInformation, normalizedDistance } from '../../src/aggs/significance.ts';
import { load, startRest } from '../rest/harness.ts';

interface Found {
  readonly key: string | number;
  readonly doc_count: number;
  readonly bg_count: number;
  readonly score: number;
}

test('values are counted among the documents found and among all, and scored by the change of their share', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          in: fc.boolean(),
          tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 }),
          n: fc.nat(2),
        }),
        { minLength: 2, maxLength: 14 },
      ),
      async (documents) => {
        const ask = await startRest();
        await ask('PUT /t', { mappings: { properties: { tags: { type: 'keyword' }, n: { type: 'integer' } } } });
        await load(ask, 't', documents);
        // Deleted documents are no background.
        await ask('PUT /t/_doc/gone?refresh=true', { in: true, tags: ['a', 'b', 'c', 'd'] });
        await ask('DELETE /t/_doc/gone?refresh=true');
        const subset = documents.filter((each) => each.in);
        for (const field of ['tags', 'n'] as const) {
          const reply = await ask('POST /t/_search', {
            query: { term: { in: true } },
            aggs: { s: { significant_terms: { field, min_doc_count: 1 } } },
          });
          const { doc_count, bg_count, buckets } = reply.json.aggregations.s;
          deepEqual(
            [doc_count, bg_count],
            [subset.length, subset.length === 0 ? bg_count : documents.length],
            reply.text,
          );
          const has = (each: (typeof documents)[number], value: string | number): boolean =>
            field === 'n' ? each.n === value : each.tags.includes(String(value) as 'a');
          const expected = (field === 'n' ? [0, 1, 2] : ['a', 'b', 'c', 'd'])
            .map((key) => {
              const here = subset.filter((each) => has(each, key)).length;
              const all = documents.filter((each) => has(each, key)).length;
              const share = here / subset.length;
              const usual = all / documents.length;
              return { key, doc_count: here, score: (share - usual) * (share / usual), bg_count: all };
            })
            .filter(({ doc_count: here, score }) => here > 0 && score > 1e-12)
            .sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
          const rounded = (list: readonly Found[]): unknown =>
            list.map((each) => ({ ...each, score: each.score.toFixed(9) })).sort((a, b) => (a.key < b.key ? -1 : 1));
          deepEqual(rounded(buckets.filter((each: Found) => each.score > 1e-12)), rounded(expected));
          const list: number[] = buckets.map((each: Found) => each.score);
          deepEqual(
            list,
            list.toSorted((a, b) => b - a),
          );
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('the measures are those of the textbooks', () => {
  const close = (a: number, b: number): void => ok(Math.abs(a - b) < 1e-9 * Math.max(1, Math.abs(b)), `${a} ${b}`);
  const [subsetFreq, subsetSize, supersetFreq, supersetSize] = [8, 20, 12, 100];
  const frequencies = { subsetFreq, subsetSize, supersetFreq, supersetSize };
  close(jlh(frequencies), (0.4 - 0.12) * (0.4 / 0.12));
  const observed = [
    [8, 12],
    [4, 76],
  ];
  const rows = observed.map((row) => row[0]! + row[1]!);
  const columns = [0, 1].map((at) => observed[0]![at]! + observed[1]![at]!);
  let square = 0;
  let information = 0;
  observed.forEach((row, r) =>
    row.forEach((count, c) => {
      const expected = (rows[r]! * columns[c]!) / 100;
      square += (count - expected) ** 2 / expected;
      information += (count / 100) * Math.log(count / expected);
    }),
  );
  const options = { backgroundIsSuperset: true, includeNegatives: false };
  close(chiSquare(options)(frequencies), square);
  close(mutualInformation(options)(frequencies), information / Math.LN2);
  close(
    chiSquare({ ...options, backgroundIsSuperset: false })({ ...frequencies, supersetFreq: 4, supersetSize: 80 }),
    square,
  );
  close(
    normalizedDistance(true)(frequencies),
    Math.exp(-(Math.log(20) - Math.log(8)) / (Math.log(100) - Math.log(12))),
  );
  const rarer = { subsetFreq: 1, subsetSize: 20, supersetFreq: 50, supersetSize: 100 };
  equal(chiSquare(options)(rarer), -Infinity);
  ok(chiSquare({ ...options, includeNegatives: true })(rarer) > 0);
});

test('text with fielddata, addresses, sub-aggregations, a background of its own, and what is left out', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      properties: {
        text: { type: 'text', fielddata: true },
        class: { type: 'keyword' },
        ip: { type: 'ip' },
        n: { type: 'long' },
        at: { type: 'date' },
        place: { type: 'geo_point' },
      },
    },
  });
  await load(ask, 't', [
    { text: 'good', class: 'good', n: 1, ip: '::1', at: '2026-01-01' },
    { text: 'good', class: 'good', n: 2, ip: '::1', at: '2026-01-01' },
    { text: 'bad', class: 'bad', n: 3 },
    { text: 'bad good', class: 'bad', n: 4 },
    { text: 'bad', class: 'worse', n: 5 },
  ]);
  const asked = async (aggs: object, query: object = { match_all: {} }): Promise<any> => {
    const reply = await ask('POST /t/_search?typed_keys=true', { size: 0, query, aggs });
    equal(reply.status, 200, reply.text);
    return reply.json.aggregations;
  };
  const byClass = await asked({
    c: {
      terms: { field: 'class' },
      aggs: { s: { significant_terms: { field: 'text', min_doc_count: 2 }, aggs: { m: { max: { field: 'n' } } } } },
    },
  });
  const good = byClass['sterms#c'].buckets.find((each: Found) => each.key === 'good');
  deepEqual(good['sigsterms#s'].buckets, [
    { key: 'good', doc_count: 2, score: (1 - 3 / 5) * (1 / (3 / 5)), bg_count: 3, 'max#m': { value: 2 } },
  ]);
  const goodOnes = { term: { class: 'good' } };
  const ip = await asked({ s: { significant_terms: { field: 'ip', min_doc_count: 1 } } }, goodOnes);
  deepEqual(
    ip['sigsterms#s'].buckets.map((each: Found) => [each.key, each.bg_count]),
    [['::1', 2]],
  );
  const dates = await asked({ s: { significant_terms: { field: 'at', min_doc_count: 1 } } }, goodOnes);
  equal(dates['siglterms#s'].buckets[0].key_as_string, '2026-01-01T00:00:00.000Z');
  const narrowed = await asked(
    { s: { significant_terms: { field: 'text', min_doc_count: 1, background_filter: { range: { n: { lte: 3 } } } } } },
    { term: { class: 'bad' } },
  );
  deepEqual(
    [narrowed['sigsterms#s'].bg_count, narrowed['sigsterms#s'].buckets.map((each: Found) => [each.key, each.bg_count])],
    [3, [['bad', 1]]],
  );
  const excluded = await asked(
    { s: { significant_terms: { field: 'text', min_doc_count: 1, exclude: 'g.*' } } },
    goodOnes,
  );
  deepEqual(excluded['sigsterms#s'].buckets, []);
  const absent = await asked({ s: { significant_terms: { field: 'absent' } } });
  deepEqual(absent['sigsterms#s'].buckets, []);
  for (const [body, reason] of [
    [{ field: 'ip', exclude: '127.*' }, /cannot support regular expression style include\/exclude/],
    [{ field: 'text', script_heuristic: {} }, /\[script_heuristic\].*not supported/],
    [{ field: 'text', jlp: {} }, /unknown field \[jlp\]/],
    [{ field: 'text', chi_square: { negatives: true } }, /unknown field \[negatives\]/],
    [{ field: 'place' }, /not supported for aggregation \[significant_terms\]/],
    [{ field: 'text', size: 0 }, /\[size\] must be greater than 0/],
  ] as const) {
    const reply = await ask('POST /t/_search', { aggs: { s: { significant_terms: body } } });
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
});

const WORDS = ['red', 'fox', 'dog', 'blue', 'hen'] as const;

test('words of texts are counted and scored as if they were listed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          in: fc.boolean(),
          words: fc.array(fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }), { maxLength: 3 }),
        }),
        { minLength: 2, maxLength: 14 },
      ),
      fc.constantFrom('jlh', 'percentage', 'chi_square'),
      fc.constantFrom(
        {},
        { include: '[a-f].*' },
        { exclude: ['fox'] },
        { background_filter: { exists: { field: 'in' } } },
      ),
      async (documents, measure, more) => {
        const ask = await startRest();
        const properties = { in: { type: 'boolean' }, tags: { type: 'keyword' }, text: { type: 'text' } };
        await ask('PUT /t', { mappings: { properties } });
        await load(
          ask,
          't',
          documents.map((each) => ({
            in: each.in,
            tags: each.words.flat(),
            text: each.words.map((row) => row.join(' ')),
          })),
        );
        const options = { min_doc_count: 1, size: 9, [measure]: {}, ...more };
        const reply = await ask('POST /t/_search', {
          query: { term: { in: true } },
          aggs: {
            terms: { significant_terms: { field: 'tags', ...options } },
            text: { significant_text: { field: 'text', ...options } },
          },
        });
        deepEqual(reply.json.aggregations.text, reply.json.aggregations.terms, reply.text);
      },
    ),
    { numRuns: 30 },
  );
});

test('passages of six words that were there before are passed over, and so are those inside of one text', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: { properties: { text: { type: 'text' }, in: { type: 'boolean' }, title: { type: 'text' } } },
  });
  const copied = 'one two three four five six seven';
  await load(ask, 't', [
    { in: true, text: `alpha ${copied} beta`, title: 'alpha' },
    { in: true, text: `gamma ${copied} alpha`, title: copied },
    { in: true, text: [copied, 'one two three four five'], title: 'delta' },
    { in: true, text: 'nine ten nine ten nine ten nine ten', title: 'one two three four five six' },
    { in: false, text: 'other' },
  ]);
  const counts = async (more: object): Promise<unknown> => {
    const reply = await ask('POST /t/_search', {
      query: { term: { in: true } },
      aggs: { s: { significant_text: { field: 'text', min_doc_count: 1, size: 50, percentage: {}, ...more } } },
    });
    equal(reply.status, 200, reply.text);
    return Object.fromEntries(
      reply.json.aggregations.s.buckets.map((each: Found) => [each.key, [each.doc_count, each.bg_count]]),
    );
  };
  const all = { one: [3, 3], two: [3, 3], three: [3, 3], four: [3, 3], five: [3, 3], six: [3, 3], seven: [3, 3] };
  const rest = { alpha: [2, 2], beta: [1, 1], gamma: [1, 1], nine: [1, 1], ten: [1, 1] };
  deepEqual(await counts({}), { ...all, ...rest });
  // The second value of the third text goes on where the first ends, and is no passage that was seen.
  const left = { one: [2, 3], two: [2, 3], three: [2, 3], four: [2, 3], five: [2, 3], six: [1, 3], seven: [1, 3] };
  deepEqual(await counts({ filter_duplicate_text: true }), { ...left, ...rest });
  // Words of another field are compared with how frequent they are in this one.
  deepEqual(await counts({ source_fields: ['title'], filter_duplicate_text: true, include: 'alpha|six|seven|delta' }), {
    alpha: [1, 2],
    six: [1, 3],
    seven: [1, 3],
  });
});

test('a significant_text asks for a field of texts and holds nothing else', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      properties: { text: { type: 'text' }, n: { type: 'long' }, tag: { type: 'keyword' }, at: { type: 'date' } },
    },
  });
  await load(ask, 't', [{ text: 'red fox', n: 1, tag: 'a' }]);
  const refused = async (definition: object, reason: RegExp): Promise<void> => {
    const reply = await ask('POST /t/_search', { aggs: { s: definition } });
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  };
  await refused({ significant_text: { field: 'at' } }, /\[at\] has no analyzer, but SignificantText requires/);
  await refused({ significant_text: {} }, /Required \[field\]/);
  await refused(
    { significant_text: { field: 'text' }, aggs: { x: { max: { field: 'n' } } } },
    /\[s\] of type \[significant_text\] cannot accept sub-aggregations/,
  );
  const typed = await ask('POST /t/_search?typed_keys=true', {
    profile: true,
    aggs: { s: { significant_text: { field: 'text' } }, none: { significant_text: { field: 'nope' } } },
  });
  deepEqual(typed.json.aggregations['sigsterms#s'], { doc_count: 1, bg_count: 1, buckets: [] });
  deepEqual(typed.json.aggregations['sigsterms#none'].buckets, []);
  const [{ type, debug }] = typed.json.profile.shards[0].aggregations;
  deepEqual(
    [type, debug.collection_strategy, debug.result_strategy],
    ['MapStringTermsAggregator', 'analyze text from _source', 'significant_terms'],
  );
});
