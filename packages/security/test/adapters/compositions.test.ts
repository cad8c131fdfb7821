// Several chains in one application, and chains behind mounts, nested routers and rewritten URLs: each chain runs, and judges
// the path that is routed. Where frameworks leave doubt, every reading has to be allowed.
import { deepEqual, equal, match } from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import {
  attribute,
  connectHandler,
  createNoOpEncoder,
  createSecurity,
  createSessions,
  exchangeOf,
  fastifySecurity,
  fetchHandler,
  type Filter,
  nodeHandler,
  oncePerRequest,
  type RuleData,
  type Security,
  type SecurityConfig,
  userNamed,
} from '@lockstitch/security';
import express, { type NextFunction, type Request as ExpressRequest, type Response as ExpressResponse } from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { asking, basic, listen, USERS } from '../support/serve.ts';

const layer = (rules: readonly RuleData[], config: SecurityConfig = {}): Security =>
  createSecurity({ ...USERS, csrf: false, ...config, rules });
const open = () => layer([{ any: true, access: 'permitAll' }]);
const adminOnly = () => layer([{ any: true, access: "hasRole('ADMIN')" }]);
/** Only what is under /v1/admin needs the administrator. */
const adminUnderV1 = (config?: SecurityConfig) =>
  layer(
    [
      { ant: '/v1/admin/**', access: "hasRole('ADMIN')" },
      { any: true, access: 'permitAll' },
    ],
    config,
  );
const reached = (request: object, response: ExpressResponse): void =>
  void response.end(`reached ${exchangeOf(request)?.principal.name}`);
/** A mount sees the path below itself; a route sees all of it. */
const rewrite =
  (from: string, to: string) =>
  (request: ExpressRequest, _: ExpressResponse, next: NextFunction): void => {
    request.url = request.url.replace(from, to);
    next();
  };

async function serveExpress(t: TestContext, build: (app: express.Express) => void) {
  const app = express();
  build(app);
  return asking(await listen(t, createServer(app)));
}

async function statuses(
  { ask }: { readonly ask: (target: string, user?: string) => Promise<string> },
  cases: Readonly<Record<string, string>>,
): Promise<void> {
  const seen: Record<string, string> = {};
  for (const key of Object.keys(cases)) {
    const [target, user] = key.split(' as ');
    seen[key] = await ask(target!, user);
  }
  deepEqual(seen, cases);
}

test('3.1 Express: a second chain at a prefix runs, and its user is the one that the application sees', async (t) => {
  const other = {
    users: [userNamed('guest').password('secret').roles('ADMIN').build()],
    passwordEncoder: createNoOpEncoder(),
  };
  const app = await serveExpress(t, (express) => {
    express.use(connectHandler(open()));
    express.use('/admin', connectHandler(adminOnly()));
    express.use('/guests', connectHandler(layer([{ any: true, access: 'permitAll' }], { ...other, httpBasic: false })));
    express.use(reached);
  });
  await statuses(app, {
    '/x': 'reached anonymousUser',
    '/admin/users': '401',
    '/admin': '401',
    '/ADMIN/users': '401',
    '/%61dmin/users': '401',
    '/admin/users as john': '403',
    '/admin/users as admin': 'reached admin',
    '/x as john': 'reached john',
    '/guests/x as john': 'reached anonymousUser',
  });
});

