// `lockstitch user add|list|passwd|lock|unlock|delete`: manages the accounts in an application's database, also while
// the application is served. A password is never an argument and never printed.
import { didYouMean, isKeyOf, last, required, silentLog } from '@lockstitch/kernel';
import {
  type AuditSink,
  createUserManager,
  type PasswordEncoder,
  type User,
  type UserManager,
  userNamed,
  type UserStore,
} from '@lockstitch/security';

import { readEncoder } from '../security/build-security.ts';
import { type LoadedApp, loadApp } from '../app/load-app.ts';
import { serverErrors } from '../errors.ts';
import { openAudit } from '../security/open-audit.ts';
import type { Command } from './parse-arguments.ts';
import { readPassword } from './read-password.ts';
import type { Terminal } from './terminal.ts';
import { withStoredUsers } from './stored-users.ts';

interface Job {
  readonly app: LoadedApp;
  readonly users: UserStore;
  readonly encoder: PasswordEncoder;
  readonly audit: AuditSink;
  readonly name: string;
  readonly command: Command;
  readonly terminal: Terminal;
}

type Action = 'add' | 'list' | 'passwd' | 'lock' | 'unlock' | 'delete';

/** Each action returns its output: an object for --json, a sentence otherwise. */
const ACTIONS: Readonly<Record<Action, (job: Job) => Promise<readonly [value: unknown, sentence: string]>>> = {
  add: addUser,
  list: listUsers,
  passwd: changePassword,
  lock: (job) => setLocked(job, true),
  unlock: (job) => setLocked(job, false),
  delete: deleteUser,
};
const PAGE = 1000;

export async function user(command: Command, terminal: Terminal): Promise<number> {
  const [action = '', folder = '.', name] = command.arguments;
  if (!isKeyOf(ACTIONS, action))
    throw bad(`"user" has no action "${action}".${didYouMean(action, Object.keys(ACTIONS))}`);
  if (action === 'list' ? name !== undefined : name === undefined || name === '')
    throw bad(
      action === 'list'
        ? '"user list" takes no name: lockstitch user list <dir>.'
        : `"user ${action}" needs the name of a user: lockstitch user ${action} <dir> <name>.`,
    );
  if (action !== 'add' && (command.options['roles'] ?? command.options['authorities']) !== undefined)
    throw bad(`--roles and --authorities are for "user add", not for "user ${action}".`);
  const app = await loadApp(folder, terminal.environment, { data: command.options['data'] });
  // Standard output belongs to the command.
  const config = { ...app.config, audit: { ...app.config.audit, stdout: false } };
  const audit = openAudit({ config, folder: app.folder }, silentLog);
  try {
    const [value, sentence] = await withStoredUsers(app, (users) => {
      const encoder = required(readEncoder(app.config), 'the password encoder');
      return ACTIONS[action]({ app, users, encoder, audit: audit.sink, name: name ?? '', command, terminal });
    });
    terminal.out.write(command.switches.has('json') ? `${JSON.stringify(value, undefined, 2)}\n` : sentence);
  } finally {
    await audit.close();
  }
  return 0;
}

async function addUser(job: Job) {
  const { name, command, terminal } = job;
  const manager = managerOf(job);
  const prefixed = namesIn(command.options['roles']).find((role) => role.startsWith('ROLE_'));
  if (prefixed !== undefined)
    throw bad(`--roles takes names without "ROLE_": write --roles ${prefixed.slice('ROLE_'.length)}.`);
  const account = userNamed(name)
    .password('')
    .authorities(
      ...namesIn(command.options['authorities']),
      // The builder rejects a role that already has its prefix, so it gets the roles alone.
      ...userNamed(name)
        .password('')
        .roles(...namesIn(command.options['roles']))
        .build().authorities,
    )
    .build();
  // Asked before the password: users should not invent one for a name that is taken.
  if (await manager.userExists(name))
    throw serverErrors.create('SERVER_USER_EXISTS', { name, folder: command.arguments[1] ?? '.' });
  await manager.createUser(account, { rawPassword: await readPassword(terminal, name) });
  return [shown(account), `User "${name}" added.\n`] as const;
}

async function listUsers({ users }: Job) {
  const all: User[] = [];
  for (let page = await users.listUsers({ limit: PAGE }); page.length > 0;) {
    all.push(...page);
    page = page.length < PAGE ? [] : await users.listUsers({ after: last(page).username, limit: PAGE });
  }
  const width = Math.max(0, ...all.map(({ username }) => username.length));
  const lines = all.map((each) => {
    const { username, authorities, locked, disabled } = shown(each);
    const state = [locked ? 'locked' : '', disabled ? 'disabled' : ''].filter((word) => word !== '').join(', ');
    return `${username.padEnd(width)}  ${state === '' ? 'active' : state}  ${authorities.join(', ')}`.trimEnd();
  });
  return [{ users: all.map(shown) }, all.length === 0 ? 'No users yet.\n' : `${lines.join('\n')}\n`] as const;
}

async function changePassword(job: Job) {
  const { users, encoder, terminal, audit } = job;
  const { username } = await find(job);
  const encoded = await encoder.encode(await readPassword(terminal, username));
  // A log-in may upgrade the stored password in between; then this write is rejected and repeated.
  for (let account = await find(job); account.password !== encoded; account = await find(job))
    await users.updatePassword(username, encoded, account.password);
  audit.record({ kind: 'password-changed', username });
  return [shown(await find(job)), `The password of "${username}" is changed.\n`] as const;
}

async function setLocked(job: Job, locked: boolean) {
  const account = (await find(job)).with({ accountNonLocked: !locked });
  await managerOf(job).updateUser(account);
  return [shown(account), `User "${account.username}" is ${locked ? 'locked' : 'unlocked'}.\n`] as const;
}

async function deleteUser(job: Job) {
  const account = await find(job);
  await managerOf(job).deleteUser(account.username);
  return [shown(account), `User "${account.username}" is deleted.\n`] as const;
}

function managerOf({ users, encoder, audit }: Job): UserManager {
  return createUserManager({ store: users, encoder, audit });
}

async function find({ users, name, app }: Job): Promise<User> {
  const account = await users.loadUserByUsername(name);
  if (account === undefined) throw serverErrors.create('SERVER_USER_NOT_FOUND', { name, folder: app.folder });
  return account;
}

/** Account fields that may be shown. */
function shown({ username, authorities, accountNonLocked, enabled }: User) {
  return { username, authorities, locked: !accountNonLocked, disabled: !enabled };
}

function namesIn(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(',').map((name) => name.trim());
}

function bad(reason: string): Error {
  return serverErrors.create('SERVER_BAD_ARGUMENTS', { reason });
}
