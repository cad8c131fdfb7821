// `lockstitch start`: serves an application until it is told to stop. SIGTERM and SIGINT drain and end with 0; a second one
// does not wait.
import { basename } from 'node:path';

import { type App, createApp } from '../app.ts';
import { type LoadedApp, loadApp } from '../config/load-app.ts';
import type { Overrides } from '../config/load-config.ts';
import { serverErrors } from '../errors.ts';
import { createLog } from '../http/log.ts';
import type { Listening } from '../http/listen.ts';
import { printBanner } from './banner.ts';
import { readVersion } from './help.ts';
import type { Command } from './parse-arguments.ts';
import { returnMemory } from './return-memory.ts';
import { type Progress, showProgress } from './progress.ts';
import type { Terminal } from './run.ts';

/** Serves; resolves with the exit code once it has stopped. */
export async function start(command: Command, terminal: Terminal): Promise<number> {
  const loaded = await loadApp(command.arguments[0]!, terminal.environment, readOverrides(command));
  const log = createLog(loaded.config.log, terminal.err);
  const stopped = untilSignal();
  const shown = createStartProgress(terminal);
  const app = await createApp(loaded, { log, onSeed: shown.onSeed, onBuild: shown.onBuild });
  shown.end();
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
  await app.close();
  return 0;
}

async function describe(
  app: App,
  { config, folder, user }: LoadedApp,
  { url }: Listening,
  { out }: Terminal,
): Promise<string> {
  const status = await app.status();
  return printBanner(
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
}

/** A terminal's Ctrl+C can arrive twice, from the terminal and from the process that started this one. */
const SAME_SIGNAL_MS = 500;

/** The first SIGTERM or SIGINT; a later one ends the process at once. */
function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        const first = performance.now();
        process.on(signal, () => {
          if (performance.now() - first > SAME_SIGNAL_MS) process.exit(130);
        });
        resolve(signal);
      });
    }
  });
}

/** The first start can take a while; it says what it is at. */
function createStartProgress(terminal: Terminal) {
  let current: { readonly label: string; readonly progress: Progress; done: number } | undefined;
  const end = (): void => {
    current?.progress.end({ done: current.done });
    current = undefined;
  };
  const show = (label: string, unit: string, done: number, total?: number): void => {
    if (current?.label !== label) {
      end();
      current = { label, progress: showProgress(terminal, label, unit), done };
    }
    current.done = done;
    current.progress.update({ done, total });
  };
  return {
    onSeed: (rows: number) => show('Writing the first data', 'rows', rows),
    onBuild: ({ index, done, total }: { readonly index: string; readonly done: number; readonly total: number }) =>
      show(`Building the index ${index}`, 'documents', done, total),
    end,
  };
}

function readOverrides({ options }: Command): Overrides {
  const { port, host, data } = options;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    const reason = `--port must be a number from 0 to 65535, not "${port}".`;
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
  }
  return { port: port === undefined ? undefined : Number(port), host, data };
}
