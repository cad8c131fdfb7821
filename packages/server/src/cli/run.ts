// Runs one verb. Exit codes: 0 success, 1 failure, 2 invalid command line.
import { isProductError, toText } from '@lockstitch/kernel';

import { asTyped } from './as-typed.ts';
import { type Command, parseArguments } from './parse-arguments.ts';
import { safeOutput, type Terminal } from './terminal.ts';

type Verb = (command: Command, terminal: Terminal) => Promise<number> | number;

/** A verb's module is loaded only when it runs: `help` needs no database. */
const LOADERS: Readonly<Record<Command['verb'], () => Promise<Verb>>> = {
  start: async () => (await import('./start.ts')).start,
  search: async () => (await import('./search.ts')).search,
  check: async () => (await import('./check.ts')).check,
  init: async () => (await import('./init.ts')).init,
  adopt: async () => (await import('./adopt.ts')).adopt,
  import: async () => (await import('./import.ts')).importFiles,
  plan: async () => (await import('./plan.ts')).plan,
  migrate: async () => (await import('./migrate.ts')).migrate,
  index: async () => (await import('./index-command.ts')).index,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
  export: async () => (await import('./export.ts')).exportTypes,
  types: async () => (await import('./types.ts')).types,
  policy: async () => (await import('./policy.ts')).policy,
  user: async () => (await import('./user.ts')).user,
  help: async () => (await import('./help.ts')).help,
  version: async () => (await import('./help.ts')).version,
};

const OF_THE_PROCESS: Terminal = {
  input: process.stdin,
  out: process.stdout,
  err: process.stderr,
  environment: process.env,
};

/**
 * Runs a command line.
 *
 * @param given streams and environment; by default those of the process
 * @returns the exit code
 */
export async function runCommandLine(words: readonly string[], given = OF_THE_PROCESS): Promise<number> {
  const terminal: Terminal = { ...given, out: safeOutput(given.out), err: safeOutput(given.err) };
  try {
    const command = parseArguments(words);
    const verb = await LOADERS[command.verb]();
    return await verb(command, terminal);
  } catch (error) {
    terminal.err.write(`${asTyped(printFailure(error), terminal.environment)}\n`);
    return isProductError(error, 'SERVER_BAD_ARGUMENTS') ? 2 : 1;
  }
}

/** Prints an expected error as message and remedy, and a bug with its stack. */
function printFailure(error: unknown): string {
  if (!isProductError(error)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : toText(error);
    return `This is a fault of Lockstitch, please report it:\n${stack}`;
  }
  const cause = error.code === 'SERVER_INTERNAL' && error.cause instanceof Error ? `\n${error.cause.stack}` : '';
  return `${error.message}${error.hint === undefined ? '' : `\n${error.hint}`}\n(${error.code})${cause}`;
}
