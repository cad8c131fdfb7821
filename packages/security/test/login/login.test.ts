import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAuthenticator } from '../../src/authentication/authenticator.ts';
import { createBasicFilter } from '../../src/authentication/basic.ts';
import { basicEntryPoint, loginEntryPoint, negotiate } from '../../src/authentication/entry-points.ts';
import { AuthenticationFailure } from '../../src/chain/authentication-failure.ts';
import { createAuthenticationManager } from '../../src/authentication/manager.ts';
import { createUserProvider } from '../../src/authentication/user-provider.ts';
import type { Filter } from '../../src/chain/filter.ts';
import { createCsrf } from '../../src/csrf/csrf.ts';
import { createSessionCsrfRepository } from '../../src/csrf/session-csrf-repository.ts';
import { createFormLoginFilter } from '../../src/login/form-login.ts';
import { createLoginPageFilter, createLogoutPageFilter } from '../../src/login/login-page.ts';
import { createLogoutFilter } from '../../src/login/logout.ts';
import { createRequestIdFilter } from '../../src/login/request-id.ts';
import { createSavedRequests } from '../../src/login/saved-request.ts';
import { createDelegatingEncoder } from '../../src/password/delegating-encoder.ts';
import { createSessions } from '../../src/session/sessions.ts';
import { createMemoryUserStore } from '../../src/users/memory-user-store.ts';
import { userNamed } from '../../src/users/user.ts';
import { basic, createClient, form, run, type TestRequest } from '../support/run-filters.ts';

const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Form login and Basic, everything needs a user. */
function chain(): Filter[] {
  const john = userNamed('john').password('{noop}12345').authorities('read').build();
  const jane = userNamed('jane').password('{noop}12345').authorities('read').build();
  const users = createMemoryUserStore([john, jane]);
  const provider = createUserProvider({ users, encoder: createDelegatingEncoder({ encodeId: 'noop' }) });
  const authenticator = createAuthenticator({ manager: createAuthenticationManager({ providers: [provider] }) });
  const sessions = createSessions();
  const csrf = createCsrf({ repository: createSessionCsrfRepository(sessions) });
  const savedRequests = createSavedRequests(sessions);
  const entryPoint = negotiate({
    login: loginEntryPoint(),
    other: basicEntryPoint(),
    remember: (exchange) => savedRequests.save(exchange),
  });
  const authenticated: Filter = {
    name: 'authenticated',
    handle(exchange, next) {
      if (exchange.principal.authenticated) return next(exchange);
      return entryPoint(exchange, new AuthenticationFailure('SECURITY_BAD_CREDENTIALS'));
    },
  };
  return [
    sessions.filter,
    csrf.filter,
    csrf.endpointFilter,
    createLogoutFilter({ sessions, csrf }),
    createFormLoginFilter({ authenticator, sessions, csrf, savedRequests }),
    createLoginPageFilter(),
    createLogoutPageFilter(),
    createBasicFilter({ authenticator }),
    authenticated,
  ];
}

function browser(filters: readonly Filter[] = chain()) {
  const client = createClient(filters, { headers: { accept: page } });
  const token = async () => /name="_csrf" value="([^"]+)"/.exec((await client.send({ target: '/login' })).body)![1]!;
  const login = async (username: string, password: string) => {
    const request = form({ username, password, _csrf: await token() });
    return client.send({ ...request, target: '/login' });
  };
  return { client, token, login };
}

describe('a request without a user', () => {
  const ask = async (headers: Record<string, string> = {}) => run(chain(), { target: '/x', headers });

  test('by a browser is sent to the login page', async () => {
    for (const accept of ['text/html', page, 'text/plain', 'image/png', 'application/json, text/html', 'text/css']) {
      const answer = await ask({ accept });
      deepEqual([answer.status, answer.headers['location']], [302, '/login'], accept);
    }
  });

  test('by a program is 401 with a challenge', async () => {
    for (const accept of [
      'application/json',
      '*/*',
      'application/xml',
      'application/x-www-form-urlencoded',
      undefined,
    ]) {
      const answer = await ask(accept === undefined ? {} : { accept });
      deepEqual([answer.status, answer.headers['www-authenticate']], [401, 'Basic realm="Realm"'], accept ?? 'none');
    }
  });

  test('by a script, or with wrong Basic credentials, is 401 whatever it accepts', async () => {
    const script = await ask({ accept: 'text/html', 'x-requested-with': 'XMLHttpRequest' });
    deepEqual([script.status, script.headers['www-authenticate']], [401, undefined]);
    equal((await ask({ accept: 'text/html', ...basic('john', 'wrong') })).status, 401);
  });
});