test('3.1 Express: no spelling of a path passes by a layer that is mounted in front of the chain', async (t) => {
  const inside = express.Router();
  inside.use('/admin', connectHandler(adminOnly()));
  const sub = express();
  sub.use('/admin', connectHandler(adminOnly()));
  const behind = express();
  behind.use('/x', connectHandler(adminOnly()));
  behind.use(connectHandler(open()), reached);
  const app = await serveExpress(t, (express) => {
    express.use('/admin', connectHandler(adminOnly()));
    express.use('/in', inside);
    express.use('/sub', sub);
    express.all('/routed/:id/admin', connectHandler(adminOnly()), reached);
    express.use('/behind', behind);
    express.use(connectHandler(open()));
    express.use('/later', connectHandler(adminOnly()));
    express.use(reached);
  });
  await statuses(app, {
    '/admin/users': '401',
    '/%61dmin/users': '400',
    '/ADM%49N/users': '400',
    'http://h/%61dmin/users': '400',
    '/in/%61dmin/x': '400',
    '/%69n/%61dmin/x': '400',
    '/sub/%61dmin/x': '400',
    '/%73ub/%61dmin/x': '400',
    '/routed/1/%61dmin': '400',
    '/behind/%78/y': '400',
    '/later/x': '401',
    '/%6cater/x': '401',
    '/admin/a%40b as admin': 'reached admin',
    '/sub/a%40b': 'reached anonymousUser',
    '/behind/%79': 'reached anonymousUser',
    '/else/%61%40b': 'reached anonymousUser',
  });
});

test('3.1 Express: a chain behind a mount judges the whole path, as explain says', async (t) => {
  const s = adminUnderV1();
  const app = await serveExpress(t, (express) => {
    express.use('/v1', connectHandler(s));
    express.use(reached);
  });
  equal((await s.explain('GET', '/v1/admin/users')).status, 401);
  await statuses(app, {
    '/v1/admin/users': '401',
    '/V1/Admin/users/': '401',
    '/v1/%61dmin/users': '401',
    '/v1/admin': '401',
    '/v1/admin/users as admin': 'reached admin',
    '/v1/else': 'reached anonymousUser',
    '/v1?x=1': 'reached anonymousUser',
    '/elsewhere': 'reached undefined',
  });
});

test('3.1 Express: routers, sub-applications and parameters in mounts, several deep', async (t) => {
  const nested = express.Router();
  nested.use('/admin', connectHandler(adminUnderV1()), reached);
  nested.get('/plain', connectHandler(adminUnderV1()), reached);
  const sub = express();
  sub.use(
    connectHandler(
      layer([
        { ant: '/*/x/secret', access: 'denyAll' },
        { any: true, access: 'permitAll' },
      ]),
    ),
  );
  sub.use(reached);
  const app = await serveExpress(t, (express) => {
    express.use('/v1', nested);
    express.use('/:tenant/x', sub);
  });
  await statuses(app, {
    '/v1/admin/users': '401',
    '/v1/admin/users as admin': 'reached admin',
    '/v1/plain': 'reached anonymousUser',
    '/acme/x/secret': '401',
    '/%61cme/x/%73ecret': '401',
    '/acme/x/other': 'reached anonymousUser',
  });
});

test('3.1 Express: exactly at its mount the path has no slash more than the client sent', async (t) => {
  const exact = layer([
    { ant: '/v1', access: 'permitAll' },
    { any: true, access: 'denyAll' },
  ]);
  const app = await serveExpress(t, (express) => {
    express.use('/v1', connectHandler(exact, { matching: { caseSensitive: true, slashTolerant: false } }), reached);
  });
  await statuses(app, {
    '/v1': 'reached anonymousUser',
    '/v1?a=1': 'reached anonymousUser',
    '/v1/': '401',
    '/v1/a': '401',
  });
});

test('3.1 Express: of a rewritten URL, both the old and the new path must be allowed', async (t) => {
  const app = await serveExpress(t, (express) => {
    express.use(rewrite('/public', '/v1/admin'), rewrite('/v1/admin/old', '/new'), rewrite('/left', '/right'));
    express.use(connectHandler(adminUnderV1()));
    express.use(reached);
  });
  await statuses(app, {
    '/public/users': '401',
    '/v1/admin/old': '401',
    '/v1/admin/old as admin': 'reached admin',
    '/left': 'reached anonymousUser',
  });
});

