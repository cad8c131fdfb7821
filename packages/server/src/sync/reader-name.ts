// Name under which the indexes of a data folder read the feed. Several processes may share one database, each with its
// own indexes.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { OWNER_FILE } from '@lockstitch/search/folder';

/**
 * Reads the name, or creates it on first use.
 *
 * @param folder the data folder, or `:memory:`
 */
export function readerName(folder: string): string {
  if (folder === ':memory:') return `search-${randomUUID()}`;
  const file = join(folder, 'instance');
  if (!existsSync(file)) writeFileSync(file, `${randomUUID()}\n`, { mode: OWNER_FILE });
  return `search-${readFileSync(file, 'utf8').trim()}`;
}
