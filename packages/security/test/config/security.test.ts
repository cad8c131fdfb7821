import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createPrincipal } from '@lockstitch/kernel';
import {
  createSecurity,
  type Filter,
  type Security,
  type SecurityConfig,
  type SessionStore,
} from '@lockstitch/security';
import { serve, USERS } from '../support/serve.ts';
import { getRequest } from '../support/value-request.ts';

test('several chains by path: the first that matches takes the request, with its own kind of log-in', async (t) => {
  const { send, ask, security } = await serve(t, {
    csrf: false,
    chains: [
      { path: '/api/**', name: 'api', httpBasic: true, rules: [{ any: true, access: 'authenticated' }] },
      {
        path: '/**',
        name: 'pages',
        httpBasic: false,
        formLogin: true,
        rules: [{ any: true, access: 'authenticated' }],
      },
    ],
  });
  equal((await send('/api/x')).header('www-authenticate'), 'Basic realm="Realm"');
  equal(await ask('/api/x', 'john'), 'reached john');
  const page = await send('/x', { headers: [['Accept', 'text/html']] });
  deepEqual([page.status, page.header('location')], [302, '/login']);
  equal(await ask('/x', 'john'), '401', 'the pages know no HTTP Basic');
  deepEqual(
    security.list().map(({ name, paths }) => [name, paths]),
    [
      ['api', ['/api/**']],
      ['pages', ['/**']],
    ],
  );
});

test('a chain that an earlier one covers is refused; requests of no chain pass, with a warning', async (t) => {
  const rules: SecurityConfig['rules'] = [{ any: true, access: 'authenticated' }];
  throws(
    () =>
      createSecurity({
        ...USERS,
        chains: [
          { path: '/**', rules },
          { path: '/api/**', rules },
        ],
      }),
    /Chain 2 \(\/api\/\*\*\) can never run: chain 1/,
  );
  throws(() => createSecurity({ ...USERS, chains: [] }), /chains is empty/);
  const { ask, security } = await serve(t, { csrf: false, chains: [{ path: '/api/**', rules }] });
  match(security.warnings[0] ?? '', /match no chain pass without any check/);
  deepEqual([await ask('/api/x'), await ask('/x')], ['401', 'reached anonymousUser']);
});

test('explain names the filter and the rule that decide, and why', async () => {
  const security = createSecurity({
    ...USERS,
    rules: [
      { ant: '/admin/**', access: "hasRole('ADMIN')" },
      { mvc: '/users/{name}', access: '#name == authentication.name' },
      { ant: '/open', access: 'permitAll' },
    ],
  });
  const john = { principal: createPrincipal('john') };
  const admin = await security.explain('GET', '/admin/x', john);
  deepEqual([admin.granted, admin.status, admin.filter, admin.rule?.number], [false, 403, 'authorization', 1]);
  match(
    admin.because,
    /^Rule 1, Ant \[pattern='\/admin\/\*\*'\], is the first that selects this request; hasRole\('ADMIN'\) refuses it to john\.$/,
  );
  equal((await security.explain('GET', '/admin/x')).status, 401);
  equal((await security.explain('GET', '/users/john', john)).granted, true);
  equal((await security.explain('GET', '/users/jane', john)).granted, false);
  match((await security.explain('GET', '/elsewhere')).because, /open to anyone/);
  const odd = await security.explain('GET', '/admin/../open');
  deepEqual([odd.granted, odd.status, odd.filter], [false, 400, 'firewall']);
});

test('a request can be handled as a value, without a server', async () => {
  const security = createSecurity({
    ...USERS,
    csrf: false,
    rules: [
      { ant: '/open', access: 'permitAll' },
      { any: true, access: 'denyAll' },
    ],
  });
  const open = await security.handle(getRequest('/open?x=1'));
  equal(open.kind, 'pass');
  if (open.kind === 'pass')
    deepEqual(
      [open.exchange.path, open.exchange.query, open.exchange.principal.name],
      ['/open', 'x=1', 'anonymousUser'],
    );
  const closed = await security.handle(getRequest('/closed'));
  equal(closed.kind, 'answer');
  if (closed.kind === 'answer') {
    equal(closed.status, 401);
    deepEqual(
      closed.headers.find(([name]) => name === 'WWW-Authenticate'),
      ['WWW-Authenticate', 'Basic realm="Realm"'],
    );
  }
});

