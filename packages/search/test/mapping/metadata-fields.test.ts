// What queries, sorts and aggregations make of fields that no mapping lists, and of fields with one value for all documents. The answers
// about metadata fields are Elasticsearch 7.10.2's; its free build has no constant keywords, which are as its documentation says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, ids, startRest } from '../rest/harness.ts';

async function start(): Promise<Ask> {
  const ask = await startRest();
  const properties = {
    k: { type: 'keyword' },
    n: { type: 'integer', ignore_malformed: true },
    label: { type: 'alias', path: 'k' },
    plain: { type: 'binary' },
    column: { type: 'binary', doc_values: true },
    typed: { type: 'search_as_you_type' },
    start: { type: 'completion' },
    rank: { type: 'rank_feature' },
  };
  await ask('PUT /music', { mappings: { properties }, aliases: { sound: {} } });
  const first = { k: 'x', n: 'bad', plain: 'aGVsbG8=', column: ['aGVsbG8=', '+/8='] };
  await ask('PUT /music/_doc/1?refresh=true&routing=r1', first);
  await ask('PUT /music/_doc/2?refresh=true', { k: 'y' });
  await ask('PUT /music/_doc/2?refresh=true', { k: 'z' });
  return ask;
}

test('metadata fields are found by term, pattern, range and exists as their types allow', async () => {
  const ask = await start();
  const both = ['1', '2'];
  const found: readonly (readonly [object, readonly string[]])[] = [
    [{ prefix: { _index: 'mu' } }, both],
    [{ prefix: { _index: 'so' } }, both],
    [{ wildcard: { _index: 'm*c' } }, both],
    [{ wildcard: { _index: 'M*' } }, []],
    [{ wildcard: { _index: { value: 'M*', case_insensitive: true } } }, both],
    [{ term: { _index: { value: 'MUSIC', case_insensitive: true } } }, both],
    [{ query_string: { query: '_index:mus*' } }, both],
    [{ terms: { _index: ['absent', 'sound'] } }, both],
    [{ prefix: { _type: '_' } }, both],
    [{ range: { _type: { gte: '_a', lt: '_z' } } }, both],
    [{ term: { _seq_no: 0 } }, ['1']],
    [{ range: { _seq_no: { gt: 0 } } }, ['2']],
    [{ exists: { field: '_seq_no' } }, both],
    [{ exists: { field: '_version' } }, both],
    [{ exists: { field: '_routing' } }, ['1']],
    [{ wildcard: { _routing: 'r*' } }, ['1']],
    [{ range: { _ignored: { gte: 'a' } } }, ['1']],
    [{ exists: { field: 'plain' } }, []],
    [{ exists: { field: 'column' } }, ['1']],
  ];
  for (const [query, wanted] of found)
    assert.deepEqual(ids(await ask('POST /music/_search', { query })), wanted, JSON.stringify(query));
});

test('what a metadata field cannot be asked is refused in the words of Elasticsearch', async () => {
  const ask = await start();
  const refused: readonly (readonly [object, string])[] = [
    [
      { regexp: { _index: '.*' } },
      'Can only use regexp queries on keyword and text fields - not on [_index] which is of type [_index]',
    ],
    [
      { prefix: { _id: '1' } },
      'Can only use prefix queries on keyword, text and wildcard fields - not on [_id] which is of type [_id]',
    ],
    [
      { range: { _index: { gte: 'a' } } },
      'failed to create query: Field [_index] of type [_index] does not support range queries',
    ],
    [
      { range: { _id: { gte: 'a' } } },
      'failed to create query: Field [_id] of type [_id] does not support range queries',
    ],
    [
      { range: { _version: { gte: 1 } } },
      'failed to create query: Field [_version] of type [_version] does not support range queries',
    ],
    [{ term: { _version: 1 } }, 'The _version field is not searchable'],
    [{ exists: { field: '_source' } }, 'The _source field is not searchable'],
    [{ exists: { field: '_field_names' } }, 'failed to create query: Cannot run exists query on _field_names'],
    [{ term: { column: 'aGVsbG8=' } }, 'Binary fields do not support searching'],
    [
      { term: { _seq_no: { value: 0, case_insensitive: true } } },
      '[_seq_no] field which is of type [_seq_no], does not support case insensitive term queries',
    ],
    [
      { match_phrase_prefix: { label: 'x' } },
      'failed to create query: Can only use phrase prefix queries on text fields - not on [k] which is of type [keyword]',
    ],
  ];
  for (const [query, reason] of refused) {
    const { status, json } = await ask('POST /music/_search', { query });
    assert.deepEqual([status, json.error?.root_cause[0]?.reason], [400, reason]);
  }
});

