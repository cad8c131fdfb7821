// The addresses of databases: a PostgreSQL server, an existing SQLite file, or the variable that holds either.
import { resolve } from 'node:path';

const SQLITE = /^sqlite:(?:\/\/)?/;

export const isPostgresUrl = (url: string): boolean => /^postgres(?:ql)?:\/\//.test(url);

/** Whether an environment variable may hold this address. */
export const isDatabaseAddress = (url: string): boolean => isPostgresUrl(url) || sqliteFile(url) !== undefined;

/** Whether a configuration may hold this address: one, or the variable that holds it. */
export const isDatabaseUrl = (url: string): boolean => isDatabaseAddress(url) || variableOf(url) !== undefined;

/** Whether a configuration may hold this address of a replica. */
export const isReplicaUrl = (url: string): boolean => isPostgresUrl(url) || variableOf(url) !== undefined;

/** The file of an SQLite address. */
export function sqliteFile(url: string): string | undefined {
  const file = SQLITE.test(url) ? url.replace(SQLITE, '') : '';
  return file === '' ? undefined : file;
}

/** The variable of an address such as `env:SHOP_DATABASE`. */
export function variableOf(url: string): string | undefined {
  return /^env:([A-Za-z_]\w*)$/.exec(url)?.[1];
}

/**
 * Follows the variable of an address, and makes its file absolute. An address whose variable is not set stays as it is:
 * without the database, an application can still be checked.
 *
 * @param folder what a file is relative to
 */
export function locateDatabase(
  url: string | undefined,
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const variable = url === undefined ? undefined : variableOf(url);
  const held = variable === undefined ? undefined : environment[variable];
  if (held !== undefined && isDatabaseAddress(held)) return locateDatabase(held, process.cwd(), {});
  const file = url === undefined ? undefined : sqliteFile(url);
  return file === undefined ? url : `sqlite:${resolve(folder, file)}`;
}
