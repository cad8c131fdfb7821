import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { type Ask, load, startRest } from './harness.ts';

const color = { name: 'color', type: 'category' };
const place = { name: 'place', type: 'geo', precision: '5km' };

async function start(contexts: readonly object[], documents: readonly object[]): Promise<Ask> {
  const ask = await startRest();
  const made = await ask('PUT /t', {
    mappings: {
      properties: { typed: { type: 'completion', contexts }, shade: { type: 'keyword' }, at: { type: 'geo_point' } },
    },
  });
  equal(made.status, 200, made.text);
  await load(ask, 't', documents);
  return ask;
}

async function suggested(ask: Ask, contexts: unknown, more: object = {}): Promise<string[]> {
  const completion = { field: 'typed', ...(contexts === undefined ? {} : { contexts }), ...more };
  const reply = await ask('POST /t/_search', { suggest: { s: { prefix: 'foo', completion } } });
  equal(reply.status, 200, reply.text);
  return reply.json.suggest.s[0].options.map(
    ({ text, _score }: { text: string; _score: number }) => `${text} ${_score}`,
  );
}

const typed = (input: string, contexts: object, weight = 1): object => ({ typed: { input, weight, contexts } });

test('completions are found by their categories: one, several, such as begin alike, with boosts', async () => {
  const ask = await start(
    [color],
    [
      typed('foo red', { color: 'red' }),
      typed('foo blue', { color: ['blue', 'navy'] }, 5),
      typed('foo dark', { color: 'dark red' }, 3),
    ],
  );
  deepEqual(await suggested(ask, { color: 'red' }), ['foo red 1']);
  deepEqual(await suggested(ask, { color: ['red', 'navy'] }), ['foo blue 5', 'foo red 1']);
  deepEqual(await suggested(ask, { color: { context: 'dark', prefix: true } }), ['foo dark 3']);
  deepEqual(await suggested(ask, { color: [{ context: 'red', boost: 9 }, 'blue'] }), ['foo red 9', 'foo blue 5']);
  deepEqual(await suggested(ask, { color: 'green' }), []);
  const reply = await ask('POST /t/_search', {
    suggest: { s: { prefix: 'foo', completion: { field: 'typed', contexts: { color: 'navy' } } } },
  });
  deepEqual(reply.json.suggest.s[0].options[0].contexts, { color: ['navy'] });
});

test('contexts are read from other fields of the document, besides those it names', async () => {
  const ask = await start(
    [
      { ...color, path: 'shade' },
      { ...place, path: 'at' },
    ],
    [
      { typed: 'foo a', shade: 'red', at: { lat: 52.22, lon: 4.53 } },
      { typed: { input: 'foo b', contexts: { color: 'green' } }, shade: 'blue', at: { lat: 53.31, lon: 13.24 } },
    ],
  );
  deepEqual(await suggested(ask, { color: 'red' }), ['foo a 1']);
  deepEqual(await suggested(ask, { color: ['green', 'red'] }), ['foo a 1', 'foo b 1']);
  deepEqual(await suggested(ask, { color: 'blue' }), ['foo b 1']);
  deepEqual(await suggested(ask, { place: { lat: 52.2263, lon: 4.543 } }), ['foo a 1']);
  deepEqual(await suggested(ask, { color: 'blue', place: { lat: 52.2263, lon: 4.543 } }), ['foo a 1', 'foo b 1']);
});

test('places are found in their cell and the cells around it, or in larger ones that are asked for', async () => {
  const ask = await start(
    [place],
    [
      typed('foo here', { place: { lat: 52.22, lon: 4.53 } }),
      typed('foo far', {
        place: [
          [13.24, 53.31],
          [4.6, 52.3],
        ],
      }),
    ],
  );
  deepEqual(await suggested(ask, { place: { lat: 52.22, lon: 4.53 } }), ['foo here 1']);
  deepEqual(await suggested(ask, { place: { context: { lat: 52.22, lon: 4.53 }, precision: 2 } }), [
    'foo far 1',
    'foo here 1',
  ]);
  deepEqual(await suggested(ask, { place: [{ context: '53.31,13.24' }] }), ['foo far 1']);
  deepEqual(await suggested(ask, { place: { context: { lat: 52.22, lon: 4.53 }, neighbours: [3], boost: 2 } }), [
    'foo far 2',
    'foo here 2',
  ]);
});