test('hits are sorted by _index, _type and _seq_no, also over indices', async () => {
  const ask = await start();
  await ask('PUT /art/_doc/3?refresh=true', {});
  const sorted = await ask('POST /music,art/_search', { sort: [{ _index: 'asc' }, { _seq_no: 'desc' }] });
  assert.deepEqual(
    sorted.json.hits.hits.map(({ sort }: { sort: unknown }) => sort),
    [
      ['art', 0],
      ['music', 2],
      ['music', 0],
    ],
  );
  assert.deepEqual(ids(await ask('POST /music,art/_search', { sort: [{ _index: 'desc' }, '_id'] })), ['1', '2', '3']);
  const after = { sort: [{ _index: 'asc' }, '_id'], search_after: ['art', '3'] };
  assert.deepEqual(ids(await ask('POST /music,art/_search', after)), ['1', '2']);
  const binary = await ask('POST /music/_search', { sort: ['column'] });
  assert.equal(binary.json.error.root_cause[0].reason, "can't sort on binary field");
});

test('values of metadata fields and of binary columns are counted and shown', async () => {
  const ask = await start();
  const aggs = Object.fromEntries(
    ['_id', '_index', '_type', '_seq_no', 'column'].map((field) => [field, { terms: { field } }]),
  );
  const { json } = await ask('POST /music/_search', { size: 0, aggs });
  const keys = Object.values<{ buckets: readonly { key: unknown }[] }>(json.aggregations).map(({ buckets }) =>
    buckets.map(({ key }) => key),
  );
  assert.deepEqual(keys, [['1', '2'], ['music'], ['_doc'], [0, 2], ['+/8', 'aGVsbG8']]);
  const wanted = ['_id', '_index', '_type', '_seq_no', 'column'];
  const shown = await ask('POST /music/_search', { docvalue_fields: wanted, query: { ids: { values: ['1'] } } });
  assert.deepEqual(shown.json.hits.hits[0].fields, {
    _id: ['1'],
    _index: ['music'],
    _type: ['_doc'],
    _seq_no: [0],
    column: ['+/8', 'aGVsbG8'],
  });
  const refused = await ask('POST /music/_search', { aggs: { a: { terms: { field: '_routing' } } } });
  assert.equal(
    refused.json.error.root_cause[0].reason,
    'Fielddata is not supported on field [_routing] of type [_routing]',
  );
});

