import { deepEqual, equal, match, notEqual, rejects, throws } from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createPrincipal } from '@lockstitch/kernel';
import { codePoint } from '../../../kernel/test/code-point.ts';
import type { AuditEvent } from '../../src/audit/audit.ts';
import { CSRF, createCsrfToken } from '../../src/csrf/csrf-token.ts';
import { createClientCsrfRepository } from '../../src/csrf/client-csrf-repository.ts';
import { createCookieCsrfRepository } from '../../src/csrf/cookie-csrf-repository.ts';
import { createCsrf, type CsrfOptions } from '../../src/csrf/csrf.ts';
import { createExpiringCsrfRepository } from '../../src/csrf/expiring-csrf-repository.ts';
import { createFetchMetadataFilter } from '../../src/csrf/fetch-metadata.ts';
import { maskToken, unmaskToken } from '../../src/csrf/masked-token.ts';
import { createSessionCsrfRepository } from '../../src/csrf/session-csrf-repository.ts';
import { createSessions } from '../../src/session/sessions.ts';
import { createClient, form, run, type TestRequest } from '../support/run-filters.ts';

function withSession(options: Partial<CsrfOptions> = {}) {
  const sessions = createSessions();
  const csrf = createCsrf({ repository: createSessionCsrfRepository(sessions), ...options });
  const filters = [sessions.filter, csrf.filter, csrf.endpointFilter];
  const client = createClient(filters);
  const token = async () => String((await client.send({ target: '/csrf' })).json()['token']);
  return { sessions, csrf, filters, client, token };
}

const withHeader = (token: string): TestRequest => ({ method: 'POST', headers: { 'X-CSRF-TOKEN': token } });

test('GET, HEAD, TRACE and OPTIONS pass without a token and start no session', async () => {
  const { filters } = withSession();
  for (const method of ['GET', 'HEAD', 'TRACE', 'OPTIONS']) {
    const answer = await run(filters, { method });
    deepEqual([answer.reached, answer.cookies], [true, {}], method);
  }
});

test('every other method needs a token, and the names of methods are case-sensitive', async () => {
  const { filters } = withSession();
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'get', 'PROPFIND']) {
    const answer = await run(filters, { method });
    deepEqual([answer.reached, answer.status], [false, 403], method);
  }
});

test('/csrf returns the header, the parameter and a random UUID', async () => {
  const { client } = withSession();
  const answer = await client.send({ target: '/csrf' });
  const { headerName, parameterName, token } = answer.json();
  deepEqual([headerName, parameterName, answer.headers['cache-control']], ['X-CSRF-TOKEN', '_csrf', 'no-store']);
  match(String(token), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  equal((await client.send({ target: '/csrf' })).json()['token'], token, 'the same for the whole session');
});

test('the token passes in the header, in the query and in an urlencoded body, again and again', async () => {
  const { client, token } = withSession();
  const value = await token();
  const ways: TestRequest[] = [
    withHeader(value),
    { method: 'POST', headers: { 'x-csrf-token': value } },
    { method: 'DELETE', target: `/x?_csrf=${value}` },
    form({ _csrf: value }),
    form({ _csrf: value }),
  ];
  for (const way of ways) equal((await client.send(way)).reached, true, JSON.stringify(way));
});

test('JSON and multipart bodies are not read for it, and a cookie of that name does not count', async () => {
  const { client, token } = withSession();
  const value = await token();
  const ways: TestRequest[] = [
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ _csrf: value }) },
    { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: `_csrf=${value}` },
    { method: 'POST', headers: { 'content-type': 'text/plain' }, body: `_csrf=${value}` },
  ];
  for (const way of ways) equal((await client.send(way)).status, 403, JSON.stringify(way));
  client.jar.set('_csrf', value);
  equal((await client.send({ method: 'POST' })).status, 403);
});

test('the header wins over the parameter, even when it is empty', async () => {
  const { client, token } = withSession();
  const value = await token();
  const both = (header: string, parameter: string) =>
    client.send({ method: 'POST', target: `/x?_csrf=${parameter}`, headers: { 'X-CSRF-TOKEN': header } });
  equal((await both(value, 'wrong')).reached, true);
  equal((await both('', value)).reached, false);
});

