// `lockstitch backup`: writes application, database and search indexes to one file, with and without a running server.
import { takeBackup } from '../backup/take-backup.ts';
import { loadConfig, shownPath } from '../config/load-config.ts';
import { serverErrors } from '../errors.ts';
import { readVersion } from '../own-package.ts';
import { asTyped } from './as-typed.ts';
import { shellWord } from './new-folder.ts';
import type { Command } from './parse-arguments.ts';
import { countOf, formatBytes, showJob } from './progress.ts';
import type { Terminal } from './terminal.ts';

export async function backup({ arguments: given, options, switches }: Command, terminal: Terminal): Promise<number> {
  const to = options['to'];
  if (to === undefined) {
    const reason = 'Name the file of the backup: --to backup.tar.gz';
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
  }
  // The configuration alone: an application whose schema has mistakes can be backed up, too.
  const app = await loadConfig(given[0]!, terminal.environment, { data: options['data'] });
  const job = showJob(terminal);
  const report = await takeBackup({
    app,
    to,
    withIndexes: switches.has('with-indexes'),
    version: readVersion(),
    now: new Date(),
    onProgress: (label, done, total) => job.update(label, 'byte', done, total),
  }).finally(job.end);
  const { manifest, bytes, leftOut } = report;
  if (switches.has('json')) {
    terminal.out.write(`${JSON.stringify({ file: to, bytes, leftOut, ...manifest }, undefined, 2)}\n`);
    return 0;
  }
  const { database, files, indexes, position } = manifest;
  const name = database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  const lines = [
    `${shownPath(to)}: ${formatBytes(bytes)}, ${countOf(files.length, 'file')}, database of ${name} at change ${position.toLocaleString('en-US')}.`,
    indexes.length === 0
      ? 'No search index: those of the schema are built after a restore.'
      : `Search indexes: ${indexes.join(', ')}.`,
    ...(leftOut.length === 0 ? [] : [`Left out, as they are no files: ${leftOut.join(', ')}.`]),
    'It holds all data and every secret of the configuration; only its owner can read it.',
    `Restore it with: lockstitch restore ${shellWord(to)} NEW-FOLDER`,
  ];
  terminal.out.write(asTyped(`${lines.join('\n')}\n`, terminal.environment));
  return 0;
}
