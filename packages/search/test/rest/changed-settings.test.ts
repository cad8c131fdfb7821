// Changes of the settings of an index, open and closed. The answers are those of Elasticsearch 7.10.2.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { startRest } from './harness.ts';

const ANALYSIS = { analyzer: { own: { type: 'custom', tokenizer: 'standard', filter: ['lowercase'] } } };

test('a closed index takes analyzers and a codec, and its documents, fields and aliases are there when it is opened', async () => {
  const ask = await startRest();
  await ask('PUT /t', { mappings: { properties: { title: { type: 'text' } } }, aliases: { al: {} } });
  await ask('PUT /t/_doc/1?refresh=true', { title: 'Red Fox' });
  match(
    (await ask('PUT /t/_settings', { analysis: ANALYSIS })).json.error.reason,
    /^Can't update non dynamic settings \[\[index\.analysis\.analyzer\.own\.filter, .*\]\] for open indices \[\[t\/.*\]\]$/,
  );
  await ask('POST /t/_close');
  equal((await ask('PUT /t/_settings', { analysis: ANALYSIS, 'index.codec': 'best_compression' })).status, 200);
  await ask('POST /t/_open');
  const { settings, aliases } = (await ask('GET /t')).json.t;
  deepEqual([settings.index.analysis, settings.index.codec, aliases], [ANALYSIS, 'best_compression', { al: {} }]);
  const { tokens } = (await ask('POST /t/_analyze', { analyzer: 'own', text: 'A b' })).json;
  deepEqual(
    tokens.map(({ token }: { token: string }) => token),
    ['a', 'b'],
  );
  await ask('PUT /t/_mapping', { properties: { note: { type: 'text', analyzer: 'own' } } });
  await ask('PUT /t/_doc/2?refresh=true', { note: 'BLUE' });
  equal((await ask('GET /t/_count?q=title:fox')).json.count, 1);
  equal((await ask('GET /t/_count?q=note:blue')).json.count, 1);
});

test('settings that no index can take are refused, and a closed one stays as it was', async () => {
  const ask = await startRest();
  await ask('PUT /t');
  await ask('POST /t/_close');
  const refusals: readonly (readonly [object, string])[] = [
    [
      { analysis: { analyzer: { bad: { type: 'custom', tokenizer: 'nothing' } } } },
      'Custom Analyzer [bad] failed to find tokenizer under name [nothing]',
    ],
    [
      { 'index.codec': 'wrong' },
      'unknown value for [index.codec] must be one of [default, best_compression] but was: wrong',
    ],
    [{ number_of_shards: 2 }, 'final t setting [index.number_of_shards], not updateable'],
    [{ number_of_replicas: 'x' }, 'Failed to parse value [x] for setting [index.number_of_replicas]'],
    [{ max_result_window: 0 }, 'Failed to parse value [0] for setting [index.max_result_window] must be >= 1'],
    [{ 'blocks.write': 'x' }, 'Failed to parse value [x] as only [true] or [false] are allowed.'],
    [
      { refresh_interval: 5 },
      'failed to parse setting [index.refresh_interval] with value [5] as a time value: unit is missing or unrecognized',
    ],
    [{ auto_expand_replicas: 'x' }, 'failed to parse [index.auto_expand_replicas] from value: [x] at index -1'],
    [{}, 'Validation Failed: 1: no settings to update;'],
  ];
  const before = (await ask('GET /t/_settings')).text;
  for (const [body, reason] of refusals) {
    const { status, json } = await ask('PUT /t/_settings', body);
    deepEqual([status, json.error.reason], [400, reason]);
  }
  equal((await ask('GET /t/_settings')).text, before);
  equal((await ask('PUT /none*/_settings', { number_of_replicas: 0 })).status, 404);
});

test('replicas that expand with the nodes are none on one node', async () => {
  const ask = await startRest();
  await ask('PUT /t', { settings: { auto_expand_replicas: '0-1' } });
  equal((await ask('GET /t/_settings')).json.t.settings.index.number_of_replicas, '0');
  equal((await ask('PUT /t/_doc/1', {})).json._shards.total, 1);
});

test('date math in names is read wherever an index is named, in paths and in bodies', async () => {
  const ask = await startRest();
  const year = String(new Date().getUTCFullYear());
  const name = '<logs-{now/y{yyyy}}>';
  const path = encodeURIComponent(name);
  equal((await ask(`PUT /${path}/_doc/1?refresh=true`, { n: 1 })).json._index, `logs-${year}`);
  deepEqual((await ask(`GET /_resolve/index/${path}`)).json.indices, [{ name: `logs-${year}`, attributes: ['open'] }]);
  equal((await ask('POST /_aliases', { actions: [{ add: { index: name, alias: 'al' } }] })).status, 200);
  equal((await ask('POST /_mget', { docs: [{ _index: name, _id: '1' }] })).json.docs[0].found, true);
  for (const target of [
    `GET /${path}/_search`,
    `GET /${path}/_settings`,
    `GET /_cat/indices/${path}`,
    `GET /_cluster/health/${path}`,
    `PUT /${path}/_alias/other`,
    `POST /${path}/_close`,
    `DELETE /${path}`,
  ])
    equal((await ask(target)).status, 200, target);
});

