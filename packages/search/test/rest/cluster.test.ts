// What tools ask of the cluster, its node and how indices lie on it.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, load, startRest } from './harness.ts';

async function filled(): Promise<Ask> {
  const ask = await startRest();
  await ask('PUT /logs', {
    mappings: { properties: { text: { type: 'text', fielddata: true }, n: { type: 'long' } } },
    aliases: { some: { filter: { term: { n: 1 } } }, all: {} },
  });
  await load(ask, 'logs', [
    { text: 'red fox', n: 1 },
    { text: 'blue', n: 2 },
  ]);
  return ask;
}

test('tables that have nothing to tell are empty, and each tells its columns', async () => {
  const ask = await filled();
  for (const table of ['nodeattrs', 'pending_tasks', 'plugins', 'repositories']) {
    deepEqual([(await ask(`GET /_cat/${table}`)).text, (await ask(`GET /_cat/${table}?format=json`)).text], ['', '[]']);
    match((await ask(`GET /_cat/${table}?help`)).text, /^\w+ +\|.*\|/);
    match((await ask(`GET /_cat/${table}?v`)).text, /^\w+/);
  }
  const { text } = await ask('GET /_cat');
  match(text, /^=\^\.\^=\n/);
  for (const line of text.trim().split('\n').slice(1)) {
    const path = line
      .replace('{index}', 'logs')
      .replace('{name}', '*')
      .replace('{node_id}', '_all')
      .replace(/\{\w+\}/, '*');
    // A repository has to be there.
    equal((await ask(`GET ${path}`)).status, path.includes('snapshots') ? 404 : 200, path);
  }
});

test('tables of the node and of indices have a row for each', async () => {
  const ask = await filled();
  match((await ask('GET /_cat/allocation?h=shards,node&v')).text, /^shards node\n +1 lockstitch\n +1 UNASSIGNED\n$/);
  equal((await ask('GET /_cat/allocation/nobody?h=node')).text, 'UNASSIGNED\n');
  const fields = await ask('GET /_cat/fielddata?format=json&bytes=b');
  deepEqual([fields.json.length, fields.json[0].field, Number(fields.json[0].size) > 0], [1, 'text', true]);
  equal((await ask('GET /_cat/fielddata/n?v&h=field')).text, 'field\n');
  const [segment] = (await ask('GET /_cat/segments/logs?format=json')).json;
  deepEqual([segment.index, segment.segment, segment['docs.count'], segment.searchable], ['logs', '_0', '2', 'true']);
  const [recovered] = (await ask('GET /_cat/recovery/logs?format=json')).json;
  deepEqual([recovered.index, recovered.stage, recovered.files_percent], ['logs', 'done', '0.0%']);
  equal((await ask('GET /_cat/recovery?active_only=true')).text, '');
  match((await ask('GET /_cat/thread_pool/search,write?h=name,active')).text, /^search 0\nwrite +0\n$/);
  match(
    (await ask('GET /_cat/tasks?h=action,type,node')).text,
    /^cluster:monitor\/tasks\/lists transport lockstitch\n$/,
  );
  equal((await ask('GET /_cat/tasks?actions=none*')).text, '');
  await ask('POST /logs/_close');
  equal((await ask('GET /_cat/segments/logs')).status, 400);
});