test('contexts that a field does not have, or does not get, are refused', async () => {
  const ask = await start([color], [typed('foo', { color: 'red' })]);
  const put = (typed: unknown) => ask('PUT /t/_doc/1', { typed });
  match((await put('foo')).text, /Contexts are mandatory in context enabled completion field \[typed\]/);
  match(
    (await put({ input: 'foo', contexts: { colour: 'red' } })).text,
    /Unknown context name \[colour\], must be one of \[color\]/,
  );
  match((await put({ input: 'foo', contexts: { color: {} } })).text, /\[color\] must be a text/);
  const asked = await ask('POST /t/_search', {
    suggest: { s: { prefix: 'f', completion: { field: 'typed', contexts: { shape: 'x' } } } },
  });
  equal(asked.status, 400);
  match(asked.text, /Unknown context name \[shape\]/);
  for (const contexts of [{}, { contexts: {} }, { contexts: { color: [] } }]) {
    const none = await ask('POST /t/_search', {
      suggest: { s: { prefix: 'f', completion: { field: 'typed', ...contexts } } },
    });
    equal(none.status, 400);
    equal(none.json.error.type, 'search_phase_execution_exception');
    equal(none.json.error.root_cause[0].reason, 'Missing mandatory contexts in context query');
  }
  const mappings = (contexts: unknown) =>
    ask('PUT /u', { mappings: { properties: { x: { type: 'completion', contexts } } } });
  match((await mappings([{ name: 'a', type: 'shape' }])).text, /unknown context type \[shape\]/);
  match((await mappings([{ type: 'geo' }])).text, /\[name\] is missing/);
  match((await mappings([color, color])).text, /defined twice/);
  match((await mappings([{ ...color, precision: 3 }])).text, /is for type \[geo\]/);
  const changed = await ask('PUT /t/_mapping', { properties: { typed: { type: 'completion', contexts: [place] } } });
  match(changed.text, /Cannot update parameter \[contexts\]/);
});

test('a field that a completion reads its contexts from cannot be hidden alone', async () => {
  const engine = await createEngine();
  const whole = await startRest(createRestApi(engine));
  const contexts = [{ ...color, path: 'shade' }];
  await whole('PUT /t', {
    mappings: { properties: { typed: { type: 'completion', contexts }, shade: { type: 'keyword' } } },
  });
  await load(whole, 't', [{ typed: 'foo', shade: 'red' }]);
  const body = { suggest: { s: { prefix: 'foo', completion: { field: 'typed', contexts: { color: 'red' } } } } };
  const under = (hidden: readonly string[]) => whole('POST /t/_search', body, { view: () => ({ hidden }) });
  const refused = await under(['shade']);
  equal(refused.status >= 400, true, refused.text);
  match(refused.text, /context \[color\] of the field \[typed\] is read from \[shade\]/);
  const hidden = await under(['typed', 'shade']);
  match(hidden.text, /no mapping found for field \[typed\]|"options":\[\]/);
  await engine.close();
});

test('a point gives its multi-fields of other types the name of its cell', async () => {
  const ask = await startRest();
  const fields = { typed: { type: 'completion' }, cell: { type: 'keyword' } };
  await ask('PUT /t', { mappings: { properties: { at: { type: 'geo_point', fields } } } });
  await load(ask, 't', [{ at: 'hgjhrwysvqw7' }, { at: 'hgm4psywmkn7' }]);
  const reply = await ask('POST /t/_search', {
    query: { term: { 'at.cell': 'hgjhrwysvqw7' } },
    suggest: { s: { prefix: 'hgm', completion: { field: 'at.typed' } } },
  });
  deepEqual(
    reply.json.suggest.s[0].options.map(({ _id }: { _id: string }) => _id),
    ['2'],
  );
  equal(reply.json.hits.total.value, 1);
});

