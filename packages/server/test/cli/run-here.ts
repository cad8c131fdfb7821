// Runs a verb of the command line in this process: what a second process would only add is time.
import { PassThrough } from 'node:stream';

import { isProductError } from '@lockstitch/kernel';

import { type Command, parseArguments } from '../../src/cli/parse-arguments.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import type { CliResult } from './run-cli.ts';

/** Runs it with the words of a command line. */
export async function runHere(
  verb: (command: Command, terminal: Terminal) => Promise<number> | number,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const [out, err] = [collect(), collect()];
  const terminal = { input: process.stdin, out: out.stream, err: err.stream, environment };
  let code: number;
  try {
    code = await verb(parseArguments(words), terminal as unknown as Terminal);
  } catch (error) {
    if (!isProductError(error)) throw error;
    err.stream.write(`${error.message} (${error.code})\n`);
    code = 1;
  }
  return { code, out: out.text(), err: err.text() };
}

function collect() {
  const stream = new PassThrough();
  return { stream, text: (): string => String(stream.read() ?? '') };
}
