// Runs the command line as its user does: as a process.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { SOURCE_FLAGS } from '../../../kernel/test/source-flags.ts';
import { ENVIRONMENT } from '../../src/config/environment.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** How a run ended. */
export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Environment of the tests, without what a developer may have set for himself. */
export function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const own = new Set(ENVIRONMENT.map(({ name }) => name));
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.has(name))), ...extra };
}

/** Runs a command line to its end, with `input` on its standard input. */
export function runCli(
  words: readonly string[],
  extra: Readonly<Record<string, string>> = {},
  input: string | Uint8Array = '',
): Promise<CliResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...SOURCE_FLAGS, MAIN, ...words],
      { env: environment(extra) },
      (error, out, err) => {
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out, err });
      },
    );
    // A command that reads no more closes its end; that is not the test's concern.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

/** Starts a command line that goes on, and waits for a text on its output. The caller ends it. `inside` is a program that runs it. */
export async function startCli(
  words: readonly string[],
  until: RegExp,
  extra: Readonly<Record<string, string>> = {},
  inside: readonly string[] = [],
): Promise<{ readonly child: ChildProcess; readonly out: () => string; readonly exit: Promise<number | null> }> {
  const [program, ...rest] = [...inside, process.execPath, ...SOURCE_FLAGS, MAIN, ...words];
  const child = spawn(program!, rest, { env: environment(extra) });
  let out = '';
  let err = '';
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.stderr.on('data', (piece) => (err += piece));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (piece) => {
      out += piece;
      if (until.test(out)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`It ended with ${code} before it said ${until}:\n${out}\n${err}`)));
  });
  return { child, out: () => out, exit };
}
