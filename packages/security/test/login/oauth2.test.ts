import { deepEqual, equal, match, notEqual, throws } from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { SignJWT } from 'jose';
import type { AuditEvent } from '../../src/audit/audit.ts';
import { createOAuth2Login } from '../../src/login/oauth2-login.ts';
import { createOAuth2Provider, GITHUB, type OAuth2ProviderOptions } from '../../src/login/oauth2-provider.ts';
import { createSessions } from '../../src/session/sessions.ts';
import { createClient } from '../support/run-filters.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** An identity provider: codes are given out by hand, everything else is as a real one does it. */
let server: Server;
let origin = '';
const codes = new Map<string, { challenge: string; redirectUri: string; nonce: string | undefined }>();

before(async () => {
  server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => new Promise((resolve) => server.close(resolve)));

async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
  const path = new URL(request.url!, origin).pathname;
  if (path === '/.well-known/openid-configuration') {
    const addresses = {
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      userinfo_endpoint: `${origin}/userinfo`,
    };
    return { status: 200, body: { issuer: origin, id_token_signing_alg_values_supported: ['ES256'], ...addresses } };
  }
  if (path === '/token') return exchangeCode(new URLSearchParams(await text(request)));
  if (request.headers.authorization !== 'Bearer access-t0ken') return { status: 401, body: {} };
  return {
    status: 200,
    body: path === '/userinfo' ? { sub: 'u1', email: 'u1@example.org' } : { id: 42, login: 'octo', name: 'Octo' },
  };
}

