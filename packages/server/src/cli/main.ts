#!/usr/bin/env node
// The command line: finds the verb, loads its file and runs it. A refusal is one message and an exit code; a stack trace
// means a bug.
import module from 'node:module';

import { DATABASE_NODES, nodeFault } from '@lockstitch/kernel/node-version';

const fault = nodeFault('Lockstitch', DATABASE_NODES);
if (fault === undefined) await run();
else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  // First thing, before the modules of a verb are loaded: compiled code is read back at the next start, and by threads, which look at the
  // environment alone: the one that makes segments takes 45 ms of processor to start so, and 205 from sources.
  const { directory } = module.enableCompileCache();
  if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory;

  const { runCommandLine } = await import('./run.ts');
  process.exitCode = await runCommandLine(process.argv.slice(2));
  // What the modules of an application keep open, a timer or a pool of connections, must not keep the process running.
  setTimeout(() => process.exit(), 1000).unref();
}
