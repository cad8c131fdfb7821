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

test('what needs a part that is switched off is refused at start-up', () => {
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