test('3.1 Express: a URL that is rewritten between two chains is judged by each', async (t) => {
  const app = await serveExpress(t, (express) => {
    express.use(connectHandler(adminUnderV1()));
    express.use(rewrite('/public', '/v1/admin'));
    express.use(connectHandler(adminUnderV1()));
    express.use(reached);
  });
  await statuses(app, { '/public/x': '401', '/public/x as admin': 'reached admin', '/x': 'reached anonymousUser' });
});

test('3.1 Express: a rewritten URL whose paths belong to two chains of a layer has to pass both', async (t) => {
  const keys = { staticKeys: [{ key: 'k'.repeat(32), name: 'acme', authorities: [] }], path: '/partners/**' } as const;
  const rest = {
    path: '/**',
    rules: [
      { ant: '/secret/**', access: 'authenticated' },
      { any: true, access: 'permitAll' },
    ],
  } as const;
  const s = createSecurity({
    ...USERS,
    csrf: false,
    chains: [{ ...keys, rules: [{ any: true, access: 'permitAll' }] }, rest],
  });
  const app = await serveExpress(t, (express) => {
    express.use(rewrite('/in', '/partners'), rewrite('/partners/out', '/secret'));
    express.use(connectHandler(s));
    express.use(reached);
  });
  await statuses(app, {
    '/in/x': '401',
    '/in/x as john': '401',
    '/partners/out/x': '401',
    '/partners/out/x as john': '401',
  });
  const withKey = await app.send('/in/x', { headers: [['Authorization', 'k'.repeat(32)]] });
  equal(withKey.body, 'reached acme');
  // The key opens one of the two chains only.
  equal((await app.send('/partners/out/x', { headers: [['Authorization', 'k'.repeat(32)]] })).status, 401);
});

test('3.1 Express: an absolute target cannot shift what a nested router sees', async (t) => {
  const router = express.Router();
  router.get('/admin/users', reached);
  const app = await serveExpress(t, (express) => {
    express.use(connectHandler(adminUnderV1()));
    express.use('/v1', router);
    express.use((request, response) => void response.end(`reached ${request.path}`));
  });
  const hosts = ['a', 'a.b:1'];
  for (const host of hosts) {
    const origin = `http://${host}`;
    const headers = [['Host', host]] as const;
    for (let filler = 0; filler < origin.length + 3; filler += 1) {
      const { body } = await app.send(`${origin}/v1/${'x'.repeat(filler)}/admin/users`.replace('//admin', '/admin'), {
        headers,
      });
      equal(body.includes('reached anonymousUser'), false, `${host} ${filler}`);
    }
    equal((await app.send(`${origin}/v1/admin/users`, { headers })).status, 401);
    equal(
      (await app.send(`${origin}/v1/admin/users`, { headers: [...headers, basic('admin')] })).body,
      'reached admin',
    );
    equal((await app.send(`${origin}/v1/%65lse?q`, { headers })).body, 'reached /v1/else');
  }
});

test('3.1 Express: an absolute target that is rewritten to a path is refused, as its routers count characters', async (t) => {
  const app = await serveExpress(t, (express) => {
    express.use((request, _, next) => {
      request.url = request.path;
      next();
    });
    express.use(connectHandler(open()));
    express.use(reached);
  });
  equal((await app.send('http://h/x', { headers: [['Host', 'h']] })).status, 400);
  equal((await app.send('/x')).status, 200);
});

