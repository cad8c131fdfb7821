// When was the last backup? A file of the data folder says so by its time, for `/metrics`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { OWNER_FILE } from '@lockstitch/search/folder';

/** Name of the file in the data folder. */
export const LAST_BACKUP = 'last-backup';

/** Best effort: a backup that was taken stays taken where the folder cannot be written. */
export async function noteBackup(folder: string, madeAt: Date): Promise<void> {
  await writeFile(join(folder, LAST_BACKUP), `${madeAt.toISOString()}\n`, { mode: OWNER_FILE }).catch(() => undefined);
}
