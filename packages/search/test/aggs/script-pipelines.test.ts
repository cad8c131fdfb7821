import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseBucketScript } from '../../src/aggs/bucket-expression.ts';
import type { Bucket } from '../../src/aggs/buckets-path.ts';
import { MOVING_FUNCTIONS } from '../../src/aggs/moving-functions.ts';
import { movingAverage } from '../../src/aggs/script-pipelines.ts';
import { withBudget } from '../../src/tasks/request-budget.ts';
import { type Ask, load, startRest } from '../rest/harness.ts';

const compute = (script: string, params: Record<string, number | boolean | null> = {}, lang = 'painless') =>
  parseBucketScript(script, lang).run({
    params: new Map(Object.entries(params)),
    doubles: new Set(['d', 'e']),
    values: [1, 2, 6],
  });

test('scripts and windows look at the clock: a request that nobody waits for any more ends in the midst of them', () => {
  const ended = (action: () => unknown): void =>
    throws(() => withBudget({ time: 1e9, terms: 1e9, cancelled: Int32Array.of(1) }, action), {
      code: 'SEARCH_CANCELLED',
    });
  const values = Array.from({ length: 10_000 }, (_, at) => at);
  const inputs = { params: new Map(), doubles: new Set<string>() };
  const window = parseBucketScript('MovingFunctions.max(values)', 'painless');
  ended(() => window.run({ ...inputs, values }));
  const long = parseBucketScript(`1${' + 1'.repeat(1000)}`, 'painless');
  ended(() => [long.run(inputs), long.run(inputs)]);
  const average = movingAverage({
    type: 'moving_avg',
    name: 'm',
    body: { buckets_path: '_count', window: 400 },
    path: '_count',
    gaps: 'skip',
    parent: { type: 'histogram', body: {}, inner: {}, meta: undefined },
    put: (bucket: Bucket) => bucket,
    format: (value: number) => ({ value }),
  });
  const buckets = Array.from({ length: 100 }, () => ({ doc_count: 1 }));
  ended(() => average.apply(buckets, false));
});

test('scripts compute as Painless does', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['7 / 2', 3],
    ['-7 / 2', -3],
    ['-7 % 4', -3],
    ['7 / 2.0', 3.5],
    ['params.d / 2', 1.25],
    ['params.n / 2', 3],
    ["params['n'] / 4.0", 1.5],
    ['-params.d - -1', -1.5],
    ['params.d > 2 && params.n == 6', true],
    ['params.d < 2 || !(params.n != 6)', true],
    ['params.nope == null ? 1 : 2', 1],
    ['params.none != null', false],
    ['params.d >= 2.5 ? params.d <= 2.5 ? 5 : 6 : 7', 5],
    ['Math.max(params.n, 7)', 7],
    ['Math.pow(2, 10) + Math.sqrt(9)', 1027],
    ['Math.round(2.5) / 2', 1],
    ['Math.abs(-3) / 2', 1],
    ['Double.isNaN(Double.NaN)', true],
    ['if (params.d == 0) { return 0 } else { return params.n / params.d; }', 2.4],
    ['if (params.d > 100) return 1; return 2', 2],
    ['if (params.d > 100) return 1; else if (params.d > 2) return 3; return 2', 3],
    ['def x = params.d * 2; double y = 1; return x + y / 2', 5.5],
    ['return params.flag', true],
    ['// what it is\n params.d /* of it */ ;', 2.5],
    ['values.length', 3],
    ['MovingFunctions.sum(values) * 1.5e1', 135],
    ['MovingFunctions.stdDev(values, MovingFunctions.unweightedAvg(values))', Math.sqrt(14 / 3)],
    ['if (params.d > 100) { return 1 }', null],
  ];
  for (const [script, wanted] of cases)
    equal(compute(script, { d: 2.5, n: 6, none: null, flag: true }), wanted, script);
  equal(compute('d / 2 + max(e, 3) + 7 / 2', { d: 5, e: 1 }, 'expression'), 9);
});