test('a token that is cut, lengthened, quoted, of another session, or without its cookie is refused', async () => {
  const { client, token, filters } = withSession();
  const value = await token();
  const other = String((await createClient(filters).send({ target: '/csrf' })).json()['token']);
  for (const wrong of [value.slice(0, -1), `${value}0`, `"${value}"`, value.toUpperCase(), other, '']) {
    equal((await client.send(withHeader(wrong))).status, 403, wrong);
  }
  equal((await run(filters, withHeader(value))).status, 403);
});

test('the refusal says how to get the token and how to send it, and does not show it', async () => {
  const { client, token } = withSession();
  const value = await token();
  const missing = (await client.send({ method: 'POST', target: '/x' })).json();
  deepEqual(
    [missing['status'], missing['error'], missing['path'], missing['code']],
    [403, 'Forbidden', '/x', 'SECURITY_CSRF_MISSING'],
  );
  match(String(missing['hint']), /GET \/csrf.*X-CSRF-TOKEN.*_csrf.*cookie JSESSIONID/);
  const wrong = await client.send(withHeader('wrong'));
  equal(wrong.json()['code'], 'SECURITY_CSRF_INVALID');
  equal(wrong.body.includes(value), false);
});

test('a log-in replaces the token, a log-out removes it', async () => {
  const { sessions, csrf, client, token } = withSession();
  const before = await token();
  await client.send({}, async (exchange) => {
    await sessions.logIn(exchange, { principal: createPrincipal('john'), login: 'full' });
    await csrf.renew(exchange);
  });
  equal((await client.send(withHeader(before))).status, 403);
  const after = await token();
  notEqual(after, before);
  equal((await client.send(withHeader(after))).reached, true);
  await client.send({}, (exchange) => csrf.forget(exchange));
  equal((await client.send(withHeader(after))).status, 403);
});

test('requests can be left out, and a token is still at hand for their pages', async () => {
  const { filters } = withSession({ ignoring: [(exchange) => exchange.path.startsWith('/api/')] });
  equal((await run(filters, { method: 'POST', target: '/api/x' })).reached, true);
  equal((await run(filters, { method: 'POST', target: '/other' })).reached, false);
});

test('the request carries the token as _csrf; the session starts when it is asked for', async () => {
  const { client } = withSession();
  let value = '';
  const answer = await client.send({}, async (exchange) => {
    value = (await exchange.get(CSRF)!.obtain()).token;
  });
  match(answer.headers['set-cookie'] ?? '', /^JSESSIONID=/);
  equal((await client.send(withHeader(value))).reached, true);
});

test('refusals are audited without the token', async () => {
  const events: AuditEvent[] = [];
  const { client, token } = withSession({ audit: { record: (event) => events.push(event) } });
  await token();
  await client.send(withHeader('sent-by-a-stranger'));
  deepEqual(
    events.map(({ kind }) => kind),
    ['csrf-refused'],
  );
  equal(JSON.stringify(events).includes('stranger'), false);
});

describe('masked tokens', () => {
  test('any text comes back from its mask, and no two masks are alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, minLength: 8, maxLength: 64 }), (text) => {
        const bytes = Buffer.byteLength(text);
        equal(unmaskToken(maskToken(text), bytes), Buffer.from(text).toString());
        notEqual(maskToken(text), maskToken(text));
      }),
    );
  });

  test('each answer shows another form, all of which pass; the plain token and a corrupted mask do not', async () => {
    const { client, token, sessions } = withSession({ masked: true });
    const [first, second] = [await token(), await token()];
    notEqual(first, second);
    for (const value of [first, second]) equal((await client.send(withHeader(value))).reached, true);
    let plain = '';
    await client.send({}, (exchange) => void (plain = String(sessions.current(exchange)?.get('csrf'))));
    for (const wrong of [
      plain,
      first.slice(2),
      `${first}AA`,
      '!!',
      first.replace(/^./, (char) => (char === 'A' ? 'B' : 'A')),
    ]) {
      equal((await client.send(withHeader(wrong))).status, 403, wrong);
    }
  });
});

