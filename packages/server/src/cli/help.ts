// `lockstitch help` and `--version`.
import { didYouMean, isKeyOf } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { readVersion } from '../own-package.ts';
import { asTyped } from './as-typed.ts';
import { type Command, printUsage } from './parse-arguments.ts';
import type { Terminal } from './terminal.ts';
import { type VerbName, VERBS, type VerbSpec } from './verbs.ts';

/** Prints all verbs, or one verb with its options. */
export function help({ arguments: [name] }: Command, { out, environment }: Terminal): number {
  if (name === undefined) out.write(asTyped(printOverview(), environment));
  else if (isKeyOf(VERBS, name)) out.write(asTyped(printVerb(name), environment));
  else {
    const reason = `There is no verb "${name}".${didYouMean(name, Object.keys(VERBS))}`;
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
  }
  return 0;
}

export function version(_command: Command, { out }: Terminal): number {
  out.write(`${readVersion()}\n`);
  return 0;
}

function printOverview(): string {
  const width = Math.max(...Object.keys(VERBS).map((name) => name.length));
  return [
    'A .graphql file becomes a secured GraphQL API and a search that stays in step with the data.',
    '',
    'Usage: lockstitch <verb> …',
    '',
    ...Object.entries(VERBS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    '"lockstitch help <verb>" explains a verb and its options; "lockstitch --version" prints the version.',
    '',
  ].join('\n');
}

function printVerb(name: VerbName): string {
  const { summary, options, examples }: VerbSpec = VERBS[name];
  const rows = Object.entries(options).map(([option, { value, doc }]) => {
    return [`--${option}${value === undefined ? '' : ` <${value}>`}`, doc] as const;
  });
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return [
    printUsage(name),
    '',
    summary,
    ...(rows.length === 0 ? [] : ['', ...rows.map(([left, doc]) => `  ${left.padEnd(width)}  ${doc}`)]),
    '',
    ...examples.map((example) => `  ${example}`),
    '',
  ].join('\n');
}
