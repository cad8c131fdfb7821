// Runs a verb of the command line in this process: what a second process would only add is time.
import { PassThrough, Writable } from 'node:stream';

import { isProductError } from '@lockstitch/kernel';

import { runCommandLine } from '../../src/cli/run.ts';
import { type Command, parseArguments } from '../../src/cli/parse-arguments.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { type CliResult, environment } from './run-cli.ts';

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

/** Runs a command line in this process, with `input` on its standard input. */
export async function runLine(
  words: readonly string[],
  extra: Readonly<Record<string, string>> = {},
  input: string | Uint8Array = '',
): Promise<CliResult> {
  const [out, err] = [collect(), collect()];
  const given = new PassThrough().end(input);
  const terminal = { input: given, out: out.stream, err: err.stream, environment: environment(extra) };
  const code = await runCommandLine(words, terminal as unknown as Terminal);
  return { code, out: out.text(), err: err.text() };
}

function collect() {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece);
      done();
    },
  });
  return { stream, text: (): string => Buffer.concat(pieces).toString() };
}