async function exchangeCode(form: URLSearchParams): Promise<{ status: number; body: object }> {
  const grant = codes.get(form.get('code') ?? '');
  codes.delete(form.get('code') ?? '');
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  const good =
    grant?.challenge === challenge &&
    grant.redirectUri === form.get('redirect_uri') &&
    form.get('client_secret') === 's3cret';
  if (!good) return { status: 400, body: { error: 'invalid_grant' } };
  const idToken = new SignJWT({ nonce: grant.nonce })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(origin)
    .setAudience('client')
    .setSubject('u1');
  const id = await idToken.setIssuedAt().setExpirationTime('5m').sign(privateKey);
  return {
    status: 200,
    body: {
      access_token: 'access-t0ken',
      token_type: 'bearer',
      ...(grant.nonce === undefined ? {} : { id_token: id }),
    },
  };
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

function setup(options: Partial<OAuth2ProviderOptions> = {}) {
  const events: AuditEvent[] = [];
  const lines: string[] = [];
  const sessions = createSessions();
  const plain = { authorizationUrl: `${origin}/authorize`, tokenUrl: `${origin}/token`, profileUrl: `${origin}/user` };
  const provider = createOAuth2Provider({
    ...GITHUB,
    ...plain,
    clientId: 'client',
    clientSecret: 's3cret',
    allowInsecureRequests: true,
    ...options,
  });
  const login = createOAuth2Login({
    providers: [provider],
    sessions,
    baseUrl: 'https://app.example.org',
    audit: { record: (event) => events.push(event) },
    log: { write: (...line) => lines.push(JSON.stringify(line)) },
  });
  const client = createClient([sessions.filter, login.filter], { headers: { accept: 'text/html' } });
  /** The user agrees: the provider gives out a code for what the browser brought. */
  const agree = async (id = 'github') => {
    const sent = await client.send({ target: `/oauth2/authorization/${id}` });
    const query = new URL(sent.headers['location']!).searchParams;
    const code = `code-${Math.random()}`;
    codes.set(code, {
      challenge: query.get('code_challenge')!,
      redirectUri: query.get('redirect_uri')!,
      nonce: query.get('nonce') ?? undefined,
    });
    return { query, code, state: query.get('state')! };
  };
  return { client, agree, events, lines, login };
}

test('GitHub: the user is sent off with state and PKCE, comes back with a code, and is logged in', async () => {
  const { client, agree, events, lines } = setup();
  const { query, code, state } = await agree();
  deepEqual(
    [query.get('client_id'), query.get('redirect_uri'), query.get('code_challenge_method'), query.get('response_type')],
    ['client', 'https://app.example.org/login/oauth2/code/github', 'S256', 'code'],
  );
  const before = client.jar.get('JSESSIONID');
  const back = await client.send({ target: `/login/oauth2/code/github?code=${code}&state=${state}` });
  deepEqual([back.status, back.headers['location']], [302, '/']);
  notEqual(client.jar.get('JSESSIONID'), before);
  const seen = await client.send({ target: '/x' });
  deepEqual([seen.user, seen.exchange.principal.attributes], ['github:42', { name: 'Octo' }]);
  deepEqual(
    events.map(({ kind }) => kind),
    ['authentication-success'],
  );
  equal(/s3cret|t0ken|code-0/.test(JSON.stringify(events) + lines.join()), false);
});

test('OpenID Connect: discovered, with a nonce in the ID token', async () => {
  const { client, agree } = setup({ id: 'acme', issuer: origin });
  const { query, code, state } = await agree('acme');
  equal(query.get('scope'), 'openid profile email');
  await client.send({ target: `/login/oauth2/code/acme?code=${code}&state=${state}` });
  const seen = await client.send({ target: '/x' });
  deepEqual([seen.user, seen.exchange.principal.attributes], ['acme:u1', { email: 'u1@example.org' }]);
});

describe('an answer is refused', () => {
  const refused = async (send: (login: ReturnType<typeof setup>) => Promise<string>) => {
    const login = setup();
    const target = await send(login);
    const answer = await login.client.send({ target });
    deepEqual([answer.status, answer.headers['location']], [302, '/login?error']);
    equal((await login.client.send({ target: '/x' })).user, 'anonymousUser');
    return login;
  };

  test('that nobody asked for in this browser', async () => {
    await refused(async () => '/login/oauth2/code/github?code=x&state=y');
  });

  test('with another state, or none', async () => {
    await refused(async ({ agree }) => `/login/oauth2/code/github?code=${(await agree()).code}&state=other`);
    await refused(async ({ agree }) => `/login/oauth2/code/github?code=${(await agree()).code}`);
  });

  test('with a code of another browser', async () => {
    const victim = setup();
    await refused(async ({ agree }) => {
      const stolen = (await victim.agree()).code;
      return `/login/oauth2/code/github?code=${stolen}&state=${(await agree()).state}`;
    });
  });

  test('a second time', async () => {
    const { client, agree } = setup();
    const { code, state } = await agree();
    const target = `/login/oauth2/code/github?code=${code}&state=${state}`;
    equal((await client.send({ target })).headers['location'], '/');
    equal((await client.send({ target })).headers['location'], '/login?error');
  });

  test('when the user declined; programs are told why', async () => {
    const { client, agree, events } = setup();
    const { state } = await agree();
    const target = `/login/oauth2/code/github?error=access_denied&state=${state}`;
    const answer = await client.send({ target, headers: { accept: 'application/json' } });
    deepEqual([answer.status, answer.json()['code']], [401, 'SECURITY_OAUTH_FAILED']);
    match(String(answer.json()['hint']), /\/oauth2\/authorization\/github/);
    deepEqual(
      events.map(({ kind }) => kind),
      ['authentication-failure'],
    );
  });
});

test('the host that a caller names has no say in where the code is sent', async () => {
  const { client } = setup();
  const sent = await client.send({ target: '/oauth2/authorization/github', headers: { host: 'evil.example' } });
  match(new URL(sent.headers['location']!).searchParams.get('redirect_uri')!, /^https:\/\/app\.example\.org\//);
});

test('other paths and unknown providers are left to others; the login page gets its links', async () => {
  const { client, login } = setup();
  equal((await client.send({ target: '/oauth2/authorization/other' })).reached, true);
  deepEqual(login.links, [{ href: '/oauth2/authorization/github', label: 'Sign in with GitHub' }]);
});

test('incomplete and insecure settings are refused when they are made', () => {
  const good = { ...GITHUB, clientId: 'c', clientSecret: 's' };
  const bad: Partial<OAuth2ProviderOptions>[] = [
    { clientSecret: '' },
    { id: 'Git Hub' },
    { tokenUrl: 'http://github.com/token' },
    { issuer: 'http://id.example.org' },
  ];
  for (const part of bad) throws(() => createOAuth2Provider({ ...good, ...part }), { code: 'SECURITY_SETTING' });
  throws(() => createOAuth2Provider({ id: 'x', clientId: 'c', clientSecret: 's' }), { code: 'SECURITY_SETTING' });
  for (const baseUrl of ['app.example.org', 'https://app.example.org/x', 'javascript:alert(1)']) {
    throws(() => createOAuth2Login({ providers: [], sessions: createSessions(), baseUrl }), {
      code: 'SECURITY_SETTING',
    });
  }
});
