// Area C of the specification over HTTP: small applications, each with the configuration that a row is about.
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { basic, type ClientResponse } from './http-client.ts';
import { type App, describeTransports, spec, startApp } from './suite.ts';

const USERS = {
  passwordEncoder: 'noop',
  users: [
    { username: 'john', password: '12345', authorities: ['read'] },
    { username: 'jane', password: '12345', authorities: ['read', 'write'], roles: ['USER'] },
    { username: 'root', password: 'admin', roles: ['ADMIN'] },
  ],
} as const;
const JOHN = basic('john', '12345');
const JANE = basic('jane', '12345');
const ROOT = basic('root', 'admin');
const NO_CSRF = { csrf: { enabled: false } } as const;

/** The token and the cookie that go with a request that changes something. */
async function fetchToken(
  app: App,
  headers: Record<string, string> = {},
): Promise<{ token: string; cookie: string; header: string }> {
  const answer = await app.call({ path: '/csrf', headers });
  equal(answer.status, 200, answer.text);
  const { token, headerName } = answer.json<{ token: string; headerName: string }>();
  return { token, header: headerName, cookie: cookieOf(answer) };
}

function cookieOf(answer: ClientResponse): string {
  const cookie = (answer.headers['set-cookie'] ?? []).find((line) => line.startsWith('JSESSIONID='));
  ok(cookie, 'a JSESSIONID cookie is set');
  return cookie.split(';')[0]!;
}

