// The engines that ours is compared with start here, are complete, and can lose a node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cluster, startCluster } from './cluster.ts';
import { CHOSEN, ENGINES, install } from './engines.ts';

for (const engine of CHOSEN) {
  test(`${engine.name} starts with its modules and finds a document`, async (context) => {
    const installed = install(engine);
    if (typeof installed === 'string') return context.skip(installed);
    const cluster = await startCluster(engine, installed);
    context.after(() => cluster.close());
    const root = (await ask(cluster, 'GET', '/')) as { readonly version: { readonly number: string } };
    assert.equal(root.version.number, engine.version);
    await ask(cluster, 'PUT', '/notes/_doc/1?refresh=true', { text: 'a first note' });
    assert.equal(await countOf(cluster, 'text:first'), 1);
  });
}

test('a cluster of three nodes survives the death of one', async (context) => {
  const engine = ENGINES[0]!;
  const installed = install(engine);
  if (typeof installed === 'string') return context.skip(installed);
  const cluster = await startCluster(engine, installed, { nodes: 3 });
  context.after(() => cluster.close());
  await ask(cluster, 'PUT', '/notes', { settings: { number_of_shards: 1, number_of_replicas: 2 } });
  await ask(cluster, 'GET', '/_cluster/health?wait_for_status=green&timeout=60s');
  await ask(cluster, 'PUT', '/notes/_doc/1?refresh=true', { text: 'a first note' });
  const last = cluster.nodes[2]!;
  await last.kill();
  const path = '/_cluster/health?wait_for_nodes=2&wait_for_no_relocating_shards=true&timeout=60s';
  const health = (await ask(cluster, 'GET', path)) as { readonly number_of_nodes: number };
  assert.equal(health.number_of_nodes, 2);
  assert.equal(await countOf(cluster, 'text:first'), 1);
  await last.restart();
  const back = (await ask(cluster, 'GET', '/_cluster/health?wait_for_nodes=3&timeout=60s')) as {
    readonly number_of_nodes: number;
  };
  assert.equal(back.number_of_nodes, 3);
});

async function ask(cluster: Cluster, method: string, path: string, body?: unknown): Promise<unknown> {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(cluster.url + path, { method, ...init });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response.json();
}

async function countOf(cluster: Cluster, query: string): Promise<number> {
  const answer = (await ask(cluster, 'GET', `/notes/_count?q=${query}`)) as { readonly count: number };
  return answer.count;
}
