import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { createSecurity, type Filter, nodeHandler, type SecurityConfig } from '@lockstitch/security';
import { send } from '../support/raw-socket.ts';
import { listen, serve, USERS } from '../support/serve.ts';

const CONFIG: SecurityConfig = {
  csrf: false,
  rules: [{ any: true, access: 'permitAll' }],
  headers: { cacheControl: false, xssProtection: false, custom: { 'X-Chain': 'chain' } },
};

/** Responses that write their head as node:http does. */
class OwnResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}

/** Responses that do not: they were taken over by a middleware ahead of the chain, say. */
class OverridingResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override writeHead(...given: unknown[]): this {
    return super.writeHead(...(given as [number]));
  }
}

const SERVERS: readonly (readonly [string, ServerOptions])[] = [
  ['', {}],
  [', on responses of a class of its own', { ServerResponse: OwnResponse }],
  [', on responses that write their head themselves', { ServerResponse: OverridingResponse }],
];

for (const [of, options] of SERVERS) {
  test(`the application sees, changes and removes the headers of the chain by every way node:http has${of}`, async (t) => {
    const applications: Record<
      string,
      readonly [(response: ServerResponse) => unknown, Record<string, string | undefined>]
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
      'setHeader several times': [
        (res) => res.setHeader('X-A', 'a').setHeader('x-a', 'b').setHeader('X-Chain', 'app').end('body'),
        { 'x-a': 'b', 'x-chain': 'app', 'x-frame-options': 'DENY', 'content-length': '4' },
      ],
      'setHeader, then writeHead of the same': [
        (res) =>
          res.setHeader('X-Chain', 'first').writeHead(200, { 'x-chain': 'second', 'x-frame-options': 'DENY' }).end(),
        { 'x-chain': 'second', 'x-frame-options': 'DENY' },
      ],
      'setHeader, then removeHeader': [
        (res) => (res.setHeader('X-Chain', 'app').removeHeader('x-chain'), res.end()),
        { 'x-chain': undefined, 'x-frame-options': 'DENY' },
      ],
      'setHeader of what cannot be sent': [
        (res) => (throws(() => res.setHeader('X-Chain', 'a\r\nb'), { code: 'ERR_INVALID_CHAR' }), res.end()),
        { 'x-chain': 'chain', 'x-frame-options': 'DENY' },
      ],
      'another class, as Express gives it': [
        (res) => {
          Object.setPrototypeOf(res, Object.create(ServerResponse.prototype) as object);
          res.setHeader('X-A', 'a').writeHead(200, { 'X-B': 'b' }).end();
        },
        { 'x-chain': 'chain', 'x-a': 'a', 'x-b': 'b', 'x-frame-options': 'DENY' },
      ],
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
    // Left to itself, node:http refuses a header without a value.
    if (options.ServerResponse === OverridingResponse) delete applications['writeHead with a header that has no value'];
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
          const { response } = exchange;
          if (response.setHeaderLines !== undefined) response.setHeaderLines(kept);
          else for (let at = 0; at < kept.length; at += 2) response.setHeader(kept[at]!, kept[at + 1]!);
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

  test(`headers that were set ahead of the chain stay, but for those that it sets${of}`, async (t) => {
    const chain = nodeHandler(createSecurity({ ...USERS, ...CONFIG }), (_, response, { response: head }) => {
      head.setHeader('X-Two', 'chain');
      head.appendHeader('X-Three', 'chain');
      response.writeHead(200, { 'X-A': 'a' }).end();
    });
    const server = createServer(options, (request, response) => {
      for (const name of ['X-One', 'X-Two', 'X-Three', 'x-chain']) response.setHeader(name, 'before');
      chain(request, response);
    });
    const answer = await send(await listen(t, server), '/');
    deepEqual(
      ['x-one', 'x-two', 'x-three', 'x-chain', 'x-a'].map((name) => answer.headers(name)),
      [['before'], ['chain'], ['before', 'chain'], ['chain'], ['a']],
    );
  });
}
