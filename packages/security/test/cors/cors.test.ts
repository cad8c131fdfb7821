import { deepEqual, equal, throws } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type CorsOptions, createSecurity } from '@lockstitch/security';
import { basic, serve, USERS } from '../support/serve.ts';

const VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';
const A = 'https://a.example';

interface Ask {
  readonly method?: string;
  readonly origin?: string;
  readonly asksMethod?: string;
  readonly asksHeaders?: string;
  readonly path?: string;
  readonly user?: string;
  readonly password?: string;
}

async function site(t: TestContext, cors: CorsOptions) {
  const { send, port } = await serve(t, {
    csrf: false,
    cors,
    rules: [
      { ant: '/**/open', access: 'permitAll' },
      { any: true, access: 'authenticated' },
    ],
  });
  return async ({ method = 'GET', origin = A, asksMethod, asksHeaders, path = '/open', user, password }: Ask) => {
    const headers: [string, string][] = [['Origin', origin.replace('$PORT', String(port))]];
    if (asksMethod !== undefined) headers.push(['Access-Control-Request-Method', asksMethod]);
    if (asksHeaders !== undefined) headers.push(['Access-Control-Request-Headers', asksHeaders]);
    if (user !== undefined) headers.push([...basic(user, password)]);
    const response = await send(path, { method, headers });
    equal(response.header('vary'), VARY);
    const names = ['Origin', 'Methods', 'Headers', 'Credentials'].map((name) =>
      `access-control-allow-${name}`.toLowerCase(),
    );
    const given = [...names, 'access-control-expose-headers', 'access-control-max-age'].map((name) => [
      name,
      response.header(name),
    ]);
    return {
      status: response.status,
      reached: response.body.startsWith('reached '),
      body: response.body,
      allowed: Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Record<string, string>,
    };
  };
}

const listed: CorsOptions = {
  allowedOrigins: [A, 'https://b.example/'],
  allowedMethods: ['GET', 'POST'],
  allowedHeaders: ['Content-Type', 'X-CSRF-TOKEN'],
  exposedHeaders: ['X-Total'],
  maxAge: 600,
};

test('a request from an allowed origin is marked and goes on', async (t) => {
  const ask = await site(t, listed);
  for (const origin of [A, 'https://b.example', 'HTTPS://A.EXAMPLE']) {
    const { status, reached, allowed } = await ask({ origin });
    deepEqual([status, reached], [200, true]);
    deepEqual(allowed, { 'access-control-allow-origin': origin, 'access-control-expose-headers': 'X-Total' });
  }
});

test('a request from another origin is refused before authentication, and unmarked', async (t) => {
  const ask = await site(t, listed);
  for (const origin of [
    'http://a.example',
    'https://a.example.evil.com',
    'https://xa.example',
    'null',
    `${A} https://evil.example`,
    `${A}:444`,
  ]) {
    const { status, reached, allowed, body } = await ask({ origin, path: '/closed', user: 'john' });
    deepEqual([status, reached, allowed, body], [403, false, {}, 'Invalid CORS request'], origin);
  }
  const { status } = await ask({ method: 'PUT' });
  equal(status, 403, 'a method that is not listed');
});

test('the own origin needs no policy', async (t) => {
  const ask = await site(t, listed);
  const { status, reached, allowed } = await ask({ origin: 'http://127.0.0.1:$PORT', method: 'PUT' });
  deepEqual([status, reached, allowed], [200, true, {}]);
});

test('a preflight is answered without credentials, and with wrong ones, for protected paths too', async (t) => {
  const ask = await site(t, listed);
  for (const user of [undefined, 'nobody']) {
    const { status, reached, allowed } = await ask({
      method: 'OPTIONS',
      path: '/closed',
      asksMethod: 'POST',
      asksHeaders: 'content-type, x-other',
      ...(user === undefined ? {} : { user }),
    });
    deepEqual([status, reached], [200, false]);
    deepEqual(allowed, {
      'access-control-allow-origin': A,
      'access-control-allow-methods': 'GET,POST',
      'access-control-allow-headers': 'content-type',
      'access-control-expose-headers': 'X-Total',
      'access-control-max-age': '600',
    });
  }
  for (const wrong of [
    { asksMethod: 'PUT' },
    { asksMethod: 'get' },
    { asksMethod: 'GET', asksHeaders: 'x-other' },
    { asksMethod: 'GET', origin: 'https://evil.example' },
  ]) {
    const { status, allowed } = await ask({ method: 'OPTIONS', ...wrong });
    deepEqual([status, allowed], [403, {}], JSON.stringify(wrong));
  }
});

test('a 401 for another origin can be read by its page', async (t) => {
  const ask = await site(t, listed);
  const { status, allowed } = await ask({ path: '/closed' });
  deepEqual([status, allowed['access-control-allow-origin']], [401, A]);
});

test('any origin, method and header can be allowed, without credentials only', async (t) => {
  const ask = await site(t, { allowedOrigins: ['*'], allowedMethods: ['*'], allowedHeaders: ['*'] });
  const { allowed } = await ask({ method: 'OPTIONS', origin: 'null', asksMethod: 'PATCH', asksHeaders: 'x-a, x-b' });
  deepEqual(allowed, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'PATCH',
    'access-control-allow-headers': 'x-a, x-b',
  });
  throws(
    () => createSecurity({ ...USERS, cors: { allowedOrigins: ['*'], allowCredentials: true } }),
    /cannot be combined with the origin "\*"/,
  );
  throws(() => createSecurity({ ...USERS, cors: { allowedOrigins: ['a.example'] } }), /"a.example" is not an origin/);
});

test('origin patterns take sub-domains and ports, and nothing that merely looks like them', async (t) => {
  const ask = await site(t, {
    allowedOriginPatterns: ['https://*.example.com', 'https://*.dev.test:[8080,8081]', 'http://localhost:[*]'],
    allowCredentials: true,
  });
  const status = async (origin: string) => (await ask({ origin })).status;
  for (const origin of [
    'https://x.example.com',
    'https://a.b.example.com',
    'https://x.dev.test:8081',
    'http://localhost',
    'http://localhost:3000',
  ])
    equal(await status(origin), 200, origin);
  for (const origin of [
    'https://example.com',
    'https://x.example.com.evil.net',
    'https://x.dev.test',
    'https://x.dev.test:80',
    'https://evil.net/.example.com',
    'http://localhost.evil.net',
  ])
    equal(await status(origin), 403, origin);
  equal((await ask({ origin: 'https://x.example.com' })).allowed['access-control-allow-credentials'], 'true');
});

test('policies by path: the first that matches decides, and paths without one allow no preflight', async (t) => {
  const ask = await site(t, { '/api/**': { allowedOrigins: [A] }, '/any/**': { permitDefaultValues: true } });
  const preflight = { method: 'OPTIONS', asksMethod: 'HEAD' };
  equal((await ask({ ...preflight, path: '/api/open' })).allowed['access-control-allow-methods'], 'GET,HEAD');
  deepEqual((await ask({ ...preflight, path: '/any/open', origin: 'https://x.example' })).allowed, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET,HEAD,POST',
    'access-control-max-age': '1800',
  });
  equal((await ask({ ...preflight, path: '/other/open' })).status, 403);
  const { status, allowed } = await ask({ path: '/other/open' });
  deepEqual(
    [status, allowed],
    [200, {}],
    'the request itself goes on, unmarked: the browser keeps its answer from the page',
  );
});
