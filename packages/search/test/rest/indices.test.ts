import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';

import { createEngine, createRestApi, memoryDirectory } from '@lockstitch/search';

import { load, startRest } from './harness.ts';

test('a closed index keeps its documents and refuses to be read or written until it is opened', async () => {
  const ask = await startRest();
  await load(ask, 'notes', [{ text: 'one' }, { text: 'two' }]);
  await load(ask, 'other', [{ text: 'three' }]);
  const closed = await ask('POST /notes/_close');
  deepEqual(closed.json, { acknowledged: true, shards_acknowledged: true, indices: { notes: { closed: true } } });

  for (const [target, body] of [
    ['GET /notes/_search'],
    ['GET /notes/_count'],
    ['GET /notes/_doc/1'],
    ['GET /notes/_stats'],
    ['POST /notes/_refresh'],
    ['PUT /notes/_doc/3', { text: 'four' }],
    ['DELETE /notes/_doc/1'],
    ['POST /notes/_update/1', { doc: { text: 'x' } }],
    ['POST /notes/_delete_by_query', { query: { match_all: {} } }],
    ['GET /notes,other/_search'],
    ['GET /notes/_explain/1', { query: { match_all: {} } }],
  ] as const) {
    const refused = await ask(target, body);
    equal(refused.status, 400, target);
    equal(refused.json.error.type, 'index_closed_exception', target);
    equal(refused.json.error.index, 'notes', target);
  }
  const bulk = await ask('POST /_bulk', [{ index: { _index: 'notes', _id: '4' } }, { text: 'five' }]);
  equal(bulk.json.items[0].index.status, 400);

  equal((await ask('GET /_search')).json.hits.total.value, 1);
  equal((await ask('GET /notes,other/_search?ignore_unavailable=true')).json.hits.total.value, 1);
  match((await ask('GET /_cat/indices/notes?h=status,index')).text, /^close notes/);
  deepEqual(Object.keys((await ask('GET /_mapping?expand_wildcards=closed')).json), ['notes']);
  equal((await ask('GET /_mapping?expand_wildcards=some')).status, 400);
  equal((await ask('HEAD /notes')).status, 200);

  equal((await ask('POST /notes/_open')).json.acknowledged, true);
  equal((await ask('GET /notes/_search')).json.hits.total.value, 2);
});

