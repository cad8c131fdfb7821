// A client that has proven its password is not locked out by the guesses of others, and nobody gains a guess by that.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthenticationFailure } from '../../src/chain/authentication-failure.ts';
import { createAuthenticator } from '../../src/authentication/authenticator.ts';
import { createBasicFilter } from '../../src/authentication/basic.ts';
import { createAuthenticationManager } from '../../src/authentication/manager.ts';
import { createUserProvider } from '../../src/authentication/user-provider.ts';
import { type AttemptLimits, createAttemptLimiter } from '../../src/limits/attempt-limiter.ts';
import { createHashingLimiter } from '../../src/limits/hashing-limiter.ts';
import { createFormLoginFilter } from '../../src/login/form-login.ts';
import { createNoOpEncoder } from '../../src/password/noop-encoder.ts';
import { createSessions } from '../../src/session/sessions.ts';
import { createMemoryUserStore } from '../../src/users/memory-user-store.ts';
import { userNamed } from '../../src/users/user.ts';
import { basic, run } from '../support/run-filters.ts';

/** A log-in by Basic and form whose hashes take as long as the test wants. */
function guarded(limits: AttemptLimits = {}) {
  let now = 0;
  const clock = { now: () => now };
  let hashed = 0;
  const held: (() => void)[] = [];
  let holds = false;
  const encoder = {
    ...createNoOpEncoder(),
    async matches(raw: string, encoded: string) {
      hashed += 1;
      if (holds) await new Promise<void>((resolve) => held.push(resolve));
      return raw === encoded;
    },
  };
  const users = createMemoryUserStore(
    ['john', 'jane'].map((name) => userNamed(name).password('right').authorities().build()),
  );
  const hashing = createHashingLimiter({ concurrency: 300 });
  const manager = createAuthenticationManager({
    providers: [createUserProvider({ users, encoder, hashing, cache: { clock } })],
  });
  const authenticator = createAuthenticator({ manager, attempts: createAttemptLimiter({ clock, ...limits }) });
  const sessions = createSessions({ users, clock });
  const filters = [
    sessions.filter,
    createFormLoginFilter({ authenticator, sessions }),
    createBasicFilter({ authenticator }),
  ];
  return {
    hashed: () => hashed,
    pass: (milliseconds: number) => (now += milliseconds),
    /** Hashes wait from now on until `release`. */
    hold: () => (holds = true),
    release() {
      holds = false;
      for (const go of held.splice(0)) go();
    },
    try: (name: string, password: string, address = '192.0.2.1') =>
      run(filters, { headers: basic(name, password), address }),
    withSession: (cookie: string, address: string) => run(filters, { headers: { cookie }, address }),
    form: (name: string, password: string, address = '192.0.2.1') =>
      run(filters, {
        method: 'POST',
        target: '/login',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ username: name, password }).toString(),
        address,
      }),
  };
}

const OWN = '192.0.2.1';
const from = (index: number) => `198.51.100.${index}`;
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

test('3.6 200 wrong passwords in flight from elsewhere do not lock out the client that has proven its own', async () => {
  const login = guarded();
  equal((await login.try('john', 'right', OWN)).user, 'john');
  const { cookies } = await login.form('john', 'right', OWN);
  login.hold();
  const guesses = many(200, (index) => login.try('john', `wrong ${index}`, from(index)));
  equal((await login.try('john', 'right', OWN)).user, 'john');
  equal((await login.withSession(`JSESSIONID=${cookies['JSESSIONID']}`, OWN)).user, 'john');
  login.release();
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  deepEqual(
    [statuses.filter((each) => each === 401).length, statuses.filter((each) => each === 429).length],
    [100, 100],
  );
  // Also when the proof itself has been forgotten, and by form.
  login.pass(61_000);
  equal((await login.try('john', 'right', OWN)).user, 'john');
  equal((await login.form('john', 'right', OWN)).status, 302);
});

