// `lockstitch restore`: makes a new folder, and where asked a new database, of a backup.
import { restoreBackup, type RestoreReport } from '../backup/restore-backup.ts';
import { shownPath } from '../config/load-config.ts';
import { asTyped } from './as-typed.ts';
import { shellWord } from './new-folder.ts';
import type { Command } from './parse-arguments.ts';
import { countOf, showJob } from './progress.ts';
import type { Terminal } from './terminal.ts';

export async function restore({ arguments: given, options, switches }: Command, terminal: Terminal): Promise<number> {
  const [file, folder] = given;
  const job = showJob(terminal);
  const report = await restoreBackup({
    file: file!,
    folder: folder!,
    data: options['data'],
    database: options['database'] ?? terminal.environment['DATABASE_URL'],
    onProgress: (label, done, total) => job.update(label, 'byte', done, total),
  }).finally(job.end);
  const { manifest } = report;
  if (switches.has('json')) {
    const { database: _, ...shown } = report;
    terminal.out.write(`${JSON.stringify(shown, undefined, 2)}\n`);
    return 0;
  }
  const path = shownPath(report.folder);
  const lines = [
    `${path}: ${countOf(manifest.files.length, 'file')} restored, checksums right, database at change ${manifest.position.toLocaleString('en-US')} of ${manifest.madeAt}.`,
    'Next: install its packages (npm install) if it has any.',
    ...whereItIs(report),
    `Then: lockstitch start ${shellWord(path)}${report.isDataElsewhere ? ` --data ${shellWord(report.data)}` : ''}`,
  ];
  terminal.out.write(asTyped(`${lines.join('\n')}\n`, terminal.environment));
  return 0;
}

/** The restored configuration still names the database that the backup was taken of, which may be in use. */
function whereItIs({ database, manifest }: RestoreReport): readonly string[] {
  if (database === undefined) return [];
  const url = manifest.database.kind === 'sqlite' ? database : 'the URL of the restored one';
  return [
    `The configuration still names the database that was backed up. Set DATABASE_URL to ${url} for every command, or change "database" in the configuration first.`,
  ];
}
