// Loads an application from its folder: configuration, model, resolvers, seed, or the list of all problems in them. It
// opens no database and does not listen, so `check` and `start` share it.
import fs, { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { type Model, readSchema, type Resolvers, type SchemaProblem } from '@lockstitch/graph';
import { isProductError } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { checkSearchFields } from '../mapping/check-search-fields.ts';
import { checkSearchPolicy } from '../policy/check-search-policy.ts';
import { checkPrincipal } from '../config/check-principal.ts';
import { checkSecurity, keyPlaces } from '../security/check-security.ts';
import type { SeedTarget } from '../config/config.ts';
import { loadTrusted, type Trusted } from '../config/load-trusted.ts';
import {
  importModule,
  type LoadedConfig,
  loadConfig,
  loadProblem,
  type Overrides,
  type Problem,
} from '../config/load-config.ts';

/** Fills an empty database. */
export type Seed = (target: SeedTarget) => Promise<void>;

/** A valid application. */
export interface LoadedApp extends LoadedConfig {
  readonly model: Model;
  readonly resolvers: Resolvers;
  readonly seed: Seed | undefined;
  /** Trusted operations by id. */
  readonly trusted: Trusted;
  /** Account attributes that rules read and `check` cannot verify, as lines of text. */
  readonly unchecked: readonly string[];
}

/** Result of `checkApp`. */
export type AppReading =
  | { readonly kind: 'good'; readonly app: LoadedApp }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] };

/**
 * Loads an application and collects every problem in its configuration, resolvers and schema.
 *
 * @throws ProductError SERVER_FOLDER_NOT_FOUND, SERVER_NOT_AN_APP
 */
export async function checkApp(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  overrides: Overrides = {},
): Promise<AppReading> {
  const loaded = await loadConfig(folder, environment, overrides);
  const problems: Problem[] = [...loaded.problems];
  const files = findSchemaFiles(loaded, problems);
  const resolvers = await loadResolvers(loaded, problems);
  const seed = await loadSeed(loaded, problems);
  if (loaded.config.users !== undefined && loaded.config.passwordEncoder === undefined)
    problems.push({
      where: loaded.file ?? 'configuration',
      message: '"users" is given without "passwordEncoder", so no user could log in.',
      hint: "Write passwordEncoder: 'bcrypt' (or the encoder that made the stored passwords).",
    });
  if (loaded.config.users !== undefined && loaded.config.userStore === 'sql')
    problems.push({
      where: loaded.file ?? 'configuration',
      message: '"users" is given beside userStore: \'sql\', which keeps accounts in the database.',
      hint: 'Leave "users" out and add the accounts with "lockstitch user add <dir> <name>".',
    });
  if (typeof loaded.config.userStore === 'object') {
    const where = loaded.file ?? 'configuration';
    if (loaded.config.users !== undefined) {
      const message = '"users" is given beside a "userStore" of your own, which is asked instead.';
      problems.push({ where, message, hint: 'Leave one of the two out.' });
    }
    if (loaded.config.passwordEncoder === undefined) {
      const message = '"userStore" is given without "passwordEncoder", so no user could log in.';
      problems.push({
        where,
        message,
        hint: "Write passwordEncoder: 'delegating' (or the encoder of the stored passwords).",
      });
    }
  }
  const model = buildModel(loaded, files, resolvers, problems);
  problems.push(...checkSecurity(loaded));
  const principal = checkPrincipal(model, loaded.config, keyPlaces(loaded));
  problems.push(...principal.problems);
  const { trusted: file, onlyTrusted } = loaded.config.graph;
  const trusted = file === undefined || model === undefined ? {} : loadTrusted(file, loaded.folder, model, problems);
  if (onlyTrusted && file === undefined) {
    const message = '"graph.onlyTrusted" is given without "graph.trusted", so no operation would be answered.';
    problems.push({ where: loaded.file ?? 'configuration', message, hint: "Write trusted: './operations.json'." });
  }
  if (model === undefined || problems.length > 0) return { kind: 'bad', problems: inOrder(problems) };
  return {
    kind: 'good',
    app: { ...loaded, model, resolvers: resolvers ?? {}, seed, trusted, unchecked: principal.unchecked },
  };
}

/** Loads an application. @throws ProductError SERVER_BAD_APP, which lists every problem, one a line */
export async function loadApp(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  overrides: Overrides = {},
): Promise<LoadedApp> {
  const reading = await checkApp(folder, environment, overrides);
  if (reading.kind === 'good') return reading.app;
  const { problems } = reading;
  throw serverErrors.create('SERVER_BAD_APP', {
    folder,
    count: problems.length === 1 ? 'There is 1 mistake' : `There are ${problems.length} mistakes`,
    problems: problems.map(printProblem).join('\n'),
  });
}

/** Sorts problems by file in order of appearance, and by line within a file. */
function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const places = problems.map((problem) => {
    const [, file = problem.where, line = '0', column = '0'] = /^(.*?):(\d+)(?::(\d+))?$/.exec(problem.where) ?? [];
    return { problem, file, line: Number(line), column: Number(column) };
  });
  const files = places.map(({ file }) => file);
  return places
    .toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column)
    .map(({ problem }) => problem);
}