test('3.1 Connect and Polka cut the URL without saying where: every reading must be allowed, unless basePath says', async (t) => {
  /** What these frameworks do at a mount. */
  const mount = (path: string, handler: ReturnType<typeof connectHandler>, change = (url: string) => url) =>
    createServer((request: IncomingMessage & { originalUrl?: string }, response) => {
      request.originalUrl = request.url!;
      request.url = change(request.url!.slice(path.length) || '/');
      handler(request, response, () => response.end(`reached ${exchangeOf(request)?.principal.name}`));
    });
  const cut = asking(await listen(t, mount('/v1', connectHandler(adminUnderV1()))));
  await statuses(cut, {
    '/v1/admin/users': '401',
    '/v1/admin/users as admin': 'reached admin',
    '/v1/x': 'reached anonymousUser',
  });
  const inner = layer([
    { ant: '/admin/**', access: 'authenticated' },
    { any: true, access: 'permitAll' },
  ]);
  await statuses(asking(await listen(t, mount('/v1', connectHandler(inner)))), { '/v1/admin/users': '401' });
  await statuses(asking(await listen(t, mount('/v1', connectHandler(inner, { basePath: '/v1' })))), {
    '/v1/admin/users': 'reached anonymousUser',
  });
  const both = mount('/v1', connectHandler(adminUnderV1()), (url) => url.replace('/public', '/admin'));
  await statuses(asking(await listen(t, both)), { '/v1/public/users': '401', '/v1/x': 'reached anonymousUser' });
});

test('3.1 a URL that was rewritten to no path is refused', async (t) => {
  for (const url of ['admin', '', '?x', '*', '//admin', '/a/../admin', '/%2e/x']) {
    const app = await serveExpress(t, (express) => {
      express.use((request, _, next) => {
        request.url = url;
        next();
      });
      express.use((request, response, next) => connectHandler(open())(request, response, next), reached);
    });
    equal((await app.send('/x')).body.includes('reached'), false, url);
  }
});

test('3.1 exceptions from CSRF protection must hold for the old and the new path', async (t) => {
  const app = await serveExpress(t, (express) => {
    express.use(rewrite('/hooks', '/orders'), rewrite('/old', '/hooks'));
    express.use(
      connectHandler(layer([{ any: true, access: 'permitAll' }], { csrf: { ignoring: [{ ant: '/hooks/**' }] } })),
    );
    express.use(reached);
  });
  equal((await app.send('/hooks/1', { method: 'POST' })).status, 403);
  equal((await app.send('/old/1', { method: 'POST' })).status, 403);
});

test('3.1 two chains share what belongs to the response and the session: no header twice, one token for both', async (t) => {
  const sessions = createSessions();
  const cors = { allowedOrigins: ['https://app.example.org'], allowedMethods: ['GET', 'POST'] };
  const first = layer([{ any: true, access: 'permitAll' }], { csrf: true, sessions, cors });
  const second = layer([{ any: true, access: 'authenticated' }], { csrf: true, sessions, cors });
  const app = await serveExpress(t, (application) => {
    application.use(connectHandler(first), connectHandler(first));
    application.use('/admin', connectHandler(second));
    application.use(express.urlencoded({ extended: false }));
    application.use((request, response) => {
      response.end(`reached ${exchangeOf(request)?.principal.name} ${JSON.stringify(request.body)}`);
    });
  });
  const issued = await app.send('/csrf');
  const { token } = JSON.parse(issued.body) as { token: string };
  equal(issued.headers('set-cookie').length, 1);
  const headers = [
    ['Cookie', issued.header('set-cookie')!.split(';')[0]!],
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Origin', 'https://app.example.org'],
    basic('john'),
  ] as const;
  const answer = await app.send('/admin/x', { method: 'POST', headers, body: `a=1&_csrf=${token}` });
  equal(answer.body, `reached john {"a":"1","_csrf":"${token}"}`);
  for (const name of ['vary', 'x-frame-options', 'cache-control', 'access-control-allow-origin']) {
    equal(answer.headers(name).length, 1, name);
  }
});

test('3.1 a proof that counts once is asked for once a request, and not again by the next chain', async (t) => {
  let calls = 0;
  const verifier = { isRequired: () => true, verify: () => (calls += 1) === 1 };
  const s = layer([{ any: true, access: 'authenticated' }], { oneTime: { verifier } });
  const app = await serveExpress(t, (express) => {
    express.use(connectHandler(s));
    express.use('/admin', connectHandler(s), reached);
  });
  const headers = [basic('john'), ['X-One-Time-Password', '123456']] as const;
  equal((await app.send('/admin/x', { headers })).body, 'reached john');
  equal((await app.send('/admin/x', { headers })).status, 401);
});

