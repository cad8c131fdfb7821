// Requests of administration, right and wrong, with what Elasticsearch 7.10.2 answers to each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, startRest } from './harness.ts';

/** A request with the status and the reason, or a part of the answer. */
type Case = readonly [target: string, status: number, reason?: string | undefined, body?: unknown];

async function expectAll(ask: Ask, cases: readonly Case[]): Promise<void> {
  for (const [target, status, reason, body] of cases) {
    const reply = await ask(target, body);
    assert.equal(reply.status, status, `${target} ${reply.text}`);
    if (reason !== undefined) assert.equal(reply.json.error?.root_cause[0].reason, reason, target);
  }
}

test('the health waits for what can be waited for, and refuses the rest', async () => {
  const ask = await startRest();
  await ask('PUT /r');
  await expectAll(ask, [
    ['GET /_cluster/health?wait_for_status=yellow', 200],
    ['GET /_cluster/health?wait_for_status=green', 408],
    [
      'GET /_cluster/health?wait_for_status=nope',
      400,
      'No enum constant org.elasticsearch.cluster.health.ClusterHealthStatus.NOPE',
    ],
    ['GET /_cluster/health?wait_for_nodes=%3E%3D1', 200],
    ['GET /_cluster/health?wait_for_nodes=le(3)', 200],
    ['GET /_cluster/health?wait_for_nodes=lt(1)', 408],
    ['GET /_cluster/health?wait_for_nodes=2', 408],
    ['GET /_cluster/health?wait_for_nodes=', 200],
    ['GET /_cluster/health?wait_for_nodes=x', 400, 'For input string: "x"'],
    ['GET /_cluster/health?wait_for_active_shards=1', 200],
    ['GET /_cluster/health?wait_for_active_shards=all', 408],
    ['GET /_cluster/health?wait_for_active_shards=x', 400, 'cannot parse ActiveShardCount[x]'],
    ['GET /_cluster/health?wait_for_events=nope', 400, 'No enum constant org.elasticsearch.common.Priority.NOPE'],
    [
      'GET /_cluster/health?wait_for_relocating_shards=0',
      400,
      'wait_for_relocating_shards has been removed, use wait_for_no_relocating_shards [true/false] instead',
    ],
  ]);
  const closed = await ask('GET /_cluster/health?expand_wildcards=closed');
  assert.deepEqual([closed.json.status, closed.json.active_shards], ['green', 0]);
});

test('metrics that there are not are named together, and parameters of other metrics are unknown', async () => {
  const ask = await startRest();
  await ask('PUT /r', { settings: { number_of_replicas: 0 } });
  await expectAll(ask, [
    [
      'GET /_stats/docs,segmentsx,storex',
      400,
      'request [/_stats/docs,segmentsx,storex] contains unrecognized metrics: [segmentsx] -> did you mean [segments]?, [storex] -> did you mean [store]?',
    ],
    [
      'GET /_stats/merges',
      400,
      'request [/_stats/merges] contains unrecognized metric: [merges] -> did you mean [merge]?',
    ],
    ['GET /_stats/docs?fields=x', 400, 'request [/_stats/docs] contains unrecognized parameter: [fields]'],
    ['GET /_stats/docs?groups=x', 200],
    ['GET /_stats/fielddata?fields=x', 200],
    [
      'GET /_nodes/stats/indices/docs?groups=x',
      400,
      'request [/_nodes/stats/indices/docs] contains unrecognized parameter: [groups]',
    ],
    ['DELETE /absent,r/_alias/_all', 404, 'no such index [absent]'],
    ['POST /absent/_flush/synced', 200],
    [
      'GET /_nodes/stats/indices/nope',
      400,
      'request [/_nodes/stats/indices/nope] contains unrecognized index metric: [nope]',
    ],
    [
      'GET /_nodes/stats/_all,docs',
      400,
      'request [/_nodes/stats/_all,docs] contains _all and individual metrics [_all,docs]',
    ],
    ['GET /_nodes/stats/os?groups=_all', 400, 'request [/_nodes/stats/os] contains unrecognized parameter: [groups]'],
    [
      'GET /_nodes/stats/indices?level=nope',
      400,
      'level parameter must be one of [indices] or [node] or [shards] but was [nope]',
    ],
    ['GET /_nodes/stats/indices?level=node', 200],
    ['GET /_shard_stores?status=nope', 400, 'unknown cluster health status [nope]'],
    [
      'POST /_cluster/voting_config_exclusions/abc',
      400,
      'add voting config exclusions request for [abc] matched no master-eligible nodes',
    ],
  ]);
  const { json } = await ask('GET /_nodes/stats/indices/docs?level=shards');
  assert.deepEqual(json.nodes.lockstitch.indices.shards, {
    r: [{ 0: { ...json.nodes.lockstitch.indices.shards.r[0][0] } }],
  });
});