describe('the login page', () => {
  test('is a form that works without script, with labels and the token', async () => {
    const answer = await run(chain(), { target: '/login' });
    equal(answer.headers['content-type'], 'text/html;charset=UTF-8');
    for (const part of [
      '<form method="post" action="/login">',
      'name="username"',
      'type="password" name="password"',
      'type="hidden" name="_csrf"',
      '<html lang="en">',
      '<h1>',
      '<label>',
    ]) {
      equal(answer.body.includes(part), true, part);
    }
    equal(/<script|\son\w+=|javascript:/i.test(answer.body), false);
    match(answer.headers['set-cookie'] ?? '', /^JSESSIONID=/);
  });

  test('allows itself nothing but its own style and its own form', async () => {
    const answer = await run(chain(), { target: '/login' });
    const policy = answer.headers['content-security-policy'] ?? '';
    const nonce = /style-src 'nonce-([^']+)'/.exec(policy)![1]!;
    match(policy, /^default-src 'none'; .*form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/);
    equal(answer.body.includes(`<style nonce="${nonce}">`), true);
    match(answer.headers['cache-control'] ?? '', /no-store/);
  });

  test('says what went wrong, and that one is logged out', async () => {
    match((await run(chain(), { target: '/login?error' })).body, /role="alert"/);
    match((await run(chain(), { target: '/login?logout' })).body, /role="status"/);
    equal((await run(chain(), { target: '/login?error=<script>alert(1)</script>' })).body.includes('<script'), false);
  });

  test('escapes what the application writes into it', async () => {
    const filter = createLoginPageFilter({
      title: '<b>"Us" & them</b>',
      links: [{ href: '/go?a=1&b="', label: '<GitHub>' }],
    });
    const { body } = await run([filter], { target: '/login' });
    equal(/<b>|<GitHub>|b="">/.test(body), false);
  });
});

describe('logging in by form', () => {
  test('leads home, with a new session id and a session that the user owns', async () => {
    const { client, login } = browser();
    await client.send({ target: '/login' });
    const before = client.jar.get('JSESSIONID');
    const answer = await login('john', '12345');
    deepEqual([answer.status, answer.headers['location']], [302, '/']);
    match(answer.headers['set-cookie'] ?? '', /HttpOnly/);
    notEqual(client.jar.get('JSESSIONID'), before);
    equal((await client.send({ target: '/x' })).user, 'john');
  });

  test('trims the name and not the password', async () => {
    equal((await browser().login(' john ', '12345')).headers['location'], '/');
    equal((await browser().login('john', ' 12345')).headers['location'], '/login?error');
  });

  test('fails the same way for a wrong password and an unknown name', async () => {
    for (const [name, password] of [
      ['john', 'wrong'],
      ['nobody', '12345'],
      ['', ''],
    ] as const) {
      const answer = await browser().login(name, password);
      deepEqual([answer.status, answer.headers['location']], [302, '/login?error']);
    }
  });

  test('needs the CSRF token', async () => {
    const { client } = browser();
    await client.send({ target: '/login' });
    equal((await client.send({ ...form({ username: 'john', password: '12345' }), target: '/login' })).status, 403);
  });

  test('takes no password from the query', async () => {
    const { client, token } = browser();
    const target = `/login?username=john&password=12345&_csrf=${await token()}`;
    equal((await client.send({ method: 'POST', target })).headers['location'], '/login?error');
  });

  test('replaces the CSRF token', async () => {
    const { client, token, login } = browser();
    const before = await token();
    await login('john', '12345');
    const post = (value: string) => client.send({ method: 'POST', target: '/x', headers: { 'x-csrf-token': value } });
    equal((await post(before)).status, 403);
    const after = String((await client.send({ target: '/csrf' })).json()['token']);
    equal((await post(after)).reached, true);
  });

  test('leads to the page that was refused before, once', async () => {
    const { client, login } = browser();
    await client.send({ target: '/deep/page?x=1' });
    equal((await login('john', '12345')).headers['location'], '/deep/page?x=1');
    equal((await login('john', '12345')).headers['location'], '/');
  });

  test('never leads to another server, a JSON answer, an icon or the target of a script', async () => {
    const refused: TestRequest[] = [
      { target: '//evil.example/x' },
      { target: '/\\evil.example' },
      { target: 'http://evil.example/' },
      { target: '/favicon.ico' },
      { target: '/api', headers: { accept: 'application/json' } },
      { target: '/api', headers: { 'x-requested-with': 'XMLHttpRequest' } },
      { target: `/${'x'.repeat(3000)}` },
    ];
    for (const request of refused) {
      const { client, login } = browser();
      await client.send(request);
      equal((await login('john', '12345')).headers['location'], '/', JSON.stringify(request).slice(0, 80));
    }
  });

  test('a refused JSON request starts no session', async () => {
    deepEqual((await run(chain(), { target: '/x', headers: { accept: 'application/json' } })).cookies, {});
  });

  test('answers programs with 204, or 401 and the body', async () => {
    const client = createClient(chain(), { headers: { accept: 'application/json' } });
    const token = String((await client.send({ target: '/csrf' })).json()['token']);
    const send = (password: string) => {
      const request = form({ username: 'john', password });
      return client.send({ ...request, target: '/login', headers: { ...request.headers, 'x-csrf-token': token } });
    };
    const refused = await send('wrong');
    deepEqual([refused.status, refused.json()['code']], [401, 'SECURITY_BAD_CREDENTIALS']);
    equal((await send('12345')).status, 204);
    equal((await client.send({ target: '/x' })).user, 'john');
  });
});

