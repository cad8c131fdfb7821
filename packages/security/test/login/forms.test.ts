// Forms are read before anybody is authenticated: only where a filter needs one, and never much of it.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { type SecurityConfig, type SecurityExchange } from '@lockstitch/security';
import { exchangeBytes } from '../support/raw-socket.ts';
import { basic, type Served, serve } from '../support/serve.ts';

const FORM = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
const OPEN: SecurityConfig = { rules: [{ any: true, access: 'permitAll' }], formLogin: true };

/** The headers of a caller with a session, and its token. */
async function caller({ send }: Served) {
  const { body, header } = await send('/csrf');
  const { token, headerName } = JSON.parse(body) as { token: string; headerName: string };
  return { token, headerName, headers: [FORM, ['Cookie', header('set-cookie')!.split(';')[0]!]] as const };
}

/** Status and code of the answer to a form. */
async function post(
  { send }: Served,
  target: string,
  body: string,
  headers: readonly (readonly [string, string])[],
): Promise<string> {
  const answer = await send(target, { method: 'POST', headers, body });
  return answer.status < 400
    ? String(answer.status)
    : `${answer.status} ${(JSON.parse(answer.body) as { code: string }).code}`;
}

const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=1`).join('&');

test('3.2 a form with a CSRF token has 1,000 fields and 100 KB at most', async (t) => {
  const served = await serve(t, OPEN);
  const { token, headers } = await caller(served);
  const form = (rest: string) => post(served, '/x', `_csrf=${token}&${rest}`, headers);
  deepEqual(
    [
      await form(fields(999)),
      await form(fields(1000)),
      await form('&'.repeat(1000)),
      await form(`a=${'x'.repeat(100_000)}`),
      await form(`a=${'x'.repeat(102_400)}`),
    ],
    ['200', '413 SECURITY_FORM_FIELDS', '413 SECURITY_FORM_FIELDS', '200', '413 SECURITY_BODY_TOO_LARGE'],
  );
  const lines = [...headers, ['Host', 'h'], ['Connection', 'close']].map((line) => line.join(': '));
  for (const [length, body] of [
    ['Content-Length: 2000000', ''],
    ['Transfer-Encoding: chunked', `1fbd0\r\n${'a&'.repeat(65_000)}\r\n`],
  ] as const) {
    const request = `POST /x HTTP/1.1\r\n${lines.join('\r\n')}\r\n${length}\r\n\r\n${body}`;
    const answer = /^HTTP\/1\.1 413 [^]*SECURITY_BODY_TOO_LARGE/;
    match((await exchangeBytes(served.port, request, answer)).text, answer, length);
  }
});

test('3.2 a form without a session is refused before its body has come', async (t) => {
  const { port } = await serve(t, OPEN);
  for (const target of ['/x', '/login', '/logout', '/csrf']) {
    const head = `POST ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${FORM.join(': ')}\r\nContent-Length: 90000\r\n\r\n`;
    const answer = /^HTTP\/1\.1 403 [^]*SECURITY_CSRF_EXPIRED/;
    match((await exchangeBytes(port, head, answer)).text, answer, target);
  }
});

test('3.2 a form of any size with its token in the header or the query is left to the application', async (t) => {
  const seen: number[] = [];
  const served = await serve(t, OPEN, (request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => response.end(`${seen.push(bytes)}`));
  });
  const { token, headerName, headers } = await caller(served);
  const body = fields(200_000);
  equal(await post(served, '/x', body, [...headers, [headerName, token]]), '200');
  equal(await post(served, `/x?_csrf=${token}`, body, headers), '200');
  deepEqual(seen, [body.length, body.length]);
});

test('3.2 the log-in form and that of a one-time password have the same bounds, which can be set', async (t) => {
  const verifier = { isRequired: () => true, verify: () => true };
  const served = await serve(t, {
    ...OPEN,
    csrf: false,
    forms: { maxBytes: 2000, maxFields: 3 },
    oneTime: { verifier },
  });
  const login = (rest: string) => post(served, '/login', `username=john&password=secret${rest}`, [FORM]);
  deepEqual(
    [await login('&a=1'), await login('&a=1&b=2'), await login(`&a=${'x'.repeat(2000)}`)],
    ['302', '413 SECURITY_FORM_FIELDS', '413 SECURITY_BODY_TOO_LARGE'],
  );
  const { header } = await served.send('/login', {
    method: 'POST',
    headers: [FORM],
    body: 'username=john&password=secret',
  });
  const headers = [FORM, ['Cookie', header('set-cookie')!.split(';')[0]!]] as const;
  equal(await post(served, '/login/one-time', `code=1${'&a'.repeat(9)}`, headers), '413 SECURITY_FORM_FIELDS');
});

test('3.2 only forms are read: other types and other methods go by header and query', async (t) => {
  const exchanges: SecurityExchange[] = [];
  const filter = {
    name: 'look',
    handle(exchange: SecurityExchange, next: (exchange: SecurityExchange) => unknown) {
      exchange.request.readBody = () => Promise.reject(new Error('nobody needs it'));
      exchanges.push(exchange);
      return next(exchange) as void;
    },
  };
  const served = await serve(t, { ...OPEN, filters: [{ filter, before: 'csrf' }] });
  const { headers } = await caller(served);
  const cookie = headers[1];
  for (const type of ['application/json', 'multipart/form-data; boundary=b', 'text/plain', '']) {
    equal(await post(served, '/x', 'a=1', [['Content-Type', type], cookie]), '403 SECURITY_CSRF_MISSING');
  }
  equal((await served.send('/x', { headers: [...headers, basic('john')], body: 'a=1' })).status, 200);
  equal(exchanges.length, 6);
});

test('3.2 a parameter is found among thousands of others, also when it is escaped', async (t) => {
  const served = await serve(t, { ...OPEN, rules: [{ any: true, access: 'permitAll' }] });
  const { token, headers } = await caller(served);
  for (const query of [`${'a&'.repeat(4000)}_csrf=${token}`, `%5fcsrf=${token}`]) {
    equal((await served.send(`/x?${query}`, { method: 'POST', headers: [headers[1]] })).status, 200);
  }
});
