// Requests made to be read in two ways: by the parser, by the rules, by the router behind them.
import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { createSecurity } from '@lockstitch/security';
import fc from 'fast-check';
import { sendBytes } from '../support/raw-socket.ts';
import { basic, serve, USERS } from '../support/serve.ts';
import { getRequest } from '../support/value-request.ts';

test('requests that two servers could frame differently are rejected', async (t) => {
  let reached = 0;
  const { port } = await serve(t, { csrf: false, rules: [{ any: true, access: 'permitAll' }] }, (_, response) => {
    reached += 1;
    response.end('reached');
  });
  const head = `POST /a HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
  for (const rest of [
    'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n',
    'Host: other.example\r\n\r\n',
    `hOST: 127.0.0.1:${port}\r\n\r\n`,
    'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
    'Transfer-Encoding: chunked, identity\r\n\r\nhello',
    'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
    'Content-Length: +5\r\n\r\nhello',
    'X-A: a\rb\r\n\r\n',
    'X-A: a\0b\r\n\r\n',
    'X A: b\r\n\r\n',
  ]) {
    const { status } = await sendBytes(port, head + rest);
    equal(status, 400, JSON.stringify(rest));
  }
  equal((await sendBytes(port, 'GET /a HTTP/1.1\r\nConnection: close\r\n\r\n')).status, 400, 'no Host');
  equal(reached, 0);
});

test('no answer carries a header that the request made up', async (t) => {
  const { send } = await serve(t, { formLogin: true, cors: { allowedOrigins: ['https://a.example'] } });
  for (const target of [
    '/x%0d%0aSet-Cookie:%20evil=1',
    '/x?y=%0d%0aSet-Cookie:%20evil=1',
    '/login?error=%0d%0aSet-Cookie:%20evil=1',
  ]) {
    const response = await send(target, {
      headers: [
        ['Accept', 'text/html'],
        ['Origin', 'https://evil.example'],
      ],
    });
    equal(
      response.headers('set-cookie').some((line) => line.includes('evil')),
      false,
      target,
    );
    equal(response.header('access-control-allow-origin'), undefined);
  }
});

test('markup in a refused path stays text', async (t) => {
  const { send } = await serve(t, {});
  const { status, body, header } = await send('/<script>alert(1)</script>', {
    headers: [['Accept', 'application/json']],
  });
  equal(status, 401);
  match(header('content-type') ?? '', /^application\/json/);
  equal(header('x-content-type-options'), 'nosniff');
  equal((JSON.parse(body) as { path: string }).path, '/<script>alert(1)</script>');
});

test('credentials appear in no refusal', async (t) => {
  const { send } = await serve(t, { csrf: false, rules: [{ any: true, access: 'denyAll' }] });
  for (const password of ['secret', 'wrong-pass-7']) {
    const { body } = await send('/x?password=in-query-9', { headers: [basic('john', password)] });
    for (const part of [password, 'in-query-9', btoa(`john:${password}`)]) equal(body.includes(part), false, part);
  }
});

test('no anonymous request that passes is for the protected tree, whatever its target', async () => {
  const security = createSecurity({
    ...USERS,
    csrf: false,
    rules: [
      { ant: '/admin/**', access: "hasRole('ADMIN')" },
      { any: true, access: 'permitAll' },
    ],
  });
  const piece = fc.constantFrom(
    '/',
    '/',
    'admin',
    'Admin',
    '%61dmin',
    'adm%69n',
    'users',
    '.',
    '..',
    '%2e',
    '%2e%2e',
    '%2f',
    '%5c',
    '\\',
    ';',
    ';x=1',
    '//',
    '?',
    '#',
    '%00',
    '%25',
    '%2561',
    '%c0%af',
    '%E2%80%A8',
    'http://h',
    'http://h/',
    '@',
    ':',
    '*',
    ' ',
    '%20',
    '\u0130',
    '%C4%B0',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const target = pieces.join('');
      const outcome = await security.handle(getRequest(target));
      if (outcome.kind === 'answer') return;
      // What a strict router makes of the URL it is given.
      const routed = decodeURIComponent(new URL(outcome.exchange.encodedPath, 'http://h').pathname);
      equal(routed, outcome.exchange.path, target);
      equal(/^\/admin(?:\/|$)/.test(routed), false, target);
    }),
    { numRuns: 20_000 },
  );
});
