// Rebuilds the indexes of an application without pause, as `lockstitch index rebuild` does where no server runs, until it
// is killed.
import { flushCompileCache } from 'node:module';

import { index } from '../../src/cli/index-command.ts';
import { runHere } from '../cli/run-here.ts';

const words = ['index', 'rebuild', process.argv[2]!];
// Once to its end, so that what is killed is at work and not reading the program.
await runHere(index, words);
// A process that is killed would leave nothing of it to the next.
flushCompileCache();
process.stdout.write('rebuilding\n');
for (;;) {
  const { code, err } = await runHere(index, words);
  if (code !== 0) throw new Error(err);
}
