// Three servers on one PostgreSQL behind a balancer, under writes, deletions and searches, and one fault after the other (faults.ts). Every
// acknowledged write must be there once, every server must find what the database holds, and what is done in order must fail no request.
//
//   npm run soak -- fleet ROUNDS [WRITERS] [--engine opensearch-3.8 [--nodes 3]] [--only PATTERN] [--shards 1]
//
// Without an engine the index is each server's own. An engine needs Java and Maven; without them it says so.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { startCli } from '../../packages/server/test/cli/run-cli.ts';
import { writeNotesApp } from '../../packages/server/test/sync/kill-rounds.ts';
import { startCluster } from '../../test/engines/cluster.ts';
import { ENGINES, install } from '../../test/engines/engines.ts';
import { startPostgres } from '../lib/postgres.ts';
import { Balancer, send } from './balancer.ts';
import { type Fault, FAULTS, type Fleet, type FleetServer } from './faults.ts';
import { Proxy } from './proxy.ts';

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string' },
    nodes: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    shards: { type: 'string', default: '1' },
  },
});
const [rounds = 10, writers = 4] = positionals.map(Number);
const SERVERS = 3;
const PREFIX = 'fleet';
const AS_USER = {
  authorization: `Basic ${Buffer.from('user:x').toString('base64')}`,
  'content-type': 'application/json',
};
/** One in so many notes is deleted again. */
const DELETED = 5;

class Server implements FleetServer {
  readonly toDatabase: Proxy;
  readonly toCluster: readonly Proxy[];
  readonly #at: number;
  readonly #environment: Readonly<Record<string, string>>;
  #process: Awaited<ReturnType<typeof startCli>> | undefined;
  port = 0;

  private constructor(at: number, toDatabase: Proxy, toCluster: readonly Proxy[], nodes: readonly string[]) {
    this.#at = at;
    this.toDatabase = toDatabase;
    this.toCluster = toCluster;
    this.#environment = {
      DATABASE_URL: toDatabase.through(postgres.url),
      LOCKSTITCH_SERVERS: 'several',
      LOCKSTITCH_USER_PASSWORD: 'x',
      ...(nodes.length === 0 ? {} : { SEARCH_URL: nodes.join(',') }),
    };
  }

  static async start(at: number): Promise<Server> {
    const targets = cluster?.nodes.map(({ url }) => url) ?? [];
    const toCluster = await Promise.all(targets.map((url) => Proxy.to(url)));
    const nodes = toCluster.map((proxy, node) => proxy.through(targets[node]!));
    const server = new Server(at, await Proxy.to(postgres.url), toCluster, nodes);
    await server.#start();
    return server;
  }

  async #start(): Promise<void> {
    const words = ['start', home, '--port', '0', '--data', join(home, `data-${this.#at}`)];
    this.#process = await startCli(words, /http:\/\/127\.0\.0\.1:\d+/, this.#environment);
    this.port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(this.#process.out())![1]);
    balancer.add(this.port);
  }

  async restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.stop(signal);
    await this.#start();
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#process?.child.kill(signal);
    await this.#process?.exit;
    balancer.remove(this.port);
  }

  async pause(milliseconds: number): Promise<void> {
    this.#process?.child.kill('SIGSTOP');
    await sleep(milliseconds);
    this.#process?.child.kill('SIGCONT');
  }

  async leads(): Promise<boolean> {
    const { text } = await send(this.port, '/metrics', { headers: AS_USER }, 1000);
    return /^lockstitch_index_leader 1$/m.test(text);
  }

  close(): void {
    for (const proxy of [this.toDatabase, ...this.toCluster]) proxy.close();
  }
}

const tally = {
  acknowledged: new Set<string>(),
  deleted: new Set<string>(),
  unknown: new Set<string>(),
  searches: 0,
  failed: [] as string[],
};
const until = new AbortController();
let isOrderly = true;

/** What fails in an orderly round is a fault; what fails around others is expected. */
function note(what: string, error: unknown): void {
  if (isOrderly) tally.failed.push(`${what}: ${String(error)}`);
}

async function mutate(query: string): Promise<string> {
  const { status, text } = await balancer.send('/graphql', {
    method: 'POST',
    headers: AS_USER,
    body: JSON.stringify({ query }),
  });
  const id = /"id":"([^"]+)"/.exec(text)?.[1];
  if (status !== 200 || id === undefined) throw new Error(`${status} ${text.slice(0, 200)}`);
  return id;
}

async function write(writer: number): Promise<void> {
  for (let at = 0; !until.signal.aborted; at++) {
    const title = `w${writer}n${at}`;
    try {
      const id = await mutate(`mutation { createNote(input: { title: "${title}", author: "ada" }) { id } }`);
      tally.acknowledged.add(title);
      if (at % DELETED > 0) continue;
      tally.unknown.add(title);
      tally.acknowledged.delete(title);
      await mutate(`mutation { deleteNote(id: "${id}") { id } }`);
      tally.unknown.delete(title);
      tally.deleted.add(title);
    } catch (error) {
      tally.unknown.add(title);
      note('write', error);
      await sleep(20);
    }
  }
}

async function search(): Promise<void> {
  while (!until.signal.aborted) {
    try {
      const { status } = await balancer.send('/notes/_search?q=title:w0n1', { headers: AS_USER });
      if (status !== 200) throw new Error(String(status));
      tally.searches += 1;
    } catch (error) {
      note('search', error);
      await sleep(20);
    }
  }
}

async function untilReady(): Promise<void> {
  while (balancer.readyPorts.length < SERVERS) await sleep(20);
}

