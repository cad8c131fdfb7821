// What clients and tools ask about the node: its address, its numbers, and the tables beside them.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { load, startRest } from './harness.ts';

test('the node tells the address its caller came by, and the sums of its indices', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 1 }, { a: 2 }]);
  const info = await ask('GET /_nodes/_all/http', undefined, { headers: { host: 'search.example:9200' } });
  equal(info.json.nodes.lockstitch.http.publish_address, 'search.example:9200', info.text);
  equal((await ask('GET /_nodes/lock*')).json._nodes.total, 1);
  deepEqual((await ask('GET /_nodes/other')).json.nodes, {});
  const stats = await ask('GET /_nodes/stats');
  equal(stats.json.nodes.lockstitch.indices.docs.count, 2, stats.text);
  equal((await ask('GET /_nodes/_local/stats/indices')).json.nodes.lockstitch.indices.docs.count, 2);
  const refused = await ask('GET /_nodes/stats/jvm');
  equal(refused.status, 400);
  match(refused.text, /metric \[jvm\] of nodes, other than \[indices\], is not supported/);
});

test('nodes, shards and templates have their tables', async () => {
  const ask = await startRest();
  await load(ask, 't', [{ a: 1 }]);
  await ask('PUT /closed');
  await ask('POST /closed/_close');
  await ask('PUT /_template/old', { index_patterns: ['a*', 'b*'], order: 2 });
  await ask('PUT /_index_template/new', { index_patterns: 'c*', priority: 5, version: 7 });
  const rows = async (path: string): Promise<unknown> => (await ask(`GET ${path}`)).json;
  deepEqual(await rows('/_cat/nodes?format=json'), [
    { ip: '127.0.0.1', 'node.role': 'dim', master: '*', name: 'lockstitch' },
  ]);
  deepEqual(await rows('/_cat/shards?format=json&h=index,prirep,state,docs&s=index'), [
    { index: 'closed', prirep: 'p', state: 'STARTED', docs: null },
    { index: 't', prirep: 'p', state: 'STARTED', docs: '1' },
  ]);
  deepEqual(await rows('/_cat/templates?format=json&s=name'), [
    { name: 'new', index_patterns: '[c*]', order: '5', version: '7', composed_of: '[]' },
    { name: 'old', index_patterns: '[a*, b*]', order: '2', version: null, composed_of: '' },
  ]);
  equal((await ask('GET /_cat/templates/o*?h=n')).text, 'old\n');
  match((await ask('GET /_cat/master?v')).text, /^id +host +ip +node/);
});

test('whether an index has a type is answered with a bare status', async () => {
  const ask = await startRest();
  await ask('PUT /t?include_type_name=true', { mappings: { photo: { properties: { a: { type: 'long' } } } } });
  await load(ask, 'u', [{ a: 1 }]);
  deepEqual(
    await Promise.all(
      ['/t/_mapping/photo', '/t/_mapping/other', '/u/_mapping/_doc', '/absent/_mapping/x'].map(
        async (path) => (await ask(`HEAD ${path}`)).status,
      ),
    ),
    [200, 404, 200, 404],
  );
});
