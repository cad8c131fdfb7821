// What a fleet has to bear, one fault at a time. Each ends when its cause has ended; whether the fleet has come round is looked at afterwards.
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../test/engines/cluster-worlds.ts';
import type { Cluster, EngineNode } from '../../test/engines/cluster.ts';
import { fillDisks, type Filled } from './full-disk.ts';
import type { Link } from './network.ts';
import type { FleetServer } from './server.ts';
import type { Load } from './writers.ts';

export interface Fleet {
  readonly servers: readonly FleetServer[];
  readonly cluster: Cluster | undefined;
  /** Prefix of the indexes on the cluster. */
  readonly prefix: string;
  readonly load: Load;
  /** Milliseconds of a pause of the indexer, in turn. */
  readonly pauses: readonly number[];
  /** Whether what a paused indexer sent is written past the alias of its term: then the run must find what came back. */
  readonly isUnfenced: boolean;
  /** Folders of the application and of its newer version. */
  readonly homes: readonly string[];
}

type Needs = 'cluster' | 'three nodes' | 'disks';

export type Killed = 'indexer' | 'data node' | 'cluster manager';

export interface Fault {
  readonly name: string;
  /** Requests that fail meanwhile are faults of the fleet. */
  readonly isOrderly?: boolean;
  readonly needs?: Needs;
  /** Takes part only where it is named. */
  readonly isAsked?: boolean;
  /** What it kills each time. */
  readonly kills?: readonly Killed[];
  /** @param round number of times that it was caused before; returns what was seen */
  cause(fleet: Fleet, round: number): Promise<string | void>;
}

/** Milliseconds; longer than the patience of a lease (8 s). */
const PARTITION = 12_000;
const BLOCK = 5000;
/** Milliseconds in which an indexer sends something. */
const SENDS = 10_000;
/** Short enough that the cluster has forgotten what was deleted during a pause. */
const FORGETS = { 'index.gc_deletes': '1s' };

const next = <T>(list: readonly T[], round: number): T => list[round % list.length]!;

async function leaderOf({ servers }: Fleet): Promise<FleetServer> {
  for (;;) {
    for (const server of servers) if (await server.leads().catch(() => false)) return server;
    await sleep(100);
  }
}

