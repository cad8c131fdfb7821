import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import {
  type ChainConfig,
  createDelegatingEncoder,
  createSecurity,
  type Filter,
  GITHUB,
  type SecurityConfig,
  signRequest,
  userNamed,
} from '@lockstitch/security';
import { basic, createClient, form, run, type TestRequest } from '../support/run-filters.ts';

const users = [userNamed('john').password('{noop}12345').authorities('read').build()];

/** The whole layer as one filter, for the client of the tests. */
function layer(config: ChainConfig & SecurityConfig): Filter[] {
  const security = createSecurity({
    users,
    passwordEncoder: createDelegatingEncoder({ encodeId: 'noop' }),
    rules: [{ any: true, access: 'isAuthenticated()' }],
    ...config,
  });
  return [{ name: 'layer', handle: async (exchange, next) => security.run(exchange, next) }];
}

const secret = randomBytes(32);

test('bearer tokens beside Basic', async () => {
  const issuer = 'https://id.example.org';
  const filters = layer({ bearer: { keys: { kind: 'shared', secret }, issuer, audience: 'photos' } });
  const token = await new SignJWT({ sub: 'machine' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience('photos')
    .setExpirationTime('1m')
    .sign(secret);
  equal((await run(filters, { headers: { authorization: `Bearer ${token}` } })).user, 'machine');
  equal((await run(filters, { headers: basic('john', '12345') })).user, 'john');
  equal((await run(filters, { headers: { authorization: 'Bearer x' } })).status, 401);
});

test('request signatures, for writes without a CSRF token where the chain leaves it out', async () => {
  const key = { kind: 'shared', secret } as const;
  const filters = layer({ csrf: false, signatures: { signers: { k1: { key, name: 'machine' } } } });
  const authorization = signRequest('k1', key, { method: 'POST', target: '/x', body: Buffer.from('{}') });
  equal((await run(filters, { method: 'POST', target: '/x', body: '{}', headers: { authorization } })).user, 'machine');
});

test('a second factor behind Basic', async () => {
  const verifier = { isRequired: () => true, verify: (_who: unknown, code: string) => code === '123456' };
  const filters = layer({ oneTime: { verifier, header: 'X-Code' } });
  const send = (headers: Record<string, string> = {}) =>
    run(filters, { headers: { ...basic('john', '12345'), ...headers } });
  deepEqual([(await send()).status, (await send({ 'X-Code': '123456' })).user], [401, 'john']);
});

test('staying signed in: the form offers it, the cookie outlives the session, log-out takes it back', async () => {
  const filters = layer({ formLogin: true, rememberMe: { key: secret } });
  const client = createClient(filters, { headers: { accept: 'text/html' } });
  const page = (await client.send({ target: '/login' })).body;
  match(page, /name="remember-me"/);
  const token = async () => String((await client.send({ target: '/csrf' })).json()['token']);
  const post = async (target: string, fields: Record<string, string>): Promise<TestRequest> => ({
    ...form({ ...fields, _csrf: await token() }),
    target,
  });
  await client.send(await post('/login', { username: 'john', password: '12345', 'remember-me': 'on' }));
  client.jar.delete('JSESSIONID');
  equal((await client.send({ target: '/x' })).user, 'john');
  await client.send(await post('/logout', {}));
  equal(client.jar.has('remember-me'), false);
  equal((await client.send({ target: '/x' })).status, 302);
});

test('identity providers alone: the login page has their links and no form', async () => {
  const filters = layer({
    oauth2Login: { providers: [{ ...GITHUB, clientId: 'c', clientSecret: 's' }], baseUrl: 'https://app.example.org' },
  });
  const client = createClient(filters, { headers: { accept: 'text/html' } });
  equal((await client.send({ target: '/x' })).headers['location'], '/login');
  const page = (await client.send({ target: '/login' })).body;
  match(page, /href="\/oauth2\/authorization\/github">Sign in with GitHub</);
  equal(page.includes('type="password"'), false);
  match(
    (await client.send({ target: '/oauth2/authorization/github' })).headers['location'] ?? '',
    /^https:\/\/github\.com\/login\/oauth\/authorize\?/,
  );
});

test('options that need a disabled part are rejected at start-up', () => {
  const oauth2Login = { providers: [], baseUrl: 'https://app.example.org' };
  throws(() => layer({ oauth2Login, sessions: false, csrf: false }), {
    code: 'SECURITY_CONFIG_INVALID',
    message: /oauth2Login needs sessions/,
  });
  throws(() => layer({ rememberMe: { key: secret } }), {
    code: 'SECURITY_CONFIG_INVALID',
    message: /rememberMe needs formLogin/,
  });
});

test('neither another user’s one-time password nor staying signed in is a way around the second factor', async () => {
  const needing = new Set(['john', 'jane']);
  const verifier = {
    isRequired: ({ name }: { readonly name: string }) => needing.has(name),
    verify: ({ name }: { readonly name: string }, code: string) => code === (name === 'john' ? '111111' : '222222'),
  };
  const three = ['john', 'jane', 'joan'].map((name) =>
    userNamed(name).password('{noop}12345').authorities('read').build(),
  );
  const filters = layer({
    users: three,
    csrf: false,
    formLogin: true,
    rememberMe: { key: secret },
    oneTime: { verifier },
  });
  const html = { headers: { accept: 'text/html' } };
  const logIn = (client: ReturnType<typeof createClient>, username: string) =>
    client.send({ ...form({ username, password: '12345', 'remember-me': 'on' }), target: '/login' });
  const prove = (client: ReturnType<typeof createClient>, code: string) =>
    client.send({ ...form({ code }), target: '/login/one-time' });

  const client = createClient(filters, html);
  await logIn(client, 'john');
  equal(client.jar.has('remember-me'), false, 'not before the second factor');
  equal((await client.send({ target: '/x' })).reached, false);
  equal((await prove(client, '111111')).status, 302);
  equal((await client.send({ target: '/x' })).user, 'john');
  equal(client.jar.has('remember-me'), true, 'but after it');

  await logIn(client, 'jane');
  equal((await client.send({ target: '/x' })).reached, false, 'john’s code is not jane’s');
  equal((await prove(client, '111111')).status, 200);
  equal((await prove(client, '222222')).status, 302);
  equal((await client.send({ target: '/x' })).user, 'jane');
  client.jar.delete('JSESSIONID');
  equal((await client.send({ target: '/x' })).user, 'jane', 'this browser was proven with both factors');

  const other = createClient(filters, html);
  await logIn(other, 'joan');
  other.jar.delete('JSESSIONID');
  equal((await other.send({ target: '/x' })).user, 'joan');
  needing.add('joan');
  equal((await other.send({ target: '/x' })).user, '', 'a cookie from before the second factor is worth nothing');
});
