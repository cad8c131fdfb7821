// Three servers on one PostgreSQL behind a balancer, under writes, deletions and searches, and one fault after the other (faults.ts). Every
// acknowledged write must be there once, every server must find what the database holds, and what is done in order must fail no request.
// After each fault the next one waits until all servers are ready, all copies of the indexes are there, and each server finds what was written.
//
//   npm run soak -- fleet ROUNDS [WRITERS] [--engine opensearch-3.8 [--nodes 3] [--shards 1]] [--only PATTERN]
//     --rows 10       notes of one mutation
//     --rate 0        notes written a second by all writers; 0: as many as they can
//     --pause 15      seconds of a pause of the indexer; several, with commas, in turn
//     --disk 256      megabytes of a file system for each node, to be filled
//     --proxies       connections are cut by proxies, and not by losing packets
//     --without-fence lets a paused indexer write after its term: shows that the run finds what comes back
//
// Without an engine the index is each server's own. SIGUSR2 ends the rounds, and what is there is compared. An engine needs Java and Maven; without them it says so.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { ask } from '../../test/engines/cluster-worlds.ts';
import { startCluster } from '../../test/engines/cluster.ts';
import { ENGINES, install } from '../../test/engines/engines.ts';
import { startPostgres } from '../lib/postgres.ts';
import { digits, printTable } from '../lib/table.ts';
import { writeFleetApp } from './app.ts';
import { Balancer } from './balancer.ts';
import { compare, headOf } from './compare.ts';
import { type Fault, FAULTS, type Fleet, type Killed } from './faults.ts';
import { Network } from './network.ts';
import { FleetServer } from './server.ts';
import { Load } from './writers.ts';

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string' },
    nodes: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    shards: { type: 'string', default: '1' },
    rows: { type: 'string', default: '10' },
    rate: { type: 'string', default: '0' },
    pause: { type: 'string', default: '15' },
    disk: { type: 'string' },
    proxies: { type: 'boolean', default: false },
    'without-fence': { type: 'boolean', default: false },
  },
});
const [rounds = 10, writers = 4] = positionals.map(Number);
const SERVERS = 3;
const PREFIX = 'fleet';
/** Milliseconds until the fleet must have come round. */
const RECOVERY = 600_000;

const engine = flags.engine === undefined ? undefined : ENGINES.find(({ name }) => name === flags.engine);
if (flags.engine !== undefined && engine === undefined) throw new Error(`No engine is named "${flags.engine}".`);
const installed = engine === undefined ? undefined : install(engine);
if (typeof installed === 'string') {
  process.stdout.write(`skipped: ${installed}\n`);
  process.exit();
}
const nodes = flags.nodes === '1' ? 1 : 3;
const disk = flags.disk === undefined ? {} : { disk: Number(flags.disk) };
const cluster = engine && installed && (await startCluster(engine, installed, { nodes, ...disk, startsOften: true }));
const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
const homes = ['app', 'newer-app'].map((name) => join(folder, name));
const postgres = await startPostgres();
const network = flags.proxies ? undefined : await Network.open();
const balancer = new Balancer();
const load = new Load(balancer, { writers, rows: Number(flags.rows), rate: Number(flags.rate) });
const servers: FleetServer[] = [];
const search = engine && {
  engine: engine.name.startsWith('opensearch') ? 'opensearch' : 'elasticsearch',
  prefix: PREFIX,
  shards: Number(flags.shards),
  replicas: nodes === 1 ? 0 : 1,
};
for (const [at, home] of homes.entries()) writeFleetApp(home, search, at > 0);
try {
  process.stdout.write(`connections are cut by ${network === undefined ? 'proxies' : 'losing packets'}\n`);
  for (let at = 0; at < SERVERS; at++) {
    const parts = { at, home: homes[0]!, database: postgres.url, network, balancer };
    servers.push(await FleetServer.start({ ...parts, nodes: cluster?.nodes.map(({ url }) => url) ?? [] }));
  }
  for (const server of servers) await server.becomesReady();
  await load.mutate('mutation { createAuthor(input: { login: "ada" }) { login } }', {});
  load.start();
  const pauses = flags.pause.split(',').map((seconds) => Number(seconds) * 1000);
  await runRounds({ servers, cluster, prefix: PREFIX, load, pauses, isUnfenced: flags['without-fence'], homes });
  await load.stop();
  const ports = servers.map(({ port }) => port);
  process.exitCode = (await compare(postgres.url, ports, load)) ? 0 : 1;
} finally {
  await load.stop();
  balancer.close();
  await Promise.all(servers.map((server) => server.stop('SIGKILL')));
  for (const server of servers) server.close();
  await network?.close();
  await postgres.close();
  await cluster?.close();
  rmSync(folder, { recursive: true, force: true });
}

/** What a fault did, in seconds. */
interface Seen {
  readonly recovery: number;
  /** Longest time without an acknowledged write. */
  readonly gap: number;
}