describe('a session and Basic on top of it', () => {
  test('wrong Basic credentials of the same user are not asked about', async () => {
    const { client, login } = browser();
    await login('john', '12345');
    const answer = await client.send({ target: '/x', headers: basic('john', 'wrong') });
    deepEqual([answer.reached, answer.user], [true, 'john']);
  });

  test('those of another user count for the one request', async () => {
    const { client, login } = browser();
    await login('john', '12345');
    equal((await client.send({ target: '/x', headers: basic('jane', '12345') })).user, 'jane');
    equal((await client.send({ target: '/x' })).user, 'john');
    equal((await client.send({ target: '/x', headers: basic('jane', 'wrong') })).status, 401);
  });

  test('Basic alone starts no session', async () => {
    const answer = await run(chain(), { target: '/x', headers: basic('john', '12345') });
    deepEqual([answer.reached, answer.cookies], [true, {}]);
  });
});

describe('logging out', () => {
  test('asks on GET and acts on POST with the token', async () => {
    const { client, login } = browser();
    await login('john', '12345');
    match((await client.send({ target: '/logout' })).body, /<form method="post" action="\/logout">/);
    equal((await client.send({ method: 'POST', target: '/logout' })).status, 403);
    equal((await client.send({ target: '/x' })).user, 'john');
    const token = String((await client.send({ target: '/csrf' })).json()['token']);
    const answer = await client.send({ ...form({ _csrf: token }), target: '/logout' });
    deepEqual([answer.status, answer.headers['location']], [302, '/login?logout']);
    equal((await client.send({ target: '/x', headers: { accept: 'application/json' } })).status, 401);
  });

  test('answers programs with 204', async () => {
    const { client, login } = browser();
    await login('john', '12345');
    const token = String((await client.send({ target: '/csrf' })).json()['token']);
    const headers = { accept: 'application/json', 'x-csrf-token': token };
    equal((await client.send({ method: 'POST', target: '/logout', headers })).status, 204);
  });
});

test('a Request-Id must be there and not blank, ahead of authentication', async () => {
  const filters = [createRequestIdFilter(), ...chain()];
  const ask = async (headers: Record<string, string>) => {
    const answer = await run(filters, { target: '/x', headers: { accept: 'application/json', ...headers } });
    return answer.status;
  };
  const john = basic('john', '12345');
  deepEqual(
    [
      await ask(john),
      await ask({ ...john, 'Request-Id': ' \t ' }),
      await ask({ ...john, 'X-Request-Id': '1' }),
      await ask({ 'Request-Id': '1' }),
      await ask({ ...john, 'request-id': '0' }),
    ],
    [400, 400, 400, 401, 200],
  );
});
