// The product as a whole on the photo-share example: time to ready, idle memory, and what a request costs the server's processor
// against a bar that does the same by hand.
//   npm run bench -- product [ROUNDS] [SECONDS]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BenchServer, compareServers, type LoadRequest, startBenchServer } from '../lib/load.ts';
import { digits, printTable } from '../lib/table.ts';
import { OPERATIONS, type QueryName } from './queries.ts';

const [rounds = 7, seconds = 1] = process.argv.slice(2).map(Number);
const root = fileURLToPath(new URL('../..', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'lockstitch-bench-'));
const authorization = `Basic ${Buffer.from('user:bench').toString('base64')}`;

/** Starts the example as `npm start` does; answers the milliseconds until the banner stands, and the process. */
async function start(): Promise<{ millis: number; child: ChildProcess }> {
  const begun = performance.now();
  const child = spawn(process.execPath, ['scripts/run.mjs', 'start', '--port', '0', '--data', data], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    if (line.includes('Index')) return { millis: performance.now() - begun, child };
  }
  throw new Error('The example did not start.');
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Resident memory in MB of the server, the one child of the process that `npm start` runs. Linux only: undefined elsewhere. */
function residentOf(parent: number): number | undefined {
  try {
    const pid = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ')[0]!;
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
  } catch {
    return undefined;
  }
}

const STARTS = 10;

async function measureStart(): Promise<void> {
  const first = await start();
  await stop(first.child);
  const later: number[] = [];
  const resident: number[] = [];
  for (let round = 0; round < STARTS; round += 1) {
    const { millis, child } = await start();
    later.push(millis);
    await sleep(2500);
    const megabytes = residentOf(child.pid!);
    if (megabytes !== undefined) resident.push(megabytes);
    await stop(child);
  }
  const median = later.toSorted((a, b) => a - b)[STARTS / 2]!;
  printTable(
    'Start of the photo-share example',
    ['measure', 'value'],
    [
      ['first start, database and indexes built (ms)', Math.round(first.millis)],
      [`later starts, median of ${STARTS} (ms)`, Math.round(median)],
      [
        `resident memory, idle, worst of ${STARTS} later starts (MB)`,
        resident.length === 0 ? 'not measured here' : Math.round(Math.max(...resident)),
      ],
    ],
  );
}

async function measureGraph(
  limit: BenchServer,
  graph: BenchServer,
  product: BenchServer,
  login: string,
): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const name of Object.keys(OPERATIONS) as QueryName[]) {
    const body = JSON.stringify({ query: OPERATIONS[name].replace('LOGIN', login) });
    const request = (path: string, headers: Record<string, string> = {}): LoadRequest => ({
      method: 'POST',
      path,
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    const [bar, alone, whole] = await compareServers(
      [
        { server: limit, request: request(`/${name}`) },
        { server: graph, request: request('/') },
        { server: product, request: request('/', { authorization }) },
      ],
      rounds,
      seconds,
    );
    rows.push([
      name,
      digits(bar!.cpuMicros),
      digits(alone!.cpuMicros),
      digits(whole!.cpuMicros),
      digits(bar!.cpuMicros / alone!.cpuMicros),
      digits(bar!.cpuMicros / whole!.cpuMicros),
    ]);
  }
  printTable(
    'Graph: µs of processor a request. By hand on bare node:http; the graph alone on node:http; the whole server with its chain and HTTP Basic',
    ['query', 'by hand', 'graph', 'server', 'graph ratio', 'server ratio'],
    rows,
  );
}

async function measureSearch(limit: BenchServer, product: BenchServer): Promise<void> {
  const constant: LoadRequest = {
    method: 'POST',
    path: '/constant',
    body: '{"query":{}}',
    headers: { 'content-type': 'application/json' },
  };
  const bodies = {
    'match, 10 hits': { query: { match: { name: 'harbour' } } },
    'terms aggregation': { size: 0, aggs: { posters: { terms: { field: 'postedBy.githubLogin' } } } },
  };
  const rows: (string | number)[][] = [];
  for (const [name, body] of Object.entries(bodies)) {
    const request = {
      method: 'POST',
      path: '/photos/photo/_search',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization },
    } as const;
    const [bar, search] = await compareServers(
      [
        { server: limit, request: constant },
        { server: product, request },
      ],
      rounds,
      seconds,
    );
    rows.push([
      name,
      digits(bar!.cpuMicros),
      digits(search!.cpuMicros),
      digits(bar!.cpuMicros / search!.cpuMicros),
      digits(search!.requestsPerSecond),
      digits(search!.p99Millis),
    ]);
  }
  printTable(
    'Search over HTTP, whole server with HTTP Basic, against a constant answer of bare node:http',
    ['request', 'constant µs', 'search µs', 'ratio', 'requests/s', 'p99 ms'],
    rows,
  );
}

/** A login with an average number of photos, so that q2 is neither empty nor extreme. */
function typicalLogin(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const sql = 'SELECT posted_by FROM photos GROUP BY posted_by ORDER BY abs(count(*) - 20), posted_by LIMIT 1';
    return (database.prepare(sql).get() as { posted_by: string }).posted_by;
  } finally {
    database.close();
  }
}

try {
  await measureStart();
  const file = join(data, 'data.sqlite');
  const login = typicalLogin(file);
  const limit = await startBenchServer('by hand', new URL('limit-server.ts', import.meta.url), [file, login]);
  const graph = await startBenchServer('graph', new URL('graph-server.ts', import.meta.url), [file]);
  const product = await startBenchServer('server', new URL('product-server.ts', import.meta.url), [data]);
  try {
    await measureGraph(limit, graph, product, login);
    await measureSearch(limit, product);
  } finally {
    await Promise.all([limit, graph, product].map((server) => server.close()));
  }
} finally {
  rmSync(data, { recursive: true, force: true });
}