test('what scripts cannot say is refused with the place, and what cannot be computed too', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /at least one expression/],
    ['doc.n.value', /cannot resolve symbol \[doc\]/],
    ['params.d.intValue()', /numbers have no members/],
    ['for (int i = 0; i < 1; i++) {}', /cannot resolve symbol \[for\]/],
    ['1 +', /an expression is expected/],
    ['(1', /\[\)\] is expected/],
    ['Math.random()', /\[Math.random\] is not known/],
    ['Math.max(1)', /\[max\] takes \[2\] arguments, and \[1\] were given/],
    ['"a" + 1', /unexpected token/],
    ['1 # 2', /unexpected character \[#\]/],
    ['1 2', /unexpected token, at \[2\]/],
    ['params.d + params.flag', /computes with \[boolean\], which is no number/],
    ['params.d && true', /asks whether \[a number\] is true/],
    ['params.nope + 1', /computes with \[null\]/],
    ['1 / 0', /\/ by zero/],
    ['9007199254740991 * 2', /beyond 2\^53/],
    ['(('.repeat(200), /nests at most/],
    ['-'.repeat(9000) + '1', /nests at most/],
    [' '.repeat(20_000), /exceeded max allowed inline script size/],
  ];
  for (const [script, reason] of refused) {
    try {
      compute(script, { d: 2.5, flag: true });
    } catch (error) {
      match(String(error), reason, script);
      continue;
    }
    throw new Error(`${script} was not refused`);
  }
});

test('any text is computed or refused, and never anything else', () => {
  const word = fc.constantFrom(
    'params',
    '.',
    'd',
    '(',
    ')',
    '?',
    ':',
    '+',
    '-',
    '*',
    '1',
    '2.5',
    '<',
    'if',
    'return',
    ';',
    '{',
    '}',
    'Math',
    'max',
    ',',
    'values',
    '&&',
    'true',
    '=',
    'def',
    'x',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      try {
        compute(words.join(' '), { d: 1 });
      } catch (error) {
        match(String((error as { code?: string }).code), /^SEARCH_/, words.join(' '));
      }
    }),
    { numRuns: 2000 },
  );
});

test('moving functions give the numbers of Elasticsearch', () => {
  const values = [3, 5, Number.NaN, 2, 8];
  const of = (name: string, ...settings: number[]): number => MOVING_FUNCTIONS[name]!.of(values, ...settings);
  deepEqual([of('max'), of('min'), of('sum'), of('unweightedAvg')], [8, 2, 18, 4.5]);
  equal(of('linearWeightedAvg'), (3 + 10 + 6 + 32) / 11);
  equal(of('ewma', 0.5), ((3 * 0.5 + 5 * 0.5) * 0.5 + 2 * 0.5) * 0.5 + 8 * 0.5);
  equal(MOVING_FUNCTIONS['holt']!.of([1, 2, 4], 0.5, 0.5), 0.5 * 4 + 0.5 * (1.5 + 0.25));
  equal(MOVING_FUNCTIONS['sum']!.of([]), 0);
  for (const name of ['max', 'min', 'unweightedAvg', 'linearWeightedAvg', 'ewma', 'holt', 'holtWinters'])
    equal(MOVING_FUNCTIONS[name]!.of([], 0.5, 0.5, 0.5, 1, 0), Number.NaN, name);
  // Seasons of two that repeat: what comes next is what came first.
  equal(MOVING_FUNCTIONS['holtWinters']!.of([1, 3, 1, 3], 0, 0, 0, 2, 1).toFixed(6), '1.000000');
});

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: { properties: { at: { type: 'date' }, n: { type: 'long' }, tag: { type: 'keyword' } } },
  });
  const rows = [
    ['2020-01-01', 10, 'a'],
    ['2020-01-02', 20, 'a'],
    ['2020-01-02', 4, 'b'],
    ['2020-01-04', 30, 'b'],
    ['2020-01-05', 1, 'c'],
  ] as const;
  await load(
    ask,
    't',
    rows.map(([at, n, tag]) => ({ at, n, tag })),
  );
  return ask;
}

const DAYS = { date_histogram: { field: 'at', calendar_interval: 'day' } };
const SUM = { s: { sum: { field: 'n' } } };

async function answer(ask: Ask, x: object): Promise<readonly Record<string, any>[]> {
  const reply = await ask('POST /t/_search', { size: 0, aggs: { x } });
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.json.aggregations.x.buckets;
}

test('bucket_script computes of the numbers of a bucket, in buckets of any kind', async () => {
  const ask = await filled();
  const script = { bucket_script: { buckets_path: { sum: 's', docs: '_count' }, script: 'params.sum / params.docs' } };
  const buckets = await answer(ask, { ...DAYS, aggs: { ...SUM, mean: script } });
  deepEqual(
    buckets.map(({ mean }) => mean?.value),
    [10, 12, undefined, 30, 1],
  );
  const scaled = {
    bucket_script: {
      buckets_path: 's',
      script: { source: '_value * factor', lang: 'expression', params: { factor: 2 } },
      format: '000.0',
    },
  };
  const tags = await answer(ask, { terms: { field: 'tag', order: { _key: 'asc' } }, aggs: { ...SUM, scaled } });
  deepEqual(tags[0]!['scaled'], { value: 60, value_as_string: '060.0' });
  const chained = { bucket_script: { buckets_path: ['s', 'mean'], script: 'params._value0 - params._value1' } };
  deepEqual((await answer(ask, { ...DAYS, aggs: { ...SUM, chained, mean: script } }))[1]!['chained'].value, 12);
});

