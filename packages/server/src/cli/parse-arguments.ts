// Parses the words of a command line into a verb with its arguments and options.
import { parseArgs } from 'node:util';

import { didYouMean, isKeyOf } from '@lockstitch/kernel';

import { serverErrors } from '../errors.ts';
import { type VerbName, VERBS, type VerbSpec } from './verbs.ts';

export interface Command {
  readonly verb: VerbName | 'version';
  readonly arguments: readonly string[];
  /** Values of the options that take one. */
  readonly options: Readonly<Record<string, string | undefined>>;
  /** Names of the switches that were given. */
  readonly switches: ReadonlySet<string>;
}

/**
 * Parses a command line.
 *
 * @param words without the program's own name
 * @throws ProductError SERVER_BAD_ARGUMENTS
 */
export function parseArguments(words: readonly string[]): Command {
  const [first, ...rest] = words;
  if (first === undefined) return plain('help');
  if (first === '--version' || first === '-v' || first === 'version') return plain('version');
  if (first === '--help' || first === '-h') return plain('help');
  if (!isKeyOf(VERBS, first)) {
    const kind = first.startsWith('-') ? 'option' : 'verb';
    throw bad(`There is no ${kind} "${first}".${didYouMean(first, [...Object.keys(VERBS), '--version', '--help'])}`);
  }
  if (rest.includes('--help') || rest.includes('-h')) return { ...plain('help'), arguments: [first] };
  return parseVerb(first, rest);
}

function parseVerb(verb: VerbName, words: readonly string[]): Command {
  const spec: VerbSpec = VERBS[verb];
  const { tokens } = parseArgs({
    args: [...words],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(spec.options).map(([name, option]) => [
        name,
        { type: option.value === undefined ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
  });
  const given: string[] = [];
  const options: Record<string, string> = {};
  const switches = new Set<string>();
  for (const token of tokens) {
    if (token.kind === 'positional') given.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(spec.options, token.name) ? spec.options[token.name] : undefined;
    if (option === undefined) {
      const known = Object.keys(spec.options).map((name) => `--${name}`);
      throw bad(`"${verb}" has no option "${token.rawName}".${didYouMean(token.rawName, known)}`);
    }
    if (option.value === undefined) {
      if (token.value !== undefined) throw bad(`The option ${token.rawName} takes no value.`);
      switches.add(token.name);
    } else {
      // Otherwise `--port --host x` would take "--host" for the port.
      if (token.value === undefined || (!token.inlineValue && token.value.startsWith('-')))
        throw bad(`The option ${token.rawName} needs a value: ${token.rawName} <${option.value}>.`);
      options[token.name] = token.value;
    }
  }
  checkCount(verb, spec, given);
  return { verb, arguments: given, options, switches };
}

function checkCount(verb: VerbName, spec: VerbSpec, given: readonly string[]): void {
  const needed = spec.arguments.filter((name) => !name.startsWith('['));
  const most = spec.arguments.some((name) => name.includes('…')) ? Infinity : spec.arguments.length;
  if (given.length < needed.length)
    throw bad(`"${verb}" needs <${needed[given.length]!.replace('…', '')}>: ${printUsage(verb)}.`);
  if (given.length > most) throw bad(`"${verb}" takes no argument "${given[most]}": ${printUsage(verb)}.`);
}

/** Prints the usage line of a verb: `lockstitch start <dir> [--port <number>]`. */
export function printUsage(verb: VerbName): string {
  const spec: VerbSpec = VERBS[verb];
  const names = spec.arguments.map((name) => {
    if (name.startsWith('[')) return name;
    return name.endsWith('…') ? `<${name.slice(0, -1)}> …` : `<${name}>`;
  });
  const options = Object.entries(spec.options).map(([name, { value }]) =>
    value === undefined ? `[--${name}]` : `[--${name} <${value}>]`,
  );
  return ['lockstitch', verb, ...names, ...options].join(' ');
}

function plain(verb: Command['verb']): Command {
  return { verb, arguments: [], options: {}, switches: new Set() };
}

function bad(reason: string): Error {
  return serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
}