test('the state of the cluster has the parts that are asked for, of the indices that are asked for', async () => {
  const ask = await filled();
  await ask('PUT /other', { settings: { 'index.blocks.write': true } });
  const whole = (await ask('GET /_cluster/state')).json;
  deepEqual(Object.keys(whole.metadata.indices), ['logs', 'other']);
  equal(whole.metadata.indices.logs.mappings._doc.properties.n.type, 'long');
  deepEqual(whole.metadata.indices.logs.aliases.toSorted(), ['all', 'some']);
  deepEqual(Object.keys(whole.blocks.indices), ['other']);
  equal(whole.routing_table.indices.logs.shards[0][0].state, 'STARTED');
  equal(whole.master_node, Object.keys(whole.nodes)[0]);
  const part = (await ask('GET /_cluster/state/routing_table,version/logs')).json;
  deepEqual(Object.keys(part).sort(), ['cluster_name', 'cluster_uuid', 'routing_table', 'state_uuid', 'version']);
  deepEqual(Object.keys(part.routing_table.indices), ['logs']);
  deepEqual(Object.keys((await ask('GET /_cluster/state/metadat')).json), ['cluster_name', 'cluster_uuid']);
  await ask('POST /other/_close');
  equal((await ask('GET /_cluster/state/metadata,blocks')).json.metadata.indices.other.state, 'close');
});

test('the numbers of the cluster count indices, documents and kinds of fields', async () => {
  const ask = await filled();
  const { indices, nodes, status } = (await ask('GET /_cluster/stats')).json;
  deepEqual(
    [status, indices.count, indices.shards.total, indices.docs.count, nodes.count.total],
    ['yellow', 1, 1, 2, 1],
  );
  deepEqual(indices.mappings.field_types, [
    { name: 'long', count: 1, index_count: 1 },
    { name: 'text', count: 1, index_count: 1 },
  ]);
  deepEqual((await ask('GET /_cluster/pending_tasks')).json, { tasks: [] });
  deepEqual((await ask('GET /_remote/info')).json, {});
});

test('shards, their segments, copies and how they were opened are told by index', async () => {
  const ask = await filled();
  await ask('PUT /empty');
  const { _shards, indices } = (await ask('GET /_segments')).json;
  deepEqual([_shards.total, indices.logs.shards[0][0].segments._0.num_docs], [4, 2]);
  deepEqual(indices.empty.shards[0][0].segments, {});
  equal((await ask('GET /logs/_recovery?detailed')).json.logs.shards[0].stage, 'DONE');
  deepEqual((await ask('GET /logs/_recovery?active_only=true')).json, {});
  // Of indices that miss a copy, unless asked otherwise.
  deepEqual(Object.keys((await ask('GET /_shard_stores')).json.indices), ['empty', 'logs']);
  deepEqual((await ask('GET /_shard_stores?status=red')).json, { indices: {} });
  equal((await ask('GET /logs/_shard_stores?status=all')).json.indices.logs.shards[0].stores[0].allocation, 'primary');
  equal((await ask('GET /nope/_segments')).status, 404);
  const shards = (await ask('GET /some,empty/_search_shards')).json;
  deepEqual(shards.indices, {
    empty: {},
    logs: { aliases: ['some'], filter: { term: { n: { value: 1, boost: 1 } } } },
  });
  deepEqual(
    shards.shards.map(([{ index, primary }]: [{ index: string; primary: boolean }]) => [index, primary]),
    [
      ['empty', true],
      ['logs', true],
    ],
  );
  deepEqual((await ask('GET /some,all/_search_shards')).json.indices, { logs: { aliases: ['all', 'some'] } });
});

test('an alias rolls over to a new index once a condition is met', async () => {
  const ask = await startRest();
  await ask('PUT /logs-1', { aliases: { logs: {} } });
  await ask('PUT /logs-1/_doc/1?refresh=true', { n: 1 });
  const waiting = await ask('POST /logs/_rollover', { conditions: { max_docs: 2, max_age: '1d', max_size: '1gb' } });
  deepEqual(waiting.json, {
    acknowledged: false,
    shards_acknowledged: false,
    old_index: 'logs-1',
    new_index: 'logs-000002',
    rolled_over: false,
    dry_run: false,
    conditions: { '[max_docs: 2]': false, '[max_age: 1d]': false, '[max_size: 1gb]': false },
  });
  const dry = await ask('POST /logs/_rollover?dry_run', { conditions: { max_docs: 1 } });
  deepEqual([dry.json.rolled_over, dry.json.dry_run, dry.json.conditions], [false, true, { '[max_docs: 1]': true }]);
  const done = await ask('POST /logs/_rollover', {
    conditions: { max_docs: 1 },
    mappings: { properties: { n: { type: 'byte' } } },
  });
  deepEqual([done.json.acknowledged, done.json.rolled_over, done.json.new_index], [true, true, 'logs-000002']);
  deepEqual(Object.keys((await ask('GET /_alias/logs')).json), ['logs-000002']);
  equal((await ask('GET /logs/_mapping')).json['logs-000002'].mappings.properties.n.type, 'byte');
  const named = await ask('POST /logs/_rollover/named');
  deepEqual([named.json.rolled_over, named.json.conditions], [true, {}]);
});

