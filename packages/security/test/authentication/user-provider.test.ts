import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { passwordAttempt } from '../../src/authentication/authentication.ts';
import { createAuthenticationManager } from '../../src/authentication/manager.ts';
import { createUserProvider } from '../../src/authentication/user-provider.ts';
import { createHashingLimiter } from '../../src/limits/hashing-limiter.ts';
import { createDelegatingEncoder } from '../../src/password/delegating-encoder.ts';
import { createNoOpEncoder } from '../../src/password/noop-encoder.ts';
import type { PasswordEncoder } from '../../src/password/password-encoder.ts';
import { createStandardEncoder } from '../../src/password/standard-encoder.ts';
import { createMemoryUserStore } from '../../src/users/memory-user-store.ts';
import { userNamed } from '../../src/users/user.ts';

const builder = (name: string) => userNamed(name).password('{noop}p').authorities('read');
const users = () =>
  createMemoryUserStore([
    builder('u').build(),
    builder('l').accountLocked().build(),
    builder('d').disabled().build(),
    builder('e').accountExpired().build(),
    builder('c').credentialsExpired().build(),
    builder('all').accountLocked().disabled().accountExpired().credentialsExpired().build(),
    userNamed('x').password('12345').authorities().build(),
  ]);
const encoder = createDelegatingEncoder({ encodeId: 'noop' });
const provider = () => createUserProvider({ users: users(), encoder });

/** Counts the comparisons that an encoder is asked for. */
function counting(inner: PasswordEncoder): PasswordEncoder & { readonly asked: () => number } {
  let count = 0;
  return {
    ...inner,
    async matches(raw, encoded) {
      count += 1;
      return inner.matches(raw, encoded);
    },
    asked: () => count,
  };
}

test('the right password authenticates, with the authorities of the account', async () => {
  const result = await provider().authenticate(passwordAttempt('u', 'p'));
  deepEqual([result?.authenticated, result?.principal.name, [...(result?.authorities ?? [])]], [true, 'u', ['read']]);
});

test('another kind of proof is left to the next provider', async () => {
  const attempt = passwordAttempt('u', 'p');
  equal(await provider().authenticate(Object.assign(Object.create(attempt), { kind: 'bearer' })), undefined);
});

test('locked, disabled, expired, password, credentials expired: checked in this order', async () => {
  const table = [
    ['u', 'w', 'SECURITY_BAD_CREDENTIALS', 'BadCredentialsException', 'Bad credentials'],
    ['l', 'p', 'SECURITY_ACCOUNT_LOCKED', 'LockedException', 'User account is locked'],
    ['l', 'w', 'SECURITY_ACCOUNT_LOCKED', 'LockedException', 'User account is locked'],
    ['d', 'p', 'SECURITY_ACCOUNT_DISABLED', 'DisabledException', 'User is disabled'],
    ['d', 'w', 'SECURITY_ACCOUNT_DISABLED', 'DisabledException', 'User is disabled'],
    ['e', 'w', 'SECURITY_ACCOUNT_EXPIRED', 'AccountExpiredException', 'User account has expired'],
    ['c', 'w', 'SECURITY_BAD_CREDENTIALS', 'BadCredentialsException', 'Bad credentials'],
    ['c', 'p', 'SECURITY_CREDENTIALS_EXPIRED', 'CredentialsExpiredException', 'User credentials have expired'],
    ['all', 'p', 'SECURITY_ACCOUNT_LOCKED', 'LockedException', 'User account is locked'],
    ['nobody', 'p', 'SECURITY_BAD_CREDENTIALS', 'BadCredentialsException', 'Bad credentials'],
  ] as const;
  for (const [name, password, code, exception, message] of table) {
    await rejects(provider().authenticate(passwordAttempt(name, password)), {
      code,
      name: exception,
      message,
      status: 401,
    });
  }
});

test('an unknown name, a locked account and a wrong password cost one comparison each', async () => {
  for (const name of ['nobody', 'l', 'd', 'e', 'u']) {
    const count = counting(encoder);
    const asked = createUserProvider({ users: users(), encoder: count, cache: false });
    await rejects(asked.authenticate(passwordAttempt(name, 'wrong')));
    equal(count.asked(), 1, name);
  }
});

test('concurrent tries of one pair share one comparison, for unknown names as for known ones', async () => {
  for (const name of ['nobody', 'u']) {
    const count = counting(encoder);
    const asked = createUserProvider({ users: users(), encoder: count });
    const tries = await Promise.allSettled([1, 2, 3].map(() => asked.authenticate(passwordAttempt(name, 'wrong'))));
    deepEqual([tries.map((each) => each.status), count.asked()], [['rejected', 'rejected', 'rejected'], 1], name);
  }
});