test('settings of the cluster that are nothing to one node are kept and shown', async () => {
  const ask = await startRest();
  const persistent = {
    'cluster.routing.allocation.disk.threshold_enabled': 'false',
    'cluster.routing.rebalance.enable': 'all',
    'indices.recovery.max_bytes_per_sec': '20mb',
  };
  assert.deepEqual(
    (await ask('PUT /_cluster/settings?flat_settings=true', { persistent })).json.persistent,
    persistent,
  );
  await expectAll(ask, [
    ['PUT /_cluster/settings', 400, 'request body is required'],
    [
      'PUT /_cluster/settings',
      400,
      'Illegal rebalance.enable value [NOPE]',
      { transient: { 'cluster.routing.rebalance.enable': 'nope' } },
    ],
    [
      'PUT /_cluster/settings',
      400,
      'persistent setting [cluster.name], not dynamically updateable',
      { persistent: { 'cluster.name': 'x' } },
    ],
  ]);
});

test('names of aliases and templates follow the rules of names', async () => {
  const ask = await startRest();
  await ask('PUT /r');
  await expectAll(ask, [
    ['PUT /r2', 200],
    ['PUT /r*,-r2/_alias/al', 200],
    [
      'PUT /r,al/_alias/other',
      400,
      'The provided expression [al] matches an alias, specify the corresponding concrete indices instead.',
    ],
    ['PUT /r/_alias/_bad', 400, "Invalid alias name [_bad]: must not start with '_', '-', or '+'"],
    ['PUT /r/_alias/a%23b', 400, "Invalid alias name [a#b]: must not contain '#'"],
    ['PUT /r/_alias/a:b', 400, "Invalid alias name [a:b]: must not contain ':'"],
    ['PUT /r/_alias/fine', 200, undefined, { filter: null, routing: null, index_routing: 7 }],
    ['PUT /r/_alias/hid', 400, undefined, { is_hidden: true }],
    [
      'PUT /_template/t',
      400,
      'Malformed [version] value, should be an integer',
      { index_patterns: ['x'], version: '7' },
    ],
    [
      'PUT /_template/t',
      400,
      'Malformed [template] value, should be a string or a list of strings',
      { index_patterns: { a: 1 } },
    ],
    [
      'PUT /_template/t',
      400,
      'index_template [t] invalid, cause [Validation Failed: 1: global templates may not specify the setting index.hidden;]',
      { index_patterns: ['*'], settings: { 'index.hidden': true } },
    ],
    ['PUT /_component_template/ct', 200, undefined, { template: {} }],
    ['GET /_component_template/ct,absent', 404, 'component template matching [ct,absent] not found'],
    [
      'PUT /_index_template/it?timeout=1s',
      400,
      'request [/_index_template/it] contains unrecognized parameter: [timeout]',
      { index_patterns: ['x*'] },
    ],
  ]);
  assert.deepEqual((await ask('GET /r/_alias/fine')).json.r.aliases.fine, { index_routing: '7' });
});

