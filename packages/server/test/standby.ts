// A hot standby of the PostgreSQL of the tests: a copy of its files that follows it, as `pg_basebackup` would make it, which the PostgreSQL
// from npm does not have.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../graph/test/stores.ts';

export interface Standby {
  readonly url: string;
  /** Runs a statement on the standby. */
  query(sql: string): Promise<void>;
  /** Ends it as a machine that fails; a second time does nothing. */
  kill(): Promise<void>;
}

/** @param url of a database of the primary */
export async function startStandby(url: string): Promise<Standby> {
  const { default: pg } = await import('pg');
  const primary = new pg.Client({ connectionString: url });
  await primary.connect();
  const settings = await primary.query<{ readonly data: string; readonly bin: string }>(
    `SELECT current_setting('data_directory') AS data, (SELECT setting FROM pg_config() WHERE name = 'BINDIR') AS bin`,
  );
  const { bin, data } = settings.rows[0]!;
  const folder = mkdtempSync(join(tmpdir(), 'standby-'));
  const { gid, uid } = statSync(data);
  chownSync(folder, uid, gid);
  const copy = join(folder, 'data');
  await primary.query(`SELECT pg_backup_start('standby', true)`);
  execFileSync('cp', ['-a', data, copy]);
  const stopped = await primary.query<{ readonly labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  await primary.end();
  rmSync(join(copy, 'postmaster.pid'));
  const { hostname, password, port: primaryPort, username } = new URL(url);
  const conninfo = `host=${hostname} port=${primaryPort} user=${username} password=${password}`;
  writeFileSync(join(copy, 'backup_label'), stopped.rows[0]!.labelfile);
  writeFileSync(join(copy, 'standby.signal'), '');
  writeFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  for (const name of ['backup_label', 'standby.signal', 'postgresql.auto.conf']) chownSync(join(copy, name), uid, gid);
  const port = await freePort();
  const options = ['-D', copy, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-F', '-c', 'shared_buffers=32MB'];
  const user = process.getuid?.() === 0 ? { uid, gid } : {};
  const server = spawn(join(bin, 'postgres'), options, { ...user, stdio: 'ignore', cwd: folder });
  const exit = new Promise((resolve) => server.once('exit', resolve));
  const own = new URL(url);
  own.port = String(port);
  const query = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: own.href });
    try {
      await client.connect();
      await client.query(sql);
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const kill = async (): Promise<void> => {
    server.kill('SIGKILL');
    await exit;
    rmSync(folder, { recursive: true, force: true });
  };
  for (;;) {
    try {
      await query('SELECT 1');
      return { url: own.href, query, kill };
    } catch (error) {
      if (server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
