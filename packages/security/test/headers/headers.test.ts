import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { CSP_NONCE, createSecurity, fetchHandler, type HeadersOptions } from '@lockstitch/security';
import { serve, USERS } from '../support/serve.ts';

const open = { csrf: false, rules: [{ any: true, access: 'permitAll' }] } as const;

test('answers and refusals carry the default headers; HSTS only over TLS', async (t) => {
  const { send } = await serve(t, { csrf: false });
  const { status, header } = await send('/x');
  equal(status, 401);
  deepEqual(
    [
      'X-Content-Type-Options',
      'X-XSS-Protection',
      'Cache-Control',
      'Pragma',
      'Expires',
      'X-Frame-Options',
      'Strict-Transport-Security',
    ].map(header),
    ['nosniff', '1; mode=block', 'no-cache, no-store, max-age=0, must-revalidate', 'no-cache', '0', 'DENY', undefined],
  );
  const secured = fetchHandler(createSecurity({ ...USERS, ...open }), () => new Response('ok'));
  const response = await secured(new Request('https://h/x'));
  equal(response.headers.get('strict-transport-security'), 'max-age=31536000 ; includeSubDomains');
});

test('each header can be changed or switched off, and the application has the last word', async (t) => {
  const headers: HeadersOptions = {
    xssProtection: '0',
    cacheControl: false,
    frameOptions: 'SAMEORIGIN',
    referrerPolicy: 'no-referrer',
    contentSecurityPolicy: "default-src 'self'",
    custom: { 'X-Mine': 'yes' },
  };
  const { send } = await serve(t, { ...open, headers }, (_, response) => {
    response.setHeader('Referrer-Policy', 'origin');
    response.end();
  });
  const { header } = await send('/x');
  deepEqual(
    [
      'X-XSS-Protection',
      'Cache-Control',
      'X-Frame-Options',
      'Referrer-Policy',
      'Content-Security-Policy',
      'X-Mine',
    ].map(header),
    ['0', undefined, 'SAMEORIGIN', 'origin', "default-src 'self'", 'yes'],
  );
  const none = await serve(t, { ...open, headers: false });
  equal((await none.send('/')).header('x-frame-options'), undefined);
});

test('a content security policy with a nonce gets a fresh one for every response', async (t) => {
  const { send } = await serve(
    t,
    { ...open, headers: { contentSecurityPolicy: "script-src 'nonce-{nonce}'" } },
    (_, response, exchange) => {
      response.end(exchange.get(CSP_NONCE));
    },
  );
  const [first, second] = [await send('/'), await send('/')];
  equal(first.header('content-security-policy'), `script-src 'nonce-${first.body}'`);
  match(first.body, /^[A-Za-z0-9+/]{22}==$/);
  equal(first.body === second.body, false);
});

test('a header that could not be sent is refused at start-up', () => {
  throws(() => createSecurity({ ...USERS, headers: { custom: { 'X-A': 'a\r\nSet-Cookie: b' } } }), /cannot be sent/);
  throws(() => createSecurity({ ...USERS, headers: { custom: { 'X A': 'a' } } }), /cannot be sent/);
});
