import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { exportJWK, SignJWT, UnsecuredJWT } from 'jose';
import { createBearerFilter } from '../../src/token/bearer.ts';
import { createJwtVerifier, type JwtOptions } from '../../src/token/jwt.ts';
import { run } from '../support/run-filters.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const base = { issuer: 'https://id.example.org', audience: 'photos' };
const options: JwtOptions = { ...base, keys: { kind: 'public', key: publicKey } };
const filters = [createBearerFilter({ verifier: createJwtVerifier(options) })];

interface TokenParts {
  readonly issuer?: string;
  readonly audience?: string;
  readonly expires?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly algorithm?: string;
  readonly key?: KeyObject | Uint8Array;
  readonly kid?: string;
}

function token(parts: TokenParts = {}): Promise<string> {
  const {
    issuer = base.issuer,
    audience = base.audience,
    expires = '5m',
    claims = {},
    algorithm = 'ES256',
    key = privateKey,
    kid,
  } = parts;
  return new SignJWT({ sub: 'john', scope: 'read write', ...claims })
    .setProtectedHeader({ alg: algorithm, ...(kid === undefined ? {} : { kid }) })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(expires)
    .sign(key);
}

const send = async (value: string, chain = filters) => run(chain, { headers: { authorization: `Bearer ${value}` } });

test('a good token names the user, and its scopes are authorities', async () => {
  const answer = await send(await token());
  deepEqual([answer.user, [...answer.exchange.principal.authorities]], ['john', ['SCOPE_read', 'SCOPE_write']]);
});

test('other claims can hold the name and the authorities', async () => {
  const verifier = createJwtVerifier({ ...options, nameClaim: 'email', authorities: { roles: 'ROLE_' } });
  const answer = await send(await token({ claims: { email: 'j@example.org', roles: ['ADMIN', 7] } }), [
    createBearerFilter({ verifier }),
  ]);
  deepEqual([answer.user, [...answer.exchange.principal.authorities]], ['j@example.org', ['ROLE_ADMIN']]);
});

test('an expired token, another issuer or audience, or a missing name is rejected with the reason', async () => {
  const table: [TokenParts, RegExp][] = [
    [{ expires: '-1h' }, /has expired/],
    [{ issuer: 'https://evil.example' }, /claim "iss"/],
    [{ audience: 'other' }, /claim "aud"/],
    [{ claims: { sub: '' } }, /names no user/],
  ];
  for (const [parts, reason] of table) {
    const answer = await send(await token(parts));
    deepEqual([answer.status, answer.headers['www-authenticate']], [401, 'Bearer error="invalid_token"']);
    match(String(answer.json()['message']), reason);
  }
});

test('the algorithm is the key’s: none, a public key as secret, and other algorithms get nowhere', async () => {
  const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }));
  const forged = [
    new UnsecuredJWT({ sub: 'admin' })
      .setIssuer(base.issuer)
      .setAudience(base.audience)
      .setExpirationTime('5m')
      .encode(),
    await token({ algorithm: 'HS256', key: pem, claims: { sub: 'admin' } }),
    await token({ algorithm: 'HS256', key: createSecretKey(pem), claims: { sub: 'admin' } }),
    await token({ key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }),
  ];
  for (const each of forged) {
    const answer = await send(each);
    deepEqual([answer.status, answer.reached], [401, false]);
    equal(answer.body.includes(each), false);
  }
});

test('a malformed token is rejected, other schemes are ignored, and a query parameter does not count', async () => {
  for (const authorization of ['Bearer', 'Bearer ', 'Bearer a b', 'Bearer x.y.z', `Bearer ${'a'.repeat(20_000)}`]) {
    equal((await run(filters, { headers: { authorization } })).status, 401, authorization.slice(0, 20));
  }
  equal((await run(filters, { headers: { authorization: 'Basic eDp5' } })).user, 'anonymousUser');
  equal((await run(filters, { target: `/?access_token=${await token()}` })).user, 'anonymousUser');
});

test('a shared secret works with HMAC only and must be long', async () => {
  const secret = randomBytes(32);
  const verifier = createJwtVerifier({ ...base, keys: { kind: 'shared', secret } });
  equal(
    (await send(await token({ algorithm: 'HS256', key: secret }), [createBearerFilter({ verifier })])).user,
    'john',
  );
  throws(() => createJwtVerifier({ ...base, keys: { kind: 'shared', secret: randomBytes(16) } }), {
    code: 'SECURITY_SETTING',
  });
  throws(() => createJwtVerifier({ ...base, keys: { kind: 'shared', secret }, algorithms: ['RS256'] }), {
    code: 'SECURITY_SETTING',
  });
  throws(() => createJwtVerifier({ ...options, algorithms: ['HS256'] }), { code: 'SECURITY_SETTING' });
  throws(() => createJwtVerifier({ ...options, algorithms: ['none'] }), { code: 'SECURITY_SETTING' });
  for (const url of ['http://id.example.org/jwks', 'http://127.0.0.1.example.org/jwks', 'file:///jwks', 'jwks']) {
    throws(() => createJwtVerifier({ ...options, keys: { kind: 'jwks', url } }), { code: 'SECURITY_SETTING' }, url);
  }
  throws(() => createJwtVerifier({ ...base, keys: { kind: 'public', key: privateKey } }), { code: 'SECURITY_SETTING' });
});

test('keys are fetched from the issuer; when they cannot be had, that is no fault of the token', async () => {
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' };
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  const chain = () => [createBearerFilter({ verifier: createJwtVerifier({ ...base, keys: { kind: 'jwks', url } }) })];
  const value = await token({ kid: 'k1' });
  equal((await send(value, chain())).user, 'john');
  match((await send(await token({ kid: 'k2' }), chain())).body, /its key is unknown/);
  await new Promise((resolve) => server.close(resolve));
  const answer = await send(value, chain());
  deepEqual(
    [answer.status, answer.json()['code'], answer.headers['retry-after']],
    [503, 'SECURITY_STORE_UNAVAILABLE', '1'],
  );
});
