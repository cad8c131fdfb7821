// Loads the configuration of an application: finds the file, imports it, applies environment and options, and locates
// each problem.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { reasonOf } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { checkConfig, type ConfigProblem, printKeys } from './check-config.ts';
import { findSearchProblems, locateCluster } from './cluster-settings.ts';
import type { ResolvedConfig } from './config.ts';
import { locateDatabase } from './database-address.ts';
import { applyEnvironment, type GeneratedUser } from './environment.ts';
import { locateKey } from './locate-key.ts';
import { findOwnPackages } from './own-packages.ts';
import { findReplicaProblems } from './read-replica.ts';
import { applyServers, findServerProblems } from './several-servers.ts';

/** A problem in an application: location, message and remedy. */
export interface Problem {
  /** `lockstitch.config.ts:12`, relative to the application's folder. */
  readonly where: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Command line options, which override everything else. */
export interface Overrides {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  /** Relative to the working directory, unlike the configuration key. */
  readonly data?: string | undefined;
}

export interface LoadedConfig {
  /** Absolute path of the application's folder. */
  readonly folder: string;
  /** Name of the configuration file; undefined if there is none. */
  readonly file: string | undefined;
  readonly config: ResolvedConfig;
  readonly user: GeneratedUser;
  readonly problems: readonly Problem[];
  /** Top-level keys of the file that have problems. */
  readonly invalidKeys: ReadonlySet<string | number>;
}

const CONFIG_FILES = ['lockstitch.config.ts', 'lockstitch.config.mts', 'lockstitch.config.js', 'lockstitch.config.mjs'];

/**
 * Loads the configuration of an application.
 *
 * @param folder relative to the working directory or absolute
 * @throws ProductError SERVER_FOLDER_NOT_FOUND, SERVER_FOLDER_IS_FILE; all other mistakes are in `problems`
 */
export async function loadConfig(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  overrides: Overrides = {},
): Promise<LoadedConfig> {
  const absolute = resolve(folder);
  if (!existsSync(absolute)) throw serverErrors.create('SERVER_FOLDER_NOT_FOUND', { folder });
  if (!statSync(absolute).isDirectory())
    throw serverErrors.create('SERVER_FOLDER_IS_FILE', { folder, parent: dirname(folder) });
  const file = CONFIG_FILES.find((name) => existsSync(join(absolute, name)));
  const { checked = checkConfig({}), problems } = await importConfig(absolute, file);
  problems.push(...toProblems(checked.problems, absolute, file));
  const laid = applyEnvironment(checked.config, environment);
  problems.push(...laid.problems.map((message) => ({ where: 'environment', message, hint: undefined })));
  const config = applyServers({
    ...laid.config,
    database: {
      ...laid.config.database,
      url: locateDatabase(laid.config.database.url, absolute, environment),
      replica: locateDatabase(laid.config.database.replica, absolute, environment),
    },
    search: locateCluster(laid.config.search, absolute, environment),
    port: overrides.port ?? laid.config.port,
    host: overrides.host ?? laid.config.host,
    data:
      overrides.data === undefined || overrides.data === ':memory:'
        ? (overrides.data ?? laid.config.data)
        : resolve(overrides.data),
  });
  // What a wrong value leaves out would be missed a second time.
  if (checked.problems.length === 0 && laid.problems.length === 0)
    problems.push(
      ...toProblems(
        [...findServerProblems(config, laid.user), ...findReplicaProblems(config), ...findSearchProblems(config)],
        absolute,
        file,
      ),
    );
  const invalidKeys = new Set(checked.problems.flatMap(({ keys }) => keys.slice(0, 1)));
  return { folder: absolute, file, config, user: laid.user, problems, invalidKeys };
}

async function importConfig(
  folder: string,
  file: string | undefined,
): Promise<{ readonly checked?: ReturnType<typeof checkConfig>; readonly problems: Problem[] }> {
  if (file === undefined) return { problems: [] };
  try {
    const module = await importModule(join(folder, file));
    if (!('default' in module)) {
      const message = 'The file exports no default.';
      return {
        problems: [{ where: file, message, hint: 'Write: export default { port: 8080 };' }],
      };
    }
    // Read inside the try block: a getter that throws is a problem of the file.
    return { checked: checkConfig(module['default']), problems: [] };
  } catch (error) {
    return { problems: [loadProblem(folder, file, error)] };
  }
}

/** Imports a module of an application by its absolute path. @throws any error of the module */
export async function importModule(path: string): Promise<Record<string, unknown>> {
  const { href } = pathToFileURL(path);
  try {
    return await import(href);
  } catch (error) {
    if (!findOwnPackages(error)) throw error;
    return await import(href);
  }
}

/** Converts an error thrown by a module of the application to a problem with its line. */
export function loadProblem(folder: string, file: string, error: unknown): Problem {
  const reason = reasonOf(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const url = pathToFileURL(join(folder, file)).href;
  const line = stack.split(`${url}:`)[1]?.match(/^\d+/)?.[0];
  const missing = /Cannot find package '([^']+)'/.exec(reason)?.[1];
  return {
    where: line === undefined ? file : `${file}:${line}`,
    message: `The file cannot be loaded: ${reason.split('\n')[0]!.replaceAll(`${folder}/`, '')}`,
    hint:
      missing === undefined
        ? 'It must be a module that node can run; TypeScript that needs more than erasing types (enum, namespace) cannot be.'
        : `Install it (npm install ${missing}), or do without: a plain object needs no import.`,
  };
}

function toProblems(problems: readonly ConfigProblem[], folder: string, file: string | undefined): Problem[] {
  if (problems.length === 0) return [];
  const name = file ?? 'configuration';
  const source = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
  return problems.map(({ keys, message, hint }) => {
    const line = locateKey(source, keys);
    const where = line === undefined ? (keys.length === 0 ? name : `${name} (${printKeys(keys)})`) : `${name}:${line}`;
    return { where, message, hint };
  });
}

/** Absolute path of the data folder, or `:memory:`. */
export function dataFolder({ folder, config }: Pick<LoadedConfig, 'folder' | 'config'>): string {
  return config.data === ':memory:' ? config.data : resolve(folder, config.data);
}

/** Prints a path as the user would type it. */
export function shownPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' ? '.' : short.startsWith('..') ? path : short;
}
