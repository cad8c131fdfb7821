#!/usr/bin/env node
// Entry point of the command line: loads and runs one verb. An expected error is one message and an exit code; a stack
// trace means a bug.
import module from 'node:module';

import { DATABASE_NODES, nodeFault } from '@lockstitch/kernel/node-version';

const fault = nodeFault('Lockstitch', DATABASE_NODES);
if (fault === undefined) await run();
else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  // First, before the modules of a verb are loaded. Compiled code is read back at the next start and by threads, which
  // inherit only the environment. Starting the flush thread takes 45 ms of processor time this way, 205 ms from
  // sources.
  const { directory } = module.enableCompileCache();
  if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory;

  const { resolveOwnModules } = await import('./resolve-own-modules.ts');
  resolveOwnModules();
  const { runCommandLine } = await import('./run.ts');
  process.exitCode = await runCommandLine(process.argv.slice(2));
  // Timers or connection pools of an application's modules must not keep the process running.
  setTimeout(() => process.exit(), 1000).unref();
}
