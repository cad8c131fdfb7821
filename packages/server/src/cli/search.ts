// `lockstitch search`: the standalone search server. SIGTERM, SIGINT and SIGHUP drain and end with 0; a second signal
// ends the process at once.
import { reasonOf } from '@lockstitch/kernel';
import { readDataFolder, readDrainDelay, readHost, readPortVariable } from '../config/environment.ts';
import { serverErrors } from '../errors.ts';
import { createLog } from '../http/log.ts';
import { isLoopbackName, type SearchServer, startSearchServer } from '../search-server.ts';
import { readVersion } from '../own-package.ts';
import type { Command } from './parse-arguments.ts';
import { readPort } from './read-port.ts';
import type { Terminal } from './terminal.ts';
import { CLOSE_TIMEOUT, stopWithin, untilSignal } from './until-signal.ts';

/** Elasticsearch's default port. */
const PORT = 9200;

/** Serves; resolves to the exit code after the stop. */
export async function search({ options, switches }: Command, terminal: Terminal): Promise<number> {
  const isOpen = switches.has('open');
  const surroundings = readSurroundings(terminal);
  const host = options['host'] ?? surroundings.host ?? '127.0.0.1';
  const data = options['data'] ?? surroundings.data;
  if (isOpen && !isLoopbackName(host)) {
    const reason = `--open asks nobody for credentials and serves this machine only, not "${host}" (from ${options['host'] === undefined ? 'the variable HOST' : '--host'}); leave out one of the two.`;
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
  }
  const read = (name: string): string | undefined => terminal.environment[name] || undefined;
  const password = read('LOCKSTITCH_USER_PASSWORD');
  const stopped = untilSignal();
  const opening = startSearchServer({
    port: readPort(options['port']) ?? surroundings.port ?? PORT,
    host,
    data,
    user: isOpen ? undefined : { name: read('LOCKSTITCH_USER_NAME') ?? 'user', password },
    drainDelay: surroundings.drainDelay,
    log: createLog({ level: 'warn', format: 'auto', requests: false }, terminal.err),
  });
  const server = await Promise.race([opening, stopped]);
  // No request was served yet, and what is written so far survives, as after a crash.
  if (typeof server === 'string') process.exit(0);
  terminal.out.write(describe(server, data, password === undefined));
  await stopped;
  return stopWithin(server.maxDrain + CLOSE_TIMEOUT, server.drain());
}

/** Reads settings from the environment; undefined where a variable is not set. */
function readSurroundings({ environment }: Terminal) {
  try {
    const data = readDataFolder(environment);
    return {
      port: readPortVariable(environment),
      host: readHost(environment),
      data: data === ':memory:' ? undefined : data,
      drainDelay: readDrainDelay(environment),
    };
  } catch (error) {
    throw serverErrors.create('SERVER_BAD_ARGUMENTS', { reason: reasonOf(error) });
  }
}

function describe({ url, user, indexes }: SearchServer, data: string | undefined, isRandom: boolean): string {
  const kept = data === undefined ? 'in memory; --data <folder> keeps the indexes' : `in ${data}`;
  return [
    '',
    ` Lockstitch ${readVersion()} serves search`,
    ` ├─ Search   ${url}`,
    ` ├─ User     ${printUser(user, isRandom)}`,
    ` └─ Index    ${indexes === 1 ? '1 index' : `${indexes} indexes`} ${kept}`,
    ...(user === undefined
      ? ['', ' OPEN: every program on this machine can read, change and delete every index without a password.']
      : []),
    '',
    '',
  ].join('\n');
}

function printUser(user: SearchServer['user'], isRandom: boolean): string {
  if (user === undefined) return 'nobody is asked for credentials (--open)';
  // A password that the operator chose is secret; only a generated one has to be shown.
  if (!isRandom) return `${user.name}, password from LOCKSTITCH_USER_PASSWORD`;
  return `${user.name}, password ${user.password} (new at each start; LOCKSTITCH_USER_PASSWORD sets it)`;
}