test('that an index is closed, the name of its type and templates survive a restart', async () => {
  const directory = memoryDirectory();
  for (const round of ['first', 'second']) {
    const engine = await createEngine({ directory });
    const rest = createRestApi(engine);
    const headers = { 'content-type': 'application/json' };
    const ask = (method: string, target: string, body?: unknown) => {
      const url = new URL(target, 'http://localhost');
      const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      return rest.handle({ method, path: url.pathname, query: url.searchParams, headers, body: text });
    };
    if (round === 'first') {
      const mappings = { note: { properties: { text: { type: 'text' } } } };
      await ask('PUT', '/notes?include_type_name=true', { mappings });
      equal((await ask('PUT', '/notes/_settings', { 'index.refresh_interval': '2s' })).status, 200);
      equal((await ask('POST', '/notes/_close')).status, 200);
      equal((await ask('PUT', '/_template/kept', { index_patterns: 'a*' })).status, 200);
    } else {
      equal((await ask('GET', '/notes/_search')).status, 400);
      match((await ask('GET', '/notes/_mapping?include_type_name=true')).body, /"mappings":\{"note":/);
      equal((await ask('HEAD', '/_template/kept')).status, 200);
    }
    await engine.close();
  }
});

test('an index has the one mapping type it was given, shown with include_type_name', async () => {
  const ask = await startRest();
  const properties = { text: { type: 'text' } };
  await ask('PUT /typed?include_type_name=true', { mappings: { note: { properties } } });
  await ask('PUT /typeless', { mappings: { properties } });
  await ask('PUT /empty');
  const all = await ask('GET /_mapping?include_type_name=true');
  deepEqual(all.json, {
    typed: { mappings: { note: { properties } } },
    typeless: { mappings: { _doc: { properties } } },
    empty: { mappings: {} },
  });
  deepEqual((await ask('GET /typed/_mapping')).json, { typed: { mappings: { properties } } });
  deepEqual(Object.keys((await ask('GET /_mapping/no*?include_type_name=true')).json), ['typed']);

  const missing = await ask('GET /typed/_mapping/letter?include_type_name=true');
  equal(missing.status, 404);
  equal(missing.json.error.type, 'type_missing_exception');
  const partly = await ask('GET /typed/_mapping/note,letter?include_type_name=true');
  deepEqual([partly.status, partly.json.error], [404, 'type [letter] missing']);
  equal('typed' in partly.json, true);

  for (const index of ['typed', 'typeless']) {
    const second = await ask(`PUT /${index}/_mapping/letter?include_type_name=true`, { letter: { properties } });
    equal(second.status, 400);
    match(second.json.error.reason, /the final mapping would have more than 1 type: \[/);
  }
  equal((await ask('PUT /typed/_mapping/note?include_type_name=true', { properties })).status, 200);
  equal((await ask('PUT /typed/_mapping', { _doc: { properties } })).status, 400);
  const nested = await ask('PUT /nested', { mappings: { note: { properties } } });
  match(nested.json.error.reason, /Root mapping definition has unsupported parameters:  \[note : /);
});

test('templates give settings, mappings and aliases to indices whose name fits, the request and higher orders winning', async () => {
  const ask = await startRest();
  const low = {
    index_patterns: ['log-*'],
    settings: { number_of_replicas: 0, 'index.refresh_interval': '5s' },
    mappings: { properties: { host: { type: 'keyword' }, text: { type: 'keyword' } } },
    aliases: { logs: {}, 'all-{index}': {} },
  };
  const high = {
    index_patterns: 'log-app-*',
    order: 5,
    version: 3,
    settings: { index: { refresh_interval: '9s' } },
    mappings: { properties: { text: { type: 'text' } } },
  };
  equal((await ask('PUT /_template/low', low)).status, 200);
  equal((await ask('PUT /_template/high', high)).status, 200);
  equal((await ask('PUT /_template/high?create=true', high)).status, 400);
  equal((await ask('HEAD /_template/high')).status, 200);
  deepEqual((await ask('GET /_template/hi*')).json, {
    high: {
      order: 5,
      version: 3,
      index_patterns: ['log-app-*'],
      settings: { index: { refresh_interval: '9s' } },
      mappings: high.mappings,
      aliases: {},
    },
  });

  const body = { settings: { number_of_replicas: 2 }, mappings: { properties: { size: { type: 'long' } } } };
  equal((await ask('PUT /log-app-1', body)).status, 200);
  const { 'log-app-1': made } = (await ask('GET /log-app-1')).json;
  deepEqual(
    Object.entries(made.mappings.properties as Record<string, { type: string }>)
      .map(([name, { type }]) => `${name} ${type}`)
      .sort(),
    ['host keyword', 'size long', 'text text'],
  );
  deepEqual([made.settings.index.number_of_replicas, made.settings.index.refresh_interval], ['2', '9s']);
  deepEqual(Object.keys(made.aliases).sort(), ['all-log-app-1', 'logs']);

  // An index that a first document makes gets them too; one of another name does not.
  await ask('PUT /log-2/_doc/1', { host: 'a b' });
  equal((await ask('GET /log-2')).json['log-2'].mappings.properties.host.type, 'keyword');
  await ask('PUT /letters/_doc/1', { host: 'a b' });
  equal((await ask('GET /letters')).json['letters'].mappings.properties.host.type, 'text');

  equal((await ask('DELETE /_template/high')).status, 200);
  equal((await ask('GET /_template/high')).status, 404);
  equal((await ask('DELETE /_template/high')).json.error.type, 'index_template_missing_exception');
});

test('a template that could not be applied is refused when it is written', async () => {
  const ask = await startRest();
  for (const [body, reason] of [
    [{}, /index patterns are missing/],
    [{ index_patterns: 'a*', mappings: { properties: { x: { type: 'txet' } } } }, /txet/],
    [{ index_patterns: 'a*', settings: { number_of_shrads: 1 } }, /number_of_shrads/],
    [{ index_patterns: 'a*', mapings: {} }, /mapings/],
    [{ index_patterns: 'a*', mappings: { _doc: { properties: {} } } }, /include_type_name/],
  ] as const) {
    const reply = await ask('PUT /_template/bad', body);
    equal(reply.status, 400, reply.text);
    match(reply.text, reason);
  }
  equal((await ask('PUT /_template/Bad*', { index_patterns: 'a*' })).status, 400);
  const readOnly = await ask('PUT /_template/x', { index_patterns: 'a*' }, { readOnly: () => true });
  equal(readOnly.status, 403);
  deepEqual((await ask('GET /_template')).json, {});
});

test('mistakes in filters and tokenizers are told when the index is created, also where no analyzer uses them', async () => {
  const ask = await startRest();
  for (const [analysis, reason] of [
    [{ filter: { f: { type: 'multiplexr', filters: ['lowercase'] } } }, /Unknown filter type \[multiplexr\] for \[f\]/],
    [{ filter: { f: { type: 'stop', stopwordz: ['a'] } } }, /stopwordz/],
    [{ filter: { f: { type: 'multiplexer', filterz: ['lowercase'] } } }, /\[filterz\]/],
    [{ tokenizer: { t: { type: 'ngramz' } } }, /ngramz/],
    [{ char_filter: { c: { type: 'mapping', mappings: ['a => b'], maps: [] } } }, /\[maps\]/],
    [{ analyzer: { a: { tokenizer: 'standard', filter: ['valueOf'] } } }, /\[valueOf\]/],
    [{ analyzer: { a: { tokenizer: 'toString' } } }, /\[toString\]/],
    [{ analyzer: { a: { tokenizer: 'standard', char_filter: ['constructor'] } } }, /\[constructor\]/],
  ] as const) {
    for (const [target, body] of [
      ['PUT /words', { settings: { analysis } }],
      ['PUT /_template/words', { index_patterns: ['words*'], settings: { analysis } }],
    ] as const) {
      const refused = await ask(target, body);
      equal(refused.status, 400, `${target} ${refused.text}`);
      match(refused.json.error.reason, reason);
    }
  }
  const filter = {
    same: { type: 'synonym', synonyms: ['big car => lorry', 'a, b'] },
    both: { type: 'multiplexer', filters: ['same', 'lowercase'] },
  };
  const made = await ask('PUT /words', { settings: { analysis: { filter, tokenizer: { t: { type: 'ngram' } } } } });
  equal(made.status, 200, made.text);
});

test('a typed path names the type of the index that its first document made', async () => {
  const ask = await startRest();
  const written = await ask('PUT /shelf/book/1?refresh=true', { title: 'one' });
  deepEqual([written.status, written.json._type], [201, 'book']);
  deepEqual(
    (await ask('GET /shelf/_mapping?include_type_name=true')).json.shelf.mappings.book.properties.title.type,
    'text',
  );
  for (const [target, type] of [
    ['GET /shelf/book/1', 'book'],
    ['GET /shelf/_all/1', 'book'],
    ['GET /shelf/_doc/1', '_doc'],
  ] as const) {
    const read = await ask(target);
    deepEqual([read.status, read.json._type, read.json._source], [200, type, { title: 'one' }]);
  }
  const other = await ask('GET /shelf/letter/1');
  deepEqual([other.status, other.json], [404, { _index: 'shelf', _type: 'letter', _id: '1', found: false }]);
  const missing = await ask('POST /shelf/letter/1/_update', { doc: {} });
  deepEqual([missing.status, missing.json.error.reason], [404, '[letter][1]: document missing']);
  equal((await ask('POST /shelf/book/1/_update', { doc: { title: 'one' } })).json._type, 'book');
  for (const target of ['PUT /shelf/letter/1', 'DELETE /shelf/letter/1', 'POST /shelf/letter/1/_update']) {
    const refused = await ask(target, target.includes('_update') ? { doc: {}, doc_as_upsert: true } : { title: 'two' });
    equal(refused.status, 400, target);
    match(refused.json.error.reason, /Rejecting mapping update to \[shelf\] .* more than 1 type: \[book, letter\]/);
  }
  const docs = [{ _type: 'book', _id: '1' }, { _type: 'letter', _id: '1' }, { _id: '2' }];
  const several = await ask('GET /shelf/_mget', { docs });
  deepEqual(
    several.json.docs.map((each: any) => [each._type, each.found]),
    [
      ['book', true],
      ['letter', false],
      ['book', false],
    ],
  );
});

test('an index is replaced by an alias of its name in one request, and a refused request removes nothing', async () => {
  const ask = await startRest();
  await ask('PUT /old/_doc/1', { a: 1 });
  await ask('PUT /new/_doc/2', { a: 2 });
  const bad = await ask('POST /_aliases', {
    actions: [{ remove_index: { index: 'old' } }, { add: { index: 'new', alias: 'old', filter: { nonsense: {} } } }],
  });
  equal(bad.status, 400);
  equal((await ask('GET /old/_doc/1')).status, 200);
  const taken = await ask('POST /_aliases', {
    actions: [{ remove_index: { index: 'old' } }, { add: { index: 'new', alias: 'new' } }],
  });
  equal(taken.json.error.type, 'invalid_alias_name_exception');
  equal((await ask('GET /old/_doc/1')).status, 200);
  await ask('POST /_aliases', {
    actions: [{ add: { index: 'new', alias: 'old' } }, { remove_index: { index: 'old' } }],
  });
  equal((await ask('GET /old/_doc/2')).json._index, 'new');
});

test('health is yellow for replicas that were asked for, counts shards as set, and says when what is waited for cannot come', async () => {
  const ask = await startRest();
  await ask('PUT /a', { settings: { number_of_replicas: 0, number_of_shards: 2 } });
  equal((await ask('GET /_cluster/health?wait_for_status=green')).json.active_shards, 2);
  await ask('PUT /b', { settings: { number_of_replicas: 3 } });
  const health = await ask('GET /_cluster/health?level=indices');
  equal(health.json.status, 'yellow');
  equal(health.json.unassigned_shards, 3);
  equal(health.json.indices.b.status, 'yellow');
  const waited = await ask('GET /_cluster/health?wait_for_active_shards=5');
  equal(waited.status, 408);
  equal(waited.json.timed_out, true);
});

test('an unrecognised metric of _stats gets a suggestion, and level=shards shows the shard', async () => {
  const ask = await startRest();
  await ask('PUT /a');
  equal(
    (await ask('GET /_stats/fieldata')).json.error.reason,
    'request [/_stats/fieldata] contains unrecognized metric: [fieldata] -> did you mean [fielddata]?',
  );
  equal((await ask('GET /a/_stats?level=shards')).json.indices.a.shards[0][0].routing.primary, true);
});

test('include_defaults shows what holds for settings that were not given', async () => {
  const ask = await startRest();
  await ask('PUT /a', { settings: { max_result_window: 5 } });
  const { settings, defaults } = (await ask('GET /a/_settings?include_defaults=true&flat_settings=true')).json.a;
  equal(settings['index.max_result_window'], '5');
  equal(defaults['index.refresh_interval'], '1s');
  equal(defaults['index.max_result_window'], undefined);
});

test('the first document written by a typed path gives an index without a mapping its type', async () => {
  const ask = await startRest();
  await ask('PUT /t');
  const bare = await ask('POST /_mget', { docs: [{ _index: 't', _id: '1' }] });
  equal(bare.json.docs[0]._type, null, bare.text);
  equal((await ask('PUT /t/photo/1', { a: 1 })).json._type, 'photo');
  equal((await ask('POST /t/_mget', { ids: ['1', '2'] })).json.docs[1]._type, 'photo');
  const other = await ask('PUT /t/video/2', { a: 1 });
  equal(other.status, 400, other.text);
  match(other.text, /more than 1 type/);
});

test('a mapping of thousands of fields is shown as a small one is: whole, pretty, filtered, by field', async () => {
  const ask = await startRest();
  const properties = Object.fromEntries(
    Array.from({ length: 6000 }, (_, at) => [`field "${at}"`, { type: at % 2 === 0 ? 'keyword' : 'long' }]),
  );
  for (const index of ['a', 'b']) {
    const settings = { index: { 'mapping.total_fields.limit': 6000 } };
    equal((await ask(`PUT /${index}`, { settings, mappings: { properties } })).status, 200);
  }
  await ask('PUT /small', { mappings: { properties: { n: { type: 'long' } } } });
  const large = { mappings: { properties } };
  const all = { a: large, b: large, small: { mappings: { properties: { n: { type: 'long' } } } } };
  deepEqual((await ask('GET /_mapping')).json, all);
  const pretty = await ask('GET /_mapping?pretty');
  deepEqual(pretty.json, all);
  match(pretty.text, /^\{\n {2}"a" : \{\n {4}"mappings" : \{/);
  const filtered = await ask('GET /_mapping?filter_path=*.mappings.properties.n,a.mappings.properties.field%20"7"');
  deepEqual(filtered.json, { a: { mappings: { properties: { 'field "7"': { type: 'long' } } } }, small: all.small });
  const caps = (await ask('GET /_field_caps?fields=*')).json.fields;
  equal(Object.keys(caps).filter((name) => !name.startsWith('_')).length, 6001);
  deepEqual(caps['field "7"'].long, { type: 'long', searchable: true, aggregatable: true });
  const byField = (await ask('GET /a/_mapping/field/*')).json.a.mappings;
  equal(Object.keys(byField).filter((name) => !name.startsWith('_')).length, 6000);
  deepEqual(byField['field "7"'], { full_name: 'field "7"', mapping: { 'field "7"': { type: 'long' } } });
});

test('documents of another type are refused in bulk requests, deletions among them, once an index has a mapping', async () => {
  const ask = await startRest();
  await ask('PUT /typeless', { mappings: { properties: { t: { type: 'keyword' } } } });
  const { json } = await ask('POST /_bulk', [
    { index: { _index: 'typeless', _id: '1', _type: 'other' } },
    {},
    { delete: { _index: 'typeless', _id: '1', _type: 'other' } },
    { update: { _index: 'typeless', _id: '1', _type: 'other' } },
    { doc: { t: 'x' } },
  ]);
  const reasons = json.items.map((item: any) => (item.index ?? item.delete ?? item.update).error.reason);
  const rejected =
    'Rejecting mapping update to [typeless] as the final mapping would have more than 1 type: [_doc, other]';
  deepEqual(reasons, [rejected, rejected, '[other][1]: document missing']);
});

test('a document that is none is refused as Elasticsearch refuses it', async () => {
  const ask = await startRest();
  const causes = ['x', '[', '{}{}', '{"t":1} []', '{"t":1'].map(
    async (body) => (await ask('POST /o/_doc', body)).json.error.caused_by.type,
  );
  deepEqual(await Promise.all(causes), [
    'not_x_content_exception',
    'not_x_content_exception',
    'illegal_argument_exception',
    'illegal_argument_exception',
    'json_e_o_f_exception',
  ]);
});

test('a path with a fixed step has the methods of that path alone', async () => {
  const ask = await startRest();
  for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
    const reply = await ask(`${method} /_index_template/_simulate`);
    deepEqual([reply.status, reply.headers['Allow']], [405, 'POST'], method);
  }
  equal((await ask('GET /o/book/_mapping')).json.error.type, 'illegal_argument_exception');
});

test('a resized index shows whose copy it is', async () => {
  const ask = await startRest();
  await ask('PUT /source', { settings: { 'index.blocks.write': true } });
  equal((await ask('PUT /source/_clone/copy')).status, 200);
  const { index } = (await ask('GET /copy/_settings')).json.copy.settings;
  deepEqual(
    [index.resize.source.name, index.routing, index.routing_partition_size, index.version],
    ['source', { allocation: { initial_recovery: { _id: null } } }, '1', { created: '7100299', upgraded: '7100299' }],
  );
});

test('an index that is named and not there makes health red, whatever is there beside it', async () => {
  const ask = await startRest();
  await ask('PUT /here', { settings: { number_of_replicas: 0 } });
  const { status, json } = await ask('GET /_cluster/health/here,nope?timeout=0s');
  deepEqual([status, json.status, json.active_shards, json.active_shards_percent_as_number], [408, 'red', 1, 100]);
});
