import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { isProductError } from '@lockstitch/kernel';
import { parseArguments, printUsage } from '../../src/cli/parse-arguments.ts';

const refused = (words: string[], message: string): void =>
  throws(() => parseArguments(words), { code: 'SERVER_BAD_ARGUMENTS', message });

test('a verb with arguments and options, in any order', () => {
  const command = parseArguments(['start', '--port', '8080', 'app', '--host=0.0.0.0']);
  equal(command.verb, 'start');
  deepEqual(command.arguments, ['app']);
  deepEqual(command.options, { port: '8080', host: '0.0.0.0' });
  const several = parseArguments(['import', '.', 'Photo', 'a', 'b', '--dry-run']);
  deepEqual(several.arguments, ['.', 'Photo', 'a', 'b']);
  deepEqual([...several.switches], ['dry-run']);
});

test('nothing, --help and --version are understood', () => {
  equal(parseArguments([]).verb, 'help');
  equal(parseArguments(['-h']).verb, 'help');
  equal(parseArguments(['--version']).verb, 'version');
  deepEqual(parseArguments(['start', '--help']).arguments, ['start']);
});

test('an unknown verb or option is refused with the one that was meant', () => {
  refused(['strat', '.'], 'There is no verb "strat". Did you mean "start"?');
  refused(['--versoin'], 'There is no option "--versoin". Did you mean "--version"?');
  refused(['start', '.', '--prot', '1'], '"start" has no option "--prot". Did you mean "--port"?');
  refused(['toString'], 'There is no verb "toString".');
  refused(['start', '.', '--constructor'], '"start" has no option "--constructor".');
});

test('a missing value, an extra value and a missing argument are reported', () => {
  refused(['start', '.', '--port'], 'The option --port needs a value: --port <number>.');
  refused(['start', '.', '--port', '--host', 'x'], 'The option --port needs a value: --port <number>.');
  refused(['check', '.', '--json=yes'], 'The option --json takes no value.');
  refused(['check'], '"check" needs <dir>: lockstitch check <dir> [--integrity] [--data <folder>] [--json].');
  refused(
    ['check', 'a', 'b'],
    '"check" takes no argument "b": lockstitch check <dir> [--integrity] [--data <folder>] [--json].',
  );
  refused(['import', 'a', 'T'], `"import" needs <file>: ${printUsage('import')}.`);
});

test('every invalid command line fails with an error of its own', () => {
  const word = fc.oneof(
    fc.constantFrom('start', 'check', 'import', '--port', '--json', '--', '-x', '-', ''),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      try {
        parseArguments(words);
      } catch (error) {
        equal(isProductError(error) && error.code, 'SERVER_BAD_ARGUMENTS');
      }
    }),
  );
});
