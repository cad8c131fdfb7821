// Three servers on one PostgreSQL behind a balancer, under writes and searches: restarted in order, killed, and paused, one after the
// other. Every acknowledged write must be there once, every server's index must hold what the database holds, and restarts in order
// must fail no request.
//
//   npm run soak -- fleet ROUNDS [WRITERS]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { startCli } from '../../packages/server/test/cli/run-cli.ts';
import { writeNotesApp } from '../../packages/server/test/sync/kill-rounds.ts';
import { startPostgres } from '../lib/postgres.ts';
import { Balancer, send } from './balancer.ts';

const [rounds = 10, writers = 4] = process.argv.slice(2).map(Number);
const SERVERS = 3;
const AS_USER = {
  authorization: `Basic ${Buffer.from('user:x').toString('base64')}`,
  'content-type': 'application/json',
};

type Server = Awaited<ReturnType<typeof startServer>>;

const home = mkdtempSync(join(tmpdir(), 'fleet-'));
const postgres = await startPostgres();
const environment = { DATABASE_URL: postgres.url, LOCKSTITCH_SERVERS: 'several', LOCKSTITCH_USER_PASSWORD: 'x' };

async function startServer(at: number) {
  const words = ['start', home, '--port', '0', '--data', join(home, `data-${at}`)];
  const { child, exit, out } = await startCli(words, /http:\/\/127\.0\.0\.1:\d+/, environment);
  const port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(out())![1]);
  return { port, child, exit };
}

const tally = { acknowledged: new Set<string>(), unknown: new Set<string>(), searches: 0, failed: [] as string[] };
const until = new AbortController();
let isOrderly = true;

/** What fails while servers are restarted in order is a fault; what fails around a kill is expected. */
function note(what: string, error: unknown): void {
  if (isOrderly) tally.failed.push(`${what}: ${String(error)}`);
}

async function write(balancer: Balancer, writer: number): Promise<void> {
  for (let at = 0; !until.signal.aborted; at++) {
    const title = `w${writer}n${at}`;
    const query = `mutation { createNote(input: { title: "${title}", author: "ada" }) { id } }`;
    const body = JSON.stringify({ query });
    try {
      const { status, text } = await balancer.send('/graphql', { method: 'POST', headers: AS_USER, body });
      if (status === 200 && text.includes('"id"')) tally.acknowledged.add(title);
      else throw new Error(`${status} ${text.slice(0, 200)}`);
    } catch (error) {
      tally.unknown.add(title);
      note('write', error);
      await sleep(20);
    }
  }
}

async function search(balancer: Balancer): Promise<void> {
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

async function untilReady(balancer: Balancer, count: number): Promise<void> {
  while (balancer.readyPorts.length < count) await sleep(20);
}

writeNotesApp(home, { limits: { drainDelay: 1000 } });
const balancer = new Balancer();
const servers: Server[] = [];
try {
  for (let at = 0; at < SERVERS; at++) {
    const server = await startServer(at);
    servers.push(server);
    balancer.add(server.port);
  }
  await untilReady(balancer, SERVERS);
  const author = JSON.stringify({ query: 'mutation { createAuthor(input: { login: "ada" }) { login } }' });
  await balancer.send('/graphql', { method: 'POST', headers: AS_USER, body: author });
  const work = [search(balancer), ...Array.from({ length: writers }, (_, writer) => write(balancer, writer))];
  const started = performance.now();
  for (let round = 0; round < rounds; round++) {
    const at = round % SERVERS;
    const server = servers[at]!;
    const kind = (['restarted', 'killed', 'paused'] as const)[Math.floor(round / SERVERS) % 3]!;
    isOrderly = kind === 'restarted';
    if (kind === 'paused') {
      server.child.kill('SIGSTOP');
      await sleep(5000);
      server.child.kill('SIGCONT');
    } else {
      server.child.kill(kind === 'restarted' ? 'SIGTERM' : 'SIGKILL');
      await server.exit;
      balancer.remove(server.port);
      servers[at] = await startServer(at);
      balancer.add(servers[at].port);
    }
    await untilReady(balancer, SERVERS);
    await sleep(500);
    // Requests that began before the fault have ended.
    if (!isOrderly) await sleep(1000);
    const seconds = Math.round((performance.now() - started) / 1000);
    process.stdout.write(
      `round ${round + 1} of ${rounds}: server ${at + 1} ${kind}; ${tally.acknowledged.size} writes, ${tally.searches} searches, ${tally.failed.length} failed in order; ${seconds} s\n`,
    );
  }
  until.abort();
  await Promise.all(work);
  process.exitCode = (await compare(servers)) ? 0 : 1;
} finally {
  balancer.close();
  for (const { child } of servers) child.kill('SIGKILL');
  await Promise.all(servers.map(({ exit }) => exit));
  await postgres.close();
  rmSync(home, { recursive: true, force: true });
}

/** Compares what was acknowledged with what each server reads and finds. */
async function compare(all: readonly Server[]): Promise<boolean> {
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
  const lost = [...tally.acknowledged].filter((title) => !stored.has(title));
  const twice = [...stored].filter(([, n]) => n > 1);
  const invented = [...stored.keys()].filter((title) => !tally.acknowledged.has(title) && !tally.unknown.has(title));
  process.stdout.write(
    `${tally.acknowledged.size} writes acknowledged, ${tally.unknown.size} with unknown outcome; ${lost.length} lost, ${twice.length} twice, ${invented.length} from nowhere; ${tally.failed.length} requests failed while servers were restarted in order\n`,
  );
  for (const line of tally.failed.slice(0, 10)) process.stdout.write(`  ${line}\n`);
  let isRight = lost.length + twice.length + invented.length + tally.failed.length === 0;
  for (const [at, { port }] of all.entries()) {
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
    const { hits } = JSON.parse(text).hits as { hits: { _source: { title: string }; sort: readonly unknown[] }[] };
    if (hits.length === 0) return titles;
    for (const { _source } of hits) titles.add(_source.title);
    after = hits.at(-1)?.sort;
  }
}
