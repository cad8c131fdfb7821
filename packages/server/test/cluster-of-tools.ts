// A PostgreSQL of the version of the client tools in PATH: `pg_dump` refuses servers that are newer than itself.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../graph/test/stores.ts';

export interface Cluster {
  /** Creates a database and returns its address; its password is `secret`. */
  database(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts it, or returns the reason why there is none. */
export async function startClusterOfTools(): Promise<Cluster | string> {
  let bin: string;
  try {
    execFileSync('pg_dump', ['--version']);
    bin = execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim();
  } catch {
    return 'no pg_dump and pg_config in PATH';
  }
  if (!existsSync(join(bin, 'initdb'))) return `no initdb beside pg_dump in ${bin}`;
  const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const password = join(folder, 'password');
  writeFileSync(password, 'secret');
  chmodSync(password, 0o644);
  const data = join(folder, 'data');
  const words = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    `--pwfile=${password}`,
    '--no-sync',
    '-E',
    'UTF8',
  ];
  execFileSync(join(bin, 'initdb'), words, { ...user, stdio: 'pipe', cwd: folder });
  const port = await freePort();
  const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-F'];
  const server = spawn(join(bin, 'postgres'), options, { ...user, stdio: 'ignore', cwd: folder });
  const exit = new Promise((resolve) => server.once('exit', resolve));
  const address = `postgres://postgres:secret@127.0.0.1:${port}/`;
  const { default: pg } = await import('pg');
  const connect = async (): Promise<InstanceType<typeof pg.Client>> => {
    for (;;) {
      const client = new pg.Client({ connectionString: `${address}postgres` });
      try {
        await client.connect();
        return client;
      } catch (error) {
        if (server.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  return {
    async database(name) {
      const client = await connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return `${address}${name}`;
    },
    async stop() {
      server.kill('SIGINT');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