const engine = flags.engine === undefined ? undefined : ENGINES.find(({ name }) => name === flags.engine);
if (flags.engine !== undefined && engine === undefined) throw new Error(`No engine is named "${flags.engine}".`);
const installed = engine === undefined ? undefined : install(engine);
if (typeof installed === 'string') {
  process.stdout.write(`skipped: ${installed}\n`);
  process.exit();
}
const nodes = flags.nodes === '1' ? 1 : 3;
const cluster = engine && installed && (await startCluster(engine, installed, { nodes }));
const home = mkdtempSync(join(tmpdir(), 'fleet-'));
const postgres = await startPostgres();
const balancer = new Balancer();
const servers: Server[] = [];
writeNotesApp(home, {
  limits: { drainDelay: 1000 },
  metrics: { enabled: true },
  ...(engine && {
    search: {
      engine: engine.name.startsWith('opensearch') ? 'opensearch' : 'elasticsearch',
      prefix: PREFIX,
      shards: Number(flags.shards),
      replicas: nodes === 1 ? 0 : 1,
    },
  }),
});
try {
  for (let at = 0; at < SERVERS; at++) servers.push(await Server.start(at));
  await untilReady();
  const author = JSON.stringify({ query: 'mutation { createAuthor(input: { login: "ada" }) { login } }' });
  await balancer.send('/graphql', { method: 'POST', headers: AS_USER, body: author });
  const work = [search(), ...Array.from({ length: writers }, (_, writer) => write(writer))];
  await runRounds({ servers, cluster, prefix: PREFIX });
  until.abort();
  await Promise.all(work);
  process.exitCode = (await compare()) ? 0 : 1;
} finally {
  until.abort();
  balancer.close();
  await Promise.all(servers.map((server) => server.stop('SIGKILL')));
  for (const server of servers) server.close();
  await postgres.close();
  await cluster?.close();
  rmSync(home, { recursive: true, force: true });
}

async function runRounds(fleet: Fleet): Promise<void> {
  const faults = FAULTS.filter(({ name, needs }) => {
    const isPossible = needs === undefined || (cluster !== undefined && (needs === 'cluster' || nodes === 3));
    return isPossible && new RegExp(flags.only).test(name);
  });
  const started = performance.now();
  for (let round = 0; round < rounds; round++) {
    const fault: Fault = faults[round % faults.length]!;
    isOrderly = fault.isOrderly ?? false;
    const before = tally.acknowledged.size;
    await fault.cause(fleet, Math.floor(round / faults.length));
    await untilReady();
    await sleep(500);
    // Requests that began before the fault have ended.
    if (!isOrderly) await sleep(1000);
    const seconds = Math.round((performance.now() - started) / 1000);
    const left = Math.round((seconds / (round + 1)) * (rounds - round - 1));
    process.stdout.write(
      `round ${round + 1} of ${rounds}: ${fault.name}; ${tally.acknowledged.size - before} writes meanwhile, ${tally.searches} searches, ${tally.failed.length} failed in order; ${seconds} s, ${left} s left\n`,
    );
  }
}

/** Compares what was acknowledged with what the database holds, and that with what each server finds. */
async function compare(): Promise<boolean> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ readonly title: string; readonly n: string }>(
    'SELECT title, count(*) AS n FROM notes GROUP BY title',
  );
  const { rows: head } = await client.query<{ readonly head: string }>(
    'SELECT max(position) AS head FROM lockstitch_feed',
  );
  await client.end();
  const stored = new Map(rows.map(({ title, n }) => [title, Number(n)]));
  const { acknowledged, deleted, failed, unknown } = tally;
  const lost = [...acknowledged].filter((title) => !stored.has(title));
  const twice = [...stored].filter(([, n]) => n > 1);
  const returned = [...deleted].filter((title) => stored.has(title));
  const invented = [...stored.keys()].filter((title) => !acknowledged.has(title) && !unknown.has(title));
  process.stdout.write(
    `${acknowledged.size} writes and ${deleted.size} deletions acknowledged, ${unknown.size} with unknown outcome; ${lost.length} lost, ${twice.length} twice, ${returned.length} returned, ${invented.length} from nowhere; ${failed.length} requests failed in order\n`,
  );
  for (const line of failed.slice(0, 10)) process.stdout.write(`  ${line}\n`);
  let isRight = lost.length + twice.length + returned.length + invented.length + failed.length === 0;
  for (const [at, { port }] of servers.entries()) {
    const found = await titlesOf(port, head[0]!.head);
    const missing = [...stored.keys()].filter((title) => !found.has(title)).length;
    const surplus = [...found].filter((title) => !stored.has(title)).length;
    process.stdout.write(`server ${at + 1} finds ${found.size}: ${missing} missing, ${surplus} that are not there\n`);
    isRight &&= missing + surplus === 0;
  }
  return isRight;
}

/** Every title that a server finds once it has read the feed up to a position. */
async function titlesOf(port: number, position: string): Promise<ReadonlySet<string>> {
  const titles = new Set<string>();
  let after: readonly unknown[] | undefined;
  for (;;) {
    const body = JSON.stringify({ size: 5000, sort: [{ id: 'asc' }], search_after: after });
    const headers = { ...AS_USER, 'lockstitch-min-position': position };
    const { status, text } = await send(port, '/notes/_search', { method: 'POST', headers, body });
    if (status === 503) continue;
    if (status !== 200) throw new Error(`${status} ${text}`);
    const { hits } = JSON.parse(text).hits as { hits: { _source: { title: string }; sort: readonly unknown[] }[] };
    if (hits.length === 0) return titles;
    for (const { _source } of hits) titles.add(_source.title);
    after = hits.at(-1)?.sort;
  }
}
