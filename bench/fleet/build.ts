// How fast is an index built from its data and verified, on a search cluster of one node and by the embedded engine, and which part of that
// is reading the database? Needs Java and Maven for the cluster; else it says so.
//   npm run bench -- build [DOCUMENTS] [--engine opensearch-3.8] [--words 25] [--postgres]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { createApp } from '../../packages/server/src/app.ts';
import { loadApp } from '../../packages/server/src/app/load-app.ts';
import { askIndexControl } from '../../packages/server/src/sync/index-control.ts';
import { startCluster } from '../../test/engines/cluster.ts';
import { ENGINES, install } from '../../test/engines/engines.ts';
import { startPostgres } from '../lib/postgres.ts';
import { digits, printTable } from '../lib/table.ts';
import { writeApp } from '../product/sized-app.ts';

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'opensearch-3.8' },
    words: { type: 'string', default: '25' },
    postgres: { type: 'boolean', default: false },
  },
});
const documents = Number(positionals[0] ?? 50_000);
const ROUNDS = 3;
/** Documents of a page of the build, for the reading alone. */
const PAGE = 1000;

interface Built {
  readonly seconds: number;
  /** Seconds of processor of this process. */
  readonly processor: number;
}

const engine = ENGINES.find(({ name }) => name === flags.engine);
if (engine === undefined) throw new Error(`No engine is named "${flags.engine}".`);
const postgres = flags.postgres ? await startPostgres({ fsync: 'off' }) : undefined;
const environment = { LOCKSTITCH_USER_PASSWORD: 'bench', ...(postgres && { DATABASE_URL: postgres.url }) };
process.env['ROWS'] = String(documents);
const folder = mkdtempSync(join(tmpdir(), 'lockstitch-build-'));
try {
  const rows: (readonly (string | number)[])[] = [];
  const embedded = await measure({});
  rows.push(
    ['reading alone', ...rates(embedded.reading)],
    ['embedded: built', ...rates(embedded.builds)],
    ['embedded: verified', ...rates(embedded.checks)],
  );
  const installed = install(engine);
  if (typeof installed === 'string') process.stdout.write(`skipped: ${installed}\n`);
  else {
    const cluster = await startCluster(engine, installed, { heap: 1024 });
    try {
      const kind = engine.name.startsWith('opensearch') ? 'opensearch' : 'elasticsearch';
      const { builds, checks } = await measure({ search: { engine: kind, nodes: [cluster.url], replicas: 0 } });
      rows.push([`${engine.name}: built`, ...rates(builds)], [`${engine.name}: verified`, ...rates(checks)]);
    } finally {
      await cluster.close();
    }
  }
  printTable(
    `${documents.toLocaleString('en-US')} documents of ${flags.words} words from ${flags.postgres ? 'PostgreSQL' : 'SQLite'}, median of ${ROUNDS}`,
    ['', 'documents a second', 'processor of the server, µs a document'],
    rows,
  );
} finally {
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Builds the index some times over, as `lockstitch index rebuild` does. */
async function measure(config: object): Promise<Readonly<Record<'builds' | 'checks' | 'reading', readonly Built[]>>> {
  writeApp(folder, Number(flags.words), { ...config, metrics: { enabled: false } });
  const loaded = await loadApp(folder, environment, { data: join(folder, 'data') });
  const app = await createApp(loaded);
  try {
    const builds: Built[] = [];
    const checks: Built[] = [];
    const reading: Built[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      builds.push(await timed(() => rebuild()));
      checks.push(await timed(() => verify()));
      reading.push(await timed(() => readAll()));
    }
    return { builds, checks, reading };
  } finally {
    await app.close();
  }

  async function rebuild(): Promise<void> {
    await askIndexControl(join(folder, 'data'), { kind: 'rebuild', indexes: ['notes'] }, () => undefined);
  }

  async function verify(): Promise<void> {
    await askIndexControl(join(folder, 'data'), { kind: 'verify', indexes: ['notes'], mend: false }, () => undefined);
  }

  async function readAll(): Promise<void> {
    for (let after: string | undefined; ;) {
      const page = await app.graph.loadDocuments('Note', { after, limit: PAGE });
      if (page.length === 0) return;
      after = page.at(-1)!.key;
    }
  }
}

async function timed(work: () => Promise<void>): Promise<Built> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { system, user } = process.cpuUsage(before);
  return { seconds: (performance.now() - began) / 1000, processor: (system + user) / 1e6 };
}

function rates(all: readonly Built[]): readonly [string, string] {
  const median = all.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(all.length / 2)]!;
  return [Math.round(documents / median.seconds).toLocaleString('en-US'), digits((median.processor / documents) * 1e6)];
}
