// `lockstitch index copy`: a data folder for one more server on the same database, whose indexes need not be built.
import { mkdir, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { OWNER_FOLDER } from '@lockstitch/search/folder';

import { copyIndexesTo } from '../backup/copy-indexes-to.ts';
import { checkFree, withStaging } from '../backup/staging.ts';
import { shownPath } from '../config/load-config.ts';
import { serverErrors } from '../errors.ts';
import { asTyped } from './as-typed.ts';
import type { Command } from './parse-arguments.ts';
import type { Terminal } from './terminal.ts';

/** @param data the data folder, whose server may be running */
export async function indexCopy({ options, switches }: Command, data: string, terminal: Terminal): Promise<number> {
  if (options['to'] === undefined) {
    const reason = 'Name the new data folder: --to /var/lib/second';
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
  }
  const to = resolve(options['to']);
  await checkFree(to);
  const indexes = await withStaging(to, async (staging) => {
    const copied = await copyIndexesTo(data, join(staging, 'search'), true);
    if (copied.length === 0) throw serverErrors.create('SERVER_BACKUP_NO_DATA', { reason: `"${data}" holds no index` });
    // Without the name under which this server's indexes read the feed: the other one takes a name of its own.
    await mkdir(to, { recursive: true, mode: OWNER_FOLDER });
    await rename(join(staging, 'search'), join(to, 'search'));
    return copied;
  });
  if (switches.has('json')) terminal.out.write(`${JSON.stringify({ folder: to, indexes }, undefined, 2)}\n`);
  else {
    const text = `Copied: ${indexes.join(', ')}.\nStart the other server on the same database with --data ${shownPath(to)}: it reads what has changed since.\n`;
    terminal.out.write(asTyped(text, terminal.environment));
  }
  return 0;
}