test('reads by id refuse what the real engine refuses', async () => {
  const ask = await startRest();
  await ask('PUT /r', { mappings: { _routing: { required: true } } });
  await ask('PUT /r/_doc/1?routing=5&refresh=true', { a: 1 });
  await expectAll(ask, [
    ['GET /r/_doc/1?routing=5&preference=_nope', 400, 'no Preference for [_nope]'],
    [
      'GET /r/_doc/1?fields=a',
      400,
      'the parameter [fields] is no longer supported, please use [stored_fields] to retrieve stored fields or [_source] to load the field from _source',
    ],
    ['GET /r/_explain/1', 400, 'routing is required for [r]/[_doc]/[1]', { query: { match_all: {} } }],
    ['POST /r/_mget', 400, 'ids array element should only contain ids', { ids: [{ a: 1 }] }],
    [
      'POST /_reindex',
      400,
      'Validation Failed: 1: use _all if you really want to copy from all existing indexes;',
      { source: { index: '' }, dest: { index: 'd' } },
    ],
    [
      'POST /r/_update_by_query?refresh=wait_for',
      400,
      'Failed to parse value [wait_for] as only [true] or [false] are allowed.',
    ],
    ['POST /r/_update_by_query?_source_includes=a', 400, '[_source_includes] in an update by query is not supported'],
    ['POST /r/_doc?routing=5', 400, 'failed to parse', ' '],
    ['POST /_nodes/reload_secure_settings', 400, '[1:2] [reload_secure_settings] unknown field [a]', { a: 1 }],
    ['POST /_msearch', 400, 'Validation Failed: 1: no requests added;', '{"index":"r"}\n'],
    ['GET /_cat/count?pretty=maybe', 400, 'Failed to parse value [maybe] as only [true] or [false] are allowed.'],
  ]);
});

test('an upsert by a typed path gives an empty index its type', async () => {
  const ask = await startRest();
  await ask('PUT /r', { settings: { number_of_replicas: 0 } });
  assert.equal((await ask('POST /r/ty/1/_update', { doc: { a: 1 }, upsert: { a: 0 } })).status, 201);
  assert.equal((await ask('POST /r/ty/1/_update', { doc: { a: 1 } })).json.result, 'updated');
  await expectAll(ask, [
    ['POST /r/other/1/_update', 404, '[other][1]: document missing', { doc: { a: 1 } }],
    [
      'POST /r/ty/_delete_by_query?preference=_primary',
      400,
      'no Preference for [_primary]',
      { query: { match_none: {} } },
    ],
    ['POST /r/ty/_bulk?type=', 200, undefined, [{ delete: { _id: '9' } }]],
    ['POST /r/_bulk?type=', 400, 'Validation Failed: 1: type is missing;', [{ delete: { _id: '9' } }]],
  ]);
});

test('stores are shown of indices whose health is asked for', async () => {
  const ask = await startRest();
  await ask('PUT /whole', { settings: { number_of_replicas: 0 } });
  await ask('PUT /lacking', { settings: { number_of_replicas: 1 } });
  const names = async (query: string): Promise<readonly string[]> =>
    Object.keys((await ask(`GET /_shard_stores${query}`)).json.indices);
  assert.deepEqual(await names(''), ['lacking']);
  assert.deepEqual(await names('?status=green'), ['whole']);
  assert.deepEqual(await names('?status=all'), ['lacking', 'whole']);
});

