// What is written to a cluster ends as the latest version says, on each engine: whatever the order of two writers, after a writer that was
// replaced, while an index is replaced, where the cluster takes no writes for a while, and when a node dies.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { clusterIndex } from '@lockstitch/search/cluster';
import { createRandom } from '@lockstitch/search/requests';
import { checkCluster } from '../../packages/server/src/cluster/check-cluster.ts';
import { ClusterClient } from '../../packages/server/src/cluster/cluster-client.ts';
import { type BulkResult, type VersionedWrite, writeBulk } from '../../packages/server/src/cluster/cluster-bulk.ts';
import { Generations } from '../../packages/server/src/cluster/generations.ts';
import { startCluster } from './cluster.ts';
import { CHOSEN, ENGINES, install } from './engines.ts';

const MAPPINGS = { dynamic: 'strict', properties: { n: { type: 'long' }, tag: { type: 'keyword' } } };
const DEFINITION = clusterIndex({ mappings: MAPPINGS }, 'exact', { shards: 2, replicas: 0 });
const never = (): AbortSignal => new AbortController().signal;

const put = (key: string, version: number, fields: object): VersionedWrite => ({
  key,
  version,
  source: Buffer.from(JSON.stringify(fields)),
});
const gone = (key: string, version: number): VersionedWrite => ({ key, version, source: undefined });

/** Every document of an alias: its key and what it holds. */
async function contentOf(client: ClusterClient, alias: string): Promise<Readonly<Record<string, unknown>>> {
  await client.json({ method: 'POST', path: `/${alias}/_refresh`, isRepeatable: true });
  const { hits } = (await client.json({
    method: 'POST',
    path: `/${alias}/_search`,
    body: { size: 1000, sort: ['_key'] },
    isRepeatable: true,
  })) as {
    readonly hits: {
      readonly hits: readonly { readonly _source: { readonly _key: string; readonly _order: string } }[];
    };
  };
  return Object.fromEntries(
    hits.hits.map(({ _source }): [string, unknown] => [
      _source._key,
      Object.fromEntries(Object.entries(_source).filter(([name]) => name !== '_key' && name !== '_order')),
    ]),
  );
}

