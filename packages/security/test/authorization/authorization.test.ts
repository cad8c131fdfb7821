import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { AccessDeniedError, type SecurityConfig } from '@lockstitch/security';
import { basic, serve } from '../support/serve.ts';

const OPEN = { csrf: false, attempts: false } as const satisfies SecurityConfig;

test('the first rule that selects a request decides it', async (t) => {
  const { ask } = await serve(t, {
    ...OPEN,
    rules: (r) =>
      r
        .ant('/public/**')
        .permitAll()
        .ant('/deny')
        .denyAll()
        .ant('/admin', '/admin/**')
        .hasRole('ADMIN')
        .ant('/read')
        .hasAuthority('read')
        .ant('/rw')
        .hasAnyAuthority('write', 'delete')
        .ant('/team')
        .hasAnyRole('ADMIN', 'USER')
        .ant('/anon')
        .anonymous()
        .ant('/full')
        .fullyAuthenticated()
        .ant('POST', '/post')
        .hasAuthority('write')
        .ant('/expr')
        .access("hasAuthority('read') and !hasAuthority('write')")
        .ant('/param/{p:^[0-9]+$}')
        .permitAll()
        .ant('/param/**')
        .denyAll()
        .mvc('/hello')
        .hasRole('ADMIN')
        .regex('.*/(us|uk|ca)+/(en|fr).*')
        .authenticated()
        .anyRequest()
        .authenticated(),
  });
  const cases: readonly (readonly [string, string | undefined, string, string?])[] = [
    ['/public', undefined, 'reached anonymousUser'],
    ['/public/a/b', 'john', 'reached john'],
    ['/deny', 'admin', '403'],
    ['/deny', undefined, '401'],
    ['/deny/', 'john', 'reached john'],
    ['/admin', undefined, '401'],
    ['/admin/x', 'john', '403'],
    ['/admin/x', 'admin', 'reached admin'],
    ['/read', 'john', 'reached john'],
    ['/read', 'admin', '403'],
    ['/rw', 'jane', 'reached jane'],
    ['/rw', 'john', '403'],
    ['/team', 'jane', 'reached jane'],
    ['/team', 'john', '403'],
    ['/anon', undefined, 'reached anonymousUser'],
    ['/anon', 'john', '403'],
    ['/full', 'john', 'reached john'],
    ['/post', 'john', '403', 'POST'],
    ['/post', 'jane', 'reached jane', 'POST'],
    ['/post', 'john', 'reached john', 'PUT'],
    ['/expr', 'john', 'reached john'],
    ['/expr', 'jane', '403'],
    ['/param/12', undefined, 'reached anonymousUser'],
    ['/param/ab', 'admin', '403'],
    ['/hello/', 'john', '403'],
    ['/hello/', 'admin', 'reached admin'],
    ['/x/us/en/y', undefined, '401'],
    ['/other', 'john', 'reached john'],
    ['/other', undefined, '401'],
  ];
  for (const [path, user, expected, method] of cases)
    equal(await ask(path, user, method), expected, `${method ?? 'GET'} ${path} as ${user}`);
});

test('without rules every request needs a valid user', async (t) => {
  const { ask } = await serve(t, OPEN);
  deepEqual([await ask('/'), await ask('/', 'john'), await ask('/', 'nobody')], ['401', 'reached john', '401']);
});

test('a request that no rule selects is open, or refused when asked for', async (t) => {
  const rules: SecurityConfig['rules'] = [{ ant: '/a', access: 'authenticated' }];
  const open = await serve(t, { ...OPEN, rules });
  equal(await open.ask('/b'), 'reached anonymousUser');
  const closed = await serve(t, { ...OPEN, rules, denyUnmatched: true });
  deepEqual([await closed.ask('/b'), await closed.ask('/b', 'john')], ['401', '403']);
});

test('rules can be plain data, with several patterns and with functions that decide', async (t) => {
  const { ask } = await serve(t, {
    ...OPEN,
    beans: { clock: { hour: () => 13 } },
    rules: [
      { mvc: ['/a', '/b'], access: 'permitAll' },
      { ant: '/office', access: '@clock.hour() >= 9 and @clock.hour() < 17' },
      { ant: '/night', access: '@clock.hour() >= 22' },
      { mvc: '/users/{name}/**', access: '#name == authentication.name' },
      {
        ant: '/fn/{who}',
        access: ({ authentication, variables }) => authentication.principal.name === variables['who'],
      },
      { ant: '/slow', access: async ({ header }) => header('X-Pass') === 'yes' },
      { ant: '/rejects', access: () => Promise.reject(new Error('down')) },
      { ant: '/truthy', access: (() => 'yes') as unknown as () => boolean },
      { method: 'DELETE', access: 'denyAll' },
      { any: true, access: "hasIpAddress('127.0.0.0/8')" },
    ],
  });
  equal(await ask('/b/'), 'reached anonymousUser');
  equal(await ask('/office'), 'reached anonymousUser');
  equal(await ask('/night', 'john'), '403');
  equal(await ask('/users/john/photos', 'john'), 'reached john');
  equal(await ask('/users/jane/photos', 'john'), '403');
  equal(await ask('/fn/john', 'john'), 'reached john');
  equal(await ask('/fn/jane', 'john'), '403');
  equal(await ask('/slow', 'john'), '403');
  equal(await ask('/rejects', 'john'), '403');
  equal(await ask('/truthy', 'john'), '403');
  equal(await ask('/x', 'john', 'DELETE'), '403');
  equal(await ask('/x'), 'reached anonymousUser');
});

test('an error response has status, error, message, path, code and hint, and no secret', async (t) => {
  const { send } = await serve(t, { ...OPEN, rules: [{ any: true, access: "hasRole('TOP_SECRET_ROLE')" }] });
  const { status, body } = await send('/x?token=abc', { headers: [basic('john')] });
  equal(status, 403);
  const parsed = JSON.parse(body) as Record<string, unknown>;
  deepEqual(Object.keys(parsed), ['status', 'error', 'message', 'path', 'code', 'hint']);
  deepEqual(
    [parsed['status'], parsed['error'], parsed['path'], parsed['code']],
    [403, 'Forbidden', '/x', 'SECURITY_FORBIDDEN'],
  );
  for (const secret of ['TOP_SECRET_ROLE', 'abc', 'secret']) equal(body.includes(secret), false, secret);
});

test('a refusal thrown by the application is answered like one of a rule', async (t) => {
  const { ask } = await serve(t, { ...OPEN, rules: [{ any: true, access: 'permitAll' }] }, () => {
    throw new AccessDeniedError({ code: 'APP_NO', status: 403, message: 'not yours' });
  });
  deepEqual([await ask('/x'), await ask('/x', 'john')], ['401', '403']);
});

test('a rule that many share and a rule that stands alone are both found among a thousand', async (t) => {
  const rules = Array.from({ length: 999 }, (_, index) => ({
    ant: `/api/v${index}/**`,
    access: index % 2 === 0 ? 'permitAll' : 'denyAll',
  }));
  const { ask } = await serve(t, { ...OPEN, rules: [...rules, { any: true, access: 'permitAll' }] });
  deepEqual(
    [await ask('/api/v998/x'), await ask('/api/v997/x'), await ask('/api/v1000/x')],
    ['reached anonymousUser', '401', 'reached anonymousUser'],
  );
});