test('a password of more than the cap is wrong without being hashed, known name or not', async () => {
  for (const name of ['nobody', 'u']) {
    const count = counting(encoder);
    const asked = createUserProvider({ users: users(), encoder: count, maxPasswordBytes: 64 });
    await rejects(asked.authenticate(passwordAttempt(name, 'x'.repeat(65))), { code: 'SECURITY_BAD_CREDENTIALS' });
    equal(count.asked(), 0);
  }
});

test('a stored password without an encoder id is a fault of the server, not a wrong password', async () => {
  const manager = createAuthenticationManager({ providers: [provider()] });
  await rejects(manager.authenticate(passwordAttempt('x', '12345')), {
    code: 'SECURITY_AUTHENTICATION_SERVICE',
    status: 500,
    name: 'InternalAuthenticationServiceException',
  });
});

test('a store without an encoder is refused when the provider is made', async () => {
  const options = { users: users() } as unknown as Parameters<typeof createUserProvider>[0];
  await rejects(async () => createUserProvider(options), { code: 'SECURITY_ENCODER_REQUIRED' });
});

test('after a successful log-in a weaker stored password is replaced, after a failed one it is not', async () => {
  const store = users();
  const upgrading = createUserProvider({ users: store, encoder: createDelegatingEncoder({ encodeId: 'sha256' }) });
  await rejects(upgrading.authenticate(passwordAttempt('u', 'w')));
  equal((await store.loadUserByUsername('u'))?.password, '{noop}p');
  await upgrading.authenticate(passwordAttempt('u', 'p'));
  const stored = (await store.loadUserByUsername('u'))?.password ?? '';
  equal(stored.startsWith('{sha256}'), true);
  equal((await upgrading.authenticate(passwordAttempt('u', 'p')))?.authenticated, true);
});

test('a store that cannot update passwords keeps the old one', async () => {
  const store = users();
  const readOnly = { loadUserByUsername: (name: string) => store.loadUserByUsername(name) };
  const upgrading = createUserProvider({ users: readOnly, encoder: createDelegatingEncoder() });
  equal((await upgrading.authenticate(passwordAttempt('u', 'p')))?.user?.password, '{noop}p');
});

test('a proven password is not hashed again within its lifetime, for the same account and hash only', async () => {
  let now = 0;
  const count = counting(createNoOpEncoder());
  const store = createMemoryUserStore([userNamed('u').password('p').authorities('read').build()]);
  const cached = createUserProvider({ users: store, encoder: count, cache: { clock: { now: () => now } } });
  const login = (password: string) => cached.authenticate(passwordAttempt('u', password));
  await login('p');
  await login('p');
  equal(count.asked(), 1);
  await rejects(login('w'));
  await rejects(login('w'));
  equal(count.asked(), 3, 'failures are not remembered');
  now = 60_000;
  await login('p');
  equal(count.asked(), 4, 'after a minute it is proven anew');
  deepEqual(cached.cache?.metrics, { hits: 1, misses: 4, size: 1 });
});

test('a changed password, a locked account and changed rights count at once, cache or not', async () => {
  const store = users();
  const cached = createUserProvider({ users: store, encoder });
  const login = () => cached.authenticate(passwordAttempt('u', 'p'));
  await login();
  await store.replaceUser(builder('u').authorities('write').build());
  deepEqual([...((await login())?.authorities ?? [])], ['write']);
  await store.updatePassword('u', '{noop}other', '{noop}p');
  await rejects(login(), { code: 'SECURITY_BAD_CREDENTIALS' });
  await store.replaceUser(builder('u').accountLocked().build());
  await rejects(login(), { code: 'SECURITY_ACCOUNT_LOCKED' });
});

