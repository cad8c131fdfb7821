// Copies an SQLite database that others may be writing, as it is at one moment.
import type * as Sqlite from 'node:sqlite';

import { reasonOf } from '@lockstitch/kernel';

/** Pages of one step: 4 MB at SQLite's usual page size. */
const PAGES = 1000;

/** @param onProgress share of the pages that are copied, 0 to 1 */
export async function copySqlite(from: string, to: string, onProgress: (share: number) => void): Promise<void> {
  const { backup, DatabaseSync } = sqlite();
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    // Without a transaction of its own each commit of another process would start the copy again.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(source, to, {
      rate: PAGES,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / Math.max(1, totalPages)),
    });
  } finally {
    source.close();
  }
}

/** Returns what SQLite finds wrong with a file; undefined if nothing. */
export function integrityFault(file: string): string | undefined {
  const { DatabaseSync } = sqlite();
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const text = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'];
    return text === 'ok' ? undefined : String(text);
  } catch (error) {
    return reasonOf(error);
  } finally {
    database.close();
  }
}

/** Not imported statically: a Node without node:sqlite could not load this module and report the requirement. */
function sqlite(): typeof Sqlite {
  return process.getBuiltinModule('node:sqlite');
}
