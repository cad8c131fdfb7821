import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createRememberMe } from '../../src/login/remember-me.ts';
import { createMemoryUserStore } from '../../src/users/memory-user-store.ts';
import { userNamed } from '../../src/users/user.ts';
import { createClient, run } from '../support/run-filters.ts';

function setup() {
  const clock = { now: 1_700_000_000_000 };
  const user = userNamed('jürgen').password('{noop}p').authorities('read').build();
  const users = createMemoryUserStore([user]);
  const remember = createRememberMe({ users, key: randomBytes(32), clock: { now: () => clock.now } });
  const client = createClient([remember.filter]);
  const login = (box = 'on') =>
    client.send({}, (exchange) => remember.onLogin(exchange, new URLSearchParams({ 'remember-me': box }), 'jürgen'));
  return { clock, user, users, remember, client, login };
}

test('a user who ticks the box is remembered, but not fully logged in', async () => {
  const { client, login } = setup();
  const answer = await login();
  match(answer.headers['set-cookie'] ?? '', /^remember-me=[^;]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
  const seen = await client.send();
  deepEqual([seen.user, seen.exchange.authentication?.login], ['jürgen', 'remembered']);
});

test('a user who does not tick it gets no cookie', async () => {
  deepEqual((await setup().login('')).cookies, {});
});

test('the cookie ends after two weeks, with the password, with the account, and at log-out', async () => {
  const late = setup();
  await late.login();
  late.clock.now += 14 * 86_400_000;
  equal((await late.client.send()).user, 'anonymousUser');

  const changed = setup();
  await changed.login();
  await changed.users.updatePassword('jürgen', '{noop}other', '{noop}p');
  const answer = await changed.client.send();
  deepEqual([answer.user, answer.cookies], ['anonymousUser', { 'remember-me': '' }]);

  const locked = setup();
  await locked.login();
  await locked.users.replaceUser(locked.user.with({ accountNonLocked: false }));
  equal((await locked.client.send()).user, 'anonymousUser');

  const out = setup();
  await out.login();
  deepEqual((await out.client.send({}, (exchange) => out.remember.onLogout(exchange))).cookies, { 'remember-me': '' });
});

test('no part of the cookie can be changed', async () => {
  const { client, login, remember } = setup();
  await login();
  const cookie = client.jar.get('remember-me')!;
  const [name, ends, mac] = cookie.split('.') as [string, string, string];
  const other = Buffer.from('admin').toString('base64url');
  for (const forged of [
    `${name}.${Number(ends) + 1}.${mac}`,
    `${other}.${ends}.${mac}`,
    `${name}.${ends}.`,
    `${name}.${ends}.${mac}.x`,
    `${name}.9e99.${mac}`,
    'x',
  ]) {
    equal(
      (await run([remember.filter], { headers: { cookie: `remember-me=${forged}` } })).user,
      'anonymousUser',
      forged,
    );
  }
});

test('a short key is refused when it is set', () => {
  throws(() => createRememberMe({ users: createMemoryUserStore(), key: randomBytes(16) }), {
    code: 'SECURITY_SETTING',
  });
});
