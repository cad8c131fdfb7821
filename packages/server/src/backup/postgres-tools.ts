// PostgreSQL's own tools: they copy what no list of ours would be complete about (sequences, grants, extensions).
import { spawn } from 'node:child_process';

import { codeOf } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';

/** The end of what a tool says of its failure, in characters. */
const SHOWN = 2000;

/** Writes a consistent copy of a database to a file, as `pg_restore` reads it. */
export function dumpPostgres(url: string, file: string): Promise<void> {
  return run('pg_dump', url, ['--format=custom', '--no-owner', '--no-privileges', `--file=${file}`]);
}

/** Fills an empty database, completely or not at all. */
export function restorePostgres(url: string, file: string): Promise<void> {
  return run('pg_restore', url, ['--no-owner', '--no-privileges', '--single-transaction', '--exit-on-error', file]);
}

async function run(tool: string, url: string, words: readonly string[]): Promise<void> {
  const { address, password } = withoutPassword(url);
  // Arguments are visible to all users of the machine, the environment is not.
  const environment = { ...process.env, ...(password === undefined ? {} : { PGPASSWORD: password }) };
  let said = '';
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(tool, [`--dbname=${address}`, '--no-password', ...words], {
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (piece: Buffer) => (said = (said + piece.toString()).slice(-SHOWN)));
    child.once('error', reject);
    child.once('close', resolve);
  }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') throw serverErrors.create('SERVER_TOOL_MISSING', { tool }, { cause: error });
    throw error;
  });
  if (code === 0) return;
  const reason = password === undefined ? said : said.replaceAll(password, '…');
  throw serverErrors.create('SERVER_TOOL_FAILED', { tool, reason: reason.trim() });
}

function withoutPassword(url: string): { readonly address: string; readonly password: string | undefined } {
  const parsed = new URL(url);
  // The connection library takes it from either place, the later one first.
  const password = parsed.searchParams.get('password') ?? decodeURIComponent(parsed.password);
  parsed.password = '';
  parsed.searchParams.delete('password');
  return { address: parsed.href, password: password === '' ? undefined : password };
}