test('3.1 two filters of one name, once a request each: both run', async (t) => {
  const seen: string[] = [];
  const note = (text: string): Filter =>
    oncePerRequest({
      name: 'tenant',
      handle(exchange, next) {
        seen.push(text);
        exchange.set(attribute(text), true);
        return next(exchange);
      },
    });
  const a = note('a');
  const app = await serveExpress(t, (express) => {
    const rules = [{ any: true, access: 'permitAll' }] as const;
    const filters = [
      { filter: a, before: 'basic' },
      { filter: note('b'), before: 'basic' },
      { filter: a, after: 'basic' },
    ] as const;
    express.use(connectHandler(layer(rules, { filters })), reached);
  });
  equal((await app.send('/x')).status, 200);
  deepEqual(seen, ['a', 'b']);
});

test('3.1 a body that a parser has taken is an error, not a wait without end', async (t) => {
  const s = layer([{ any: true, access: 'permitAll' }], { csrf: true });
  const app = await serveExpress(t, (application) => {
    application.use(express.urlencoded({ extended: false }));
    application.use(connectHandler(s), reached);
  });
  const cookie = ['Cookie', (await app.send('/csrf')).header('set-cookie')!.split(';')[0]!] as const;
  const headers = [['Content-Type', 'application/x-www-form-urlencoded'], cookie] as const;
  const { status, body } = await app.send('/x', { method: 'POST', headers, body: 'a=1' });
  equal(status, 500);
  match(body, /SECURITY_INTERNAL/);
});

test('3.1 node:http: a chain within a chain, and within Express', async (t) => {
  const inner = nodeHandler(adminUnderV1(), (request, response, exchange) => {
    response.end(`reached ${exchange.principal.name} ${request.url}`);
  });
  const plain = asking(await listen(t, createServer(nodeHandler(open(), inner))));
  await statuses(plain, { '/v1/%61dmin/x': '401', '/v1/%61dmin/x as admin': 'reached admin /v1/admin/x' });
  const mounted = await serveExpress(t, (express) => {
    express.use(connectHandler(open()));
    express.use('/v1', inner);
  });
  await statuses(mounted, { '/v1/admin/x': '401', '/v1/admin/x as admin': 'reached admin /admin/x' });
});

test('3.1 Fastify: two chains, a prefix, a rewritten URL and one that a hook changed', async (t) => {
  const app = Fastify({
    rewriteUrl: ({ url }) => url!.replace('/public', '/v1/admin').replace('/v1/admin/old', '/new'),
  });
  app.addHook('onRequest', (request, _, done) => {
    // Too late for the router, which has chosen the route.
    if (request.raw.url!.endsWith('hide')) request.raw.url = '/open';
    done();
  });
  await app.register(fastifySecurity, { security: open() });
  const say = (request: { readonly raw: object }) => `reached ${exchangeOf(request.raw)?.principal.name}`;
  await app.register(
    async (child) => {
      await child.register(fastifySecurity, { security: adminUnderV1(), prefix: '/ignored' });
      child.get('/admin/:id', say);
      child.get('/open', say);
      child.get('/admin/numbers/:id(^(?:\\d|[a-z])+$)', say);
      child.get('/admin/pairs/:a-:b', say);
    },
    { prefix: '/v1' },
  );
  await app.register(async (child) => {
    await child.register(fastifySecurity, { security: adminUnderV1() });
    child.get('/new', say);
  });
  app.get('/open', say);
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  await statuses(asking((app.server.address() as { port: number }).port), {
    '/open': 'reached anonymousUser',
    '/v1/open': 'reached anonymousUser',
    '/v1/admin/x': '401',
    '/v1/%61dmin/x': '401',
    '/v1/admin/x as admin': 'reached admin',
    '/public/x': '401',
    '/v1/admin/old': '401',
    '/v1/admin/hide': '401',
    '/public/numbers/hide': '401',
    '/v1/admin/pairs/a-hide': '401',
    '/v1/admin/numbers/hide': '401',
    '/v1/admin/numbers/12 as admin': 'reached admin',
    '/v1/admin/pairs/a-b as admin': 'reached admin',
    '/v1/admin/hide as admin': 'reached admin',
  });
});

