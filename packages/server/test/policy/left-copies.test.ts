// What `policy test --engine` leaves on a search cluster where it is ended early.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';

import { createPrincipal, lookUp } from '@lockstitch/kernel';

import { checkConfig } from '../../src/config/check-config.ts';
import { ClusterClient } from '../../src/cluster/cluster-client.ts';
import { Generations } from '../../src/cluster/generations.ts';
import { checkNoninterference } from '../../src/noninterference/check-noninterference.ts';
import { findLeftCopies, prefixOfCopy } from '../../src/noninterference/left-copies.ts';
import { openScratch } from '../../src/noninterference/scratch-app.ts';
import { startCluster } from '../cluster/fake-cluster.ts';
import { openWorld, readModel } from './world.ts';

test('the next run names what runs left that were killed, and nothing of those that live or of others, and deletes nothing', async (context) => {
  const { cluster, url } = await startCluster(context);
  const search = { ...checkConfig({}).config.search, engine: 'opensearch', nodes: [url], prefix: 'app' } as const;
  const client = new ClusterClient({ nodes: [url] });
  context.after(() => client.close());
  const make = async (prefix: string): Promise<Generations> => {
    const generations = new Generations(client, prefix);
    await generations.create('notes-a', generations.newName(), {});
    return generations;
  };
  const claim = { database: 'd', holder: 'h' };
  const [killed, living] = [prefixOfCopy('app'), prefixOfCopy('app')];
  for (const prefix of [killed, living]) {
    const generations = await make(prefix);
    await generations.control.prepare(0);
    await generations.control.setClaim({ ...claim, beat: 1 }, undefined);
  }
  // One that has no claim yet, the application itself, and another one whose prefix begins alike.
  const begun = prefixOfCopy('app');
  for (const prefix of [begun, 'app', 'app-test-kitchen', `other-${killed}`]) await make(prefix);
  const before = new Set(cluster.indexes.keys());

  const left = await findLeftCopies(search);
  const generations = new Generations(client, living);
  await generations.control.setClaim({ ...claim, beat: 2 }, (await generations.control.noted([])).claim);
  const ofKilled = [...before].filter((name) => name.startsWith(killed));
  deepEqual(await left.names(), ofKilled);
  deepEqual(new Set(cluster.indexes.keys()), before);
  deepEqual(await (await findLeftCopies({ ...search, prefix: 'nobody' })).names(), []);
});

test('a check that is ended closes its copies', async (context) => {
  const model = readModel('type Note @entity { id: ID! text: String @search } type Query { notes: [Note!]! }');
  const world = await openWorld(model, [['Note', [{ text: 'red' }]]]);
  context.after(() => world.close());
  const ending = new AbortController();
  let [opened, asked] = [0, 0];
  const check = checkNoninterference({
    model: world.graph.model,
    store: world.graph.store,
    principals: [createPrincipal('ann')],
    cases: 1000,
    seed: 1,
    signal: ending.signal,
    async openWorld(...parts) {
      const copy = await openScratch(...parts);
      opened++;
      return {
        ...copy,
        async close() {
          await copy.close();
          opened--;
        },
      };
    },
    ask(copy, request, principal) {
      if (++asked === 3) ending.abort(new Error('ended'));
      return copy.ask(request, principal);
    },
  });
  await rejects(check, { message: 'ended' });
  deepEqual([opened, asked], [0, 3]);
});

test('a check that is ended while it opens a copy opens no other one and asks nothing', async (context) => {
  const model = readModel('type Note @entity { id: ID! text: String @search } type Query { notes: [Note!]! }');
  const world = await openWorld(model, [['Note', [{ text: 'red' }]]]);
  context.after(() => world.close());
  const ending = new AbortController();
  let [opened, closed, asked] = [0, 0, 0];
  const check = checkNoninterference({
    model: world.graph.model,
    store: world.graph.store,
    principals: [createPrincipal('ann')],
    cases: 1000,
    seed: 1,
    signal: ending.signal,
    async openWorld(...parts) {
      opened++;
      const copy = await openScratch(...parts);
      ending.abort(new Error('ended'));
      return { ...copy, close: () => copy.close().then(() => void closed++) };
    },
    ask: () => Promise.resolve(String(asked++)),
  });
  await rejects(check, { message: 'ended' });
  deepEqual([opened, closed, asked], [1, 1, 0]);
});

test('a copy that cannot be opened on a cluster leaves nothing there', async (context) => {
  const { cluster, url } = await startCluster(context);
  const search = { ...checkConfig({}).config.search, engine: 'opensearch', nodes: [url], prefix: 'app' } as const;
  const model = readModel('type Note @entity { id: ID! text: String @search } type Query { notes: [Note!]! }');
  const before = new Set(cluster.indexes.keys());
  let written = 0;
  cluster.before = ({ target }) => {
    if (!/\/_bulk/.test(target)) return undefined;
    written++;
    return { status: 401 };
  };
  const tables = new Map([[lookUp(model.entities, 'Note').table, { columns: ['id', 'text'], rows: [['1', 'red']] }]]);
  await rejects(openScratch(model, tables, undefined, { cluster: search }), { code: 'SERVER_CLUSTER_DENIED' });
  equal(written > 0, true);
  deepEqual(new Set(cluster.indexes.keys()), before);
});
