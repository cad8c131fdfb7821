import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { generateSync } from 'otplib';
import { createPrincipal } from '@lockstitch/kernel';
import type { Filter } from '../../src/chain/filter.ts';
import { createAttemptLimiter } from '../../src/limits/attempt-limiter.ts';
import { createSessions } from '../../src/session/sessions.ts';
import { createOneTimeFilter } from '../../src/token/one-time.ts';
import { createTotpVerifier, enrolTotp } from '../../src/token/totp.ts';
import { createClient, form, run } from '../support/run-filters.ts';

const { secret, uri } = enrolTotp('john', 'Photos');

/** The header `user` stands for the first factor; /login makes a session of it. */
function chain() {
  const clock = { now: 1_700_000_000_000 };
  const sessions = createSessions();
  const first: Filter = {
    name: 'first',
    async handle(exchange, next) {
      const user = exchange.request.header('user');
      if (user !== undefined) exchange.authentication = { principal: createPrincipal(user), login: 'full' };
      if (exchange.path === '/login') await sessions.logIn(exchange, exchange.authentication!);
      await next(exchange);
    },
  };
  const verifier = createTotpVerifier({
    secretOf: (name) => (name === 'john' ? secret : undefined),
    clock: { now: () => clock.now },
  });
  const attempts = createAttemptLimiter({ byPair: { failures: 3, seconds: 900 } });
  const filters = [sessions.filter, first, createOneTimeFilter({ verifier, sessions, attempts })];
  const code = () => generateSync({ secret, epoch: clock.now / 1000 });
  const send = (value?: string) =>
    run(filters, { headers: { user: 'john', ...(value === undefined ? {} : { 'X-One-Time-Password': value }) } });
  return { clock, filters, code, send };
}

test('an address for authenticator apps names issuer and user', () => {
  match(uri, /^otpauth:\/\/totp\/Photos.*john.*secret=[A-Z2-7]{32}/);
});

test('after the password the one-time password is asked for, and the right one lets pass', async () => {
  const { send, code } = chain();
  const asked = await send();
  deepEqual([asked.status, asked.json()['code'], asked.reached], [401, 'SECURITY_ONE_TIME_REQUIRED', false]);
  match(String(asked.json()['hint']), /X-One-Time-Password/);
  equal((await send(code())).user, 'john');
});

test('each code counts once, and an older one not after a newer', async () => {
  const { send, code, clock } = chain();
  const old = code();
  clock.now += 30_000;
  const newer = code();
  equal((await send(newer)).reached, true);
  equal((await send(newer)).status, 401);
  equal((await send(old)).status, 401);
});

test('the code of the step before is good, of two before and of the next it is not', async () => {
  const { send, code, clock } = chain();
  const codes = [0, 1, 2].map(() => {
    const value = code();
    clock.now += 30_000;
    return value;
  });
  equal((await send(codes[1])).status, 401);
  equal((await send(codes[2])).reached, true);
  clock.now += 60_000;
  const next = code();
  clock.now -= 30_000;
  equal((await send(next)).status, 401);
});

test('two requests with one code at the same time: one passes', async () => {
  const { send, code } = chain();
  const value = code();
  const answers = await Promise.all([send(value), send(value), send(value)]);
  equal(answers.filter(({ reached }) => reached).length, 1);
});

test('after three wrong codes even the right one has to wait', async () => {
  const { send, code } = chain();
  const wrong = code() === '000000' ? '000001' : '000000';
  for (let tries = 0; tries < 3; tries += 1) equal((await send(wrong)).status, 401);
  const answer = await send(code());
  deepEqual([answer.status, answer.reached, Number(answer.headers['retry-after']) > 0], [429, false, true]);
});

test('guessing in a burst is no faster than one after the other', async () => {
  const { send } = chain();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, guess) => send(String(guess).padStart(6, '0'))));
  equal(answers.filter(({ status }) => status !== 429).length <= 3, true);
});

test('a user without a second factor is not asked', async () => {
  const { filters } = chain();
  equal((await run(filters, { headers: { user: 'jane' } })).user, 'jane');
  equal((await run(filters)).user, 'anonymousUser');
});

test('people get a form; the right code is good for the session, which changes its id', async () => {
  const { filters, code } = chain();
  const client = createClient(filters, { headers: { accept: 'text/html' } });
  const page = await client.send({ target: '/login', headers: { user: 'john' } });
  match(page.body, /autocomplete="one-time-code"/);
  const before = client.jar.get('JSESSIONID');
  equal((await client.send({ target: '/x' })).reached, false);
  const answer = await client.send({
    ...form({ code: ` ${code().slice(0, 3)} ${code().slice(3)} ` }),
    target: '/login/one-time',
  });
  deepEqual([answer.status, answer.headers['location']], [302, '/']);
  notEqual(client.jar.get('JSESSIONID'), before);
  equal((await client.send({ target: '/x' })).user, 'john');
});
