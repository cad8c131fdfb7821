// The lines of a bulk request as clients write them: members that say nothing, what stands behind an action, and what refuses all of it.
// The answers are those of Elasticsearch 7.10.2.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, startRest } from './harness.ts';

const INDEX = { _index: 't', _id: '1' };
const results = async (ask: Ask, body: unknown): Promise<unknown[]> => {
  const { json, text } = await ask('POST /_bulk', body);
  if (json.items === undefined) return [text];
  return json.items.map((item: Record<string, any>) => Object.values(item)[0].result ?? Object.values(item)[0].error);
};

test('winston-elasticsearch stores its lines: pipeline null, and attempts beside the action', async () => {
  const ask = await startRest();
  const line = { index: { _index: 'logs-app', pipeline: null }, attempts: 0 };
  const { json } = await ask('POST /_bulk?wait_for_active_shards=1&timeout=20000ms', [line, { message: 'a' }]);
  deepEqual([json.errors, json.items[0].index.result], [false, 'created']);
});

test('members of an action that are null count as not given, known or not', async () => {
  const ask = await startRest();
  for (const member of ['routing', 'version', 'version_type', 'if_seq_no', 'retry_on_conflict', '_type', 'unknown'])
    deepEqual(
      (await results(ask, [{ index: { ...INDEX, [member]: null } }, {}]))[0],
      member === 'routing' ? 'created' : 'updated',
    );
  deepEqual(await results(ask, [{ index: { ...INDEX, pipeline: '_none' } }, {}]), ['updated']);
});

test('what stands behind the object of an action is not read', async () => {
  const ask = await startRest();
  const head = '{"index":{"_index":"t","_id":"1"}';
  for (const rest of [',"more":1}', ',"create":{"_index":"other"}}', '} x', ',}'])
    equal((await ask('POST /_bulk', `${head}${rest}\n{"n":1}\n`)).json.errors, false);
  equal((await ask('HEAD /other')).status, 404);
});

test('an update that cannot be read refuses the whole bulk request, and nothing is written', async () => {
  const ask = await startRest();
  const cases: readonly (readonly [object, string])[] = [
    [{ docs: {} }, '[1:2] [UpdateRequest] unknown field [docs] did you mean [doc]?'],
    [{ doc: 1 }, "[1:8] [UpdateRequest] doc doesn't support values of type: VALUE_NUMBER"],
    [{}, 'Validation Failed: 1: script or doc is missing;'],
    [{ upsert: {} }, 'Validation Failed: 1: script or doc is missing;'],
    [{ doc: {}, if_seq_no: 1 }, 'Validation Failed: 1: ifSeqNo is set, but primary term is [0];'],
    [
      { doc: {}, doc_as_upsert: true, if_seq_no: 1, if_primary_term: 1 },
      'Validation Failed: 1: compare and write operations can not be used with upsert;',
    ],
  ];
  for (const [body, reason] of cases) {
    const { status, json } = await ask('POST /_bulk', [{ index: INDEX }, {}, { update: INDEX }, body]);
    deepEqual([status, json.error.reason], [400, reason]);
    // By itself as in a bulk request.
    equal((await ask('POST /t/_update/1', body)).json.error.reason, reason);
  }
  equal((await ask('HEAD /t')).status, 404);
});

test('conditions that contradict each other refuse the whole bulk request, each named', async () => {
  const ask = await startRest();
  const { json } = await ask('POST /_bulk', [
    { index: { ...INDEX, version: 2 } },
    {},
    { create: { ...INDEX, if_seq_no: 1, if_primary_term: 1 } },
    {},
  ]);
  match(json.error.reason, /1: internal versioning can not.*;2: create operations do not support compare and set/);
});

test('each action of a bulk request says that a refresh followed it, and how many copies it was for', async () => {
  const ask = await startRest();
  const lines = [{ index: INDEX }, { n: 1 }, { update: INDEX }, { doc: { n: 1 } }, { delete: { ...INDEX, _id: '9' } }];
  const shown = async (target: string): Promise<unknown> =>
    (await ask(target, lines)).json.items.map((item: Record<string, any>) => {
      const [{ forced_refresh: forced, _shards: shards }] = Object.values(item);
      return [forced, shards.total];
    });
  deepEqual(await shown('POST /_bulk?refresh=true'), [
    [true, 2],
    [true, 2],
    [true, 2],
  ]);
  deepEqual(await shown('POST /_bulk?refresh=wait_for'), [
    [undefined, 2],
    [undefined, 2],
    [undefined, 2],
  ]);
  await ask('PUT /t/_settings', { number_of_replicas: 0 });
  deepEqual(await shown('POST /_bulk'), [
    [undefined, 1],
    [undefined, 1],
    [undefined, 1],
  ]);
});

test('deleting from an index that is not there fails by itself and makes none', async () => {
  const ask = await startRest();
  const { json } = await ask('POST /_bulk', [{ delete: INDEX }]);
  deepEqual(
    [json.errors, json.items[0].delete.status, json.items[0].delete.error.type],
    [true, 404, 'index_not_found_exception'],
  );
  equal((await ask('HEAD /t')).status, 404);
});

test('two members of one name are refused wherever JSON is read', async () => {
  const ask = await startRest();
  const single = await ask('PUT /t/_doc/1', '{"a":1,"b":{"c":"\\"d\\":1","c":2}}');
  deepEqual(
    [single.status, single.json.error.type, single.json.error.caused_by],
    [400, 'mapper_parsing_exception', { type: 'json_parse_exception', reason: "Duplicate field 'c'" }],
  );
  const { json } = await ask('POST /t/_bulk', '{"index":{"_id":"1"}}\n{"a":1,"a":2}\n');
  equal(json.items[0].index.error.caused_by.type, 'json_parse_exception');
  equal((await ask('POST /t/_search', '{"size":1,"size":2}')).json.error.type, 'json_parse_exception');
  equal((await ask('PUT /t/_doc/1', '{"a":[{"a":":"},{"a":"{:"}],"b":{"a":1}}')).status, 201);
});
