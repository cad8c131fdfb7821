// Answers as YAML, as Elasticsearch 7.10.2 prints them.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, createRestApi } from '@lockstitch/search';
import { printYaml } from '../../src/json/print-yaml.ts';
import { startRest } from './harness.ts';

test('tables, documents and errors are printed as YAML with format=yaml', async () => {
  const rest = createRestApi(await createEngine());
  const ask = await startRest(rest);
  await ask('PUT /a/_doc/1?refresh=true', { n: 1 });
  equal((await ask('GET /_cat/indices?format=yaml&h=index,docs.count')).text, '---\n- index: "a"\n  docs.count: "1"\n');
  equal((await ask('GET /_cat/aliases?format=yaml')).text, '--- []\n');
  equal((await ask('GET /a/_count?format=yaml&filter_path=count')).text, '---\ncount: 1\n');
  const { status, headers, body } = await rest.handle({
    method: 'GET',
    path: '/b/_count',
    query: new URLSearchParams('format=yaml'),
    headers: {},
  });
  deepEqual(
    [status, headers['Content-Type'], body.split('\n').slice(0, 5)],
    [
      404,
      'application/yaml',
      ['---', 'error:', '  root_cause:', '  - type: "index_not_found_exception"', '    reason: "no such index [b]"'],
    ],
  );
  equal((await ask('GET /a/_count?format=cbor')).status, 400);
});

test('lists in lists, empty values and unusual keys keep their shape', () => {
  equal(
    printYaml({ a: [[1, 2], [], {}], 'b*': null, c: true }),
    "---\na:\n- - 1\n  - 2\n- []\n- {}\n'b*': null\nc: true\n",
  );
});

test('where there never was a pipeline, none is found, and any is deleted', async () => {
  const ask = await startRest();
  deepEqual([(await ask('GET /_ingest/pipeline')).status, (await ask('GET /_ingest/pipeline/x')).status], [404, 404]);
  // As where there never was one.
  equal((await ask('DELETE /_ingest/pipeline/x')).status, 200);
  equal((await ask('DELETE /_ingest/pipeline/*')).status, 200);
});
