// What mappings warn of, in the header `Warning`, as Elasticsearch 7.10.2 does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, type Reply, startRest } from '../rest/harness.ts';

const warningsOf = ({ headers }: Reply): readonly string[] =>
  Array.from((headers['Warning'] ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g), ([, text]) =>
    text!.replaceAll('\\', ''),
  );

async function warningsOfMapping(mappings: object, ask?: Ask): Promise<readonly string[]> {
  return warningsOf(await (ask ?? (await startRest()))('PUT /t', { mappings }));
}

const noEffect = (parameter: string, type: string): string =>
  `Parameter [${parameter}] has no effect on type [${type}] and will be removed in future`;

test('parameters without effect on a type are named, up to the first mistake', async () => {
  const t = { type: 'text', doc_values: true };
  assert.deepEqual(await warningsOfMapping({ properties: { t, n: { type: 'long', similarity: 'BM25' } } }), [
    noEffect('doc_values', 'text'),
    noEffect('similarity', 'long'),
  ]);
  // Fields are read in the order of a hash map.
  assert.deepEqual(await warningsOfMapping({ properties: { k: { type: 'nope' }, t } }), [
    noEffect('doc_values', 'text'),
  ]);
});

test('a null value of a date that is none is warned of once the fields are made, and at each change', async () => {
  const ask = await startRest();
  const d = { type: 'date', null_value: 'x' };
  const ignored = 'Error parsing [x] as date in [null_value] on field [d]); [null_value] will be ignored';
  assert.deepEqual(await warningsOfMapping({ properties: { d, k: { type: 'nope' } } }, ask), []);
  assert.deepEqual(await warningsOfMapping({ properties: { d } }, ask), [ignored]);
  assert.deepEqual(warningsOf(await ask('PUT /t/_mapping', { properties: { k: { type: 'keyword' } } })), [ignored]);
});

test('old members of mappings, chains of multi-fields and names in camel case are warned of', async () => {
  const chained = { type: 'text', fields: { a: { type: 'text', fields: { b: { type: 'text' } } } } };
  const [all, ...chain] = await warningsOfMapping({ include_in_all: true, properties: { t: chained } });
  assert.equal(all, '[include_in_all] is deprecated, the _all field have been removed in this version');
  assert.match(chain[0]!, /^At least one multi-field, \[a\], was encountered that itself contains a multi-field\./);
  const [names] = await warningsOfMapping({ _field_names: { enabled: false } });
  assert.match(names!, /^Disabling _field_names is not necessary/);
  assert.deepEqual(await warningsOfMapping({ properties: { d: { type: 'date', format: 'yyyy||dateOptionalTime' } } }), [
    'Camel case format name dateOptionalTime is deprecated and will be removed in a future version. Use snake case name date_optional_time instead.',
  ]);
});

test('a dynamic template that makes a field of no type is warned of with its last complaint', async () => {
  const templates = [
    { t0: { match: '*', mapping: { type: '{dynamic_type}', doc_values: false } } },
    { t1: { match: '*', mapping: { enabled: false } } },
    { t2: { match: '*', mapping: { type: 'nope' } } },
    { t3: { match: '*', match_mapping_type: 'long', mapping: { foo: 1 } } },
    { t4: { match: '*', match_mapping_type: 'string', mapping: { type: 'keyword', analyzer: 'x' } } },
  ];
  assert.deepEqual(await warningsOfMapping({ dynamic_templates: templates }), [
    noEffect('doc_values', 'text'),
    'dynamic template [t2] has invalid content [{"match":"*","mapping":{"type":"nope"}}], caused by [No mapper found for type [nope]]',
    'dynamic template [t3] has invalid content [{"match":"*","match_mapping_type":"long","mapping":{"foo":1}}], caused by [unknown parameter [foo] on mapper [__dynamic__t3] of type [null]]',
    'dynamic template [t4] has invalid content [{"match":"*","match_mapping_type":"string","mapping":{"analyzer":"x","type":"keyword"}}], caused by [unknown parameter [analyzer] on mapper [__dynamic__t4] of type [keyword]]',
  ]);
});

test('templates warn of their mappings, and so do the indices made of them', async () => {
  const ask = await startRest();
  const mappings = { properties: { t: { type: 'text', doc_values: false } } };
  const expected = [noEffect('doc_values', 'text')];
  assert.deepEqual(warningsOf(await ask('PUT /_template/t', { index_patterns: ['zz'], mappings })), expected);
  assert.deepEqual(warningsOf(await ask('PUT /_component_template/t', { template: { mappings } })), expected);
  const composable = { index_patterns: ['zy'], template: { mappings } };
  assert.deepEqual(warningsOf(await ask('PUT /_index_template/t', composable)), expected);
  for (const name of ['zz', 'zy']) assert.deepEqual(warningsOf(await ask(`PUT /${name}`)), expected);
});
