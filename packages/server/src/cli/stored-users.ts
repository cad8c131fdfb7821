// Opens the accounts in an application's database for one command. The data folder is not locked: accounts can be
// locked or deleted while the server runs, and the database isolates the two.

import { makeFolder, OWNER_FOLDER } from '@lockstitch/search/folder';
import type { UserStore } from '@lockstitch/security';

import type { LoadedApp } from '../app/load-app.ts';
import { dataFolder } from '../config/load-config.ts';
import { notWritable } from '../data/data-lock.ts';
import { openStore } from '../data/open-store.ts';
import { openUserStore } from '../data/user-store.ts';
import { serverErrors } from '../errors.ts';

/**
 * Runs work on the accounts in the database, then closes it.
 *
 * @throws ProductError SERVER_USERS_NOT_IN_DATABASE, SERVER_USERS_IN_MEMORY
 */
export async function withStoredUsers<T>(app: LoadedApp, work: (users: UserStore) => Promise<T>): Promise<T> {
  const { config, folder } = app;
  if (config.userStore !== 'sql') throw serverErrors.create('SERVER_USERS_NOT_IN_DATABASE', { folder });
  const data = dataFolder(app);
  if (config.database.url === undefined) {
    if (data === ':memory:') throw serverErrors.create('SERVER_USERS_IN_MEMORY', { folder });
    try {
      makeFolder(data, OWNER_FOLDER);
    } catch (error) {
      throw notWritable(data, error);
    }
  }
  const store = await openStore(config.database.url, data);
  try {
    return await work(await openUserStore(store));
  } finally {
    await store.close();
  }
}
