// What a later mapping may change of a field, and what of documents makes fields, as Elasticsearch 7.10.2 has it. What it answered stands here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRest } from '../rest/harness.ts';

type Json = Readonly<Record<string, unknown>>;

const CHANGES: readonly (readonly [before: Json, after: Json, reason: string | undefined])[] = [
  [{ type: 'text' }, { index_options: 'freqs' }, 'index_options] from [positions] to [freqs]'],
  [{ type: 'text' }, { position_increment_gap: 5 }, 'position_increment_gap] from [-1] to [5]'],
  [{ type: 'text' }, { index_prefixes: {} }, 'index_prefixes] from [null] to [{ min_chars=2, max_chars=5 }]'],
  [{ type: 'text' }, { term_vector: 'yes' }, 'term_vector] from [no] to [yes]'],
  [{ type: 'text' }, { norms: false, fielddata: true, search_analyzer: 'simple', analyzer: 'default' }, undefined],
  [{ type: 'keyword' }, { null_value: 'a' }, 'null_value] from [null] to [a]'],
  [{ type: 'keyword' }, { norms: true }, 'norms] from [false] to [true]'],
  [{ type: 'keyword' }, { ignore_above: 5, split_queries_on_whitespace: true, meta: { a: 'b' } }, undefined],
  [{ type: 'scaled_float', scaling_factor: 10 }, { scaling_factor: 20 }, 'scaling_factor] from [10.0] to [20.0]'],
  [{ type: 'long' }, { coerce: false, ignore_malformed: true, similarity: 'BM25' }, undefined],
  [{ type: 'date' }, { locale: 'de' }, 'locale] from [] to [de]'],
  [{ type: 'binary' }, { doc_values: true }, 'doc_values] from [false] to [true]'],
  [{ type: 'token_count', analyzer: 'standard' }, { analyzer: 'simple' }, undefined],
  [{ type: 'rank_feature' }, { positive_score_impact: false }, 'positive_score_impact] from [true] to [false]'],
  [{ type: 'search_as_you_type' }, { max_shingle_size: 4 }, 'max_shingle_size] from [3] to [4]'],
  [{ type: 'completion' }, { max_input_length: 5, analyzer: 'standard' }, undefined],
];

test('a parameter that documents were indexed with may not change', async () => {
  const ask = await startRest();
  for (const [before, after, reason] of CHANGES) {
    await ask('DELETE /t');
    await ask('PUT /t', { mappings: { properties: { f: before } } });
    const { status, json } = await ask('PUT /t/_mapping', { properties: { f: { ...before, ...after } } });
    const said = json.error?.reason;
    const expected =
      reason === undefined
        ? undefined
        : `Mapper for [f] conflicts with existing mapper:\n\tCannot update parameter [${reason}`;
    assert.deepEqual([status, said], [reason === undefined ? 200 : 400, expected]);
  }
});

test('all parameters that may not change are named', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { k: { type: 'keyword' } } } });
  const { json } = await ask('PUT /t/_mapping', {
    properties: { k: { type: 'keyword', null_value: 'a', index_options: 'freqs', norms: true } },
  });
  assert.equal(
    json.error.reason,
    'Mapper for [k] conflicts with existing mapper:\n\tCannot update parameter [null_value] from [null] to [a]' +
      '\n\tCannot update parameter [index_options] from [docs] to [freqs]\n\tCannot update parameter [norms] from [false] to [true]',
  );
});

test('an object without a type is no nested one', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { p: { type: 'nested' }, o: { type: 'object' } } } });
  const change = async (properties: Json): Promise<string> =>
    (await ask('PUT /t/_mapping', { properties })).json.error?.reason as string;
  const none = 'cannot change object mapping from nested to non-nested';
  assert.equal(await change({ p: { properties: { x: { type: 'text' } } } }), none);
  assert.equal(await change({ p: { type: 'object' } }), none);
  assert.equal(await change({ o: { type: 'nested' } }), 'cannot change object mapping from non-nested to nested');
  assert.equal(await change({ p: { type: 'nested', properties: { x: { type: 'text' } } } }), undefined);
});

