// `lockstitch restore`: makes a new folder, and where asked a new database, of a backup.
import { restoreBackup } from '../backup/restore-backup.ts';
import { shownPath } from '../config/load-config.ts';
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
    terminal.out.write(`${JSON.stringify(report, undefined, 2)}\n`);
    return 0;
  }
  const path = shownPath(report.folder);
  const lines = [
    `${path}: ${countOf(manifest.files.length, 'file')} restored, checksums right, database at change ${manifest.position.toLocaleString('en-US')} of ${manifest.madeAt}.`,
    `Next: install its packages (npm install) if it has any, then: lockstitch start ${shellWord(path)}`,
  ];
  terminal.out.write(`${lines.join('\n')}\n`);
  return 0;
}
