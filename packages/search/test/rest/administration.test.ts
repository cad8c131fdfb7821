// Histories of writes and administration: what Elasticsearch 7.10.2 answered to the same requests.
import { deepEqual, equal, match } from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Ask, startRest } from './harness.ts';

let ask: Ask;

before(async () => {
  ask = await startRest();
  await ask('PUT /a', { settings: { number_of_replicas: 0 }, aliases: { al: {} } });
  await ask('PUT /b', { settings: { number_of_replicas: 0 }, aliases: { al2: {}, al3: {} } });
});

type Row = readonly [target: string, body: unknown, reason: RegExp];

async function refused(rows: readonly Row[]): Promise<void> {
  for (const [target, body, reason] of rows) {
    const { status, json } = await ask(target, body);
    equal(status >= 400, true, target);
    match(json.error.reason, reason, target);
  }
}

test('an update is refused for its parameters in the order in which Elasticsearch reads them', async () => {
  const wrongBody = { doc: 7 };
  await refused([
    ['POST /a/_update/1?version=1&retry_on_conflict=x&refresh=no&wait_for_active_shards=x', wrongBody, /for refresh/],
    ['POST /a/_update/1?version=1&retry_on_conflict=x&wait_for_active_shards=x', wrongBody, /ActiveShardCount\[x\]/],
    ['POST /a/_update/1?version=1&retry_on_conflict=x', wrongBody, /int parameter \[retry_on_conflict\]/],
    ['POST /a/_update/1?version=1&if_seq_no=-1', wrongBody, /internal versioning can not be used/],
    ['POST /a/_update/1?if_seq_no=-1&if_primary_term=1', wrongBody, /sequence numbers must be non negative/],
    ['POST /a/_update/1', wrongBody, /doc doesn't support values of type: VALUE_NUMBER/],
  ]);
});

test('an update changes the routing of the document, and its answer shows none', async () => {
  await ask('PUT /a/_doc/1', { n: 1 });
  const { json } = await ask('POST /a/_update/1?routing=r1&_source=true', { doc: { n: 2 } });
  deepEqual(Object.keys(json.get), ['_seq_no', '_primary_term', 'found', '_source']);
  equal((await ask('GET /a/_doc/1')).json._routing, 'r1');
  const upsert = await ask('POST /a/_update/2?routing=r1&_source=true', { doc: { n: 2 }, doc_as_upsert: true });
  equal(upsert.json.get._routing, undefined);
  equal((await ask('GET /a/_doc/2?routing=r1')).json._routing, 'r1');
});

test('a bulk request makes its indices before its first item, and keeps the types of its items', async () => {
  const { json } = await ask('POST /_bulk', [
    { delete: { _index: 'made', _id: '1' } },
    { index: { _index: 'made', _id: '1', _type: 'own' } },
    {},
    { index: { _index: 'made', _id: '2', _type: 'other' } },
    {},
    { delete: { _index: 'absent', _id: '1' } },
    { index: { _index: 'UPPER', _id: '1' } },
    {},
    { delete: { _index: 'UPPER', _id: '1' } },
  ]);
  deepEqual(
    json.items.map((item: Record<string, Record<string, any>>) => {
      const [{ _type: type, result, error } = {}] = Object.values(item);
      return [type, result ?? error.reason];
    }),
    [
      ['_doc', 'not_found'],
      ['own', 'created'],
      ['other', 'Rejecting mapping update to [made] as the final mapping would have more than 1 type: [own, other]'],
      ['_doc', 'no such index [absent]'],
      ['_doc', 'Invalid index name [UPPER], must be lowercase'],
      ['_doc', 'Invalid index name [UPPER], must be lowercase'],
    ],
  );
});

test('mistakes of the body of a new index come before those of its name, and these before its analysis', async () => {
  await refused([
    ['PUT /a', { settings: { codec: 'wrong' } }, /unknown value for \[index.codec\]/],
    ['PUT /al', { settings: { wrong: 1 } }, /unknown setting \[index.wrong\]/],
    ['PUT /a', { mappings: { _doc: { properties: {} } } }, /cannot be nested under a type \[_doc\]/],
    ['PUT /UPPER', { settings: { 'analysis.analyzer.own.tokenizer': 'nothing' } }, /must be lowercase/],
  ]);
});

test('a resize is refused for its body, its number of shards, its name and at last for writes', async () => {
  await refused([
    ['POST /nix/_split/t', undefined, /Validation Failed: 1: index.number_of_shards is required for split operations;/],
    ['POST /a/_clone/t', { wrong: 1 }, /^\[1:2\] \[resize_request\] unknown field \[wrong\]$/],
    ['POST /nix/_clone/UPPER', undefined, /no such index \[nix\]/],
    ['POST /a/_clone/b', { settings: { wrong: 1 } }, /unknown setting \[index.wrong\]/],
    [
      'POST /a/_clone/b',
      { settings: { number_of_shards: 2 } },
      /^the number of target shards \(2\) must be the same as the number of {2}source shards \( 1\)$/,
    ],
    ['POST /a/_clone/b', undefined, /index \[b\/\w+\] already exists/],
    ['POST /a/_clone/al', undefined, /already exists as alias/],
    ['POST /a/_clone/t', undefined, /must be read-only to resize index/],
  ]);
});

test('a rollover is refused for its conditions before its target, and may name its own alias', async () => {
  const parsing = /^\[1:\d+\] \[rollover\] failed to parse field \[conditions\]$/;
  await refused([
    ['POST /a/_rollover', { wrong: 1 }, /^\[1:2\] \[rollover\] unknown field \[wrong\]$/],
    ['POST /a/_rollover', { conditions: { wrong: 1 } }, parsing],
    ['POST /a/_rollover', { conditions: { max_docs: 'x' } }, parsing],
    ['POST /a/_rollover', { conditions: { max_age: 'x' } }, parsing],
    [
      'POST /a/_rollover',
      { conditions: [] },
      /^\[1:15\] \[rollover\] conditions doesn't support values of type: START_ARRAY$/,
    ],
    ['POST /a/_rollover', undefined, /rollover target is a \[concrete index\]/],
    ['POST /al/_rollover/UPPER', { conditions: { max_docs: 9 } }, /must be lowercase/],
    ['POST /al/_rollover/b', { conditions: { max_docs: 9 } }, /already exists/],
  ]);
  const { status } = await ask('POST /al3/_rollover/n1', { aliases: { al3: {} } });
  equal(status, 200);
  deepEqual(Object.keys((await ask('GET /_alias/al3')).json), ['n1']);
});

test('settings of an index that there is not are refused for that', async () => {
  await refused([
    ['PUT /nix/_settings', { wrong: 1 }, /no such index \[nix\]/],
    ['PUT /a/_settings', { 'index.version.created': 1 }, /can not update private setting \[index.version.created\]/],
    ['PUT /a/_settings', { 'index.sort.field': 'n' }, /Can't update non dynamic settings \[\[index.sort.field\]\]/],
  ]);
});

test('actions on aliases are read before an index is looked up', async () => {
  await refused([
    [
      'POST /_aliases',
      { actions: [{ add: { index: 'nix', alias: 'x' } }, { wrong: {} }] },
      /failed to parse field \[actions\]/,
    ],
    ['POST /_aliases', { actions: [{ add: { index: 'nix', alias: 'x' } }] }, /no such index \[nix\]/],
  ]);
});

test('each mistake in an action on aliases is named where it stands, in the order of the body', async () => {
  const reasonOf = async (action: object): Promise<string> => {
    const { json } = await ask('POST /_aliases', { actions: [action] });
    let cause = json.error;
    while (cause.caused_by !== undefined) cause = cause.caused_by;
    return cause.reason;
  };
  const cases: readonly (readonly [object, string])[] = [
    [{ add: { alias: '' } }, "[alias] can't be empty string"],
    [{ add: { alias: 'x' } }, 'One of [index] or [indices] is required'],
    [{ add: { index: 'a', indices: ['b'], alias: 'x' } }, 'Only one of [index] and [indices] is supported'],
    [{ add: { index: 'a', aliases: [''] } }, "[aliases] can't contain empty string"],
    [{ add: { indices: [], alias: 'x' } }, "[indices] can't be empty"],
    [{ add: [] }, "[alias_action] add doesn't support values of type: START_ARRAY"],
    [{ add: { index: 'a', alias: 'x', filter: 7 } }, "[add] filter doesn't support values of type: VALUE_NUMBER"],
    [{ remove: { index: 'a', alias: 'x', must_exist: true } }, '[remove] unknown field [must_exist]'],
    [{ remove_index: { index: 'a', alias: 'x' } }, '[alias] is unsupported for [REMOVE_INDEX]'],
  ];
  for (const [action, reason] of cases) equal(await reasonOf(action), reason);
  const { json } = await ask('DELETE /a/_alias/current,mine');
  deepEqual([json.error.reason, json.error['resource.id']], ['aliases [mine, current] missing', ['mine', 'current']]);
});

test('conditions in the body of an update win over those of its URL', async () => {
  await ask('PUT /a/_doc/c', { n: 1 });
  const { _seq_no: seqNo } = (await ask('GET /a/_doc/c')).json;
  const body = { doc: { n: 2 }, if_seq_no: seqNo, if_primary_term: 1 };
  equal((await ask('POST /a/_update/c?if_seq_no=999&if_primary_term=9', body)).json.result, 'updated');
});

test('names that are not there are left out where shards are asked, and wildcards that expand to nothing are names', async () => {
  deepEqual((await ask('GET /nix/_search_shards')).json, { nodes: {}, indices: {}, shards: [] });
  await refused([
    ['GET /nix/_search_shards?ignore_unavailable=false', undefined, /no such index \[nix\]/],
    ['GET /a,nothing*?expand_wildcards=none', undefined, /no such index \[nothing\*\]/],
    ['GET /a/_source/%C3%A4?version=1', undefined, /^request \[\/a\/_source\/ä\] contains/],
  ]);
  equal((await ask('GET /_cluster/health?level=wrong')).status, 200);
});

test('what copies or changes by query is refused for its parameters before its indices', async () => {
  await refused([
    [
      'POST /nix/_update_by_query?max_docs=2&size=1',
      undefined,
      /\[max_docs\] set to two different values \[1\] and \[2\]/,
    ],
    ['POST /nix/_delete_by_query?wait_for_active_shards=x', {}, /cannot parse ActiveShardCount\[x\]/],
    ['POST /a/_update_by_query?slices=x', { slice: { id: 0, max: 2 } }, /^\[slices\] must be a positive integer/],
    ['POST /_reindex?slices=x', { source: { index: 'nix' }, dest: { index: 'c' } }, /^\[slices\] must be a positive/],
    [
      'POST /_reindex?require_alias=true',
      { source: { index: 'nix' }, dest: { index: 'b' } },
      /no such index \[b\] and \[require_alias\] request flag is \[true\] and \[b\] is not an alias/,
    ],
  ]);
});

test('a composable template is refused for its words, its components, its settings and then its mapping', async () => {
  const template = { settings: { uuid: 'x' }, mappings: { wrong: 1 } };
  await refused([
    [
      'PUT /_index_template/i',
      { index_patterns: ['q*'], template: { wrong: 1 }, composed_of: ['nope'] },
      /^\[1:46\] \[index_template\] failed to parse field \[template\]$/,
    ],
    [
      'PUT /_index_template/i',
      { index_patterns: ['q*'], template, composed_of: ['nope'] },
      /specifies component templates \[nope\] that do not exist/,
    ],
    [
      'PUT /_index_template/i',
      { index_patterns: ['q*'], template },
      /^index_template \[i\] invalid, cause \[Validation Failed: 1: unknown setting \[index.uuid\]/,
    ],
  ]);
  const { json } = await ask('POST /_index_template/_simulate', { index_patterns: ['x*'], template: {} });
  deepEqual(json, { template: { settings: {}, aliases: {} }, overlapping: [] });
});

test('date math in the name of an index is refused in the words of its parser', async () => {
  await refused([
    ['PUT /%3Cx-%7Bnow%2Fq%7D%3E', undefined, /^unit \[q\] not supported for date math \[\/q\]$/],
    ['PUT /%3Cx-%7Bnow*1d%7D%3E', undefined, /^operator not supported for date math \[\*1d\]$/],
    ['PUT /%3Cx-%7Bnow%2B1%7D%3E', undefined, /^truncated date math \[\+1\]$/],
  ]);
});

test('statistics of the cluster count defined kinds of analysis parts and used built-in ones', async () => {
  await ask('PUT /an', {
    settings: {
      analysis: {
        analyzer: { own: { tokenizer: 'standard', filter: ['lowercase', 'mine'] }, other: { type: 'english' } },
        filter: { mine: { type: 'stop' } },
      },
    },
    mappings: { properties: { a: { type: 'text', analyzer: 'own', search_analyzer: 'french' } } },
  });
  const { json } = await ask('GET /_cluster/stats?filter_path=indices.analysis');
  const one = (name: string): object => ({ name, count: 1, index_count: 1 });
  deepEqual(json.indices.analysis, {
    char_filter_types: [],
    built_in_char_filters: [],
    tokenizer_types: [],
    built_in_tokenizers: [one('standard')],
    filter_types: [one('stop')],
    built_in_filters: [one('lowercase')],
    analyzer_types: [one('custom'), one('english')],
    built_in_analyzers: [one('french')],
  });
});

test('a write whose copies are no number makes no index', async () => {
  const reason = /cannot parse ActiveShardCount\[x\]/;
  await refused([
    ['PUT /unmade/_doc/1?wait_for_active_shards=x', {}, reason],
    ['DELETE /unmade/_doc/1?wait_for_active_shards=x', undefined, reason],
    ['POST /_bulk?wait_for_active_shards=x', [{ index: { _index: 'unmade', _id: '1' } }, {}], reason],
  ]);
  equal((await ask('HEAD /unmade')).status, 404);
});

test('a synced flush tells of each index, and a clone has one replica unless it is told otherwise', async () => {
  deepEqual((await ask('POST /a/_flush/synced')).json.a, { total: 1, successful: 1, failed: 0 });
  await ask('PUT /a/_settings', { 'index.blocks.write': true });
  equal((await ask('POST /a/_clone/twin')).status, 200);
  equal((await ask('GET /twin/_settings')).json.twin.settings.index.number_of_replicas, '1');
});

test('the order in the body of a template wins over that in the URL', async () => {
  await ask('PUT /_template/o?order=1', { index_patterns: ['zzz*'], order: 2 });
  equal((await ask('GET /_template/o')).json.o.order, 2);
});

test('tables count disk as used that is not available', async () => {
  const [node] = (await ask('GET /_cat/nodes?format=json&bytes=b&h=disk.total,disk.used,disk.avail')).json;
  equal(Number(node['disk.used']), Number(node['disk.total']) - Number(node['disk.avail']));
});
