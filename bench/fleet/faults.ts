// What a fleet has to bear, one fault at a time. Each ends when its cause has ended; whether the fleet has come round is looked at afterwards.
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../test/engines/cluster-worlds.ts';
import type { Cluster, EngineNode } from '../../test/engines/cluster.ts';
import type { Proxy } from './proxy.ts';

export interface FleetServer {
  /** Ends it and starts it again. */
  restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Stops the process for some milliseconds without ending it. */
  pause(milliseconds: number): Promise<void>;
  /** Whether it writes to the search cluster. */
  leads(): Promise<boolean>;
  readonly toDatabase: Proxy;
  /** Absent with the embedded engine. */
  readonly toCluster: readonly Proxy[];
}

export interface Fleet {
  readonly servers: readonly FleetServer[];
  readonly cluster: Cluster | undefined;
  /** Prefix of the indexes on the cluster. */
  readonly prefix: string;
}

export interface Fault {
  readonly name: string;
  /** Requests that fail meanwhile are faults of the fleet. */
  readonly isOrderly?: boolean;
  readonly needs?: 'cluster' | 'three nodes';
  cause(fleet: Fleet, round: number): Promise<void>;
}

/** Milliseconds; longer than the patience of a lease (8 s). */
const PARTITION = 12_000;
const BLOCK = 5000;

const next = <T>(list: readonly T[], round: number): T => list[round % list.length]!;

async function leaderOf({ servers }: Fleet): Promise<FleetServer> {
  for (;;) {
    for (const server of servers) if (await server.leads().catch(() => false)) return server;
    await sleep(100);
  }
}

async function replaceNode(node: EngineNode): Promise<void> {
  await node.kill();
  await sleep(2000);
  await node.restart();
}

/** Which node the cluster has elected. */
async function managerOf(cluster: Cluster): Promise<EngineNode> {
  for (const { url } of cluster.nodes) {
    const found = await ask(url, 'GET /_cat/master?format=json').catch(() => undefined);
    const [first] = (found ?? []) as unknown as readonly { readonly node: string }[];
    const node = cluster.nodes.find(({ name }) => name === first?.node);
    if (node !== undefined) return node;
  }
  return cluster.nodes[0]!;
}

async function cutFor(milliseconds: number, proxies: readonly Proxy[]): Promise<void> {
  for (const proxy of proxies) proxy.cut();
  await sleep(milliseconds);
  for (const proxy of proxies) proxy.heal();
}

export const FAULTS: readonly Fault[] = [
  { name: 'server restarted', isOrderly: true, cause: ({ servers }, round) => next(servers, round).restart('SIGTERM') },
  { name: 'server killed', cause: ({ servers }, round) => next(servers, round).restart('SIGKILL') },
  { name: 'server paused for 5 s', cause: ({ servers }, round) => next(servers, round).pause(5000) },
  {
    name: 'indexer killed',
    needs: 'cluster',
    cause: async (fleet) => (await leaderOf(fleet)).restart('SIGKILL'),
  },
  {
    name: 'indexer paused for 15 s',
    needs: 'cluster',
    cause: async (fleet) => (await leaderOf(fleet)).pause(15_000),
  },
  {
    name: 'data node killed',
    needs: 'three nodes',
    cause: ({ cluster }, round) => replaceNode(next(cluster!.nodes, round)),
  },
  {
    name: 'cluster manager killed',
    needs: 'three nodes',
    cause: async ({ cluster }) => replaceNode(await managerOf(cluster!)),
  },
  {
    name: 'indexer cut off from the cluster',
    needs: 'cluster',
    cause: async (fleet) => cutFor(PARTITION, (await leaderOf(fleet)).toCluster),
  },
  {
    name: 'server cut off from the database',
    cause: ({ servers }, round) => cutFor(PARTITION, [next(servers, round).toDatabase]),
  },
  {
    name: 'cluster read-only, as with a full disk',
    needs: 'cluster',
    async cause({ cluster, prefix }) {
      const block = (value: true | null): Promise<unknown> =>
        ask(cluster!.url, `PUT /${prefix}-*/_settings`, { 'index.blocks.read_only_allow_delete': value });
      await block(true);
      await sleep(BLOCK);
      await block(null);
    },
  },
];
