import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { type Authentication, passwordAttempt } from '../../src/authentication/authentication.ts';
import { AuthenticationFailure, type FailureCode, publicFailure } from '../../src/chain/authentication-failure.ts';
import { type AuthenticationProvider, createAuthenticationManager } from '../../src/authentication/manager.ts';
import { userNamed } from '../../src/users/user.ts';

const user = userNamed('u').password('{noop}p').authorities('read').build();
const silent: AuthenticationProvider = { authenticate: async () => undefined };
const good: AuthenticationProvider = { authenticate: async (attempt) => attempt.succeeded({ user }) };
const refusing = (code: FailureCode): AuthenticationProvider => ({
  authenticate: async () => {
    throw new AuthenticationFailure(code);
  },
});
const bad = refusing('SECURITY_BAD_CREDENTIALS');
const attempt = passwordAttempt('u', 'p');
const ask = (...providers: AuthenticationProvider[]): Promise<Authentication> =>
  createAuthenticationManager({ providers }).authenticate(attempt);

test('a provider that returns nothing leaves the attempt to the next', async () => {
  equal((await ask(silent, good)).authenticated, true);
});

test('bad credentials at one provider may be good at the next', async () => {
  equal((await ask(bad, good)).authenticated, true);
  await rejects(ask(bad, silent), { code: 'SECURITY_BAD_CREDENTIALS' });
});

test('an account that refuses stops the list, and so does a fault', async () => {
  for (const code of ['SECURITY_ACCOUNT_LOCKED', 'SECURITY_ACCOUNT_DISABLED', 'SECURITY_HASHING_BUSY'] as const) {
    await rejects(ask(refusing(code), good), { code });
  }
  const broken: AuthenticationProvider = {
    authenticate: async () => {
      throw new Error('connect ECONNREFUSED db:5432');
    },
  };
  await rejects(ask(broken, good), { code: 'SECURITY_AUTHENTICATION_SERVICE', status: 500 });
});

test('an attempt that no provider supports is an error that names its kind', async () => {
  await rejects(ask(silent), { name: 'ProviderNotFoundException', message: /password/ });
  await rejects(ask(), { code: 'SECURITY_PROVIDER_NOT_FOUND' });
});

test('a result keeps neither proof nor stored password, unless asked to', async () => {
  const erased = await ask(good);
  deepEqual([erased.credentials, erased.user?.password, erased.principal.name], [undefined, undefined, 'u']);
  const kept = await createAuthenticationManager({ providers: [good], eraseCredentials: false }).authenticate(attempt);
  deepEqual([kept.credentials, kept.user?.password], ['p', '{noop}p']);
});

test('the parent is asked after the own list', async () => {
  const parent = createAuthenticationManager({ providers: [good] });
  for (const providers of [[silent], [bad], []]) {
    equal((await createAuthenticationManager({ providers, parent }).authenticate(attempt)).authenticated, true);
  }
  const empty = createAuthenticationManager({ providers: [silent] });
  await rejects(createAuthenticationManager({ providers: [bad], parent: empty }).authenticate(attempt), {
    code: 'SECURITY_BAD_CREDENTIALS',
  });
});

test('callers get "Bad credentials" for every state of the account; the log keeps the reason', () => {
  const locked = new AuthenticationFailure('SECURITY_ACCOUNT_LOCKED');
  const shown = publicFailure(locked);
  deepEqual([(shown as Error).message, (shown as Error).cause], ['Bad credentials', locked]);
  const busy = new AuthenticationFailure('SECURITY_HASHING_BUSY', { values: { seconds: 1 } });
  equal(publicFailure(busy), busy);
});
