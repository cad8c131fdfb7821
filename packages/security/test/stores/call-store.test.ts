// Stores that fail, throw or hang: 503 with Retry-After, nobody let in, nothing waiting for ever.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import { callStore } from '../../src/stores/call-store.ts';
import { createClientCsrfRepository } from '../../src/csrf/client-csrf-repository.ts';
import { createAttemptLimiter } from '../../src/limits/attempt-limiter.ts';
import { createAddressLimitFilter } from '../../src/limits/address-limit.ts';
import { createTotpVerifier } from '../../src/token/totp.ts';
import { guardUserSource } from '../../src/users/guard-user-source.ts';
import { createMemoryUserStore } from '../../src/users/memory-user-store.ts';
import { run } from '../support/run-filters.ts';
import { basic, serve } from '../support/serve.ts';

const away = (): never => {
  throw new Error('connect ECONNREFUSED db:5432');
};
const failing = async (): Promise<never> => away();
const hanging = (): Promise<never> => new Promise(() => undefined);
const UNAVAILABLE = { code: 'SECURITY_STORE_UNAVAILABLE', status: 503, retryAfter: 1 };

test('3.7 a store that throws, rejects or hangs is 503; a failed authentication keeps its status', async () => {
  for (const ask of [away, failing, hanging]) await rejects(callStore('user store', ask, 5), UNAVAILABLE);
  equal(await callStore('user store', () => 'here'), 'here');
  equal(await callStore('user store', async () => 'here'), 'here');
});

test('3.7 accounts in memory are asked as they are', () => {
  const users = createMemoryUserStore();
  equal(guardUserSource(users), users);
});

test('3.7 an answer that never comes is given up', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const asked = guardUserSource({ loadUserByUsername: hanging }).loadUserByUsername('john');
  context.mock.timers.tick(10_000);
  await rejects(asked, UNAVAILABLE);
});

test('3.7 unavailable stores of secrets, used codes, CSRF tokens and counters let nobody in', async () => {
  const john = createPrincipal('john');
  await rejects(async () => createTotpVerifier({ secretOf: failing }).isRequired(john), UNAVAILABLE);
  await rejects(async () => createTotpVerifier({ secretOf: away }).verify(john, '123456'), UNAVAILABLE);
  const repository = createClientCsrfRepository({ store: { get: failing, set: failing, delete: failing } });
  const exchange = { request: { header: () => 'client' } } as unknown as Parameters<typeof repository.load>[0];
  await rejects(async () => repository.load(exchange), UNAVAILABLE);
  await rejects(async () => repository.save(exchange, undefined), UNAVAILABLE);
  const counter = { get: failing, penalty: failing, delete: failing };
  const limiter = createAttemptLimiter({ counter: () => counter as never });
  let tried = 0;
  await rejects(
    limiter.run(
      'john',
      '192.0.2.1',
      async () => (tried += 1),
      () => true,
    ),
    UNAVAILABLE,
  );
  equal(tried, 0);
});

test('3.7 a hanging request counter delays no request', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const filter = createAddressLimitFilter({ requests: 1, counter: { consume: hanging } as never });
  const answered = run([filter], {});
  context.mock.timers.tick(1000);
  equal((await answered).status, 200);
});

test('3.7 each request that needs a store that is away is answered 503 with Retry-After', async (context) => {
  const lines: unknown[][] = [];
  const served = await serve(context, {
    users: { loadUserByUsername: failing },
    csrf: false,
    rules: [
      { ant: '/open', access: 'permitAll' },
      { any: true, access: 'authenticated' },
    ],
    log: { write: (...line: unknown[]) => void lines.push(line) },
  });
  for (let round = 0; round < 5; round += 1) {
    const { status, header, body } = await served.send('/private', { headers: [basic('john')] });
    equal(status, 503);
    equal(header('retry-after'), '1');
    equal(/configuration|ECONNREFUSED/.test(body), false);
  }
  equal((await served.send('/open')).status, 200);
  equal((await served.send('/private')).status, 401);
  // One line for all of them, without a stack.
  deepEqual(
    lines.map(([level]) => level),
    ['warn'],
  );
});