/** Prints a problem: location and message, then the remedy. */
export function printProblem({ where, message, hint }: Problem): string {
  return `  ${where}: ${message}${hint === undefined ? '' : `\n      ${hint}`}`;
}

function findSchemaFiles({ folder, file, config }: LoadedConfig, problems: Problem[]): string[] {
  if (config.schema === undefined) {
    const found = fs.globSync(['schema.graphql', 'schema/*.graphql', 'schema/*.gql'], { cwd: folder }).toSorted();
    if (found.length === 0 && problems.length === 0) throw serverErrors.create('SERVER_NOT_AN_APP', { folder });
    return found;
  }
  const patterns = typeof config.schema === 'string' ? [config.schema] : config.schema;
  if (patterns.length === 0)
    problems.push({
      where: file ?? 'configuration',
      message: '"schema" is an empty list.',
      hint: "Write schema: 'schema.graphql', or leave it out.",
    });
  return patterns.flatMap((pattern) => {
    const found = fs.globSync(pattern, { cwd: folder }).toSorted();
    if (found.length === 0)
      problems.push({
        where: file ?? 'configuration',
        message: `No file matches "${pattern}" of "schema".`,
        hint: 'Patterns are relative to the folder of the application.',
      });
    return found;
  });
}

function buildModel(
  loaded: LoadedConfig,
  files: readonly string[],
  resolvers: Resolvers | undefined,
  problems: Problem[],
): Model | undefined {
  if (files.length === 0) return undefined;
  try {
    const sources = files.map((file) => ({ file, text: readFileSync(join(loaded.folder, file), 'utf8') }));
    return readSchema(sources, {
      resolvers: resolvers ?? {},
      federation: loaded.config.graph.federation,
      check: (model) => [...checkSearchPolicy(model), ...checkSearchFields(model)],
    });
  } catch (error) {
    if (!isProductError(error)) throw error;
    if (!Array.isArray(error.detail)) {
      problems.push({ where: error.path ?? files.join(', '), message: error.message, hint: error.hint });
      return undefined;
    }
    for (const { location, message, remedy, inResolvers } of error.detail as readonly SchemaProblem[]) {
      // If the resolvers did not load, every resolver field would be reported as unbound. The load error is the cause.
      if (resolvers === undefined && location === undefined) continue;
      const place = inResolvers === true ? (findResolvers(loaded) ?? loaded.file) : undefined;
      const where =
        location === undefined ? (place ?? files.join(', ')) : `${location.file}:${location.line}:${location.column}`;
      problems.push({ where, message, hint: remedy });
    }
    return undefined;
  }
}

/** Path of the resolver module, if the resolvers are a file. */
function findResolvers({ folder, config: { resolvers } }: LoadedConfig): string | undefined {
  if (resolvers !== undefined) return typeof resolvers === 'string' ? resolvers : undefined;
  return ['resolvers.ts', 'resolvers.js', 'resolvers.mjs'].find((name) => existsSync(join(folder, name)));
}

/** Loads the resolvers; undefined if that fails, with a problem that says why. */
async function loadResolvers(loaded: LoadedConfig, problems: Problem[]): Promise<Resolvers | undefined> {
  const { resolvers } = loaded.config;
  if (resolvers !== undefined && typeof resolvers !== 'string') return resolvers;
  const named = findResolvers(loaded);
  if (named === undefined) return {};
  const value = await importDefault(loaded, named, 'resolvers', problems);
  if (value === undefined) return undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Resolvers;
  problems.push({
    where: named,
    message: 'The default export must be an object of types with their fields.',
    hint: 'Write: export default { Mutation: { githubAuth: (parent, args, context) => … } };',
  });
  return undefined;
}

async function loadSeed(loaded: LoadedConfig, problems: Problem[]): Promise<Seed | undefined> {
  const { seed } = loaded.config;
  if (typeof seed !== 'string') return seed;
  const value = await importDefault(loaded, seed, 'seed', problems);
  if (value === undefined || typeof value === 'function') return value as Seed | undefined;
  problems.push({
    where: seed,
    message: 'The default export must be a function.',
    hint: "Write: export default async function seed(target) { await target.write('User', [{ … }]); }",
  });
  return undefined;
}

async function importDefault(
  { folder, file }: LoadedConfig,
  name: string,
  key: string,
  problems: Problem[],
): Promise<unknown> {
  const path = resolve(folder, name);
  if (!existsSync(path)) {
    const hint = `"${key}" is a path relative to the folder of the application.`;
    problems.push({ where: file ?? 'configuration', message: `There is no file "${name}" for "${key}".`, hint });
    return undefined;
  }
  try {
    const module = await importModule(path);
    if (module['default'] !== undefined) return module['default'];
    problems.push({ where: name, message: 'The file exports no default.', hint: `Export the ${key} as the default.` });
  } catch (error) {
    problems.push(loadProblem(folder, name, error));
  }
  return undefined;
}