test('an alias that says where it is written stays on what was written before', async () => {
  const ask = await startRest();
  await ask('PUT /logs-000009', { aliases: { logs: { is_write_index: true } } });
  equal((await ask('POST /logs/_rollover')).json.new_index, 'logs-000010');
  const { json } = await ask('GET /_alias/logs');
  deepEqual(
    [json['logs-000009'].aliases.logs, json['logs-000010'].aliases.logs],
    [{ is_write_index: false }, { is_write_index: true }],
  );
});

test('what cannot be rolled over is refused', async () => {
  const ask = await startRest();
  await ask('PUT /plain', { aliases: { one: {} } });
  await ask('PUT /a', { aliases: { many: {} } });
  await ask('PUT /b', { aliases: { many: {} } });
  for (const [target, body, reason] of [
    ['plain', {}, /is a \[concrete index\]/],
    ['nope', {}, /rollover target \[nope\] does not exist/],
    ['many', {}, /does not point to a write index/],
    ['one', {}, /index name \[plain\] does not match pattern/],
    ['one', { conditions: { max_doc: 1 } }, /unknown field \[max_doc\] did you mean any of \[max_docs, max_age\]/],
    ['one/b', {}, /index \[b\/.*already exists/],
    ['one', { conditions: { max_size: '1 furlong' } }, /max_size/],
  ] as const) {
    const [alias, name] = target.split('/');
    const path =
      name === undefined && /max/.test(JSON.stringify(body))
        ? `${alias}/_rollover/fresh`
        : `${alias}/_rollover${name === undefined ? '' : `/${name}`}`;
    const reply = await ask(`POST /${path}`, body);
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
});

test('nobody rolls over to an index that his path does not name, where paths decide', async () => {
  const ask = await startRest();
  await ask('PUT /logs-1', { aliases: { logs: {} } });
  const refused = await ask('POST /logs/_rollover/other', {}, { indexByPathOnly: true });
  equal(refused.status, 400);
  match(refused.text, /explicit index \[other\]/);
  equal((await ask('HEAD /other')).status, 404);
});

test('a block keeps an index from being written', async () => {
  const ask = await filled();
  deepEqual((await ask('PUT /logs/_block/write')).json, {
    acknowledged: true,
    shards_acknowledged: true,
    indices: [{ name: 'logs', blocked: true }],
  });
  equal((await ask('PUT /logs/_doc/9', { n: 9 })).status, 403);
  match((await ask('PUT /logs/_block/writes')).text, /No block found with name writes/);
});

test('the state of the cluster shows templates, and all indices where none is named', async () => {
  const ask = await startRest();
  await ask('PUT /_template/old', { index_patterns: ['o*'], mappings: { properties: { f: { type: 'keyword' } } } });
  await ask('PUT /_component_template/part', { template: { settings: { number_of_replicas: 0 } } });
  await ask('PUT /_index_template/new', { index_patterns: ['n*'], composed_of: ['part'] });
  for (const [index, settings] of [
    ['shown', {}],
    ['closed', {}],
    ['hidden', { hidden: true }],
  ] as const)
    await ask(`PUT /${index}`, { settings });
  await ask('POST /closed/_close');
  const { metadata } = (await ask('GET /_cluster/state/metadata')).json;
  deepEqual(metadata.templates.old.mappings, { _doc: { properties: { f: { type: 'keyword' } } } });
  deepEqual(Object.keys(metadata.component_template.component_template), ['part']);
  deepEqual(metadata.index_template.index_template, { new: { index_patterns: ['n*'], composed_of: ['part'] } });
  equal(metadata.indices.shown.routing_num_shards, 1024);
  const names = async (path: string): Promise<string[]> =>
    Object.keys((await ask(`GET /_cluster/state/metadata${path}`)).json.metadata.indices);
  deepEqual(await names('?expand_wildcards=none'), ['closed', 'hidden', 'shown']);
  deepEqual(await names('/_all?expand_wildcards=none'), ['closed', 'hidden', 'shown']);
  deepEqual(await names('/*'), ['shown']);
  deepEqual(await names('/*?expand_wildcards=closed'), ['closed']);
  equal((await ask('GET /_cluster/state?expand_wildcards=some')).status, 400);
  for (const [version, status] of [
    ['1', 200],
    ['-1', 400],
    ['x', 400],
  ] as const)
    equal((await ask(`GET /_cluster/state?wait_for_metadata_version=${version}`)).status, status);
});

test('wildcards leave hidden indices without an alias, and closed ones without the mapping of a field', async () => {
  const ask = await startRest();
  const mappings = { properties: { t: { type: 'text' } } };
  await ask('PUT /shown', { mappings });
  await ask('PUT /hidden', { settings: { hidden: true } });
  await ask('PUT /closed', { mappings });
  await ask('POST /closed/_close');
  equal((await ask('PUT /_all/_alias/other')).status, 200);
  deepEqual(Object.keys((await ask('GET /_alias/other')).json), ['shown']);
  for (const path of ['/_mapping/_all', '/_mapping/*', '/_mapping/*/field/t'])
    deepEqual((await ask(`GET ${path}`)).status, 200, path);
  deepEqual(Object.keys((await ask('GET /_mapping/field/t?expand_wildcards=open,closed')).json), ['shown']);
  equal((await ask('GET /closed/_mapping/field/t')).status, 404);
  match((await ask('GET /_mapping/_doc/field/t')).text, /Types cannot be specified unless include_type_name/);
  equal((await ask('HEAD /nothing')).status, 404);
  equal((await ask('HEAD /nothing?ignore_unavailable=true')).status, 200);
  for (const [path, body, reason] of [
    ['/_template/a', { template: ['a*'] }, /index patterns are missing/],
    ['/_template/a', { index_patterns: 'a*', aliases: { b: 1 } }, /No alias is specified/],
    [
      '/_index_template/a',
      { index_patterns: ['*'], template: { settings: { 'index.hidden': true } } },
      /global composable templates may not specify the setting index\.hidden/,
    ],
  ] as const) {
    const { status, text } = await ask(`PUT ${path}`, body);
    equal(status, 400);
    match(text, reason);
  }
});

test('sources of another type, lists of templates to delete and blocks that are there are as Elasticsearch has them', async () => {
  const ask = await startRest();
  await ask('PUT /o/_doc/1', { n: 1 });
  equal((await ask('GET /o/_doc/1/_source')).status, 200);
  match((await ask('GET /o/other/1/_source')).text, /Document not found \[o\]\/\[other\]\/\[1\]/);
  equal((await ask('HEAD /o/other/1/_source')).status, 404);
  for (const name of ['a', 'b']) await ask(`PUT /_template/${name}`, { index_patterns: ['x*'] });
  equal((await ask('DELETE /_template/a,b')).status, 404);
  deepEqual(Object.keys((await ask('GET /_template/a,b')).json), ['a', 'b']);
  const blocked = [{ name: 'o', blocked: true }];
  deepEqual((await ask('PUT /o/_block/write')).json.indices, blocked);
  deepEqual((await ask('PUT /o/_block/write')).json.indices, []);
});

test('a flag of bulk requests without a value asks for no alias, and a simulation of each step for all its pipelines', async () => {
  const ask = await startRest();
  const lines = [{ index: { _index: 'o', _id: '1' } }, { n: 1 }];
  equal((await ask('POST /_bulk?require_alias=', lines)).json.errors, false);
  equal((await ask('POST /_bulk?require_alias=true', lines)).json.items[0].index.status, 404);
  const body = {
    pipeline: { processors: [{ pipeline: { name: 'nothing', ignore_failure: true } }] },
    docs: [{ _source: {} }],
  };
  const refused = await ask('POST /_ingest/pipeline/_simulate?verbose', body);
  equal(refused.status, 400);
  match(refused.text, /Pipeline processor configured for non-existent pipeline \[nothing\]/);
  equal((await ask('POST /_ingest/pipeline/_simulate', body)).status, 200);
});

test('each block forbids what Elasticsearch forbids with it', async () => {
  const ask = await startRest();
  const BLOCKED = {
    read: [403, 7, 'index read (api)'],
    write: [403, 8, 'index write (api)'],
    read_only: [403, 5, 'index read-only (api)'],
    read_only_allow_delete: [
      429,
      12,
      'disk usage exceeded flood-stage watermark, index has read-only-allow-delete block',
    ],
    metadata: [403, 9, 'index metadata (api)'],
  } as const;
  const { read, write, metadataRead, metadataWrite } = {
    read: ['GET /o/_search', 'GET /o/_doc/1', 'GET /_cat/count/o'],
    write: ['PUT /o/_doc/1 {}', 'DELETE /o/_doc/1'],
    metadataRead: ['GET /o', 'HEAD /o', 'GET /o/_settings', 'GET /o/_mapping', 'GET /_stats', 'GET /_cat/indices'],
    metadataWrite: [
      'POST /o/_close',
      'POST /o/_open',
      'PUT /o/_block/write',
      'PUT /o/_alias/b',
      'DELETE /o/_alias/a',
      'PUT /o/_mapping {"properties":{"z":{"type":"long"}}}',
      'PUT /o/_settings {"refresh_interval":"2s"}',
      'POST /o/_forcemerge',
      'POST /o/_cache/clear',
    ],
  };
  const deletions = ['DELETE /o', 'DELETE /*', 'POST /_aliases {"actions":[{"remove_index":{"index":"o"}}]}'];
  const forbidden: Readonly<Record<keyof typeof BLOCKED, readonly string[]>> = {
    read,
    write,
    read_only: [...write, ...metadataWrite, ...deletions],
    // Deleting an index makes room.
    read_only_allow_delete: [...write, ...metadataWrite],
    metadata: [...metadataRead, ...metadataWrite, ...deletions],
  };
  for (const [block, targets] of Object.entries(forbidden) as [keyof typeof BLOCKED, readonly string[]][]) {
    const [status, id, description] = BLOCKED[block];
    await ask('PUT /o', { aliases: { a: {} } });
    await ask('PUT /o/_settings', { [`index.blocks.${block}`]: true });
    const state = (await ask('GET /_cluster/state/blocks')).json.blocks.indices.o[id];
    equal(state.description, description);
    for (const each of targets) {
      const [, target, body] = /^(\S+ \S+) ?(.*)$/.exec(each)!;
      const refused = await ask(target!, body === '' ? undefined : JSON.parse(body!));
      equal(refused.status, status, `${block}: ${each} ${refused.text}`);
      if (!each.startsWith('HEAD'))
        match(
          refused.text,
          new RegExp(`index \\[o\\] blocked by: \\[\\w+/${id}/${description.replace(/[()]/g, '.')}\\];`),
        );
    }
    if (block === 'read_only_allow_delete') equal((await ask('DELETE /o')).status, 200);
    else equal((await ask('PUT /o/_settings', { [`index.blocks.${block}`]: null })).status, 200, block);
  }
  equal((await ask('GET /o/_search')).status, 200);
});
