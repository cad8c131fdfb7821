import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { createSecurity, type Filter, type FilterPlacement, oncePerRequest, orderFilters } from '@lockstitch/security';
import { serve, USERS } from '../support/serve.ts';

function marker(name: string, seen: string[] = []): Filter {
  return {
    name,
    handle(exchange, next) {
      seen.push(name);
      return next(exchange);
    },
  };
}

function order(custom: readonly FilterPlacement[]): readonly string[] {
  return orderFilters(
    [
      ['csrf', marker('csrf')],
      ['basic', marker('basic')],
      ['authorization', marker('authorization')],
    ],
    custom,
  ).map(({ filter }) => filter.name);
}

test('custom filters stand before, after or at a known position, or at an earlier custom filter', () => {
  deepEqual(order([{ filter: marker('x'), before: 'basic' }]), ['csrf', 'x', 'basic', 'authorization']);
  deepEqual(order([{ filter: marker('x'), after: 'basic' }]), ['csrf', 'basic', 'x', 'authorization']);
  deepEqual(new Set(order([{ filter: marker('x'), at: 'basic' }])), new Set(['csrf', 'x', 'basic', 'authorization']));
  deepEqual(
    order([
      { filter: marker('x'), after: 'csrf' },
      { filter: marker('y'), after: 'x' },
    ]),
    ['csrf', 'x', 'y', 'basic', 'authorization'],
  );
  deepEqual(
    order([{ filter: marker('x'), before: 'cors' }]),
    ['x', 'csrf', 'basic', 'authorization'],
    'a known position need not be in use',
  );
});

test('an unknown position is refused with the nearest known one', () => {
  throws(
    () => order([{ filter: marker('x'), before: 'basci' }]),
    /"basci" does not have a registered order\. Did you mean "basic"\?/,
  );
  throws(() => order([{ filter: marker('x'), before: 'firewall' }]), /cannot stand before the firewall/);
});

test('filters run in order around the handler, and each may stop the request', async (t) => {
  const seen: string[] = [];
  const around: Filter = {
    name: 'around',
    async handle(exchange, next) {
      seen.push('before');
      await next(exchange);
      seen.push('after');
    },
  };
  const stop: Filter = {
    name: 'stop',
    handle(exchange, next) {
      if (exchange.path !== '/stop') return next(exchange);
      return exchange.respond(418, 'short and stout', 'text/plain');
    },
  };
  const { send } = await serve(
    t,
    {
      rules: [{ any: true, access: 'permitAll' }],
      filters: [
        { filter: around, before: 'basic' },
        { filter: stop, after: 'basic' },
      ],
    },
    (_, response) => {
      seen.push('handler');
      response.end('ok');
    },
  );
  equal((await send('/go')).status, 200);
  deepEqual(seen, ['before', 'handler', 'after']);
  seen.length = 0;
  const stopped = await send('/stop');
  deepEqual([stopped.status, stopped.body], [418, 'short and stout']);
  deepEqual(seen, ['before', 'after']);
});

test('a filter made to run once runs once, however often it stands in the chain', async (t) => {
  const seen: string[] = [];
  const once = oncePerRequest(marker('once', seen));
  const often = marker('often', seen);
  const { send } = await serve(t, {
    rules: [{ any: true, access: 'permitAll' }],
    filters: [
      { filter: once, before: 'basic' },
      { filter: once, after: 'basic' },
      { filter: often, before: 'basic' },
      { filter: often, after: 'basic' },
    ],
  });
  await send('/');
  deepEqual(seen.filter((name) => name === 'once').length, 1);
  deepEqual(seen.filter((name) => name === 'often').length, 2);
});

test('a filter that throws, or neither passes nor answers, is answered 500 without its message', async (t) => {
  const lost: Filter = { name: 'lost', handle: () => undefined };
  const broken: Filter = {
    name: 'broken',
    handle() {
      throw new Error('the secret reason');
    },
  };
  const rejecting: Filter = { name: 'rejecting', handle: () => Promise.reject(new Error('the secret reason')) };
  for (const filter of [lost, broken, rejecting]) {
    const { send } = await serve(t, {
      rules: [{ any: true, access: 'permitAll' }],
      filters: [{ filter, before: 'basic' }],
    });
    const { status, body } = await send('/');
    equal(status, 500, filter.name);
    equal(body.includes('secret'), false);
  }
});

test('the layer lists its filters and rules in order', () => {
  const security = createSecurity({
    ...USERS,
    formLogin: true,
    cors: { allowedOrigins: ['https://a.example'] },
    filters: [{ filter: marker('mine'), before: 'basic' }],
    rules: [
      { mvc: '/a', method: 'GET', access: "hasRole('X')" },
      { any: true, access: 'authenticated' },
    ],
  });
  const [chain] = security.list();
  deepEqual(
    chain?.filters.map(({ name }) => name),
    [
      'firewall',
      'context',
      'session',
      'headers',
      'cors',
      'csrf',
      'csrfEndpoint',
      'logout',
      'formLogin',
      'loginPage',
      'logoutPage',
      'mine',
      'basic',
      'anonymous',
      'exceptionTranslation',
      'authorization',
    ],
  );
  equal(chain?.filters.find(({ name }) => name === 'mine')?.placement, 'before basic');
  deepEqual(chain?.rules, [
    { number: 1, selects: "Mvc [pattern='/a', GET]", access: "hasRole('X')" },
    { number: 2, selects: 'any request', access: 'authenticated' },
  ]);
});