test('_field_caps and _mapping/field list metadata fields, and an alias as what it stands for', async () => {
  const ask = await start();
  const caps = (await ask('GET /music/_field_caps?fields=*')).json.fields;
  const kind = (type: string, searchable: boolean, aggregatable: boolean): object => ({
    [type]: { type, searchable, aggregatable },
  });
  assert.deepEqual(
    Object.keys(caps).filter((name) => name.startsWith('_')),
    ['_feature', '_field_names', '_id', '_ignored', '_index', '_routing', '_seq_no', '_source', '_type', '_version'],
  );
  assert.deepEqual(caps._id, kind('_id', true, true));
  assert.deepEqual(caps._source, kind('_source', false, false));
  assert.deepEqual(caps.label, kind('keyword', true, true));
  assert.deepEqual(caps.plain, kind('binary', false, false));
  assert.deepEqual(caps.column, kind('binary', false, true));
  assert.deepEqual(caps.rank, kind('rank_feature', true, false));
  assert.deepEqual(caps['typed._2gram'], kind('search_as_you_type', true, false));
  const { mappings } = (await ask('GET /music/_mapping/field/_id,k,start,typed._2gram')).json.music;
  assert.deepEqual(mappings._id, { full_name: '_id', mapping: {} });
  assert.deepEqual(mappings.start.mapping.start, {
    type: 'completion',
    analyzer: 'simple',
    preserve_separators: true,
    preserve_position_increments: true,
    max_input_length: 50,
  });
  assert.deepEqual(mappings['typed._2gram'].mapping, { 'typed._2gram': { type: 'shingle', doc_values: false } });
  const defaults = (await ask('GET /music/_mapping/field/k?include_defaults=true')).json.music.mappings.k.mapping.k;
  assert.deepEqual(
    [defaults.ignore_above, defaults.index_options, defaults.normalizer],
    [2147483647, 'docs', 'default'],
  );
});

test('a text takes doc_values and drops it', async () => {
  const ask = await startRest();
  const { status } = await ask('PUT /t', { mappings: { properties: { t: { type: 'text', doc_values: false } } } });
  assert.equal(status, 200);
  assert.deepEqual((await ask('GET /t/_mapping')).json.t.mappings.properties.t, { type: 'text' });
});

test('a constant keyword is that of all documents, also of those that do not have it', async () => {
  const ask = await startRest();
  const level = { type: 'constant_keyword' };
  await ask('PUT /logs', { mappings: { properties: { level, fixed: { type: 'constant_keyword', value: 'Debug' } } } });
  await ask('PUT /logs/_doc/1?refresh=true', {});
  const count = async (query: object): Promise<number> => (await ask('POST /logs/_count', { query })).json.count;
  assert.equal(await count({ exists: { field: 'level' } }), 0);
  await ask('PUT /logs/_doc/2?refresh=true', { level: 'info' });
  assert.deepEqual((await ask('GET /logs/_mapping')).json.logs.mappings.properties.level, { ...level, value: 'info' });
  const refused = await ask('PUT /logs/_doc/3', { level: 'warn' });
  assert.equal(
    refused.json.error.caused_by.reason,
    '[constant_keyword] field [level] only accepts values that are equal to the value defined in the mappings [info], but got [warn]',
  );
  for (const query of [
    { term: { level: 'info' } },
    { terms: { fixed: ['x', 'Debug'] } },
    { term: { fixed: { value: 'debug', case_insensitive: true } } },
    { prefix: { fixed: 'De' } },
    { wildcard: { fixed: '*bug' } },
    { regexp: { fixed: 'D.*g' } },
    { fuzzy: { fixed: 'Debgu' } },
    { range: { fixed: { gte: 'D', lt: 'E' } } },
    { exists: { field: 'fixed' } },
    { match: { level: 'info' } },
  ])
    assert.equal(await count(query), 2, JSON.stringify(query));
  assert.equal(await count({ term: { level: 'warn' } }), 0);
  assert.equal(await count({ fuzzy: { fixed: { value: 'xxbug', fuzziness: 2 } } }), 2);
  assert.equal(await count({ fuzzy: { fixed: { value: 'xxbug', fuzziness: 2, prefix_length: 1 } } }), 0);
  const { json } = await ask('POST /logs/_search', {
    aggs: { a: { terms: { field: 'fixed' } } },
    sort: ['level'],
    docvalue_fields: ['level'],
    fields: ['fixed'],
  });
  assert.deepEqual(json.aggregations.a.buckets, [{ key: 'Debug', doc_count: 2 }]);
  for (const hit of json.hits.hits)
    assert.deepEqual([hit.sort, hit.fields], [['info'], { level: ['info'], fixed: ['Debug'] }]);
  assert.equal((await ask('GET /logs/_field_caps?fields=level')).json.fields.level.keyword.aggregatable, true);
});