test('an index of several shards is told shard by shard, and a search counts those that it asks', async () => {
  const ask = await startRest();
  await ask('PUT /five', { settings: { number_of_shards: 5, number_of_replicas: 0 } });
  await ask('PUT /one/_doc/1?refresh=true', { a: 1, t: 'x' });
  await ask('PUT /five/_doc/1?refresh=true', { a: 1 });
  const shards = async (target: string, body?: unknown): Promise<unknown> => {
    const { _shards: told, num_reduce_phases: phases } = (await ask(target, body)).json;
    return [told.total, told.successful, told.failed, phases];
  };
  assert.deepEqual(
    await Promise.all([
      shards('GET /five/_search?batched_reduce_size=2'),
      shards('GET /five,one/_search?batched_reduce_size=3&size=0', { aggs: { m: { max: { field: 'a' } } } }),
      shards('GET /five,one/_search?size=0&batched_reduce_size=2'),
      shards('GET /five/_search?routing=q'),
      shards('GET /five,one/_search?preference=_shards:1,2'),
      shards('GET /five,one/_count'),
      // The text cannot be sorted by in the index that has it.
      shards('GET /five,one/_search', { sort: [{ t: { unmapped_type: 'long' } }] }),
    ]),
    [
      [5, 5, 0, 4],
      [6, 6, 0, 3],
      [6, 6, 0, undefined],
      [1, 1, 0, undefined],
      [2, 2, 0, undefined],
      [6, 6, 0, undefined],
      [6, 5, 1, undefined],
    ],
  );
  const keys = async (target: string): Promise<string[]> => Object.keys((await ask(target)).json.indices.five.shards);
  assert.deepEqual(await keys('GET /five/_segments'), ['0', '1', '2', '3', '4']);
  assert.deepEqual(await keys('GET /five/_shard_stores?status=all'), ['0', '1', '2', '3', '4']);
  assert.equal((await ask('GET /five/_recovery')).json.five.shards.length, 5);
  const routed = (await ask('GET /five/_search_shards?routing=q')).json.shards;
  assert.deepEqual(
    routed.map(([{ shard }]: any) => shard),
    [0],
  );
});

test('where a search goes shows the filters of aliases as Elasticsearch prints queries', async () => {
  const ask = await startRest();
  await ask('PUT /i');
  const printed = async (filter: unknown): Promise<unknown> => {
    await ask('PUT /i/_alias/f', { filter });
    return (await ask('GET /f/_search_shards')).json.indices.i.filter;
  };
  assert.deepEqual(await printed({ range: { n: { gte: 1, lt: 5 } } }), {
    range: { n: { from: 1, to: 5, include_lower: true, include_upper: false, boost: 1 } },
  });
  assert.deepEqual(await printed({ wildcard: { a: { value: 'x*' } } }), {
    wildcard: { a: { wildcard: 'x*', boost: 1 } },
  });
  const bool = {
    must: { term: { a: 1 } },
    filter: [{ term: { b: { value: 'z', boost: 3, _name: 'q' } } }],
    must_not: { exists: { field: 'z' } },
    minimum_should_match: 1,
  };
  assert.deepEqual(await printed({ bool }), {
    bool: {
      must: [{ term: { a: { value: 1, boost: 1 } } }],
      filter: [{ term: { b: { value: 'z', boost: 3, _name: 'q' } } }],
      must_not: [{ exists: { field: 'z', boost: 1 } }],
      adjust_pure_negative: true,
      minimum_should_match: '1',
      boost: 1,
    },
  });
});

test('a mapping that one of several indices refuses changes none of them', async () => {
  const ask = await startRest();
  await ask('PUT /a', { mappings: { properties: { tag: { type: 'keyword' } } } });
  await ask('PUT /b', { mappings: { properties: { tag: { type: 'text' } } } });
  const mapping = { properties: { tag: { type: 'keyword', ignore_above: 5 } } };
  assert.equal((await ask('PUT /a,b/_mapping', mapping)).status, 400);
  assert.deepEqual((await ask('GET /a/_mapping')).json.a.mappings, { properties: { tag: { type: 'keyword' } } });
  await ask('PUT /a/_alias/x');
  await ask('PUT /a/_doc/1', {});
  const asked = { docs: [{ _index: 'x', _id: '1', version: 9, version_type: 'external' }] };
  assert.equal((await ask('GET /_mget', asked)).json.docs[0]._index, 'a');
  const pipeline = { processors: [{ dissect: { field: 't', pattern: '%{a}' } }] };
  const { docs } = (await ask('POST /_ingest/pipeline/_simulate', { pipeline, docs: [{ _source: { t: '' } }] })).json;
  assert.equal(docs[0].error.type, 'find_match');
});