test('3.6 guessing gains nothing: the right password is 429 from an address that has never proven it', async () => {
  const login = guarded();
  equal((await login.try('john', 'right', OWN)).user, 'john');
  for (const index of many(100, (each) => each)) await login.try('john', `wrong ${index}`, from(index));
  for (const index of [0, 5, 200]) equal((await login.try('john', 'right', from(index))).status, 429);
  equal(login.hashed(), 101);
  equal((await login.form('john', 'right', from(201))).status, 429);
});

test('3.6 200 wrong passwords in flight behind the same address do not lock out either, while they are compared', async () => {
  const login = guarded();
  await login.try('john', 'right');
  login.hold();
  const guesses = many(200, (index) => login.try('john', `wrong ${index}`));
  equal((await login.try('john', 'right')).user, 'john');
  equal((await login.form('john', 'right')).status, 302);
  equal(login.hashed(), 11);
  login.release();
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  deepEqual(statuses.filter((each) => each === 401).length, 10);
  // Nor does what is left of the burst; a password that nobody has proven lately is refused.
  equal((await login.try('john', 'right')).user, 'john');
  equal((await login.try('john', 'wrong')).status, 429);
  login.pass(61_000);
  equal((await login.try('john', 'right')).status, 429);
});

test('3.6 such look-ups are guesses too, and bounded', async () => {
  const login = guarded();
  await login.try('john', 'right');
  login.hold();
  const guesses = many(500, (index) => login.try('john', `wrong ${index}`));
  const late = login.try('john', 'right');
  login.release();
  equal((await late).status, 429);
  await Promise.all(guesses);
});

test('3.6 guesses at other accounts from the same address do not lock out a known client, and do others', async () => {
  const login = guarded({ byPair: false, byAccount: false, byAddress: { failures: 3, seconds: 900 } });
  await login.try('john', 'right');
  for (const name of ['a', 'b', 'c']) await login.try(name, 'wrong');
  login.pass(61_000);
  equal((await login.try('john', 'right')).user, 'john');
  equal((await login.try('jane', 'right')).status, 429);
});

test("3.6 guesses from the owner's network between log-ins end the exemption for both", async () => {
  const login = guarded({
    byPair: { failures: 3, seconds: 900 },
    byAccount: { failures: 5, seconds: 900 },
    byAddress: false,
  });
  const wrong: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    await login.try('john', 'right');
    wrong.push((await login.try('john', `wrong ${round}`)).status);
  }
  // Each success forgives the pair; the account counts on, as before.
  deepEqual(wrong, [401, 401, 401, 401, 401, 429]);
  equal((await login.try('john', 'right')).status, 429);
});

test('3.6 a known client is known for a day, by its network, in any case of the name', async () => {
  let now = 0;
  const limiter = createAttemptLimiter({ clock: { now: () => now } });
  const ok = () => Promise.resolve('ok');
  await limiter.run('John', '2001:db8::1', ok, () => true);
  deepEqual(
    [
      limiter.isKnown('john', '2001:db8::2'),
      limiter.isKnown('john', '2001:db8:1::1'),
      limiter.isKnown('jane', '2001:db8::1'),
    ],
    [true, false, false],
  );
  now = 86_400_001;
  equal(limiter.isKnown('john', '2001:db8::1'), false);
});

test('3.6 a line full of guesses refuses strangers with 503, and lets known clients go first', async () => {
  const order: string[] = [];
  const hashing = createHashingLimiter({ concurrency: 1, queue: 2, hold: 0 });
  let release = (): void => undefined;
  const first = hashing.run(() => new Promise<void>((resolve) => (release = resolve)));
  const note = (text: string) => () => {
    order.push(text);
    return Promise.resolve();
  };
  const strangers = ['a', 'b'].map((name) => hashing.run(note(name)));
  const refused = await hashing.run(note('c')).catch((error: unknown) => error);
  equal((refused as AuthenticationFailure).code, 'SECURITY_HASHING_BUSY');
  const owner = hashing.run(note('owner'), true);
  release();
  await Promise.all([first, ...strangers, owner]);
  deepEqual(order, ['owner', 'a', 'b']);
});
