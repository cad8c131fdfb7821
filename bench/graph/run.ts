// The graph over HTTP, alone on node:http: against hand-written statements and against peers, in one run, by processor time a
// request. Writes its part of docs/benchmarks.md.
//   npm run bench -- peers [sqlite|postgres|writes] [ROUNDS] [SECONDS]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type BenchServer, type LoadRequest, startBenchServer } from '../lib/load.ts';
import { printBarPlot } from '../lib/plot.ts';
import { type BenchPostgres, startPostgres } from '../lib/postgres.ts';
import { describeRun, toMarkdown, writeImage, writeSection } from '../lib/report.ts';
import { closeSides, compareSides, PROCESSES, type Side, type SideResult, startSides } from '../lib/sides.ts';
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

/** How a side is started and asked. */
interface Contestant {
  readonly name: string;
  readonly module: string;
  /** Default: one. */
  readonly processes?: number;
  /** Default: `/graphql`. */
  readonly path?: (query: QueryName) => string;
  /** Default: those of all. */
  readonly operations?: Readonly<Record<QueryName, string>>;
}

/** PostGraphile makes a schema of its own from the tables; these ask for the same data. */
const POSTGRAPHILE: Readonly<Record<QueryName, string>> = {
  q1: '{ allPhotos(first: 25, orderBy: CREATED_DESC) { nodes { rowId name url category created userByPostedBy { githubLogin name } photosTaggedUsersByPhoto { nodes { userByUser { githubLogin name } } } } } }',
  q2: '{ userByGithubLogin(githubLogin: "LOGIN") { name photosByPostedBy { nodes { rowId name photosTaggedUsersByPhoto { nodes { userByUser { name } } } } } photosTaggedUsersByUser { nodes { photo } } } }',
  q3: '{ userByGithubLogin(githubLogin: "LOGIN") { name avatar } }',
  q4: '{ allUsers(first: 50) { nodes { githubLogin name photosByPostedBy { nodes { rowId name } } } } }',
};

/** Runs `work` with the processes of all, each over the same place. */
async function withContestants(
  contestants: readonly Contestant[],
  place: string | BenchPostgres,
  work: (sides: readonly Side[]) => Promise<void>,
): Promise<void> {
  const sides = await startSides(
    contestants.map(({ name, module, processes = 1 }) => {
      const start = (where: string): Promise<BenchServer> =>
        startBenchServer(name, new URL(module, import.meta.url), [where]);
      return {
        name,
        processes,
        start: () => (typeof place === 'string' ? start(place) : place.startClient(start)),
      };
    }),
  );
  try {
    await work(sides);
  } finally {
    await closeSides(sides);
  }
}

function requestOf({ path = () => '/graphql', operations = OPERATIONS }: Contestant, query: QueryName) {
  const body = JSON.stringify({ query: operations[query].replace('LOGIN', LOGIN) });
  return { method: 'POST', path: path(query), headers, body } satisfies LoadRequest;
}

async function ask(server: BenchServer, { path, ...request }: ReturnType<typeof requestOf>): Promise<string> {
  return (await fetch(server.url + path, request)).text();
}

