// Accounts in the database from the command line: what is written there is who may log in, and no password is ever shown.
import { deepEqual, equal, match } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { temporaryFolder } from '../temporary-folder.ts';
import { startCli } from './run-cli.ts';
import { runLine } from './run-here.ts';

const SCHEMA = 'type Note @entity {\n  id: ID!\n  text: String!\n}\ntype Query {\n  note(id: ID!): Note\n}\n';
const CONFIG = `export default {
  port: 0,
  console: false,
  userStore: 'sql',
  audit: { file: 'audit.jsonl' },
  rules: [
    { ant: '/_cat/**', access: "hasRole('ADMIN')" },
    { any: true, access: 'authenticated' },
  ],
};
`;

const PASSWORD = 'correct horse ünd battery';

test('accounts are added, listed, given a new password, locked, unlocked and deleted', async (t) => {
  const folder = temporaryFolder(t, { 'schema.graphql': SCHEMA, 'lockstitch.config.ts': CONFIG });
  const user = (words: readonly string[], input = '') => runLine(['user', ...words], {}, input);

  equal((await user(['list', folder])).out, 'No users yet.\n');
  const added = await user(['add', folder, 'Ada', '--roles', 'ADMIN', '--authorities', 'read, write'], `${PASSWORD}\n`);
  deepEqual([added.code, added.out, added.err], [0, 'User "Ada" added.\n', '']);
  match((await user(['add', folder, 'Eve', '--roles', 'ROLE_ADMIN'])).err, /write --roles ADMIN\./);
  const twice = await user(['add', folder, 'ada'], 'another password');
  deepEqual(
    [twice.code, /There is a user "ada" already\.\n.*"lockstitch user passwd .* ada"/.test(twice.err)],
    [1, true],
  );

  const { child, out, exit } = await startCli(['start', folder], /Index/);
  t.after(() => child.kill('SIGKILL'));
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(out())![0];
  match(out(), /User +in the database/);
  const ask = async (password: string, path = '/') => {
    const authorization = `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`;
    const { status } = await fetch(`${url}${path}`, { headers: { authorization } });
    return status;
  };
  deepEqual([await ask(PASSWORD), await ask(PASSWORD, '/_cat/indices'), await ask('wrong')], [200, 200, 401]);

  // From here on the server runs beside the commands: each is felt by the next request.
  equal((await user(['lock', folder, 'ADA'])).out, 'User "Ada" is locked.\n');
  equal(await ask(PASSWORD), 401);
  equal((await user(['list', folder])).out, 'Ada  locked  ROLE_ADMIN, read, write\n');
  equal((await user(['unlock', folder, 'ada'])).code, 0);
  equal(await ask(PASSWORD), 200);
  const session = await logIn(url, 'ada', PASSWORD);
  const browse = async () => (await fetch(`${url}/`, { headers: { cookie: session } })).status;
  equal(await browse(), 200);
  equal((await user(['passwd', folder, 'ada'], 'a second password\r\n')).out, 'The password of "Ada" is changed.\n');
  equal(await browse(), 401, 'the session that the old password opened is over');
  deepEqual([await ask(PASSWORD), await ask('a second password')], [401, 200]);
  const listed = await user(['list', folder, '--json']);
  deepEqual(JSON.parse(listed.out), {
    users: [{ username: 'Ada', authorities: ['ROLE_ADMIN', 'read', 'write'], locked: false, disabled: false }],
  });
  equal((await user(['delete', folder, 'ada'])).code, 0);
  equal(await ask('a second password'), 401);
  const gone = await user(['lock', folder, 'ada']);
  deepEqual([gone.code, /There is no user "ada"/.test(gone.err)], [1, true]);
  child.kill('SIGTERM');
  equal(await exit, 0);

  const kinds = readFileSync(join(folder, 'audit.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly kind: string; readonly username?: string })
    .map(({ kind, username }) => `${kind} ${username}`);
  const count = (event: string): number => kinds.filter((each) => each === event).length;
  deepEqual([count('user-created Ada'), count('user-updated Ada'), count('user-deleted Ada')], [1, 2, 1]);
  deepEqual([count('password-changed Ada'), count('authentication-failure ada') > 2], [1, true]);

  const written = readdirSync(join(folder, '.lockstitch'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  const everything =
    [added, twice, listed, gone].map((each) => each.out + each.err).join('') + out() + kinds.join() + written.join('');
  for (const secret of [PASSWORD, Buffer.from(PASSWORD).toString('latin1'), 'a second password', 'another password']) {
    equal(everything.includes(secret), false, secret);
  }
});

/** Signs in by the form as a browser does, and gives its cookie. */
async function logIn(url: string, username: string, password: string): Promise<string> {
  const first = await fetch(`${url}/csrf`);
  const { token, headerName } = (await first.json()) as { token: string; headerName: string };
  const done = await fetch(`${url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookieOf(first), [headerName]: token },
    body: new URLSearchParams({ username, password }),
  });
  deepEqual([done.status, done.headers.get('location')], [302, '/']);
  return cookieOf(done);
}

function cookieOf({ headers }: Response): string {
  return headers.getSetCookie()[0]!.split(';', 1)[0]!;
}

test('a password that is empty, short, not UTF-8 or without end is refused, and nothing is written', async (t) => {
  const folder = temporaryFolder(t, { 'schema.graphql': SCHEMA, 'lockstitch.config.ts': CONFIG });
  for (const [input, reason] of [
    ['', /it is empty/],
    ['seven77\n', /shorter than 8/],
    [Buffer.from([0xff, 0xfe, 0x41, 0x41, 0x41, 0x41, 0x41, 0x41, 0x0a]), /not valid UTF-8/],
    ['x'.repeat(100_000), /longer than 4096 bytes/],
    ['x'.repeat(73), /at most 72/],
  ] as const) {
    const { code, err } = await runLine(['user', 'add', folder, 'ada'], {}, input);
    equal(code, 1);
    match(err, reason);
    equal(err.includes('seven77'), false);
  }
  equal((await runLine(['user', 'list', folder])).out, 'No users yet.\n');
});

test('accounts that are not in the database are not touched, and the command says where they are', async (t) => {
  const folder = temporaryFolder(t, { 'schema.graphql': SCHEMA });
  const plain = await runLine(['user', 'list', folder]);
  equal(plain.code, 1);
  match(plain.err, /Write userStore: 'sql'/);
  const memory = temporaryFolder(t, { 'schema.graphql': SCHEMA, 'lockstitch.config.ts': CONFIG });
  match((await runLine(['user', 'list', memory, '--data', ':memory:'])).err, /SERVER_USERS_IN_MEMORY/);
  const both = temporaryFolder(t, {
    'schema.graphql': SCHEMA,
    'lockstitch.config.ts':
      "export default { userStore: 'sql', users: [{ username: 'ada', password: '{noop}x' }], passwordEncoder: 'delegating' };\n",
  });
  match((await runLine(['check', both])).out, /"users" is given beside userStore: 'sql'/);
});

test('a mistyped action and a missing name print the usage and exit with 2', async () => {
  const mistyped = await runLine(['user', 'lok', '.', 'ada']);
  equal(mistyped.code, 2);
  match(mistyped.err, /no action "lok"\. Did you mean "lock"\?/);
  match((await runLine(['user', 'add', '.'])).err, /lockstitch user add <dir> <name>/);
  match((await runLine(['user', 'lock', '.', 'ada', '--roles', 'X'])).err, /are for "user add"/);
});