test('a fuzzy completion counts its weight by the letters that the typed text begins with, and contexts add their boost', async () => {
  const ask = await start([color], [typed('red fox', { color: 'red' }, 3)]);
  const scores = async (prefix: string, fuzzy: unknown, contexts: unknown = { color: 'red' }) => {
    const completion = { field: 'typed', fuzzy, contexts };
    const { json } = await ask('POST /t/_search', { suggest: { s: { prefix, completion } } });
    return json.suggest.s[0].options.map(({ _score }: { _score: number }) => _score);
  };
  deepEqual(await scores('rex', true), [9]);
  deepEqual(await scores('re', true), [9]);
  deepEqual(await scores('rde', true), [6]);
  deepEqual(await scores('re', { min_length: 1 }), [6]);
  deepEqual(await scores('red', { fuzziness: '7' }), [6]);
  deepEqual(await scores('rad fo', { fuzziness: 1 }, { color: { context: 'red', boost: 3 } }), [12]);
  deepEqual(await scores('rax fo', { fuzziness: 'AUTO' }), []);
});

test('a completion by regular expression finds what starts so, and its options are checked', async () => {
  const ask = await start([color], [typed('red fox', { color: ['red', 'b'] }, 3)]);
  const contexts = { color: ['red', 'b'] };
  const suggest = (suggestion: object) => ask('POST /t/_search', { suggest: { s: suggestion } });
  const found = await suggest({ regex: 'r.*x', completion: { field: 'typed', contexts } });
  const [option] = found.json.suggest.s[0].options;
  deepEqual([option.text, option._score, option.contexts], ['red fox', 3, { color: ['red', 'b'] }]);
  equal((await suggest({ regex: 'e', completion: { field: 'typed', contexts } })).json.suggest.s[0].options.length, 0);
  const reasons: unknown[] = [];
  for (const suggestion of [
    { regex: 'r', completion: { field: 'typed', contexts, fuzzy: true } },
    { completion: { field: 'typed', contexts } },
    { prefix: 'r', completion: { contexts } },
    { prefix: 'r', completion: { field: 'typed', contexts, contxts: 1 } },
    { prefix: 'r', completion: { field: 'typed', contexts: [] } },
    { prefix: 'r', completion: { field: 'shade' } },
    { prefix: 'r' },
  ]) {
    const { error } = (await suggest(suggestion)).json;
    reasons.push([error.type, error.root_cause[0].reason.replace(/^\[1:\d+\] /, '')]);
  }
  deepEqual(reasons, [
    ['search_phase_execution_exception', "can not use 'fuzzy' options with 'regex"],
    ['search_phase_execution_exception', 'The required text option is missing'],
    ['parse_exception', 'the required field option [field] is missing'],
    ['x_content_parse_exception', '[completion] unknown field [contxts] did you mean [contexts]?'],
    ['x_content_parse_exception', "[completion] contexts doesn't support values of type: START_ARRAY"],
    ['search_phase_execution_exception', 'Field [shade] is not a completion suggest field'],
    ['parse_exception', 'missing suggestion object'],
  ]);
});

test('the document of a completion shows what the search shows of hits', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { s: { type: 'completion' }, n: { type: 'integer', store: true } } } });
  await load(ask, 't', [{ s: 'cat nap', n: 5, k: 'a' }]);
  const shown = async (body: object): Promise<unknown> => {
    const suggest = { s: { prefix: 'cat', completion: { field: 's' } } };
    const { json } = await ask('POST /t/_search', { size: 0, suggest, ...body });
    const { _index, _score, _type, text: _text, ...rest } = json.suggest.s[0].options[0];
    return rest;
  };
  deepEqual(await shown({ _source: ['k'] }), { _id: '1', _source: { k: 'a' } });
  deepEqual(await shown({ _source: false, version: true }), { _id: '1', _version: 1 });
  deepEqual(await shown({ _source: false, docvalue_fields: ['n'] }), { _id: '1', fields: { n: [5] } });
  deepEqual(await shown({ stored_fields: ['n'] }), { _id: '1', fields: { n: [5] } });
  deepEqual(await shown({ stored_fields: '_none_' }), {});
  const suggest = { s: { regex: '[', completion: { field: 's' } } };
  const { json } = await ask('POST /t/_search', { suggest });
  deepEqual([json.status, json.error.type], [400, 'search_phase_execution_exception']);
});