/** Who answers something else has not done the same work. */
async function checkAnswers(
  contestants: readonly Contestant[],
  sides: readonly Side[],
  query: QueryName,
): Promise<void> {
  const answers = await Promise.all(
    contestants.map((each, index) => ask(sides[index]!.servers[0]!, requestOf(each, query))),
  );
  const [bar, engine, ...peers] = answers;
  if (bar !== engine) throw new Error(`${query}: the answers differ:\n${bar!.slice(0, 300)}\n${engine!.slice(0, 300)}`);
  for (const [index, peer] of peers.entries()) {
    const { name, operations } = contestants[index + 2]!;
    const same = operations === undefined ? isDeepStrictEqual(JSON.parse(peer), JSON.parse(bar!)) : isFull(peer, bar!);
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

/** How long each of many processes is warmed up at most, in seconds: a request costs no less after more. */
const WARM_UP_SECONDS = 7;

/** What each contestant took, by query. */
async function measure(
  contestants: readonly Contestant[],
  sides: readonly Side[],
): Promise<ReadonlyMap<QueryName, readonly SideResult[]>> {
  const results = new Map<QueryName, readonly SideResult[]>();
  for (const query of names) {
    await checkAnswers(contestants, sides, query);
    const asked = sides.map((side, index) => ({ side, request: requestOf(contestants[index]!, query) }));
    results.set(query, await compareSides(asked, Number(rounds), Number(seconds), WARM_UP_SECONDS));
  }
  return results;
}

function report(
  section: string,
  title: string,
  contestants: readonly Contestant[],
  results: ReadonlyMap<QueryName, readonly SideResult[]>,
  versions: string,
): void {
  const times = new Map(names.map((query) => [query, results.get(query)!.map(({ median }) => median.cpuMicros)]));
  const rows = names.map((query) => {
    const [bar, engine, ...peers] = times.get(query)!;
    const cells = results
      .get(query)!
      .flatMap(({ median, range }, index) =>
        contestants[index]!.processes === undefined ? [digits(median.cpuMicros)] : [digits(median.cpuMicros), range],
      );
    return [query, ...cells, digits(bar! / engine!), digits(Math.min(...peers) / engine!)];
  });
  const columns = contestants.flatMap(({ name, processes }) =>
    processes === undefined ? [name] : [name, 'its processes'],
  );
  const head = ['', ...columns, 'of by hand', 'times the best peer'];
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
  const contestants: readonly Contestant[] = [
    { name: 'by hand', module: 'limit-server.ts', processes: PROCESSES, path: (query) => `/${query}` },
    { name: 'Lockstitch', module: 'engine-server.ts', processes: PROCESSES },
    { name: 'mercurius + jit', module: 'peers/mercurius-server.mjs' },
    { name: 'graphql-yoga', module: 'peers/yoga-server.mjs' },
    { name: 'Apollo Server', module: 'peers/apollo-server.mjs', path: () => '/' },
  ];
  await withContestants(contestants, file, async (sides) => {
    const used = ['mercurius', 'graphql-yoga', '@apollo/server', 'dataloader', 'graphql'];
    const text = `SQLite ${process.versions['sqlite'] ?? ''}, ${used.map((name) => `${name} ${versions[name]}`).join(', ')}`;
    report('graph-sqlite', 'GraphQL on SQLite', contestants, await measure(contestants, sides), text);
  });
}

async function compareOnPostgres(): Promise<void> {
  const versions = installPeers();
  // What vacuums now and then would come over one side, and change plans midway.
  const postgres = await startPostgres({ autovacuum: 'off' });
  try {
    const graph = await openPhotoGraph({ url: postgres.url });
    await graph.store.close();
    await postgres.settle();
    const contestants: readonly Contestant[] = [
      { name: 'by hand', module: 'limit-postgres-server.ts', processes: PROCESSES, path: (query) => `/${query}` },
      { name: 'Lockstitch', module: 'engine-server.ts', processes: PROCESSES },
      { name: 'PostGraphile', module: 'peers/postgraphile-server.mjs', operations: POSTGRAPHILE },
    ];
    await withContestants(contestants, postgres, async (sides) => {
      const text = `PostgreSQL ${postgres.version}, pg ${versions['pg']}, PostGraphile ${versions['postgraphile']}`;
      report('graph-postgres', 'GraphQL on PostgreSQL', contestants, await measure(contestants, sides), text);
    });
  } finally {
    await postgres.close();
  }
}

async function compareWrites(): Promise<void> {
  let databases = 0;
  const start = (name: string, module: string) => ({
    name,
    processes: PROCESSES,
    // A database for each, as all write.
    async start(): Promise<BenchServer> {
      databases += 1;
      const file = join(folder, `writes-${databases}.db`);
      const graph = await openPhotoGraph({ file });
      await graph.store.close();
      return startBenchServer(name, new URL(module, import.meta.url), [file]);
    },
  });
  const sides = await startSides([start('by hand', 'limit-server.ts'), start('Lockstitch', 'engine-server.ts')]);
  try {
    const rows: (string | number)[][] = [];
    for (const name of Object.keys(MUTATIONS) as (keyof typeof MUTATIONS)[]) {
      const body = (): string => mutationBody(name);
      const [bar, engine] = await compareSides(
        [`/${name}`, '/graphql'].map((path, index) => ({
          side: sides[index]!,
          request: { method: 'POST', path, headers, body },
        })),
        Number(rounds),
        Number(seconds),
      );
      rows.push([
        name,
        digits(bar!.median.cpuMicros),
        bar!.range,
        digits(engine!.median.cpuMicros),
        engine!.range,
        digits(bar!.median.cpuMicros / engine!.median.cpuMicros),
        digits(engine!.median.requestsPerSecond),
      ]);
    }
    const head = ['', 'by hand', 'its processes', 'Lockstitch', 'its processes', 'of by hand', 'mutations a second'];
    printTable('Mutations on SQLite: µs of processor a request', head, rows);
    writeSection(
      'graph-writes',
      `${toMarkdown(head, rows)}\n\n${describeRun()}; SQLite ${process.versions['sqlite'] ?? ''}.`,
    );
  } finally {
    await closeSides(sides);
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