test('3.1 Hono: mounts cut the URL; a chain inside of another, below node:http or with basePath judges the whole', async (t) => {
  const say = (c: { readonly text: (text: string) => Response }) => c.text('reached anonymousUser');
  const inner = (options = {}) =>
    fetchHandler(adminUnderV1(), () => new Response('reached somebody', { headers: { Vary: 'Origin' } }), options);
  const app = new Hono().mount('/v1', inner()).get('*', say);
  const outer = fetchHandler(open(), (request) => app.fetch(request));
  const ask = async (handler: (request: Request) => Promise<Response> | Response, path: string) =>
    (await handler(new Request(`http://h${path}`))).status;
  deepEqual(
    [
      await ask(outer, '/v1/admin/x'),
      await ask(outer, '/v1/%61dmin/x'),
      await ask(outer, '/v1/x'),
      await ask(outer, '/x'),
    ],
    [401, 401, 200, 200],
  );
  const named = new Hono().mount('/v1', inner({ basePath: '/v1' }));
  deepEqual(
    [await ask(named.fetch, '/v1/admin/x'), await ask(named.fetch, '/v1/%61dmin'), await ask(named.fetch, '/v1/x')],
    [401, 401, 200],
  );
  // As `serve` of @hono/node-server does: the message is handed on as the environment.
  const listener = getRequestListener((request, env) => app.fetch(request, env));
  const served = asking(
    await listen(
      t,
      createServer((request, response) => void listener(request, response)),
    ),
  );
  deepEqual([(await served.send('/v1/admin/x')).status, (await served.send('/v1/x')).status], [401, 200]);
});

test('3.1 Hono: routes, base paths and a chain as middleware see the whole path', async () => {
  const users = new Hono().get('/users', (c) => c.text(`reached ${c.req.path}`));
  const app = new Hono().basePath('/v1');
  const s = adminUnderV1();
  app.use('*', (c, next) =>
    fetchHandler(s, async () => {
      await next();
      return c.res;
    })(c.req.raw),
  );
  app.route('/admin', users);
  app.route('/else', users);
  equal((await app.request('/v1/admin/users')).status, 401);
  equal((await app.request('/v1/%61dmin/users')).status, 401);
  equal(await (await app.request('/v1/else/users')).text(), 'reached /v1/else/users');
});

test('3.1 Fetch: a handler around another that rewrites the URL: both paths must be allowed; headers stand once', async () => {
  const cors = { allowedOrigins: ['https://app.example.org'] };
  const s = adminUnderV1({ cors });
  const inner = fetchHandler(s, () => new Response('reached', { headers: { 'Set-Cookie': 'a=1' } }));
  const to = (path: string) => fetchHandler(s, (request) => inner(new Request(new URL(path, request.url), request)));
  const ask = (path: string, handler: (request: Request) => Promise<Response>) =>
    handler(new Request(`http://h${path}`));
  equal((await ask('/public', to('/v1/admin/x'))).status, 401);
  equal((await ask('/v1/admin/x', to('/public'))).status, 401);
  const answer = await ask('/a', to('/b'));
  equal(answer.status, 200);
  equal(answer.headers.get('vary'), 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers');
  equal(answer.headers.get('x-frame-options'), 'DENY');
  deepEqual(answer.headers.getSetCookie(), ['a=1']);
});
