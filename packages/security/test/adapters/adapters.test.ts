// One suite through every adapter, over raw sockets, behind strict and lenient routers: what the chain decides must not
// depend on what carries the request, and no spelling of a path may reach a handler that its rule protects.
import { deepEqual, equal, match } from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import {
  connectHandler,
  createSecurity,
  exchangeOf,
  fastifySecurity,
  fetchHandler,
  nodeHandler,
  type Security,
  type SecurityConfig,
} from '@lockstitch/security';
import express from 'express';
import Fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import { asking, basic, listen, USERS } from '../support/serve.ts';

const CONFIG: SecurityConfig = {
  ...USERS,
  rules: [
    { ant: '/admin/**', access: "hasRole('ADMIN')" },
    { ant: '/api/secret', access: 'authenticated' },
    { mvc: '/files/{n:[a-z]+}', access: 'authenticated' },
    { any: true, access: 'permitAll' },
  ],
};
const PROTECTED = ['/admin/users', '/api/secret', '/files/abc'];

interface Mounted {
  readonly port: number;
  /** The protected paths whose handlers ran. */
  readonly reached: string[];
}

type Mount = (t: TestContext, security: Security) => Promise<Mounted>;

const mounts: Readonly<Record<string, Mount>> = {
  async 'node:http'(t, security) {
    const reached: string[] = [];
    const handler = nodeHandler(security, (request, response, exchange) => {
      const { pathname } = new URL(request.url ?? '', 'http://h');
      if (PROTECTED.includes(pathname) || PROTECTED.includes(exchange.path)) reached.push(pathname);
      if (request.method !== 'POST') return void response.end(`reached ${exchange.principal.name}`);
      request.setEncoding('utf8');
      let body = '';
      request.on('data', (chunk: string) => (body += chunk)).on('end', () => response.end(`got ${body}`));
    });
    return { port: await listen(t, createServer(handler)), reached };
  },
  async 'node:http behind a lenient router'(t, security) {
    const reached: string[] = [];
    const lenient = security.withMatching({ caseSensitive: false, slashTolerant: true });
    const handler = nodeHandler(lenient, (request, response, exchange) => {
      const path = decodeURIComponent(new URL(request.url ?? '', 'http://h').pathname)
        .toLowerCase()
        .replace(/(?<=.)\/$/, '');
      if (PROTECTED.includes(path)) reached.push(path);
      response.end(`reached ${exchange.principal.name}`);
    });
    return { port: await listen(t, createServer(handler)), reached };
  },
  async 'Express 5'(t, security) {
    const reached: string[] = [];
    const app = express();
    app.use(connectHandler(security));
    app.use(express.urlencoded({ extended: false }));
    for (const path of PROTECTED) {
      app.get(path, (request, response) => {
        reached.push(path);
        response.end(`reached ${exchangeOf(request)?.principal.name}`);
      });
    }
    app.post(
      '/form',
      (request, response) =>
        void response.end(`got ${new URLSearchParams(request.body as Record<string, string>).toString()}`),
    );
    app.use((request, response) => void response.end(`reached ${exchangeOf(request)?.principal.name}`));
    return { port: await listen(t, createServer(app)), reached };
  },
  async 'Fastify 5'(t, security) {
    return mountFastify(t, security, Fastify());
  },
  async 'Fastify 5 with a lenient router'(t, security) {
    return mountFastify(
      t,
      security,
      Fastify({
        routerOptions: {
          caseSensitive: false,
          ignoreTrailingSlash: true,
          ignoreDuplicateSlashes: true,
        },
      }),
    );
  },
  async 'Fetch with Hono'(t, security) {
    const reached: string[] = [];
    const app = new Hono<{ Bindings: { user: string } }>();
    for (const path of PROTECTED) {
      app.get(path, (c) => {
        reached.push(path);
        return c.text(`reached ${c.env.user}`);
      });
    }
    app.post('/form', async (c) => c.text(`got ${await c.req.text()}`));
    app.all('*', (c) => c.text(`reached ${c.env.user}`));
    const handler = fetchHandler(security, (request, exchange) =>
      app.fetch(request, { user: exchange.principal.name }),
    );
    const honoListener = getRequestListener((request) => handler(request));
    return {
      port: await listen(
        t,
        createServer((request, response) => void honoListener(request, response)),
      ),
      reached,
    };
  },
};

async function mountFastify(t: TestContext, security: Security, app: FastifyInstance): Promise<Mounted> {
  const reached: string[] = [];
  await app.register(fastifySecurity, { security });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, body),
  );
  const say = (request: { readonly raw: object }) => `reached ${exchangeOf(request.raw)?.principal.name}`;
  for (const path of PROTECTED) {
    app.get(path, (request) => {
      reached.push(path);
      return say(request);
    });
  }
  app.post('/form', (request) => `got ${String(request.body)}`);
  app.get('/', (request) => say(request));
  app.all('/*', (request) => say(request));
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  return { port: (app.server.address() as { port: number }).port, reached };
}

/** Spellings of the protected paths, all without credentials. */
function* spellings(): Generator<string> {
  for (const path of PROTECTED) {
    const [, first = '', second = ''] = path.split('/');
    const encoded = (text: string) => text.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);
    yield* [
      path,
      `${path}/`,
      path.toUpperCase(),
      `/${first.toUpperCase()}/${second}`,
      `/${encoded(first)}/${second}`,
      `/${first}/${encoded(second)}`,
    ];
    yield* [
      `/${encoded(first.toUpperCase())}/${second}`,
      `/${first}/${second}?x=1`,
      `/${first}/${second}%3fx`,
      `/${first}/${second}%23x`,
    ];
    yield* [
      `/${path}`,
      `//${first}/${second}`,
      `/${first}//${second}`,
      `/${first}/./${second}`,
      `/x/../${first}/${second}`,
      `/${first}/x/../${second}`,
      `/./${first}/${second}`,
    ];
    yield* [
      `/%2e/${first}/${second}`,
      `/x/%2e%2e/${first}/${second}`,
      `/x/.%2e/${first}/${second}`,
      `/${first}%2f${second}`,
      `/${first}%2F${second}`,
      `/${first}%5c${second}`,
      `/${first}\\${second}`,
      `\\${first}\\${second}`,
    ];
    yield* [
      `/${first};x=1/${second}`,
      `/${first}/${second};x`,
      `/;/${first}/${second}`,
      `/${first}%3b/${second}`,
      `${path}%00`,
      `${path}%0a`,
      `${path}%0d%0a`,
      `${path}%20`,
      `/%20${first}/${second}`,
      `${path}.`,
      `${path}.json`,
    ];
    yield* [
      `/%25${first}/${second}`,
      `/%2561${first.slice(1)}/${second}`,
      `${path}%E2%80%A8`,
      `/%ef%bc%8f${first}/${second}`,
      `/${first}%u002f${second}`,
      `/${first}%c0%af${second}`,
    ];
    yield* [
      `http://127.0.0.1${path}`,
      `HTTP://127.0.0.1${path}`,
      `http://h:1/x/..${path}`,
      `http://u:p@127.0.0.1${path}`,
      `https://h${path.toUpperCase()}`,
      `http:${path}`,
      `http://127.0.0.1/${path}`,
      `h${path}`,
      `?${path}`,
      `*${path}`,
    ];
    yield* [
      `${path}#x`,
      `/#/..${path}`,
      `/?/..${path}`,
      `/.${path}`,
      `/..${path}`,
      `${path}/.`,
      `${path}/..`,
      `${path}/x/..`,
    ];
  }
}

for (const [name, mount] of Object.entries(mounts)) {
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
    for (const target of spellings()) {
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
