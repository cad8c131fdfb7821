import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEvent } from '../../src/audit/audit.ts';
import { createAuthenticator } from '../../src/authentication/authenticator.ts';
import { createBasicFilter } from '../../src/authentication/basic.ts';
import { createAuthenticationManager } from '../../src/authentication/manager.ts';
import { createUserProvider } from '../../src/authentication/user-provider.ts';
import { createAddressLimitFilter } from '../../src/limits/address-limit.ts';
import { networkOf } from '../../src/limits/attempt-keys.ts';
import { type AttemptLimits, createAttemptLimiter } from '../../src/limits/attempt-limiter.ts';
import { createNoOpEncoder } from '../../src/password/noop-encoder.ts';
import { createMemoryUserStore } from '../../src/users/memory-user-store.ts';
import { userNamed } from '../../src/users/user.ts';
import { basic, run } from '../support/run-filters.ts';

function guarded(limits: AttemptLimits) {
  const events: AuditEvent[] = [];
  let hashed = 0;
  const encoder = {
    ...createNoOpEncoder(),
    async matches(raw: string, encoded: string) {
      hashed += 1;
      return raw === encoded;
    },
  };
  const users = createMemoryUserStore(
    ['john', 'jane'].map((name) => userNamed(name).password('right').authorities().build()),
  );
  const manager = createAuthenticationManager({ providers: [createUserProvider({ users, encoder })] });
  const attempts = createAttemptLimiter({ audit: { record: (event) => events.push(event) }, ...limits });
  const filters = [createBasicFilter({ authenticator: createAuthenticator({ manager, attempts }) })];
  return {
    events,
    hashed: () => hashed,
    try: (name: string, password: string, address = '192.0.2.1') =>
      run(filters, { headers: basic(name, password), address }),
  };
}

const three = { failures: 3, seconds: 900 };

test('after so many failures from one address the account has to wait there, before any hash', async () => {
  const login = guarded({ byPair: three, byAccount: false, byAddress: false });
  for (const password of ['a', 'b', 'c']) equal((await login.try('john', password)).status, 401);
  const answer = await login.try('John', 'right');
  deepEqual(
    [answer.status, answer.json()['code'], answer.headers['retry-after']],
    [429, 'SECURITY_TOO_MANY_ATTEMPTS', '900'],
  );
  equal(login.hashed(), 3);
  deepEqual(
    [(await login.try('john', 'right', '192.0.2.2')).user, (await login.try('jane', 'right')).user],
    ['john', 'jane'],
  );
  deepEqual(login.events, [{ kind: 'account-lockout', username: 'john', address: '192.0.2.1', seconds: 900 }]);
});

test('a burst gains nothing over a sequence: three guesses are compared, the rest have to wait', async () => {
  const login = guarded({ byPair: three, byAccount: false, byAddress: false });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => login.try('john', `guess ${index}`)));
  deepEqual([login.hashed(), answers.filter(({ status }) => status === 429).length], [3, 37]);
});

test('a password proven a moment ago has to wait as well, or the refusal would tell right from wrong', async () => {
  const login = guarded({ byPair: three, byAccount: false, byAddress: false });
  equal((await login.try('john', 'right')).user, 'john');
  for (const password of ['a', 'b', 'c']) await login.try('john', password);
  equal((await login.try('john', 'right')).status, 429);
});

test('a burst of right ones all pass', async () => {
  const login = guarded({ byPair: three, byAccount: false, byAddress: false });
  const answers = await Promise.all(Array.from({ length: 40 }, () => login.try('john', 'right')));
  deepEqual(new Set(answers.map(({ user }) => user)), new Set(['john']));
});

test('a success in between forgives', async () => {
  const login = guarded({ byPair: three, byAccount: false, byAddress: false });
  for (let round = 0; round < 3; round += 1) {
    for (const password of ['a', 'b', 'right']) await login.try('john', password);
  }
  equal((await login.try('john', 'right')).user, 'john');
});

test('an account is guarded against many addresses, an address against many accounts', async () => {
  const account = guarded({ byPair: false, byAccount: three, byAddress: false });
  for (const last of [1, 2, 3]) await account.try('john', 'wrong', `192.0.2.${last}`);
  equal((await account.try('john', 'right', '192.0.2.9')).status, 429);
  const address = guarded({ byPair: false, byAccount: false, byAddress: three });
  for (const name of ['a', 'b', 'c']) await address.try(name, 'wrong');
  equal((await address.try('john', 'right')).status, 429);
  equal((await address.try('john', 'right', '192.0.2.2')).user, 'john');
});

test('names that do not exist are counted like those that do', async () => {
  const outcomes = [];
  for (const name of ['john', 'nobody']) {
    const login = guarded({ byPair: three });
    const statuses = [];
    for (let tries = 0; tries < 4; tries += 1) statuses.push((await login.try(name, 'wrong')).status);
    outcomes.push(statuses);
  }
  deepEqual(outcomes, [
    [401, 401, 401, 429],
    [401, 401, 401, 429],
  ]);
});

test('addresses of one IPv6 /64 are one network; IPv4 inside IPv6 is IPv4', () => {
  equal(networkOf('2001:db8:0:1::5'), networkOf('2001:DB8::1:aaaa:bbbb:cccc:dddd'));
  equal(networkOf('2001:db8:0:1::5') === networkOf('2001:db8:0:2::5'), false);
  equal(networkOf('::1'), networkOf('0:0:0:0:0:0:0:1'));
  equal(networkOf('fe80::1%eth0'), networkOf('fe80::2'));
  deepEqual([networkOf('::ffff:192.0.2.1'), networkOf('192.0.2.1'), networkOf('')], ['192.0.2.1', '192.0.2.1', '']);
});

test('an address may make a number of requests, then gets the time to wait', async () => {
  const filters = [createAddressLimitFilter({ requests: 2 })];
  const send = (address: string) => run(filters, { address });
  deepEqual([(await send('192.0.2.1')).reached, (await send('192.0.2.1')).reached], [true, true]);
  const answer = await send('192.0.2.1');
  deepEqual(
    [answer.status, answer.json()['code'], Number(answer.headers['retry-after']) > 0],
    [429, 'SECURITY_RATE_LIMITED', true],
  );
  equal((await send('192.0.2.2')).reached, true);
});

test('a handler that fails behind the limit is not taken for a refusal', async () => {
  const filters = [createAddressLimitFilter({ requests: 2 })];
  await rejects(
    run(filters, {}, () => {
      throw new Error('handler');
    }),
    /handler/,
  );
});
