// How users type the command: `lockstitch` where the package is installed, `npm run lockstitch --` in a clone, which
// puts no command on the path.
import type { Terminal } from './terminal.ts';
import { VERBS } from './verbs.ts';

const COMMAND = new RegExp(
  `(?<![\\w@/.-])lockstitch (?=(?:${Object.keys(VERBS).join('|')}|<verb>|--version)(?![\\w-]))`,
  'g',
);

/** Prefix of a verb. npm tells its scripts which of them runs, and of which package. */
function commandLine(environment: Terminal['environment']): string {
  const event = environment['npm_lifecycle_event'];
  const isClone = event === 'start' && environment['npm_package_name'] === 'lockstitch-workspace';
  return event === 'lockstitch' || isClone ? 'npm run lockstitch --' : 'lockstitch';
}

/** Replaces the commands in a text by what users of this process type. */
export function asTyped(text: string, environment: Terminal['environment']): string {
  return text.replace(COMMAND, `${commandLine(environment)} `);
}
