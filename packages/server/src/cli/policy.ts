// `lockstitch policy`: shows the security chain of an application, and which filter and rule decide a request. What the
// read rules mean for the data is policy-data.ts.
import { ANONYMOUS, createPrincipal, didYouMean, type Principal, silentLog } from '@lockstitch/kernel';
import type { ChainListing, ExplainAs, Explanation, User, UserSource } from '@lockstitch/security';

import { buildSecurity } from '../security/build-security.ts';
import { type LoadedApp, loadApp } from '../app/load-app.ts';
import { serverErrors } from '../errors.ts';
import type { Command } from './parse-arguments.ts';
import { checkStarted, explainData, testPolicy } from './policy-data.ts';
import type { Terminal } from './terminal.ts';
import { withStoredUsers } from './stored-users.ts';

/**
 * Runs `policy list [<dir>]`, `policy explain <method> <path> [<dir>]`, `policy explain <type> <key> [<dir>]` or
 * `policy test [<dir>]`.
 */
export async function policy(command: Command, terminal: Terminal): Promise<number> {
  const [action = '', ...rest] = command.arguments;
  if (action === 'list') return listPolicy(command, rest, terminal);
  if (action === 'explain') return explainPolicy(command, rest, terminal);
  if (action === 'test') return runTest(command, rest, terminal);
  throw bad(`"policy" can list, explain and test, not "${action}".${didYouMean(action, ['list', 'explain', 'test'])}`);
}

async function listPolicy(command: Command, words: readonly string[], terminal: Terminal): Promise<number> {
  if (words.length > 1) throw bad('"policy list" takes one folder: lockstitch policy list <dir>.');
  if (command.options['as'] !== undefined) throw bad('"policy list" takes no --as; "policy explain" does.');
  const app = await readApp(words[0] ?? '.', command, terminal);
  const { security } = buildSecurity(app.config, app.user, silentLog);
  const chains = security.list();
  const { warnings } = security;
  terminal.out.write(
    command.switches.has('json')
      ? `${JSON.stringify({ chains, warnings }, undefined, 2)}\n`
      : [...chains.map(printChain), ...warnings.map((warning) => `Warning: ${warning}\n`)].join('\n'),
  );
  return 0;
}