test('the mistake that Elasticsearch finds first is told: names before private settings, times before bodies', async () => {
  const ask = await startRest();
  await ask('PUT /i', { settings: { 'index.blocks.write': true } });
  const isPrivate = { settings: { 'version.created': 1 } };
  await expectAll(ask, [
    [
      'PUT /new',
      400,
      'Validation Failed: 1: private index setting [index.version.created] can not be set explicitly;',
      isPrivate,
    ],
    [
      'POST /i/_update/1?timeout=1',
      400,
      'failed to parse setting [timeout] with value [1] as a time value: unit is missing or unrecognized',
      { doc: 7 },
    ],
    [
      'PUT /i/_clone/j',
      400,
      'cannot provide index.number_of_routing_shards on resize',
      { settings: { 'index.number_of_routing_shards': 4 } },
    ],
  ]);
  assert.match((await ask('PUT /i', isPrivate)).text, /index \[i\/\w+\] already exists/);
  assert.deepEqual((await ask('GET /i/_field_caps?fields=*')).json, { indices: ['i'], fields: {} });
});

test('an alias that begins with a minus is missing, unless it leaves something out of a pattern before it', async () => {
  const ask = await startRest();
  await ask('PUT /i', { aliases: { one: {}, two: {} } });
  const missing = async (names: string): Promise<unknown> => (await ask(`GET /i/_alias/${names}`)).json.error;
  assert.deepEqual(
    [await missing('-one'), await missing('one,-none'), await missing('none,-one'), await missing('-one,t*')],
    ['alias [-one] missing', 'alias [-none] missing', 'aliases [-one,none] missing', 'alias [-one] missing'],
  );
  assert.deepEqual((await ask('GET /i/_alias/*,-one')).json, { i: { aliases: { two: {} } } });
  assert.equal(await missing('*,gone,-gone'), undefined);
  assert.equal((await ask('HEAD /i/_alias/-one')).status, 404);
});

test('one document of an alias of several indices is refused in every endpoint', async () => {
  const ask = await startRest();
  for (const index of ['i', 'j']) await ask(`PUT /${index}`, { aliases: { both: {} } });
  for (const target of ['GET /both/_explain/1', 'GET /both/_doc/1', 'GET /both/_source/1', 'GET /both/_termvectors/1'])
    assert.equal(
      (await ask(target, target.includes('explain') ? { query: { match_all: {} } } : undefined)).json.error.reason,
      "alias [both] has more than one index associated with it [i, j], can't execute a single index op",
      target,
    );
});

test('parameters mean what they mean in Elasticsearch, endpoint by endpoint', async () => {
  const ask = await startRest();
  await ask('PUT /i', { settings: { number_of_shards: 2, number_of_routing_shards: 4, number_of_replicas: 0 } });
  for (const id of [1, 2]) await ask(`PUT /i/_doc/${id}?refresh=true`, { n: id, t: 'x' });
  assert.equal((await ask('GET /i')).json.i.settings.index.number_of_routing_shards, undefined);
  assert.deepEqual((await ask('GET /i/_settings/none?include_defaults=true')).json, {
    i: { settings: {}, defaults: {} },
  });
  assert.deepEqual((await ask('GET /i/_source/1?filter_path=none')).json, { n: 1, t: 'x' });
  assert.equal((await ask('GET /i/_count?terminate_after=-1')).json.error.reason, 'terminateAfter must be > 0');
  const many = (await ask('PUT /k?wait_for_active_shards=9', { settings: { number_of_replicas: 0 } })).json.error
    .reason;
  assert.equal(many, 'invalid wait_for_active_shards[9]: cannot be greater than number of shard copies [1]');
  const { term_vectors: vectors } = (await ask('GET /i/_termvectors/1?fields=t', { fields: ['n'] })).json;
  assert.deepEqual(Object.keys(vectors), ['t']);
  assert.equal((await ask('GET /i/_termvectors/1?preference=_x')).json.error.reason, 'no Preference for [_x]');
  assert.equal((await ask('GET /_cluster/stats?flat_settings=true')).status, 400);
  const all = { query: { match_all: {} } };
  const {
    deleted,
    throttled,
    throttled_until: until,
  } = (await ask('POST /i/_delete_by_query?size=-1&human=true', all)).json;
  assert.deepEqual([deleted, throttled, until], [2, '0s', '0s']);
});
