// A cluster that refuses what a leader needs, or does not know of a change on every node.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { ClusterClient } from '../../src/cluster/cluster-client.ts';
import { ClusterTarget } from '../../src/cluster/cluster-target.ts';
import { Generations } from '../../src/cluster/generations.ts';
import { until } from '../../../kernel/test/until.ts';
import { startApp } from '../start-app.ts';
import { startCluster } from './fake-cluster.ts';

test('where an index cannot be created, a server pauses before it tries again, and leaves none behind', async (context) => {
  const { cluster, url } = await startCluster(context);
  const asked: number[] = [];
  cluster.before = ({ target }) => {
    const [, name] = /^PUT \/(lockstitch-[a-z]+-[\da-f]+-g[^/]*)$/.exec(target) ?? [];
    if (name === undefined) return undefined;
    asked.push(performance.now());
    const index = {
      uuid: 'made',
      history: undefined,
      definition: {},
      aliases: new Set<string>(),
      documents: new Map(),
    };
    cluster.indexes.set(name, index);
    return { status: 500 };
  };
  await startApp(context, { config: { search: { engine: 'opensearch', nodes: [url] } } });
  await pause(1300);
  // A busy machine may have been away for the whole pause.
  const pauses = asked.slice(1).map((time, at) => time - asked[at]!);
  deepEqual([asked.length > 0, pauses.filter((time) => time < 1300)], [true, []]);
  await until(() => cluster.names('lockstitch-authors-').length === 0);
});

test('a server leads an index only once every node knows of it', async (context) => {
  const { cluster, url } = await startCluster(context);
  const client = new ClusterClient({ nodes: [url] });
  context.after(() => client.close());
  const generations = new Generations(client, 'ls');
  const generation = await generations.create('photo', generations.newName(), {});
  cluster.before = ({ target }) =>
    target === 'POST /_aliases' ? { status: 200, body: { acknowledged: false } } : undefined;
  await rejects(generations.lead(generation, 1), { code: 'SERVER_CLUSTER_BEHIND' });
});

test('a refresh that is asked for while one runs waits for it', async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  let refreshed = 0;
  const client = { json: () => promise.finally(() => refreshed++) } as unknown as ClusterClient;
  const bulk = { signal: new AbortController().signal };
  const feed = { head: () => Promise.resolve(0) };
  const names = { name: 'photo', generation: 'ls-photo-1', alias: 'ls-photo-1-W1' };
  const target = new ClusterTarget({ client, feed, ...names, position: 0, mustLead: () => undefined, bulk });
  const both = [target.refresh(), target.refresh().then(() => equal(refreshed, 1))];
  resolve({ _shards: { failed: 0 } });
  await Promise.all(both);
});
