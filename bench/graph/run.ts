// The graph over HTTP, alone on node:http: against hand-written statements and against peers, in one run, by processor time a
// request. Writes its part of docs/benchmarks.md.
//   npm run bench -- peers [sqlite|postgres|writes] [ROUNDS] [SECONDS]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type BenchServer, compareServers, type LoadRequest, startBenchServer } from '../lib/load.ts';
import { printBarPlot } from '../lib/plot.ts';
import { startPostgres } from '../lib/postgres.ts';
import { describeRun, toMarkdown, writeImage, writeSection } from '../lib/report.ts';
import { digits, printTable } from '../lib/table.ts';
import { OPERATIONS, type QueryName } from '../product/queries.ts';
import { installPeers } from './peers/install.ts';
import { LOGIN, openPhotoGraph } from './photo-data.ts';
import { MUTATIONS, mutationBody } from './writes.ts';

const PARTS = { sqlite: compareOnSqlite, postgres: compareOnPostgres, writes: compareWrites };
const [wanted, rounds = 5, seconds = 1] = process.argv.slice(2);
// What a server is like that is in use.
process.env['NODE_ENV'] = 'production';
process.env['GRAPHILE_ENV'] = 'production';
const folder = await mkdtemp(join(tmpdir(), 'bench-graph-'));
const names = Object.keys(OPERATIONS) as QueryName[];
const headers = { 'content-type': 'application/json' };

/** A server and where it listens. */
interface Contestant {
  readonly name: string;
  readonly server: BenchServer;
  readonly path: (query: QueryName) => string;
  readonly operations: Readonly<Record<QueryName, string>>;
}

/** PostGraphile makes a schema of its own from the tables; these ask for the same data. */
const POSTGRAPHILE: Readonly<Record<QueryName, string>> = {
  q1: '{ allPhotos(first: 25, orderBy: CREATED_DESC) { nodes { rowId name url category created userByPostedBy { githubLogin name } photosTaggedUsersByPhoto { nodes { userByUser { githubLogin name } } } } } }',
  q2: '{ userByGithubLogin(githubLogin: "LOGIN") { name photosByPostedBy { nodes { rowId name photosTaggedUsersByPhoto { nodes { userByUser { name } } } } } photosTaggedUsersByUser { nodes { photo } } } }',
  q3: '{ userByGithubLogin(githubLogin: "LOGIN") { name avatar } }',
  q4: '{ allUsers(first: 50) { nodes { githubLogin name photosByPostedBy { nodes { rowId name } } } } }',
};

function start(
  name: string,
  module: string,
  place: string,
  path: Contestant['path'] = () => '/graphql',
  operations: Contestant['operations'] = OPERATIONS,
): Promise<Contestant> {
  return startBenchServer(name, new URL(module, import.meta.url), [place]).then((server) => ({
    name,
    server,
    path,
    operations,
  }));
}

function bodyOf({ operations }: Contestant, query: QueryName): string {
  return JSON.stringify({ query: operations[query].replace('LOGIN', LOGIN) });
}

async function ask(contestant: Contestant, query: QueryName): Promise<string> {
  const response = await fetch(contestant.server.url + contestant.path(query), {
    method: 'POST',
    headers,
    body: bodyOf(contestant, query),
  });
  return response.text();
}

/** Who answers something else has not done the same work. */
async function checkAnswers(contestants: readonly Contestant[], query: QueryName): Promise<void> {
  const [bar, engine, ...peers] = await Promise.all(contestants.map((each) => ask(each, query)));
  if (bar !== engine) throw new Error(`${query}: the answers differ:\n${bar!.slice(0, 300)}\n${engine!.slice(0, 300)}`);
  for (const [index, peer] of peers.entries()) {
    const { name, operations } = contestants[index + 2]!;
    const same = operations === OPERATIONS ? isDeepStrictEqual(JSON.parse(peer), JSON.parse(bar!)) : isFull(peer, bar!);
    if (!same) throw new Error(`${query}: ${name} answers something else:\n${peer.slice(0, 300)}`);
  }
}

/** An answer of another shape holds as many texts and numbers, or more. */
function isFull(peer: string, bar: string): boolean {
  return !peer.includes('"errors"') && leaves(JSON.parse(peer)) >= leaves(JSON.parse(bar));
}

function leaves(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + leaves(each), 0);
}

/** Microseconds by query and contestant. */
async function measure(contestants: readonly Contestant[]): Promise<ReadonlyMap<QueryName, readonly number[]>> {
  const times = new Map<QueryName, readonly number[]>();
  for (const query of names) {
    await checkAnswers(contestants, query);
    const results = await compareServers(
      contestants.map((each) => ({
        server: each.server,
        request: { method: 'POST', path: each.path(query), headers, body: bodyOf(each, query) } satisfies LoadRequest,
      })),
      Number(rounds),
      Number(seconds),
    );
    times.set(
      query,
      results.map(({ cpuMicros }) => cpuMicros),
    );
  }
  return times;
}

