// `lockstitch types`: prints the TypeScript types of a schema, for resolvers and clients. The graph package decides
// what they look like (print-types.ts).
import { writeFileSync } from 'node:fs';
import { reasonOf } from '@lockstitch/kernel';

import { printTypes } from '@lockstitch/graph';

import { loadApp } from '../app/load-app.ts';
import { serverErrors } from '../errors.ts';
import type { Command } from './parse-arguments.ts';
import type { Terminal } from './terminal.ts';

/** Prints the types, or writes them to a file. */
export async function types({ arguments: [folder = '.'], options }: Command, terminal: Terminal): Promise<number> {
  const { model } = await loadApp(folder, terminal.environment);
  const text = printTypes(model);
  const { out: file } = options;
  if (file === undefined) {
    terminal.out.write(text);
    return 0;
  }
  try {
    writeFileSync(file, text);
  } catch (error) {
    const reason = `"${file}" cannot be written: ${reasonOf(error)}.`;
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason }, { cause: error });
  }
  terminal.out.write(`Wrote ${file}.\n`);
  return 0;
}
