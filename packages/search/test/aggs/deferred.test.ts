// Aggregations whose buckets are known only when all documents are.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from '../rest/harness.ts';

async function dated(dates: readonly (string | readonly string[])[]): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: { properties: { at: { type: 'date' }, n: { type: 'integer' }, tag: { type: 'keyword' } } },
  });
  await load(
    ask,
    't',
    dates.map((at, n) => ({ at, n, tag: n % 2 === 0 ? 'even' : 'odd' })),
  );
  return ask;
}

async function auto(ask: Ask, definition: object, aggs?: object) {
  const reply = await ask('POST /t/_search', {
    size: 0,
    aggs: { x: { auto_date_histogram: { field: 'at', ...definition }, ...(aggs === undefined ? {} : { aggs }) } },
  });
  if (reply.status !== 200) throw new Error(reply.text);
  const { buckets, interval } = reply.json.aggregations.x;
  const counts = buckets.map((each: { key_as_string: string; doc_count: number }) => [
    each.key_as_string.slice(0, 16),
    each.doc_count,
  ]);
  return { interval, counts, buckets };
}

test('buckets are as short as their number allows, with empty ones between', async () => {
  const ask = await dated(['2016-01-01', '2016-01-02', '2016-02-01', '2016-03-01']);
  const months = await auto(ask, { buckets: 3 });
  deepEqual(
    [months.interval, months.counts],
    [
      '1M',
      [
        ['2016-01-01T00:00', 2],
        ['2016-02-01T00:00', 1],
        ['2016-03-01T00:00', 1],
      ],
    ],
  );
  const weeks = await auto(ask, { buckets: 10 });
  equal(weeks.interval, '7d');
  deepEqual(
    weeks.counts.map(([, count]: [string, number]) => count),
    [2, 0, 0, 0, 1, 0, 0, 0, 1],
  );
  deepEqual((await auto(ask, { buckets: 1 })).counts, [['2016-01-01T00:00', 4]]);
  equal((await auto(ask, { buckets: 1 })).interval, '3M');
  equal((await auto(ask, { buckets: 200 })).interval, '12h');
  equal((await auto(ask, { buckets: 200, minimum_interval: 'day' })).interval, '1d');
});

test('what is inside of the buckets is counted once a document, and per bucket above', async () => {
  const ask = await dated([['2016-01-01', '2016-01-20'], '2016-02-01', '2017-02-01', '2016-01-05']);
  const { buckets } = await auto(ask, { buckets: 24, minimum_interval: 'month' }, { most: { max: { field: 'n' } } });
  equal(buckets.length, 14);
  deepEqual([buckets[0].doc_count, buckets[0].most.value, buckets[1].most.value, buckets[2].doc_count], [2, 3, 1, 0]);
  const inner = await ask('POST /t/_search', {
    size: 0,
    aggs: { t: { terms: { field: 'tag' }, aggs: { x: { auto_date_histogram: { field: 'at', buckets: 2 } } } } },
  });
  const [even, odd] = inner.json.aggregations.t.buckets;
  deepEqual([even.x.interval, odd.x.interval], ['1y', '1M']);
});

test('formats and zones print the keys, and no date leaves no bucket', async () => {
  const ask = await dated(['2016-01-01T23:30:00Z', '2016-01-03']);
  const { buckets } = await auto(ask, {
    buckets: 3,
    format: 'yyyy-MM-dd',
    time_zone: '+01:00',
    minimum_interval: 'day',
  });
  deepEqual(
    buckets.map((each: { key_as_string: string }) => each.key_as_string),
    ['2016-01-02', '2016-01-03'],
  );
  deepEqual(await auto(ask, { field: 'none' }), { interval: '1s', counts: [], buckets: [] });
  for (const [definition, word] of [
    [{ buckets: 0 }, /buckets must be greater than 0/],
    [{ buckets: 100_000 }, /buckets must be less than/],
    [{ minimum_interval: 'week' }, /minimum_interval/],
  ] as const) {
    match(String(await auto(ask, definition).catch((error: unknown) => error)), word);
  }
});

test('a sampler shows the best documents only, of each bucket above', async () => {
  const ask = await startRest();
  await load(
    ask,
    't',
    Array.from({ length: 30 }, (_, n) => ({
      n,
      kind: n % 2 === 0 ? 'a' : 'b',
      text: `${'fox '.repeat(1 + (n % 10))}dog`,
    })),
  );
  const search = async (aggs: object) => {
    const reply = await ask('POST /t/_search?typed_keys=true', { size: 0, query: { match: { text: 'fox' } }, aggs });
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.json.aggregations;
  };
  const inside = {
    aggs: { n: { terms: { field: 'n', size: 50, order: { _key: 'asc' } } }, best: { top_hits: { size: 1 } } },
  };
  const { 'sampler#s': sample } = await search({ s: { sampler: { shard_size: 6 }, ...inside } });
  equal(sample.doc_count, 6);
  // The more often the word, the better: 9 and 8 of every ten.
  deepEqual(
    sample['lterms#n'].buckets.map(({ key }: { key: number }) => key),
    [8, 9, 18, 19, 28, 29],
  );
  equal(sample['top_hits#best'].hits.hits[0]._source.n % 10, 9);
  const { 'sterms#k': kinds } = await search({
    k: { terms: { field: 'kind.keyword' }, aggs: { s: { sampler: { shard_size: 2 }, ...inside } } },
  });
  deepEqual(
    kinds.buckets.map((each: Record<string, any>) =>
      each['sampler#s']['lterms#n'].buckets.map(({ key }: { key: number }) => key),
    ),
    [
      [8, 18],
      [9, 19],
    ],
  );
  match(
    String(await search({ s: { sampler: { shard_size: 0 } } }).catch((error: unknown) => error)),
    /numHits must be > 0/,
  );
});

test('1.1 documents that are shown later keep their scores, in whatever order they were written', async () => {
  const documents = [
    { at: '2016-01-01', n: 1, text: 'fox' },
    { at: '2016-01-02', n: 2, text: 'fox fox fox' },
  ];
  const top = {
    t: { top_hits: { size: 2, _source: false } },
    m: { top_metrics: { metrics: { field: 'n' }, sort: '_score' } },
  };
  for (const order of [documents, documents.toReversed()]) {
    const ask = await startRest();
    await ask('PUT /t', {
      mappings: { properties: { at: { type: 'date' }, n: { type: 'integer' }, text: { type: 'text' } } },
    });
    for (const document of order) await ask(`PUT /t/_doc/${document.n}?refresh=true`, document);
    const { json } = await ask('POST /t/_search', {
      query: { match: { text: 'fox' } },
      aggs: {
        auto: { auto_date_histogram: { field: 'at', buckets: 1 }, aggs: top },
        wide: { variable_width_histogram: { field: 'n', buckets: 1 }, aggs: top },
      },
    });
    const scoresOf = (hits: readonly { readonly _id: string; readonly _score: number }[]) =>
      hits.map(({ _id, _score }) => [_id, _score]);
    const expected = scoresOf(json.hits.hits);
    equal(expected.length, 2);
    for (const name of ['auto', 'wide']) {
      const [bucket] = json.aggregations[name].buckets;
      deepEqual(scoresOf(bucket.t.hits.hits), expected, name);
      deepEqual(bucket.m.top[0].sort.map(Math.fround), [Math.fround(Number(expected[0]![1]))], name);
    }
  }
});