function report(
  section: string,
  title: string,
  contestants: readonly Contestant[],
  times: ReadonlyMap<QueryName, readonly number[]>,
  versions: string,
): void {
  const rows = names.map((query) => {
    const [bar, engine, ...peers] = times.get(query)!;
    return [query, ...times.get(query)!.map(digits), digits(bar! / engine!), digits(Math.min(...peers) / engine!)];
  });
  const head = ['', ...contestants.map(({ name }) => name), 'of by hand', 'times the best peer'];
  printTable(`${title}: µs of processor a request`, head, rows);
  const series = contestants.map(({ name }, index) => ({
    name,
    values: names.map((query) => times.get(query)![0]! / times.get(query)![index]!),
  }));
  const subtitle =
    'Requests for the same processor time, relative to a hand-written statement on bare node:http; higher is better';
  writeImage(`bench-${section}.svg`, printBarPlot({ title, subtitle, groups: names, series, line: 1 }));
  const table = toMarkdown(head, rows);
  writeSection(section, `${table}\n\n![${title}](images/bench-${section}.svg)\n\n${describeRun()}; ${versions}.`);
}

async function compareOnSqlite(): Promise<void> {
  const versions = installPeers();
  const file = join(folder, 'photos.db');
  const graph = await openPhotoGraph({ file });
  await graph.store.close();
  const contestants = await Promise.all([
    start('by hand', 'limit-server.ts', file, (query) => `/${query}`),
    start('Lockstitch', 'engine-server.ts', file),
    start('mercurius + jit', 'peers/mercurius-server.mjs', file),
    start('graphql-yoga', 'peers/yoga-server.mjs', file),
    start('Apollo Server', 'peers/apollo-server.mjs', file, () => '/'),
  ]);
  try {
    const used = ['mercurius', 'graphql-yoga', '@apollo/server', 'dataloader', 'graphql'];
    const text = `SQLite ${process.versions['sqlite'] ?? ''}, ${used.map((name) => `${name} ${versions[name]}`).join(', ')}`;
    report('graph-sqlite', 'GraphQL on SQLite', contestants, await measure(contestants), text);
  } finally {
    await Promise.all(contestants.map(({ server }) => server.close()));
  }
}

async function compareOnPostgres(): Promise<void> {
  const versions = installPeers();
  const postgres = await startPostgres();
  try {
    const graph = await openPhotoGraph({ url: postgres.url });
    await graph.store.close();
    const started = await Promise.all([
      start('by hand', 'limit-postgres-server.ts', postgres.url, (query) => `/${query}`),
      start('Lockstitch', 'engine-server.ts', postgres.url),
      start('PostGraphile', 'peers/postgraphile-server.mjs', postgres.url, undefined, POSTGRAPHILE),
    ]);
    const contestants = started.map((each) => ({ ...each, server: postgres.withDatabase(each.server) }));
    try {
      const text = `PostgreSQL ${postgres.version}, pg ${versions['pg']}, PostGraphile ${versions['postgraphile']}`;
      report('graph-postgres', 'GraphQL on PostgreSQL', contestants, await measure(contestants), text);
    } finally {
      await Promise.all(started.map(({ server }) => server.close()));
    }
  } finally {
    await postgres.close();
  }
}

/** Processes of each side: two of the same code lie up to 7 % apart, by how each came to be compiled and laid out in memory. */
const WRITING_PROCESSES = 3;

async function compareWrites(): Promise<void> {
  const modules = ['limit-server.ts', 'engine-server.ts'];
  const servers: BenchServer[] = [];
  try {
    // In turns, and a database for each, as all write.
    for (let index = 0; index < WRITING_PROCESSES * 2; index++) {
      const module = modules[index % 2]!;
      const file = join(folder, `writes-${index}.db`);
      const graph = await openPhotoGraph({ file });
      await graph.store.close();
      servers.push(await startBenchServer(module, new URL(module, import.meta.url), [file]));
    }
    const rows: (string | number)[][] = [];
    for (const name of Object.keys(MUTATIONS) as (keyof typeof MUTATIONS)[]) {
      const body = (): string => mutationBody(name);
      const results = await compareServers(
        servers.map((server, index) => ({
          server,
          request: { method: 'POST', path: index % 2 === 0 ? `/${name}` : '/graphql', headers, body },
        })),
        Number(rounds),
        Number(seconds),
      );
      const [bars, engines] = [0, 1].map((side) =>
        results.filter((_, index) => index % 2 === side).toSorted((a, b) => a.cpuMicros - b.cpuMicros),
      );
      const [bar, engine] = [bars, engines].map((side) => side![WRITING_PROCESSES >> 1]!);
      const range = (side: typeof results): string => `${digits(side[0]!.cpuMicros)}–${digits(side.at(-1)!.cpuMicros)}`;
      rows.push([
        name,
        digits(bar!.cpuMicros),
        range(bars!),
        digits(engine!.cpuMicros),
        range(engines!),
        digits(bar!.cpuMicros / engine!.cpuMicros),
        digits(engine!.requestsPerSecond),
      ]);
    }
    const head = ['', 'by hand', 'its processes', 'Lockstitch', 'its processes', 'of by hand', 'mutations a second'];
    printTable('Mutations on SQLite: µs of processor a request', head, rows);
    writeSection(
      'graph-writes',
      `${toMarkdown(head, rows)}\n\n${describeRun()}; SQLite ${process.versions['sqlite'] ?? ''}.`,
    );
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

try {
  if (wanted !== undefined && !Object.hasOwn(PARTS, wanted)) {
    throw new Error(`No part is named "${wanted}". Known: ${Object.keys(PARTS).join(', ')}.`);
  }
  for (const [name, part] of Object.entries(PARTS)) if (wanted === undefined || wanted === name) await part();
} finally {
  await rm(folder, { recursive: true });
}