for (const engine of CHOSEN) {
  test(`${engine.name} ends with the latest version of every document`, async (context) => {
    const installed = install(engine);
    if (typeof installed === 'string') return context.skip(installed);
    const cluster = await startCluster(engine, installed);
    const client = new ClusterClient({ nodes: [cluster.url] });
    context.after(() => {
      client.close();
      return cluster.close();
    });
    const generations = new Generations(client, 'app');
    const options = { signal: never() };

    await context.test('the engine scores as it must', async () => {
      await checkCluster(client, 'app', 'exact');
      await checkCluster(client, 'app', 'fast');
    });

    await context.test('two writers, in any order', async () => {
      const generation = await generations.create('photo', 'any-order', DEFINITION);
      await generations.lead(generation, 1);
      const random = createRandom(7);
      const writes = Array.from({ length: 400 }, (_, version) => {
        const key = `k${random.int(30)}`;
        return random.once(3) ? gone(key, version) : put(key, version, { n: version });
      });
      const expected = new Map<string, unknown>();
      for (const { key, source } of writes) {
        if (source === undefined) expected.delete(key);
        else expected.set(key, JSON.parse(Buffer.from(source).toString()));
      }
      // Each sends all, in an order of its own, in small batches, and part of it twice.
      const shuffled = (): VersionedWrite[] => [...writes, ...writes.slice(100, 200)].sort(() => random.int(3) - 1);
      const send = async (own: readonly VersionedWrite[]): Promise<void> => {
        for (let at = 0; at < own.length; at += 23)
          await writeBulk(client, generations.writeAlias(generation, 1), own.slice(at, at + 23), options);
      };
      await Promise.all([send(shuffled()), send(shuffled())]);
      assert.deepEqual(await contentOf(client, generation), Object.fromEntries([...expected].toSorted()));
    });

    await context.test('a writer that was replaced changes nothing, and creates nothing', async () => {
      const generation = await generations.create('photo', 'fenced', DEFINITION);
      await generations.lead(generation, 1);
      const former = generations.writeAlias(generation, 1);
      await writeBulk(client, former, [put('a', 1, { n: 1 })], options);
      await generations.control.setPosition(generation, { position: 1, epoch: 1, database: 'd' });
      await generations.lead(generation, 2);
      await writeBulk(client, generations.writeAlias(generation, 2), [gone('a', 5)], options);
      await generations.control.setPosition(generation, { position: 5, epoch: 2, database: 'd' });
      const fenced = { code: 'SERVER_CLUSTER_FENCED' };
      for (const late of [[put('a', 9, { n: 9 })], [gone('b', 9)], [gone('b', 9), put('c', 9, {})]])
        await assert.rejects(writeBulk(client, former, late, options), fenced);
      await assert.rejects(
        generations.control.setPosition(generation, { position: 9, epoch: 1, database: 'd' }),
        fenced,
      );
      await assert.rejects(generations.lead(generation, 1), fenced);
      assert.deepEqual(await contentOf(client, generation), {});
      assert.deepEqual((await generations.control.noted([generation])).positions.get(generation), {
        position: 5,
        epoch: 2,
        database: 'd',
      });
      const { body } = await client.request({ method: 'GET', path: '/_cat/indices?h=index', isRepeatable: true });
      assert.doesNotMatch(body.toString(), /W1/);
    });

    await context.test('searches go on while a generation replaces another', async () => {
      const fill = async (name: string, n: number): Promise<string> => {
        const generation = await generations.create('album', name, DEFINITION);
        await generations.lead(generation, 1);
        const writes = Array.from({ length: 50 }, (_, at) => put(`k${at}`, 1, { n }));
        await writeBulk(client, generations.writeAlias(generation, 1), writes, options);
        await contentOf(client, generation);
        return generation;
      };
      const first = await fill('one', 1);
      await generations.publish('album', first, 1);
      const second = await fill('two', 2);
      const seen = new Set<string>();
      const over = new AbortController();
      const searching = (async () => {
        while (!over.signal.aborted) seen.add(JSON.stringify(Object.values(await contentOf(client, 'app-album'))));
      })();
      await pause(200);
      await generations.publish('album', second, 1);
      await pause(200);
      over.abort();
      await searching;
      const all = (n: number): string => JSON.stringify(Array.from({ length: 50 }, () => ({ n })));
      assert.deepEqual([...seen].toSorted(), [all(1), all(2)]);
      assert.equal((await generations.look()).published.get('album'), second);
    });

    await context.test('documents that cannot be taken are left out by name, and the others written', async () => {
      const generation = await generations.create('photo', 'poison', DEFINITION);
      await generations.lead(generation, 1);
      const alias = generations.writeAlias(generation, 1);
      await writeBulk(client, alias, [put('bad', 1, { n: 1 }), put('good', 1, { n: 1 })], options);
      const long = 'k'.repeat(600);
      const written = await writeBulk(
        client,
        alias,
        [put('bad', 2, { n: 'no number' }), put('good', 2, { n: 2 }), put('odd', 2, { unknown: 1 }), put(long, 2, {})],
        options,
      );
      const { rejected }: BulkResult = written;
      assert.deepEqual([written.written, written.superseded, rejected.map(({ key }) => key)], [2, 0, ['bad', 'odd']]);
      assert.deepEqual(await contentOf(client, generation), { good: { n: 2 }, [long]: {} });
    });

    await context.test('writes wait while the cluster takes none', async () => {
      const generation = await generations.create('photo', 'blocked', DEFINITION);
      await generations.lead(generation, 1);
      const block = (value: boolean | null): Promise<unknown> =>
        client.json({
          method: 'PUT',
          path: `/${generation}/_settings`,
          body: { 'index.blocks.read_only_allow_delete': value },
          isRepeatable: true,
        });
      await block(true);
      const pauses = new Set<string>();
      const onPause = (type: string): void => void pauses.add(type);
      const alias = generations.writeAlias(generation, 1);
      const writing = writeBulk(client, alias, [put('a', 1, { n: 1 })], { signal: never(), onPause });
      while (pauses.size === 0) await pause(20);
      await block(null);
      assert.equal((await writing).written, 1);
      assert.deepEqual([...pauses], ['cluster_block_exception']);
      assert.deepEqual(await contentOf(client, generation), { a: { n: 1 } });
    });
  });
}

test('no acknowledged write is lost when a node dies', async (context) => {
  const engine = ENGINES[0]!;
  const installed = install(engine);
  if (typeof installed === 'string') return context.skip(installed);
  const cluster = await startCluster(engine, installed, { nodes: 3 });
  const client = new ClusterClient({ nodes: cluster.nodes.map(({ url }) => url), timeout: 20_000 });
  context.after(() => {
    client.close();
    return cluster.close();
  });
  const generations = new Generations(client, 'app');
  const definition = clusterIndex({ mappings: MAPPINGS }, 'exact', { shards: 3, replicas: 1 });
  const generation = await generations.create('photo', 'killed', definition);
  await generations.lead(generation, 1);
  const health = '/_cluster/health?wait_for_status=green&timeout=60s';
  await client.json({ method: 'GET', path: health, isRepeatable: true });
  const expected: Record<string, unknown> = {};
  for (let version = 0; version < 60; version++) {
    const writes = Array.from({ length: 10 }, (_, at) =>
      put(`k${String(version * 10 + at).padStart(4, '0')}`, version, { n: at }),
    );
    if (version === 20) void cluster.nodes[1]!.kill();
    await writeBulk(client, generations.writeAlias(generation, 1), writes, { signal: AbortSignal.timeout(90_000) });
    for (const { key } of writes) expected[key] = { n: Number(key.at(-1)) };
  }
  assert.deepEqual(await contentOf(client, generation), expected);
});