describeTransports('C. Request security over HTTP', (transport) => {
  const withApp = async (config: object, work: (app: App) => Promise<void>): Promise<void> => {
    const app = await startApp({ ...USERS, ...config }, transport);
    try {
      await work(app);
    } finally {
      await app.close();
    }
  };
  const statusOf = async (
    app: App,
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<number> => (await app.call({ path, method, headers })).status;
  /** A row about one rule on `/x`: who gets which status. */
  const rule = (
    id: string,
    access: string,
    expected: { anonymous: number; john: number; jane: number; root: number },
  ): void => {
    spec(id, access, () =>
      withApp({ ...NO_CSRF, rules: [{ ant: '/x', access }] }, async (app) => {
        deepEqual(
          {
            anonymous: await statusOf(app, '/x'),
            john: await statusOf(app, '/x', JOHN),
            jane: await statusOf(app, '/x', JANE),
            root: await statusOf(app, '/x', ROOT),
          },
          expected,
        );
      }),
    );
  };
  /** A row about one path pattern: which paths it guards. */
  const pattern = (id: string, rules: object, guarded: readonly string[], open: readonly string[]): void => {
    spec(id, JSON.stringify(rules), () =>
      withApp({ ...NO_CSRF, rules: [{ ...rules, access: 'denyAll' }] }, async (app) => {
        for (const path of guarded) equal(await statusOf(app, path), 401, `${path} is guarded`);
        for (const path of open) equal(await statusOf(app, path), 200, `${path} is open`);
      }),
    );
  };

  spec('C.service.1', 'HTTP Basic, roles and authorities', () =>
    withApp(
      {
        ...NO_CSRF,
        rules: [
          { ant: '/admin/**', access: "hasRole('ADMIN')" },
          { any: true, access: 'authenticated' },
        ],
      },
      async (app) => {
        deepEqual(
          [
            await statusOf(app, '/admin/x', JOHN),
            await statusOf(app, '/admin/x', ROOT),
            await statusOf(app, '/other', JOHN),
          ],
          [403, 200, 200],
        );
      },
    ),
  );

  spec('C.service.2', 'the chain stands in front of everything', () =>
    withApp({}, async (app) => {
      for (const path of ['/', '/_search', '/x', '/nothing/here']) equal(await statusOf(app, path), 401, path);
    }),
  );

  spec('C.service.3', 'CSRF protection without configuring it', () =>
    withApp({}, async (app) => equal(await statusOf(app, '/x', JOHN, 'POST'), 403)),
  );

  spec('C.service.4', 'a CORS policy answers with its headers', () =>
    withApp({ cors: [{ allowedOrigins: ['https://app.example'] }] }, async (app) => {
      const answer = await app.call({ path: '/x', headers: { ...JOHN, origin: 'https://app.example' } });
      deepEqual([answer.status, answer.headers['access-control-allow-origin']], [200, 'https://app.example']);
    }),
  );

  spec('C.object.4', 'the token as the client sees it', () =>
    withApp({}, async (app) => {
      const { headerName, parameterName, token } = (await app.call({ path: '/csrf', headers: JOHN })).json<
        Record<string, string>
      >();
      deepEqual([headerName, parameterName], ['X-CSRF-TOKEN', '_csrf']);
      match(token!, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }),
  );

  spec('C.state.1', 'right credentials go on to authorization, and the handler knows the caller', () =>
    withApp({ rules: [{ any: true, access: "hasAuthority('read')" }] }, async (app) => {
      const answer = await app.call({ path: '/x', headers: JOHN });
      deepEqual([answer.status, answer.json<{ user: string }>().user], [200, 'john']);
    }),
  );

  spec('C.state.2', 'an unknown user: 401 even where anyone may go', () =>
    withApp({ rules: [{ any: true, access: 'permitAll' }] }, async (app) =>
      equal(await statusOf(app, '/x', basic('who', 'x')), 401),
    ),
  );

  spec('C.state.3', 'a wrong password: the same 401, byte for byte but for the time', () =>
    withApp({ rules: [{ any: true, access: 'denyAll' }] }, async (app) => {
      const wrong = await app.call({ path: '/x', headers: basic('john', 'x') });
      const unknown = await app.call({ path: '/x', headers: basic('who', 'x') });
      equal(wrong.status, 401);
      const { timestamp: _a, ...left } = wrong.json<Record<string, unknown>>();
      const { timestamp: _b, ...right } = unknown.json<Record<string, unknown>>();
      deepEqual(left, right);
    }),
  );

  spec('C.state.4', 'an allowing rule forwards', () =>
    withApp({ rules: [{ any: true, access: 'authenticated' }] }, async (app) =>
      equal((await app.call({ path: '/x', headers: JANE })).json<{ user: string }>().user, 'jane'),
    ),
  );

  spec('C.state.5', 'refused: 403 for a user, 401 for nobody', () =>
    withApp({ rules: [{ any: true, access: 'denyAll' }] }, async (app) =>
      deepEqual([await statusOf(app, '/x', JOHN), await statusOf(app, '/x')], [403, 401]),
    ),
  );

  pattern('C.path.1', { ant: '/a' }, ['/a'], ['/a/b', '/b']);
  pattern('C.path.2', { ant: '/a/*' }, ['/a/b'], ['/a', '/a/b/c']);
  pattern('C.path.3', { ant: '/a/**' }, ['/a', '/a/b', '/a/b/c'], ['/b', '/ab']);
  pattern('C.path.4', { ant: '/a/**/c' }, ['/a/b/c', '/a/b/d/c', '/a/c'], ['/a/b/d', '/a']);
  pattern('C.path.4', { mvc: '/a/**/c' }, ['/a/b/c', '/a/b/d/c'], ['/a/b/d']);
  pattern('C.path.5', { mvc: '/a/{param}' }, ['/a/1', '/a/x'], ['/a', '/a/1/2']);
  pattern('C.path.6', { mvc: '/a/{param:[0-9]+}' }, ['/a/12'], ['/a/x', '/a/12x']);
  pattern('C.path.6', { ant: '/a/{param:[0-9]+}' }, ['/a/12'], ['/a/x', '/a/12x']);
  pattern('C.matcher.1', { mvc: '/hello' }, ['/hello', '/hello/'], ['/hello/x']);
  pattern('C.matcher.2', { ant: '/hello' }, ['/hello'], ['/hello/']);
  pattern('C.matcher.3', { regex: '/v[12]/.*' }, ['/v1/a', '/v2/b/c'], ['/v3/a', '/v1']);

  spec('C.matcher.4', 'by path, by method, by both', () =>
    withApp(
      {
        ...NO_CSRF,
        rules: [
          { ant: '/both', method: 'POST', access: 'denyAll' },
          { ant: '/path', access: 'denyAll' },
          { method: 'DELETE', access: 'denyAll' },
        ],
      },
      async (app) => {
        deepEqual([await statusOf(app, '/both'), await statusOf(app, '/both', {}, 'POST')], [200, 401]);
        deepEqual([await statusOf(app, '/path'), await statusOf(app, '/path', {}, 'POST')], [401, 401]);
        deepEqual([await statusOf(app, '/x'), await statusOf(app, '/x', {}, 'DELETE')], [200, 401]);
      },
    ),
  );

  rule('C.rule-kind.1', 'permitAll', { anonymous: 200, john: 200, jane: 200, root: 200 });
  rule('C.rule-kind.2', 'authenticated', { anonymous: 401, john: 200, jane: 200, root: 200 });
  rule('C.rule-kind.3', 'denyAll', { anonymous: 401, john: 403, jane: 403, root: 403 });
  rule('C.rule-kind.4', "hasAuthority('write')", { anonymous: 401, john: 403, jane: 200, root: 403 });
  rule('C.rule-kind.5', "hasAnyAuthority('write', 'ROLE_ADMIN')", { anonymous: 401, john: 403, jane: 200, root: 200 });
  rule('C.rule-kind.6', "hasRole('ADMIN')", { anonymous: 401, john: 403, jane: 403, root: 200 });
  rule('C.rule-kind.7', "hasAnyRole('ADMIN', 'USER')", { anonymous: 401, john: 403, jane: 200, root: 200 });
  rule('C.rule-kind.8', "hasAuthority('read') and !hasAuthority('write')", {
    anonymous: 401,
    john: 200,
    jane: 403,
    root: 403,
  });

  spec('C.rule.2', 'what no rule matches is open', () =>
    withApp({ rules: [{ ant: '/x', access: 'denyAll' }] }, async (app) => equal(await statusOf(app, '/other'), 200)),
  );

  spec('C.rule.3', 'without rules everything needs a valid user', () =>
    withApp({}, async (app) => {
      const answer = await app.call({ path: '/x' });
      deepEqual([answer.status, answer.headers['www-authenticate']], [401, 'Basic realm="Realm"']);
      equal(await statusOf(app, '/x', JOHN), 200);
    }),
  );

  spec('C.rule.4', 'a rule without a method is for all', () =>
    withApp({ ...NO_CSRF, rules: [{ ant: '/x', access: 'denyAll' }] }, async (app) => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) equal(await statusOf(app, '/x', {}, method), 401, method);
    }),
  );

  spec('C.filter.1', 'a filter stops a request before the rules are asked', () =>
    withApp({ filters: { requestId: true }, rules: [{ any: true, access: 'permitAll' }] }, async (app) =>
      deepEqual([await statusOf(app, '/x'), await statusOf(app, '/x', { 'request-id': 'r1' })], [400, 200]),
    ),
  );

  for (const id of ['C.filter.4', 'Error.3'] as const) {
    spec(id, 'no Request-Id, or a blank one: 400, also with valid credentials', () =>
      withApp({ filters: { requestId: true } }, async (app) => {
        equal(await statusOf(app, '/x', JOHN), 400);
        equal(await statusOf(app, '/x', { ...JOHN, 'request-id': '   ' }), 400);
        equal(await statusOf(app, '/x', { 'request-id': 'r1' }), 401);
        equal(await statusOf(app, '/x', { ...JOHN, 'request-id': 'r1' }), 200);
      }),
    );
  }

  spec('C.authentication.1', 'HTTP Basic, whatever the case of the scheme', () =>
    withApp({}, async (app) => {
      const credentials = Buffer.from('john:12345').toString('base64');
      for (const scheme of ['Basic', 'basic', 'BASIC']) {
        equal(await statusOf(app, '/x', { authorization: `${scheme} ${credentials}` }), 200);
      }
      equal(await statusOf(app, '/x', { authorization: 'Basic !!!' }), 401);
    }),
  );

  spec('C.authentication.4', 'flags of the account are looked at', () =>
    withApp(
      { users: [{ username: 'gone', password: 'x', authorities: ['read'], accountLocked: true }, ...USERS.users] },
      async (app) => equal(await statusOf(app, '/x', basic('gone', 'x')), 401),
    ),
  );

  for (const id of ['C.authentication.6', 'Error.1', 'Error.5'] as const) {
    spec(id, '401 with status, error, message and path', () =>
      withApp({}, async (app) => {
        const answer = await app.call({ path: '/some/path', headers: basic('john', 'wrong') });
        const body = answer.json<Record<string, unknown>>();
        deepEqual(
          [answer.status, body['status'], body['error'], body['path']],
          [401, 401, 'Unauthorized', '/some/path'],
        );
        equal(typeof body['message'], 'string');
        ok(!answer.text.includes('wrong'));
      }),
    );
  }

  spec('C.authentication.6', 'another realm', () =>
    withApp({ login: { realm: 'photos' } }, async (app) =>
      equal((await app.call({ path: '/x' })).headers['www-authenticate'], 'Basic realm="photos"'),
    ),
  );

  spec('C.authentication.7', 'wrong credentials on an open endpoint', () =>
    withApp({ rules: [{ any: true, access: 'permitAll' }] }, async (app) =>
      deepEqual([await statusOf(app, '/x'), await statusOf(app, '/x', basic('john', 'no'))], [200, 401]),
    ),
  );

  spec('C.authentication.8', 'a static key', () =>
    withApp({ filters: { staticKey: 'SD9cICjl1e' }, rules: [{ any: true, access: 'authenticated' }] }, async (app) => {
      equal(await statusOf(app, '/x', { authorization: 'SD9cICjl1e' }), 200);
      equal(await statusOf(app, '/x', { authorization: 'SD9cICjl1f' }), 401);
      equal(await statusOf(app, '/x'), 401);
    }),
  );

  spec('C.authentication.16', 'graph and search need a user too', () =>
    withApp({ csrf: { ignore: [{ ant: '/' }] } }, async (app) => {
      const query = { method: 'POST', path: '/', json: { query: '{ __typename }' } } as const;
      deepEqual([(await app.call(query)).status, (await app.call({ ...query, headers: JOHN })).status], [401, 200]);
      deepEqual([await statusOf(app, '/_search'), await statusOf(app, '/_search', JOHN)], [401, 200]);
    }),
  );

  spec('C.csrf.1', 'safe methods pass', () =>
    withApp({}, async (app) => {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) notEqual(await statusOf(app, '/x', JOHN, method), 403, method);
    }),
  );

  for (const id of ['C.csrf.2', 'Error.2'] as const) {
    spec(id, 'the token in the header, or 403 that says how', () =>
      withApp({}, async (app) => {
        const { token, cookie } = await fetchToken(app, JOHN);
        const refused = await app.call({ method: 'POST', path: '/x', headers: JOHN });
        equal(refused.status, 403);
        match(refused.text, /X-CSRF-TOKEN/);
        match(refused.text, /\/csrf/);
        equal(await statusOf(app, '/x', { ...JOHN, cookie, 'x-csrf-token': 'wrong' }, 'POST'), 403);
        for (const method of ['POST', 'PUT', 'DELETE']) {
          equal(await statusOf(app, '/x', { ...JOHN, cookie, 'x-csrf-token': token }, method), 200, method);
        }
      }),
    );
  }

  spec('C.csrf.3', 'a token is of its session', () =>
    withApp({}, async (app) => {
      const mine = await fetchToken(app, JOHN);
      const yours = await fetchToken(app, JOHN);
      notEqual(mine.cookie, yours.cookie);
      equal(await statusOf(app, '/x', { ...JOHN, cookie: mine.cookie, 'x-csrf-token': yours.token }, 'POST'), 403);
      equal(await statusOf(app, '/x', { ...JOHN, 'x-csrf-token': mine.token }, 'POST'), 403);
    }),
  );

  for (const id of ['C.csrf.4', 'C.csrf.7'] as const) {
    spec(id, 'the form of the same server carries it, and logs in', () =>
      withApp({}, async (app) => {
        const page = await app.call({ path: '/login', headers: { accept: 'text/html' } });
        const hidden = /<input[^>]*name="_csrf"[^>]*>/.exec(page.text)?.[0] ?? '';
        match(hidden, /type="hidden"/);
        const token = /value="([^"]+)"/.exec(hidden)![1]!;
        const login = await app.call({
          method: 'POST',
          path: '/login',
          headers: { cookie: cookieOf(page), 'content-type': 'application/x-www-form-urlencoded' },
          body: `username=john&password=12345&_csrf=${encodeURIComponent(token)}`,
        });
        equal(login.status, 302);
        equal(await statusOf(app, '/x', { cookie: cookieOf(login) }), 200);
      }),
    );
  }

  spec('C.csrf.6', 'off wholesale, by pattern, and by regex with a method', async () => {
    await withApp(NO_CSRF, async (app) => equal(await statusOf(app, '/x', JOHN, 'POST'), 200));
    const ignore = [{ ant: '/ant/**' }, { mvc: '/mvc' }, { regex: '.*[0-9].*', method: 'POST' }];
    await withApp({ csrf: { ignore } }, async (app) => {
      for (const path of ['/ant/a', '/mvc', '/mvc/', '/a7']) equal(await statusOf(app, path, JOHN, 'POST'), 200, path);
      equal(await statusOf(app, '/a7', JOHN, 'PUT'), 403);
      equal(await statusOf(app, '/other', JOHN, 'POST'), 403);
    });
  });

  const CORS = {
    ...NO_CSRF,
    cors: [
      {
        path: '/one',
        allowedOrigins: ['https://a.example'],
        allowedMethods: ['POST'],
        allowedHeaders: ['content-type'],
      },
      { path: '/all', allowedOrigins: ['*'], allowedMethods: ['*'], allowedHeaders: ['*'] },
      { allowedOrigins: ['https://central.example'], allowedMethods: ['GET'] },
    ],
  };

  spec('C.cors.1', 'other ports, schemes and spellings are other origins', () =>
    withApp(CORS, async (app) => {
      for (const origin of [
        'https://b.example',
        'http://a.example',
        'https://a.example:8443',
        'https://A.example.evil',
      ]) {
        const answer = await app.call({ method: 'POST', path: '/one', headers: { ...JOHN, origin } });
        deepEqual([answer.status, answer.headers['access-control-allow-origin']], [403, undefined], origin);
      }
      const allowed = await app.call({
        method: 'POST',
        path: '/one',
        headers: { ...JOHN, origin: 'https://a.example' },
      });
      deepEqual([allowed.status, allowed.headers['access-control-allow-origin']], [200, 'https://a.example']);
    }),
  );

  for (const id of ['C.cors.2', 'C.cors.3'] as const) {
    spec(id, 'a preflight, ahead of authentication', () =>
      withApp(CORS, async (app) => {
        const preflight = (origin: string, method: string): Promise<ClientResponse> =>
          app.call({
            method: 'OPTIONS',
            path: '/one',
            headers: {
              origin,
              'access-control-request-method': method,
              'access-control-request-headers': 'content-type',
            },
          });
        const granted = await preflight('https://a.example', 'POST');
        deepEqual(
          [
            granted.status,
            granted.headers['access-control-allow-origin'],
            granted.headers['access-control-allow-methods'],
            granted.headers['access-control-allow-headers']?.toLowerCase(),
          ],
          [200, 'https://a.example', 'POST', 'content-type'],
        );
        equal((await preflight('https://b.example', 'POST')).status, 403);
        equal((await preflight('https://a.example', 'DELETE')).status, 403);
      }),
    );
  }

  spec('C.cors.4', 'per endpoint, for all, and central', () =>
    withApp(CORS, async (app) => {
      const allow = async (path: string, origin: string): Promise<string | undefined> =>
        (await app.call({ path, headers: { ...JOHN, origin } })).headers['access-control-allow-origin'];
      equal(await allow('/all', 'https://any.example'), '*');
      equal(await allow('/elsewhere', 'https://central.example'), 'https://central.example');
      equal(await allow('/elsewhere', 'https://a.example'), undefined);
    }),
  );
});
