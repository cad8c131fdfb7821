// `lockstitch start`: serves an application. SIGTERM, SIGINT and SIGHUP drain and end with 0; a second signal ends the
// process at once.
import { basename } from 'node:path';

import { type App, createApp } from '../app.ts';
import { type LoadedApp, loadApp } from '../app/load-app.ts';
import type { Overrides } from '../config/load-config.ts';
import { createLog } from '../http/log.ts';
import type { Listening } from '../http/listen.ts';
import { listenStarting } from '../http/starting.ts';
import { readVersion } from '../own-package.ts';
import { asTyped } from './as-typed.ts';
import { printBanner } from './banner.ts';
import type { Command } from './parse-arguments.ts';
import { readPort } from './read-port.ts';
import { returnMemory } from './return-memory.ts';
import { showJob } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { CLOSE_TIMEOUT, stopWithin, untilSignal } from './until-signal.ts';

/** Serves; resolves to the exit code after the stop. */
export async function start(command: Command, terminal: Terminal): Promise<number> {
  // First: as process 1 of a container, a process without a handler ignores the signal.
  const stopped = untilSignal();
  const loading = loadApp(command.arguments[0]!, terminal.environment, readOverrides(command));
  const loaded = await Promise.race([loading, stopped]);
  if (typeof loaded === 'string') process.exit(0);
  const log = createLog(loaded.config.log, terminal.err);
  const starting = await listenStarting(loaded.config);
  const shown = createStartProgress(terminal);
  const opening = createApp(loaded, { log, starting, onSeed: shown.onSeed, onBuild: shown.onBuild });
  // No request was served yet, and what is written so far survives, as after a crash.
  const app = await Promise.race([opening, stopped]).catch(async (error: unknown) => {
    await starting.listening.close();
    throw error;
  });
  shown.end();
  if (typeof app === 'string') process.exit(0);
  let listening: Listening;
  try {
    listening = await app.listen();
  } catch (error) {
    await app.close();
    throw error;
  }
  terminal.out.write(await describe(app, loaded, listening, terminal));
  log.write('debug', 'Listening', { url: listening.url });
  setTimeout(returnMemory, 250).unref();
  const signal = await stopped;
  log.write('info', 'Stopping', { signal });
  const { drainDelay, drainTimeout } = loaded.config.limits;
  return stopWithin(drainDelay + drainTimeout + CLOSE_TIMEOUT, app.drain());
}

async function describe(
  app: App,
  { config, folder, user }: LoadedApp,
  { url }: Listening,
  { out, environment }: Terminal,
): Promise<string> {
  const status = await app.status();
  const banner = printBanner(
    {
      version: readVersion(),
      name: basename(folder),
      url,
      hasConsole: app.hasConsole,
      generated: app.generated === undefined ? undefined : { ...app.generated, random: user.password === undefined },
      users: config.users?.length,
      store: app.graph.store.description,
      indexes: status.indexes,
      lag: status.lag,
      took: performance.now(),
    },
    out.isTTY && out.hasColors(),
  );
  return asTyped(banner, environment);
}

/** The first start can take a while, so it reports progress. */
function createStartProgress(terminal: Terminal) {
  const job = showJob(terminal);
  return {
    onSeed: (rows: number) => job.update('Writing the first data', 'row', rows),
    onBuild: ({ index, done, total }: { readonly index: string; readonly done: number; readonly total: number }) =>
      job.update(`Building the index ${index}`, 'document', done, total),
    end: job.end,
  };
}

function readOverrides({ options }: Command): Overrides {
  const { port, host, data } = options;
  return { port: readPort(port), host, data };
}