test('names that objects inherit are settings and queries like any other: refused, and nothing else is changed', async () => {
  const ask = await startRest();
  await ask('PUT /t/_doc/1?refresh=true', { title: 'Red Fox' });
  const settings = JSON.parse(
    '{"__proto__.polluted": 1, "constructor.polluted": 1, "index": {"__proto__": {"polluted": 1}}}',
  );
  for (const line of [
    'PUT /t/_settings',
    'PUT /new',
    'PUT /_template/a',
    'PUT /_index_template/a',
    'POST /_index_template/_simulate',
    'POST /t/_clone/u',
  ]) {
    const body = line.includes('template')
      ? { index_patterns: ['x*'], ...(line.includes('_index_template') ? { template: { settings } } : { settings }) }
      : line.includes('PUT /t/')
        ? settings
        : { settings };
    const { status, text } = await ask(line, body);
    equal(status, 400, `${line} ${text}`);
  }
  const analysis = JSON.parse(
    '{"analysis": {"analyzer": {"__proto__": {"type": "custom", "tokenizer": "standard", "polluted": 1}}}}',
  );
  await ask('PUT /other', { settings: analysis });
  equal(Object.hasOwn(Object.prototype, 'polluted') || Object.hasOwn(Object, 'polluted'), false);
  for (const type of ['constructor', '__proto__', 'toString'])
    for (const endpoint of ['_count', '_search', '_validate/query', '_explain/1'])
      equal(
        (await ask(`POST /t/${endpoint}`, JSON.parse(`{"query": {"${type}": {"a": 1}}}`))).status,
        endpoint === '_validate/query' ? 200 : 400,
        `${endpoint} ${type}`,
      );
});

test('settings have the values, the times of change and the defaults that they have in Elasticsearch', async () => {
  const ask = await startRest();
  for (const [setting, value, refusal] of [
    ['merge.policy.deletes_pct_allowed', '60', /must be <= 50\.0/],
    ['merge.policy.floor_segment', '0', /floorSegmentMB must be > 0\.0/],
    ['merge.scheduler.max_merge_count', '0', /must be >= 1/],
    ['indexing.slowlog.level', 'x', /No enum constant org\.elasticsearch\.index\.SlowLogLevel\.X/],
    ['search.slowlog.threshold.query.info', '5', /as a time value: unit is missing or unrecognized/],
    ['translog.generation_threshold_size', '1b', /must be >= \[56b\]/],
    ['compound_format', '5', /NoCFSRatio must be in the interval \[0\.\.1\] but was: \[5\.0\]/],
    ['fielddata.cache', 'x', /must be one of \[node,none\]/],
    ['store.type', 'x', /Unknown store type \[x\]/],
    ['routing.allocation.exclude._ip', 'x', /invalid IP address \[x\]/],
    ['routing.allocation.foo', 'x', /unknown setting \[index\.routing\.allocation\.foo\]/],
    ['search.throttled', 'true', /private index setting \[index\.search\.throttled\] can not be set explicitly/],
  ] as const) {
    const refused = await ask('PUT /s', { settings: { [`index.${setting}`]: value } });
    deepEqual(refused.status, 400, setting);
    match(refused.text, refusal);
  }
  const settings = { 'index.search.slowlog.threshold.query.warn': '10s', 'index.store.preload': ['nvd'] };
  deepEqual((await ask('PUT /s', { settings })).status, 200);
  deepEqual((await ask('PUT /s/_settings', { 'index.requests.cache.enable': false })).status, 200);
  match((await ask('PUT /s/_settings', { 'index.store.preload': '*' })).text, /Can't update non dynamic settings/);
  match((await ask('PUT /s/_settings', { 'index.search.throttled': true })).text, /can not update private setting/);
  const { defaults } = (await ask('GET /s/_settings?include_defaults=true&flat_settings=true')).json.s;
  deepEqual(defaults['index.merge.policy.segments_per_tier'], '10.0');
  deepEqual(defaults['index.sort.field'], []);
  deepEqual(
    ['index.store.preload', 'index.requests.cache.enable'].filter((key) => key in defaults),
    [],
  );
});