/** Handles a request whose filter begins a session and then does what it is told. */
async function handleBegun(store: SessionStore, filter: Filter['handle']) {
  const log: string[] = [];
  const security: Security = createSecurity({
    ...USERS,
    sessions: { store },
    log: { write: (level) => void log.push(level) },
    filters: [
      {
        filter: {
          name: 'beginning',
          handle(exchange, next) {
            security.sessions?.obtain(exchange).set('begun', true);
            return filter(exchange, next);
          },
        },
        after: 'csrf',
      },
    ],
  });
  const outcome = await security.handle(getRequest('/'));
  const cookie = outcome.headers.find(([name]) => name === 'Set-Cookie')?.[1];
  const retry = outcome.headers.find(([name]) => name === 'Retry-After')?.[1];
  return { status: outcome.kind === 'answer' ? outcome.status : undefined, cookie, retry, log };
}

/** What a filter that began a session may do then. */
const ENDINGS: Readonly<Record<string, readonly [handle: Filter['handle'], status: number]>> = {
  throws: [
    () => {
      throw new Error('broken');
    },
    500,
  ],
  rejects: [() => Promise.reject(new Error('broken')), 500],
  answers: [(exchange) => exchange.respond(418), 418],
  'answers behind the application': [
    async (exchange, next) => {
      await next(exchange);
      exchange.respond(418);
    },
    418,
  ],
};

for (const [ending, [handle, status]] of Object.entries(ENDINGS)) {
  test(`a session begun by a filter that ${ending} is stored before the value is returned`, async () => {
    const stored: string[] = [];
    const store: SessionStore = {
      get: (_, callback) => callback(undefined),
      set(key, _, callback) {
        stored.push(key);
        callback?.();
      },
      destroy: (_, callback) => callback?.(),
    };
    const found = await handleBegun(store, handle);
    equal(found.status, status);
    match(found.cookie ?? '', /^JSESSIONID=/);
    equal(stored.length, 1);
  });

  test(`a session begun by a filter that ${ending} and cannot be stored is 503`, async () => {
    const away = (...given: readonly unknown[]): void => (given.at(-1) as (error: Error) => void)(new Error('away'));
    const { status: answered, retry, log } = await handleBegun({ get: away, set: away, destroy: away }, handle);
    deepEqual([answered, retry], [503, '1']);
    deepEqual(log, status === 500 ? ['error', 'warn'] : ['warn']);
  });
}

test("the builder in Spring's words gives the same layer as plain data", () => {
  const built = createSecurity((http) =>
    http
      .set(USERS)
      .authorizeRequests((r) =>
        r.ant('/admin/**').hasRole('ADMIN').mvc('GET', '/photos/{id:\\d+}').permitAll().anyRequest().authenticated(),
      )
      .httpBasic({ realm: 'here' })
      .csrf({ ignoring: [{ ant: '/hook' }] })
      .addFilterBefore({ name: 'mine', handle: (exchange, next) => next(exchange) }, 'basic'),
  );
  const plain = createSecurity({
    ...USERS,
    httpBasic: { realm: 'here' },
    csrf: { ignoring: [{ ant: '/hook' }] },
    filters: [{ filter: { name: 'mine', handle: (exchange, next) => next(exchange) }, before: 'basic' }],
    rules: [
      { ant: '/admin/**', access: "hasRole('ADMIN')" },
      { mvc: '/photos/{id:\\d+}', method: 'GET', access: 'permitAll' },
      { any: true, access: 'authenticated' },
    ],
  });
  deepEqual(built.list(), plain.list());
  throws(
    () =>
      createSecurity((http) =>
        http.authorizeRequests((r) => r.anyRequest().permitAll()).authorizeRequests((r) => r.anyRequest().permitAll()),
      ),
    /called twice/,
  );
});

test('without users there is one, whose password is printed once; a store without an encoder is refused', () => {
  const lines: string[] = [];
  createSecurity({ print: (line) => void lines.push(line) });
  equal(lines.length, 1);
  match(lines[0] ?? '', /^Using generated security password: [0-9a-f-]{36}$/);
  throws(() => createSecurity({ users: USERS.users }), { code: 'SECURITY_ENCODER_REQUIRED' });
});