test('a recognised line is known as a whole, until its proof ends, its account changes or the cache is cleared', async () => {
  let now = 0;
  const store = users();
  const cached = createUserProvider({ users: store, encoder, cache: { clock: { now: () => now } } });
  const line = 'Basic dTpw';
  const learn = async () => {
    await cached.authenticate(passwordAttempt('u', 'p'));
    return cached.recognise!(passwordAttempt('u', 'p'), line)?.name;
  };
  equal(cached.recognise!(passwordAttempt('u', 'p'), line), undefined, 'nothing is proven yet');
  equal(cached.recall!(line), undefined);
  equal(await learn(), 'u');
  const recalled = cached.recall!(line);
  deepEqual([recalled?.name, recalled?.user.username, recalled?.user.password], ['u', 'u', undefined]);
  for (const other of ['basic dTpw', 'Basic dTpw ', 'Basic dTp', 'Basic dTpw='])
    equal(cached.recall!(other), undefined);
  equal(cached.recognise!(passwordAttempt('u', 'w'), 'Basic dTp3'), undefined);
  equal(cached.recall!('Basic dTp3'), undefined, 'a wrong password teaches nothing');

  const changes = [
    builder('u').authorities('write').build(),
    builder('u').accountLocked().build(),
    userNamed('u').password('{noop}other').authorities('read').build(),
  ];
  for (const changed of changes) {
    await store.replaceUser(changed);
    equal(cached.recall!(line), undefined);
    await store.replaceUser(builder('u').build());
    equal(await learn(), 'u');
  }
  await store.removeUser('u');
  equal(cached.recall!(line), undefined);

  await store.insertUser(builder('u').build());
  now = 59_000;
  equal(await learn(), 'u');
  now = 60_000;
  equal(cached.recall!(line), undefined, 'the line lives as long as the proof, not longer');
  equal(await learn(), 'u');
  cached.cache?.clear();
  equal(cached.recall!(line), undefined);
});

test('known lines are bounded, and long ones are read each time', async () => {
  const store = users();
  const cached = createUserProvider({ users: store, encoder, cache: { maxEntries: 2 } });
  await cached.authenticate(passwordAttempt('u', 'p'));
  const long = `Basic ${'x'.repeat(2000)}`;
  for (const line of ['a', 'b', 'c', long]) cached.recognise!(passwordAttempt('u', 'p'), line);
  deepEqual(
    ['a', 'b', 'c', long].map((line) => cached.recall!(line)?.name),
    [undefined, 'u', 'u', undefined],
  );
  equal(inspect(cached.cache, { depth: 9, showHidden: true }).includes('Basic'), false);
});

test('the cache is bounded and evicts the least recently used entry', async () => {
  const names = ['a', 'b', 'c'];
  const store = createMemoryUserStore(names.map((name) => userNamed(name).password('p').authorities().build()));
  const count = counting(createNoOpEncoder());
  const cached = createUserProvider({ users: store, encoder: count, cache: { maxEntries: 2 } });
  for (const name of ['a', 'b', 'a', 'c', 'a']) await cached.authenticate(passwordAttempt(name, 'p'));
  deepEqual([count.asked(), cached.cache?.metrics.size], [3, 2]);
  await cached.authenticate(passwordAttempt('b', 'p'));
  equal(count.asked(), 4);
});

test('only so many hashes run at once, and beyond the line the answer is 503 with a time to wait', async () => {
  const release: (() => void)[] = [];
  const slow: PasswordEncoder = {
    ...createNoOpEncoder(),
    matches: () => new Promise((resolve) => release.push(() => resolve(true))),
  };
  const hashing = createHashingLimiter({ concurrency: 2, queue: 1, hold: 0 });
  const limited = createUserProvider({ users: users(), encoder: slow, hashing });
  const attempts = ['1', '2', '3'].map((password) => limited.authenticate(passwordAttempt('u', password)));
  await new Promise((resolve) => setImmediate(resolve));
  deepEqual([hashing.load, release.length], [{ running: 2, waiting: 1 }, 2]);
  await rejects(limited.authenticate(passwordAttempt('u', '4')), {
    code: 'SECURITY_HASHING_BUSY',
    status: 503,
    retryAfter: 1,
  });
  while (hashing.load.running > 0) {
    release.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  equal((await Promise.all(attempts)).length, 3);
});

test('neither an attempt nor its result shows the password or the stored hash', async () => {
  const store = createMemoryUserStore([
    userNamed('u')
      .password(await createStandardEncoder().encode('s3cr3t'))
      .authorities()
      .build(),
  ]);
  const hash = (await store.loadUserByUsername('u'))?.password ?? '';
  const attempt = passwordAttempt('u', 's3cr3t');
  const result = await createUserProvider({ users: store, encoder: createStandardEncoder() }).authenticate(attempt);
  const shown = [attempt, result]
    .map((each) => inspect(each, { depth: 9, showHidden: true }) + JSON.stringify(each))
    .join();
  equal(shown.includes('s3cr3t') || shown.includes(hash), false);
});
