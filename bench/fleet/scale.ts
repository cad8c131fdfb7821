// What do 1,000 million documents need? Sizes in PostgreSQL and on a search cluster at three scales, a straight line through them, its
// prediction of a fourth scale beside what is measured there, and the calculation for a fleet. Needs Java and Maven; else it says so.
//   npm run bench -- scale [ROWS,…] [--engine opensearch-3.8] [--words 25]; default 10000,30000,90000,270000: the last is predicted
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';

import { ask } from '../../test/engines/cluster-worlds.ts';
import { startCluster } from '../../test/engines/cluster.ts';
import { ENGINES, install } from '../../test/engines/engines.ts';
import { startPostgres } from '../lib/postgres.ts';
import { digits, printTable } from '../lib/table.ts';
import { HEADERS, start, writeApp } from '../product/sized-app.ts';

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string', default: 'opensearch-3.8' }, words: { type: 'string', default: '25' } },
});
const scales = (positionals[0] ?? '10000,30000,90000,270000').split(',').map(Number);
/** What the calculation is for. */
const FLEET = { documents: 1e9, shards: 100, servers: 50, replicas: 1 };
/** The largest error of a prediction, as a share; a larger one fails the run. */
const TOLERANCE = 0.2;
/** Bytes of a shard that Elastic and OpenSearch advise at most. */
const ADVISED_SHARD = 50e9;
/** Connections of a server to PostgreSQL: ten of its pool, and those that listen, cancel and check. */
const CONNECTIONS = 13;
/** Requests of a server to the cluster at once. */
const REQUESTS = 64;

/** Bytes. */
interface Sizes {
  readonly tables: number;
  readonly index: number;
}

const engine = ENGINES.find(({ name }) => name === flags.engine);
if (engine === undefined) throw new Error(`No engine is named "${flags.engine}".`);
const installed = install(engine);
if (typeof installed === 'string') {
  process.stdout.write(`skipped: ${installed}\n`);
  process.exit();
}
const cluster = await startCluster(engine, installed, { heap: 1024 });
const postgres = await startPostgres({ fsync: 'off' });
try {
  const measured: Sizes[] = [];
  for (const rows of scales) measured.push(await measure(rows));
  report(measured);
} finally {
  await postgres.close();
  await cluster.close();
}

/** The sizes of a fresh database and index of so many rows. */
async function measure(rows: number): Promise<Sizes> {
  const folder = mkdtempSync(join(tmpdir(), 'lockstitch-scale-'));
  const name = `scale_${rows}`;
  const prefix = `scale-${rows}`;
  const url = postgres.url.replace(/\/postgres$/, `/${name}`);
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  await owner.query(`CREATE DATABASE ${name}`);
  await owner.end();
  const kind = flags.engine.startsWith('opensearch') ? 'opensearch' : 'elasticsearch';
  writeApp(folder, Number(flags.words), {
    metrics: { enabled: true },
    search: { engine: kind, nodes: [cluster.url], prefix, replicas: 0 },
  });
  const server = await start(folder, rows, { DATABASE_URL: url });
  try {
    await untilFound(server.url, rows);
    await ask(cluster.url, `POST /${prefix}-notes/_forcemerge?max_num_segments=1&flush=true`);
    const { _all: all } = (await ask(cluster.url, `GET /${prefix}-notes/_stats/store`)) as unknown as StoreStats;
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    await database.query('VACUUM FULL');
    const [{ size }] = (await database.query(`SELECT pg_database_size('${name}')::float8 AS size`)).rows as [
      { readonly size: number },
    ];
    await database.end();
    return { tables: size, index: all.primaries.store.size_in_bytes };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function untilFound(url: string, rows: number): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/notes/_count`, { headers: HEADERS });
    const { count } = (await response.json()) as { readonly count?: number };
    if (count === rows) return;
    await pause(500);
  }
}

interface StoreStats {
  readonly _all: { readonly primaries: { readonly store: { readonly size_in_bytes: number } } };
}

/** The straight line with the least squares of relative errors: large scales do not outweigh small ones. */
function lineThrough(points: readonly (readonly [x: number, y: number])[]): (x: number) => number {
  let [s, sx, sxx, sy, sxy] = [0, 0, 0, 0, 0];
  for (const [x, y] of points) {
    const weight = 1 / (y * y);
    s += weight;
    sx += weight * x;
    sxx += weight * x * x;
    sy += weight * y;
    sxy += weight * x * y;
  }
  const slope = (s * sxy - sx * sy) / (s * sxx - sx * sx);
  const start = (sy - slope * sx) / s;
  return (x) => start + slope * x;
}

function report(measured: readonly Sizes[]): void {
  const mega = (bytes: number): string => digits(bytes / 1e6);
  const giga = (bytes: number): string => digits(bytes / 1e9);
  printTable(
    `Rows of ${flags.words} words, each a document with its author, on PostgreSQL and ${flags.engine}`,
    ['rows', 'database, MB', 'index on the cluster, MB'],
    scales.map((rows, at) => [rows.toLocaleString('en-US'), mega(measured[at]!.tables), mega(measured[at]!.index)]),
  );
  const last = scales.length - 1;
  const lines = (['tables', 'index'] as const).map((part) =>
    lineThrough(measured.slice(0, last).map((sizes, at) => [scales[at]!, sizes[part]] as const)),
  );
  const [tables, index] = lines as [(rows: number) => number, (rows: number) => number];
  const rows = scales[last]!;
  const errors = [tables(rows) / measured[last]!.tables - 1, index(rows) / measured[last]!.index - 1] as const;
  const isWithin = errors.every((error) => Math.abs(error) <= TOLERANCE);
  if (!isWithin) process.exitCode = 1;
  const off = (error: number): string => `${digits(error * 100)} %`;
  printTable(
    `Predicted for ${rows.toLocaleString('en-US')} rows from the ${last} scales before, ${isWithin ? '' : 'not '}within ${TOLERANCE * 100} %`,
    ['', 'predicted, MB', 'measured, MB', 'off by'],
    [
      ['database', mega(tables(rows)), mega(measured[last]!.tables), off(errors[0])],
      ['index', mega(index(rows)), mega(measured[last]!.index), off(errors[1])],
    ],
  );
  const { documents, replicas, servers, shards } = FLEET;
  const whole = index(documents);
  printTable(
    `${documents.toLocaleString('en-US')} documents, ${shards} shards with ${replicas} copy each, ${servers} servers`,
    ['', ''],
    [
      ['database, GB', giga(tables(documents))],
      ['index without copies, GB', giga(whole)],
      ['a shard, GB', giga(whole / shards)],
      ['shards that 50 GB each would take', Math.ceil(whole / ADVISED_SHARD)],
      [
        'disk of the cluster with copies, and half of it free for merges and a rebuild, GB',
        giga(whole * (1 + replicas) * 2),
      ],
      ['connections to PostgreSQL', servers * CONNECTIONS],
      ['requests to the cluster at once, at most', servers * REQUESTS],
      ['searches of shards that these are', servers * REQUESTS * shards],
    ],
  );
}
