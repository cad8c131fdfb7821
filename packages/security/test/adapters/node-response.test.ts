import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { createServer, type ServerOptions, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { createSecurity, type Filter, nodeHandler, SecuredResponse, type SecurityConfig } from '@lockstitch/security';
import { send } from '../support/raw-socket.ts';
import { listen, serve } from '../support/serve.ts';

const CONFIG: SecurityConfig = {
  csrf: false,
  rules: [{ any: true, access: 'permitAll' }],
  headers: { cacheControl: false, xssProtection: false, custom: { 'X-Chain': 'chain' } },
};

/** The plain responses of node:http, and those that a server can be told to make instead. */
const SERVERS: readonly (readonly [string, ServerOptions])[] = [
  ['', {}],
  [', on a server of SecuredResponse', { ServerResponse: SecuredResponse }],
];

for (const [of, options] of SERVERS) {
  test(`the application sees, changes and removes the headers of the chain by every way node:http has${of}`, async (t) => {
    const applications: Readonly<
      Record<string, readonly [(response: ServerResponse) => unknown, Record<string, string | undefined>]>
    > = {
      'an implicit head': [(res) => res.end(), { 'x-chain': 'chain', 'x-frame-options': 'DENY' }],
      'writeHead without headers': [(res) => res.writeHead(200).end(), { 'x-chain': 'chain' }],
      'writeHead with headers': [
        (res) => res.writeHead(200, { 'x-CHAIN': 'app', 'X-A': 'a' }).end(),
        { 'x-chain': 'app', 'x-a': 'a', 'x-frame-options': 'DENY' },
      ],
      'writeHead with a reason': [
        (res) => res.writeHead(200, 'Fine', { 'X-A': 'a' }).end(),
        { 'x-chain': 'chain', 'x-a': 'a' },
      ],
      'writeHead with a list': [
        (res) => res.writeHead(200, ['X-A', 'a', 'X-Chain', 'app']).end(),
        { 'x-a': 'a', 'x-chain': 'app' },
      ],
      setHeader: [(res) => res.setHeader('x-chain', 'app').end(), { 'x-chain': 'app', 'x-frame-options': 'DENY' }],
      setHeaders: [(res) => res.setHeaders(new Map([['X-Chain', 'app']])).end(), { 'x-chain': 'app' }],
      appendHeader: [(res) => res.appendHeader('X-Chain', 'app').end(), { 'x-chain': 'chain' }],
      'setHeader, then writeHead': [
        (res) => res.setHeader('X-A', 'a').writeHead(200, { 'X-Chain': 'app' }).end(),
        { 'x-a': 'a', 'x-chain': 'app', 'x-frame-options': 'DENY' },
      ],
      removeHeader: [
        (res) => (res.removeHeader('X-Chain'), res.end()),
        { 'x-chain': undefined, 'x-frame-options': 'DENY' },
      ],
      getHeader: [
        (res) => res.setHeader('X-A', String(res.getHeader('x-chain'))).end(),
        { 'x-a': 'chain', 'x-chain': 'chain' },
      ],
      getHeaders: [(res) => res.setHeader('X-A', String(res.getHeaders()['x-chain'])).end(), { 'x-a': 'chain' }],
      getHeaderNames: [
        (res) => res.setHeader('X-A', String(res.getHeaderNames().includes('x-chain'))).end(),
        { 'x-a': 'true' },
      ],
      hasHeader: [(res) => res.setHeader('X-A', String(res.hasHeader('X-Chain'))).end(), { 'x-a': 'true' }],
      'writeHead with a header that has no value': [
        (res) => res.writeHead(200, { 'X-Chain': undefined, 'X-A': 'a' }).end(),
        { 'x-chain': undefined, 'x-a': 'a', 'x-frame-options': 'DENY' },
      ],
      'writeHead with several lines of one header': [
        (res) => res.writeHead(200, { 'Set-Cookie': ['a=1', 'b=2'] }).end(),
        { 'set-cookie': 'a=1', 'x-chain': 'chain', 'x-frame-options': 'DENY' },
      ],
      'writeHead again after one that failed': [
        (res) => {
          throws(() => res.writeHead(200, { 'X-Bad': 'a\r\nb' }), { code: 'ERR_INVALID_CHAR' });
          throws(() => res.writeHead(9999), RangeError);
          res.writeHead(200, { 'X-Chain': 'app' }).end();
        },
        { 'x-chain': 'app', 'x-bad': undefined, 'x-frame-options': 'DENY' },
      ],
      flushHeaders: [(res) => (res.flushHeaders(), res.end()), { 'x-chain': 'chain' }],
      write: [(res) => (res.write('a'), res.end()), { 'x-chain': 'chain' }],
    };
    for (const [name, [application, expected]] of Object.entries(applications)) {
      const { send } = await serve(t, CONFIG, (_, response) => void application(response), options);
      const answer = await send('/');
      equal(answer.status, 200, name);
      for (const [header, value] of Object.entries(expected)) equal(answer.header(header), value, `${name}: ${header}`);
      if (name === 'appendHeader') deepEqual(answer.headers('x-chain'), ['chain', 'app']);
      else equal(answer.headers('x-frame-options').length, 1, name);
    }
  });

  test(`headers of filters that are the same on every response are checked like any other${of}`, async (t) => {
    const setting = (...lines: string[]): SecurityConfig => {
      const kept = Object.freeze(lines);
      const filter: Filter = {
        name: 'setting',
        handle(exchange, next) {
          exchange.response.setHeaderLines?.(kept);
          return next(exchange);
        },
      };
      return { ...CONFIG, filters: [{ filter, after: 'headers' }] };
    };
    const answerTo = async (config: SecurityConfig) => {
      const { send } = await serve(t, config, (_, response) => void response.writeHead(200).end(), options);
      return send('/');
    };
    const replaced = await answerTo(setting('x-chain', 'filter', 'X-A', 'a'));
    deepEqual([replaced.headers('x-chain'), replaced.header('x-a')], [['filter'], 'a']);
    const split = await answerTo(setting('X-A', 'a\r\nX-B: b'));
    deepEqual([split.status, split.header('x-b')], [500, undefined]);
    // What node:http itself reads in a head is left to it.
    const closed = await answerTo(setting('Connection', 'close', 'Content-Length', '0'));
    deepEqual([closed.headers('connection'), closed.headers('content-length')], [['close'], ['0']]);
    equal(closed.header('x-chain'), 'chain');
  });

  test(`the answer to a listener that failed carries the headers of the chain${of}`, async (t) => {
    const { send } = await serve(
      t,
      CONFIG,
      (_, response) => void response.writeHead(200, { 'X-Bad': 'a\r\nb' }).end(),
      options,
    );
    const answer = await send('/');
    deepEqual([answer.status, answer.header('x-frame-options')], [500, 'DENY']);
    match(answer.body, /failed inside the server/);
  });

  test(`cookies of the chain and of the application both go out${of}`, async (t) => {
    const { send } = await serve(
      t,
      { ...CONFIG, csrf: true },
      (_, response, exchange) => {
        exchange.response.appendHeader('Set-Cookie', 'a=1');
        exchange.response.appendHeader('Set-Cookie', 'b=2');
        response.appendHeader('Set-Cookie', 'c=3');
        exchange.response.appendHeader('Set-Cookie', 'd=4');
        exchange.response.removeHeader('X-Chain');
        response.end(String(exchange.response.getHeader('x-frame-options')));
      },
      options,
    );
    const answer = await send('/');
    deepEqual(answer.headers('set-cookie'), ['a=1', 'b=2', 'c=3', 'd=4']);
    deepEqual([answer.body, answer.header('x-chain')], ['DENY', undefined]);
  });

  test(`a cookie that the chain adds after the application began with headers takes none of them away${of}`, async (t) => {
    const { send } = await serve(
      t,
      { ...CONFIG, headers: false },
      (_, response, exchange) => {
        response.setHeader('Set-Cookie', 'a=1');
        exchange.response.appendHeader('Set-Cookie', 'b=2');
        response.writeHead(200, { 'X-A': 'a' }).end();
      },
      options,
    );
    const answer = await send('/');
    deepEqual([answer.headers('set-cookie'), answer.header('x-a')], [['a=1', 'b=2'], 'a']);
  });

  test(`headers that were set ahead of the chain stay${of}`, async (t) => {
    const chain = nodeHandler(
      createSecurity(CONFIG),
      (_, response) => void response.writeHead(200, { 'X-A': 'a' }).end(),
    );
    const server = createServer(options, (request, response) => {
      response.setHeader('X-Before', 'before');
      chain(request, response);
    });
    const answer = await send(await listen(t, server), '/');
    deepEqual(
      ['x-before', 'x-chain', 'x-a'].map((name) => answer.header(name)),
      ['before', 'chain', 'a'],
    );
  });
}