async function runRounds(fleet: Fleet): Promise<void> {
  const faults = FAULTS.filter(isPossible);
  const seen = new Map<string, Seen[]>();
  const kills = new Map<Killed, number>();
  const started = performance.now();
  const secondsSince = (time: number): number => (performance.now() - time) / 1000;
  const interrupted = new AbortController();
  process.once('SIGUSR2', () => interrupted.abort());
  for (let round = 0; round < rounds && !interrupted.signal.aborted; round++) {
    const fault = faults[round % faults.length];
    if (fault === undefined) throw new Error(`No fault that is possible here is named /${flags.only}/.`);
    // Requests that began in the round before have ended.
    if (fault.isOrderly === true) await sleep(1000);
    load.isOrderly = fault.isOrderly ?? false;
    const [rows, searches, failures] = [load.rows, load.searches, load.failures];
    const begin = performance.now();
    load.takeLongestGap();
    const told = await fault.cause(fleet, Math.floor(round / faults.length));
    const ended = performance.now();
    await recovered();
    const one = { recovery: secondsSince(ended), gap: load.takeLongestGap() / 1000 };
    seen.set(fault.name, [...(seen.get(fault.name) ?? []), one]);
    for (const kind of fault.kills ?? []) kills.set(kind, (kills.get(kind) ?? 0) + 1);
    const [took, all] = [secondsSince(begin), secondsSince(started)];
    const facts = [
      ...(typeof told === 'string' ? [told] : []),
      `come round in ${digits(one.recovery)} s`,
      `${digits(one.gap)} s without a write at most`,
      `${load.rows - rows} rows written, ${Math.round((load.rows - rows) / took)} a second`,
      `${load.searches - searches} searches`,
      `${load.failures - failures} requests failed, ${load.faults.length} of all in order`,
    ];
    const killed = [...kills].map(([kind, count]) => `${count} × ${kind}`);
    if (killed.length > 0) facts.push(`killed so far: ${killed.join(', ')}`);
    const left = Math.round((all / (round + 1)) * (rounds - round - 1));
    process.stdout.write(
      `${round + 1} of ${rounds}: ${fault.name}: ${facts.join('; ')}; ${Math.round(all)} s, ${left} s left\n`,
    );
  }
  load.isOrderly = false;
  const median = (numbers: readonly number[]): string =>
    digits(numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN);
  printTable(
    `${load.rows} rows in ${load.mutations} mutations, ${Math.round(load.rows / secondsSince(started))} a second`,
    ['fault', 'times', 'come round, s: median', 'longest', 'without a write, s: median', 'longest'],
    [...seen].map(([name, list]) => {
      const [recoveries, gaps] = [list.map(({ recovery }) => recovery), list.map(({ gap }) => gap)];
      const most = (numbers: readonly number[]): string => digits(Math.max(...numbers));
      return [name, list.length, median(recoveries), most(recoveries), median(gaps), most(gaps)];
    }),
  );
}

function isPossible({ isAsked = false, name, needs }: Fault): boolean {
  const has = {
    cluster: cluster !== undefined,
    'three nodes': cluster !== undefined && nodes === 3,
    disks: flags.disk !== undefined && cluster !== undefined,
  };
  return (needs === undefined || has[needs]) && (!isAsked || flags.only !== '') && new RegExp(flags.only).test(name);
}

/** Waits until all servers are ready, all copies are there, and each server finds what was written. */
async function recovered(): Promise<void> {
  const until = performance.now() + RECOVERY;
  const wait = async (what: string, isDone: () => Promise<boolean>): Promise<void> => {
    while (!(await isDone().catch(() => false))) {
      if (performance.now() > until)
        throw new Error(`After ${RECOVERY / 1000} s it is still not so that ${what}.\n${await stateOfCluster()}`);
      await sleep(50);
    }
  };
  await wait('all servers are ready', () => Promise.resolve(balancer.readyPorts('search').length === SERVERS));
  if (cluster !== undefined)
    await wait('all copies of the indexes are there', async () => {
      const health = await ask(
        cluster.url,
        `GET /_cluster/health?wait_for_nodes=${nodes}&wait_for_status=green&timeout=5s`,
      );
      return health['timed_out'] === false;
    });
  const head = await headOf(postgres.url);
  for (const [at, server] of servers.entries())
    await wait(`server ${at + 1} finds what was written`, () => server.finds(head));
}

/** What an operator would look at to find the reason. */
async function stateOfCluster(): Promise<string> {
  const asked = [
    '_cat/nodes',
    '_cat/shards',
    '_cat/recovery?active_only',
    '_cluster/health',
    '_cluster/allocation/explain',
  ];
  const told = asked.map(async (path) => {
    const response = await fetch(`${cluster?.url}/${path}`, { signal: AbortSignal.timeout(10_000) });
    return `${path}\n${await response.text()}`;
  });
  return cluster === undefined ? '' : (await Promise.all(told).catch((error: unknown) => [String(error)])).join('\n');
}