describe('the cookie repository', () => {
  const csrf = createCsrf({ repository: createCookieCsrfRepository() });
  const filters = [csrf.filter, csrf.endpointFilter];

  test('wants the cookie XSRF-TOKEN again in the header X-XSRF-TOKEN or as _csrf', async () => {
    const client = createClient(filters);
    const answer = await client.send({ target: '/csrf' });
    const { headerName, token } = answer.json();
    equal(headerName, 'X-XSRF-TOKEN');
    match(answer.headers['set-cookie'] ?? '', /^XSRF-TOKEN=[0-9a-f-]{36}; Path=\/; HttpOnly; SameSite=Lax$/);
    equal((await client.send({ method: 'POST', headers: { 'x-xsrf-token': String(token) } })).reached, true);
    equal((await client.send(form({ _csrf: String(token) }))).reached, true);
    equal((await client.send(withHeader(String(token)))).status, 403, 'X-CSRF-TOKEN is not its name');
    equal((await client.send({ method: 'POST' })).status, 403, 'the cookie alone is what a forged request has');
  });
});

describe('the client repository', () => {
  const csrf = createCsrf({ repository: createClientCsrfRepository() });
  const filters = [csrf.filter, csrf.endpointFilter];
  const as = (client: string, request: TestRequest = {}) =>
    run(filters, { ...request, headers: { ...request.headers, 'X-IDENTIFIER': client } });

  test('ties the token to the identifier that the client sends', async () => {
    const token = String((await as('phone-1', { target: '/csrf' })).json()['token']);
    equal((await as('phone-1', withHeader(token))).reached, true);
    equal((await as('phone-2', withHeader(token))).status, 403);
    equal((await run(filters, withHeader(token))).status, 403);
  });

  test('gives no token to a client without identifier, and says so', async () => {
    await rejects(run(filters, { target: '/csrf' }), { code: 'SECURITY_CSRF_CLIENT_MISSING', status: 400 });
    await rejects(as('x'.repeat(201), { target: '/csrf' }), { code: 'SECURITY_CSRF_CLIENT_MISSING' });
  });
});

test('an expiring token is good until its time and then replaced', async () => {
  let now = 0;
  const sessions = createSessions();
  const inner = createSessionCsrfRepository(sessions);
  const repository = createExpiringCsrfRepository(inner, { lifetime: 1000, clock: { now: () => now } });
  const csrf = createCsrf({ repository });
  const client = createClient([sessions.filter, csrf.filter, csrf.endpointFilter]);
  const first = String((await client.send({ target: '/csrf' })).json()['token']);
  now = 999;
  equal((await client.send(withHeader(first))).reached, true);
  now = 1000;
  equal((await client.send(withHeader(first))).status, 403);
  const second = String((await client.send({ target: '/csrf' })).json()['token']);
  equal((await client.send(withHeader(second))).reached, true);
  const prolonged = second.replace(/^[^.]+/, 'zzzzzz');
  equal((await client.send(withHeader(prolonged))).status, 403, 'its time cannot be written by the caller');
});

test('a token without a value or a name is refused when it is made', () => {
  for (const parts of [{ token: '' }, { headerName: '' }, { parameterName: '' }]) {
    throws(() => createCsrfToken(parts), { code: 'SECURITY_CSRF_TOKEN' });
  }
});

test('Fetch Metadata refuses writes that a page of another site makes, unless its origin is trusted', async () => {
  const filters = [createFetchMetadataFilter({ trustedOrigins: ['https://app.example.org'] })];
  const from = async (site: string | undefined, method = 'POST', origin = 'https://evil.example') => {
    const headers = { origin, ...(site === undefined ? {} : { 'sec-fetch-site': site }) };
    return (await run(filters, { method, headers })).reached;
  };
  deepEqual(
    [
      await from('cross-site'),
      await from('same-site'),
      await from('same-origin'),
      await from('none'),
      await from(undefined),
    ],
    [false, false, true, true, true],
  );
  equal(await from('cross-site', 'GET'), true);
  equal(await from('cross-site', 'POST', 'https://app.example.org'), true);
});