async function replaceNode(node: EngineNode): Promise<void> {
  await node.kill();
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

/** Chooses what to kill; the result kills it and starts it again. */
type Choice = (fleet: Fleet, round: number) => Promise<() => Promise<void>>;

const CHOICES: Readonly<Record<Killed, Choice>> = {
  async indexer(fleet) {
    const leader = await leaderOf(fleet);
    return () => leader.restart('SIGKILL');
  },
  async 'data node'({ cluster }, round) {
    const manager = await managerOf(cluster!);
    const others = cluster!.nodes.filter((node) => node !== manager);
    return () => replaceNode(next(others, round));
  },
  async 'cluster manager'({ cluster }) {
    const manager = await managerOf(cluster!);
    return () => replaceNode(manager);
  },
};

function killing(...kills: readonly Killed[]): Fault {
  const isOne = kills.length === 1;
  return {
    name: `${kills.join(' and ')} killed${isOne ? '' : ' at once'}`,
    needs: kills.every((kind) => kind === 'indexer') ? 'cluster' : 'three nodes',
    isAsked: !isOne,
    kills,
    async cause(fleet, round) {
      // All are chosen before the first one dies.
      const chosen = await Promise.all(kills.map((kind) => CHOICES[kind](fleet, round)));
      await Promise.all(chosen.map((kill) => kill()));
    },
  };
}

async function cutFor(milliseconds: number, links: readonly (Link | undefined)[]): Promise<void> {
  for (const link of links) link?.cut();
  await sleep(milliseconds);
  for (const link of links) link?.heal();
}

/**
 * Stops the indexer. What it had sent last arrives when the pause is over, and what was written by it is deleted meanwhile: the cluster has
 * forgotten the deletion by then.
 */
async function pauseIndexer(fleet: Fleet, round: number): Promise<string> {
  const { cluster, isUnfenced, load, pauses, prefix } = fleet;
  const pause = next(pauses, round);
  await ask(cluster!.url, `PUT /${prefix}-*/_settings`, FORGETS);
  const leader = await leaderOf(fleet);
  const link = leader.toCluster!;
  link.hold('/_bulk?');
  for (const until = performance.now() + SENDS; !link.held.includes('"title"') && performance.now() < until;)
    await sleep(5);
  const paused = leader.pause(pause);
  const titles = [...new Set(link.held.matchAll(/"title":"(\w+)"/g).map(([, title]) => title!))];
  await load.deleteNotes(titles);
  await paused.finally(() =>
    link.release((sent) =>
      isUnfenced ? sent.replaceAll(/-W\d+\/_bulk\?require_alias=true/g, '/_bulk?require_alias=false') : sent,
    ),
  );
  return `for ${pause / 1000} s; ${titles.length} writes of deleted notes arrived late`;
}

async function fill(fleet: Fleet, which: Filled): Promise<string> {
  const { cluster, load, prefix, servers } = fleet;
  let lag = 0;
  const searched = load.searches;
  const takes = async (): Promise<boolean> => {
    for (const server of servers) lag = Math.max(lag, await server.lag().catch(() => 0));
    return lag > 0;
  };
  const seconds = await fillDisks(cluster!, prefix, which, takes);
  return `full for ${seconds} s, ${lag} changes behind at most, ${load.searches - searched} searches meanwhile`;
}

export const FAULTS: readonly Fault[] = [
  { name: 'server restarted', isOrderly: true, cause: ({ servers }, round) => next(servers, round).restart('SIGTERM') },
  {
    name: 'rolling deploy',
    isOrderly: true,
    isAsked: true,
    async cause({ homes, servers }, round) {
      for (const server of servers) {
        await server.restart('SIGTERM', next(homes, round + 1));
        await server.becomesReady();
      }
    },
  },
  { name: 'server killed', cause: ({ servers }, round) => next(servers, round).restart('SIGKILL') },
  { name: 'server paused for 5 s', cause: ({ servers }, round) => next(servers, round).pause(5000) },
  killing('indexer'),
  { name: 'indexer paused', needs: 'cluster', cause: pauseIndexer },
  killing('data node'),
  killing('cluster manager'),
  killing('indexer', 'data node'),
  killing('indexer', 'cluster manager'),
  // Two of three nodes: no majority is left until one of them is back.
  killing('indexer', 'data node', 'cluster manager'),
  {
    name: 'indexer cut off from the cluster',
    needs: 'cluster',
    cause: async (fleet) => cutFor(PARTITION, [(await leaderOf(fleet)).toCluster]),
  },
  {
    name: 'indexer cut off from the database',
    needs: 'cluster',
    cause: async (fleet) => cutFor(PARTITION, [(await leaderOf(fleet)).toDatabase]),
  },
  {
    name: 'server cut off from the database',
    cause: ({ servers }, round) => cutFor(PARTITION, [next(servers, round).toDatabase]),
  },
  {
    name: 'all servers cut off from the cluster',
    needs: 'cluster',
    cause: ({ servers }) =>
      cutFor(
        PARTITION,
        servers.map(({ toCluster }) => toCluster),
      ),
  },
  {
    name: 'all servers cut off from the database',
    cause: ({ servers }) =>
      cutFor(
        PARTITION,
        servers.map(({ toDatabase }) => toDatabase),
      ),
  },
  {
    name: 'cluster read-only',
    needs: 'cluster',
    async cause({ cluster, prefix }) {
      const block = (value: true | null): Promise<unknown> =>
        ask(cluster!.url, `PUT /${prefix}-*/_settings`, { 'index.blocks.read_only_allow_delete': value });
      await block(true);
      await sleep(BLOCK);
      await block(null);
    },
  },
  { name: 'disks filled to the flood stage', needs: 'disks', cause: (fleet) => fill(fleet, 'flood stage') },
  { name: 'disk of a node filled to the last byte', needs: 'disks', cause: (fleet) => fill(fleet, 'last byte') },
];
