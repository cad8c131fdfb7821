// One suite through every adapter, over raw sockets, behind strict and lenient routers: what the chain decides must not
// depend on what carries the request, and no spelling of a path may reach a handler that its rule protects.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createSecurity, type Security } from '@lockstitch/security';
import { CONFIG, MOUNTS, PROTECTED } from '../support/mounts.ts';
import { exchangeBytes } from '../support/raw-socket.ts';
import { asking, basic } from '../support/serve.ts';
import { spellings } from '../support/spellings.ts';

for (const [name, mount] of Object.entries(MOUNTS)) {
  test(`${name}: decides by the rules, and the handler sees the user`, async (t) => {
    const { port } = await mount(t, createSecurity({ ...CONFIG, csrf: false }));
    const { ask } = asking(port);
    equal(await ask('/open'), 'reached anonymousUser');
    equal(await ask('/open', 'john'), 'reached john');
    equal(await ask('/api/secret'), '401');
    equal(await ask('/api/secret', 'john'), 'reached john');
    equal(await ask('/api/%73ecret', 'john'), 'reached john');
    equal(await ask('/admin/users', 'john'), '403');
    equal(await ask('/admin/users', 'admin'), 'reached admin');
    equal(await ask('/admin/users', undefined, 'HEAD'), '401');
    equal(await ask('/files/abc', 'nobody'), '401');
  });

  test(`${name}: no spelling of a protected path reaches its handler without credentials`, async (t) => {
    const { port, reached } = await mount(t, createSecurity({ ...CONFIG, csrf: false }));
    const { send } = asking(port);
    for (const target of spellings(PROTECTED)) {
      for (const headers of [
        [],
        [
          ['X-Original-URL', '/open'],
          ['X-Rewrite-URL', '/open'],
          ['X-HTTP-Method-Override', 'OPTIONS'],
        ],
      ] as const) {
        const { status } = await send(target, { headers });
        deepEqual(reached, [], `${target} was answered ${status}`);
      }
    }
  });

  test(`3.7 ${name}: a session that cannot be stored is 503 with Retry-After, for the chain's own pages too`, async (t) => {
    const away = (...given: readonly unknown[]): void => (given.at(-1) as (error: Error) => void)(new Error('away'));
    const lines: unknown[] = [];
    const security: Security = createSecurity({
      ...CONFIG,
      formLogin: true,
      sessions: { store: { get: away, set: away, destroy: away } },
      log: { write: (level) => void lines.push(level) },
      filters: [
        {
          filter: {
            name: 'broken',
            handle(exchange, next) {
              if (exchange.path !== '/broken') return next(exchange);
              security.sessions?.obtain(exchange).set('begun', true);
              throw new Error('broken');
            },
          },
          after: 'csrf',
        },
      ],
    });
    const { port } = await mount(t, security);
    const { send } = asking(port);
    for (const target of ['/csrf', '/login']) {
      const { status, header } = await send(target, { headers: [['Accept', 'text/html']] });
      deepEqual([status, header('retry-after')], [503, '1'], target);
    }
    equal((await send('/open')).status, 200);
    deepEqual([...new Set(lines)], ['warn']);
    equal((await send('/broken')).status, 503);
  });

  test(`${name}: user information in an absolute target is refused`, async (t) => {
    const { port } = await mount(t, createSecurity({ ...CONFIG, csrf: false }));
    const { send } = asking(port);
    for (const target of ['http://u:p@h:1/open', 'https://u:p@h:1?', 'https://u@h/?', 'http://u:p@h/%6fpen']) {
      equal((await send(target)).status, 400, target);
    }
  });

  test(`${name}: a message that servers could frame differently is rejected, and later data is not answered`, async (t) => {
    const { port, reached } = await mount(t, createSecurity({ ...CONFIG, csrf: false }));
    const host = `Host: 127.0.0.1:${port}`;
    const next = `GET /open HTTP/1.1\r\n${host}\r\n\r\n`;
    for (const [lines, body] of [
      [[host, 'Content-Length: 5', 'Transfer-Encoding: chunked'], `0\r\n\r\n${next}`],
      [[host, 'Content-Length: 5', 'Content-Length: 6'], `hello!${next}`],
      [[host, 'Content-Length: 5, 6'], `hello!${next}`],
      [[host, 'Transfer-Encoding: gzip, chunked'], `0\r\n\r\n${next}`],
      [[host, 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'], `0\r\n\r\n${next}`],
      [[host, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], `0\r\n\r\n${next}`],
      [[host, 'Transfer-Encoding: chunked, identity'], next],
      [[host, 'Transfer-Encoding: xchunked'], next],
      [[host, 'Transfer-Encoding:\vchunked'], next],
      [[host, 'Transfer-Encoding : chunked'], `0\r\n\r\n${next}`],
      [[host, 'Host: inner.example'], ''],
      [[host, host], ''],
      [['Host: a, b'], ''],
      [['Host: a/../b'], ''],
      [['Host: u@h'], ''],
    ] as const) {
      const { text } = await exchangeBytes(port, `POST /open HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
      match(text, /^HTTP\/1\.1 (?:400|501) /, lines.join());
      equal(text.includes('reached'), false, `${lines.join()} was answered ${text}`);
    }
    deepEqual(reached, []);
  });

  test(`${name}: refusals of the firewall carry the security headers too`, async (t) => {
    const { port } = await mount(t, createSecurity({ ...CONFIG, csrf: false }));
    const { status, header, body } = await asking(port).send('/a;b');
    deepEqual(
      [status, header('x-content-type-options'), header('x-frame-options'), header('pragma')],
      [400, 'nosniff', 'DENY', 'no-cache'],
    );
    equal((JSON.parse(body) as { code: string }).code, 'SECURITY_TARGET_REFUSED');
  });

  test(`${name}: refusals carry the headers and the body, answers the headers`, async (t) => {
    const { port } = await mount(t, createSecurity({ ...CONFIG, csrf: false }));
    const { send } = asking(port);
    const open = await send('/open');
    deepEqual(
      [open.status, open.header('x-content-type-options'), open.header('x-frame-options')],
      [200, 'nosniff', 'DENY'],
    );
    const refused = await send('/api/secret');
    equal(refused.header('www-authenticate'), 'Basic realm="Realm"');
    equal(refused.header('x-content-type-options'), 'nosniff');
    match(refused.header('content-type') ?? '', /^application\/json/);
    const body = JSON.parse(refused.body) as Record<string, unknown>;
    deepEqual(
      [body['status'], body['error'], body['path'], body['code']],
      [401, 'Unauthorized', '/api/secret', 'SECURITY_UNAUTHENTICATED'],
    );
    equal(typeof body['message'], 'string');
  });

  test(`${name}: a token in a form is read, and the application still gets the form`, async (t) => {
    if (name.includes('lenient')) return;
    const { port } = await mount(t, createSecurity(CONFIG));
    const { send } = asking(port);
    const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
    equal((await send('/form', { method: 'POST', headers: [form, basic('john')], body: 'a=1' })).status, 403);
    const issued = await send('/csrf');
    const { token } = JSON.parse(issued.body) as { token: string };
    const cookie = ['Cookie', issued.header('set-cookie')?.split(';')[0] ?? ''] as const;
    const answer = await send('/form', { method: 'POST', headers: [form, cookie], body: `a=1&_csrf=${token}` });
    deepEqual([answer.status, answer.body], [200, `got a=1&_csrf=${token}`]);
  });
}