test('bucket_selector keeps the buckets that its script is true of', async () => {
  const ask = await filled();
  const kept = async (bucket_selector: object): Promise<unknown[]> => {
    const aggs = { ...SUM, only: { bucket_selector } };
    return (await answer(ask, { terms: { field: 'tag', order: { _key: 'asc' } }, aggs })).map(({ key }) => key);
  };
  deepEqual(await kept({ buckets_path: { v: 's' }, script: 'params.v > 20' }), ['a', 'b']);
  deepEqual(await kept({ buckets_path: { v: '_count' }, script: { source: 'v == 1', lang: 'expression' } }), ['c']);
  const wrong = {
    aggs: { x: { terms: { field: 'tag' }, aggs: { y: { bucket_selector: { buckets_path: 's', script: 'x' } } } } },
  };
  const reply = await ask('POST /t/_search', wrong);
  equal(reply.status, 400);
});

test('moving_fn and moving_avg see the buckets before each, moving_fn shifted if asked', async () => {
  const ask = await filled();
  const moved = async (definition: object): Promise<unknown[]> =>
    (await answer(ask, { ...DAYS, aggs: { ...SUM, m: definition } })).map(({ m }) => m?.value);
  const fn = (more: object): object => ({
    moving_fn: { buckets_path: 's', window: 2, script: 'MovingFunctions.sum(values)', gap_policy: 'skip', ...more },
  });
  deepEqual(await moved(fn({})), [0, 10, undefined, 34, 54]);
  deepEqual(await moved(fn({ shift: 1 })), [10, 34, undefined, 54, 31]);
  deepEqual(await moved(fn({ gap_policy: 'insert_zeros' })), [0, 10, 34, 24, 30]);
  deepEqual(await moved(fn({ script: 'values.length' })), [0, 1, undefined, 2, 2]);
  deepEqual(await moved({ moving_avg: { buckets_path: 's', window: 2 } }), [undefined, 10, undefined, 17, 27]);
  const model = { buckets_path: 's', model: 'ewma', settings: { alpha: 0.5 } };
  deepEqual(await moved({ moving_avg: model }), [undefined, 10, undefined, 17, 23.5]);
  const error = async (m: object): Promise<string> =>
    (await ask('POST /t/_search', { aggs: { x: { ...DAYS, aggs: { ...SUM, m } } } })).text;
  match(await error(fn({ window: 0 })), /\[window\] must be a positive, non-zero integer/);
  match(await error({ moving_avg: { buckets_path: 's', predict: 3 } }), /\[predict\] in a \[moving_avg\]/);
  match(
    await error({
      moving_fn: {
        buckets_path: 's',
        window: 1,
        script: 'MovingFunctions.holtWinters(values, 0.1, 0.1, 0.1, 4, true)',
      },
    }),
    /requires at least \(2 \* period == 2 \* 4 == 8\)/,
  );
  const inTerms = await ask('POST /t/_search', {
    aggs: { x: { terms: { field: 'tag' }, aggs: { ...SUM, m: fn({}) } } },
  });
  match(inTerms.text, /must have a histogram, date_histogram or auto_date_histogram as parent/);
});

test('normalize puts the buckets of any aggregation on one scale', async () => {
  const ask = await filled();
  const scaled = async (method: string): Promise<unknown[]> => {
    const aggs = { ...SUM, m: { normalize: { buckets_path: 's', method, format: '0.00' } } };
    return (await answer(ask, { terms: { field: 'tag', order: { _key: 'asc' } }, aggs })).map(
      ({ m }) => m.value_as_string,
    );
  };
  deepEqual(await scaled('rescale_0_1'), ['0.88', '1.00', '0.00']);
  deepEqual(await scaled('rescale_0_100'), ['87.88', '100.00', '0.00']);
  deepEqual(await scaled('percent_of_sum'), ['0.46', '0.52', '0.02']);
  deepEqual(await scaled('mean'), ['0.25', '0.37', '-0.63']);
  deepEqual(await scaled('z-score'), ['0.57', '0.84', '-1.41']);
  deepEqual(await scaled('softmax'), ['0.02', '0.98', '0.00']);
  const wrong = { terms: { field: 'tag' }, aggs: { ...SUM, m: { normalize: { buckets_path: 's', method: 'x' } } } };
  match((await ask('POST /t/_search', { aggs: { x: wrong } })).text, /invalid method \[x\]/);
});