async function explainPolicy(command: Command, words: readonly string[], terminal: Terminal): Promise<number> {
  const [method, path, folder = '.', ...more] = words;
  if (method === undefined || path === undefined || more.length > 0)
    throw bad(
      '"policy explain" needs a method and a path, or a type and a key: lockstitch policy explain <method> <path> [dir].',
    );
  const app = await readApp(folder, command, terminal);
  if (!path.startsWith('/') && !METHODS.has(method.toUpperCase())) {
    const principal = await principalOf(app, command.options['as']);
    return explainData(app, [method, path], principal, command, terminal);
  }
  const { explanation, warning } = await explain(app, method.toUpperCase(), path, command.options['as']);
  terminal.out.write(
    command.switches.has('json')
      ? `${JSON.stringify({ ...explanation, ...(warning === undefined ? {} : { warning }) }, undefined, 2)}\n`
      : `${printExplanation(explanation)}${warning === undefined ? '' : `Warning: ${warning}\n`}`,
  );
  return 0;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

async function runTest(command: Command, words: readonly string[], terminal: Terminal): Promise<number> {
  if (words.length > 1) throw bad('"policy test" takes one folder: lockstitch policy test <dir>.');
  const app = await readApp(words[0] ?? '.', command, terminal);
  checkStarted(app);
  const name = command.options['as'];
  const named = name === undefined ? await allPrincipals(app) : [await principalOf(app, name)];
  return testPolicy(app, named, command, terminal);
}

/** The accounts of an application that are known without its database. */
async function allPrincipals(app: LoadedApp): Promise<readonly Principal[]> {
  const { userStore, users } = app.config;
  const found =
    userStore === 'sql'
      ? await withStoredUsers(app, async (store) =>
          (await store.listUsers({ limit: 20 })).map((user) => user.toPrincipal()),
        )
      : await Promise.all((users ?? []).slice(0, 20).map(({ username }) => principalOf(app, username)));
  return found.length === 0 ? [] : [ANONYMOUS, ...found];
}

function principalOf(app: LoadedApp, name: string | undefined): Promise<Principal> {
  if (name === undefined) return Promise.resolve(ANONYMOUS);
  const within = async (stored?: UserSource): Promise<Principal> => {
    const { users } = buildSecurity(app.config, app.user, silentLog, stored === undefined ? {} : { users: stored });
    return (await findUser(app, users, name)).principal;
  };
  return app.config.userStore === 'sql' ? withStoredUsers(app, within) : within();
}

interface Explained {
  readonly explanation: Explanation;
  /** Reason for which this user could not log in. */
  readonly warning: string | undefined;
}

function explain(app: LoadedApp, method: string, path: string, name: string | undefined): Promise<Explained> {
  const within = async (stored?: UserSource): Promise<Explained> => {
    const { security, users } = buildSecurity(
      app.config,
      app.user,
      silentLog,
      stored === undefined ? {} : { users: stored },
    );
    const as = name === undefined ? undefined : await findUser(app, users, name);
    const explanation = await security.explain(method, path, as);
    return { explanation, warning: name === undefined ? undefined : warningOf(await users.loadUserByUsername(name)) };
  };
  return name !== undefined && app.config.userStore === 'sql' ? withStoredUsers(app, within) : within();
}

/** Returns the reason for which an account cannot log in. */
function warningOf(user: User | undefined): string | undefined {
  if (user === undefined) return undefined;
  const { username, accountNonLocked, enabled, accountNonExpired, credentialsNonExpired } = user;
  const states = [
    accountNonLocked ? '' : 'is locked',
    enabled ? '' : 'is disabled',
    accountNonExpired ? '' : 'has expired',
    credentialsNonExpired ? '' : 'has an expired password',
  ].filter((state) => state !== '');
  return states.length === 0 ? undefined : `${username} cannot log in: the account ${states.join(' and ')}.`;
}

/** Finds an account, or the principal of a static key. */
async function findUser(app: LoadedApp, users: UserSource, name: string): Promise<ExplainAs> {
  const user: User | undefined = await users.loadUserByUsername(name);
  if (user !== undefined) return { principal: user.toPrincipal() };
  const { filters, chains, ...outer } = app.config;
  const all = [outer, ...chains];
  const short = filters.staticKey === undefined ? [] : [{ name: 'static-key', authorities: [] }];
  const key = [...short, ...all.flatMap(({ staticKeys = [] }) => staticKeys)].find((each) => each.name === name);
  if (key !== undefined) return { principal: createPrincipal(name, key.authorities), hasStaticKey: true };
  const signers = all.flatMap(({ signatures }) => signatures?.signers ?? []);
  const signer = signers.find((each) => (each.name ?? each.keyId) === name);
  if (signer !== undefined) return { principal: createPrincipal(name, signer.authorities) };
  const hint = whoThereIs(app);
  throw serverErrors.create('SERVER_USER_NOT_FOUND', { name, folder: app.folder }, hint === undefined ? {} : { hint });
}

/** Remedy for an unknown name; undefined if the accounts are in the database, which has a verb for it. */
function whoThereIs({ config: { userStore, users = [] }, user }: LoadedApp): string | undefined {
  if (userStore === 'sql') return undefined;
  if (typeof userStore === 'object') return 'The "userStore" of the configuration has no user of that name.';
  if (users.length > 0) {
    const names = users.slice(0, 10).map(({ username }) => username);
    return `"users" of the configuration holds ${names.join(', ')}${users.length > 10 ? ' …' : ''}.`;
  }
  return `Without "users" and "userStore" in the configuration there is one user, "${user.name ?? 'user'}". Add others there, or with userStore: 'sql' and "lockstitch user add <dir> <name>".`;
}

function readApp(folder: string, { options }: Command, { environment }: Terminal): Promise<LoadedApp> {
  return loadApp(folder, environment, { data: options['data'] });
}

function printChain({ name, paths, filters, rules, unmatched }: ChainListing): string {
  const width = Math.max(0, ...rules.map(({ selects }) => selects.length));
  return [
    `Chain "${name}" for ${paths === undefined ? 'every path' : paths.join(', ')}`,
    '',
    '  Filters, first to last',
    ...filters.map(
      (filter) =>
        `  ${String(filter.order).padStart(5)}  ${filter.name}${filter.placement === undefined ? '' : `  (${filter.placement})`}`,
    ),
    '',
    '  Rules, the first that selects a request decides',
    ...rules.map(
      ({ number, selects, access }) => `  ${String(number).padStart(5)}  ${selects.padEnd(width)}  ${access}`,
    ),
    ...(rules.at(-1)?.selects === 'any request'
      ? []
      : [`  ${'else'.padStart(5)}  ${unmatched === 'open' ? 'open to anyone' : 'refused'}`]),
    '',
  ].join('\n');
}

function printExplanation({ granted, status, path, chain, filter, because }: Explanation): string {
  return [
    `${granted ? 'Granted' : `Refused with ${status}`} by the filter "${filter}"${chain === undefined ? '' : ` of chain "${chain}"`}.`,
    because,
    ...(path === '' ? [] : [`The rules see the path ${path}.`]),
    'CSRF and CORS are taken as passed, and filters of your own are not asked.',
    '',
  ].join('\n');
}

function bad(reason: string): Error {
  return serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
}
