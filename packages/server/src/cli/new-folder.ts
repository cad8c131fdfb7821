// Writes the folder of a new application: `init` and `adopt` fill it with files that `npm install && npm start` run.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';

import { isProductError } from '@lockstitch/kernel';
import { makeFolder } from '@lockstitch/search/folder';

import { folderNotWritable } from '../data/folder-not-writable.ts';
import { serverErrors } from '../errors.ts';
import { readPackage } from '../own-package.ts';

/**
 * Writes files into a new or empty folder.
 *
 * @throws ProductError SERVER_FOLDER_NOT_EMPTY, SERVER_FOLDER_NOT_WRITABLE
 */
export function writeNewFolder(folder: string, files: Readonly<Record<string, string>>): void {
  try {
    const path = resolve(folder);
    if (existsSync(path) && (!statSync(path).isDirectory() || readdirSync(path).length > 0))
      throw serverErrors.create('SERVER_FOLDER_NOT_EMPTY', { folder });
    makeFolder(path);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content, { flag: 'wx' });
  } catch (error) {
    if (isProductError(error)) throw error;
    throw folderNotWritable(folder, error);
  }
}

/** Quotes a path for a shell where that is needed. */
export function shellWord(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : JSON.stringify(path);
}

/** The files by which npm runs the application. */
export function packageFiles(path: string): Readonly<Record<string, string>> {
  return {
    '.gitignore': '.lockstitch/\nnode_modules/\n',
    'package.json': `${JSON.stringify(packageOf(path), undefined, 2)}\n`,
  };
}

/** Makes `npm install && npm start` work in the folder. */
function packageOf(path: string): object {
  const clone = findClone();
  const command =
    clone === undefined ? 'lockstitch' : `node ${JSON.stringify(relative(path, join(clone, 'scripts/run.mjs')))} cli`;
  const { version, engines } = readPackage();
  return {
    name: packageName(path),
    private: true,
    // Without it Node parses the configuration twice, and warns.
    type: 'module',
    scripts: { start: `${command} start .`, check: `${command} check .` },
    ...(clone === undefined ? { dependencies: { lockstitch: `^${version}` }, engines } : {}),
  };
}

/** The clone that this runs from; undefined if the package is installed. */
export function findClone(): string | undefined {
  const root = join(import.meta.dirname, '../../../..');
  return import.meta.filename.endsWith('.ts') && existsSync(join(root, 'scripts/run.mjs')) ? root : undefined;
}

function packageName(path: string): string {
  const name = basename(path)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '');
  return name === '' ? 'app' : name;
}
