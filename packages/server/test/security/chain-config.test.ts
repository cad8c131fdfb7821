// What the keys of security in a configuration do: each is set as its user would, and asked for over the running application.
import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { signRequest } from '@lockstitch/security';

import { postgresUrl } from '../../../graph/test/stores.ts';
import { checkApp } from '../../src/app/load-app.ts';
import { browser, cookies, NOBODY, ONE_TIME_SECRET, oneTimePassword } from '../browser.ts';
import { type Got, NOTES_SCHEMA, startApp } from '../start-app.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Answered to callers who may ask. */
const PROBE = '/graphql?query=%7B__typename%7D';
const SECRET = 'a shared secret of more than 32 bytes';

test('chains have their own rules and log-in; other requests use the outer keys', async (t) => {
  const { call } = await startApp(t, {
    config: {
      chains: [
        {
          name: 'partners',
          path: '/partners/**',
          staticKeys: [{ key: 'partner-key-1', name: 'acme', authorities: ['read'] }],
          rules: [
            { ant: '/partners/read', access: "hasAuthority('read')" },
            { any: true, access: 'denyAll' },
          ],
        },
        {
          path: ['/tokens/**'],
          login: { basic: false, form: false },
          bearer: { issuer: 'https://issuer', audience: 'notes', secret: SECRET },
        },
      ],
    },
  });
  const status = async (target: string, authorization: string): Promise<number> =>
    (await call(target, { headers: { authorization } })).status;
  const key = 'partner-key-1';
  deepEqual([await status('/partners/read', key), await status('/partners/write', key)], [405, 403]);
  equal((await call('/partners/read')).status, 401, 'a password is no key');

  const token = (audience: string): string => {
    const claims = { iss: 'https://issuer', aud: audience, sub: 'ada', exp: Math.floor(Date.now() / 1000) + 60 };
    const parts = [{ alg: 'HS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    return `${parts.join('.')}.${createHmac('sha256', SECRET).update(parts.join('.')).digest('base64url')}`;
  };
  equal(await status('/tokens/x', `Bearer ${token('notes')}`), 405);
  equal(await status('/tokens/x', `Bearer ${token('others')}`), 401);
  equal((await call('/tokens/x')).status, 401, 'HTTP Basic is off in this chain');

  equal((await call(PROBE)).status, 200);
  equal(await status(PROBE, ''), 401);
  equal(await status('/healthz', ''), 200);
});

test('clients sign their requests with the keys of the configuration', async (t) => {
  const { call } = await startApp(t, {
    config: { signatures: { signers: [{ keyId: 'k1', name: 'acme', secret: SECRET }] } },
  });
  const key = { kind: 'shared', secret: Buffer.from(SECRET) } as const;
  const authorization = signRequest('k1', key, { method: 'GET', target: PROBE });
  equal((await call(PROBE, { headers: { authorization } })).status, 200);
  equal((await call(PROBE, { headers: { authorization } })).status, 401, 'a nonce counts once');
});

test('headers: a nonce for each answer that routes can read, HSTS behind a proxy that is trusted, others at will', async (t) => {
  const { call } = await startApp(t, {
    transport: 'socket',
    files: {
      'lockstitch.config.mjs': `export default {
        trustProxy: true,
        headers: {
          contentSecurityPolicy: "script-src 'nonce-{nonce}'",
          hsts: { maxAge: 60, includeSubDomains: false },
          frameOptions: 'SAMEORIGIN', referrerPolicy: 'no-referrer', xssProtection: '0', custom: { 'X-Own': 'yes' },
        },
        rules: [{ any: true, access: 'permitAll' }],
        routes: [{ path: '/page', handle: ({ cspNonce }) => ({ body: cspNonce }) }],
      };`,
    },
  });
  const first = await call('/page');
  const second = await call('/page', { headers: { 'x-forwarded-proto': 'https' } });
  notEqual(first.text, second.text);
  deepEqual(
    [first.headers['content-security-policy'], first.headers['strict-transport-security']],
    [`script-src 'nonce-${first.text}'`, undefined],
  );
  const { headers } = second;
  deepEqual(
    [headers['strict-transport-security'], headers['x-frame-options'], headers['referrer-policy'], headers['x-own']],
    ['max-age=60', 'SAMEORIGIN', 'no-referrer', 'yes'],
  );
  equal(headers['x-xss-protection'], '0');
});

test('a second factor is asked of users that have one', async (t) => {
  const { call } = await startApp(t, { config: { login: { oneTime: { secrets: { user: ONE_TIME_SECRET } } } } });
  const refused = await call(PROBE);
  deepEqual([refused.status, refused.json.code], [401, 'SECURITY_ONE_TIME_REQUIRED']);
  const code = oneTimePassword();
  equal((await call(PROBE, { headers: { 'x-one-time-password': code } })).status, 200);
  equal((await call(PROBE, { headers: { 'x-one-time-password': code } })).status, 401);
});

for (const database of ['SQLite', 'PostgreSQL']) {
  test(`${database}: sessions in the database outlive a restart, and their number is bounded`, async (t) => {
    const url = database === 'SQLite' ? undefined : await postgresUrl();
    if (url?.startsWith('postgres:') === false) return t.skip(url);
    const folder = temporaryFolder(t);
    const session = { store: 'database', maxPerUser: 1, cookieName: 'SID', sameSite: 'strict' };
    const options = { config: { session, database: { url } }, folder, data: join(folder, 'data') };
    const before = await startApp(t, options);
    const one = browser(before);
    const loggedIn = await one.logIn();
    match(loggedIn.headers['set-cookie'] ?? '', /^SID=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    equal((await one.send(PROBE)).status, 200);
    await before.close();

    const after = await startApp(t, options);
    equal((await after.call(PROBE, { headers: { ...NOBODY, cookie: cookies(one.jar) } })).status, 200);
    const two = browser(after);
    await two.logIn();
    equal((await two.send(PROBE)).status, 200);
    equal((await after.call(PROBE, { headers: { ...NOBODY, cookie: cookies(one.jar) } })).status, 401);
  });
}

test('"stay signed in" is a cookie that outlives the session', async (t) => {
  const app = await startApp(t, { config: { login: { rememberMe: { key: SECRET } } } });
  const me = browser(app);
  await me.logIn('correct horse', { 'remember-me': 'on' });
  me.jar.delete('JSESSIONID');
  deepEqual([[...me.jar.keys()], (await me.send(PROBE)).status], [['remember-me'], 200]);
});

test('3.2 forms are read up to the bounds that are set', async (t) => {
  const me = browser(await startApp(t, { config: { forms: { maxBytes: 1024, maxFields: 3 } } }));
  equal((await me.logIn('correct horse', { a: '', b: '' })).json.code, 'SECURITY_FORM_FIELDS');
  equal((await me.logIn('x'.repeat(1024))).status, 413);
  equal((await me.logIn()).status, 302);
});

test('identity providers are offered on the log-in page, and users sent there with state and proof key', async (t) => {
  const app = await startApp(t, {
    config: {
      github: { clientId: 'id', clientSecret: 'hidden' },
      login: { github: true, baseUrl: 'https://notes.example.org' },
    },
  });
  match((await browser(app).send('/login')).text, /href="\/oauth2\/authorization\/github"[^<]*GitHub/);
  const { status, headers } = await browser(app).send('/oauth2/authorization/github');
  const target = new URL(headers['location']!);
  deepEqual(
    [status, target.origin + target.pathname, target.searchParams.get('redirect_uri')],
    [302, 'https://github.com/login/oauth/authorize', 'https://notes.example.org/login/oauth2/code/github'],
  );
  for (const name of ['state', 'code_challenge']) notEqual(target.searchParams.get(name), null);
});

test('CSRF tokens can be masked, expire, or be in a cookie for scripts; other sites are recognised by their headers', async (t) => {
  const masked = browser(await startApp(t, { config: { csrf: { masked: true, fetchMetadata: true } } }));
  const tokens = [await masked.send('/csrf'), await masked.send('/csrf')].map(({ json }) => json.token as string);
  notEqual(tokens[0], tokens[1]);
  const post = (token: string, site: string): Promise<Got> =>
    masked.send('/logout', { method: 'POST', headers: { 'x-csrf-token': token, 'sec-fetch-site': site } });
  equal((await post(tokens[0]!, 'cross-site')).json.code, 'SECURITY_CSRF_CROSS_SITE');
  equal((await post(tokens[0]!, 'same-origin')).status, 302);

  const inCookie = browser(await startApp(t, { config: { csrf: { repository: 'cookie' } } }));
  const { headerName, token } = (await inCookie.send('/csrf')).json;
  deepEqual([headerName, inCookie.jar.get('XSRF-TOKEN')], ['X-XSRF-TOKEN', token]);
  equal((await inCookie.logIn()).status, 302);
});

test('guessing is bounded as configured, requests of an address and names of hosts as well', async (t) => {
  const { call } = await startApp(t, {
    config: {
      attempts: { perPair: 2, window: 60 },
      firewall: { allowedHosts: ['localhost'], requestsPerAddress: 6 },
    },
  });
  const wrong = { authorization: `Basic ${Buffer.from('user:wrong').toString('base64')}` };
  const statuses: number[] = [];
  for (let round = 0; round < 3; round++) statuses.push((await call('/', { headers: wrong })).status);
  deepEqual(statuses, [401, 401, 429]);
  equal((await call('/', { headers: { host: 'rebound.example' } })).status, 400);
  for (let round = 0; round < 3; round++) statuses.push((await call('/healthz')).status);
  equal((await call('/healthz')).status, 429);
});

test('the audit file has a line of JSON for each event, and nothing secret', async (t) => {
  const { call, folder, close } = await startApp(t, { config: { audit: { file: 'audit.jsonl' } } });
  await call(PROBE);
  await call(PROBE, {
    headers: { authorization: `Basic ${Buffer.from('eve\n:guess').toString('base64')}` },
  });
  await call('/notes/..%2fx');
  await close();
  const text = readFileSync(join(folder, 'audit.jsonl'), 'utf8');
  const events = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  deepEqual(
    events.map(({ kind, username, path }) => [kind, username, path]),
    [
      ['authentication-success', 'user', '/graphql'],
      ['authentication-failure', 'eve\n', '/graphql'],
      ['firewall-refused', undefined, undefined],
    ],
  );
  for (const secret of ['correct horse', 'guess']) equal(text.includes(secret), false);
});

test('check reports settings that cannot work, each with its line', async () => {
  const config = `export default {
  login: { github: true },
  csrf: { repository: 'cookie', lifetime: 60 },
  bearer: { issuer: 'a', audience: 'b', secret: 'short' },
  signatures: { signers: [{ keyId: 'a' }] },
  headers: { custom: { 'bad name': 'x' } }, cors: [{}, {}], firewall: { allowedHosts: ['https://a'] },
  rules: (r) => {
    r.ant('/a/{').permitAll();
    r.ant('/b').hasRole('ROLE_X');
    return r.anyRequest().access('hasRol("A")');
  },
  chains: [
    { path: '/api/**', rules: [
      { ant: '/api/{', access: 'permitAll' },
      { ant: '/api/**', access: 'permitAll' },
      { ant: '/api/x', access: 'denyAll' },
    ] },
  ],
};`;
  const folder = temporaryFolder(undefined, { 'schema.graphql': NOTES_SCHEMA, 'lockstitch.config.mjs': config });
  const reading = await checkApp(folder, {});
  const told = reading.kind === 'good' ? [] : reading.problems.map(({ where, message }) => `${where} ${message}`);
  deepEqual(
    told.map((line) => /:(\d+) /.exec(line)?.[1]).toSorted((a, b) => Number(a) - Number(b)),
    ['2', '3', '4', '5', '6', '6', '6', '8', '9', '10', '14', '16'],
    told.join('\n'),
  );
});
