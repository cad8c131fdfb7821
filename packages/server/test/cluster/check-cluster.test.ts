// The check of a cluster at the start: what it leaves, and what answers there that is no cluster.
import { deepEqual, rejects } from 'node:assert/strict';
import { test } from 'node:test';

import { ClusterClient } from '../../src/cluster/cluster-client.ts';
import { checkCluster } from '../../src/cluster/check-cluster.ts';
import { startCluster, startNode } from './fake-cluster.ts';

const UUID = '0123abcd-0000-4000-8000-000000000000';
const HOUR = 3_600_000;

test('indexes of checks whose servers were killed are dropped, and no others', async (context) => {
  const { cluster, url } = await startCluster(context);
  const client = new ClusterClient({ nodes: [url] });
  context.after(() => client.close());
  const now = 1_790_000_000_000;
  const ages: Readonly<Record<string, number>> = {
    [`ls-check-${UUID}`]: HOUR,
    [`ls-check-${UUID.replaceAll('0', '1')}`]: 1000,
    'ls-check-gk3j4h5j6-0123abcd': HOUR,
  };
  for (const name of Object.keys(ages))
    cluster.indexes.set(name, {
      uuid: name,
      history: undefined,
      definition: {},
      aliases: new Set(),
      documents: new Map(),
    });
  cluster.before = ({ target }) => {
    if (!target.startsWith('GET /ls-check-*/_settings')) return undefined;
    const dates = cluster
      .names('ls-check-')
      .map((name) => [name, { settings: { index: { creation_date: String(now - (ages[name] ?? 0)) } } }]);
    return { status: 200, body: Object.fromEntries(dates) };
  };
  await checkCluster(client, 'ls', 'exact');
  deepEqual(cluster.names('ls-check-'), Object.keys(ages).slice(1));
});

test('what is no cluster, and a check that was interrupted, are not taken for a cluster that is unfit', async (context) => {
  for (const [status, body, code] of [
    [200, 'a page', 'SERVER_CLUSTER_STRANGE'],
    [404, { error: 'nothing here' }, 'SERVER_CLUSTER_STRANGE'],
    [429, {}, 'SERVER_CLUSTER_REFUSED'],
    [500, {}, 'SERVER_CLUSTER_REFUSED'],
  ] as const) {
    const node = await startNode(context, () => ({ status, body }));
    const client = new ClusterClient({ nodes: [node.url] });
    context.after(() => client.close());
    await rejects(checkCluster(client, 'ls', 'exact'), { code });
  }
  const { cluster, url } = await startCluster(context);
  const client = new ClusterClient({ nodes: [url] });
  context.after(() => client.close());
  for (const [status, code] of [
    [400, 'SERVER_CLUSTER_UNFIT'],
    [404, 'SERVER_CLUSTER_REFUSED'],
  ] as const) {
    cluster.before = ({ target }) => (/\/_search/.test(target) ? { status } : undefined);
    await rejects(checkCluster(client, 'ls', 'exact'), { code });
    deepEqual(cluster.names('ls-check-'), []);
  }
});