test('a document that brings a field as two types is refused', async () => {
  const ask = await startRest();
  await ask('PUT /t', {});
  for (const [document, reason] of [
    [{ a: [1, 2.5] }, '[a] cannot be changed from type [long] to [float]'],
    [{ b: ['2026-01-01', 'x'] }, '[b] cannot be changed from type [date] to [text]'],
    [{ d: [{ e: 1 }, { e: 'x' }] }, '[d.e] cannot be changed from type [text] to [long]'],
    [{ 'i.j': [1, 2.5] }, '[i.j] cannot be changed from type [float] to [long]'],
  ] as const) {
    const { status, json } = await ask('PUT /t/_doc/1', document);
    assert.deepEqual([status, json.error?.reason], [400, `mapper ${reason}`]);
  }
  assert.deepEqual((await ask('GET /t/_mapping')).json, { t: { mappings: {} } });
});

test('the mapping of fields shows metadata and what a text field has beside itself', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: {
      _source: { includes: ['a*'] },
      _routing: { required: true },
      properties: { t: { type: 'text', index_prefixes: {}, index_phrases: true } },
    },
  });
  const { json } = await ask('GET /t/_mapping/field/_seq*,_rou*,_source,t._index*');
  assert.deepEqual(json.t.mappings, {
    _routing: { full_name: '_routing', mapping: { _routing: { required: true } } },
    _seq_no: { full_name: '_seq_no', mapping: {} },
    _source: { full_name: '_source', mapping: { _source: { includes: ['a*'] } } },
    't._index_phrase': {
      full_name: 't._index_phrase',
      mapping: { 't._index_phrase': { type: 'phrase', doc_values: false } },
    },
    't._index_prefix': {
      full_name: 't._index_prefix',
      mapping: { 't._index_prefix': { type: 'prefix', doc_values: false } },
    },
  });
});

test('search_as_you_type may be copied to another field', async () => {
  const ask = await startRest();
  await ask('PUT /t', {
    mappings: { properties: { s: { type: 'search_as_you_type', copy_to: 'all' }, all: { type: 'text' } } },
  });
  await ask('PUT /t/_doc/1?refresh=true', { s: 'red fox' });
  assert.equal((await ask('GET /t/_search?q=all:fox')).json.hits.total.value, 1);
});

test('which parts of sources an index keeps may not change', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { _source: { excludes: ['x'] } } });
  const refusal = async (source: object): Promise<string | undefined> =>
    (await ask('PUT /t/_mapping', { _source: source })).json.error?.reason;
  const begin = 'Mapper for [_source] conflicts with existing mapper:';
  assert.equal(await refusal({ excludes: ['x'] }), undefined);
  assert.equal(await refusal({}), `${begin}\n\tCannot update parameter [excludes] from [[x]] to [[]]`);
  assert.equal(
    await refusal({ includes: ['y'] }),
    `${begin}\n\tCannot update parameter [includes] from [[]] to [[y]]\n\tCannot update parameter [excludes] from [[x]] to [[]]`,
  );
});

test('a nested object includes its elements where it did from the start, and a redundant root goes with a change', async () => {
  const ask = await startRest();
  const n = { type: 'nested', include_in_parent: true, include_in_root: true };
  await ask('PUT /n', { mappings: { properties: { n } } });
  assert.deepEqual((await ask('GET /n/_mapping')).json.n.mappings.properties.n, n);
  await ask('PUT /n/_doc/1', { x: 1 });
  const { include_in_root: _, ...rest } = n;
  assert.deepEqual((await ask('GET /n/_mapping')).json.n.mappings.properties.n, rest);
  const changed = await ask('PUT /n/_mapping', { properties: { n: { type: 'nested' } } });
  assert.equal(changed.json.error.type, 'mapper_exception');
  assert.equal(
    changed.json.error.reason,
    "the [include_in_parent] parameter can't be updated on a nested object mapping",
  );
});
