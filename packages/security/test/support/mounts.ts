// The same handlers through every adapter, behind strict and lenient routers: what the adapter tests, the fuzz test and its
// long run send requests to.
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import {
  connectHandler,
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
import { type Cleaning, listen, USERS } from './serve.ts';

/** Rules over three handlers that need somebody; everything else is open. */
export const CONFIG: SecurityConfig = {
  ...USERS,
  rules: [
    { ant: '/admin/**', access: "hasRole('ADMIN')" },
    { ant: '/api/secret', access: 'authenticated' },
    { mvc: '/files/{n:[a-z]+}', access: 'authenticated' },
    { any: true, access: 'permitAll' },
  ],
};
/** The paths of the handlers that nobody may reach without credentials. */
export const PROTECTED = ['/admin/users', '/api/secret', '/files/abc'];

/** A server on a free port. */
export interface Mounted {
  readonly port: number;
  /** The protected paths whose handlers ran. */
  readonly reached: string[];
}

type Mount = (t: Cleaning, security: Security) => Promise<Mounted>;

/** Name → a server with the same handlers, put behind a security layer through one adapter. */
export const MOUNTS: Readonly<Record<string, Mount>> = {
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

async function mountFastify(t: Cleaning, security: Security, app: FastifyInstance): Promise<Mounted> {
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