test('parents of windows may be an auto_date_histogram', async () => {
  const ask = await filled();
  const aggs = { ...SUM, c: { cumulative_sum: { buckets_path: 's' } } };
  const buckets = await answer(ask, {
    auto_date_histogram: { field: 'at', buckets: 10, minimum_interval: 'day' },
    aggs,
  });
  deepEqual(
    buckets.map(({ c }) => c.value),
    [10, 34, 34, 64, 65],
  );
});

test('cumulative_cardinality counts what is new, and moving_percentiles join the values of windows', async () => {
  const ask = await filled();
  const aggs = {
    c: { cardinality: { field: 'tag' } },
    all: { cumulative_cardinality: { buckets_path: 'c', format: '00' } },
    p: { percentiles: { field: 'n', percents: [50], keyed: false } },
    w: { moving_percentiles: { buckets_path: 'p', window: 2, shift: 1 } },
    b: { moving_percentiles: { buckets_path: 'p', window: 10 } },
  };
  const buckets = await answer(ask, { ...DAYS, aggs });
  deepEqual(
    buckets.map(({ all }) => all),
    [1, 2, 2, 2, 3].map((value) => ({ value, value_as_string: `0${value}` })),
  );
  deepEqual(
    buckets.map(({ w, b }) => [w.values[0].value, b?.values[0].value]),
    [
      [10, undefined],
      [10, 10],
      [12, 10],
      [30, 10],
      [15.5, 15],
    ],
  );
  const typed = await ask('POST /t/_search?typed_keys', { aggs: { x: { ...DAYS, aggs } } });
  match(typed.text, /"simple_long_value#all":.*"tdigest_percentiles#w":/);
  for (const [wrong, reason] of [
    [{ cumulative_cardinality: { buckets_path: 'p' } }, /must reference a cardinality aggregation, got: \[p\]/],
    [{ moving_percentiles: { buckets_path: 'c', window: 1 } }, /must reference a percentiles aggregation, got: \[c\]/],
    [{ moving_percentiles: { buckets_path: 'p', window: 0 } }, /\[window\] must be a positive/],
    [{ moving_percentiles: { buckets_path: 'p' } }, /Required \[window\]/],
  ] as const)
    match((await ask('POST /t/_search', { aggs: { x: { ...DAYS, aggs: { ...aggs, wrong } } } })).text, reason);
});

test('a path that leads nowhere is told before the script is read', async () => {
  const ask = await startRest();
  await ask('PUT /paths', { mappings: { properties: { d: { type: 'date' } } } });
  const p = { bucket_script: { buckets_path: { a: 7 }, script: 'params.a > 1' } };
  const { json } = await ask('POST /paths/_search', {
    aggs: { x: { date_histogram: { field: 'd', calendar_interval: 'day' }, aggs: { p } } },
  });
  equal(json.error.reason, 'Validation Failed: 1: No aggregation found for path [7];');
});

test('settings of moving_avg are those of the model that is named', async () => {
  const ask = await startRest();
  await ask('PUT /moving', { mappings: { properties: { n: { type: 'long' } } } });
  await ask('PUT /moving/_doc/1?refresh', { n: 1 });
  const asked = async (body: object): Promise<readonly unknown[]> => {
    const aggs = { p: { moving_avg: { buckets_path: '_count', ...body } } };
    const { json, status } = await ask('POST /moving/_search', {
      aggs: { x: { histogram: { field: 'n', interval: 1 }, aggs } },
    });
    return [status, json.error?.root_cause[0].type, json.error?.reason];
  };
  deepEqual(await asked({ settings: { alpha: 2 } }), [200, undefined, undefined]);
  for (const [model, settings] of [
    ['simple', { period: 2 }],
    ['ewma', { alpha: 2 }],
    ['ewma', { alpha: 'x' }],
    ['holt', { x: 1 }],
  ] as const)
    deepEqual(await asked({ model, settings }), [
      400,
      'parsing_exception',
      `Could not parse settings for model [${model}].`,
    ]);
  equal((await asked({ model: 'holt_winters', minimize: false, settings: { type: 'x' } }))[1], 'parse_exception');
});
